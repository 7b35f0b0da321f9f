# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: where things are, and their results as TAP."""
import os

ROOT = os.environ.get("TARE_SOURCE_ROOT", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TARE = os.environ.get("TARE_BINARY", os.path.join(ROOT, "build", "src", "tare"))
SHARED = os.environ.get("TARE_SHARED", os.path.join(ROOT, "..", "shared"))
DATA = os.path.join(SHARED, "data")
_results = []


def check(ok, name, *why):
    """WHY: what a reader wants to know if it is not."""
    _results.append(bool(ok))
    print("%sok %d - %s" % ("" if ok else "not ", len(_results), name))
    if not ok:
        for line in why:
            print("# " + str(line)[:900].replace("\n", "\n# "))


def equal(name, got, want):
    check(got == want, name, "got  %s" % (got,), "want %s" % (want,))


def skip(name, why="not here"):
    _results.append(True)
    print("ok %d - %s # SKIP %s" % (len(_results), name, why))


def end():
    """Prints the plan; the exit status."""
    print("1..%d" % len(_results))
    return not all(_results)
