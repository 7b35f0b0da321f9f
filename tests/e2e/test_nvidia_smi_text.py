# SPDX-License-Identifier: Apache-2.0
"""What nvidia-smi prints for people, through the program: other people's captures and logs, read apart with regular expressions, value by value
(skipped where they are not here); logs of many boxes; times and zones."""
import csv
import datetime
import glob
import json
import os
import re
import subprocess
import tempfile

from tap import DATA, TARE, check, end, equal, skip

UTC = datetime.timezone.utc
Q_PATHS = {
    "gpu_util": ["Utilization/GPU", "Utilization/Gpu"], "mem_util": ["Utilization/Memory"], "encoder": ["Utilization/Encoder"],
    "decoder": ["Utilization/Decoder"], "mem_size": ["FB Memory Usage/Total"], "fan": ["Fan Speed"],
    "power": ["GPU Power Readings/Average Power Draw", "GPU Power Readings/Instantaneous Power Draw"],
    "power_limit": ["GPU Power Readings/Current Power Limit", "GPU Power Readings/GPU Ceiling Power Limit/Current Power Limit"],
    "sm_clock": ["Clocks/SM"], "mem_clock": ["Clocks/Memory"], "sm_clock_max": ["Max Clocks/SM"], "mem_clock_max": ["Max Clocks/Memory"],
    "temperature": ["Temperature/GPU Current Temp"], "mem_temperature": ["Temperature/Memory Current Temp"],
    "idle_reason": ["Clocks Event Reasons/Idle"], "mem_free": ["FB Memory Usage/Free"],
    "power_instant": ["GPU Power Readings/Instantaneous Power Draw"],
}
CSV_COLUMNS = {
    "gpu_util": ["utilization.gpu"], "mem_util": ["utilization.memory"], "encoder": ["utilization.encoder"], "decoder": ["utilization.decoder"],
    "mem_size": ["memory.total"], "fan": ["fan.speed"], "power": ["power.draw.average", "power.draw", "power.draw.instant"],
    "power_limit": ["enforced.power.limit", "power.limit"], "sm_clock": ["clocks.current.sm"], "mem_clock": ["clocks.current.memory"],
    "sm_clock_max": ["clocks.max.sm"], "mem_clock_max": ["clocks.max.memory"], "temperature": ["temperature.gpu"],
    "mem_temperature": ["temperature.memory"], "idle_reason": ["clocks_event_reasons.gpu_idle"], "mem_free": ["memory.free"],
    "power_instant": ["power.draw.instant"],
}


