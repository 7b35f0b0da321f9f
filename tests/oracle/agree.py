# SPDX-License-Identifier: Apache-2.0
"""The C meter against the oracle, to the last unit: random histories, scenarios, the truth table. Prints TAP.

    agree.py UNITS [--count N] [--seed S]     UNITS: the program built from units.c
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = ("paid", "accounts", "matrix", "successful", "marks", "unmet", "layers")


def lines(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def money(value):
    return None if value is None else Fraction(value)


def without_zero(value):
    """Zero entries of maps mean the same as none."""
    return {k: v for k, v in value.items() if v != 0} if isinstance(value, dict) else value


def differences(want, got):
    if "error" in want or "error" in got:
        return [] if ("error" in want) == ("error" in got) else [f"error: {want.get('error')} | {got.get('error')}"]
    found = []
    for key in KEYS:
        if without_zero(want[key]) != without_zero(got[key]):
            found.append(f"{key}: want {without_zero(want[key])}\n#   got {without_zero(got[key])}")
    if money(want["cost"]) != money(got["cost"]):
        found.append(f"cost: want {want['cost']} got {got['cost']}")
    for leaf, cost in want["cost_accounts"].items():
        # an account without time costs nothing, priced or not
        if got["accounts"][leaf] and money(cost) != money(got["cost_accounts"][leaf]):
            found.append(f"cost of {leaf}: want {cost} got {got['cost_accounts'][leaf]}")
    return found


def compare(units, files):
    """[(file, differences)] in batches that fit a command line."""
    result = []
    for at in range(0, len(files), 500):
        part = files[at:at + 500]
        want = lines([sys.executable, os.path.join(HERE, "ledger.py"), *part])
        got = lines([units, *part])
        result += [(f, differences(w, g)) for f, w, g in zip(part, want, got, strict=True)]
    return result


def report(number, name, results):
    bad = [(f, d) for f, d in results if d]
    print(f"{'not ok' if bad else 'ok'} {number} - {name} ({len(results)} documents, {len(bad)} differ)")
    for file, found in bad[:5]:
        print(f"# {file}")
        for text in found[:4]:
            print(f"#   {text[:400]}")
    return bool(bad)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("units")
    parser.add_argument("--count", type=int, default=10000 if os.environ.get("TARE_SLOW") else 500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for the documents")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        subprocess.run([sys.executable, os.path.join(HERE, "histories.py"), "--seed", str(args.seed), "--count",
                        str(args.count), "--out", os.path.join(folder, "histories")],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, os.path.join(HERE, "truth_table.py"), "--documents",
                        os.path.join(folder, "truth")], check=True, stdout=subprocess.DEVNULL)
        sets = [("scenarios of the project", sorted(glob.glob(os.path.join(HERE, "scenarios", "*.json")))),
                ("shared scenarios", sorted(glob.glob(os.path.join(os.environ.get("TARE_SHARED", ""), "cases",
                                                                   "scenarios", "*.json")))),
                ("truth table", sorted(glob.glob(os.path.join(folder, "truth", "*.json")))),
                (f"random histories from seed {args.seed}",
                 sorted(glob.glob(os.path.join(folder, "histories", "*.json"))))]
        print(f"1..{len(sets)}")
        failed = False
        for number, (name, files) in enumerate(sets, 1):
            if not files:
                print(f"ok {number} - {name} # SKIP none here")
                continue
            failed |= report(number, name, compare(args.units, files))
    sys.exit(failed)


main()
