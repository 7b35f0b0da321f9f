# SPDX-License-Identifier: Apache-2.0
"""Fates: what an attempt's time was worth (part 3 "Fates", part 9 cases 7-10 and 19; decisions G)."""

import re
from types import SimpleNamespace

from . import progress
from .capacity import key

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
INTEGER = re.compile(r"[+-]?\d+")
LOST = ("failed", "node_failed", "oom")
BY_OUTCOME = {"completed": "productive", "failed": "lost", "node_failed": "lost", "oom": "lost", "cancelled": "cancelled",
              "preempted": "preempted", "timeout": "timeout", "running": "pending", "ended": "unjudged"}


def run_key(job):
    """Part 9, case 19: an id that is not an integer as written is no run key."""
    if job.run is None or (NUMBER.fullmatch(job.run) and not INTEGER.fullmatch(job.run)):
        return None
    return job.run, job.user


def make_runs(facts):
    """G.2: [run] with its attempts in order, completed, going."""
    keyed, runs = {}, []
    for job in facts.jobs.values():
        keyed.setdefault(run_key(job) or ("", job.id, None), []).append(job)
    for jobs in keyed.values():
        started = sorted((j for j in jobs if j.start is not None), key=lambda j: (j.start, key(j.id)))
        waiting = any(j.start is None and j.end is None for j in jobs)
        joined, alone, end = [], [], None
        for job in started:
            if end is None or job.start >= end:
                joined.append(job)
                end = facts.as_of if job.end is None else job.end
            else:
                alone.append(job)
        runs += [_run(joined, waiting)] if joined else []
        runs += [_run([job], False) for job in alone]
    return runs


def _run(attempts, waiting):
    return SimpleNamespace(attempts=attempts, completed=any(j.outcome == "completed" for j in attempts),
                           going=waiting or any(j.outcome == "running" for j in attempts))


def _lost_steps(facts, run, fate):
    """Part 9, case 7: every execution of a step but the last is lost."""
    done = [(job, step, a, b) for job in run.attempts for step, a, b in progress.executions(facts, job)]
    last = {step: i for i, (_, step, _, _) in enumerate(done)}
    for i, (job, step, a, b) in enumerate(done):
        if last[step] != i and a < b:
            fate[job.id].lost.append((a, b))


def _kept(facts, run, fate):
    """Part 9, case 8."""
    if not (run.completed or run.going):
        return
    saves = {job.id: [p for p in progress.of_job(facts, job, "save") if p.done] for job in run.attempts}
    for job in run.attempts:
        fate[job.id].saved = max((p.t for p in saves[job.id]), default=None)
    for k, job in enumerate(run.attempts):
        for restore in progress.of_job(facts, job, "restore"):
            for earlier in reversed(run.attempts[:k]):
                fitting = [p.t for p in saves[earlier.id]
                           if p.to <= restore.t and restore.step in (None, p.step)]
                if fitting:
                    f = fate[earlier.id]
                    f.kept = max(fitting) if f.kept is None else max(f.kept, max(fitting))
                    break


class Fates:
    def __init__(self, facts):
        self.facts, self.jobs = facts, {}
        for job in facts.jobs.values():
            self.jobs[job.id] = SimpleNamespace(lost=[], kept=None, saved=None, retry=False,
                                                hang=progress.hang_from(facts, job), groups=None)
            if job.kind == "service":
                self.jobs[job.id].groups = progress.service_groups(facts, job)
        for run in make_runs(facts):
            for before, after in zip(run.attempts, run.attempts[1:]):
                self.jobs[after.id].retry = before.outcome in LOST
            batch = [j for j in run.attempts if j.kind not in ("interactive", "service")]
            if batch:
                _lost_steps(facts, run, self.jobs)
                _kept(facts, run, self.jobs)

    def cuts(self):
        times = []
        for fate in self.jobs.values():
            times += [t for span in fate.lost for t in span]
            times += [t for t in (fate.kept, fate.saved, fate.hang) if t is not None]
            for group in fate.groups or []:
                times += [t for span in group.intervals for t in span]
        return times

    def _service(self, job, fate, x):
        if not fate.groups:
            return "unjudged", None
        for group in fate.groups:
            if any(a <= x < b for a, b in group.intervals):
                return ("pending", None) if group.total is None else ("service", group)
        after = x >= fate.groups[-1].intervals[-1][1]
        return ("pending" if after and job.end is None else "unjudged"), None

    def at(self, job, x):
        """(fate, group, could be kept by a save, successful): fate "service" is split by its group."""
        if job.kind == "unscheduled" or job.kind == "interactive":
            return "unjudged", None, False, False
        fate = self.jobs[job.id]
        if job.kind == "service":
            return (*self._service(job, fate, x), False, False)
        limits = [fate.kept] + ([fate.saved] if self.facts.kept == "saved" else [])
        kept = any(t is not None and x < t for t in limits)
        saved = kept or (fate.saved is not None and x < fate.saved)
        good = job.outcome == "completed" or kept
        if any(a <= x < b for a, b in fate.lost):
            return "lost", None, False, good
        return ("productive" if kept else BY_OUTCOME.get(job.outcome, "unjudged")), None, saved, good
