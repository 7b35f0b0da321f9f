#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `tare export` writes gives the same report as what it was made from. TAP."""
import glob
import json
import os
import subprocess
import sys
import tempfile

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


def many(folder):
    """As differs, of more samples than are kept as they were read; and none is missing."""
    metrics = {"power": ("a.yaml", 40000), "gpu_util": ("b.yaml", 40000)}
    files = []
    for metric, (name, rows) in metrics.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write("map: %s\ntime: epoch\nsamples: {kind: point, time: t, device: d, %s: %s}\n" % (metric, metric, metric))
        files.append(os.path.join(folder, metric + ".csv"))
        with open(files[-1], "w", encoding="utf-8") as f:
            f.write("t,d,%s\n" % metric + "".join("%d,gpu-%d,%d\n" % (1700000000 + i // 2, i % 2, i % 100) for i in range(rows)))
    args = [a for name, _ in metrics.values() for a in ("--map", os.path.join(folder, name))] + files
    exported = run("export", *args)
    samples = json.loads(exported.stdout).get("samples", [])
    if len(samples) != 40000 or any(set(s["r"]) != set(metrics) for s in samples):
        return "%d samples of 40,000, such as %s" % (len(samples), samples[:1])
    want, got = report(*args), report("-", stdin=exported.stdout)
    keys = [key for key in want if want[key] != got.get(key)]
    return "other %s" % ", ".join(keys) if keys else ""


def main():
    paths = ["examples/cluster-month"]
    paths += sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "tests/oracle/scenarios/*.json")))
    print("1..%d" % (len(paths) + 1))
    bad = 0
    for n, path in enumerate(paths, 1):
        why = differs(os.path.join(ROOT, path))
        bad += bool(why)
        print("%s %d - %s%s" % ("not ok" if why else "ok", n, path, ": " + why if why else ""))
    with tempfile.TemporaryDirectory() as folder:
        why = many(folder)
    bad += bool(why)
    print("%s %d - 80,000 readings from two files%s" % ("not ok" if why else "ok", len(paths) + 1, ": " + why if why else ""))
    sys.exit(1 if bad else 0)


main()
