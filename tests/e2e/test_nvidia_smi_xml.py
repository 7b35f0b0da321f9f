# SPDX-License-Identifier: Apache-2.0
"""nvidia-smi -q -x of other people's GPUs: every value that is held is the source's, and what is no value is a reason.
The source is read apart, with Python's own XML. TAP; skipped where the files are not."""
import datetime
import glob
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
FOLDER = os.path.join(os.environ.get("TARE_SHARED") or os.path.join(ROOT, "../shared"), "data/nvidia-smi-xml")
PATHS = {
    "gpu_util": ["utilization/gpu_util"], "mem_util": ["utilization/memory_util"],
    "encoder": ["utilization/encoder_util"], "decoder": ["utilization/decoder_util"],
    "mem_size": ["fb_memory_usage/total"], "fan": ["fan_speed"],
    "power": ["gpu_power_readings/average_power_draw", "gpu_power_readings/power_draw", "power_readings/power_draw",
              "gpu_power_readings/instant_power_draw"],
    "power_limit": ["gpu_power_readings/current_power_limit", "power_readings/enforced_power_limit", "power_readings/power_limit"],
    "sm_clock": ["clocks/sm_clock"], "sm_clock_max": ["max_clocks/sm_clock"],
    "mem_clock": ["clocks/mem_clock"], "mem_clock_max": ["max_clocks/mem_clock"],
    "temperature": ["temperature/gpu_temp"], "mem_temperature": ["temperature/memory_temp"],
}


def number(text):
    found = re.fullmatch(r"\s*([0-9.]+)\s*(%|W|MiB|MHz|C)?\s*", text or "")
    return float(found.group(1)) if found else None


def first(gpu, paths):
    texts = [gpu.findtext(p) for p in paths]
    known = [number(t) for t in texts if number(t) is not None]
    return known[0] if known else None, any(t and t.strip() for t in texts)


def check_gpu(gpu, sample, when):
    stamp = datetime.datetime.strptime(when, "%a %b %d %H:%M:%S %Y").replace(tzinfo=datetime.timezone.utc)
    assert sample["device"] == gpu.findtext("uuid"), sample["device"]
    assert sample["t"] == stamp.timestamp() * 1000, "time %s" % sample["t"]
    for name, paths in PATHS.items():
        (want, said), got = first(gpu, paths), sample["r"].get(name)
        if want is not None:
            assert got == want, "%s: %s, the source says %s" % (name, got, want)
        else:
            assert not isinstance(got, (int, float)) and (isinstance(got, str) or not said), "%s: %r is no reason" % (name, got)
    idle = [e.text for e in gpu.iter() if e.tag.endswith("reason_gpu_idle")]
    if idle and idle[0] in ("Active", "Not Active"):
        assert sample["r"]["idle_reason"] == (idle[0] == "Active"), "idle reason"
    pids = ["pid " + e.text for e in gpu.findall("processes/process_info/pid")]
    if pids:
        assert sample["procs"] == pids, sample["procs"]
    used, reserved = number(gpu.findtext("fb_memory_usage/used")), number(gpu.findtext("fb_memory_usage/reserved")) or 0
    if used is not None:
        assert used <= sample["r"]["mem_used"] <= used + reserved + 1, "memory %s" % sample["r"]["mem_used"]


def check(path):
    root = ElementTree.parse(path).getroot()
    done = subprocess.run([TARE, "export", "--format", "facts", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    samples = json.loads(done.stdout).get("samples", []) if done.stdout else []
    when, gpus = root.findtext("timestamp"), root.findall("gpu")
    if when is None:
        assert not samples and b"no <timestamp>" in done.stderr, done.stderr
        return
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert len(samples) == len(gpus), "%d samples of %d GPUs" % (len(samples), len(gpus))
    for gpu, sample in zip(gpus, samples):
        check_gpu(gpu, sample, when)


def main():
    paths = sorted(glob.glob(os.path.join(FOLDER, "*", "*.xml")))
    if not paths:
        print("1..0 # SKIP the shared data are not here")
        return 0
    failed = 0
    for i, path in enumerate(paths, 1):
        name = os.path.relpath(path, FOLDER)
        try:
            check(path)
            print("ok %d - %s" % (i, name))
        except AssertionError as e:
            failed += 1
            print("not ok %d - %s\n# %s" % (i, name, e))
    print("1..%d" % len(paths))
    return failed > 0


sys.exit(main())
