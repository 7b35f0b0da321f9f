# SPDX-License-Identifier: Apache-2.0
"""Figures that others published of their own data, as `tare report` prints them. Skipped where the data is not there. TAP."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.environ.get("TARE_SOURCE_ROOT", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TARE = os.environ.get("TARE_BINARY", os.path.join(ROOT, "build", "src", "tare"))
DATA = os.path.join(os.environ.get("TARE_SHARED", os.path.join(ROOT, "..", "shared")), "data")
MAPS = os.path.join(ROOT, "examples", "maps")
number, failed = 0, 0


def check(name, got, want, digits=0):
    global number, failed
    number += 1
    same = got is not None and round(float(got), digits) == round(float(want), digits)
    failed += not same
    print(f"{'ok' if same else 'not ok'} {number} - {name}")
    if not same:
        print(f"# got {got}, want {want}")


def report(files, *options):
    """The report as JSON, or None where a file is not there."""
    global number
    if not all(os.path.exists(f) for f in files):
        number += 1
        print(f"ok {number} - {os.path.basename(files[0])} # SKIP not here")
        return None
    run = subprocess.run([TARE, "report", *files, "--map", MAPS, "--format", "json", *options], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    if run.returncode:
        check(f"{os.path.basename(files[0])}: {run.stderr.decode(errors='replace')[:200]}", run.returncode, 0)
        return None
    return json.loads(run.stdout)


def data(*path):
    return os.path.join(DATA, *path)


def hours(doc, *accounts):
    names = accounts or [n for n in doc["accounts"] if not n.startswith(("free.", "down.")) and n != "unknown"]
    return sum(doc["accounts"][n]["gpu_seconds"] or 0 for n in names) / 3600


def value(doc, measure):
    return doc["measures"][measure]["value"]


def by_outcome(doc, outcome):
    return doc["outcomes"][outcome]["gpu_seconds"] / 3600


def phillips():
    doc = report([data("slurm-xdmod", "phillips.log")])
    if doc:
        check("phillips: jobs", doc["counts"]["jobs"], 4285)
        check("phillips: allocated GPU-hours", hours(doc), 506.9128, 4)
        check("phillips: wall hours", value(doc, "wall_hours"), 438.8203, 4)
        check("phillips: CPU hours", value(doc, "cpu_hours"), 11767.9883, 4)
        check("phillips: waiting hours", value(doc, "wait_hours"), 18829.9236, 4)


def supercloud():
    doc = report([data("slurm-mit-supercloud", "slurm-log-queueing-clean.csv")])
    if doc:
        check("supercloud: GPU jobs", doc["counts"]["gpu_jobs"], 2401)
        check("supercloud: GPU-hours", hours(doc), 43847)
        for outcome, share in (("completed", 39.7), ("cancelled", 32.6), ("timeout", 14.5), ("failed", 13.2)):
            check(f"supercloud: {outcome} %", 100 * by_outcome(doc, outcome) / hours(doc), share, 1)
        check("supercloud: oom %", 100 * by_outcome(doc, "oom") / hours(doc), 0.06, 2)
        check("supercloud: mean wait from eligible", value(doc, "queue_time_mean"), 7018.64, 2)
        check("supercloud: mean wait from submit", value(doc, "queue_time_from_submit_mean"), 7018.74, 2)


def openb():
    doc = report([data("k8s-openb-alibaba-2023", "openb_pod_list_default.csv"),
                  data("k8s-openb-alibaba-2023", "openb_node_list_all_node.csv")])
    if doc:
        for key, want in (("nodes", 1523), ("gpu_nodes", 1213), ("gpus", 6212), ("jobs", 8152), ("waiting_jobs", 897)):
            check(f"openb: {key}", doc["counts"][key], want)
        check("openb: GPU-hours", hours(doc), 51471)
        for outcome, want in (("ended", 46440), ("completed", 4095), ("failed", 936)):
            check(f"openb: GPU-hours of pods that {outcome}", by_outcome(doc, outcome), want)
        check("openb: half of the pods waited at most", value(doc, "wait_all_jobs_p50"), 2)
        check("openb: 99 % of the pods waited at most", value(doc, "wait_all_jobs_p99"), 908)
        check("openb: is said to be a sample", any("sample" in n and "6,212" in n for n in doc["notes"]), True)


def helios():
    doc = report([data("helios-2020", "vc6YE_cluster_sequence_vc.csv.gz")], "--since", "2020-05-01", "--until", "2020-06-01")
    if doc:
        check("helios: allocation %", 100 * value(doc, "allocation_rate"), 90.3, 1)
        check("helios: % of time with GPUs idle while jobs wait", 100 * value(doc, "free_while_wanted_share"), 45.7, 1)
        check("helios: blocked GPU-hours", hours(doc, "free.blocked"), 3402)


def inventories():
    doc = report([data("alibaba-spot-2026", "node_info_df.csv")])
    if doc:
        for key, want in (("nodes", 4278), ("models", 6), ("gpus", 10412)):
            check(f"spot: {key}", doc["counts"][key], want)
    doc = report([data("alibaba-dlrm-2025", "disaggregated_DLRM_trace.csv")])
    if doc:
        for key, want in (("jobs", 23871), ("services", 156), ("gpu_jobs", 7386)):
            check(f"dlrm: {key}", doc["counts"][key], want)
    packed = data("alibaba-pai-2020", "pai_machine_spec.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        if os.path.exists(packed):
            with tarfile.open(packed) as tar:
                tar.extract("pai_machine_spec.csv", folder)
        doc = report([os.path.join(folder, "pai_machine_spec.csv")])
    if doc:
        for key, want in (("nodes", 1897), ("gpus", 6742)):
            check(f"pai: {key}", doc["counts"][key], want)


phillips()
supercloud()
openb()
helios()
inventories()
print(f"1..{number}")
sys.exit(failed > 0)
