# SPDX-License-Identifier: Apache-2.0
"""Scenarios through the program: `tare report FILE --format json` agrees with `expect` to the last printed unit. TAP."""

import glob
import json
import os
import subprocess
import sys
from fractions import Fraction

ROOT = os.environ.get("TARE_SOURCE_ROOT", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TARE = os.environ.get("TARE_BINARY", os.path.join(ROOT, "build", "src", "tare"))
STEP = Fraction(1, 1000)  # seconds are printed with three decimals, rounded by largest remainder


def near(want, got, step=STEP):
    if want is None or got is None:
        return want is got
    return abs(Fraction(str(want)) - Fraction(str(got))) < step


def check(expect, report):
    """What differs, as text."""
    found = []

    def hold(name, want, got, step=STEP):
        if not near(want, got, step):
            found.append(f"{name}: want {want} got {got}")

    if "paid" in expect:
        hold("paid", expect["paid"], report["paid"]["gpu_seconds"])
    if "accounts" in expect:
        for name, account in report["accounts"].items():
            want = expect["accounts"].get(name, 0 if account["gpu_seconds"] is not None else None)
            hold(name, want, account["gpu_seconds"])
        known = [a["gpu_seconds"] for a in report["accounts"].values() if a["gpu_seconds"] is not None]
        hold("sum of accounts", report["paid"]["gpu_seconds"], str(sum(Fraction(str(k)) for k in known)), Fraction(1, 10**9))
    for key in ("marks", "unmet"):
        if key in expect:
            for name in {*expect[key], *report[key]}:
                hold(f"{key} {name}", expect[key].get(name, 0), report[key].get(name, {"gpu_seconds": 0})["gpu_seconds"])
    if "successful" in expect:
        hold("successful", expect["successful"], report["successful"]["gpu_seconds"])
    for layer in report["layers"]:
        if layer["layer"] in expect.get("layers", {}):
            low, high = expect["layers"][layer["layer"]]
            hold(f"{layer['layer']} low", low, layer["low"])
            hold(f"{layer['layer']} high", high, layer["high"])
    if "cost" in expect:
        hold("cost", expect["cost"], report["paid"]["cost"], Fraction(1, 100))
    return found


def main():
    files = sorted(glob.glob(os.path.join(ROOT, "tests", "oracle", "scenarios", "*.json")))
    shared = os.path.join(os.environ.get("TARE_SHARED", os.path.join(ROOT, "..", "shared")), "cases", "scenarios")
    files += sorted(glob.glob(os.path.join(shared, "*.json")))
    print(f"1..{len(files)}")
    failed = False
    for number, path in enumerate(files, 1):
        with open(path, encoding="utf-8") as file:
            scenario = json.load(file)
        run = subprocess.run([TARE, "report", path, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False)
        if "error" in scenario["expect"]:
            found = [] if run.returncode == 3 and run.stderr else [f"expected an error, got exit {run.returncode}"]
        elif run.returncode:
            found = [f"exit {run.returncode}: {run.stderr.strip()}"]
        else:
            found = check(scenario["expect"], json.loads(run.stdout))
        print(f"{'not ok' if found else 'ok'} {number} - {scenario['name']}")
        for text in found:
            print(f"# {text}")
        failed |= bool(found)
    sys.exit(failed)


main()
