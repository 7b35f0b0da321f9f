# SPDX-License-Identifier: Apache-2.0
"""The colours of the accounts can be told apart: on white and on black, in print without colour, and by people who do
not tell red from green, or blue from yellow.

Colours are seen through the matrices of Machado, Oliveira and Fernandes (2009) at full severity, in linear RGB, and
compared in OKLab (Ottosson 2020), where a distance of 0.02 is about the least that is seen side by side."""
import itertools
import os
import re
import sys

from tap import ROOT, check, end, equal

EYES = {
    "all colours": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
}
# One account of each kind that a legend tells apart by hue.
KINDS = ["ACTIVE_PRODUCTIVE", "ACTIVE_UNJUDGED", "ACTIVE_LOST", "OVERHEAD_CHECKPOINT", "STALLED_UNEXPLAINED", "VACANT", "SETUP",
         "FREE_IDLE", "FREE_SCHEDULER", "DOWN_FAILED"]
PAPERS = {"white": "#ffffff", "black": "#14171b"}  # the second is --bg in html_style.c


def linear(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def oklab(colour, eye):
    rgb = linear(colour)
    r, g, b = (min(1, max(0, sum(x * y for x, y in zip(row, rgb)))) for row in EYES[eye])
    l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s, 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)


def distance(a, b, eye):
    return sum((x - y) ** 2 for x, y in zip(oklab(a, eye), oklab(b, eye))) ** 0.5


def table(name, macro):
    with open(os.path.join(ROOT, "src/facts", name), encoding="utf-8") as f:
        return re.findall(r"^%s\((\w+), (.*)\)$" % macro, f.read(), re.M)


def main():
    rows = [(name, *re.findall(r"#[0-9a-f]{6}", rest), rest.endswith("HATCHED"))
            for name, rest in table("account_colours.def", "ACCOUNT_COLOUR")]
    equal("every account has colours, once", sorted(r[0] for r in rows), sorted(n for n, _ in table("accounts.def", "ACCOUNT")))
    equal("what nobody saw is hatched", [r[0] for r in rows if r[3]], ["UNOBSERVED", "UNKNOWN"])
    for column, (paper, ground) in enumerate(PAPERS.items(), 1):
        for eye in EYES:
            near = ["%s %s %.3f" % (a[0], b[0], distance(a[column], b[column], eye)) for a, b in zip(rows, rows[1:])
                    if not (a[3] or b[3]) and distance(a[column], b[column], eye) < 0.05]
            check(not near, "neighbours on %s, %s" % (paper, eye), *near)
        for eye in EYES:  # of some nothing is there, so any two may be neighbours
            kinds = [r for r in rows if r[0] in KINDS]
            near = ["%s %s %.3f" % (a[0], b[0], distance(a[column], b[column], eye)) for a, b in itertools.combinations(kinds, 2)
                    if distance(a[column], b[column], eye) < (0.045 if eye == "grey" else 0.08)]
            check(not near and len(kinds) == len(KINDS), "kinds on %s, %s" % (paper, eye), *near)
        faint = ["%s %.3f" % (r[0], distance(r[column], ground, "grey")) for r in rows if distance(r[column], ground, "grey") < 0.08]
        check(not faint, "all stand out from %s" % paper, *faint)


main()
sys.exit(end())
