# SPDX-License-Identifier: Apache-2.0
"""Cells to accounts, matrix, marks, layers and cost, cut by the window (parts 5 and 7, part 9 case 11; decisions I)."""

from fractions import Fraction

from . import GRID
from .energy import Depth
from .facts import ms, number

FATES = ("productive", "lost", "cancelled", "preempted", "timeout", "pending", "unjudged")
LEAVES = """down.failed down.planned down.starting free.unmanaged free.reserve free.stranded free.held.gang free.held.policy
free.held.scheduler free.blocked free.idle setup vacant stalled.input stalled.checkpoint stalled.communication
stalled.no_request stalled.reserve stalled.unexplained stalled.spinning quiet overhead.checkpoint overhead.restore
overhead.evaluation overhead.warmup active.productive active.lost active.cancelled active.preempted active.timeout
active.pending active.unjudged unobserved unknown""".split()
OPEN = ("productive", "pending", "unjudged")
GPU_HOUR = GRID * 3600000


def _price_at(prices, model, x):
    """I.2: Fraction per GPU-hour or None; overlapping or mixed-currency prices are an error (part 5)."""
    fitting = [p for p in prices if (p.get("from") is None or ms(p["from"]) <= x)
               and (p.get("to") is None or x < ms(p["to"])) and p.get("model") in (None, model)]
    exact = [p for p in fitting if p.get("model") is not None] or fitting
    if len(exact) > 1:
        raise ValueError("overlapping prices")
    return number(exact[0]["per_gpu_hour"]) if exact else None


class View:
    def __init__(self, facts, window):
        self.facts, self.window = facts, window
        self.accounts = dict.fromkeys(LEAVES, 0)
        self.cost = dict.fromkeys(LEAVES, Fraction(0))
        self.matrix, self.unmet = {}, {}
        self.marks = dict.fromkeys(("retry", "unrequested", "hang", "never_started"), 0)
        self.paid = self.successful = self.open = 0
        self.floors = {}
        self.energy = {leaf: (0, 0, 0) for leaf in LEAVES}  # K.4: energy units, covered and integrated units
        self.depth = Depth()
        if len({p.get("currency") for p in facts.prices}) > 1:
            raise ValueError("mixed currencies")

    def inside(self, a, b):
        """No instant straddles a window edge."""
        return self.window[0] <= a and b <= self.window[1]

    def _book(self, a, b, state, fate, units, model):
        """units: already multiplied by time."""
        if units == 0:
            return
        account = f"active.{fate}" if state == "active" else state
        self.accounts[account] += units
        self.matrix.setdefault(state, {}).setdefault(fate, 0)
        self.matrix[state][fate] += units
        price = _price_at(self.facts.prices, model, a)
        if price is None or self.cost[account] is None:
            self.cost[account] = None
        else:
            self.cost[account] += Fraction(units * price) / GPU_HOUR

    def draw(self, a, b, state, amount, fate=None):
        """Energy of a leaf."""
        if self.inside(a, b):
            account = f"active.{fate}" if state == "active" else state
            self.energy[account] = tuple(x + y for x, y in zip(self.energy[account], amount))

    def draw_allocated(self, a, b, claim, state, amount, fates):
        """K.5: energy goes with the time's fate; of a service by a cumulative floor."""
        fate, group, _, _ = fates.at(claim.job, a)
        parts = [(fate, amount)]
        if fate == "service":
            lost = tuple(self._floor(claim, state, v, group, i) for i, v in enumerate(amount))
            parts = [("lost", lost), ("productive", tuple(x - y for x, y in zip(amount, lost)))]
        for fate, part in parts:
            self.draw(a, b, state, part, self.facts.count.get(fate, fate))

    def pay(self, a, b, units):
        if self.inside(a, b):
            self.paid += units * (b - a)

    def book_plain(self, a, b, state, units, model):
        """Down, free and unknown have no fate (part 9, case 20)."""
        if self.inside(a, b):
            self._book(a, b, state, "-", units * (b - a), model)

    def _floor(self, claim, state, amount, group, what):
        """Part 9, case 10: a cumulative floor since the group began, so windows add up."""
        where = claim.slot.key if claim.slot is not None else None
        floor_key = (claim.entry.index, where, id(group), state, what)
        before = self.floors.get(floor_key, 0)
        after = before + amount
        self.floors[floor_key] = after
        return int(after * group.bad // group.total) - int(before * group.bad // group.total)

    def book_allocated(self, a, b, claim, state, units, fates, marks):
        fate, group, saved, good = fates.at(claim.job, a)
        model, total = claim.model, units * (b - a)
        parts = [(fate, total)]
        if fate == "service":
            lost = self._floor(claim, state, total, group, "units")
            parts = [("lost", lost), ("productive", total - lost)]
        if not self.inside(a, b):
            return
        for fate, part in parts:
            if group is not None and fate == "productive":
                self.successful += part
            fate = self.facts.count.get(fate, fate)
            self._book(a, b, state, fate, part, model)
            if state in ("active", "unobserved") and (fate in OPEN or saved):
                self.open += part
        if good:
            self.successful += total
        for mark, part in marks:
            self.marks[mark] += part * (b - a)

    def book_unmet(self, a, b, model, units):
        if self.inside(a, b) and units:
            self.unmet[model] = self.unmet.get(model, 0) + units * (b - a)

    def _sum(self, *prefixes):
        return sum(v for k, v in self.accounts.items() if k.split(".")[0] in prefixes)

    def layers(self):
        """Part 7 and part 9, case 11."""
        unknown, unobserved = self._sum("unknown"), self._sum("unobserved")
        allocated = self.paid - self._sum("down", "free", "unknown")
        effective = self._sum("active")
        active = effective + self._sum("overhead")
        rows = [("provisioned", self.paid, self.paid), ("allocated", allocated, allocated + unknown),
                ("active", active, active + unobserved + unknown),
                ("effective", effective, effective + unobserved + unknown),
                ("productive", self.accounts["active.productive"], self.open + unknown)]
        return [{"layer": name, "low": low, "high": high} for name, low, high in rows]

    def check(self, layers):
        """Part 3's identity, and the waterfall that never rises (part 7)."""
        assert sum(self.accounts.values()) == self.paid, "accounts do not add up to paid"
        assert sum(v for row in self.matrix.values() for v in row.values()) == self.paid, "matrix"
        for upper, lower in zip(layers, layers[1:]):
            assert upper["low"] >= lower["low"] and upper["high"] >= lower["high"], "waterfall rises"
        assert all(row["low"] <= row["high"] for row in layers), "layer ends"

    def document(self, name, null_free):
        layers = self.layers()
        self.check(layers)
        accounts, costs = dict(self.accounts), dict(self.cost)
        if null_free:
            for leaf in LEAVES:
                if leaf.startswith(("free.", "down.")):
                    assert accounts[leaf] == 0, "free or down time without capacity"
                    accounts[leaf] = costs[leaf] = None
        priced = bool(self.facts.prices)
        known = priced and all(self.cost[leaf] is not None for leaf in LEAVES)
        return {"name": name, "paid": self.paid, "accounts": accounts, "matrix": self.matrix,
                "successful": self.successful, "marks": self.marks, "unmet": self.unmet, "layers": layers,
                "cost": str(sum(self.cost.values())) if known else None,
                "cost_accounts": {k: None if v is None or not priced else str(v) for k, v in costs.items()},
                "energy": {k: list(v) for k, v in self.energy.items() if any(v)}, "depth": self.depth.sums}
