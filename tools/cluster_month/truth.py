# SPDX-License-Identifier: Apache-2.0
"""What the simulation knows, in GPU-milliseconds. Taken from its own records, never from the printed files."""
import json
from fractions import Fraction

from files import OWNED_MONTHLY, PRICES, SPARE_GPUS, in_dump, stamp
from sim import END, START

OUTCOMES = {"COMPLETED": "completed", "FAILED": "failed", "NODE_FAIL": "node_failed", "OUT_OF_MEMORY": "oom",
            "TIMEOUT": "timeout", "CANCELLED": "cancelled", "PREEMPTED": "preempted", "RUNNING": "running",
            "PENDING": "waiting"}
HOURS_PER_MONTH = 730


def clip(a, b):
    """Seconds of [a, b) in the month."""
    return max(0, min(b, END) - max(a, START))


def add(table, key, n):
    table[key] = table.get(key, 0) + n


def sweep(nodes, attempts, reserve):
    """Free GPU-seconds of some nodes as the two dumps show them: split by who claims them."""
    changes = {START: [], END: []}

    def at(t, what, key, n):
        changes.setdefault(min(max(t, START), END), []).append((what, key, n))

    for job, a in attempts:
        until = a.end if a.end is not None else END
        if a.start is not None:
            for node, gpus, _ in a.places:
                at(a.start, "held", node.name, gpus)
                at(until, "held", node.name, -gpus)
        if job.gpus:
            waits_until = a.start if a.start is not None else until
            if waits_until > a.eligible:
                at(a.eligible, "waiting", None, job.gpus)
                at(waits_until, "waiting", None, -job.gpus)
    for node in nodes:
        if node.reason:
            at(node.reason[2], "out", node.name, 1)
    held, out, waiting = {n.name: 0 for n in nodes}, set(), 0
    sums = {"free": 0, "reserved": 0, "claimed": 0, "idle": 0, "waiting": 0}
    down = {n.name: 0 for n in nodes if n.reason}
    before = START
    for t in sorted(changes):
        seconds = t - before
        free = sum(n.gpus - held[n.name] for n in nodes if n.name not in out)
        kept = min(free, reserve)
        claimed = min(free - kept, waiting)
        for key, n in (("free", free), ("reserved", kept), ("claimed", claimed), ("idle", free - kept - claimed),
                       ("waiting", waiting)):
            sums[key] += n * seconds
        for n in nodes:
            if n.name in out:
                down[n.name] += (n.gpus - held[n.name]) * seconds
        for what, key, n in changes[t]:
            if what == "held":
                held[key] += n
            elif what == "out":
                out.add(key)
            else:
                waiting += n
        before = t
    return dict(sums, down=down)


def cost_of(model, from_s, to_s, gpus):
    total = Fraction(0)
    for accelerator, since, until, amount, per, _ in PRICES:
        if accelerator.lower() == model:
            hourly = Fraction(amount) / (HOURS_PER_MONTH if per == "month" else 1)
            total += hourly * max(0, min(to_s, until) - max(from_s, since)) * gpus / 3600
    return total


def quantile(ordered, q):
    """Between the two nearest ranks, linearly."""
    at = q * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (at - low))


def waits_of(rows):
    """Of attempts with GPUs that started in the month."""
    waits = [(a.start - a.eligible, job.gpus) for job, a in rows if a.start is not None and a.start >= START and job.gpus]
    ordered = sorted(w for w, _ in waits)
    return {"comment": "Start - eligible of every attempt with GPUs that started in the month.", "attempts": len(waits),
            "p50": quantile(ordered, Fraction(1, 2)), "p95": quantile(ordered, Fraction(95, 100)),
            "p99": quantile(ordered, Fraction(99, 100)), "max": ordered[-1],
            "gpu_weighted_mean": float(Fraction(sum(w * g for w, g in waits), sum(g for _, g in waits)))}


