# SPDX-License-Identifier: Apache-2.0
"""Other people's CSVs of readings through the maps in examples/maps: every value that is held against a reading of the file by
Python's own csv module, and the figures that the data's authors published. Skipped where the data is not there. TAP."""
import csv
import datetime
import io
import json
import os
import subprocess
import tarfile
import tempfile

from fractions import Fraction

from tap import DATA, ROOT, TARE, check, end, skip

MAPS = os.path.join(ROOT, "examples", "maps")
SCALE = {"gpu_util": 6, "mem_util": 6, "encoder": 6, "decoder": 6, "sm": 6}


def near(got, want, digits, name):
    check(got is not None and round(float(got), digits) == round(float(want), digits), name, "got %s, want %s" % (got, want))


def run(command, files, *options):
    done = subprocess.run([TARE, command, *options, *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
    check(done.returncode == 0, "%s %s" % (command, os.path.basename(files[0])), done.returncode, done.stderr.decode(errors="replace"))
    return json.loads(done.stdout, parse_float=Fraction) if done.stdout else {}


def export(files, name):
    return run("export", files, "--map", os.path.join(MAPS, name))


def report(files, name, *options):
    return run("report", files, "--map", os.path.join(MAPS, name), "--format", "json", *options)


def floored(text, metric, factor=1):
    """What is kept of a number: so many decimals, floored."""
    ten = 10 ** SCALE.get(metric, 3)
    return Fraction(int(Fraction(text) * factor * ten // 1), ten)


def compare(doc, want, name):
    """WANT: (device, t) -> {metric: value}. Every value, and no more of them."""
    have = {(s["device"], s["t"]): s["r"] for s in doc.get("samples", [])}
    wrong = [(k, have.get(k), want.get(k)) for k in have.keys() | want.keys() if have.get(k) != want.get(k)]
    check(not wrong and want, "%s: %d samples as in the file" % (name, len(want)), len(wrong), wrong[:3])


def ms(text):
    """Milliseconds since 1970 of a number of seconds."""
    return int(Fraction(text) * 1000 // 1)


def utc(text, pattern):
    when = datetime.datetime.strptime(text[:26], pattern).replace(tzinfo=datetime.timezone.utc)
    return int(when.timestamp()) * 1000 + when.microsecond // 1000


def earthquake(path):
    doc = export([path], "earthquake-gpu0.yaml")
    with open(path, encoding="utf-8") as f:
        rows = [line.rstrip("\n").split(",") for line in f if not line.startswith("#")]
    names = ["gpu_util", "mem_util", "encoder", "decoder", "temperature", "power"]
    want = {(path + ":0", utc(r[0], "%Y-%m-%d:%H:%M:%S.%f")): {n: floored(v, n) for n, v in zip(names, r[2:])} for r in rows}
    compare(doc, want, "earthquake")
    check(len(rows) == 46198, "earthquake: 46,198 rows", len(rows))
    for metric, published in (("gpu_util", 6.394822), ("mem_util", 1.527317), ("power", 63.762982)):
        values = [s["r"][metric] for s in doc["samples"]]
        near(sum(values) / len(values), published, 6, "earthquake: mean %s as its authors print it" % metric)


def unpack(archive, folder):
    with tarfile.open(archive) as t:
        member = [m for m in t.getmembers() if m.isfile() and not os.path.basename(m.name).startswith("._")][0]
        path = os.path.join(folder, os.path.basename(member.name))
        with open(path, "wb") as f:
            f.write(t.extractfile(member).read())
    return path


def genai(folder):
    with tempfile.TemporaryDirectory() as d:
        duty = unpack(os.path.join(folder, "pod_gpu_duty_cycle_anon.tar.gz"), d)
        memory = unpack(os.path.join(folder, "pod_gpu_memory_used_bytes_anon.tar.gz"), d)
        options = ["--map", os.path.join(MAPS, "genai-duty.yaml"), "--map", os.path.join(MAPS, "genai-memory.yaml")]
        doc = run("export", [duty, memory], *options)
        ledger = run("report", [duty, memory], *options, "--format", "json")
        want = {}
        for path, metric, factor in ((duty, "gpu_util", 1), (memory, "mem_used", Fraction(1, 1 << 20))):
            with open(path, encoding="utf-8") as f:
                for row in csv.DictReader(f):
                    r = want.setdefault((row["container_ip"], ms(row["timestamp_anon"])), {})
                    r[metric] = floored(row["value"], metric, factor)
                    if metric == "mem_used":
                        r["mem_reserve"] = 0
    compare(doc, want, "genai")
    both = [s["r"] for s in doc["samples"] if "gpu_util" in s["r"]]
    pods = {s["device"] for s in doc["samples"] if "gpu_util" in s["r"]}
    check(len(pods) == 143 and len(doc["jobs"]) == 143, "genai: 143 pods, each a job", len(pods), len(doc["jobs"]))
    near(sum(r["gpu_util"] for r in both) / len(both), 7.03, 2, "genai: mean duty cycle 7.03 %")
    near(100 * sum(r["gpu_util"] == 0 for r in both) / len(both), 66.8, 1, "genai: 66.8 % of samples are 0")
    idle = sum(r["gpu_util"] == 0 and r.get("mem_used", 0) * (1 << 20) > 10 ** 9 for r in both)
    near(100 * idle / len(both), 66.7, 1, "genai: 66.7 % at 0 with over 1 GB resident")
    accounts = {k: v["gpu_seconds"] or 0 for k, v in ledger["accounts"].items()}
    check(accounts["stalled.unexplained"] > 100 * (accounts["vacant"] + accounts["quiet"]),
          "genai: idle time with memory resident is stalled, not vacant", accounts)


def job_stats(path):
    doc = export([path], "dcgm-job-stats.yaml")
    with open(path, encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    origin = utc("2000-01-01 00:00:00.000000", "%Y-%m-%d %H:%M:%S.%f")
    columns = {"sm": "smutilization_pct_avg", "mem_util": "memoryutilization_pct_avg", "power": "powerusage_watts_avg"}
    want = {}
    for r in rows:
        values = {m: floored(r[c], m) for m, c in columns.items()}
        values["mem_used"] = floored(r["maxgpumemoryused_bytes"], "mem_used", Fraction(1, 1 << 20))
        values["mem_reserve"] = 0
        want[":".join((r["Node"], r["gpu_id"], r["id_job"])), origin + ms(r["totalexecutiontime_sec"])] = values
    compare(doc, want, "job statistics")
    check(not any("energy" in s["r"] for s in doc["samples"]), "job statistics: joules of the last hour are not read")
    long = [r for r in rows if float(r["totalexecutiontime_sec"]) > 3600 and float(r["energyconsumed_joules"]) > 0]
    worth = [float(r["energyconsumed_joules"]) / float(r["powerusage_watts_avg"]) for r in long]
    check(long and all(3000 < w < 3700 for w in worth), "job statistics: they stop at an hour's worth", worth)
    ledger = report([path], "dcgm-job-stats.yaml", "--by", "job", "--top", "100")
    held = [g for g in ledger["groups"] if g["key"].get("job") == "13929313214"]
    vacant = held[0]["accounts"]["vacant"]["gpu_seconds"] if held else None
    seconds = sum(Fraction(r["totalexecutiontime_sec"]) for r in rows if r["id_job"] == "13929313214")
    check(vacant is not None and seconds - 1800 <= vacant <= seconds, "job statistics: three GPUs held for two days, no program on them",
          vacant, seconds)


def zeus(folder):
    figures = {}
    for name in ("v100", "a40", "p100", "rtx6000"):
        path = os.path.join(folder, "summary_power_%s.csv" % name)
        doc = export([path], "zeus-power-limits.yaml")
        with open(path, encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        origin = utc("2000-01-01 00:00:00.000000", "%Y-%m-%d %H:%M:%S.%f")
        want, doubles = {}, 0
        for r in rows:
            key = " ".join(r[c] for c in ("dataset", "network", "batch_size", "optimizer", "power_limit"))
            at = key, origin + ms(r["time_per_epoch"])
            doubles += at in want
            want[at] = {"power": floored(r["average_power"], "power"), "power_limit": floored(r["power_limit"], "power_limit")}
        compare(doc, want, "zeus " + name)
        figures[name] = {s["device"]: (s["period"], s["r"]["power"] * s["period"] / 1000) for s in doc["samples"]}
    v100 = {k: v for k, v in figures["v100"].items() if " resnet50 360 " in k}
    for limit, seconds, megajoules in ((250, 3519, 0.766), (175, 3851, 0.636), (150, 4180, 0.601)):
        got = [v for k, v in v100.items() if k.endswith(" %d" % limit)]
        check(any(round(t / 1000) == seconds and round(float(j) / 1e6, 3) == megajoules for t, j in got),
              "zeus: ResNet-50, 360 a batch, at %d W: %d s and %.3f MJ an epoch" % (limit, seconds, megajoules), got, list(v100)[:3])


def small(folder, rest):
    path = os.path.join(folder, "sample.csv")
    doc = export([path], "zeus-monitor.yaml")
    with open(path, encoding="utf-8") as f:
        want = {(path, utc(r["Time"], "%Y-%m-%d %H:%M:%S.%f")): {"power": floored(r["Power"], "power", Fraction(1, 1000))} for r in csv.DictReader(f)}
    compare(doc, want, "zeus monitor")
    path = os.path.join(rest, "gpu_metrics.excerpt.csv")
    doc = export([path], "gpu-log-percent.yaml")
    want = {}
    with open(path, encoding="utf-8") as f:
        for r in csv.DictReader(io.StringIO(f.read()), skipinitialspace=True):
            t = utc(r["timestamp"].replace("Z", "000"), "%Y-%m-%dT%H:%M:%S.%f")
            want["%s:%s" % (path, r["gpu_index"]), t] = {m: floored(r[c], m) for m, c in (
                ("temperature", "temperature_C"), ("gpu_util", "utilization_gpu_percent"), ("power", "power_W"))}
    compare(doc, want, "eight GPUs, one hot")


def main():
    for name, need, test in (("earthquake", ["nvidia-smi-csv/earthquake-4h47/gpu0.log"], earthquake),
                             ("genai", ["alibaba-genai-2026"], genai), ("job statistics", ["dcgm-jobstats-mit/dcgm.excerpt.csv"], job_stats),
                             ("zeus", ["zeus-power-cap"], zeus), ("small logs", ["zeus-power-cap", "nvidia-smi-8gpu-hot"], small)):
        paths = [os.path.join(DATA, n) for n in need]
        if all(os.path.exists(p) for p in paths):
            test(*paths)
        else:
            skip(name)
    return end()


if __name__ == "__main__":
    raise SystemExit(main())
