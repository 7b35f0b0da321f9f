# SPDX-License-Identifier: Apache-2.0
"""Setup of each allocation (part 3 "setup", part 9 case 6; decisions F)."""

from types import SimpleNamespace

from . import progress
from .samples import FIVE_S, names


def group_key(claim):
    """F.1: per job and named slot; spread claims of a node and pool claims of a pool are one."""
    if claim.slot is None:
        return claim.job.id, "pool", claim.pool
    if claim.named:
        return claim.job.id, "slot", claim.slot.key
    return claim.job.id, "node", claim.entry.target


def is_absent(claim, claims, piece):
    """E.2: on a shared slot a claimant known to have no process (part 4, rule 8)."""
    if not claim.named or len({c.job.id for c in claims}) < 2 or piece is None:
        return False
    return names(piece, claim.job.id) is False and any(names(piece, c.job.id) for c in claims)


def _stretches(seconds, entry):
    """Compute-high stretches [(a, b, both ends known)] of one entry on one slot; seconds = [(a, b, high or None)]."""
    inside = [s for s in seconds if entry.a <= s[0] and s[1] <= entry.b]
    result, i = [], 0
    while i < len(inside):
        j = i
        while j + 1 < len(inside) and inside[j + 1][0] == inside[j][1] and inside[j + 1][2] == inside[i][2]:
            j += 1
        a, b = inside[i][0], inside[j][1]
        left = a == entry.a or (i > 0 and inside[i - 1][1] == a and inside[i - 1][2] is not None)
        if b == entry.b:
            right = entry.known
        else:
            right = j + 1 < len(inside) and inside[j + 1][0] == b and inside[j + 1][2] is not None
        if inside[i][2]:
            result.append((a, b, left and right))
        i = j + 1
    return result


def _observed(claim, claims, piece):
    """Whether the claim's compute is high, low, or None in a gap."""
    if piece is None or piece.kind == "none":
        return False if is_absent(claim, claims, piece) else None
    return piece.hi and not is_absent(claim, claims, piece)


def make_groups(facts, instants):
    """{group key: setup} from [(a, b, claims by slot, pool claims, piece by slot)]."""
    groups = {}
    for a, b, by_slot, by_pool, pieces in instants:
        for slot, claims in by_slot.items():
            for claim in claims:
                _add(groups, claim, a, b, _observed(claim, claims, pieces.get(slot)), pieces.get(slot))
        for claims in by_pool.values():
            for claim in claims:
                _add(groups, claim, a, b, None, None)
    for group in groups.values():
        _decide(facts, group)
    return groups


def _add(groups, claim, a, b, high, piece):
    if claim.job.kind == "unscheduled":
        return
    group = groups.setdefault(group_key(claim), SimpleNamespace(
        job=claim.job, entries={}, seconds={}, heard=False, short=[], never=False))
    group.entries[claim.entry.index] = claim.entry
    key = None if claim.slot is None else claim.slot.key
    group.seconds.setdefault((key, claim.entry.index), []).append((a, b, high))
    if piece is not None and (piece.cls != "none" or piece.procs is not None):
        group.heard = True


def _decide(facts, group):
    event = progress.setup_event(facts, group.job)
    group.start = min(e.a for e in group.entries.values())
    ends = [] if event is None else [event]
    for (slot, index), seconds in group.seconds.items():
        for a, b, known in _stretches(seconds, group.entries[index]):
            if b - a >= FIVE_S:
                ends.append(a)
            elif not known:
                group.short.append((slot, a, b))
    group.started = bool(ends)
    group.end = min(ends + [group.start + facts.setup_max])
    # F.4: progress or service facts alone decide it.
    group.alone = not group.heard and bool(facts.progress.get(group.job.id) or facts.services.get(group.job.id))


def state_at(group, claim, claims, piece, x):
    """"setup", "unobserved", or None when setup is over."""
    if group is None or x >= group.end:
        return None
    if group.alone:
        return "setup"
    if _observed(claim, claims, piece) is None:
        return "unobserved"
    key = None if claim.slot is None else claim.slot.key
    if any(slot == key and a <= x < b for slot, a, b in group.short):
        return "unobserved"
    return "setup"
