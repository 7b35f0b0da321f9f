#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""For one as_of any partition of a window adds up (ledger.md part 2): `partitions.py FILE…` prints TAP.

Each window is cut at three places, one of them an odd ms; accounts, matrix, marks, unmet, successful, layers and cost must add up.
"""

import random
import sys
from fractions import Fraction

from ledger import compute
from passes import facts
from passes.meter import Meter


def flatten(result):
    """{what: amount} of everything that adds up."""
    flat = {"paid": result["paid"], "successful": result["successful"]}
    flat |= {f"account {k}": v or 0 for k, v in result["accounts"].items()}
    flat |= {f"matrix {s} {f}": v for s, row in result["matrix"].items() for f, v in row.items()}
    flat |= {f"mark {k}": v for k, v in result["marks"].items()}
    flat |= {f"unmet {k}": v for k, v in result["unmet"].items()}
    for row in result["layers"]:
        flat |= {f"{row['layer']} low": row["low"], f"{row['layer']} high": row["high"]}
    if result["cost"] is not None:
        flat["cost"] = Fraction(result["cost"])
    return {k: v for k, v in flat.items() if v}


def cut_and_sum(body, window, rng):
    cuts = sorted({*window, *(rng.randint(*window) for _ in range(3))})
    total = {}
    for part in zip(cuts, cuts[1:]):
        for key, value in flatten(compute({**body, "window": list(part)})).items():
            total[key] = total.get(key, 0) + value
    return total


def main(paths):
    failed = 0
    print(f"1..{len(paths)}")
    for i, path in enumerate(paths, 1):
        document = facts.load(path)
        body = document.get("facts", document)
        window = Meter(facts.read(body)).window
        whole = flatten(compute({**body, "window": list(window)}))
        parts = cut_and_sum(body, window, random.Random(i))
        if "cost" not in whole:
            parts.pop("cost", None)
        wrong = {k: (whole.get(k), parts.get(k)) for k in whole | parts if whole.get(k) != parts.get(k)}
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {i} - {document.get('name') or path}")
        for key, (one, many) in sorted(wrong.items()):
            print(f"#   {key}: whole {one}, parts {many}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
