# SPDX-License-Identifier: Apache-2.0
"""What a policy ignores is not paid for, and looks neither free nor lost; what is left is as it was."""
import json
import os
import subprocess
import sys
import tempfile

from tap import ROOT, TARE, end, equal

EXAMPLE = os.path.join(ROOT, "examples", "cluster-month")
WINDOW = ["--since", "2026-10-01", "--until", "2026-11-01"]


def report(*options):
    run = subprocess.run([TARE, "report", EXAMPLE, *WINDOW, "--format", "json", *options], stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout, parse_float=str)


def ms(seconds):
    whole, _, part = str(seconds).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def paid_by(doc, key):
    return {g["key"][key]: ms(g["paid"]["gpu_seconds"]) for g in doc["groups"]}


def main():
    with tempfile.TemporaryDirectory() as top:
        policy = os.path.join(top, "policy.yaml")

        def ignoring(text, key):
            with open(policy, "w", encoding="ascii") as f:
                f.write("ignore:\n  %s\n" % text)
            return report("--policy", policy, "--by", key)

        users = paid_by(report("--by", "user"), "user")
        doc = ignoring("users: u01", "user")
        left = dict(users)
        gone = left.pop("u01")
        got = paid_by(doc, "user")
        equal("what others held is as it was", {u: got[u] for u in got if u}, {u: left[u] for u in left if u})
        equal("and what nobody held", got[None], left[None])
        equal("an ignored user's time is not paid", ms(doc["paid"]["gpu_seconds"]), sum(users.values()) - gone)
        nodes = paid_by(report("--by", "node"), "node")
        doc = ignoring('nodes: "gpu-a-[01-02]"', "node")
        for node in ("gpu-a-01", "gpu-a-02"):
            del nodes[node]
        equal("ignored nodes are gone, and no other", paid_by(doc, "node"), nodes)
        equal("the report says so", sum("leaves out" in n for n in doc["notes"]), 1)
    sys.exit(end())


main()
