#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tare export` writes gives the same report as what it was made from. TAP."""
import glob
import json
import os
import subprocess
import sys

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
OF_THE_INPUT = ("inputs", "rejects", "notes")


def run(*args, stdin=None):
    return subprocess.run([TARE, *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def report(*args, stdin=None):
    done = run("report", *args, "--format", "json", stdin=stdin)
    whole = json.loads(done.stdout)
    return {key: value for key, value in whole.items() if key not in OF_THE_INPUT}


def differs(path):
    """What is wrong with the export of PATH; empty: nothing."""
    exported = run("export", path)
    if not exported.stdout:
        return "no export: %s" % exported.stderr.decode()
    again = run("export", "-", stdin=exported.stdout)
    if again.returncode or again.stdout != exported.stdout:
        return "the export of the export is another one"
    want, got = report(path), report("-", stdin=exported.stdout)
    keys = [key for key in want if want[key] != got.get(key)]
    return "other %s" % ", ".join(keys) if keys else ""


def main():
    paths = ["examples/cluster-month"]
    paths += sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "tests/oracle/scenarios/*.json")))
    print("1..%d" % len(paths))
    bad = 0
    for n, path in enumerate(paths, 1):
        why = differs(os.path.join(ROOT, path))
        bad += bool(why)
        print("%s %d - %s%s" % ("not ok" if why else "ok", n, path, ": " + why if why else ""))
    sys.exit(1 if bad else 0)


main()
