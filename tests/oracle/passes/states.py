# SPDX-License-Identifier: Apache-2.0
"""States of allocated time, first match from the top (part 3, part 9 cases 1-6 and 20; decisions E)."""

from . import GRID, progress, setup
from .samples import FIVE_S, find_runs


def down_leaf(state):
    """Part 3: maintenance or the idle rest of a draining node is planned."""
    return "down.planned" if state == "draining" else state


class States:
    def __init__(self, facts, pieces, groups):
        self.facts, self.pieces, self.groups = facts, pieces, groups
        self.runs = {}

    def _runs(self, claim):
        key = (claim.slot.key, claim.entry.index)
        if key not in self.runs:
            self.runs[key] = find_runs(self.pieces.get(claim.slot.id, []), claim.entry)
        return self.runs[key]

    def _run_at(self, claim, x):
        return next(r for r in self._runs(claim) if r[0] <= x < r[1])

    def of_claim(self, claim, claims, piece, x):
        """Leaf state; "stalled" is returned bare, its later causes need all slots of the job."""
        job = claim.job
        early = setup.state_at(self.groups.get(setup.group_key(claim)), claim, claims, piece, x)
        if early is not None:
            return early
        if claim.slot is None:
            return "unobserved"
        state = self._after_setup(claim, claims, piece, x)
        if job.kind == "unscheduled":
            return "unknown" if state == "unobserved" else state  # part 3: blocked and not even a scheduler
        if state == "stalled":
            return progress.cause_at(self.facts, job, x) or "stalled"
        if state == "active":
            return progress.overhead_at(self.facts, job, x) or "active"
        return state

    def _after_setup(self, claim, claims, piece, x):
        if setup.is_absent(claim, claims, piece):
            return "vacant"
        if piece is None or piece.kind == "none":
            return "unobserved"
        if piece.residency == "empty" and not piece.active:
            return "vacant"
        if piece.kind == "low":
            a, b, _, known = self._run_at(claim, x)
            if b - a >= FIVE_S:
                return "quiet" if piece.residency == "unknown" else "stalled"
            return "active" if known else "unobserved"
        if piece.kind == "spin":
            a, b, _, _ = self._run_at(claim, x)
            return "stalled.spinning" if b - a >= FIVE_S else "active"
        return "active"


def settle_stalls(facts, records, x):
    """E.12, part 9 case 20: reserve up to the headroom in key order, then no_request, then unexplained.

    records: [[claim, state, units]] of one instant in key order; a stalled one may be split.
    """
    left = {job: int(gpus * GRID) for job, gpus in facts.headroom.items()}
    result = []
    for claim, state, units in records:
        if state != "stalled":
            result.append((claim, state, units))
            continue
        if claim.job.kind == "unscheduled":
            result.append((claim, "stalled.unexplained", units))
            continue
        part = min(units, left.get(claim.job.id, 0))
        if part:
            left[claim.job.id] -= part
            result.append((claim, "stalled.reserve", part))
        cause = "stalled.no_request" if progress.quiet_service(facts, claim.job, x) else "stalled.unexplained"
        if units - part:
            result.append((claim, cause, units - part))
    return result
