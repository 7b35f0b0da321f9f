# SPDX-License-Identifier: Apache-2.0
"""Allocations to devices and shares (part 1 "allocation", part 4 rule 8, part 9 case 13; decisions D)."""

from fractions import Fraction
from types import SimpleNamespace

from . import GRID
from .capacity import key
from .facts import ms, text


def largest_remainder(quotas, total):
    """Part 5: floors first, then one unit each by largest remainder, ties in the order given."""
    floors = [q.numerator // q.denominator for q in quotas]
    order = sorted(range(len(quotas)), key=lambda i: (floors[i] - quotas[i], i))
    for i in order[:total - sum(floors)]:
        floors[i] += 1
    return floors


def grid_shares(claims, weight):
    """D.5: [units] for exact claims (fractions of a slot) in key order; free is last and takes the rest."""
    total = sum(claims)
    scale = Fraction(1) if total <= 1 else 1 / total
    quotas = [c * scale * weight for c in claims]
    return largest_remainder(quotas + [Fraction(weight) - sum(quotas)], weight)[:-1]


def round_half_up(value):
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


class Claims:
    """Which allocation has which part of which slot or pool, instant by instant."""

    def __init__(self, facts, slots, capacity):
        self.facts, self.capacity = facts, capacity
        self.slots = [s for s in slots if s.kind != "remainder"]
        self.named, self.spread, self.pooled = [], [], []
        self.unscheduled = None
        for allocation in facts.allocations:
            self._resolve(allocation)

    def _slots_of_device(self, target):
        return [s for s in self.slots if target in (s.id, s.device)]

    @staticmethod
    def _is_there(allocation, slot):
        """B.1: an instance of another layout is no slot for this allocation."""
        return slot.a < allocation.b and slot.b > allocation.a

    def _resolve(self, allocation):
        target = allocation.target
        if allocation.kind in ("device", "instance"):
            self.named += [(allocation, slot) for slot in self._slots_of_device(target)]
            return
        if allocation.kind == "node":
            members = [s for s in self.slots if s.node == target]
        elif target in self.capacity.by_pool:
            members = []
        else:
            members = [s for s in self.slots if target in (s.node, s.pool)]
        members = [s for s in members if s.kind == "device"] or members
        if any(self._is_there(allocation, s) for s in members):
            self._resolve_on_node(allocation, members)
        else:
            self.pooled.append(allocation)

    def _resolve_on_node(self, allocation, members):
        """Part 4, rule 8: all of the node, else process lists, else the node is a pool (D.2)."""
        there = [s for s in members if self._is_there(allocation, s)]
        if allocation.count == len(there):
            self.named += [(allocation, slot) for slot in there]
            return
        seen = {text(s["device"]) for s in self.facts.samples
                if allocation.a < ms(s["t"]) <= allocation.b
                and allocation.job.id in [text(p) for p in s.get("procs") or []]}
        shown = [s for s in there if s.id in seen]
        if len(shown) == allocation.count:
            self.named += [(allocation, slot) for slot in shown]
        else:
            self.spread.append((allocation, tuple(members)))

    def reaching(self, slot):
        """All allocation entries that reach a slot."""
        return ([a for a, s in self.named if s is slot] + [a for a, members in self.spread if slot in members])

    def _fill(self, demand, members, left, down):
        """D.4: in tiers: what is left of up slots, of down slots, then evenly over all."""
        filled = {s: Fraction(0) for s in members}
        for tier in ([s for s in members if s not in down], [s for s in members if s in down]):
            room = sum(left[s] for s in tier)
            part = min(demand, Fraction(room))
            for s in tier:
                if room:
                    filled[s] += part * left[s] / room
            demand -= part
        for s in members:
            filled[s] += demand / len(members)
        return filled

    def _spread_at(self, x, exact):
        by_members = {}
        for allocation, members in self.spread:
            if allocation.a <= x < allocation.b:
                by_members.setdefault(members, []).append(allocation)
        for members in sorted(by_members, key=lambda m: [s.key for s in m]):
            states = {s: self.capacity.state(s, x) for s in members}
            usable = [s for s in members if states[s] is not None]
            if not usable:
                continue
            down = {s for s in usable if states[s][0].startswith("down")}
            left = {s: max(Fraction(0), Fraction(1) - sum(c[1] for c in exact[s])) for s in usable}
            sizes = [(a, a.count * a.share) for a in by_members[members]]
            demand = sum(size for _, size in sizes)
            filled = self._fill(demand, usable, left, down)
            for s in usable:
                exact[s] += [(a, size * filled[s] / demand, False) for a, size in sizes]

    def at(self, x):
        """{slot: [claim]} at an instant, each claim with its units (D.5)."""
        exact = {s: [] for s in self.slots}
        for allocation, slot in self.named:
            if allocation.a <= x < allocation.b and self.capacity.state(slot, x) is not None:
                exact[slot].append((allocation, allocation.share, True))
        self._spread_at(x, exact)
        result = {}
        for slot, claims in exact.items():
            claims = [c for c in claims if c[1] > 0]
            claims.sort(key=lambda c: (key(c[0].job.id), c[0].index))
            units = grid_shares([c[1] for c in claims], slot.weight) if claims else []
            result[slot] = [SimpleNamespace(entry=c[0], job=c[0].job, units=u, named=c[2], slot=slot)
                            for c, u in zip(claims, units)]
        return result

    def pools_at(self, x):
        """{pool: [claim]}; a count is rounded per device (part 9, case 13)."""
        result = {}
        for a in self.pooled:
            if a.a <= x < a.b:
                units = a.count * round_half_up(a.share * GRID)
                result.setdefault(a.target, []).append(
                    SimpleNamespace(entry=a, job=a.job, units=units, named=False, slot=None, pool=a.target))
        for claims in result.values():
            claims.sort(key=lambda c: (key(c.job.id), c.entry.index))
        return result