def costs_of(sim, rows):
    """In cents. A run is all attempts of one job; it counts if its last attempt ended in the month."""
    runs, failed, done = {}, Fraction(0), Fraction(0)
    paid = sum((cost_of(n[0].model, START, END, sum(x.gpus for x in n)) for n in sim.parts.values()), Fraction(0))
    for job, a in rows:
        if not job.gpus or a.start is None:
            continue
        outcome = OUTCOMES[a.state.split()[0]]
        money = cost_of(a.places[0][0].model, max(a.start, START), end_of(a), job.gpus)
        failed += money if outcome in ("failed", "node_failed", "oom") else 0
        done += money if outcome == "completed" and job.partition != "interactive" else 0
        before, _ = runs.get(job.raw, (Fraction(0), None))
        runs[job.raw] = (before + money, outcome)
    ended = [money for money, outcome in runs.values() if outcome == "completed"]
    return {"currency": "USD", "paid_cents": round(paid * 100), "completed_batch_cents": round(done * 100),
            "failed_cents": round(failed * 100), "completed_runs": len(ended),
            "cents_per_completed_run": float(round(sum(ended) / len(ended) * 100, 6)),
            "comment": "%d USD a month is %d hours; rounded once." % (OWNED_MONTHLY, HOURS_PER_MONTH)}


def end_of(a):
    return a.end if a.end is not None else END


def ms(table):
    return {k: v * 1000 for k, v in sorted(table.items())}


def build(sim):
    by_outcome, by_user, by_team, by_pool, attempts_by, jobs_by = {}, {}, {}, {}, {}, {}
    interactive, rows, cpu_seconds = {}, [], 0
    for job in sim.jobs:
        shown = [a for a in job.attempts if in_dump(a)]
        if shown:
            add(jobs_by, OUTCOMES[shown[-1].state.split()[0]], 1)
        for a in shown:
            rows.append((job, a))
            outcome = OUTCOMES[a.state.split()[0]]
            add(attempts_by, outcome, 1)
            if a.start is None:
                continue
            seconds = clip(a.start, end_of(a))
            cpu_seconds += seconds * job.cpus
            for table, key in ((by_outcome, outcome), (by_user, job.user), (by_team, job.account), (by_pool, job.partition)):
                add(table, key, seconds * job.gpus)
            if job.partition == "interactive":
                add(interactive, outcome, seconds * job.gpus)
    pools = {p: sweep(nodes, [r for r in rows if r[0].partition == p], SPARE_GPUS if p == "h100" else 0)
             for p, nodes in sim.parts.items()}
    gpus = {p: sum(n.gpus for n in nodes) for p, nodes in sim.parts.items()}
    paid = sum(gpus.values()) * (END - START)
    allocated = sum(by_outcome.values())
    assert paid == allocated + sum(p["free"] + sum(p["down"].values()) for p in pools.values())
    return {
        "window": {"from": stamp(START) + "Z", "to": stamp(END) + "Z"},
        "gpus": gpus,
        "paid_gpu_ms": paid * 1000,
        "allocated_gpu_ms": allocated * 1000,
        "successful_gpu_ms": (by_outcome["completed"] - interactive["completed"]) * 1000,
        "allocated_by_outcome_gpu_ms": ms(by_outcome),
        "of_which_interactive_gpu_ms": ms(interactive),
        "allocated_by_user_gpu_ms": ms(by_user),
        "allocated_by_team_gpu_ms": ms(by_team),
        "allocated_by_queue_gpu_ms": ms(by_pool),
        "as_the_dumps_show": {
            "comment": "Nodes that failed and came back within the month are only in the accounting of their jobs: "
                       "a node dump shows what is down now. `reserved` needs policy.yaml. A job that waits claims only "
                       "what is free in its own partition.",
            "free_gpu_ms": ms({p: s["free"] for p, s in pools.items()}),
            "reserved_gpu_ms": ms({p: s["reserved"] for p, s in pools.items()}),
            "claimed_by_waiting_gpu_ms": ms({p: s["claimed"] for p, s in pools.items()}),
            "idle_gpu_ms": ms({p: s["idle"] for p, s in pools.items()}),
            "down_gpu_ms": ms({n: s for p in pools.values() for n, s in p["down"].items()}),
        },
        "really_down_gpu_ms": sum(clip(a, b) * n.gpus for n in sim.nodes for a, b in n.down) * 1000,
        "waiting_gpu_ms": ms({p: s["waiting"] for p, s in pools.items()}),
        "waits_s": waits_of(rows),
        "cpu_ms": cpu_seconds * 1000,
        "jobs": sum(jobs_by.values()), "jobs_by_outcome": dict(sorted(jobs_by.items())),
        "attempts": len(rows), "attempts_by_outcome": dict(sorted(attempts_by.items())),
        "cost": costs_of(sim, rows),
    }


def truth(sim):
    return json.dumps(build(sim), indent=1) + "\n"
