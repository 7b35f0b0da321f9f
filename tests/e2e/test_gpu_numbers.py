# SPDX-License-Identifier: Apache-2.0
"""Two jobs on a node of four GPUs: Slurm names GPUs by number, readings by uuid and index or minor number. Each job's states are
its own, and nothing is estimated of which GPU is whose. TAP."""
import datetime
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
BEGIN = datetime.datetime(2026, 11, 30, 12, 0, 0)
NODES = "NodeName=n1 CPUAlloc=8 CPUTot=64 Gres=gpu:a100:4(S:0-1)\n   State=MIXED Partitions=gpu\n   CfgTRES=cpu=64,gres/gpu=4\n"
# by Slurm's number: job 1 holds 0 and 1, of which 1 never begins (setup, for its 10 min); job 2 holds 2; 3 is free
UTIL = [90, 0, 50, 0]
JOBS = [("1", "alice", 2, "0-1"), ("2", "bob", 1, "2")]
JOB = """JobId=%s JobName=train it
   UserId=%s(1000) GroupId=ml(1000) MCS_label=N/A
   Priority=10 Nice=0 Account=ml QOS=normal
   JobState=COMPLETED Reason=None Dependency=(null)
   Restarts=0 BatchFlag=1 ExitCode=0:0
   SubmitTime=2026-11-30T11:00:00 EligibleTime=2026-11-30T11:00:00
   StartTime=2026-11-30T12:00:00 EndTime=2026-11-30T12:10:00 Deadline=N/A
   Partition=gpu AllocNode:Sid=login:1
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=n1
   NumNodes=1 NumCPUs=8 NumTasks=1 CPUs/Task=8
   ReqTRES=cpu=8,node=1,gres/gpu=%d
   AllocTRES=cpu=8,node=1,gres/gpu=%d
   JOB_GRES=gpu:a100:%d
     Nodes=n1 CPU_IDs=0-7 Mem=65536 GRES=gpu:a100:%d(IDX:%s)
"""
GPU = """<gpu id="0"><product_name>NVIDIA A100-SXM4-80GB</product_name><uuid>GPU-%s</uuid><minor_number>%d</minor_number>
<utilization><gpu_util>%d %%</gpu_util></utilization><processes><process_info><pid>%d</pid></process_info></processes></gpu>
"""


def times():
    return [BEGIN + datetime.timedelta(seconds=s) for s in range(0, 601, 5)]


def csv(host):
    text = "timestamp, uuid, index, name, utilization.gpu [%], memory.used [MiB], memory.reserved [MiB]" + (", hostname" if host else "") + "\n"
    for t in times():
        for i, util in enumerate(UTIL):
            text += "%s, GPU-%s, %d, NVIDIA A100-SXM4-80GB, %d %%, 9000 MiB, 500 MiB%s\n" % (
                t.strftime("%Y/%m/%d %H:%M:%S.000"), "dbca"[i], i, util, ", " + host if host else "")
    return text


def xml():
    """The order of PCI addresses is the other way round than that of the device files."""
    text = ""
    for t in times():
        gpus = "".join(GPU % ("abcd"[i], 3 - i, UTIL[3 - i], 100 + i) for i in range(4))
        text += "<nvidia_smi_log><timestamp>%s</timestamp>\n%s</nvidia_smi_log>\n" % (t.strftime("%a %b %d %H:%M:%S %Y"), gpus)
    return text


def scrapes():
    """dcgm-exporter: the number of the device file counts, not its index."""
    text = ""
    for t in times():
        text += t.strftime("# %Y-%m-%dT%H:%M:%SZ\n")
        for i in range(4):
            text += 'DCGM_FI_DEV_GPU_UTIL{gpu="%d",UUID="GPU-%s",device="nvidia%d",modelName="NVIDIA A100-SXM4-80GB",Hostname="n1"} %d\n' % (
                i, "abcd"[i], 3 - i, UTIL[3 - i])
    return text


def scontrol(one_line):
    blocks = [JOB % (j, u, n, n, n, n, idx) for j, u, n, idx in JOBS]
    return "\n".join(" ".join(b.split()) if one_line else b for b in blocks)


