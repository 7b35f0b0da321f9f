# SPDX-License-Identifier: Apache-2.0
"""Writes a month of an invented GPU cluster as Slurm would print it, and beside the folder, in OUTDIR.truth.json, what is true of it.

    python3 tools/cluster_month OUTDIR [SEED [JOBS]]
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import files  # noqa: E402
import people  # noqa: E402
import sim  # noqa: E402
import truth  # noqa: E402


def main(argv):
    if not 2 <= len(argv) <= 4 or argv[1].startswith("-"):
        sys.exit(__doc__)
    seed = int(argv[2]) if len(argv) > 2 else 20261001
    count = int(argv[3]) if len(argv) > 3 else 4000
    month = sim.Simulation(seed, people.build_jobs(count)).run()
    os.makedirs(argv[1], exist_ok=True)
    for name, text in (("/sacct.txt", files.sacct(month)), ("/nodes.txt", files.nodes(month)),
                       ("/prices.yaml", files.prices(month)), ("/policy.yaml", files.policy(month)),
                       (".truth.json", truth.truth(month))):
        with open(argv[1].rstrip("/") + name, "w", encoding="ascii", newline="\n") as f:
            f.write(text)


main(sys.argv)
