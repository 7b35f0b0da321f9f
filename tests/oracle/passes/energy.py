# SPDX-License-Identifier: Apache-2.0
"""Energy of slots and depth of active time (part 4 rule 5, part 5 "Energy", part 7 depth; decisions K)."""

from bisect import bisect_left
from fractions import Fraction
from math import floor

from .samples import COMPUTE, FIVE_S, make_samples

WIDTH, NEAR_WRAP, STILL_MS, WATTS_MAX = 2 ** 32, 2 ** 29, 1000, 10000
VACANT_MS = 60000
# Clock in MHz at which the tensor peaks hold, memory GB/s, of the models that histories name without doubt.
PEAKS = {"A30": (1440, 933), "L4": (2040, 300)}
DECIMALS = {"pcie": 9, "nvlink": 9, "power": 3, "power_limit": 3, "mem_used": 3, "mem_size": 3, "sm_clock": 3,
            "sm_clock_max": 3, "mem_clock": 3, "mem_clock_max": 3, "vacant_power": 3}  # others 6
MEANS = ("gpu_util", "sm", "occupancy", "tensor", "dram", "mem_util", "pcie", "nvlink")
SHARES = {"mem_used": ("mem_used", "mem_size"), "sm_clock": ("sm_clock", "sm_clock_max"),
          "mem_clock": ("mem_clock", "mem_clock_max"), "power": ("power", "power_limit")}


def milli(value):
    return floor(value * 1000)


def _counter(before, sample):
    """K.2: (mJ over [prev, t) or None, stands still)."""
    e0, e1 = before.r.get("energy"), sample.r.get("energy")
    if e0 is None or e1 is None or milli(e0) < 0 or milli(e1) < 0:
        return None, False
    e0, e1 = milli(e0), milli(e1)
    delta = e1 - e0
    if delta < 0:
        if not (WIDTH - NEAR_WRAP <= e0 < WIDTH and e1 < NEAR_WRAP):
            return None, False
        delta += WIDTH
    if delta == 0 and sample.t - before.t >= STILL_MS:
        return None, True
    if delta > WATTS_MAX * (sample.t - before.t):
        return None, False
    return delta, False


def _power(sample):
    value = sample.r.get("power")
    if value is None or not 0 <= milli(value) <= WATTS_MAX * 1000:
        return None
    return milli(value)


def _is_far_point(sample):
    return sample.point and sample.p is not None and sample.p > FIVE_S


def make_segments(raws):
    """K.2, K.3: [(a, b, half microjoules, integrated)] in time order and without overlap."""
    samples, segments, still = make_samples(raws), [], False
    for before, sample in zip([None] + samples, samples):
        if sample.p is None or sample.p <= 0:
            still = False
            continue
        near = before is not None and 2 * (sample.t - before.t) <= 5 * sample.p
        delta, stands = _counter(before, sample) if near else (None, False)
        was, still = still, stands
        if delta is not None and not was:
            segments.append((before.t, sample.t, 2000 * delta, False))
            continue
        power = _power(sample)
        if power is None:
            continue
        if not _is_far_point(sample):
            a = before.t if near else sample.t - sample.p
            segments.append((a, sample.t, 2 * power * (sample.t - a), True))
        elif near and _is_far_point(before) and _power(before) is not None:
            segments.append((before.t, sample.t, (power + _power(before)) * (sample.t - before.t), True))
    return segments


class Energy:
    """C(t) of one series (K.4)."""

    def __init__(self, raws):
        self.segments = make_segments(raws)
        self.begins = [a for a, _, _, _ in self.segments]
        self.sums = [(0, 0, 0)]  # before each segment: half microjoules, covered, integrated
        for a, b, h, is_integrated in self.segments:
            half, covered, integrated = self.sums[-1]
            self.sums.append((half + h, covered + b - a, integrated + (b - a if is_integrated else 0)))

    def at(self, t):
        i = bisect_left(self.begins, t) - 1
        if i < 0:
            return 0, 0, 0
        (a, b, h, is_integrated), (half, covered, integrated) = self.segments[i], self.sums[i]
        end = min(b, t)
        half += h * (end - a) // (b - a)
        return half // 2000, covered + end - a, integrated + (end - a if is_integrated else 0)

    def between(self, a, b):
        return tuple(y - x for x, y in zip(self.at(a), self.at(b)))


