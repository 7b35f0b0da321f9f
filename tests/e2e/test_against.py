#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--against previous: what is said of the window before is what a report of that window says, and the changes are the differences."""
import json
import os
import random
import subprocess
import sys
from datetime import datetime, timedelta, timezone

from tap import ROOT, TARE, check, end, equal

SOURCES = (("examples/cluster-month", datetime(2026, 10, 1), timedelta(days=30)),
           ("examples/eight-gpus", datetime(2026, 11, 3, 8), timedelta(hours=2)),
           ("tests/fixtures/report/training.json", datetime(1970, 1, 1), timedelta(hours=8)),
           ("tests/fixtures/report/service.json", datetime(1970, 1, 1), timedelta(hours=1)))
PARTS = ("window", "paid", "accounts", "successful", "recoverable", "marks", "layers", "measures")


def report(source, since, until, *options):
    run = subprocess.run([TARE, "report", source, "--since", stamp(since), "--until", stamp(until), "--format", "json", *options],
                         cwd=ROOT, stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def stamp(t):
    return t.replace(tzinfo=timezone.utc).isoformat().replace("+00:00", "Z")


def near(a, b):
    return a is None and b is None or a is not None and b is not None and abs(a - b) < 1e-9


def changes_are_differences(now, before, changes):
    """[what is wrong]"""
    wrong = []
    for name, change in changes["accounts"].items():
        a, b = (d["accounts"][name]["gpu_seconds"] for d in (now, before))
        want = None if a is None or b is None else a / now["paid"]["gpu_seconds"] - b / before["paid"]["gpu_seconds"]
        if not (near(change, want) or change is not None and want is not None and abs(change - want) < 1e-6):
            wrong.append((name, change, want))
    for layer, old in zip(now["layers"], before["layers"]):
        change = changes["layers"][layer["layer"]]
        paid, had = now["paid"]["gpu_seconds"], before["paid"]["gpu_seconds"]
        want = layer["low"] / paid - old["high"] / had, layer["high"] / paid - old["low"] / had
        if abs(change["low"] - want[0]) > 1e-6 or abs(change["high"] - want[1]) > 1e-6 or change["low"] > change["high"]:
            wrong.append((layer["layer"], change, want))
    for name, change in changes["measures"].items():
        a, b = now["measures"][name], before["measures"][name]
        ends = [(m["value"], m["value"]) if m["value"] is not None else (m["low"], m["high"]) for m in (a, b)]
        if None in ends[0] + ends[1]:
            wrong.append((name, "stated of what is not known", ends))
        elif abs(change["low"] - (ends[0][0] - ends[1][1])) > 1e-6 * max(1, abs(change["low"])):
            wrong.append((name, change, ends))
    return wrong


def one(source, start, length, rng):
    a, b = sorted(start + length * rng.random() for _ in range(2))
    a, b = (t.replace(microsecond=t.microsecond // 1000 * 1000) for t in (a, b))
    name = "%s, %s to %s" % (os.path.basename(source), a, b)
    now = report(source, a, b, "--against", "previous")
    past = report(source, a - (b - a), a, "--as-of", now["as_of"])
    against = now["against"]
    if not against["paid"]["gpu_seconds"]:
        equal(name + ": nothing is said of nothing", sorted(against), ["paid", "why_null", "window"])
        return
    equal(name + ": what was is what a report of it says", [k for k in PARTS if against[k] != past[k]], [])
    equal(name + ": changes are differences", changes_are_differences(now, against, against["changes"]), [])
    plain = report(source, a, b)
    equal(name + ": nothing else changes", {k: v for k, v in now.items() if k != "against"}, plain)


def main():
    rng = random.Random(7)
    for source, start, length in SOURCES:
        for _ in range(4):
            one(source, start, length, rng)
    bad = subprocess.run([TARE, "report", "examples/eight-gpus", "--against", "last"], cwd=ROOT, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    check(bad.returncode == 2 and b"previous" in bad.stderr, "another word is none", bad.stderr)
    sys.exit(end())


main()
