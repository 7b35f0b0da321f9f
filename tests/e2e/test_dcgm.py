# SPDX-License-Identifier: Apache-2.0
"""Readings of dcgm-exporter through the program: the same GPUs as Prometheus' answer, as an answer in pieces, and as scrapes
in a file, come to the same accounts. No scheduler speaks, so what was productive is a band (ledger.md 4, rule 9). TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
T0, STEP, STEPS = 1790812800, 30, 41  # 0 to 1,200 s; the first reading covers the 30 s before it
GPU = {"UUID": "GPU-aaaa", "gpu": "0", "device": "nvidia0", "modelName": "NVIDIA H100 80GB HBM3", "Hostname": "n1"}
DEAD = {"UUID": "GPU-bbbb", "gpu": "1", "device": "nvidia1", "modelName": "NVIDIA H100 80GB HBM3", "Hostname": "n1"}


SACCT = """JobID|User|Account|Partition|Submit|Eligible|Start|End|ElapsedRaw|State|AllocTRES|ReqTRES|NNodes|NodeList
100|ann|nlp|gpu|%d|%d|%d|%d|1230|COMPLETED|node=1,gres/gpu=2|node=1,gres/gpu=2|1|n1
""" % (T0 - 100, T0 - 100, T0 - 30, T0 + 1200)


def readings(i, is_dead):
    """What the exporter says at step I: busy up to 600 s, then held and idle; the dead one stands still from 300 s on."""
    if is_dead:
        i = min(i, 10)
    busy = i <= 20
    return {
        "DCGM_FI_PROF_SM_ACTIVE": "0.9" if busy else "0",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "0.5" if busy else "0",
        "DCGM_FI_PROF_DRAM_ACTIVE": "0.4" if busy else "0.001",
        "DCGM_FI_PROF_PCIE_TX_BYTES": "500000000" if busy else "1000",
        "DCGM_FI_PROF_PCIE_RX_BYTES": "1.5e+09" if busy else "1000",
        "DCGM_FI_DEV_GPU_UTIL": "100" if busy else "0",
        "DCGM_FI_DEV_FB_USED": "40000",
        "DCGM_FI_DEV_FB_RESERVED": "400",
        "DCGM_FI_DEV_POWER_USAGE": "%d.5" % (600 + i if busy else 120 + i % 3),
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": str(10**9 + i * 9000000),
        "DCGM_FI_DEV_GPU_TEMP": "60",
    }


def series():
    for gpu in (GPU, DEAD):
        for name in readings(0, False):
            yield gpu, name, [(T0 + i * STEP, readings(i, gpu is DEAD)[name]) for i in range(STEPS)]


def answer(results):
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": results}})


def matrix():
    return [{"metric": dict(gpu, __name__=name), "values": values} for gpu, name, values in series()]


def one_answer():
    return answer(matrix())


def shuffled_answers():
    """One query for each metric, their answers one after another, labels and series in another order."""
    results = [{"values": r["values"], "metric": dict(reversed(list(r["metric"].items())))} for r in matrix()]
    random.Random(1).shuffle(results)
    return "\n".join(answer([r]) for r in results)


def scrapes(stamp):
    out, rng = [], random.Random(2)
    for i in range(STEPS):
        t = T0 + i * STEP
        lines = []
        for gpu in (GPU, DEAD):
            for name, value in readings(i, gpu is DEAD).items():
                labels = list(gpu.items())
                rng.shuffle(labels)
                text = ",".join('%s="%s"' % pair for pair in labels)
                lines.append("%s{%s} %s%s" % (name, text, value, " %d" % (t * 1000) if stamp else ""))
        rng.shuffle(lines)
        out += [] if stamp else ["# %d" % t]
        out += ["# TYPE DCGM_FI_DEV_GPU_UTIL gauge", *lines]
    return "\n".join(out) + "\n"


def run(*texts):
    with tempfile.TemporaryDirectory() as folder:
        for n, text in enumerate(texts):
            with open(os.path.join(folder, "input%d" % n), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([TARE, "report", folder, "--format", "json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.stdout else {"failed": done.stderr.decode()}


def accounts(report):
    return {k: v["gpu_seconds"] for k, v in report["accounts"].items() if v["gpu_seconds"]}


def layer(report, name):
    return next((x["low"], x["high"]) for x in report["layers"] if x["layer"] == name)


def cases():
    want = {"active.unjudged": 630 + 330, "stalled.unexplained": 600, "unknown": 0}
    first = run(one_answer())
    got = accounts(first)
    yield "a busy, then idle GPU; a source that stops is no reading", "failed" not in first and \
        {k: v for k, v in got.items()} == {k: v for k, v in want.items() if v}, got
    yield "productive is a band from nothing to all that was active", layer(first, "productive") == (0, 960), first["layers"]
    yield "series by series, in another order", accounts(run(shuffled_answers())) == got, ""
    for stamp in (True, False):
        yield "scrapes, time in %s" % ("each line" if stamp else "comments"), accounts(run(scrapes(stamp))) == got, \
            accounts(run(scrapes(stamp)))
    held = accounts(run(one_answer(), SACCT))
    yield "a job on the node holds both GPUs: what is not read of it is unobserved", held == {
        "active.productive": 960, "stalled.unexplained": 600, "unobserved": 900}, held
    halves = [{"metric": dict(GPU, __name__="DCGM_FI_PROF_GR_ENGINE_ACTIVE", GPU_I_ID=gi, GPU_I_PROFILE=profile),
               "values": [(T0 + i * STEP, value) for i in range(STEPS)]}
              for gi, profile, value in (("1", "3g.40gb", "0.9"), ("2", "4g.40gb", "0"))]
    got = accounts(run(answer(halves)))
    yield "MIG instances weigh by their slices", got == {"active.unjudged": 527.143, "quiet": 702.857}, got
    empty = run(answer([]))
    yield "an answer without data says so and accounts nothing", \
        any("no data" in json.dumps(n) for n in empty["notes"]) and not accounts(empty), empty.get("notes")


def main():
    found = list(cases())
    print("1..%d" % len(found))
    for n, (name, good, got) in enumerate(found, 1):
        print("%s %d - %s%s" % ("ok" if good else "not ok", n, name, "" if good else ": %s" % (got,)))
    sys.exit(0 if all(good for _, good, _ in found) else 1)


main()
