#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The truth table of ledger.md part 3, over every subset of {process list, compute, link, scheduler, progress} being available.

`truth_table.py` prints one line per combination, `NAME STATE`, where STATE is the leaf state of one device during 10 s in the middle
of a steady minute; `--documents DIR` writes the facts documents behind the lines as DIR/NAME.json. "-" means not available.
`age=young` is inside --setup-max, `age=old` after it (only an allocation has an age).
"""

import argparse
import itertools
import json
import sys
from pathlib import Path

from ledger import compute

MINUTE = 60000
WINDOW = [20000, 30000]
LISTS = {"-": None, "empty": [], "resident": ["j"]}
COMPUTE = {"-": {}, "low": {"sm": 0}, "high": {"sm": 50},
           "spin": {"sm": 90, "tensor": 0, "fp16": 0, "fp32": 0, "fp64": 0, "dram": 0}}
LINK = {"-": {}, "low": {"nvlink": 0.5}, "high": {"nvlink": 12}}
SCHEDULER = ("-", "free", "allocated")
PROGRESS = {"-": None, "step": None, "save": "save", "async_save": "save", "restore": "restore", "eval": "eval", "warmup": "warmup",
            "input_wait": "input_wait", "comm_wait": "comm_wait"}


def progress_lines(value):
    """A first step at 0 (setup is over), and the named interval around the window."""
    if value == "-":
        return []
    lines = [{"job": "j", "t": 0, "type": "step", "step": 1}]
    if PROGRESS[value]:
        lines.append({"job": "j", "t": 15000, "to": 35000, "type": PROGRESS[value], "step": 1})
    if value == "async_save":
        lines.append({"job": "j", "t": 25000, "type": "step", "step": 2})
    return lines


def document(procs, compute_value, link, scheduler, progress, age):
    sample = {"r": COMPUTE[compute_value] | LINK[link]}
    if LISTS[procs] is not None:
        sample["procs"] = LISTS[procs]
    facts = {"window": WINDOW, "as_of": MINUTE, "devices": [{"id": "g0", "node": "n0", "model": "H100"}],
             "options": {"setup_max": 10000 if age == "old" else 600000},
             "capacity": [{"device": "g0", "from": 0, "to": MINUTE, "state": "up"}]}
    if sample["r"] or "procs" in sample:
        facts["samples"] = [{"device": "g0", "t": t, "period": 10000, **sample} for t in range(0, MINUTE + 1, 10000)]
    if scheduler != "-":
        facts["scheduler"] = [[0, MINUTE]]
    if scheduler == "allocated":
        facts["jobs"] = [{"id": "j", "outcome": "completed", "start": 0, "end": MINUTE}]
        facts["allocations"] = [{"job": "j", "device": "g0"}]
    facts["progress"] = progress_lines(progress)
    return facts


def rows():
    for procs, value, link, scheduler, progress in itertools.product(LISTS, COMPUTE, LINK, SCHEDULER, PROGRESS):
        for age in ("young", "old") if scheduler == "allocated" else ("-",):
            name = f"list={procs},compute={value},link={link},scheduler={scheduler},progress={progress},age={age}"
            yield name, document(procs, value, link, scheduler, progress, age)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=Path, help="write the documents into this folder as well")
    options = parser.parse_args()
    if options.documents:
        options.documents.mkdir(parents=True, exist_ok=True)
    for name, facts in rows():
        result = compute(facts, name)
        states = [state for state, row in result["matrix"].items() if any(row.values())]
        assert len(states) == 1, (name, states)
        print(name, states[0])
        if options.documents:
            text = json.dumps({"name": name, "facts": facts}, sort_keys=True) + "\n"
            (options.documents / f"{name}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
