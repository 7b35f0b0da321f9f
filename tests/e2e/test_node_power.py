# SPDX-License-Identifier: Apache-2.0
"""Power of whole machines as MLPerf publishes it, from the meters' logs through the program. Skipped where the data is not there. TAP."""
import glob
import json
import os
import re
import subprocess

from fractions import Fraction

from tap import DATA, TARE, check, end, skip


def run(*args):
    done = subprocess.run([TARE, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
    check(done.returncode == 0, " ".join([args[0], os.path.basename(args[-1])]), done.returncode, done.stderr.decode(errors="replace"))
    return done.stdout.decode()


def inference(name, since, until, mean, readings, megajoules):
    path = os.path.join(DATA, "mlperf-infer-v5.1-lenovo-b200-power", name, "run_1", "spl.txt")
    if not os.path.exists(path):
        skip("inference, " + name)
        return
    window = ["--since", since, "--until", until]
    text = run("report", *window, "--explain", path)
    row = re.search(r" +([\d,]+) +([\d.,]+) +([\d.]+) +100\.0 %\n", text)
    check(row and row.group(1) == readings and row.group(2) == mean and abs(float(row.group(3)) - megajoules) <= 0.001,
          "%s: the mean that MLCommons published, %s W, and %.3f MJ" % (name, mean, megajoules), row and row.groups(), text)
    doc = json.loads(run("report", *window, "--format", "json", path), parse_float=Fraction)
    check(doc["paid"]["gpu_seconds"] == 0 and doc["node_power"][0]["mean_watts"] == Fraction(mean.replace(",", "")),
          name + ": no GPU-time is made of it", doc["paid"], doc["node_power"])
    held = json.loads(run("export", path), parse_float=Fraction)["node_power"]
    with open(path, encoding="utf-8") as f:
        want = [Fraction(line.split(",")[3]) * 1000 for line in f if line.strip()]
    check([x["milliwatts"] for x in held] == want, name + ": every reading as in the file", len(held), len(want))


def training(kind, published):
    folder = os.path.join(DATA, "mlperf-train-v4.0-smc-llama2-power", kind)
    if not os.path.isdir(folder):
        skip("training, " + kind)
        return
    with open(os.path.join(folder, "scaling.json"), encoding="utf-8") as f:
        scaling = json.load(f)["scaling_factor"]
    runs = []
    for result in sorted(glob.glob(os.path.join(folder, "result_*.txt"))):
        times = {}
        with open(result, encoding="utf-8") as f:
            for line in f:
                found = re.search(r'"time_ms": (\d+).*"key": "(run_start|run_stop)"', line)
                if found:
                    times[found.group(2)] = int(found.group(1))
        power = os.path.join(folder, "power", os.path.basename(result)[:-4], "node_0.txt")
        doc = json.loads(run("report", "--format", "json", power), parse_float=Fraction)
        with open(power, encoding="utf-8") as f:
            watts = [int(re.search(r'"value": (\d+)', line).group(1)) for line in f if '"power_reading"' in line]
        mean = doc["node_power"][0]["mean_watts"]
        check(doc["node_power"][0]["readings"] == len(watts) and abs(mean - Fraction(sum(watts), len(watts))) < Fraction(1, 10 ** 9),
              "every reading of the log counts, whatever its stop says", doc["node_power"])
        seconds = (times["run_stop"] - times["run_start"]) / 1000
        runs.append((seconds, float(mean) * seconds))
    kept = sorted(runs)[1:-1]
    joules = scaling * sum(j for _, j in kept) / len(kept)
    # their way to a run's mean is not stated to the digit: the plain mean of its log comes within 0.04 %
    check(abs(joules / published - 1) < 0.0005, "%s: %d J as published, within 0.05 %%" % (kind, published), joules)


def main():
    inference("Offline", "2025-07-28T08:14:05.414Z", "2025-07-28T08:58:41.598Z", "10,400.9988793425", "2,677", 27.838)
    inference("Server", "2025-07-28T04:22:26.087Z", "2025-07-28T05:03:30.364Z", "10,442.2597402597", "2,464", 25.732)
    training("ac", 12127904)
    training("dc", 11769962)
    return end()


if __name__ == "__main__":
    raise SystemExit(main())
