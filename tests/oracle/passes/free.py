# SPDX-License-Identifier: Apache-2.0
"""Free time and the queue's claims on it (part 3 "free", part 4 rule 11, part 9 cases 1, 14-16; decisions H)."""

from fractions import Fraction
from types import SimpleNamespace

from . import GRID
from .capacity import key
from .room import wanted


def is_unmanaged(facts, entries, piece, x):
    """Part 9, case 16: activity on a wholly free slot, outside the skew of any allocation's edge."""
    if piece is None or not piece.hi:
        return False
    for e in entries:
        if e.a - facts.skew <= x < e.a or (e.known and e.b <= x < e.b + facts.skew):
            return False
    return True


def group_of(slot):
    return (key(slot.model), key(slot.pool), key(slot.node), False)


def make_group(slot=None, pool=None, model=None):
    if slot is not None:
        return SimpleNamespace(model=slot.model, pools={slot.pool, slot.node} - {None}, node=slot.node, left=0,
                               counted=False, parts=[], taken=[])
    return SimpleNamespace(model=model, pools={pool}, node=None, left=0, counted=True,
                           parts=[], taken=[])


def accepts(models, pools, group):
    if models is not None and group.model not in models:
        return False
    return pools is None or bool(group.pools & set(pools))


def take_reserve(facts, groups, x, book):
    """Part 9, case 15; H.4: asked before the queue."""
    for entry in facts.reserve:
        if (entry.a is not None and x < entry.a) or (entry.b is not None and x >= entry.b):
            continue
        want = int(entry.gpus * GRID)
        for group in groups:
            if accepts(None if entry.model is None else [entry.model],
                        None if entry.pool is None else [entry.pool], group):
                part = min(want, group.left)
                group.left -= part
                want -= part
                book("free.reserve", part, group.model, group)


def waiting_jobs(facts, x):
    """Part 9, case 14: priority (higher first), eligible, submit, id."""
    result = []
    for job in facts.jobs.values():
        eligible = job.eligible if job.eligible is not None else job.submit
        submit = job.submit if job.submit is not None else job.eligible
        if eligible is None:
            continue
        end = job.start if job.start is not None else job.end
        if eligible <= x < (facts.as_of if end is None else min(end, facts.as_of)):
            result.append((-job.priority, eligible, submit, key(job.id), job))
    return [entry[-1] for entry in sorted(result, key=lambda e: e[:4])]


def gpus_wanted(job):
    """H.5."""
    return job.gpus if job.gpus is not None else job.requested if job.requested is not None else 1


def share_units(job):
    """H.5: the share of each GPU, on the grid."""
    return int(job.share * GRID + Fraction(1, 2))


def _has_shape(facts, job, gpus, groups, nodes, x):
    """H.7, H.9: judged against the true free devices of each node, or against portions of them, and against its room."""
    chunk, fits, share = int(job.per_node or 1), 0, share_units(job)
    wants = wanted(job, int(gpus), chunk)
    for (model, pools, node), count in nodes(share).items():
        if any(a <= x < b for a, b in facts.exhausted.get(node, [])):
            continue
        if accepts(job.models, job.pools, SimpleNamespace(model=model, pools=pools)):
            times = facts.room.times(node, wants, x)
            fits += count // chunk if times is None else min(count // chunk, times)
    fits += sum(g.true_free // share // chunk for g in groups if g.counted)
    return fits >= -(-int(gpus) // chunk)


def _reason(facts, job, gpus, want, left, groups, nodes, x):
    """Part 9, case 14."""
    if job.reason == "policy":
        return "free.held.policy"
    if want > left:
        return "free.held.gang"
    if not _has_shape(facts, job, gpus, groups, nodes, x):
        return "free.stranded"
    return "free.held.scheduler"


def take_queue(facts, groups, nodes, x, book, unmet):
    """Part 4, rule 11: each waiting job claims min(its GPUs, what is free of the kinds it accepts)."""
    for job in waiting_jobs(facts, x):
        gpus = gpus_wanted(job)
        want = int(gpus) * share_units(job)
        if not want:
            continue
        accepted = [g for g in groups if accepts(job.models, job.pools, g)]
        left = sum(g.left for g in accepted)
        reason = _reason(facts, job, gpus, want, left, accepted, nodes, x)
        need = want
        for group in accepted:
            part = min(need, group.left)
            group.left -= part
            need -= part
            book("free.blocked" if group.counted else reason, part, group.model, group)
        if job.models and need:
            unmet(job.models[0], need)


def free_nodes(frees, spread_nodes, share):
    """H.7: {(model, pools, node): free devices, or portions of SHARE units}; frees = [(slot, units)] of slots without MIG."""
    units, counts = {}, {}
    for slot, free in frees:
        if slot.kind != "device":
            continue
        group = (slot.model, frozenset({slot.pool, slot.node} - {None}), slot.node)
        if slot.node in spread_nodes:
            units[group] = units.get(group, 0) + free
        else:
            counts[group] = counts.get(group, 0) + free // share
    for group, free in units.items():
        counts[group] = counts.get(group, 0) + free // share
    return counts
