# SPDX-License-Identifier: Apache-2.0
"""Capacity: which device or how many of a pool are paid, and in which state (part 1; part 9, case 17; decisions B)."""

import math
from types import SimpleNamespace

from . import GRID
from .facts import text

# Accelerators by the slices of their whole-GPU profile (part 1).
SLICES = {"A100": 7, "H100": 7, "B200": 7, "A30": 4}
# Ties of one observation: down over up, then the later start, then failed, planned, starting (part 9, case 17).
CLASS = {"up": 0, "draining": 1}
DOWN_ORDER = {"down.failed": 3, "down.planned": 2, "down.starting": 1}
# A pool's devices are used, and lowered, in this order (B.5, B.8).
USE_ORDER = ("up", "draining", "down.starting", "down.planned", "down.failed")


class Slot(SimpleNamespace):
    """Slots are compared and hashed by identity."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


def key(identifier):
    return (identifier or "").encode()


def total_slices(device):
    if device.get("slices") is not None:
        return device["slices"]
    model = device.get("model") or ""
    words = [w for w in SLICES if w in model]
    return SLICES[max(words, key=len)] if words else None


def _slot(device, identifier, weight, kind, a=None, b=None):
    """A slot that is there from A (None: since ever) to B (None: for ever)."""
    node, pool = text(device.get("node")), text(device.get("pool"))
    parent = text(device["id"])
    a, b = -math.inf if a is None else a, math.inf if b is None else b
    return Slot(id=identifier, device=parent, node=node, pool=pool, model=device.get("model"), weight=weight, kind=kind, a=a, b=b,
                key=(key(parent), key(identifier) if kind != "device" else b"", a))


def _remainders(device, slots):
    """What the instances leave, from one change of the layout to the next; None: they are more than there is."""
    times, rests = sorted({-math.inf, math.inf} | {t for s in slots for t in (s.a, s.b)}), []
    for a, b in zip(times, times[1:]):
        rest = GRID - sum(s.weight for s in slots if s.a <= a < s.b)
        if rest < 0:
            return None
        if rests and rests[-1][2] == rest:
            rests[-1][1] = b
        else:
            rests.append([a, b, rest])
    return [_slot(device, None, rest, "remainder", a, b) for a, b, rest in rests if rest]


def _device_slots(device):
    """B.1: a device is one slot; in MIG mode its instances and the remainder are."""
    identifier = text(device["id"])
    if not device.get("mig"):
        return [_slot(device, identifier, GRID, "device")]
    total = total_slices(device)
    slots = []
    for i in device["mig"]:
        name, size = text(i["id"]), i.get("slices")
        if name == identifier:  # not in MIG mode then
            slots.append(_slot(device, name, GRID, "device", i.get("from"), i.get("to")))
        elif total is None or not size:
            return [_slot(device, identifier, GRID, "unweighed")]
        else:
            slots.append(_slot(device, name, GRID * size // total, "instance", i.get("from"), i.get("to")))
    rests = None if total is None else _remainders(device, slots)
    return [_slot(device, identifier, GRID, "unweighed")] if rests is None else slots + rests


def make_slots(facts):
    """All slots in key order; devices that only samples, capacity or allocations name are added (D.1)."""
    slots, known = [], set()
    for device in facts.devices:
        slots += _device_slots(device)
        known |= {text(device["id"])} | {text(i["id"]) for i in device.get("mig") or []}
    named = [c.device for c in facts.capacity if c.device is not None]
    named += [a.target for a in facts.allocations if a.kind in ("device", "instance")]
    named += [text(s["device"]) for s in facts.samples]
    for identifier in named:
        if identifier not in known:
            known.add(identifier)
            slots += _device_slots({"id": identifier})
    return sorted(slots, key=lambda s: (s.key, s.kind == "remainder"))


def _rank(entry):
    down = entry.state.startswith("down")
    return (entry.at, 2 if down else CLASS[entry.state], entry.a, DOWN_ORDER.get(entry.state, 0), entry.gone and down)


def device_state(entries, x):
    """B.3: (state, gone) of a named device at x, or None if it is not paid then."""
    covering = [e for e in entries if e.a <= x < e.b]
    if not covering:
        return None
    best = max(covering, key=_rank)
    return best.state, best.gone and best.state.startswith("down")


def _source_size(entries):
    """B.4: per state the newest observation holds."""
    size = {}
    for state in {e.state for e in entries}:
        size[state] = max((e for e in entries if e.state == state), key=lambda e: (e.at, e.a, e.count)).count
    return size


def pool_size(entries, x):
    """B.4: devices by state of the largest source at x."""
    covering = [e for e in entries if e.a <= x < e.b]
    best = {}
    for source in sorted({e.source for e in covering}, key=lambda s: (s is not None, key(s))):
        size = _source_size([e for e in covering if e.source == source])
        if sum(size.values()) > sum(best.values()):
            best = size
    return best


def lower_pool(size, by):
    """B.5: named devices are taken out of the pool."""
    left = dict(size)
    for state in USE_ORDER:
        taken = min(by, left.get(state, 0))
        if taken:
            left[state] -= taken
            by -= taken
    return left


def is_lowered_by(pool, pool_model, slot):
    """Part 9, case 17: only if the device names the pool or its node and model."""
    if slot.pool == pool:
        return True
    return slot.node == pool and (pool_model is None or pool_model == slot.model)


class Capacity:
    """What is paid, asked instant by instant."""

    def __init__(self, facts, slots):
        self.facts, self.slots = facts, slots
        self.by_device, self.by_pool = {}, {}
        for entry in facts.capacity:
            if entry.device is not None:
                self.by_device.setdefault(entry.device, []).append(entry)
            elif entry.pool is not None:
                self.by_pool.setdefault(entry.pool, []).append(entry)
        self.pool_model = {p: next((e.model for e in es if e.model is not None), None) for p, es in self.by_pool.items()}

    def state(self, slot, x):
        """(state, gone), or None if not paid; devices without capacity are up (they pay their allocations, B.6)."""
        if not slot.a <= x < slot.b:
            return None
        if slot.device not in self.by_device:
            return "up", False
        return device_state(self.by_device[slot.device], x)

    def is_known(self, slot):
        return slot.device in self.by_device

    def cuts(self):
        lives = [t for s in self.slots for t in (s.a, s.b) if math.isfinite(t)]
        return lives + [t for c in self.facts.capacity for t in (c.a, c.b)]

