#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random valid facts documents: `histories.py --seed S --count N --out DIR [--coverage]`.

History i of a call has seed S + i and is the same whenever and wherever it is made. --coverage meters them with the oracle and
prints how many histories reach every account, fate, mark, unmet demand and cost; it exits 1 if one is never reached.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

from ledger import compute
from passes.facts import load
from passes.fragment import CLASSES
from passes.view import FATES, LEAVES

MODELS = ("H100", "A100", "A30", "L4")
SHARES = ("1/3", "2/7", "450/1000", 0.5, "1/2", "1/7", "3/4", 1)
OUTCOMES = ("completed", "completed", "failed", "node_failed", "oom", "timeout", "cancelled", "preempted", "running", "ended")
SIGNALS = ("busy", "busy", "idle", "idle", "spin", "link", "memory", "util", "weak_idle", "power", "vacant_power", "broken",
           "empty", "foreign", "reason", "nothing", "missing", "missing")


class Counter:
    """Energy, power and depth readings of one device: any of them may be missing, and the counter may misbehave."""

    def __init__(self, rng):
        self.rng = rng
        self.has_counter, self.has_power, self.has_depth = (rng.random() < p for p in (0.4, 0.5, 0.4))
        self.wraps = rng.random() < 0.2
        self.joules = 2 ** 32 / 1000 - rng.randint(0, 40000) if self.wraps else rng.randint(0, 900000)

    def read(self, r, period):
        rng, fault = self.rng, self.rng.random()
        if self.has_power and fault < 0.9 and "power" not in r:
            r["power"] = rng.choice((0, 65, 71.2345, 480, 512.001))
        if self.has_power and fault < 0.1:
            r["vacant_power"] = rng.choice((60, 70.5))
        if self.has_counter:
            if fault < 0.06:
                self.joules = rng.choice((0, 17))
            elif fault > 0.12:
                self.joules += rng.choice((60, 71.337, 500, 500, 700)) * period / 1000
            if self.wraps and self.joules * 1000 >= 2 ** 32:
                self.joules -= 2 ** 32 / 1000
            if fault < 0.95:
                r["energy"] = round(self.joules + (10 ** 9 if fault > 0.94 else 0), 3)
        if self.has_depth:
            for name, values in (("tensor", (0, 4, 33.3)), ("sm_clock", (345, 1410, 1980)), ("sm_clock_max", (0, 1980)), ("mem_util", (3, 50)),
                                 ("occupancy", (12.5, 50)), ("mem_size", (81559,)), ("mem_used", (2000, 70000.5)),
                                 ("mem_clock", (2619,)), ("mem_clock_max", (2619, 3200))):
                if name not in r and rng.random() < 0.4:
                    r[name] = rng.choice(values)


