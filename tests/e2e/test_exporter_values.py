# SPDX-License-Identifier: Apache-2.0
"""Every value of recorded scrapes of dcgm-exporter is held as it is written, and each blank is a reason. The scrapes are read here a second
time, by a parser of a few lines and a table of names of its own, and compared with `tare export`. TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

ROOT = os.environ.get("TARE_SOURCE_ROOT") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TARE = os.environ.get("TARE_BINARY") or os.path.join(ROOT, "build/src/tare")
SHARED = os.environ.get("TARE_SHARED") or os.path.join(ROOT, "../shared")
FOLDER = os.path.join(SHARED, "data/dcgm-exporter")
LINE = re.compile(r'^(\w+)\{((?:\s*\w+="(?:[^"\\]|\\.)*"\s*,?)*)\}\s+(\S+)\s*$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
REASONS = {9223372036854775792: "not_ready", 9223372036854775793: "absent", 9223372036854775794: "unsupported",
           9223372036854775795: "no_permission"}
PER_CENT = {"GPU_UTIL": "gpu_util", "MEM_COPY_UTIL": "mem_util", "ENC_UTIL": "encoder", "DEC_UTIL": "decoder"}
AS_IS = {"SM_CLOCK": "sm_clock", "MEM_CLOCK": "mem_clock", "GPU_TEMP": "temperature", "MEMORY_TEMP": "mem_temperature",
         "POWER_USAGE": "power", "FB_USED": "mem_taken", "FB_FREE": "mem_free", "FB_RESERVED": "mem_reserve"}
SHARES = {"GR_ENGINE_ACTIVE": "gr", "SM_ACTIVE": "sm", "SM_OCCUPANCY": "occupancy", "PIPE_TENSOR_ACTIVE": "tensor", "DRAM_ACTIVE": "dram",
          "PIPE_FP16_ACTIVE": "fp16", "PIPE_FP32_ACTIVE": "fp32", "PIPE_FP64_ACTIVE": "fp64"}
RATES = {"PCIE_TX_BYTES": "pcie_tx", "PCIE_RX_BYTES": "pcie_rx", "NVLINK_TX_BYTES": "nvlink_tx", "NVLINK_RX_BYTES": "nvlink_rx"}
# Not of what a GPU does: counts of faults, states.
UNREAD = {"DEV_XID_ERRORS", "DEV_PCIE_REPLAY_COUNTER", "DEV_NVLINK_BANDWIDTH_TOTAL", "DEV_VGPU_LICENSE_STATUS", "DEV_CORRECTABLE_REMAPPED_ROWS",
          "DEV_UNCORRECTABLE_REMAPPED_ROWS", "DEV_ROW_REMAP_FAILURE"}


def meaning(name):
    """(metric, factor to its unit) of a name behind DCGM_FI_."""
    kind, _, rest = name.partition("_")
    if kind == "DEV" and rest in PER_CENT:
        return PER_CENT[rest], 1
    if kind == "DEV" and rest in AS_IS:
        return AS_IS[rest], 1
    if kind == "PROF" and rest in SHARES:
        return SHARES[rest], 100
    if kind == "PROF" and rest in RATES:
        return RATES[rest], Fraction(1, 10**9)
    if name == "DEV_TOTAL_ENERGY_CONSUMPTION":
        return "energy", Fraction(1, 1000)
    return (None, None) if name in UNREAD else ("?", None)


def read(text):
    """{(GPU, metric): number or reason}, and how many lines hold a sample"""
    found, lines = {}, 0
    for line in text.split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.match(line)
        assert match, line
        lines += 1
        labels = dict(LABEL.findall(match.group(2)))
        metric, factor = meaning(match.group(1)[len("DCGM_FI_"):])
        if metric is None:
            continue
        value = Fraction(match.group(3))
        found[labels["UUID"], metric] = REASONS.get(value, None if factor is None else value * factor)
    return found, lines


def held(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scrape.prom")
        with open(path, "w", encoding="utf-8") as f:
            f.write("# 2026-10-01T00:00:00Z\n" + text)
        done = subprocess.run([TARE, "export", "--format", "facts", path], stdout=subprocess.PIPE, check=True)
    document = json.loads(done.stdout, parse_float=Fraction)
    return {(s["device"], metric): v for s in document.get("samples", []) for metric, v in s["r"].items()}


def compare(text):
    want, lines = read(text)
    got = held(text)
    wrong = []
    for key, value in want.items():
        have = got.get(key)
        same = have == value if isinstance(value, str) else have is not None and not isinstance(have, str) and Fraction(have) == value
        if not same and value != "absent":
            wrong.append((key, str(value), str(have)))
    return lines, len(want), wrong


def main():
    if not os.path.isdir(FOLDER):
        print("1..0 # SKIP no recorded scrapes")
        return
    names = sorted(n for n in os.listdir(FOLDER) if n.endswith(".prom"))
    print("1..%d" % len(names))
    bad = 0
    for n, name in enumerate(names, 1):
        with open(os.path.join(FOLDER, name), encoding="utf-8") as f:
            lines, values, wrong = compare(f.read())
        good = lines > 0 and values > 0 and not wrong
        bad += not good
        print("%s %d - %s: %d lines, %d values held as written%s" % ("ok" if good else "not ok", n, name, lines, values,
                                                                   "" if good else ": %s" % wrong[:5]))
    sys.exit(1 if bad else 0)


main()
