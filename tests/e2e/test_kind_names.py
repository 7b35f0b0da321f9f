# SPDX-License-Identifier: Apache-2.0
"""A scheduler, a price list, a policy and a driver call one kind of GPU by different names."""
import json
import os
import subprocess
import sys
import tempfile

from tap import ROOT, TARE, check, end, equal

MORNING = os.path.join(ROOT, "examples", "eight-gpus")  # sacct: h100; the exporter: NVIDIA H100 80GB HBM3
PRICES = "currency: USD\nprice:\n"
ANY, KIND, OTHER = ("  - {accelerator: %s, amount: %d, per: hour}\n" % p for p in (("H100", 2), ("h100-sxm", 3), ("h100-pcie", 5)))


def report(text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
        f.write(text)
        f.flush()
        run = subprocess.run([TARE, "report", MORNING + "/sacct.txt", MORNING + "/scrapes.prom.gz", f.name, "--format", "json"],
                             stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def main():
    doc = report(PRICES + ANY)
    hours = doc["paid"]["gpu_seconds"] / 3600
    check(hours > 16, "eight GPUs for two hours", hours)
    equal("any H100 has the price of H100", doc["paid"]["cost"], round(hours * 2, 2))
    equal("a price of the kind is nearer, whichever is first", [report(PRICES + p)["paid"]["cost"] for p in (ANY + KIND, KIND + ANY)],
          [round(hours * 3, 2)] * 2)
    equal("a price of another kind is none", report(PRICES + OTHER)["paid"]["cost"], None)
    check(doc["accounts"]["free.held.scheduler"]["gpu_seconds"] + doc["accounts"]["free.stranded"]["gpu_seconds"] > 0,
          "a job that waits for h100 claims free ones", doc["unmet"])
    held = [report("reserve:\n  - {spares: 1, accelerator: %s}\n" % word)["accounts"]["free.reserve"]["gpu_seconds"]
            for word in ("H100", "h100-sxm", "h100-pcie")]
    check(held[0] == held[1] > 0 == held[2], "a reserve holds GPUs of its kind", held)
    left = report("ignore:\n  accelerators: [h100]\n")
    equal("what the policy leaves out is not paid for", left["paid"]["gpu_seconds"], 0)
    return end()


sys.exit(main())
