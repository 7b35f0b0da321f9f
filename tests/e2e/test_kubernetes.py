# SPDX-License-Identifier: Apache-2.0
"""What kubectl prints as inputs: pods, nodes, events and resource claims, alone and together, beside readings."""
import json
import os
import re
import subprocess
import sys
import tempfile

from kube import claim, condition, container, event, listed, node, owner, pod, time
from tap import TARE, check, end, equal, skip

FULL = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/2 nodes are available: 2 No preemption victims found."
SPLIT = {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.product": "NVIDIA-L4-SHARED", "nvidia.com/gpu.count": "2"}


def run(command, *texts, args=()):
    with tempfile.TemporaryDirectory() as top:
        names = []
        for i, text in enumerate(texts):
            names.append(os.path.join(top, "%d.json" % i))
            with open(names[-1], "w", encoding="utf-8") as f:
                f.write(text)
        return subprocess.run([TARE, command, *names, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def report(*texts, args=()):
    got = run("report", *texts, args=["--format", "json", *args])
    if got.returncode:
        sys.exit(got.stderr.decode())
    return json.loads(got.stdout)


def gpus(doc, account):
    """At the instant, which is one second long: GPUs."""
    return doc["accounts"][account]["gpu_seconds"]


def layer(doc, name):
    return next(x["low"] for x in doc["layers"] if x["layer"] == name)


def finished_pods_hold_nothing():
    """Case 24, as one list and as two inputs."""
    pods = [pod("run-1", 8, node="n1", bound=40), pod("run-2", 8, node="n2", bound=40)]
    pods += [pod("done-%d" % i, 8, phase="Succeeded", node="n1", bound=1 + 10 * i, end=9 + 10 * i) for i in range(3)]
    pods += [pod("bad", 8, phase="Failed", node="n2", bound=1, end=9, exit_code=1), pod("waits", 8, waits=FULL, created=30)]
    nodes = [node("n1"), node("n2")]
    for name, texts in (("one list", [listed(*pods, *nodes)]), ("pods and nodes apart", [listed(*pods), listed(*nodes)])):
        doc = report(*texts)
        equal(name + ": 16 GPUs are paid", doc["paid"]["gpu_seconds"], 16)
        equal(name + ": finished pods hold none of them, the waiting one none", layer(doc, "allocated"), 16)
    doc = report(listed(*pods, *nodes), args=["--since", time(0)])
    equal("since noon: the hour of 16 GPUs", doc["paid"]["gpu_seconds"], 16 * 3601)
    equal("what was allocated then counts", layer(doc, "allocated"), 60 * 8 * (20 + 8 * 3 + 20 + 8) + 16)
    equal("and what nobody is known to have held is unknown", gpus(doc, "unknown") + gpus(doc, "free.idle"),
          16 * 3600 - 60 * 8 * (20 + 8 * 3 + 20 + 8))
    equal("two attempts ended well for one that failed", doc["successful"]["gpu_seconds"], 60 * 8 * 8 * 3)


def free_time_is_told_apart():
    nodes = [node("n1"), node("n2"), node("n3", healthy=6), node("n4", spec={"unschedulable": True}), node("n5", ready=False, since=30)]
    held = [pod("a", 5, node="n1"), pod("b", 5, node="n2"), pod("c", 8, node="n4", phase="Succeeded", end=20)]
    doc = report(listed(*nodes, *held))
    equal("five nodes are paid", doc["paid"]["gpu_seconds"], 40)
    equal("two devices are unhealthy, a node does not answer", gpus(doc, "down.failed"), 2 + 8)
    equal("a cordoned node's idle GPUs are planned", gpus(doc, "down.planned"), 8)
    equal("the rest is idle", gpus(doc, "free.idle"), 3 + 3 + 6)
    doc = report(listed(*nodes, *held, pod("big", 8, waits=FULL)))
    equal("a pod that no node has room for strands them", (gpus(doc, "free.stranded"), gpus(doc, "free.idle")), (8, 4))
    doc = report(listed(*nodes, *held, pod("late", 4, waits="SchedulingGated")))
    equal("a gated one is held by policy", gpus(doc, "free.held.policy"), 4)
    doc = report(listed(*nodes, *held, pod("late", 4, waits="0/5 nodes are available: 5 node(s) had untolerated taint {team: x}.")))
    equal("so is one before a taint", gpus(doc, "free.held.policy"), 4)
    doc = report(listed(*nodes, *held, pod("late", 4, waits="0/5 nodes are available: 5 Insufficient cpu.")))
    equal("one that fits waits for the scheduler", gpus(doc, "free.held.scheduler"), 4)
    side = [pod("cpu-%d" % i, 0, node="n%d" % i, containers=[container("a", cpu="90")]) for i in (1, 2, 3)]
    hungry = pod("late", 2, waits="0/5 nodes are available: 5 Insufficient cpu.", containers=[container("a", 2, cpu="16")])
    doc = report(listed(*nodes, *held, *side, hungry))
    equal("GPUs whose CPUs other pods took are stranded", gpus(doc, "free.stranded"), 2)
    doc = report(listed(*nodes, *held, *side[:2], hungry))
    equal("and not where a node has CPUs left", (gpus(doc, "free.stranded"), gpus(doc, "free.held.scheduler")), (0, 2))
    doc = report(listed(*nodes, *held, pod("late", 4, waits=FULL, spec={"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}})))
    equal("a pod for another kind claims nothing here", gpus(doc, "free.idle"), 12)
    equal("it is unmet demand", doc["unmet"], {"NVIDIA A100-SXM4-80GB": {"gpu_seconds": 4}})


def parts():
    doc = report(listed(pod("m", containers=[container("a", 1, "nvidia.com/mig-3g.40gb"), container("b", 1, "nvidia.com/mig-1g.10gb")]),
                        node("n1", capacity={"nvidia.com/gpu": "1", "nvidia.com/mig-1g.10gb": "7", "nvidia.com/mig-3g.40gb": "2"},
                             labels={"nvidia.com/gpu.count": "3", "nvidia.com/mig.strategy": "mixed"})))
    equal("MIG mixed: GPUs are whole ones", doc["paid"]["gpu_seconds"], 3)
    check(abs(layer(doc, "allocated") - 4 / 7) < 1e-3, "pods hold slices", layer(doc, "allocated"))
    doc = report(listed(pod("m", 7), node("n1", 14, labels={"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "nvidia.com/gpu.count": "14"})))
    equal("MIG single: two GPUs, one held", (doc["paid"]["gpu_seconds"], layer(doc, "allocated")), (2, 1))
    pods, nodes = listed(pod("t", 2), pod("u", 1, waits=FULL)), listed(node("n1", 8, labels=SPLIT))
    doc = report(pods, nodes)
    equal("time-slicing, from two inputs: two GPUs, half of one held", (doc["paid"]["gpu_seconds"], layer(doc, "allocated")), (2, 0.5))
    equal("a waiting pod wants a replica", gpus(doc, "free.held.scheduler"), 0.25)
    doc = report(listed(pod("t", containers=[container("a", 1, "nvidia.com/gpu.shared")])))
    equal("a replica of a node that is not listed holds what nobody knows", layer(doc, "allocated"), 0)
    doc = report(listed(pod("x", containers=[container("a", 3, "amd.com/gpu")]), node("n1", 8, resource="amd.com/gpu",
                                                                                     labels={"nvidia.com/gpu.product": None, "nvidia.com/gpu.count": None,
                                                                                             "amd.com/gpu.product-name": "AMD_Instinct_MI300X_OAM"})),
                 args=["--by", "model"])
    equal("AMD's", [(g["key"]["model"], g["paid"]["gpu_seconds"]) for g in doc["groups"]], [("AMD Instinct MI300X", 8)])


def jobs_of(*objects):
    doc = json.loads(run("export", listed(*objects)).stdout)
    return {j["id"]: j for j in doc.get("jobs", [])}


def workloads():
    jobs = jobs_of(
        pod("web-5d4f8c7b9-x", owners=owner("ReplicaSet", "web-5d4f8c7b9"), labels={"pod-template-hash": "5d4f8c7b9"}),
        pod("db-0", owners=owner("StatefulSet", "db")), pod("nb-0", owners=owner("StatefulSet", "nb"), labels={"notebook-name": "nb"}),
        pod("fit-w-0", owners=owner("PyTorchJob", "fit", "uid-fit"), labels={"training.kubeflow.org/replica-index": "0", "kueue.x-k8s.io/queue-name": "research"}),
        pod("job-a", owners=owner("Job", "job", "uid-job")), pod("sh", spec={"containers": [dict(container(gpus=1), stdin=True, tty=True)]}),
        pod("hub", labels={"component": "singleuser-server", "hub.jupyter.org/username": "ann"}), pod("nothing", 0))
    equal("pods without GPUs are no jobs", sorted(jobs), sorted("team-a/" + n for n in (
        "web-5d4f8c7b9-x", "db-0", "nb-0", "fit-w-0", "job-a", "sh", "hub")))
    equal("a Deployment by its pod's hash", (jobs["team-a/web-5d4f8c7b9-x"]["name"], jobs["team-a/web-5d4f8c7b9-x"]["kind"]), ("web", "service"))
    equal("a notebook behind a StatefulSet", [jobs["team-a/" + n]["kind"] for n in ("db-0", "nb-0", "sh", "hub")],
          ["service", "interactive", "interactive", "interactive"])
    equal("a batch's key is its owner", (jobs["team-a/job-a"]["run"], jobs["team-a/fit-w-0"]["run"]), ("uid-job", "uid-fit/0"))
    equal("queue and user where labels tell them", (jobs["team-a/fit-w-0"]["queue"], jobs["team-a/hub"]["user"]), ("research", "ann"))


def events_and_claims():
    jobs = jobs_of(pod("p", 4, phase="Failed", end=50, exit_code=143), event("Pod", "p", "Preempted", 50),
                   pod("w", 1, waits=FULL, status={"conditions": []}), event("Pod", "w", "FailedScheduling", 3, FULL),
                   pod("d", 0, spec={"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}]},
                       status={"resourceClaimStatuses": [{"name": "g", "resourceClaimName": "d-g"}]}), claim("d-g", 2, ["d"]),
                   pod("e", 0, spec={"resourceClaims": [{"name": "n", "resourceClaimName": "nic"}]}), claim("nic", 1, ["e"], driver="dra.net"))
    equal("an event says preempted", jobs["team-a/p"]["outcome"], "preempted")
    equal("an event says why it waits", jobs["team-a/w"]["reason"], "Insufficient nvidia.com/gpu")
    equal("a claim's devices are the pod's", jobs["team-a/d"]["gpus"], 2)
    check("team-a/e" not in jobs, "claims of other devices are none")
    doc = report(listed(node("n1"), event("Node", "n1", "NodeNotReady", 10), event("Node", "n1", "NodeReady", 30), pod("x", 1)),
                 args=["--since", time(0)])
    equal("a node was not ready for twenty minutes", gpus(doc, "down.failed"), 8 * 20 * 60 - 60 * 20)


def forms():
    objects = [pod("a", 2), pod("b", 3, node="n2"), node("n1"), node("n2")]
    lines = "".join(json.dumps(o) + "\n" for o in objects)
    want = layer(report(listed(*objects)), "allocated"), 16
    for name, text in (("JSON lines", lines), ("pretty objects in a row", "\n".join(json.dumps(o, indent=4) for o in objects)),
                       ("a top list", json.dumps(objects)), ("no blanks", listed(*objects, indent=None)), ("two lists", listed(*objects[:2]) + listed(*objects[2:])),
                       ("watch events", "".join(json.dumps({"type": "ADDED", "object": o}) + "\n" for o in objects))):
        doc = report(text)
        equal(name, (layer(doc, "allocated"), doc["paid"]["gpu_seconds"]), want)
        equal(name + ": each object is a record", doc["inputs"][0]["records"], 4)
    later = [dict(o) for o in objects[:2]]
    later[1] = pod("b", 3, phase="Succeeded", node="n2", end=70)
    doc = report(listed(*objects), listed(*later, node("n1", heartbeat=70), node("n2", heartbeat=70)))
    equal("two lists of the same pods: each is one", layer(doc, "allocated"), 2 * 601 + 3 * 600)
    cut = run("report", listed(*objects)[:-900])
    equal("a list that is cut off is read up to there", cut.returncode, 4)


def readings_name_devices():
    """The pod that dcgm-exporter names and the pod in the list are one; its device is the one that is named."""
    scrape = ""
    for minute in range(0, 61):
        at = 1796040000 + 60 * minute
        for i in range(2):
            labels = 'gpu="%d",UUID="GPU-%d",Hostname="n1",modelName="NVIDIA H100 80GB HBM3"' % (i, i)
            labels += ',namespace="team-a",pod="train",container="main"' if i else ""
            scrape += "DCGM_FI_DEV_GPU_UTIL{%s} %d %d000\n" % (labels, 90 * i, at)
    objects = listed(pod("train", 1, bound=0, owners=owner("Job", "train")), node("n1", 2))
    doc = json.loads(run("export", objects, scrape).stdout)
    equal("one job", [j["id"] for j in doc["jobs"]], ["team-a/train"])
    equal("on the device that the exporter names", [a.get("device") for a in doc["allocations"]], ["GPU-1"])
    doc = report(objects, scrape)
    equal("the node's GPUs are paid once", doc["paid"]["gpu_seconds"], 2 * 3661)
    equal("and it worked", gpus(doc, "active.pending"), 3600)


def attempts():
    doc = report(listed(pod("c", 1, restarts=2, bound=0, last={"exitCode": 137, "reason": "OOMKilled", "startedAt": time(20), "finishedAt": time(40)},
                            owners=owner("Job", "c", "uid-c")), node("n1", 1)), args=["--since", time(0), "--by", "outcome"])
    equal("each attempt ended by itself", {g["key"]["outcome"]: g["paid"]["gpu_seconds"] for g in doc["groups"] if g["key"]["outcome"]},
          {"ended": 1200, "oom": 1200, "running": 1201})
    got = run("report", listed(pod("e", 1, phase="Failed", status={"reason": "Evicted", "message": "The node was low on resource: memory.",
                                                                   "conditions": [condition("PodScheduled", True, 1), condition("Ready", False, 30)]})))
    equal("an evicted pod without containers is read", got.returncode, 0)


def several_lists():
    """Every hour a list: what is in one and not in the next has ended, what restarts holds its GPU once."""
    last = {"exitCode": 1, "reason": "Error", "startedAt": time(70), "finishedAt": time(100)}
    first = listed(pod("stays", 1), pod("gone", 2), pod("loops", 1, owners=owner("Job", "l")), pod("sys", 0, namespace="kube-system"), node("n1", 8))
    second = listed(pod("stays", 1), pod("loops", 1, owners=owner("Job", "l"), restarts=3, last=last), pod("sys", 0, namespace="kube-system"),
                    node("n1", 8, heartbeat=120))
    doc = report(first, second, args=["--since", time(0)])
    equal("two hours of one node", doc["paid"]["gpu_seconds"], 8 * 7201)
    equal("each pod held its GPUs once, the one that is gone until it was last seen", layer(doc, "allocated"), 7141 * 2 + 2 * 3541)
    equal("at two instants it is known what was free", gpus(doc, "free.idle"), 4 + 6)
    equal("and between them not", gpus(doc, "unknown"), 8 * 7201 - (7141 * 2 + 2 * 3541) - 10)


def large_lists_take_little_memory():
    text = json.dumps(pod("name", 1, annotations={"long": "x" * 10000}), indent=4).replace("\n", "\n        ")
    with tempfile.TemporaryDirectory() as top:
        path = os.path.join(top, "pods.json")
        with open(path, "w", encoding="ascii") as f:
            f.write('{\n    "apiVersion": "v1",\n    "items": [\n')
            for i in range(4000):
                f.write((",\n        " if i else "        ") + text.replace('"name": "name"', '"name": "p-%d"' % i))
            f.write('\n    ],\n    "kind": "List"\n}\n')
        got = subprocess.run(["/usr/bin/time", "-f", "%M", TARE, "report", path, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             check=False) if os.path.exists("/usr/bin/time") else None
        if not got:
            skip("a list of 50 MB", "no /usr/bin/time")
            return
        doc = json.loads(got.stdout)
        equal("a list of %d MB is read" % (os.path.getsize(path) >> 20), (layer(doc, "allocated"), doc["inputs"][0]["records"]), (4000, 4000))
        kib = int(got.stderr.split()[-1])
        with open(TARE, "rb") as f:
            is_plain = not re.search(rb"__[at]san_init", f.read())
        check(kib < 24 << 10 or not is_plain, "in less than 24 MiB", "%d KiB" % kib)


def main():
    finished_pods_hold_nothing()
    free_time_is_told_apart()
    parts()
    workloads()
    events_and_claims()
    forms()
    readings_name_devices()
    attempts()
    several_lists()
    large_lists_take_little_memory()
    sys.exit(end())


main()
