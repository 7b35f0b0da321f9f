# SPDX-License-Identifier: Apache-2.0
"""What jobs and services say of themselves: overhead intervals, causes, step executions (part 3; part 9 cases 7, 8, 20)."""

from types import SimpleNamespace

OVERHEAD = (("save", "overhead.checkpoint"), ("restore", "overhead.restore"),
            ("eval", "overhead.evaluation"), ("warmup", "overhead.warmup"))
CAUSES = (("input_wait", "stalled.input"), ("save", "stalled.checkpoint"), ("comm_wait", "stalled.communication"))


def of_job(facts, job, *types):
    return [p for p in facts.progress.get(job.id, []) if p.type in types]


def steps(facts, job):
    return sorted((p for p in of_job(facts, job, "step") if p.step is not None), key=lambda p: p.t)


def quiet_service(facts, job, x):
    """Nothing running and nothing answered (part 4, rule 12)."""
    return any(s.a <= x < s.b and s.quiet for s in facts.services.get(job.id, []))


def overhead_at(facts, job, x):
    """E.13: active while the step counter stands still; a step strictly inside is no overhead (part 9, case 8)."""
    lines = of_job(facts, job, "step")
    for kind, leaf in OVERHEAD:
        for p in of_job(facts, job, kind):
            if p.t <= x < p.to and not any(p.t < s.t < p.to for s in lines):
                return leaf
    return "overhead.warmup" if quiet_service(facts, job, x) else None


def cause_at(facts, job, x):
    """Part 9, case 20: input, checkpoint, communication by evidence; None leaves it to the later causes."""
    for kind, leaf in CAUSES:
        if any(p.t <= x < p.to for p in of_job(facts, job, kind)):
            return leaf
    return None


def setup_event(facts, job):
    """F.2: first step, ready or first request (part 3, setup), or None."""
    times = [p.t for p in of_job(facts, job, "step", "ready")]
    times += [s.a for s in facts.services.get(job.id, []) if s.answered or (s.running or 0) > 0]
    return min(times, default=None)


def hang_from(facts, job):
    """Part 9, case 19: the first failure that no step or restore follows."""
    later = [p.t for p in of_job(facts, job, "step", "restore")]
    failures = [p.t for p in of_job(facts, job, "failure") if not any(t > p.t for t in later)]
    return min(failures, default=None)


def executions(facts, job):
    """G.3: [(step, a, b)] of one attempt in time order; between two lines steps are spread evenly (part 9, case 7)."""
    events = [(p.to, 0, p.step) for p in of_job(facts, job, "restore") if p.step is not None and p.done]
    events += [(p.t, 1, p.step) for p in steps(facts, job)]
    events.sort(key=lambda e: e[:2])
    done, counter = [], None
    for t, is_step, step in events:
        if not is_step:
            counter = (t, step)
        elif counter is None or step < counter[1]:
            done.append((step, t, t))
            counter = (t, step)
        elif step > counter[1]:
            span, count = t - counter[0], step - counter[1]
            for m in range(count):
                done.append((counter[1] + m + 1, counter[0] + m * span // count, counter[0] + (m + 1) * span // count))
            counter = (t, step)
    return done


def service_groups(facts, job):
    """G.6: intervals with nothing answered join the next (part 9, case 10); the last may stay open (None)."""
    groups, current = [], []
    for s in facts.services.get(job.id, []):
        current.append((s.a, s.b))
        if s.answered:
            tokens = s.tokens_ok + s.tokens_bad
            bad, total = (s.tokens_bad, tokens) if tokens > 0 else (s.bad, s.ok + s.bad)
            groups.append(SimpleNamespace(intervals=current, bad=bad, total=total))
            current = []
    if current:
        groups.append(SimpleNamespace(intervals=current, bad=None, total=None))
    return groups
