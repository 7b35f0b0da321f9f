# SPDX-License-Identifier: Apache-2.0
"""Energy, depth and execution-idle through the program: a labelled stream at 1 Hz and resampled, as averages and as points; the depth of
active time; and another project's log (skipped where it is not), against Python's own sums. TAP."""
import csv
import datetime
import json
import os
import random
import subprocess
import tempfile
from fractions import Fraction

from tap import ROOT, SHARED, TARE, check, end, skip

# Watts and readings of a second by its letter: active, low, no program, low but for PCIe, low with few signals.
WATTS = {"A": 500, "L": 110, "D": 70, "C": 150, "N": 110}
READ = {"A": {"sm": 80, "tensor": 40, "dram": 30, "pcie": 0.2}, "L": {"sm": 2, "tensor": 0, "dram": 1, "pcie": 0.2},
        "D": {"sm": 0, "tensor": 0, "dram": 0, "pcie": 0}, "C": {"sm": 2, "tensor": 0, "dram": 1, "pcie": 1},
        "N": {"sm": 2, "dram": 1}}


def report(*args):
    done = subprocess.run([TARE, "report", "--format", "json", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=True)
    return json.loads(done.stdout)


def of_facts(facts):
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "facts.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(facts, f)
        return report(path)


def one_gpu(samples, seconds):
    """A completed job of one GPU, no setup."""
    return {"scheduler": [[0, seconds * 1000]], "capacity": [{"device": "g", "from": 0, "to": seconds * 1000}],
            "devices": [{"id": "g", "node": "n", "model": "NVIDIA H100 80GB HBM3"}], "options": {"setup_max": 0},
            "jobs": [{"id": "j", "start": 0, "end": seconds * 1000, "outcome": "completed", "submit": 0}],
            "allocations": [{"job": "j", "device": "g"}], "samples": samples}


def every_second(stream):
    return [{"device": "g", "t": (i + 1) * 1000, "period": 1000, "r": {**READ[c], "power": WATTS[c]}, "procs": [] if c == "D" else ["j"]}
            for i, c in enumerate(stream)]


def resampled(stream, step, point):
    """Averages over STEP seconds, or every STEP-th second as a point."""
    samples = []
    for end in range(step, len(stream) + 1, step):
        part = stream[end - 1:end] if point else stream[end - step:end]
        r = {name: sum(READ[c][name] for c in part) / len(part) for name in ("sm", "dram")}
        r["power"] = sum(WATTS[c] for c in part) / len(part)
        sample = {"device": "g", "t": end * 1000, "period": step * 1000, "r": r, "procs": ["j"] if any(c != "D" for c in part) else []}
        samples.append({**sample, "kind": "point"} if point else sample)
    return samples


def label(stream):
    """Execution-idle seconds: runs of low activity of 5 s and more, a program resident (ledger.md 3; 9.2)."""
    low = [c in "LDN" for c in stream]
    stalled, i = 0, 0
    while i < len(stream):
        j = i
        while j < len(stream) and low[j] == low[i]:
            j += 1
        if low[i] and j - i >= 5:
            stalled += sum(c != "D" for c in stream[i:j])
        i = j
    return stalled, len(stream) - stalled - stream.count("D")


def seconds(doc, *heads):
    return sum(a["gpu_seconds"] or 0 for name, a in doc["accounts"].items() if name.startswith(heads))


def joules(doc, *heads):
    return sum(a["joules"] or 0 for name, a in doc["accounts"].items() if name.startswith(heads))


def test_published_stream():
    """The paper's own example, and what part 9, case 2 makes of its two seconds that follow a vacant GPU: one low run."""
    for stream, want in (("AAALLLLALLLLLADDDALLCNNNNNN", (11, 13, 3)), ("AAALLLLALLLLLADDDLLCNNNNNN", (13, 10, 3))):
        doc = of_facts(one_gpu(every_second(stream), len(stream)))
        got = (seconds(doc, "stalled"), seconds(doc, "active"), seconds(doc, "vacant"))
        check(got == want == (*label(stream), stream.count("D")), "a labelled stream of %d s" % len(stream), got, want)
        check(joules(doc, "") == doc["paid"]["joules"] == sum(WATTS[c] for c in stream) and doc["paid"]["joules_coverage"] == 1,
              "its energy", doc["paid"])
    doc = of_facts(one_gpu(every_second("A" * 5 + "L" * 10 + "D" * 60), 75))
    energy = doc["measures"]["avoidable_energy"]
    check(energy["value"] == 10 * (110 - 70) and energy["coverage"] == 1, "avoidable energy against this GPU's own vacant power", energy)
    share = doc["measures"]["execution_idle_energy_share"]
    check(abs(share["value"] - 1100 / 3600) < 1e-9, "the share of stalled energy leaves vacant energy out", share)


def test_resampled():
    rng, stream = random.Random(7), ""
    while len(stream) < 3600:
        stream += rng.choice("AL") * rng.choice((1, 2, 4, 5, 9, 9, 20, 44, 120))
    stream = stream[:3600]
    stalled, active = label(stream)
    truth = stalled / (stalled + active)
    exact = of_facts(one_gpu(every_second(stream), 3600))["measures"]["execution_idle_share"]
    check(abs(exact["value"] - truth) < 1e-9, "an hour at 1 Hz", exact, truth)
    for step in (5, 10, 30):
        for point in (False, True):
            doc = of_facts(one_gpu(resampled(stream, step, point), 3600))
            m = doc["measures"]["execution_idle_share"]
            name = "every %d s, %s: %.3f in %.3f to %.3f" % (step, "points" if point else "averages", truth, m["low"], m["high"])
            slack = 0.06 if point else 0.001  # two points that agree prove the time between them only as an estimate
            check(m["low"] - slack <= truth <= m["high"] + slack, name, m)
            check(m["value"] is None and m["why_null"] or point and step == 5, name + ": a band", m)
            if not point:
                check(doc["paid"]["joules"] == sum(WATTS[c] for c in stream), "every %d s: energy of averages is the energy" % step, doc["paid"])


def test_depth():
    samples = every_second("A" * 100)
    for i, s in enumerate(samples):
        s["r"].update({"tensor": 50 if i < 50 else 30, "sm_clock": 1500, "sm_clock_max": 1980, "mem_used": 40000 + 100 * i, "mem_size": 81559,
                       "power_limit": 700, "gpu_util": 97})
    doc = of_facts(one_gpu(samples, 100))
    depth = doc["depth"]
    want = {"tensor": 0.4, "ofu": 0.4 * 1500 / 1830, "dram": 0.3, "bandwidth": 0.3 * 3350, "sm_clock": 1500 / 1980, "power": 500 / 700,
            "mem_used": (40000 + 4950) / 81559, "gpu_util": 0.97, "pcie": 0.2, "sm": 0.8}
    check(all(abs(depth[k]["value"] - v) < 1e-9 for k, v in want.items()), "depth by time; OFU by the tensor clock, not the highest", depth)
    check(depth["nvlink"]["value"] is None and depth["nvlink"]["why_null"], "what was not read is null with a reason")
    check(abs(depth["mem_used"]["max"] - 49900 / 81559) < 1e-6, "peak of memory", depth["mem_used"])
    check(doc["layers"][3]["depth"] == {"value": depth["ofu"]["value"], "kind": "ofu"}, "OFU stands beside effective", doc["layers"])
    check(doc["measures"]["ofu"]["value"] == depth["ofu"]["value"], "OFU is a measure")
    check(not any("GPU-Util says" in n for n in doc["notes"]), "no remark where the signals agree")
    for s in samples:
        s["r"].update({"tensor": 0.6, "sm": 20, "dram": 3})
    doc = of_facts(one_gpu(samples, 100))
    check(any("GPU-Util says busy 97.0 %" in n and "tensor pipe 0.6 %" in n for n in doc["notes"]), "a remark where they do not", doc["notes"])
    for s in samples:
        s["r"].pop("sm_clock")
    doc = of_facts(one_gpu(samples, 100))
    check(doc["depth"]["ofu"]["why_null"] and doc["measures"]["ofu"]["why_null"], "OFU without a clock is null")


def test_counter():
    samples = every_second("A" * 100)
    for i, s in enumerate(samples):
        s["r"]["energy"] = 10 ** 6 + 400 * i
    doc = of_facts(one_gpu(samples, 100))
    paid = doc["paid"]
    check(paid["joules"] == 500 + 99 * 400 and paid["joules_integrated_share"] == 0.01, "the counter goes before the sensor", paid)
    check(any("25.0 % more than the energy counters" in n for n in doc["notes"]), "and the difference is said", doc["notes"])
    shared = one_gpu(samples, 100)
    shared["jobs"].append({**shared["jobs"][0], "id": "k"})
    shared["allocations"] = [{"job": "j", "device": "g", "share": "1/3"}, {"job": "k", "device": "g", "share": "1/3"}]
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/facts.json", "w", encoding="utf-8") as f:
            json.dump(shared, f)
        doc = report(d + "/facts.json", "--by", "job")
    parts = [g["paid"]["joules"] for g in doc["groups"]]
    check(sum(parts) == doc["paid"]["joules"] == paid["joules"] and max(parts) - min(parts) < 0.01, "shares of a GPU share its energy", parts)
    mig = one_gpu([*samples, *({**s, "device": "i", "r": {"sm": 50}} for s in samples)], 100)
    mig["devices"][0].update({"slices": 7, "mig": [{"id": "i", "slices": 7}]})
    mig["allocations"] = [{"job": "j", "instance": "i"}]
    doc = of_facts(mig)
    check(doc["paid"]["joules"] is None and doc["paid"]["joules_coverage"] == 0 and doc["mig"]["joules"] == paid["joules"],
          "a MIG device's energy is nobody's, and no instance's is known", doc["paid"], doc["mig"])


def mean_by_time(rows):
    """What ledger.md part 4, rule 1 carries: from the row before, if it is at most 2.5 periods (the median gap) back, else one period."""
    times = [t for t, _ in rows]
    gaps = sorted(b - a for a, b in zip(times, times[1:]))
    p = gaps[len(gaps) // 2]
    total = covered = 0
    for before, (t, value) in zip([None] + times, rows):
        ms = t - before if before is not None and 2 * (t - before) <= 5 * p else p
        total += value * ms
        covered += ms
    return Fraction(total, 1) / covered, covered, total


def test_log():
    path = os.path.join(SHARED, "data", "nvidia-smi-csv", "earthquake-4h47", "gpu0.log")
    if not os.path.exists(path):
        skip("a log of 4 h 47")
        return
    rows = {}
    with open(path, encoding="utf-8") as f:
        for r in csv.reader(line for line in f if not line.startswith("#")):
            t = datetime.datetime.strptime(r[0], "%Y-%m-%d:%H:%M:%S.%f").replace(tzinfo=datetime.timezone.utc)
            at = (t - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(milliseconds=1)
            rows[at] = (Fraction(r[2]), Fraction(r[3]), Fraction(r[7]))
    doc = report(path, "--map", os.path.join(ROOT, "examples", "maps", "earthquake-gpu0.yaml"))
    for name, i, published in (("gpu_util", 0, 6.394822), ("mem_util", 1, 1.527317), ("power", 2, 63.762982)):
        got = doc["readings"][name]
        check(got["n"] == 46198 and abs(got["mean"] - published) < 1e-6, "%s: the plain mean of the rows" % name, got)
        want, covered, _ = mean_by_time([(t, v[i]) for t, v in sorted(rows.items())])
        check(abs(got["mean_by_time"] - float(want)) < 1e-9, "%s: the mean by time" % name, got, float(want))
    check(abs(doc["readings"]["gpu_util"]["mean_by_time"] - 5.36) <= 0.005, "GPU-Util by time is 5.36 %", doc["readings"]["gpu_util"])
    _, covered, energy = mean_by_time([(t, v[2]) for t, v in sorted(rows.items())])
    check(abs(doc["paid"]["joules"] - float(energy) / 1000) <= 0.001, "energy to the millijoule", doc["paid"], float(energy) / 1000)
    check(abs(doc["paid"]["joules"] / 1e6 - 1.075) <= 0.001 and abs(doc["paid"]["joules_coverage"] - 0.995) < 0.001, "1.075 MJ at 99.5 %", doc["paid"])


def main():
    for test in (test_published_stream, test_resampled, test_counter, test_depth, test_log):
        test()
    raise SystemExit(end())


main()
