# SPDX-License-Identifier: Apache-2.0
"""A node with two kinds of GPU: each has its own pool and price, if its jobs say which they hold."""
import json
import os
import subprocess
import sys
import tempfile

from tap import TARE, end, equal

HEAD = "JobID|User|Partition|Submit|Start|End|State|ReqTRES|AllocTRES|NodeList\n"
NODES = "NodeName=n1 Gres=gpu:a100:4,gpu:t4:2 State=MIXED\n   Partitions=gpu\n"
PRICES = "price:\n" + "".join("  - {accelerator: %s, amount: %s, currency: USD, per: hour}\n" % p for p in (("a100", 2), ("t4", 0.5)))


def row(job, gpus):
    return "%s|u|gpu|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T10:00:00|COMPLETED|%s|%s|n1\n" % (job, gpus, gpus)


def report(*gpus):
    with tempfile.TemporaryDirectory() as top:
        files = (("sacct.txt", HEAD + "".join(row(100 + i, g) for i, g in enumerate(gpus))), ("nodes.txt", NODES),
                 ("prices.yaml", PRICES))
        for name, text in files:
            with open(os.path.join(top, name), "w", encoding="ascii") as f:
                f.write(text)
        run = subprocess.run([TARE, "report", top, "--by", "model", "--format", "json"], stdout=subprocess.PIPE, check=True)
    doc = json.loads(run.stdout)
    return doc["paid"], {g["key"]["model"]: g["paid"] for g in doc["groups"]}, doc["accounts"]


def main():
    paid, models, accounts = report("cpu=1,gres/gpu:a100=3,node=1", "cpu=1,gres/gpu:t4=2,node=1")
    equal("all six GPUs are paid", paid["gpu_seconds"], 6 * 36000)
    equal("four of them are a100", models["a100"]["gpu_seconds"], 4 * 36000)
    equal("each kind has its price", (models["a100"]["cost"], models["t4"]["cost"]), (80, 10))
    equal("so all of it has one", paid["cost"], 90)
    equal("one a100 is free", accounts["free.idle"]["gpu_seconds"], 36000)
    paid, models, accounts = report("cpu=1,gres/gpu:a100=3,node=1", "cpu=1,gres/gpu=2,node=1")
    equal("with a job that names no kind they are one pool", list(models), [None])
    equal("of six", (paid["gpu_seconds"], accounts["free.idle"]["gpu_seconds"]), (6 * 36000, 36000))
    equal("whose price is not known", paid["cost"], None)
    sys.exit(end())


main()