def squeue():
    """The same as JSON of the controller."""
    at = lambda h, m: {"set": True, "infinite": False, "number": int(datetime.datetime(2026, 11, 30, h, m, tzinfo=datetime.timezone.utc).timestamp())}
    return json.dumps({"jobs": [{
        "job_id": int(j), "name": "train", "user_name": u, "account": "ml", "partition": "gpu", "job_state": ["COMPLETED"], "nodes": "n1",
        "node_count": {"set": True, "infinite": False, "number": 1}, "submit_time": at(11, 0), "eligible_time": at(11, 0), "start_time": at(12, 0),
        "end_time": at(12, 10), "tres_alloc_str": "cpu=8,node=1,gres/gpu=%d" % n, "tres_req_str": "cpu=8,node=1,gres/gpu=%d" % n,
        "gres_detail": ["gpu:a100:%d(IDX:%s)" % (n, idx)]} for j, u, n, idx in JOBS], "last_update": at(12, 10)})


def sacct():
    text = "JobID|User|Account|Partition|State|Submit|Eligible|Start|End|AllocTRES|ReqTRES|NodeList|NNodes\n"
    for j, u, n, _ in JOBS:
        text += "%s|%s|ml|gpu|COMPLETED|2026-11-30T11:00:00|2026-11-30T11:00:00|2026-11-30T12:00:00|2026-11-30T12:10:00|cpu=8,gres/gpu=%d|cpu=8,gres/gpu=%d|n1|1\n" % (j, u, n, n)
    return text


def run(folder, files, *more):
    paths = []
    for name, text in files:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        paths.append(os.path.join(folder, name))
    paths[0] += "".join(more)
    done = subprocess.run([TARE, "report", "--format", "json", "--by", "job", *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done


def check(done):
    found = []
    if done.returncode:
        return [done.stderr.decode()]
    doc = json.loads(done.stdout)
    accounts = {k: a["gpu_seconds"] for k, a in doc["accounts"].items() if a["gpu_seconds"]}
    want = {"active.productive": 1200, "setup": 600, "free.idle": 600}
    if accounts != want:
        found.append("accounts %s" % accounts)
    if doc["evidence"]["estimated"]:
        found.append("estimated %s" % doc["evidence"]["estimated"])
    if doc["paid"]["gpu_seconds"] != 2400:
        found.append("paid %s" % doc["paid"]["gpu_seconds"])
    by = {g["key"].get("job"): {k: a["gpu_seconds"] for k, a in g["accounts"].items() if a["gpu_seconds"]} for g in doc["groups"]}
    if by.get("1") != {"active.productive": 600, "setup": 600} or by.get("2") != {"active.productive": 600}:
        found.append("groups %s" % by)
    return found


def main():
    cases = [
        ("scontrol show job -d, CSV with hosts", [("gpus.csv", csv("n1")), ("jobs.txt", scontrol(False)), ("nodes.txt", NODES)], ""),
        ("one line a job, CSV of the only node", [("gpus.csv", csv("")), ("jobs.txt", scontrol(True)), ("nodes.txt", NODES)], ""),
        ("JSON, CSV whose node is said", [("gpus.csv", csv("")), ("jobs.json", squeue()), ("nodes.txt", NODES)], "@node=n1"),
        ("XML by minor numbers, the only node", [("gpus.xml", xml()), ("jobs.txt", scontrol(False)), ("nodes.txt", NODES)], ""),
        ("sacct too, which names no GPU", [("gpus.xml", xml()), ("sacct.txt", sacct()), ("jobs.txt", scontrol(False)), ("nodes.txt", NODES)], "@node=n1"),
        ("dcgm-exporter by device files", [("scrapes.prom", scrapes()), ("jobs.txt", scontrol(False)), ("nodes.txt", NODES)], ""),
        ("sacct first", [("gpus.csv", csv("n1")), ("jobs.json", squeue()), ("sacct.txt", sacct()), ("nodes.txt", NODES)], ""),
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, files, more) in enumerate(cases, 1):
            found = check(run(folder, files, more))
            failed += bool(found)
            print("%s %d - %s" % ("not ok" if found else "ok", i, name))
            for text in found:
                print("# " + text)
    print("1..%d" % len(cases))
    return failed > 0


sys.exit(main())
