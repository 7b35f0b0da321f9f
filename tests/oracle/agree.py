# SPDX-License-Identifier: Apache-2.0
"""The C meter against the oracle, to the last unit: random histories, scenarios, the truth table. Prints TAP.

    agree.py UNITS ONLINE [--count N] [--seed S]     UNITS, ONLINE: the programs built from units.c and online.c
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction
from random import Random

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
    for key in ("energy", "mig", "depth", "fragment"):
        if want[key] != got[key]:
            found.append(f"{key}: want {want[key]}\n#   got {got[key]}")
    for device in {*want["vacant"], *got["vacant"]}:
        if money(want["vacant"].get(device)) != money(got["vacant"].get(device)):
            found.append(f"vacant power of {device}: want {want['vacant'].get(device)} got {got['vacant'].get(device)}")
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


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write(folder, name, document):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    return path


def coverage(units, files):
    """Every account, every fate of active time, every mark, unmet demand and cost occur in these histories."""
    answers = [a for at in range(0, len(files), 500) for a in lines([units, *files[at:at + 500]]) if "error" not in a]
    seen = {}
    for answer in answers:
        for key in ("accounts", "marks"):
            for name, units_of in answer[key].items():
                seen[name] = seen.get(name, 0) + (1 if units_of else 0)
        for name in ("hidden", "ofu", "bandwidth", "sm_clock", "power"):
            seen[f"depth {name}"] = seen.get(f"depth {name}", 0) + (name in answer["depth"])
        for name, value in zip(("tasks", "idle", "q1", "q2", "q3", "q4", "na"), answer["fragment"]):
            seen[f"fragment {name}"] = seen.get(f"fragment {name}", 0) + bool(value)
        drawn = answer["energy"].values()
        for name, is_there in (("counter", any(d[1] > d[2] for d in drawn)), ("integrated", any(d[2] for d in drawn)),
                               ("lost", "active.lost" in answer["energy"]), ("mig", any(answer["mig"])), ("vacant", answer["vacant"])):
            seen[f"energy {name}"] = seen.get(f"energy {name}", 0) + bool(is_there)
        seen["null free"] = seen.get("null free", 0) + (answer["accounts"]["free.idle"] is None)
        seen["unmet"] = seen.get("unmet", 0) + bool(answer["unmet"])
        seen["cost"] = seen.get("cost", 0) + (answer["cost"] is not None)
    return [("all of them", [f"{name} never occurs" for name, n in sorted(seen.items()) if not n])]


def add_up(answers):
    """The sum of several answers, key by key; null stays null."""
    total = {}
    for answer in answers:
        for key in ("paid", "accounts", "matrix", "successful", "marks", "unmet", "energy", "depth"):
            total[key] = add(total.get(key), answer[key])
    return total


def add(a, b):
    if isinstance(b, dict):
        return {k: add((a or {}).get(k), b.get(k)) for k in {*(a or {}), *b}}
    if isinstance(b, list):
        return [x + y for x, y in zip(a or [0] * len(b), b)]
    return a if b is None else (a or 0) + b


def partitions(units, files, folder):
    """For one as_of any partition of a window adds up (ledger.md part 2): whole, and cut at odd places."""
    result = []
    for number, file in enumerate(files):
        document = read(file)
        facts = document.get("facts", document)
        ends = sorted(facts.get("window") or [min((c["from"] for c in facts.get("capacity") or []), default=0), 90000])
        cuts = sorted({ends[0], ends[1], *(min(ends[1], ends[0] + (ends[1] - ends[0]) * k // 7 + number % 5) for k in (2, 3, 5))})
        parts = []
        for window in [(ends[0], ends[1]), *zip(cuts, cuts[1:])]:
            facts["window"] = list(window)
            parts.append(write(folder, f"part-{len(parts)}.json", document))
        answers = lines([units, *parts])
        if "error" in answers[0]:
            continue
        for answer in answers:  # least and most are no sums
            answer["depth"] = {k: v[:3] for k, v in answer["depth"].items()}
        whole, sum_ = add_up(answers[:1]), add_up(answers[1:])
        result.append((file, [f"{k}: whole {without_zero(whole[k])} parts {without_zero(sum_[k])}"
                              for k in whole if flat(whole[k]) != flat(sum_[k])]))
    return result


def flat(value):
    """Maps of maps without zeros, for comparison."""
    if not isinstance(value, dict):
        return value
    inner = {k: flat(v) for k, v in value.items()}
    return {k: v for k, v in inner.items() if v not in (0, {})}


def shuffled(units, files, folder, seed):
    """The order in which an input lists its jobs, devices, nodes and services changes nothing."""
    random, result = Random(seed), []
    for file in files:
        document = read(file)
        facts = document.get("facts", document)
        for key in ("devices", "jobs", "nodes", "services"):
            random.shuffle(facts.get(key) or [])
        one, two = lines([units, file, write(folder, "shuffled.json", document)])
        result.append((file, [f"{k}: {one[k]} {two[k]}" for k in one if one[k] != two[k]]))
    return result


def online(program, files, steps=(1000, 700, 5000, 13000)):
    """A history as it happens, in steps of several lengths: the cells of all steps are those of one batch."""
    result = []
    for number, step in enumerate(steps):
        part, found = files[number::len(steps)], []
        for at in range(0, len(part), 500):
            run = subprocess.run([program, str(step), *part[at:at + 500]], stdout=subprocess.PIPE, check=True, text=True)
            for line in run.stdout.splitlines():
                if line.startswith("  "):
                    found.append(f"in steps of {step} ms{line}")
                    continue
                word, file = line.split(" ", 1)
                result.append((file, [] if word == "ok" else found or [line]))
                found = []
    return result


def report(number, name, results):
    bad = [(f, d) for f, d in results if d]
    print(f"{'not ok' if bad else 'ok'} {number} - {name} ({len(results)} documents, {len(bad)} differ)")
    for file, found in bad[:5]:
        print(f"# {file}")
        for text in found[:4]:
            print(f"#   {text[:400]}")
    return bool(bad)


def golden(number):
    """The truth table of ledger.md part 3 is a golden file; with "truth table" above, the meter's too."""
    path = os.path.join(HERE, "..", "golden", "truth_table.txt")
    run = subprocess.run([sys.executable, os.path.join(HERE, "truth_table.py")], stdout=subprocess.PIPE, check=True, text=True)
    with open(path, encoding="utf-8") as file:
        same = file.read() == run.stdout
    print(f"{'ok' if same else 'not ok'} {number} - truth table is the golden file")
    return not same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("units")
    parser.add_argument("online")
    parser.add_argument("--count", type=int, default=10000 if os.environ.get("TARE_SLOW") else 500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="folder for the documents")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or folder
        subprocess.run([sys.executable, os.path.join(HERE, "histories.py"), "--seed", str(args.seed), "--count",
                        str(args.count), "--out", os.path.join(folder, "histories")],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, os.path.join(HERE, "histories.py"), "--crowd", "--seed", str(args.seed), "--count",
                        str(args.count // 25), "--out", os.path.join(folder, "crowds")],
                       check=True, stdout=subprocess.DEVNULL)
        subprocess.run([sys.executable, os.path.join(HERE, "truth_table.py"), "--documents",
                        os.path.join(folder, "truth")], check=True, stdout=subprocess.DEVNULL)
        own = sorted(glob.glob(os.path.join(HERE, "scenarios", "*.json")))
        shared = sorted(glob.glob(os.path.join(os.environ.get("TARE_SHARED", ""), "cases", "scenarios", "*.json")))
        truth = sorted(glob.glob(os.path.join(folder, "truth", "*.json")))
        histories = sorted(glob.glob(os.path.join(folder, "histories", "*.json")))
        sets = [("scenarios of the project", own, compare), ("shared scenarios", shared, compare),
                ("truth table", truth, compare), (f"random histories from seed {args.seed}", histories, compare),
                ("long queues", sorted(glob.glob(os.path.join(folder, "crowds", "*.json"))), compare),
                ("windows add up", histories[:60], lambda u, f: partitions(u, f, folder)),
                ("order does not matter", histories[:60], lambda u, f: shuffled(u, f, folder, args.seed)),
                ("as it happens", histories, lambda u, f: online(args.online, f))]
        if len(histories) >= 500:
            sets.append(("every account and mark occurs", histories, coverage))
        print(f"1..{len(sets) + 1}")
        failed = False
        for number, (name, files, check) in enumerate(sets, 1):
            if not files:
                print(f"ok {number} - {name} # SKIP none here")
                continue
            failed |= report(number, name, check(args.units, files))
        failed |= golden(len(sets) + 1)
    sys.exit(failed)


main()
