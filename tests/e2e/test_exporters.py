# SPDX-License-Identifier: Apache-2.0
"""What exporters of GPUs and their labels come to in a report: shared GPUs, pods, instances, jobs beside sacct, gaps, blanks, one metric
a file, other exporters. TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
T0, STEP, STEPS = 1790812800, 30, 121  # an hour; the first reading covers the 30 s before it
HOUR = STEPS * STEP


def line(name, labels, value):
    return "%s{%s} %s" % (name, ",".join('%s="%s"' % pair for pair in labels.items()), value)


def gpu(index, **more):
    return dict({"gpu": str(index), "UUID": "GPU-%04d" % index, "modelName": "NVIDIA H100 80GB HBM3", "Hostname": "n1"}, **more)


def scrapes(readings, steps=range(STEPS), only=None):
    """READINGS(i): the lines of scrape I."""
    out = []
    for i in steps:
        out.append("# %d" % (T0 + i * STEP))
        out += [x for x in readings(i) if only is None or x.split("{")[0] in only]
    return "\n".join(out) + "\n"


def run(files, *options, command="report", form="json"):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([TARE, command, folder, "--format", form, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
    return json.loads(done.stdout) if done.stdout else {"failed": done.stderr.decode()}


def accounts(report):
    return {k: v["gpu_seconds"] for k, v in report["accounts"].items() if v["gpu_seconds"]}


def by_job(report):
    return {g["key"]["job"]: {k: v["gpu_seconds"] for k, v in g["accounts"].items() if v["gpu_seconds"]} for g in report["groups"]}


def work(i, labels, busy=True):
    """A device that works, with power that never stands still."""
    return [line("DCGM_FI_PROF_SM_ACTIVE", labels, "0.99" if busy else "0"),
            line("DCGM_FI_PROF_DRAM_ACTIVE", labels, "0.4" if busy else "0"),
            line("DCGM_FI_DEV_GPU_UTIL", labels, "99" if busy else "0"),
            line("DCGM_FI_DEV_POWER_USAGE", labels, "%d.25" % ((600 if busy else 80) + i % 7))]


def shared(i):
    return [x for pod in "abcd" for x in work(i, gpu(0, pod=pod, namespace="ml", vgpu=pod))]


def handed_over(i):
    """GPU 0: pod a, then b. GPU 1: free, but for a job of a container that no pod names. GPU 2: not read from 40 to 80 min."""
    out = work(i, gpu(0, pod="a" if i < 60 else "b", namespace="ml"))
    out += work(i, gpu(1), busy=40 <= i < 60)
    return out + ([] if 40 <= i < 80 else work(i, gpu(2), busy=False))


def instances(i):
    part = lambda gi, profile, pod: gpu(0, GPU_I_ID=gi, GPU_I_PROFILE=profile, **({"pod": pod, "namespace": "ml"} if pod else {}))
    out = []
    for labels, busy in ((part("1", "3g.40gb", "a"), True), (part("2", "4g.40gb", ""), False)):
        out += [line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, "0.9" if busy else "0"),
                line("DCGM_FI_DEV_POWER_USAGE", labels, "%d" % (400 + i % 5))]
    return out


def slurm(i):
    return [x for k in range(4) for x in work(i, gpu(k, **({"hpc_job": "77"} if k in (1, 3) else {})), busy=k in (1, 3))]


SACCT = """JobID|User|Account|Partition|Submit|Eligible|Start|End|ElapsedRaw|State|AllocTRES|ReqTRES|NNodes|NodeList
77|ann|nlp|gpu|%d|%d|%d|%d|%d|COMPLETED|node=1,gres/gpu=2|node=1,gres/gpu=2|1|n1
""" % (T0 - 100, T0 - 100, T0 - 30, T0 + HOUR - 30, HOUR)


def federated(i):
    """Through a Prometheus that keeps its own labels: pod is the exporter's where no exported_pod stands beside it."""
    own = {"instance": "10.0.0.9:9400", "job": "dcgm", "pod": "dcgm-exporter-x7", "namespace": "gpu-operator", "container": "dcgm-exporter"}
    held = dict(own, exported_pod="train-0", exported_namespace="ml", exported_container="main")
    return work(i, gpu(0, **held)) + work(i, gpu(1, **own), busy=False)


def smi(i):
    """The GPU of handed_over's beginning, as nvidia_gpu_exporter tells of it."""
    labels = {"uuid": "0000"}
    return [line("nvidia_smi_utilization_gpu_ratio", labels, "0.99"), line("nvidia_smi_power_draw_watts", labels, 600 + i % 7),
            line("nvidia_smi_memory_used_bytes", labels, "4.294967296e+10"), line("nvidia_smi_memory_reserved_bytes", labels, 536870912),
            line("nvidia_smi_memory_total_bytes", labels, 85899345920)]


def amd(i):
    labels = {"gpu_id": "0", "gpu_uuid": "ccff74a1-0000-1000-80e0-c6d49f5b0d86", "card_model": "MI300X", "hostname": "m1",
              "gpu_partition_id": "0", "pod": "", "job_id": "42", "job_user": "ann", "job_partition": "gpu"}
    return [line("gpu_gfx_activity", labels, 97), line("gpu_umc_activity", labels, 30), line("gpu_package_power", labels, 700 + i % 9),
            line("gpu_energy_consumed", labels, "%.6e" % (1.4e17 + i * 2.1e10)), line("gpu_used_vram", labels, 183265)]