class History:
    """One random document; every method adds one kind of facts."""

    def __init__(self, seed, crowd=False):
        self.crowd = crowd
        self.rng = random.Random(seed)
        self.length = self.rng.choice((60, 90, 120, 200, 300)) * 1000
        self.doc = {}
        self.devices, self.pools, self.jobs, self.allocations = [], [], [], []

    def chance(self, p):
        return self.rng.random() < p

    def when(self, low=0, high=None):
        """A time, mostly a multiple of 1 s."""
        high = self.length if high is None else high
        if high <= low:
            return low
        if self.chance(0.15):
            return self.rng.randint(low, high)
        return min(high, max(low, self.rng.randint(low // 1000, high // 1000) * 1000))

    def span(self, low=0, high=None):
        a, b = sorted((self.when(low, high), self.when(low, high)))
        return a, max(b, a + 1)

    def add_hardware(self):
        rng = self.rng
        for n in range(rng.randint(1, 4) if self.chance(0.9) else 0):
            model, with_mig = rng.choice(MODELS), self.chance(0.15)
            for i in range(rng.randint(1, 6 if n == 0 else 2)):
                device = {"id": f"g{n}{i}", "node": f"n{n}", "model": model}
                if with_mig and model != "L4":
                    self.add_mig(device)
                self.devices.append(device)
        for p in range(rng.choice((0, 0, 0, 1, 2)) if self.devices else 1):
            self.pools.append({"pool": rng.choice((f"p{p}", "n9")), "model": rng.choice(MODELS)})
        self.doc["devices"] = self.devices

    def add_mig(self, device):
        total = 4 if device["model"] == "A30" else 7
        if self.chance(0.5):
            device["slices"] = total
        device["mig"], left = [], total
        while left and self.chance(0.75):
            slices = self.rng.choice([s for s in (1, 2, 3, 4) if s <= left])
            device["mig"].append({"id": f"{device['id']}-m{len(device['mig'])}", "slices": slices})
            left -= slices
        if not device["mig"]:
            del device["mig"]
        elif self.chance(0.4):
            self.change_layout(device, total)

    def change_layout(self, device, total):
        """A new layout from some time on: ids may come again, with another size or the same."""
        first, at, left = device["mig"], self.when(1000), total
        for part in first:
            part["to"] = at
            if self.chance(0.2):
                part["from"] = self.when(0, at)
        if self.chance(0.2):
            device["mig"].append({"id": device["id"], "slices": total, "from": at})
            return
        while left and self.chance(0.75):
            slices = self.rng.choice([s for s in (1, 2, 3, 4) if s <= left])
            name = f"{device['id']}-m{self.rng.choice((0, 1, 7, 8)) + total - left}"
            if not any(p["id"] == name and "to" not in p for p in device["mig"]):
                device["mig"].append({"id": name, "slices": slices, "from": at})
                left -= slices

    def add_capacity(self):
        if self.chance(0.08):
            return
        entries = self.doc["capacity"] = []
        for device in self.devices:
            if self.chance(0.04):
                continue
            end = self.length if self.chance(0.85) else self.length + 20000
            entries.append({"device": device["id"], "from": 0 if self.chance(0.9) else self.when(0, 20000), "to": end, "state": "up"})
            for _ in range(self.rng.choice((0, 0, 0, 1, 1, 2))):
                entries.append(self.event({"device": device["id"]}))
        for pool in self.pools:
            for _ in range(self.rng.choice((1, 1, 2, 3))):
                a, b = (0, self.length) if self.chance(0.6) else self.span()
                entry = {**pool, "count": self.rng.randint(0, 6), "from": a, "to": b, "source": self.rng.choice(("s1", "s1", "s2"))}
                entry["state"] = self.rng.choice(("up", "up", "up", "draining", "down.failed", "down.planned", "down.starting"))
                entries.append(entry)
        if self.chance(0.3):
            self.rng.shuffle(entries)

    def event(self, entry):
        a, b = self.span()
        entry.update({"from": a, "to": b, "state": self.rng.choice(
            ("up", "draining", "draining", "down.failed", "down.planned", "down.starting"))})
        if self.chance(0.5):
            entry["gone"] = True
        if self.chance(0.4):
            entry["at"] = self.when(0, b)
        return entry

    def add_scheduler(self):
        if self.chance(0.75):
            self.doc["scheduler"] = [[0, self.length]]
        elif self.chance(0.7):
            self.doc["scheduler"] = [list(self.span()) for _ in range(self.rng.randint(1, 2))]
        if self.chance(0.3):
            self.doc["nodes"] = [{"id": f"n{self.rng.randint(0, 3)}", "exhausted": [list(self.span())]}]

    def add_jobs(self):
        count = self.rng.randint(0, 8) if self.chance(0.92) else 0
        for i in range(count):
            job = {"id": self.rng.choice((f"j{i}", f"{i}", f"{i}e5")), "kind": self.rng.choices(
                ("batch", "interactive", "service", "ci"), (7, 1, 2, 1))[0]}
            if self.chance(0.15):
                job["user"] = self.rng.choice(("ann", "bob"))
            if self.chance(0.3):
                job["run"] = self.rng.choice(("R", "R", "12", "1e5", "2.0"))
            self.jobs.append(job)
            if self.chance(0.3):
                self.wait(job)
            else:
                self.place(job, *self.span(0, self.length))
        if self.crowd:
            self.add_crowd()
        if self.chance(0.4):
            self.requeue()
        self.doc["jobs"], self.doc["allocations"] = self.jobs, self.allocations

    def add_crowd(self):
        """A long queue of small jobs of few kinds, that come and go: what the meter keeps from one division to the next."""
        own, alone = ("X1", "X2"), self.chance(0.6)
        for model in own:
            self.doc.setdefault("capacity", []).append({"pool": f"big{model}", "model": model, "from": 0, "to": self.length, "state": "up",
                                                        "count": self.rng.randint(10, 60)})
        for i in range(self.rng.randint(80, 160)):
            job = {"id": f"c{i}"}
            self.wait(job)
            del job["submit"]
            a, b = self.when(0, self.length // 2), self.when(self.length // 2)
            job.update({"eligible": a, "end": b, "outcome": "cancelled", "gpus": self.rng.choice((1, 1, 1, 2, 3))})
            for key in ("per_node", "models", "pools"):
                if (alone and key != "per_node") or not self.chance(0.3):
                    job.pop(key, None)
            if alone or self.chance(0.5):
                job["models"] = [self.rng.choice(own)]
            self.jobs.append(job)

    def wait(self, job):
        job.update({"outcome": None, "gpus": self.rng.randint(1, 5), "submit": self.when(0, self.length // 2)})
        self.want(job)
        if self.chance(0.15):
            job.update({"outcome": "cancelled", "end": self.when(job["submit"])})

    def want(self, job):
        rng = self.rng
        for key, p, value in (("eligible", 0.4, self.when(job["submit"])), ("priority", 0.3, rng.randint(0, 3)),
                              ("reason", 0.25, "policy"), ("per_node", 0.3, rng.randint(1, 3)), ("share", 0.2, rng.choice((0.5, "1/3", "1/7", 0.0001, 0.9))),
                              ("models", 0.4, rng.sample(MODELS, rng.randint(1, 2))), ("pools", 0.1, [rng.choice(("p0", "n0"))])):
            if self.chance(p):
                job[key] = value

    def place(self, job, a, b):
        job.update({"start": a, "end": b, "outcome": self.rng.choice(OUTCOMES)})
        if job["outcome"] == "running" and self.chance(0.7):
            del job["end"]
        if self.chance(0.3):
            job["submit"] = self.when(0, a)
        if self.chance(0.2):
            job["requested"] = self.rng.randint(1, 2)
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            self.allocate(job)

    def allocate(self, job):
        rng, kind = self.rng, self.rng.random()
        instances = [m["id"] for d in self.devices for m in d.get("mig", [])]
        entry = {"job": job["id"]}
        if instances and kind < 0.35:
            entry["instance"] = rng.choice(instances)
        elif self.devices and kind < 0.72:
            entry["device"] = rng.choice(self.devices)["id"]
        elif self.devices and kind < 0.88:
            entry.update({"node": rng.choice(self.devices)["node"], "count": rng.randint(1, 3)})
        elif self.pools:
            entry.update({"pool": rng.choice(self.pools)["pool"], "count": rng.randint(1, 3)})
        else:
            entry.update({"node": "nx", "count": rng.randint(1, 2)})
        if self.chance(0.3):
            entry["share"] = rng.choice(SHARES)
        if self.chance(0.1):
            entry["from"], entry["to"] = self.span(job["start"], job.get("end", self.length))
        self.allocations.append(entry)

    def requeue(self):
        """Attempts of one run on one device, with saves and restores."""
        if not self.devices:
            return
        device, t, saved = self.rng.choice(self.devices)["id"], self.when(0, 20000), None
        for k in range(self.rng.randint(2, 3)):
            end = min(self.length, t + self.rng.randint(10, 40) * 1000)
            if end - t < 5000:
                return
            job = {"id": f"q{k}", "run": "Q", "gpus": 1, "start": t, "end": end, "submit": max(0, t - 2000)}
            job["outcome"] = self.rng.choice(("failed", "preempted", "oom", "timeout", "cancelled") if k == 0 else OUTCOMES)
            self.jobs.append(job)
            self.allocations.append({"job": job["id"], "device": device})
            saved = self.train(job["id"], t, end, saved)
            t = end + self.rng.choice((0, 1000, 5000))

    def train(self, job, a, b, restored=None):
        """Step lines, saves and so on; returns the last step saved."""
        rng, step, saved, t = self.rng, 0, restored, a + self.rng.choice((0, 1000, 2500))
        if restored is not None:
            self.say(job, t, "restore", to=t + 2000, step=restored)
            step, t = restored, t + 2000
        while t < b and self.chance(0.93):
            t += rng.choice((1000, 2000, 3000, 1777))
            kind = rng.choice(("step", "step", "step", "save", "eval", "warmup", "input_wait", "comm_wait", "back", "ready", "failure"))
            if kind == "step":
                step += rng.choice((1, 1, 2, 3))
                self.say(job, t, "step", step=step)
            elif kind == "save":
                saved = step
                self.say(job, t, "save", to=t + rng.choice((0, 1000, 6000)), step=step)
            elif kind == "back" and saved is not None and self.chance(0.4):
                step = saved
                self.say(job, t, "restore", to=t + 1000, **({"step": step} if self.chance(0.8) else {}))
            elif kind in ("ready", "failure"):
                if self.chance(0.2):
                    self.say(job, t, kind)
            elif kind != "back":
                self.say(job, t, kind, to=t + rng.choice((1000, 3000, 8000)))
        return saved

    def say(self, job, t, kind, **more):
        if t <= self.length and more.get("to", 0) <= self.length + 5000:
            self.doc.setdefault("progress", []).append({"job": job, "t": t, "type": kind, **more})

    def add_words(self):
        """Progress of other jobs and service facts."""
        for job in self.jobs:
            if "start" not in job or job["id"].startswith("q"):
                continue
            end = job.get("end", self.length)
            if job["kind"] == "service" and self.chance(0.8):
                self.serve(job, end)
            elif self.chance(0.35):
                self.train(job["id"], job["start"], end)

    def serve(self, job, end):
        t, step = job["start"] + self.rng.choice((0, 0, 3000)), self.rng.choice((5000, 10000, 15000))
        while t + step <= end and self.chance(0.93):
            entry = {"job": job["id"], "from": t, "to": t + step, "ok": self.rng.choice((0, 0, 3, 7)), "bad": self.rng.choice((0, 0, 1, 2))}
            if self.chance(0.7):
                entry["running"] = self.rng.choice((0, 0, 1))
            if self.chance(0.3) and entry["ok"] + entry["bad"]:
                entry.update({"tokens_ok": self.rng.randint(0, 100), "tokens_bad": self.rng.randint(0, 50)})
            self.doc.setdefault("services", []).append(entry)
            t += step + self.rng.choice((0, 0, 0, 2000))
        if self.chance(0.3):
            self.doc.setdefault("policy", {}).setdefault("headroom", {})[job["id"]] = self.rng.choice((1, 2, 0.5))

    def add_samples(self):
        ids = [d["id"] for d in self.devices] + [m["id"] for d in self.devices for m in d.get("mig", [])]
        for device in ids:
            if self.chance(0.75):
                self.sample(device)

    def sample(self, device):
        rng, samples = self.rng, self.doc.setdefault("samples", [])
        period = rng.choice((1000, 2000, 5000, 10000, 10000))
        if self.length // period > 60:
            period = 5000
        point, stated = self.chance(0.2), self.chance(0.8)
        if point and self.chance(0.6):
            period = max(period, 10000)
        lists, memory, t, left = self.chance(0.6), self.chance(0.3), self.when(0, period), 0
        counter = Counter(rng)
        while t <= self.length:
            if not left:
                signal, left = rng.choice(SIGNALS), rng.choice((1, 1, 2, 4, 8))
            left -= 1
            if signal != "missing":
                samples.append(self.reading(device, t, period if stated else None, point, signal, lists, memory))
                counter.read(samples[-1]["r"], period)
                if self.chance(0.02):  # the same time from two inputs
                    samples.append(self.reading(device, t, period if stated else None, point, rng.choice(SIGNALS[:4]), lists, memory))
            t += period + (rng.choice((0, 0, 0, 250, 3 * period)) if self.chance(0.1) else 0)

    def reading(self, device, t, period, point, signal, lists, memory):
        rng = self.rng
        r = {"busy": {"sm": rng.choice((5, 50, 90.5))}, "idle": {"sm": rng.choice((0, 4.9)), "dram": 1},
             "spin": {"sm": 90, "tensor": 0, "fp16": 0, "fp32": 1, "fp64": 0, "dram": 2, "nvlink": 0.1},
             "link": {"sm": 1, "pcie": rng.choice((1, 0.9, 12))}, "memory": {"sm": 0, "dram": 30} if self.chance(0.5) else {"dram": 30},
             "util": {"gpu_util": 70}, "weak_idle": {"gpu_util": 0, "nvlink": 0.2}, "power": {"power": 400, "power_limit": 700},
             "vacant_power": {"power": rng.choice((65, 80)), "power_limit": 700, "vacant_power": 70},
             "broken": {"sm": 0, "tensor": 0, "dram": 0, "gpu_util": 95, "power": 500, "power_limit": 700},
             "empty": {"gr": 0}, "foreign": {"gr": 40}, "reason": {"idle_reason": 1}, "nothing": {"power": 90}}[signal]
        sample = {"device": device, "t": t, "r": dict(r)}
        if period is not None:
            sample["period"] = period
        if point:
            sample["kind"] = "point"
        if memory:
            sample["r"].update({"mem_used": rng.choice((650, 40000, 690)), "mem_reserve": 600})
        if lists and signal != "nothing":
            here = [a["job"] for a in self.allocations if a.get("device", a.get("instance")) == device or device[:2] == "g" + a.get("node", "xx")[1:]]
            sample["procs"] = [] if signal == "empty" else ["stranger"] if signal == "foreign" else rng.sample(here, rng.randint(min(1, len(here)), len(here)))
        return sample

    def add_view(self):
        rng, doc = self.rng, self.doc
        if self.chance(0.35):
            doc["window"] = list(self.span())
        if self.chance(0.15):
            doc["as_of"] = self.when(self.length // 2, self.length + 10000)
        options = doc["options"] = {}
        for key, p, value in (("setup_max", 0.7, rng.choice((0, 5000, 10000, 20000))), ("skew", 0.3, rng.choice((0, 2000))),
                              ("kept", 0.3, "saved"), ("count", 0.2, {rng.choice(("timeout", "preempted", "cancelled")): "lost"})):
            if self.chance(p):
                options[key] = value
        if self.chance(0.4):
            cut = self.when()
            doc["prices"] = [{"from": 0, "to": cut, "model": None, "per_gpu_hour": "2.00"},
                             {"from": cut, "to": self.length + 30000, "model": None, "per_gpu_hour": "3.5"}]
            if self.chance(0.4):
                doc["prices"].append({"from": 0, "to": self.length + 30000, "model": "H100", "per_gpu_hour": "4.99"})
        if self.chance(0.25):
            entry = {"gpus": rng.randint(1, 3)}
            if self.chance(0.4):
                entry["model"] = rng.choice(MODELS)
            if self.chance(0.3):
                entry["from"], entry["to"] = self.span()
            doc.setdefault("policy", {})["reserve"] = [entry]

    def add_room(self):
        """CPUs and memory of nodes and jobs, and jobs that hold nothing else."""
        rng = self.rng = random.Random(self.rng.random())
        if not self.chance(0.6):
            return
        nodes, sometimes = self.doc.setdefault("nodes", []), rng.choice((0.3, 0.95, 1))
        for node in sorted({d["node"] for d in self.devices}):
            entry = {"id": node, rng.choice(("cpus", "cpus", "cpu_milli")): rng.choice((8, 16, 64)), "memory_mib": rng.choice((100, 1000, 4000))}
            if "cpu_milli" in entry:
                entry["cpu_milli"] = entry["cpu_milli"] * 1000 - rng.choice((0, 500))
            nodes += [{k: v for k, v in entry.items() if k == "id" or self.chance(0.9)} for _ in range(rng.choice((1, 1, 1, 2)))]
        for job in self.jobs:
            for key, values in (("cpus", (1, 4, 8, 13)), ("cpu_milli", (250, 3333, 0)), ("memory_mib", (10, 100, 333, 999))):
                if self.chance(sometimes if key != "cpu_milli" else 0.1):
                    job[key] = rng.choice(values)
            if "start" in job and self.chance(0.1):
                job["node_names"] = rng.choice(("n0", "n1", "n0,n1", "n0,n9"))
        for i in range(rng.randint(0, 3)):
            a, b = self.span()
            self.jobs.append({"id": f"cpu{i}", "gpus": 0, "start": a, "end": b, "outcome": rng.choice(OUTCOMES[:-1]), "node_names": rng.choice(("n0", "n1", "n0,n2")),
                              "cpus": rng.choice((1, 8, 8, 16)), "memory_mib": rng.choice((10, 50, 500))})

    def make(self):
        for step in (self.add_hardware, self.add_capacity, self.add_scheduler, self.add_jobs, self.add_words,
                     self.add_samples, self.add_view, self.add_room):
            step()
        return self.doc


def make(seed, crowd=False):
    """The document of one seed, also without Python's cleverness about equal ids: ids of jobs are unique."""
    document = History(seed, crowd).make()
    ids = [job["id"] for job in document.get("jobs", [])]
    assert len(ids) == len(set(ids))
    return document


def cover(paths):
    counts = dict.fromkeys(list(LEAVES) + [f"fate {f}" for f in FATES + ("-",)]
                           + [f"mark {m}" for m in ("retry", "unrequested", "hang", "never_started")]
                           + ["unmet", "cost", "free and down null"] + ["fragment " + k for k in ("tasks", "idle", *CLASSES)], 0)
    began = time.monotonic()
    for path in paths:
        result = compute(load(path), path.stem)
        assert "error" not in result, result
        seen = [leaf for leaf, v in result["accounts"].items() if v]
        seen += {f"fate {f}" for row in result["matrix"].values() for f, v in row.items() if v}
        seen += [f"mark {m}" for m, v in result["marks"].items() if v]
        seen += ["fragment " + k for k, v in zip(("tasks", "idle", *CLASSES), result["fragment"]) if v]
        seen += ["unmet"] * bool(result["unmet"]) + ["cost"] * (result["cost"] not in (None, "0"))
        seen += ["free and down null"] * (result["accounts"]["free.idle"] is None)
        for name in seen:
            counts[name] += 1
    for name, count in counts.items():
        print(f"{name:24} {count:6}{'' if count else '   never'}")
    print(f"# {len(paths)} histories in {time.monotonic() - began:.1f} s", file=sys.stderr)
    return 0 if all(counts.values()) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--crowd", action="store_true", help="with a long queue in each")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    paths = []
    for seed in range(options.seed, options.seed + options.count):
        paths.append(options.out / f"history-{seed:06}.json")
        document = {"name": paths[-1].stem, "facts": make(seed, options.crowd)}
        paths[-1].write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return cover(paths) if options.coverage else 0


if __name__ == "__main__":
    sys.exit(main())
