# SPDX-License-Identifier: Apache-2.0
"""Objects of Kubernetes for tests, in the shape in which kubectl prints them. Times are minutes since START."""
import datetime
import json

START = datetime.datetime(2026, 11, 30, 12, 0, 0)


def time(minutes):
    return (START + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def condition(kind, is_true, minutes, **more):
    return dict({"lastProbeTime": None, "lastTransitionTime": time(minutes), "status": "True" if is_true else "False", "type": kind}, **more)


def container(name="main", gpus=0, resource="nvidia.com/gpu", cpu="4", **more):
    resources = {"limits": {resource: str(gpus)}, "requests": {resource: str(gpus), "cpu": cpu}} if gpus else {"requests": {"cpu": cpu}}
    return dict({"image": "registry.example/train:1", "name": name, "resources": resources}, **more)


def owner(kind, name, uid=None, api="batch/v1"):
    return {"apiVersion": api, "blockOwnerDeletion": True, "controller": True, "kind": kind, "name": name, "uid": uid or "owner-" + name}


def pod(name, gpus=1, phase="Running", node="n1", created=0, bound=1, end=None, namespace="team-a", containers=None, owners=None,
        labels=None, annotations=None, spec=None, status=None, meta=None, exit_code=0, reason=None, waits=None, restarts=0, last=None):
    """WAITS: the scheduler's message. END: when its container ended. LAST: lastState.terminated of its container."""
    metadata = {"creationTimestamp": time(created), "labels": labels or {}, "name": name, "namespace": namespace, "uid": "uid-%s-%s" % (name, created)}
    metadata.update({"ownerReferences": [owners]} if owners else {}, **(meta or {}))
    if annotations:
        metadata["annotations"] = annotations
    body = {"containers": containers or [container(gpus=gpus)], "restartPolicy": "Never", "schedulerName": "default-scheduler"}
    state = {"phase": phase, "qosClass": "Guaranteed"}
    if waits:
        phase = state["phase"] = "Pending"
        gated = waits == "SchedulingGated"
        state["conditions"] = [condition("PodScheduled", False, created, reason=waits if gated else "Unschedulable",
                                         message="Scheduling is blocked due to non-empty scheduling gates" if gated else waits)]
    else:
        body["nodeName"] = node
        state["conditions"] = [condition("PodScheduled", True, bound)]
        state["startTime"] = time(bound)
        inside = {"running": {"startedAt": time(bound)}}
        if end is not None:
            inside = {"terminated": {"exitCode": exit_code, "finishedAt": time(end), "startedAt": time(bound),
                                     "reason": reason or ("Error" if exit_code else "Completed")}}
        state["containerStatuses"] = [{"name": c["name"], "ready": end is None, "restartCount": restarts, "state": inside,
                                       "lastState": {"terminated": last} if last else {}} for c in body["containers"]]
    body.update(spec or {})
    state.update(status or {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": body, "status": state}


def node(name, gpus=8, healthy=None, resource="nvidia.com/gpu", labels=None, created=-1000, ready=True, since=-990, spec=None, heartbeat=60,
         capacity=None, meta=None):
    healthy = gpus if healthy is None else healthy
    words = {"kubernetes.io/hostname": name, "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count": str(gpus)}
    words.update(labels or {})
    have = {"cpu": "96", "memory": "1056270412Ki", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": dict({"creationTimestamp": time(created), "labels": {k: v for k, v in words.items() if v is not None}, "name": name,
                              "uid": "uid-" + name}, **(meta or {})),
            "spec": spec or {},
            "status": {"allocatable": dict(have, **(capacity or {resource: str(healthy)})), "capacity": dict(have, **(capacity or {resource: str(gpus)})),
                       "conditions": [condition("MemoryPressure", False, created),
                                      condition("Ready", ready, since, lastHeartbeatTime=time(heartbeat))],
                       "nodeInfo": {"architecture": "amd64", "kubeletVersion": "v1.32.4"}}}


def event(kind, name, reason, minutes, message="", namespace="team-a"):
    about = {"apiVersion": "v1", "kind": kind, "name": name}
    if kind != "Node":
        about["namespace"] = namespace
    return {"apiVersion": "v1", "count": 1, "eventTime": None, "firstTimestamp": time(minutes), "involvedObject": about, "kind": "Event",
            "lastTimestamp": time(minutes), "message": message, "metadata": {"creationTimestamp": time(minutes), "name": name + ".17a", "namespace": namespace},
            "reason": reason, "type": "Warning"}


def claim(name, devices, pods=(), node="n1", driver="gpu.nvidia.com", namespace="team-a"):
    results = [{"device": "gpu-%d" % i, "driver": driver, "pool": node, "request": "gpus"} for i in range(devices)]
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"creationTimestamp": time(0), "name": name, "namespace": namespace},
            "spec": {"devices": {"requests": [{"name": "gpus", "exactly": {"count": devices, "deviceClassName": driver}}]}},
            "status": {"allocation": {"devices": {"results": results}} if pods else None,
                       "reservedFor": [{"name": p, "resource": "pods", "uid": "uid-" + p} for p in pods]}}


def listed(*objects, **how):
    """kubectl's List, with four blanks an indent as kubectl prints it."""
    return json.dumps({"apiVersion": "v1", "items": list(objects), "kind": "List", "metadata": {"resourceVersion": ""}}, indent=how.get("indent", 4)) + "\n"
