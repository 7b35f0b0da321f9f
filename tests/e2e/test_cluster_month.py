# SPDX-License-Identifier: Apache-2.0
"""examples/cluster-month is what its generator writes, and `tare report` finds in it what the simulation knows."""
import filecmp
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

from tap import ROOT, TARE, check, end, equal, skip

EXAMPLE = os.path.join(ROOT, "examples", "cluster-month")
FILES = ("sacct.txt", "nodes.txt", "prices.yaml", "policy.yaml")
TRUTH = EXAMPLE + ".truth.json"
WINDOW = ["--since", "2026-10-01", "--until", "2026-11-01", "--as-of", "2026-11-01T00:00:00Z"]


def is_generated():
    with tempfile.TemporaryDirectory() as top:
        out = os.path.join(top, "cluster-month")
        subprocess.run([sys.executable, os.path.join(ROOT, "tools", "cluster_month"), out], check=True)
        for name in FILES:
            check(filecmp.cmp(os.path.join(out, name), os.path.join(EXAMPLE, name), shallow=False),
                  "%s is what the generator writes" % name)
        check(filecmp.cmp(out + ".truth.json", TRUTH, shallow=False), "the truth is what the generator writes")


def report(inputs, *options):
    command = [TARE, "report"] + [os.path.join(EXAMPLE, i) for i in inputs] + WINDOW + ["--format", "json", *options]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode:
        return None, "exit %d: %s" % (run.returncode, run.stderr.decode(errors="replace")[:300])
    return json.loads(run.stdout, parse_float=Fraction, parse_int=Fraction), None


def ms(seconds):
    return None if seconds is None else int(seconds * 1000)


def accounts_sum(doc, *prefixes):
    total = Fraction(0)
    for name, account in doc["accounts"].items():
        if name.startswith(prefixes):
            if account["gpu_seconds"] is None:
                return None
            total += account["gpu_seconds"]
    return ms(total)


def allocated(accounts):
    return ms(sum((a["gpu_seconds"] or 0 for n, a in accounts.items()
                   if not n.startswith(("free.", "down.")) and n != "unknown"), Fraction(0)))


def near(name, got, want):
    check(got is not None and abs(float(got) - want) <= max(1e-3, abs(want) * 1e-9), name, "got  %s" % got, "want %s" % want)


def check_common(doc, truth):
    """What the accounting dump alone decides."""
    for outcome, want in truth["allocated_by_outcome_gpu_ms"].items():
        equal("outcome %s" % outcome, ms(doc["outcomes"][outcome]["gpu_seconds"]), want)
    value = {name: m["value"] for name, m in doc["measures"].items()}
    for name, key in (("p50", "queue_time_p50"), ("p95", "queue_time_p95"), ("p99", "queue_time_p99"), ("max", "queue_time_max"),
                      ("gpu_weighted_mean", "queue_time_gpu_weighted_mean")):
        near("wait %s" % name, value[key], truth["waits_s"][name])
    near("CPU hours", value["cpu_hours"], truth["cpu_ms"] / 3600000)
    interrupted = sum(truth["allocated_by_outcome_gpu_ms"][o] for o in ("node_failed", "preempted"))
    near("interrupted", value["interrupted_gpu_hours"], interrupted / 3600000)
    equal("allocated", allocated(doc["accounts"]), truth["allocated_gpu_ms"])
    equal("successful", ms(doc["successful"]["gpu_seconds"]), truth["successful_gpu_ms"])
    check(all(i["rejected"] == 0 for i in doc["inputs"]), "nothing rejected", doc.get("rejects"))


def check_groups(inputs, key, truth):
    doc, why = report(inputs, "--by", key)
    if doc is None:
        check(False, "report by %s" % key, why)
        return
    got = {}
    for group in doc["groups"]:
        n = allocated(group["accounts"])
        if n:
            got[group["key"][key]] = got.get(group["key"][key], 0) + n
    # a whole table is rounded once, so a group may be printed one millisecond off
    off = {k: (got.get(k), v) for k, v in truth.items() if v and abs(got.get(k, 0) - v) > 1}
    check(not off and set(got) == {k for k, v in truth.items() if v}, "allocated by %s" % key, off)


def check_full(truth):
    doc, why = report(FILES[:2], "--price", os.path.join(EXAMPLE, "prices.yaml"),
                      "--policy", os.path.join(EXAMPLE, "policy.yaml"))
    if doc is None:
        check(False, "report with nodes, prices and policy", why)
        return
    shown = truth["as_the_dumps_show"]
    equal("paid", ms(doc["paid"]["gpu_seconds"]), truth["paid_gpu_ms"])
    check_common(doc, truth)
    equal("down", accounts_sum(doc, "down."), sum(shown["down_gpu_ms"].values()))
    equal("free", accounts_sum(doc, "free."), sum(shown["free_gpu_ms"].values()))
    equal("reserve", accounts_sum(doc, "free.reserve"), sum(shown["reserved_gpu_ms"].values()))
    equal("free and claimed", accounts_sum(doc, "free.stranded", "free.held", "free.blocked"),
          sum(shown["claimed_by_waiting_gpu_ms"].values()))
    equal("idle", accounts_sum(doc, "free.idle"), sum(shown["idle_gpu_ms"].values()))
    equal("cost in cents", doc["paid"]["cost"] and int(doc["paid"]["cost"] * 100), truth["cost"]["paid_cents"])
    for name, key in (("failed_work_cost", "failed_cents"), ("cost_per_completed_run", "cents_per_completed_run")):
        got = doc["measures"][name]["value"]
        check(got is not None and abs(float(got) * 100 - truth["cost"][key]) <= 0.51, name, got, truth["cost"][key])
    equal("currency", doc["paid"]["currency"], truth["cost"]["currency"])


def check_dump_alone(truth):
    doc, why = report(FILES[:1])
    if doc is None:
        check(False, "report of the dump alone", why)
        return
    equal("without nodes, paid is what was allocated", ms(doc["paid"]["gpu_seconds"]), truth["allocated_gpu_ms"])
    check_common(doc, truth)
    free = {n: a["gpu_seconds"] for n, a in doc["accounts"].items() if n.startswith("free.")}
    check(all(v is None for v in free.values()), "without nodes, free is not known", free)


def check_screen():
    """The default report is one screen: 45 lines of 100 columns, and nothing is only there with colour."""
    run = subprocess.run([TARE, "report", EXAMPLE], stdout=subprocess.PIPE, check=False,
                         env=dict(os.environ, LC_ALL="C.UTF-8"))
    lines = run.stdout.decode().splitlines()
    check(0 < len(lines) <= 45, "the report fits a screen", "%d lines" % len(lines))
    equal("no line is wider than 100", [x for x in lines if len(x) > 100], [])


def main():
    is_generated()
    known = subprocess.run([TARE, "report", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False) \
        if os.access(TARE, os.X_OK) else None
    if known is None or known.returncode:
        skip("the report against the truth", "this build has no `tare report`")
    else:
        with open(TRUTH, encoding="ascii") as f:
            truth = json.load(f)
        check_screen()
        check_full(truth)
        check_dump_alone(truth)
        check_groups(FILES[:1], "user", truth["allocated_by_user_gpu_ms"])
        check_groups(FILES[:1], "team", truth["allocated_by_team_gpu_ms"])
        check_groups(FILES[:1], "queue", truth["allocated_by_queue_gpu_ms"])
        check_groups(FILES[:1], "outcome", truth["allocated_by_outcome_gpu_ms"])
    sys.exit(end())


main()
