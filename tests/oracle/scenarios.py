#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks scenario files against the oracle, exactly: `scenarios.py FOLDER|FILE…` prints TAP."""

import sys
from fractions import Fraction
from pathlib import Path

from ledger import compute
from passes import facts

SECOND = 21000 * 1000  # units of a GPU-second


def _seconds(units):
    return None if units is None else Fraction(units, SECOND)


def _leaves(expect, result):
    """Leaves that `expect` does not name are 0 (or null)."""
    wrong = []
    for leaf in sorted(set(expect) | set(result)):
        want, got = facts.number(expect.get(leaf)), _seconds(result.get(leaf))
        if (want or 0) != (got or 0) or (leaf in expect and want != got):
            wrong.append(f"{leaf}: expected {want}, got {got}")
    return wrong


def _layers(expect, result):
    rows = {row["layer"]: [_seconds(row["low"]), _seconds(row["high"])] for row in result}
    wrong = []
    for layer, ends in expect.items():
        want = [facts.number(e) for e in ends]
        if rows.get(layer) != want:
            wrong.append(f"layer {layer}: expected {want}, got {rows.get(layer)}")
    return wrong


def _matrix(expect, result):
    wrong = []
    for state in sorted(set(expect) | set(result)):
        wrong += [f"{state} {line}" for line in _leaves(expect.get(state, {}), result.get(state, {}))]
    return wrong


def differences(expect, result):
    """What is not as expected; a key that `expect` does not name is not judged."""
    if "error" in result or "error" in expect:
        return [] if ("error" in expect) == ("error" in result) else [f"error: {result.get('error')}"]
    wrong = []
    for key in ("paid", "successful"):
        if key in expect and facts.number(expect[key]) != _seconds(result[key]):
            wrong.append(f"{key}: expected {expect[key]}, got {_seconds(result[key])}")
    for key in ("accounts", "unmet"):
        if key in expect:
            wrong += _leaves(expect[key], result[key])
    for mark, value in expect.get("marks", {}).items():
        if facts.number(value) != _seconds(result["marks"][mark]):
            wrong.append(f"{mark}: expected {value}, got {_seconds(result['marks'][mark])}")
    wrong += _layers(expect.get("layers", {}), result["layers"])
    if "fragment" in expect and expect["fragment"] != result["fragment"]:
        wrong.append(f"fragment: expected {expect['fragment']}, got {result['fragment']}")
    if "matrix" in expect:
        wrong += _matrix(expect["matrix"], result["matrix"])
    if "cost" in expect and facts.number(expect["cost"]) != facts.number(result["cost"]):
        wrong.append(f"cost: expected {expect['cost']}, got {result['cost']}")
    return wrong


def main(arguments):
    files = []
    for argument in arguments:
        path = Path(argument)
        files += sorted(path.glob("*.json")) if path.is_dir() else [path]
    failed = 0
    print(f"1..{len(files)}")
    for i, path in enumerate(files, 1):
        document = facts.load(path)
        wrong = differences(document["expect"], compute(document))
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {i} - {document['name']}")
        for line in wrong:
            print(f"#   {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