def run(command, *args):
    done = subprocess.run([TARE, *command, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr.decode(errors="replace")


def export(*args):
    return run(["export", "--format", "facts"], *args)


def number(text):
    if text in ("Active", "Not Active"):
        return int(text == "Active")
    found = re.fullmatch(r"([0-9.]+) ?(%|W|MiB|MHz|C)?", (text or "").strip())
    return float(found.group(1)) if found else None


def stamp(text):
    return int(datetime.datetime.strptime(text, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC).timestamp() * 1000)


def first(texts):
    """The first text that is a number, else that of the first that says anything."""
    known = [t for t in texts if number(t) is not None]
    return (known or [t for t in texts if t] or [None])[0]


BOX_ROW = re.compile(r"^\|\s+(\d+)\s+(\S.*?)\s+(On|Off|N/A)\s*\|\s*([0-9A-F]+:[0-9A-F:.]+)\s+\w+\s*\|.*\n"
                     r"\|\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+) /\s+(\S+)\s*\|\s*(\S+) /\s+(\S+)\s*\|\s*(\S+)\s+\S.*\n", re.M)


def read_boxes(text):
    """[(time, address, {metric: text}, process ids, or None where there is no list)]"""
    found = []
    for box in re.finditer(r"^(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}) *\n((?:[+|].*\n| *\n)+)", text, re.M):
        processes = re.search(r"^\| Processes:[\s\S]*?^\|=+\|\n([\s\S]*?)^\+-", box.group(2), re.M)
        for row in BOX_ROW.finditer(box.group(2)):
            index, _, _, bus, fan, heat, _, power, cap, used, size, util = row.groups()
            pids = None
            if processes and processes.group(1):
                pids = re.findall(r"^\|\s+%s\s+(?:\S+\s+\S+\s+)?(\d+)\s+[CG]" % index, processes.group(1), re.M)
            found.append((stamp(box.group(1)), bus, {"fan": fan, "temperature": heat, "power": power, "power_limit": cap, "mem_used": used,
                                                     "mem_size": size, "gpu_util": util}, pids))
    return found


def read_log(text):
    """The same of -q."""
    found, when = [], None
    keys, values, pids = [], None, []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        key, _, value = (p.strip() for p in line.partition(" : "))
        if line.startswith("Timestamp "):
            when = stamp(value)
        elif line.startswith("GPU 0"):
            values, pids, keys = {}, [], []
            found.append((when, line[4:].strip(), values, pids))
        elif values is not None and indent and line.strip():
            keys = [k for k in keys if k[0] < indent] + [(indent, key)]
            values.setdefault("/".join(k[1] for k in keys), value)
            if key == "Process ID":
                pids.append(value)
    def of(values, metric):
        if metric == "mem_used":
            return sum(number(values.get("FB Memory Usage/" + k)) or 0 for k in ("Used", "Reserved"))
        return first([values.get(p) for p in Q_PATHS[metric]])
    return [(w, bus, {m: of(v, m) for m in [*Q_PATHS, "mem_used"]}, p) for w, bus, v, p in found]


def read_csv(text):
    """The same of --query-gpu, and the lists of --query-compute-apps: {(time, address): ids}."""
    rows = list(csv.reader(text.splitlines(), skipinitialspace=True))
    head = [re.sub(r" \[.*", "", h) for h in rows[0]] if rows else []
    found, apps = [], {}
    for row in rows[1:]:
        if len(row) != len(head):
            continue
        v = dict(zip(head, row))
        when = int(datetime.datetime.strptime(v["timestamp"], "%Y/%m/%d %H:%M:%S.%f").replace(tzinfo=UTC).timestamp() * 1000 + 0.5)
        if "pid" in v:
            apps.setdefault((when, v["gpu_bus_id"]), []).append(v["pid"])
            continue
        values = {m: first([v.get(c) for c in columns]) for m, columns in CSV_COLUMNS.items()}
        values["mem_used"] = number(v["memory.used"]) + (number(v["memory.reserved"]) or 0)
        found.append((when, v["pci.bus_id"], values, None))
    return found, apps


def expected(text):
    """{time: [{metric: text}, ids]}, where of what two outputs say of one second the later counts."""
    at, apps = {}, {}
    for name, part in re.findall(r"^# \w+ :: (.*)\n# \$ nvidia-smi.*\n#+\n([\s\S]*?)(?=^####|\Z)", text, re.M):
        found = read_boxes(part) if "default table" in name else read_log(part) if "(-q)" in name else []
        if name.startswith(("query-gpu ", "query-compute-apps")):
            found, more = read_csv(part)
            apps.update(more)
        for when, _, values, pids in found:
            have = at.setdefault(when, [{}, None])
            have[0].update({m: v for m, v in values.items() if v not in (None, "") and (number(str(v)) is not None or m not in have[0])})
            have[1] = pids if pids is not None else have[1]
    for (when, _), pids in apps.items():
        near = min(at, key=lambda t: abs(t - when))
        assert abs(near - when) <= 1000
        if at[near][1] is None:
            at[near][1] = pids
    return at


def differs(sample, values, pids):
    for metric, text in values.items():
        got, want = sample["r"].get(metric), number(str(text))
        if want is not None and (got is None or isinstance(got, str) or float(got) != want):
            return "%s: %r, the source says %r" % (metric, got, text)
        if want is None and not isinstance(got, str):
            return "%s: %r is no reason, the source says %r" % (metric, got, text)
    if pids is not None and sample.get("procs") != ["pid " + p for p in pids]:
        return "processes %r, the source says %r" % (sample.get("procs"), pids)
    return None


def instances(path, parts, samples):
    """The MIG devices of boxes and of -q: their memory and processes."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    want = {}
    for box in re.finditer(r"^(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}) *\n((?:[+|].*\n| *\n)+)", text, re.M):
        for gi, used, size in re.findall(r"^\|\s+\d+\s+(\d+)\s+\d+\s+\d+\s+\|\s*(\d+)MiB / +(\d+)MiB", box.group(2), re.M):
            pids = re.findall(r"^\|\s+\d+\s+%s\s+\d+\s+(\d+)\s+[CG]" % gi, box.group(2), re.M)
            want[stamp(box.group(1)), gi] = float(used), float(size), ["pid " + p for p in pids]
    for log in re.finditer(r"^Timestamp +: (.*)\n([\s\S]*?)(?=^====|^####|\Z)", text, re.M):
        ran = re.findall(r"GPU instance ID +: (\d+)\n.*\n +Process ID +: (\d+)", log.group(2))
        for gi, part in re.findall(r"GPU Instance ID +: (\d+)\n([\s\S]*?)(?=MIG Device|Accounting Mode)", log.group(2)):
            size, used = (re.search(r"Shared FB[\s\S]*?%s +: (\d+) MiB" % k, part).group(1) for k in ("Total", "Used"))
            want[stamp(log.group(1)), gi] = float(used), float(size), ["pid " + pid for i, pid in ran if i == gi]
    got = {(s["t"], s["device"].rsplit("/", 1)[1]): (s["r"]["mem_used"], s["r"]["mem_size"], s["procs"]) for s in samples}
    equal(os.path.basename(path)[:-4] + ": what its MIG instances hold, and who is on them", got, want)
    check(len(parts) * 4 == len(samples) and all(s["device"] in parts for s in samples), "each an instance of its GPU", parts)


def captures():
    paths = sorted(glob.glob(os.path.join(DATA, "nvidia-smi-captures", "linux*.txt")))
    if not paths:
        skip("captures of nvidia-smi")
    for path in paths:
        name = os.path.basename(path)[:-4]
        status, doc, err = export(path)
        with open(path, encoding="utf-8") as f:
            want = expected(f.read())
        mine = [s for s in doc["samples"] if s["device"] == doc["devices"][0]["id"]]
        got = {s["t"]: s for s in mine}
        check(status == 0 and not err and len(doc["devices"]) == 1 and sorted(got) == sorted(want) and len(got) == len(mine) >= 4,
              name + ": one GPU, its times", err, sorted(got), sorted(want))
        bad = [differs(got[t], *want[t]) for t in sorted(got) if t in want]
        check(bad and not any(bad), name + ": every value is the source's", bad)
        parts = [p["id"] for p in doc["devices"][0].get("mig", [])]
        if parts:
            instances(path, parts, [s for s in doc["samples"] if s not in mine])
            continue
        status, doc, err = run(["report", "--format", "json"], path)
        gpu = {k: v["gpu_seconds"] for k, v in doc["accounts"].items() if v["gpu_seconds"]}
        check(status == 0 and not err and gpu.get("active.unjudged", 0) > 0.5 and gpu.get("vacant", 0) + gpu.get("stalled.unexplained", 0) +
              gpu.get("unknown", 0) > 1, name + ": idle, then at work, in a report", gpu)


def logs_of_other_people():
    for path in ("synergy-input-bound/train-stdout.out", "nanogpt-speedrun/2024-10-18_PyTorch25/d4bfb25f-688d-4da5-8743-33926fad4842.txt"):
        path = os.path.join(DATA, path)
        if not os.path.exists(path):
            skip("a log with a box in it")
            continue
        status, doc, err = export("--as", "nvidia_smi_text", path)
        with open(path, encoding="utf-8", errors="replace") as f:
            want = {(t, bus): (values, pids or None) for t, bus, values, pids in read_boxes(f.read())}
        got = {(s["t"], s["device"][-16:]): s for s in doc["samples"]}
        check(status == 0 and not err and len(want) % 8 == 0 and sorted(got) == sorted(want), "a training log's box: eight GPUs", err, sorted(got))
        bad = [differs(got[k], *want[k]) for k in got]
        check(bad and not any(bad), "of which every value is the source's", bad)


BOX = """%s
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.56       Driver Version: 418.56       CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
%s
"""
GPU = """|   %d  Tesla V100-SXM2...  Off  | 00000000:%02X:00.0 Off |                    0 |
| N/A   37C    P0    %3dW / 250W |   %4dMiB / 32480MiB |    %3d%%      Default |
+-------------------------------+----------------------+----------------------+
"""


def many_boxes(d):
    path, begin = d + "/watch.log", datetime.datetime(2026, 11, 30, 12, tzinfo=UTC)
    with open(path, "w", encoding="utf-8") as f:
        for s in range(0, 6000, 2):
            busy = s < 3000
            gpus = "".join(GPU % (i, i + 5, 240 if busy else 40, 1538 if busy else 3, 97 if busy else 0) for i in range(2))
            when = (begin + datetime.timedelta(seconds=s)).strftime("%a %b %e %H:%M:%S %Y")
            f.write("Every 2.0s: nvidia-smi   n1: %s\n\n" % when + BOX % (when, gpus.rstrip()) + "\n")
    status, doc, err = run(["report", "--format", "json"], path)
    got = doc and {k: v["gpu_seconds"] for k, v in doc["accounts"].items() if v["gpu_seconds"]}
    # each box says what was in the 2 s before it; without a list of processes nobody knows whether one waited
    check(status == 0 and not err and got == {"active.unjudged": 6000, "quiet": 6000}, "three thousand boxes are one history", got, err)


def times(d):
    with open(d + "/box.txt", "w", encoding="utf-8") as f:
        f.write(BOX % ("Tue Jun 30 12:00:00 2026", GPU % (0, 5, 40, 3, 7)))
    _, doc, _ = export("--tz", "Europe/Berlin", d + "/box.txt")
    equal("the box's own time, in the zone that is said", doc["samples"][0]["t"], stamp("Tue Jun 30 10:00:00 2026"))
    with open(d + "/cut.txt", "w", encoding="utf-8") as f:
        f.write((BOX % ("", GPU % (0, 5, 40, 3, 7))).lstrip())
    status, doc, err = export(d + "/cut.txt")
    check(not doc.get("samples") and "FILE@at=TIME" in err, "a box without its time says how to give it", status, err)
    status, doc, err = export(d + "/cut.txt@at=2026-06-30T12:00:00Z")
    check(status == 0 and not err and [s["t"] for s in doc["samples"]] == [stamp("Tue Jun 30 12:00:00 2026")], "and has the time that is given", err)


def lists(d):
    with open(d + "/apps.csv", "w", encoding="utf-8") as f:
        f.write("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
                "2026/11/30 12:00:00.100, GPU-a, 77, python, train.py, --lr=1, 370 MiB\n"
                "2026/11/30 12:00:00.100, GPU-a, 78, \x1b[2J, [N/A]\n")
    status, doc, err = export(d + "/apps.csv")
    check(status == 0 and not err and [s["procs"] for s in doc["samples"]] == [["pid 77", "pid 78"]] and len(doc["devices"]) == 1,
          "processes by GPU; a GPU that no row names is not there", err, doc)


def main():
    captures()
    logs_of_other_people()
    with tempfile.TemporaryDirectory(prefix="tare-smi-text-") as d:
        many_boxes(d)
        times(d)
        lists(d)
    return end()


if __name__ == "__main__":
    raise SystemExit(main())
