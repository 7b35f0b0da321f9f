# SPDX-License-Identifier: Apache-2.0
"""CPUs and memory that running jobs leave on nodes (decisions H.9). Of each pair the first is CPUs, the second memory."""

from fractions import Fraction


class Room:
    def __init__(self, facts, slots):
        self.sizes = facts.sizes
        nodes = {s.id: s.node for s in slots} | {s.device: s.node for s in slots}
        self.held = {}  # node: [(from, to, amounts)]
        for job in facts.jobs.values():
            end = facts.as_of if job.end is None else job.end
            if job.start is None or not job.start < end:
                continue
            on = job.nodes.split(",") if job.nodes else sorted({nodes.get(a.target) if a.kind in ("device", "instance") else a.target
                                                                for a in facts.allocations if a.job is job and a.kind != "pool"} - {None})
            for node in on:
                self.held.setdefault(node, []).append((job.start, end, [None if v is None else v // len(on) for v in job.room]))
        self.over = {(node, i) for node in self.held for i in (0, 1) if self._is_over(node, i)}

    def _is_over(self, node, i):
        """More is held than there is, for over 60 s on end."""
        times = sorted({t for a, b, _ in self.held[node] for t in (a, b)})
        since = None
        for x, until in zip(times, times[1:]):
            if sum(h[i] or 0 for a, b, h in self.held[node] if a <= x < b) <= self.sizes.get(node, (0, 0))[i]:
                since = None
                continue
            since = x if since is None else since
            if until - since > 60000:
                return True
        return False

    def cuts(self):
        return [t for held in self.held.values() for a, b, _ in held for t in (a, b)]

    def left(self, node, i, x):
        """None: nobody asks for it."""
        size = self.sizes.get(node, (0, 0))[i]
        held = [h[i] for a, b, h in self.held.get(node, []) if a <= x < b]
        return None if not size or None in held or (node, i) in self.over else max(0, size - sum(held))

    def times(self, node, wants, x):
        """How often WANTS fits, or None: any number of times."""
        counts = [self.left(node, i, x) // want for i, want in enumerate(wants) if want and self.left(node, i, x) is not None]
        return min(counts, default=None)


def wanted(job, gpus, each):
    """H.9: for EACH of the job's GPUS."""
    return [0 if v is None else int(Fraction(v) * min(each, gpus) // gpus) for v in job.room]
