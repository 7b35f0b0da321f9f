# SPDX-License-Identifier: Apache-2.0
"""Where free GPUs are lost, from what Slurm prints: each account of free time by hand, in GPU-hours of a window of ten hours."""
import csv
import json
import os
import subprocess
import sys
import tempfile

from tap import DATA, ROOT, TARE, end, equal, skip

sys.path.insert(0, os.path.join(ROOT, "tests", "oracle"))
from passes.fragment import classify  # noqa: E402

HEAD = "JobID|User|Account|Partition|Submit|Eligible|Start|End|State|ReqTRES|AllocTRES|NNodes|NodeList|Reason|Priority\n"
# n0 is always held: its job's end at 10:00 is the newest that is known
KEEP = "NodeName=n0 CPUTot=4 RealMemory=8000 Gres=gpu:h100:1 State=ALLOCATED Partitions=keep\n"
NODE = "NodeName=%s CPUTot=16 RealMemory=64000 Gres=gpu:h100:4 State=MIXED Partitions=gpu\n"
POOL = "map: pool\nrecognise: {header: [name, gpus]}\nnodes: {pool: name, gpus: gpus}\n"
number = [100]


def at(hour):
    return "2026-11-01T%02d:00:00" % hour if hour is not None else "Unknown"


def row(tres, nodes="", submit=0, start=None, stop=None, state="RUNNING", partition="gpu", reason="", alloc=None, account="a"):
    number[0] += 1
    held = (alloc or tres) if start is not None else ""
    count = tres.split("node=")[1].split(",")[0]
    return "|".join([str(number[0]), "u", account, partition, at(submit), at(submit), at(start), at(stop), state, tres, held, count, nodes,
                     reason, "1"]) + "\n"


def ran(tres, nodes, start=0, stop=10, **more):
    return row(tres, nodes, start, start, stop, "COMPLETED", **more)


def waits(tres, reason="Resources", **more):
    return row(tres, "None assigned", state="PENDING", reason=reason, **more)


