#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--pseudonyms: no name of a user, a job, a machine, a GPU or a file is left in any output; what is counted stays as it was; one key, one
name; and what is exported with pseudonyms is read again to the same report."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import ROOT, TARE, check, end, equal

FORMATS = ("text", "json", "csv", "md", "html")
INPUTS = ("examples/cluster-month", "examples/eight-gpus", "examples/kubernetes.json", "examples/gpu-log.csv",
          "tests/fixtures/report/training.json", "tests/fixtures/report/service.json", "tests/fixtures/report/rejects.json")
KEYS = ("user", "node,job", "cluster,pool,uuid,run,team,queue", "kind,service,outcome,model")


def tare(*args, status=(0, 4)):
    run = subprocess.run([TARE, *args], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode not in status:
        sys.exit("%s: %d %s" % (args, run.returncode, run.stderr.decode()))
    return run.stdout.decode(), run.stderr.decode()


def names_of(source):
    """What must not be seen: the names in the facts, but for plain numbers and words of two letters, which stand for other things too."""
    facts = json.loads(tare("export", source, "--format", "facts")[0])
    names = set()
    for job in facts.get("jobs", []):
        names |= {str(job[k]) for k in ("id", "user", "run", "name", "node_names") if job.get(k)}
    for device in facts.get("devices", []):
        names |= {str(device["id"]), str(device.get("node", ""))} | {str(m["id"]) for m in device.get("mig", [])}
    names |= {str(n["id"]) for n in facts.get("nodes", [])} | {str(c["node"]) for c in facts.get("capacity", []) if c.get("node")}
    kinds = {str(x.get("model")) for k in ("devices", "nodes", "capacity") for x in facts.get(k, [])}
    formats = set(re.findall(r"^  ?(\w+)", tare("formats")[0], re.M)) | {"policy", "prices"}
    return {n for n in names - kinds - formats if len(n) > 2 and not n.isdigit()} | {os.path.basename(source)}


def seen(names, text):
    """Names that stand in TEXT as words of their own."""
    words = set(re.findall(r"[\w./:@\[\]-]+", text)) | set(re.findall(r"[\w.-]+", text))
    return sorted(n for n in names if n in words or (re.search(r"\W", n) and n in text))


def without_names(doc):
    """What a report counts, no inputs; of groups their GPU-seconds to 0.01: what is left of rounding goes by the order of names."""
    doc = dict(doc, groups=sorted(round(g["paid"]["gpu_seconds"], 2) for g in doc.get("groups", [])))
    for key in ("inputs", "rejects", "notes", "node_power"):
        doc.pop(key, None)
    return doc


def one(source, key, other):
    names = names_of(source)
    name = os.path.basename(source)
    for number, form in enumerate(FORMATS):
        options = ["--format", form, "--top", "0", "--explain", "--matrix"]
        for by in KEYS if name != "cluster-month" else KEYS[number % 2:number % 2 + 1]:
            out, err = tare("report", source, "--pseudonyms", key, "--by", by, *options)
            equal("%s as %s by %s: no name is left" % (name, form, by), seen(names, out + err), [])
        out, err = tare("jobs", source, "--pseudonyms", key, "--format", form, "--top", "0")
        equal("%s: jobs as %s: no name is left" % (name, form), seen(names, out + err), [])
    plain = json.loads(tare("report", source, "--by", "user,node", "--format", "json")[0])
    hidden = json.loads(tare("report", source, "--by", "user,node", "--format", "json", "--pseudonyms", key)[0])
    equal(name + ": what is counted is as it was", without_names(hidden), without_names(plain))
    again = json.loads(tare("report", source, "--by", "user,node", "--format", "json", "--pseudonyms", key)[0])
    equal(name + ": the same key gives the same names", again, hidden)
    third = json.loads(tare("report", source, "--by", "user,node", "--format", "json", "--pseudonyms", other)[0])
    said = {v for d in (hidden,) for g in d["groups"] for k, v in g["key"].items() if v}
    check(not said & {v for g in third["groups"] for v in g["key"].values() if v}, name + ": another key gives other names")
    return names


def costless(value):
    """Money and energy go with the GPU that free time is booked on."""
    if isinstance(value, dict):
        return {k: costless(v) for k, v in value.items() if "cost" not in k and "joules" not in k and k != "depth"}
    return [costless(v) for v in value] if isinstance(value, list) else value


def exported(source, key, folder):
    """The document with pseudonyms says the same as the one without, but for what goes by the order of names: which of equal GPUs."""
    name, path = os.path.basename(source), os.path.join(folder, "hidden.json")
    out, _ = tare("export", source, "--format", "facts", "--pseudonyms", key)
    equal(name + ": no name is left in an export", seen(names_of(source), out), [])
    with open(path, "w", encoding="utf-8") as f:
        f.write(out)
    plain = os.path.join(folder, "plain.json")
    with open(plain, "w", encoding="utf-8") as f:
        f.write(tare("export", source, "--format", "facts")[0])
    reports = [json.loads(tare("report", p, "--format", "json")[0]) for p in (path, plain)]
    for key in ("paid", "successful", "layers", "window", "as_of", "unmet"):
        equal(name + ": and it is read again: " + key, *(costless(r[key]) for r in reports))


def main():
    with tempfile.TemporaryDirectory() as folder:
        key, other, short = (os.path.join(folder, n) for n in ("key", "other", "short"))
        for path, text in ((key, "correct horse battery staple\n"), (other, "incorrect horse battery staple\n"), (short, "horse\n")):
            with open(path, "w", encoding="ascii") as f:
                f.write(text)
        for source in INPUTS:
            one(source, key, other)
            exported(source, key, folder)
        copied = os.path.join(folder, "alice-secret")
        shutil.copytree(os.path.join(ROOT, "examples", "cluster-month"), copied)
        users = json.loads(tare("report", "examples/cluster-month", "--by", "user", "--format", "json", "--pseudonyms", key)[0])
        moved = json.loads(tare("report", copied, "--by", "user", "--format", "json", "--pseudonyms", key)[0])
        equal("where a file lies changes no user's name", moved["groups"], users["groups"])
        check("alice" not in json.dumps(moved), "no folder is named")
        for path, why in ((short, "the key in"), (os.path.join(folder, "none"), "none")):
            run = subprocess.run([TARE, "report", "examples/gpu-log.csv", "--pseudonyms", path], cwd=ROOT, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, check=False)
            check(run.returncode in (2, 3) and why in run.stderr.decode() and not run.stdout, "a bad key is said: " + why, run.stderr)
    sys.exit(end())


main()
