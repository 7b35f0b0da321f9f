# SPDX-License-Identifier: Apache-2.0
"""Samples to pieces of known time (part 1 "sample", part 4 rules 1-7, part 9 cases 2-5; decisions C)."""

from types import SimpleNamespace

from .facts import ms, number, text

FIVE_S = 5000
COMPUTE = ("sm", "gr", "tensor", "fp16", "fp32", "fp64")
PROFILING = COMPUTE + ("dram",)
PIPES = ("tensor", "fp16", "fp32", "fp64", "dram")
LINKS = ("pcie", "nvlink")


def _readings(raw):
    values = {}
    for name, value in (raw.get("r") or {}).items():
        if isinstance(value, bool):
            values[name] = int(value)
        elif value is not None:
            values[name] = number(value)
    return values


def _power_busy(r):
    return "power" in r and "power_limit" in r and 2 * r["power"] > r["power_limit"]


def drop_broken(r):
    """Part 9, case 5: all profiling counters 0 while GPU-Util and power say busy are a broken source."""
    known = [r[n] for n in PROFILING if n in r]
    if known and not any(known) and r.get("gpu_util", 0) >= 5 and _power_busy(r):
        return {n: v for n, v in r.items() if n not in PROFILING}
    return r


def compute_evidence(r):
    """Part 4, rule 5; C.3: True high, False low, None unknown, by the strongest evidence there is."""
    profiling = [r[n] for n in COMPUTE if n in r]
    if profiling:
        return any(v >= 5 for v in profiling)
    if "gpu_util" in r:
        return r["gpu_util"] >= 5
    low = bool(r.get("idle_reason"))
    if "power" in r and "vacant_power" in r:
        low = low or abs(r["power"] - r["vacant_power"]) * 100 <= 15 * r["vacant_power"]
    high = _power_busy(r)
    return None if low == high else high


def _is_spinning(r):
    """Part 3, stalled.spinning: every condition known to be true (part 9, case 1)."""
    links = [r[n] for n in LINKS if n in r]
    return (r.get("sm", 0) >= 5 and all(n in r and r[n] < 5 for n in PIPES)
            and bool(links) and all(v < 1 for v in links))


def classify(r):
    """C.4: (class, refuting activity)."""
    r = drop_broken(r)
    compute = compute_evidence(r)
    other = r.get("dram", 0) >= 5 or any(r.get(n, 0) >= 1 for n in LINKS)
    if compute is None:
        return "none", other
    if compute:
        return ("spin" if _is_spinning(r) else "high"), True
    return ("busy", True) if other else ("low", False)


def residency(procs, r):
    """Part 4, rule 7; C.5."""
    if procs is not None:
        return "resident" if procs else "empty"
    if "mem_used" in r and "mem_reserve" in r:
        return "resident" if r["mem_used"] - r["mem_reserve"] >= 100 else "empty"
    return "unknown"


def _read_sample(raw):
    r = _readings(raw)
    procs = None if raw.get("procs") is None else frozenset(text(p) for p in raw["procs"])
    cls, active = classify(r)
    return SimpleNamespace(t=ms(raw["t"]), r=r, period=ms(raw.get("period")), point=raw.get("kind") == "point",
                           cls=cls, active=active, procs=procs, residency=residency(procs, r),
                           known=bool(r) or procs is not None)


def _piece(a, sample):
    procs = None if sample.procs is None else (sample.procs, sample.procs)
    return SimpleNamespace(a=a, b=sample.t, cls=sample.cls, active=sample.active, procs=procs,
                           residency=sample.residency, known=sample.known, r=drop_broken(sample.r),
                           point=sample.point, far=sample.point and sample.p > FIVE_S, whole=sample.t - a)


def _joined_class(one, two):
    """C.6."""
    if one == two:
        return one
    if "none" in (one, two) or "low" in (one, two):
        return "none"
    return "high" if "busy" not in (one, two) else "busy"


def _join_points(a, before, sample):
    """Part 9, case 3: two neighbouring points prove the time between them if they agree."""
    piece = _piece(a, sample)
    if before is None:
        piece.cls, piece.active, piece.procs, piece.residency = "none", False, None, "unknown"
        return piece
    piece.cls = _joined_class(before.cls, sample.cls)
    piece.active = before.active or sample.active
    piece.residency = sample.residency if sample.residency == before.residency else "unknown"
    piece.procs = None
    if before.procs is not None and sample.procs is not None:
        piece.procs = (before.procs, sample.procs)
    return piece


def _median_gap(times):
    """Part 9, case 5: the median of an even number of gaps is the upper one."""
    gaps = sorted(b - a for a, b in zip(times, times[1:]))
    return gaps[len(gaps) // 2] if gaps else None


def make_samples(raws):
    """C.1: one series, each with its period p (or None)."""
    samples = sorted((_read_sample(raw) for raw in raws), key=lambda s: s.t)
    median = _median_gap([s.t for s in samples])
    for sample in samples:
        sample.p = sample.period if sample.period is not None else median
    return samples


def make_pieces(raws):
    """C.2: the pieces of one slot, in time order and without overlap."""
    samples = make_samples(raws)
    pieces = []
    for before, sample in zip([None] + samples, samples):
        if sample.p is None or sample.p <= 0:
            continue
        near = before is not None and 2 * (sample.t - before.t) <= 5 * sample.p
        if sample.point and sample.p > FIVE_S:
            if near:
                partner = before if before.point and before.p is not None and before.p > FIVE_S else None
                pieces.append(_join_points(before.t, partner, sample))
        else:
            pieces.append(_piece(before.t if near else sample.t - sample.p, sample))
    for piece in pieces:
        # C.7: a known empty list without refuting activity counts as low (part 9, case 4).
        piece.by_list = piece.procs is not None and not any(piece.procs) and not piece.active
        piece.kind = "low" if piece.by_list else piece.cls
        piece.hi = piece.cls in ("high", "spin")
    return pieces


def names(piece, job):
    """Whether the process list names the job: True, False, or None if not known."""
    if piece is None or piece.procs is None:
        return None
    before, after = (job in p for p in piece.procs)
    return before if before == after else None


def find_runs(pieces, entry):
    """E.10: [(a, b, kind, both ends known)] of low and spin stretches inside one allocation entry."""
    inside = [(max(p.a, entry.a), min(p.b, entry.b), p.kind) for p in pieces if p.a < entry.b and p.b > entry.a]
    runs, i = [], 0
    while i < len(inside):
        j = i
        while j + 1 < len(inside) and inside[j + 1][0] == inside[j][1] and inside[j + 1][2] == inside[i][2]:
            j += 1
        a, b, kind = inside[i][0], inside[j][1], inside[i][2]
        left = a == entry.a or (i > 0 and inside[i - 1][1] == a and inside[i - 1][2] != "none")
        if b == entry.b:
            right = entry.known
        else:
            right = j + 1 < len(inside) and inside[j + 1][0] == b and inside[j + 1][2] != "none"
        if kind in ("low", "spin"):
            runs.append((a, b, kind, left and right))
        i = j + 1
    return runs