def spoilt(i):
    """Blanks of every kind, NaN, a counter that falls, a series twice."""
    out = work(i, gpu(0))
    out += [line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", gpu(0), 5000000000 + i * 9000000 if i < 60 else (i - 60) * 9000000 + 7)]
    for n, value in enumerate(("9223372036854775792", "9223372036854775793", "9223372036854775794", "9223372036854775795", "NaN")):
        out.append(line("DCGM_FI_DEV_MEMORY_TEMP", gpu(1 + n), value))
        out += work(i, gpu(1 + n), busy=False)
    return out + work(i, gpu(0))


def cases():
    got = run({"a.prom": scrapes(shared)}, "--by", "job")
    each = by_job(got)
    yield "case 16: four pods at 99 % are one GPU-hour", got["paid"]["gpu_seconds"] == HOUR and accounts(got) == \
        {"active.pending": HOUR}, accounts(got)
    yield "each of the four has a quarter of it", set(each) == {"ml/a", "ml/b", "ml/c", "ml/d"} and \
        all(v == {"active.pending": HOUR / 4} for v in each.values()), each

    yield "nobody says that four GPUs are needed", "fleet" in str(sorted(got["measures"])) and \
        all((v["value"] or 0) <= 1 for k, v in got["measures"].items() if k.startswith("fleet")), \
        {k: v for k, v in got["measures"].items() if k.startswith("fleet")}

    got = run({"a.prom": scrapes(handed_over)}, "--by", "job")
    each = by_job(got)
    yield "a device goes from one pod to the next without a gap", each.get("ml/a") == {"active.unjudged": 60 * STEP} and \
        each.get("ml/b") == {"active.pending": 61 * STEP}, each
    yield "who is named nowhere is free, unless somebody works there; a gap is unknown, never idle", \
        {k: v for k, v in accounts(got).items() if not k.startswith("active")} == \
        {"free.idle": (101 + 81) * STEP, "free.unmanaged": 20 * STEP, "unknown": 40 * STEP}, accounts(got)

    got = run({"a.prom": scrapes(instances)}, "--by", "job")
    yield "a pod holds an instance by its slices", by_job(got).get("ml/a") == {"active.pending": round(HOUR * 3 / 7, 3)} and \
        accounts(got).get("free.idle") == round(HOUR * 4 / 7, 3), accounts(got)

    alone, beside = run({"a.prom": scrapes(slurm)}), run({"a.prom": scrapes(slurm), "sacct.txt": SACCT})
    yield "a Slurm job that labels name holds what they name", accounts(alone) == \
        {"active.pending": 2 * HOUR, "free.idle": 2 * HOUR}, accounts(alone)
    yield "beside sacct it is one job, on the devices that the labels name", accounts(beside) == \
        {"active.productive": 2 * HOUR, "free.idle": 2 * HOUR}, accounts(beside)

    got = run({"a.prom": scrapes(federated)}, "--by", "job")
    yield "the exporter's own pod holds nothing", \
        accounts(got) == {"active.pending": HOUR, "free.idle": HOUR}, by_job(got)

    names = sorted({x.split("{")[0] for x in handed_over(0)})
    files = {n + ".prom": scrapes(handed_over, only={n}) for n in names}
    yield "one metric a file is the same as all in one", accounts(run(files)) == accounts(run({"a.prom": scrapes(handed_over)})), \
        accounts(run(files))
    days = {"%d.prom" % k: scrapes(handed_over, range(k * 31, min(k * 31 + 31, STEPS))) for k in range(4)}
    whole = accounts(run({"a.prom": scrapes(handed_over)}))
    yield "a file for each quarter is the same as one for all", accounts(run(days)) == whole, (accounts(run(days)), whole)

    yield "nvidia_gpu_exporter: one GPU that works", accounts(run({"a.prom": scrapes(smi)})) == {"active.unjudged": HOUR - STEP}, accounts(run({"a.prom": scrapes(smi)}))
    got = run({"a.prom": scrapes(smi), "b.prom": scrapes(lambda i: work(i, dict(gpu(0), UUID="GPU-0000")))})
    yield "it and dcgm-exporter tell of the same GPU", got["paid"]["gpu_seconds"] == HOUR, got["paid"]
    got = run({"a.prom": scrapes(amd)}, "--by", "user")
    yield "AMD's exporter: GPU, job and user", [g["key"]["user"] for g in got["groups"]][:1] == ["ann"] and \
        got["paid"]["gpu_seconds"] == HOUR, got["groups"][0]["key"]

    facts = run({"a.prom": scrapes(spoilt, range(4))}, command="export", form="facts")
    reasons = {s["device"]: s["r"].get("mem_temperature") for s in facts["samples"]}
    yield "case 3: four blanks are four reasons, NaN is none", [reasons.get("GPU-%04d" % n) for n in range(1, 6)] == \
        ["not_ready", None, "unsupported", "no_permission", None], reasons
    got = run({"a.prom": scrapes(spoilt)})
    yield "a counter that falls and a series that stands there twice lose nothing", \
        got["paid"]["gpu_seconds"] == 6 * HOUR and not any(x["rejected"] for x in got["inputs"]), got["inputs"]

    text = scrapes(handed_over).split("\n")
    random.Random(3).shuffle(text)
    stamped, t = [], None
    for x in scrapes(handed_over).split("\n"):
        if x.startswith("# "):
            t = int(x[2:])
        elif x:
            stamped.append("%s %d" % (x, t * 1000))
    random.Random(4).shuffle(stamped)
    yield "lines in any order, each with its time", accounts(run({"a.prom": "\n".join(stamped) + "\n"})) == whole, ""


def main():
    found = list(cases())
    print("1..%d" % len(found))
    for n, (name, good, got) in enumerate(found, 1):
        print("%s %d - %s%s" % ("ok" if good is True else "not ok", n, name, "" if good is True else ": %s" % (got,)))
    sys.exit(0 if all(good is True for _, good, _ in found) else 1)


main()