def document(rows, nodes=("n1",), files=()):
    keep = ran("cpu=1,mem=1G,node=1,gres/gpu=1", "n0", partition="keep", account="keep")
    with tempfile.TemporaryDirectory() as top:
        given = [("sacct.txt", HEAD + keep + "".join(rows)), ("nodes.txt", KEEP + "".join(NODE % n for n in nodes)), *files]
        for name, text in given:
            with open(os.path.join(top, name), "w", encoding="ascii") as f:
                f.write(text)
        options = ["--map", os.path.join(top, "pool.yaml")] if os.path.exists(os.path.join(top, "pool.yaml")) else []
        inputs = [os.path.join(top, name) for name, _ in given if name != "pool.yaml"]
        run = subprocess.run([TARE, "report", *inputs, *options, "--since", "2026-11-01", "--until", "2026-11-01T10:00:00", "--format", "json"],
                             stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def free(*rows, **more):
    """GPU-hours of each account of free time that has some."""
    accounts = document(rows, **more)["accounts"]
    return {name[5:]: a["gpu_seconds"] / 3600 for name, a in accounts.items() if name.startswith("free.") and a["gpu_seconds"]}


def check_accounts():
    two = "cpu=2,mem=4G,node=1,gres/gpu=2"
    equal("nobody waits: idle", free(ran(two, "n1")), {"idle": 20})
    equal("a job that would fit: the scheduler", free(ran(two, "n1"), waits(two)), {"held.scheduler": 20})
    equal("it holds back by quota", free(ran(two, "n1"), waits(two, "QOSMaxGRESPerUser")), {"held.policy": 20})
    equal("a gang of more than is free", free(ran(two, "n1"), waits("cpu=8,mem=8G,node=2,gres/gpu=8"), nodes=("n1", "n2")),
          {"held.gang": 60})
    equal("four in count, but two on each node: stranded",
          free(ran(two, "n1"), ran(two, "n2"), waits("cpu=4,mem=4G,node=1,gres/gpu=4"), nodes=("n1", "n2")), {"stranded": 40})
    equal("the same on any number of nodes fits",
          free(ran(two, "n1"), ran(two, "n2"), waits("cpu=4,mem=4G,node=2,gres/gpu=4"), nodes=("n1", "n2")), {"held.scheduler": 40})
    # of two free GPUs the job claims one, the other is idle
    one = "cpu=4,mem=4G,node=1,gres/gpu=1"
    equal("CPUs gone: 14 of 16 are held, 4 are wanted", free(ran("cpu=14,mem=4G,node=1,gres/gpu=2", "n1"), waits(one)),
          {"stranded": 10, "idle": 10})
    equal("memory gone: 60 of 62.5 GiB are held, 4 are wanted", free(ran("cpu=2,mem=60G,node=1,gres/gpu=2", "n1"), waits(one)),
          {"stranded": 10, "idle": 10})
    equal("a job without GPUs takes the CPUs until 04:00",
          free(ran(two, "n1"), ran("cpu=12,mem=1G,node=1", "n1", 0, 4), waits(one)), {"stranded": 4, "held.scheduler": 6, "idle": 10})
    equal("CPUs of a job on two nodes are half on each: 8 of 16, 9 are wanted",
          free(ran("cpu=16,mem=4G,node=2,gres/gpu=4", "n[1-2]"), waits("cpu=9,mem=4G,node=1,gres/gpu=1"), nodes=("n1", "n2")),
          {"stranded": 10, "idle": 30})
    equal("nodes that hold more than they say are not asked", free(ran("cpu=24,mem=4G,node=1,gres/gpu=2", "n1"), waits(one)),
          {"held.scheduler": 10, "idle": 10})
    equal("two spares of the policy come before the queue",
          free(ran(two, "n1"), waits(two), files=[("policy.yaml", "reserve:\n  - {spares: 1, accelerator: h100}\n")]),
          {"reserve": 10, "held.gang": 10})
    equal("GPUs that are known by count only: blocked",
          free(ran(two, "n1"), waits("cpu=2,mem=4G,node=1,gres/gpu=6", partition="p"), nodes=(),
               files=[("pool.csv", "name,gpus\np,3\n"), ("pool.yaml", POOL)]), {"blocked": 30})


def check_forms():
    """The same shortage of CPUs, as Slurm's other tools tell of the node."""
    rows = [ran("cpu=14,mem=4G,node=1,gres/gpu=2", "n1"), waits("cpu=4,mem=4G,node=1,gres/gpu=1")]
    sinfo = "NODELIST|GRES|STATE|PARTITION|CPUS|MEMORY\nn1|gpu:h100:4|mixed|gpu|16|64000\n"
    slurm = json.dumps({"meta": {"Slurm": {"release": "24.05.1"}}, "errors": [], "nodes": [
        {"name": "n1", "gres": "gpu:h100:4", "state": ["MIXED"], "partitions": ["gpu"], "cpus": 16, "effective_cpus": 16, "real_memory": 64000}]})
    want = {"stranded": 10, "idle": 10}
    equal("sinfo", free(*rows, nodes=(), files=[("sinfo.txt", sinfo)]), want)
    equal("slurmrestd", free(*rows, nodes=(), files=[("nodes.json", slurm)]), want)
    equal("CPUs kept for the system are not for jobs: 14 of 15",
          free(ran("cpu=14,mem=4G,node=1,gres/gpu=2", "n1"), waits("cpu=2,mem=4G,node=1,gres/gpu=1"), nodes=(),
               files=[("more.txt", "NodeName=n1 CPUEfctv=15 " + (NODE % "n1").split(" ", 1)[1])]), want)


def check_measures():
    one = "cpu=1,mem=1G,node=1,gres/gpu=1"
    doc = document([ran(one, "n1", alloc="cpu=16,mem=62G,node=1,gres/gpu=4"), row(one, "n2", 1, 3, 10, "COMPLETED"),
                    row(one, "n2", 1, 5, 10, "FAILED", account="b"), waits("cpu=8,mem=8G,node=1,gres/gpu=4", account="b")],
                   nodes=("n1", "n2"))
    measures = doc["measures"]
    equal("three GPUs more than asked for, for ten hours", measures["over_allocated_gpu_hours"]["value"], 30)
    equal("all jobs say what they asked for", measures["over_allocated_gpu_hours"]["coverage"], 1)
    sizes = {w["gpus"]: w for w in doc["queue_times"]["by_size"]}
    teams = {w["team"]: w for w in doc["queue_times"]["by_team"]}
    equal("sizes go by what was held", {k: (w["jobs"], w["still_waiting"], w["max"]) for k, w in sizes.items()},
          {"1": (3, 0, 4 * 3600), "2-4": (1, 1, 0)})
    equal("teams", {k: (w["jobs"], w["still_waiting"], w["p50"]) for k, w in teams.items()},
          {"a": (2, 0, 3600), "b": (1, 1, 4 * 3600), "keep": (1, 0, 0)})
    # Tasks: 1 of keep, 4 of n1's job (it held 4, one by one, 4 CPUs each), 2 of n2's jobs, and the waiting 4 on one node: 8 in all.
    # Only n2 has free GPUs: 4 until 03:00, 3 until 05:00, 2 after: 12 + 6 + 10 = 28 GPU-hours, for each of 8 tasks.
    # na: keep's partition, 1 x 28. The waiting task fits until 03:00, 12, then GPUs lack, 16. The 6 others always fit, 6 x 28.
    got = doc["fragmentation"]
    hours = {k: round(v / 3600, 3) for k, v in got["classes"].items()}
    equal("fragmentation by hand", (got["tasks"], got["free_gpu_seconds"] / 3600, hours),
          (8, 28, {"q1": 0, "q2": 16 / 8, "q3": (12 + 6 * 28) / 8, "q4": 0, "na": 28 / 8}))
    equal("its share is all but q3", round(measures["fragmentation_share"]["value"], 6), round((28 + 16) / (28 * 8), 6))


OPENB = """map: nodes in their places
recognise: {header: [sn, cpu_milli, memory_mib, gpu, model]}
nodes: {id: sn, model: model, gpus: gpu, cpu_milli: cpu_milli}
""", """map: tasks
recognise: {header: [name, num_gpu, gpu_milli, pod_phase, creation_time, scheduled_time]}
time: {since: 2023-01-01T00:00:00Z, unit: s, arbitrary: true}
jobs: {id: name, submit: creation_time, gpus: num_gpu, nodes: {constant: 1}, share: {column: gpu_milli, unit: milli}, cpu_milli: cpu_milli,
       models: {column: gpu_spec, split: "|"}}
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_hand(nodes, pods):
    """What FGD's classes are of the empty fleet, computed from the two lists with the oracle's rule."""
    tasks, kinds, sums = {}, {}, {}
    for p in pods:
        key = int(p["num_gpu"]), int(p["gpu_milli"]), int(p["cpu_milli"]), p["gpu_spec"]
        tasks[key] = tasks.get(key, 0) + bool(key[0])
    for n in nodes:
        key = int(n["gpu"]), int(n["cpu_milli"]), n["model"]
        kinds[key] = kinds.get(key, 0) + bool(key[0])
    for (gpus, cpus, model), count in kinds.items():
        for (each, milli, wants, spec), weight in tasks.items():
            accepts = not spec or model in spec.split("|")
            for name, v in classify([1000] * gpus, cpus >= wants, accepts, each, milli).items():
                sums[name] = sums.get(name, 0) + count * weight * v
    weight = sum(tasks.values())
    return weight, {k: v / weight / 1000 / sum(g * c for (g, _, _), c in kinds.items()) for k, v in sums.items()}


def check_openb(pods):
    """The trace that FGD was measured with, as far as its lists go: 1,523 nodes with 6,212 GPUs, all free."""
    files = [os.path.join(DATA, "k8s-openb-alibaba-2023", name) for name in (pods, "openb_node_list_all_node.csv")]
    if not all(os.path.exists(f) for f in files):
        skip("openb " + pods)
        return
    with tempfile.TemporaryDirectory() as top:
        maps = []
        for i, text in enumerate(OPENB):
            maps += ["--map", os.path.join(top, "%d.yaml" % i)]
            with open(maps[-1], "w", encoding="ascii") as f:
                f.write(text)
        run = subprocess.run([TARE, "report", *files, *maps, "--until", "2023-06-01", "--format", "json"], stdout=subprocess.PIPE, check=True)
    doc = json.loads(run.stdout)
    equal(pods + ": the fleet", (doc["counts"]["nodes"], doc["counts"]["gpu_nodes"], doc["counts"]["gpus"], doc["counts"]["jobs"]),
          (1523, 1213, 6212, 8152))
    got = doc["fragmentation"]
    tasks, want = by_hand(read(files[1]), read(files[0]))
    equal(pods + ": tasks", got["tasks"], tasks)
    for name, share in sorted(want.items()):
        equal("%s: %s" % (pods, name), round(got["classes"][name] / got["free_gpu_seconds"], 9), round(share, 9))


def main():
    check_openb("openb_pod_list_default.csv")
    check_openb("openb_pod_list_gpuspec33.csv")
    check_accounts()
    check_forms()
    check_measures()
    sys.exit(end())


main()