def times(amount, units):
    return tuple(v * units for v in amount)


def meet(parts, accounts):
    """K.5: free units of slots in key order beside the accounts of their group: [(slot, account, units)]."""
    result, parts = [], [list(p) for p in parts]
    for account, units in accounts:
        while units and parts:
            part = min(units, parts[0][1])
            result.append((parts[0][0], account, part))
            units -= part
            parts[0][1] -= part
            if not parts[0][1]:
                parts.pop(0)
    return result


def _value(r, name):
    return floor(r[name] * 10 ** DECIMALS.get(name, 6)) if name in r else None


def depth_terms(r, model):
    """K.8: {name: (numerator, denominator, reading)} of one sample, by unit and ms."""
    terms = {}
    for name in MEANS:
        value = _value(r, name)
        if value is not None:
            terms[name] = (value, 1, value)
    for name, (a, b) in SHARES.items():
        a, b = _value(r, a), _value(r, b)
        if a is not None and b is not None and b > 0:
            terms[name] = (a, b, a * 10 ** 6 // b)
    clock, gbs = PEAKS.get(model, (None, None))
    dram, tensor, sm_clock = (_value(r, n) for n in ("dram", "tensor", "sm_clock"))
    if gbs and dram is not None:
        terms["bandwidth"] = (dram * gbs * 10, 1, dram * gbs * 10)
    if clock and tensor is not None and sm_clock is not None:
        terms["ofu"] = (tensor * sm_clock, clock * 10 ** 11, tensor * sm_clock // (clock * 10 ** 5))
    return terms


def hidden_term(piece):
    """K.8: what the piece cannot rule out to have been stalled, in millionths."""
    if not piece.far and (piece.point or piece.whole < FIVE_S):
        return 0
    known = [_value(piece.r, n) for n in COMPUTE if n in piece.r] or [_value(piece.r, n) for n in ("gpu_util",) if n in piece.r]
    most = max(known, default=0)
    if piece.far or most < 5 * 10 ** 6:
        return 10 ** 6
    return max(0, (10 ** 8 - most) // 95)


class Depth:
    def __init__(self):
        self.sums = {}

    def _add(self, name, num, den, reading, units):
        s = self.sums.setdefault(name, [0, 0, 0, reading, reading])
        s[0] += num * units
        s[1] += den * units
        s[2] += units
        s[3], s[4] = min(s[3], reading), max(s[4], reading)

    def add(self, piece, model, units, is_active):
        hidden = hidden_term(piece)
        if hidden:
            self._add("hidden", hidden, 1, hidden, units)
        for name, (num, den, reading) in depth_terms(piece.r, model).items() if is_active else ():
            self._add(name, num, den, reading, units)


class Vacancy:
    """K.7: mJ and ms of vacant time that is covered, by slot."""

    def __init__(self):
        self.sums = {}

    def add(self, slot, piece, amount):
        if piece is not None and piece.residency == "empty" and not piece.active:
            e, ms, _ = amount
            old = self.sums.get(slot.id, (0, 0))
            self.sums[slot.id] = (old[0] + e, old[1] + ms)

    def document(self, given):
        result = {}
        for device in {*self.sums, *given}:
            e, ms = self.sums.get(device, (0, 0))
            if ms < VACANT_MS:
                e, ms = given.get(device, (0, 0))
            if ms:
                result[device] = str(Fraction(e, ms))
        return result


def given_vacant(raws):
    """K.7: (mW x ms / 1000 ... as mJ, ms) of `vacant_power` over covers."""
    total = covered = 0
    samples = make_samples(raws)
    for before, sample in zip([None] + samples, samples):
        value = sample.r.get("vacant_power")
        if value is None or not 0 <= milli(value) <= WATTS_MAX * 1000 or sample.p is None or sample.p <= 0:
            continue
        near = before is not None and 2 * (sample.t - before.t) <= 5 * sample.p
        if _is_far_point(sample) and not near:
            continue
        ms = sample.t - before.t if near else sample.p
        total += milli(value) * ms
        covered += ms
    return Fraction(total, 1000), covered
