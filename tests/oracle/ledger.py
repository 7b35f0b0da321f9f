#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The oracle: `ledger.py FILE…` prints one JSON line per facts document (ledger.md part 6).

All amounts are integers in units of ms × 1/21,000 GPU (1 GPU-second = 21,000,000 units); money is exact, as a fraction.
It is written from ledger.md and docs/design/001-ledger-decisions.md alone, clear rather than fast, to judge the C meter.
"""

import json
import sys

from passes import facts
from passes.meter import Meter


def compute(document, name=None):
    """The ledger of one document (a facts document, or a scenario that holds one)."""
    name = name or document.get("name") or ""
    try:
        return Meter(facts.read(document)).run(name)
    except ValueError as error:
        return {"name": name, "error": str(error)}


def main(paths):
    for path in paths:
        document = facts.load(path)
        print(json.dumps(compute(document, document.get("name") or path), sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
