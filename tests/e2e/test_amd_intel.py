# SPDX-License-Identifier: Apache-2.0
"""Readings of AMD and Intel GPUs as other people keep them: every value that is held against Python's own reading of the file, no more and no
fewer of them. Skipped where the data is not there. TAP."""
import glob
import json
import os
import re
import struct
import subprocess
import tarfile
import tempfile

from fractions import Fraction

from tap import DATA, TARE, check, end, skip

AT, AT_MS = "@at=2026-11-30T12:00:00Z", 1796040000000
SCALE = {"gpu_util": 6, "mem_util": 6, "fan": 6, "pcie": 9, "pcie_rx": 9, "pcie_tx": 9, "idle_reason": 0}


def run(*args):
    return subprocess.run([TARE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)


def export(name):
    done = run("export", name)
    check(done.returncode == 0 and not re.search(rb"reject", done.stderr), "export " + os.path.basename(name), done.returncode, done.stderr)
    return json.loads(done.stdout, parse_float=Fraction) if done.stdout else {}


def floored(value, metric, factor=1):
    ten = 10 ** SCALE.get(metric, 3)
    return Fraction(int(Fraction(value) * factor * ten // 1), ten)


def compare(doc, want, name):
    """WANT: a list of readings, a GPU each."""
    have = [s["r"] for s in doc.get("samples", [])]
    wrong = [(h, w) for h, w in zip(have, want) if h != w]
    check(not wrong and len(have) == len(want) and want, "%s: every reading as in the file, and no others" % name, len(have), len(want),
          *[{k: (h.get(k), w.get(k)) for k in h.keys() | w.keys() if h.get(k) != w.get(k)} for h, w in wrong[:2]])


ROCM = (("gpu_util", "GPU use (%)", 1), ("mem_util", "GPU memory use (%)", 1), ("mem_util", "GPU Memory Read/Write Activity (%)", 1),
        ("power", "Average Graphics Package Power (W)", 1), ("power_limit", "Max Graphics Package Power (W)", 1),
        ("mem_used", "VRAM Total Used Memory (B)", Fraction(1, 1 << 20)), ("mem_size", "VRAM Total Memory (B)", Fraction(1, 1 << 20)),
        ("temperature", "Temperature (Sensor edge) (C)", 1), ("mem_temperature", "Temperature (Sensor memory) (C)", 1),
        ("sm_clock", "sclk clock speed:", 1), ("mem_clock", "mclk clock speed:", 1), ("fan", "Fan speed (%)", 1))


def rocm(path):
    with open(path, encoding="utf-8") as f:
        cards = {k: v for k, v in json.load(f).items() if k != "system"}
    want = []
    for card in cards.values():
        r = {}
        for metric, key, factor in ROCM:
            found = re.search(r"-?[\d.]+", card.get(key, "N/A"))
            if found:
                r[metric] = floored(found.group(), metric, factor)
        want.append(r)
    name = os.path.basename(path)
    compare(export(path + AT), want, name)
    done = run("report", path)
    check(done.returncode == 0 and b"FILE@at=TIME" in done.stdout and len(json.loads(run("export", path).stdout)["devices"]) == len(cards),
          name + ": without a time the GPUs are known, their readings not", done.stdout, done.stderr)


def tree(archive):
    """{path below cardN: bytes up to the first zero}, the binary file, the newest time."""
    files, binary, newest = {}, None, 0
    with tarfile.open(archive) as t:
        for m in t.getmembers():
            found = re.search(r"/card\d+/(.*)", m.name)
            if not m.isfile() or not found:
                continue
            data = t.extractfile(m).read()
            newest = max(newest, m.mtime)
            files[found.group(1)] = data.split(b"\0")[0].decode(errors="replace").strip()
            if found.group(1) == "device/gpu_metrics":
                binary = data
    return files, binary, newest


def sensors(files):
    """The driver's hwmon folder: {file: text}, and {(kind, label): text}."""
    for name, text in files.items():
        found = re.fullmatch(r"(device/hwmon/hwmon\d+/)name", name)
        if found and text in ("amdgpu", "i915", "xe"):
            h = {n[len(found.group(1)):]: t for n, t in files.items() if n.startswith(found.group(1))}
            by = {}
            for n, t in h.items():
                label = re.fullmatch(r"([a-z]+\d+)_label", n)
                if label:
                    by[label.group(1).rstrip("0123456789"), t] = h.get(label.group(1) + "_input")
            return h, by
    return {}, {}


def amd_tree(archive):
    files, binary, newest = tree(archive)
    h, by = sensors(files)
    sources = [("gpu_util", files.get("device/gpu_busy_percent"), 1), ("mem_util", files.get("device/mem_busy_percent"), 1),
               ("mem_size", files.get("device/mem_info_vram_total"), Fraction(1, 1 << 20)),
               ("mem_used", files.get("device/mem_info_vram_used"), Fraction(1, 1 << 20)),
               ("power", h.get("power1_average"), Fraction(1, 10 ** 6)), ("power_limit", h.get("power1_cap"), Fraction(1, 10 ** 6)),
               ("temperature", by.get(("temp", "edge")), Fraction(1, 1000)), ("mem_temperature", by.get(("temp", "mem")), Fraction(1, 1000)),
               ("sm_clock", by.get(("freq", "sclk")), Fraction(1, 10 ** 6)), ("mem_clock", by.get(("freq", "mclk")), Fraction(1, 10 ** 6))]
    want = {m: floored(v, m, f) for m, v, f in sources if v}
    for metric, name in (("sm_clock_max", "device/pp_dpm_sclk"), ("mem_clock_max", "device/pp_dpm_mclk")):
        levels = re.findall(r"^\d+: *(\d+)Mhz", files.get(name, ""), re.M)
        if levels:
            want[metric] = int(levels[-1])
    if h.get("pwm1") and h.get("pwm1_max"):
        want["fan"] = floored(Fraction(int(h["pwm1"]) * 100, int(h["pwm1_max"])), "fan")
    packets = files.get("device/pcie_bw", "").split()
    if len(packets) == 3:
        rx, tx = (Fraction(int(p) * int(packets[2]), 10 ** 9) for p in packets[:2])
        want.update(pcie_rx=rx, pcie_tx=tx, pcie=rx + tx)
    if binary:
        size, major, minor = struct.unpack_from("<HBB", binary)
        check((size, major, minor) == (120, 1, 3), "gpu_metrics 1.3", size, major, minor)
        want["energy"] = floored(Fraction(struct.unpack_from("<Q", binary, 24)[0], 65536), "energy")
    name = os.path.basename(archive)
    doc = export(archive)
    compare(doc, [want], name)
    check([s["t"] for s in doc["samples"]] == [newest * 1000], name + ": the time of its newest file")
    if binary:
        dump(binary, name)


def dump(binary, name):
    """The binary file alone, with a time and without."""
    u16 = [struct.unpack_from("<H", binary, at)[0] for at in range(0, 120, 2)]
    want = {"temperature": u16[2], "mem_temperature": u16[4], "gpu_util": u16[8], "mem_util": u16[9], "power": u16[11],
            "sm_clock": u16[27], "mem_clock": u16[29],
            "energy": floored(Fraction(struct.unpack_from("<Q", binary, 24)[0], 65536), "energy")}
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "gpu_metrics")
        with open(path, "wb") as f:
            f.write(binary)
        compare(export(path + AT), [want], name + ", gpu_metrics alone")
        done = run("report", path)
        check(done.returncode == 3 and b"nor when it was read" in done.stderr, "gpu_metrics without a time is refused, kindly", done.stderr)


def intel_tree(archive):
    files, _, newest = tree(archive)
    h, by = sensors(files)
    energy = by.get(("energy", "card")) or h.get("energy1_input") if not by.get(("energy", "pkg")) else \
        by[("energy", "card")] if by.get(("energy", "card"), "0") != "0" else by[("energy", "pkg")]
    sources = [("energy", energy, Fraction(1, 10 ** 6)), ("power_limit", h.get("power1_max"), Fraction(1, 10 ** 6)),
               ("temperature", by.get(("temp", "pkg")) or h.get("temp1_input"), Fraction(1, 1000)),
               ("mem_temperature", by.get(("temp", "vram")), Fraction(1, 1000)),
               ("sm_clock", files.get("gt_act_freq_mhz") or files.get("device/tile0/gt0/freq0/act_freq"), 1),
               ("sm_clock_max", files.get("gt_max_freq_mhz") or files.get("device/tile0/gt0/freq0/max_freq"), 1)]
    want = {m: floored(v, m, f) for m, v, f in sources if v}
    idle = [t for n, t in files.items() if re.fullmatch(r"device/tile\d+/gt\d+/gtidle/idle_status", n)]
    if idle:
        want["idle_reason"] = int(all(t == "gt-c6" for t in idle))
    doc = export(archive)
    compare(doc, [want], os.path.basename(archive))
    check([s["t"] for s in doc["samples"]] == [newest * 1000], os.path.basename(archive) + ": the time of its newest file")


def igt(path):
    with open(path, encoding="utf-8") as f:
        top = json.load(f, parse_float=Fraction)
    busy = max(e["busy"] for k, e in top["engines"].items() if k.startswith(("Render/3D", "Compute")))
    want = {"gpu_util": floored(busy, "gpu_util"), "power": floored(top["power"]["GPU"], "power"),
            "sm_clock": floored(top["frequency"]["actual"], "sm_clock")}
    doc = export(path + AT)
    compare(doc, [want], os.path.basename(path))
    check([(s["t"], s["period"]) for s in doc["samples"]] == [(AT_MS, int(top["period"]["duration"]))], "intel_gpu_top: its period and time")


def main():
    for pattern, test in (("amd-gpu/telegraf/*.json", rocm), ("amd-gpu/lact/*.tar.gz", amd_tree), ("intel-gpu/lact/*.tar.gz", intel_tree),
                          ("intel-gpu/*.json", igt)):
        paths = sorted(glob.glob(os.path.join(DATA, pattern)))
        for path in paths:
            test(path)
        if not paths:
            skip(pattern)
    return end()


if __name__ == "__main__":
    raise SystemExit(main())
