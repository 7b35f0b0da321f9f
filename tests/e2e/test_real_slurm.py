# SPDX-License-Identifier: Apache-2.0
"""A real Slurm runs a dozen short jobs; tare reads what its commands print, in every form, and finds the same in all of them.

Skipped where Slurm, MariaDB and munge are not installed (tools/packages-check lists the packages) or the user is not root.
TARE_SLURM_KEEP=FOLDER keeps what the commands printed.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import time

from tap import ROOT, TARE, check, end

sys.path.insert(0, os.path.join(ROOT, "tests", "e2e", "slurm"))
import cluster  # noqa: E402

SINCE = ["-S", "2000-01-01"]
# name: rows as (outcome, GPUs), oldest first
WANT = {
    "done": [("completed", 2)],
    "fail": [("failed", 1)],
    "cancel": [("cancelled", 1)],
    "timeout": [("timeout", 1)],
    "array": [("completed", 1)] * 3,
    "het": [("completed", 2), ("completed", 1)],
    "requeue": [("ended", 1), ("completed", 1)],
    "lost": [("node_failed", 1), ("completed", 1)],
    "cpu": [("completed", 0)],
    "hold": [("running", 3)],
    "pend": [(None, 0)],
}
# the database has a job that was cancelled while it was held; sacct shows no job that was never eligible
WANT_DATABASE = dict(WANT, never=[("cancelled", 0)])
KEYS = ("id", "name", "user", "team", "submit", "eligible", "start", "end", "outcome", "gpus")


def run_jobs(c):
    """Every fate of a job, in the order that takes the least time. Returns ids by name."""
    ids = {}

    def batch(name, script, *options):
        ids[name] = c.batch(script, "--job-name=" + name, "--time=5", *options)

    def wait(name, state):
        c.wait("%s to be %s" % (name, state), lambda: set(c.state(ids[name])) == {state}, 120)

    batch("timeout", "sleep 300", "--gres=gpu:a100:1", "--time=1")
    batch("requeue", "sleep 4", "--gres=gpu:a100:1", "--requeue")
    batch("lost", "sleep 4", "--gres=gpu:v100:1", "--requeue")
    wait("requeue", "RUNNING")
    wait("lost", "RUNNING")
    time.sleep(2)  # so that the two attempts differ by more than the clock's step
    c.run("scontrol", "requeue", ids["requeue"])
    c.run("scontrol", "update", "nodename=n2", "state=down", "reason=test")
    batch("done", "sleep 2", "--gres=gpu:a100:2", "--account=blue")
    batch("fail", "sleep 1; exit 3", "--gres=gpu:a100:1")
    batch("cpu", "sleep 1")
    batch("array", "sleep 1", "--gres=gpu:1", "--array=0-2")
    batch("never", "sleep 1", "--gres=gpu:a100:1", "--hold")
    c.run("scancel", ids["never"])
    c.run("scontrol", "update", "nodename=n2", "state=resume", check=False)  # it may be back by itself
    batch("cancel", "sleep 300", "--gres=gpu:1")
    wait("cancel", "RUNNING")
    time.sleep(1)
    c.run("scancel", ids["cancel"])
    c.write("work/het.sh", "#!/bin/sh\nsleep 1\n", 0o755)
    ids["het"] = c.run("sbatch", "--parsable", "--output=/dev/null", "--job-name=het", "--time=5", "--gres=gpu:a100:2", ":",
                       "--gres=gpu:v100:1", c.dir + "/work/het.sh").strip()
    for name in ("done", "fail", "cpu", "array", "requeue", "lost", "het"):
        wait(name, "FAILED" if name == "fail" else "COMPLETED")
    batch("hold", "sleep 300", "--gres=gpu:a100:3")
    wait("hold", "RUNNING")
    batch("pend", "sleep 300", "--gres=gpu:a100:2")
    wait("timeout", "TIMEOUT")
    # slurmctld hands rows to slurmdbd in its own time
    c.wait("the rows", lambda: "RUNNING" in c.run("sacct", "-nX", "-o", "State", "-j", ids["hold"]) and
           "PENDING" in c.run("sacct", "-nX", "-o", "State", "-j", ids["pend"]) and
           "TIMEOUT" in c.run("sacct", "-nX", "-o", "State", "-j", ids["timeout"]))
    return ids


def of_guide():
    """The sacct lines of docs/guide/slurm.md, for all of the time."""
    with open(os.path.join(ROOT, "docs", "guide", "slurm.md"), encoding="utf-8") as f:
        blocks = re.findall(r"^```sh\n(.*?)^```$", f.read(), re.M | re.S)
    for line in "".join(blocks).replace("\\\n", " ").split("\n"):
        if line.startswith("sacct "):
            words = shlex.split(line.partition(" > ")[0])
            words[words.index("-S") + 1] = SINCE[1]
            del words[words.index("-E"):words.index("-E") + 2]
            yield words


def captures(c):
    """What a person would hand to tare: name, text."""
    few = "JobID,JobName,User,Account,Submit,Eligible,Start,End,State,AllocTRES,ReqTRES"
    wide = ",".join("%s%%%d" % (w, 60 if w.endswith("TRES") else 24) for w in few.split(","))
    yield "all", c.run("sacct", "-aDP", *SINCE, "--format=ALL")
    yield "few", c.run("sacct", "-aDP", *SINCE, "--format=" + few)
    for n, words in enumerate(of_guide(), 1):
        yield "guide-%d" % n, c.run(*words)
    yield "jobs-only", c.run("sacct", "-aDPX", *SINCE, "--format=" + few)
    yield "parsable", c.run("sacct", "-aDp", *SINCE, "--format=" + few)
    yield "semicolons", c.run("sacct", "-aDP", *SINCE, "--delimiter=;", "--format=" + few)
    yield "table", c.run("sacct", "-aD", *SINCE, "--format=" + wide)
    json_text = c.run("sacct", "-aD", *SINCE, "--json", check=False)
    if json_text.lstrip().startswith("{"):
        yield "json", json_text
    yield "database", c.run("mariadb", "--no-defaults", "-uroot", "--socket=%s/db.socket" % c.dir, "-B", "accounting", "-e",
                            "select * from testing_job_table")


def export(path, *options):
    """The facts document, and what was said on stderr with the exit status."""
    done = subprocess.run([TARE, "export", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace").strip())
    return (json.loads(done.stdout) if done.stdout else {}), said


def rows_of(facts):
    rows = [{k: j.get(k, 0 if k == "gpus" else None) for k in KEYS} for j in facts.get("jobs", [])]
    return sorted(rows, key=lambda r: (r["name"] or "", r["submit"] or 0, r["id"]))


def check_accounting(folder, texts):
    rows = {}
    for name, text in texts.items():
        path = os.path.join(folder, "sacct-" + name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        facts, said = export(path)
        check(said == "exit 0: ", "%s: every record can be read" % name, said)
        rows[name] = rows_of(facts)
        got = {}
        for r in rows[name]:
            got.setdefault(r["name"], []).append((r["outcome"], r["gpus"]))
        for job, want in (WANT_DATABASE if name == "database" else WANT).items():
            check(got.get(job) == want, "%s: %s has its outcome and GPUs" % (name, job),
                  "got %s, want %s" % (got.get(job), want))
    for row in rows["database"]:
        check(row["user"] == "0", "database: users are numbers", row)
        row["user"] = "root"
    rows["database"] = [r for r in rows["database"] if r["name"] != "never"]
    for name in rows:
        if name != "few":
            differ = [(a, b) for a, b in zip(rows["few"], rows[name]) if a != b]
            check(len(rows["few"]) == len(rows[name]) and not differ, "%s gives the same jobs as sacct's few columns" % name,
                  "%d and %d rows" % (len(rows["few"]), len(rows[name])), *differ[:3])


def check_requeue(c, texts, ids):
    """docs/design/002-slurm-requeue.md rests on this."""
    for name in ("requeue", "lost"):
        lines = [line.split("|") for line in texts["few"].splitlines() if line.split("|")[0] == ids[name]]
        check(len(lines) == 2, "%s: two rows of one JobID" % name, *lines)
        (_, _, _, _, submit1, _, _, end1, *_), (_, _, _, _, submit2, *_) = lines
        check(submit1 < submit2, "%s: the later row has a Submit time of its own" % name, submit1, submit2)
        check(submit2 == end1, "%s: and it is the End of the row before" % name, submit2, end1)
    key = c.run("mariadb", "--no-defaults", "-uroot", "--socket=%s/db.socket" % c.dir, "-Br", "accounting", "-e",
                "show create table testing_job_table")
    check("(`id_job`,`time_submit`)" in key, "the database keeps one row for each id and Submit time", key)
    plain = c.run("sacct", "-anPX", *SINCE, "--format=JobID,Submit").split()
    ours = [line for line in plain if line.split("|")[0] == ids["requeue"]]
    check(len(ours) == 1, "without -D sacct shows the last row alone", ours)


def check_nodes(folder, c):
    want = {"n1": 4, "n2": 2}
    for name, text in (("scontrol", c.run("scontrol", "show", "node")),
                       ("scontrol-o", c.run("scontrol", "-o", "show", "node")),
                       ("sinfo", c.run("sinfo", "-N", "-o", "%N|%G|%T|%P|%E")),
                       ("sinfo-json", c.run("sinfo", "--json", check=False))):
        if name == "sinfo-json" and not text.lstrip().startswith("{"):
            continue
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        facts, said = export(path)
        got = {n["id"]: n.get("gpus") for n in facts.get("nodes", [])}
        check(said == "exit 0: " and got == want, "%s: GPUs of the nodes" % name, said, "got %s" % got)


def check_queue(folder, c):
    for name, text in (("squeue", c.run("squeue", "-o", "%i|%j|%u|%T|%V|%S|%b|%N|%r")),
                       ("squeue-json", c.run("squeue", "--json", check=False))):
        if name == "squeue-json" and not text.lstrip().startswith("{"):
            continue
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        facts, said = export(path)
        jobs = {j.get("name"): j for j in facts.get("jobs", [])}
        pend, hold = jobs.get("pend", {}), jobs.get("hold", {})
        check(said == "exit 0: ", "%s: every record can be read" % name, said)
        check(pend.get("requested", pend.get("per_node")) == 2 and "start" not in pend, "%s: a job waits for 2 GPUs" % name, pend)
        check(hold.get("gpus", hold.get("per_node")) == 3 and "start" in hold, "%s: a job has 3 GPUs" % name, hold)


def main():
    why = cluster.missing()
    with open(TARE, "rb") as f:
        if b"__asan_init" in f.read():
            why = "once is enough, and it takes two minutes: the plain build runs it"
    if why:
        print("1..0 # SKIP %s" % why)
        return 0
    with cluster.Cluster() as c:
        ids = run_jobs(c)
        texts = dict(captures(c))
        folder = os.environ.get("TARE_SLURM_KEEP", os.path.join(c.dir, "work"))
        check_accounting(folder, texts)
        check_requeue(c, texts, ids)
        check_nodes(folder, c)
        check_queue(folder, c)
    return end()


sys.exit(main())
