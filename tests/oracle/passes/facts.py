# SPDX-License-Identifier: Apache-2.0
"""Reads a facts document and keeps what is seen at as_of (part 9, case 18; decisions A)."""

import json
import math
from fractions import Fraction
from types import SimpleNamespace


class Num(Fraction):
    """A decimal read exactly, with its text as written."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Num)


def text(value):
    """An id as text; a number as it was written (decisions, conventions)."""
    if value is None:
        return None
    return value.text if isinstance(value, Num) else str(value)


def number(value, default=None):
    if value is None:
        return default
    return Fraction(value) if isinstance(value, str) else Fraction(value)


def ms(value):
    """Part 5: time stamps are floored to the millisecond once."""
    return None if value is None else math.floor(value)


def _known(*values):
    return [v for v in values if v is not None]


def find_as_of(doc):
    """A.1."""
    if doc.get("as_of") is not None:
        return ms(doc["as_of"])
    seen = [ms(b) for _, b in doc.get("scheduler") or []]
    for key in ("samples", "progress", "services"):
        for entry in doc.get(key) or []:
            seen += _known(ms(entry.get("t")), ms(entry.get("to")))
    for entry in doc.get("capacity") or []:
        seen += _known(ms(entry.get("at", entry.get("from"))))
    for job in doc.get("jobs") or []:
        seen += _known(ms(job.get("submit")), ms(job.get("start")))
        if job.get("outcome") != "running":
            seen += _known(ms(job.get("end")))
    return max(seen, default=0)


def _milli(raw):
    """CPUs in thousandths: as such, else from whole ones."""
    cpus = number(raw.get("cpus"))
    return number(raw.get("cpu_milli"), None if cpus is None else cpus * 1000)


def _sizes(nodes):
    """H.9: the greatest CPUs and memory that entries of a node say; 0 is none."""
    sizes = {}
    for raw in nodes or []:
        said, node = (_milli(raw) or 0, number(raw.get("memory_mib")) or 0), text(raw.get("id"))
        sizes[node] = tuple(map(max, said, sizes.get(node, said)))
    return sizes


def _read_job(raw, as_of):
    """A.2 and A.3; None if the job is not seen."""
    job = SimpleNamespace(
        id=text(raw.get("id")), run=text(raw.get("run")), user=text(raw.get("user")),
        kind=raw.get("kind") or "batch", outcome=raw.get("outcome"),
        priority=number(raw.get("priority"), Fraction(0)),
        submit=ms(raw.get("submit")), eligible=ms(raw.get("eligible")),
        start=ms(raw.get("start")), end=ms(raw.get("end")),
        gpus=number(raw.get("gpus")), requested=number(raw.get("requested")),
        share=number(raw.get("share"), Fraction(1)), per_node=raw.get("per_node"), models=raw.get("models"), pools=raw.get("pools"),
        reason=raw.get("reason"), nodes=raw.get("node_names"), room=(_milli(raw), number(raw.get("memory_mib"))))
    first = _known(job.submit, job.eligible, job.start)
    if first and first[0] > as_of:
        return None
    if job.start is not None and job.start > as_of:
        job.start, job.outcome = None, None
    if job.outcome == "running":
        job.end = None
    if job.end is not None and job.end > as_of:
        job.end = None
        job.outcome = None if job.start is None else "running"
    if job.start is not None and job.outcome is None:
        job.outcome = "running" if job.end is None else "ended"
    return job


def _read_allocation(index, raw, jobs, as_of):
    """A.4; None if the entry is dropped."""
    job = jobs.get(text(raw.get("job")))
    if job is None:
        return None
    begin = ms(raw.get("from")) if raw.get("from") is not None else job.start
    end = ms(raw.get("to")) if raw.get("to") is not None else job.end
    known = end is not None and end <= as_of
    end = end if known else as_of
    share, count = number(raw.get("share"), Fraction(1)), number(raw.get("count"), Fraction(1))
    if begin is None or begin >= end or share <= 0 or count <= 0:
        return None
    kind = next((k for k in ("device", "instance", "node", "pool") if raw.get(k) is not None), None)
    if kind is None:
        return None
    return SimpleNamespace(index=index, job=job, a=begin, b=end, known=known, share=share,
                           count=int(count), kind=kind, target=text(raw[kind]))


def _read_capacity(doc, as_of):
    entries = []
    for raw in doc.get("capacity") or []:
        begin = ms(raw["from"])
        at = ms(raw["at"]) if raw.get("at") is not None else begin
        if at > as_of:
            continue
        end = ms(raw["to"]) if raw.get("to") is not None else as_of
        entries.append(SimpleNamespace(
            device=text(raw.get("device")), pool=text(raw.get("pool")), count=raw.get("count", 1),
            model=raw.get("model"), a=begin, b=end, state=raw.get("state") or "up",
            gone=bool(raw.get("gone")), at=at, source=text(raw.get("source"))))
    return entries


def _by_job(entries, read):
    found = {}
    for raw in entries or []:
        entry = read(raw)
        if entry is not None:
            found.setdefault(text(raw.get("job")), []).append(entry)
    return found


def _read_progress(raw, as_of):
    t = ms(raw["t"])
    if t > as_of:
        return None
    to = ms(raw["to"]) if raw.get("to") is not None else t
    return SimpleNamespace(t=t, to=min(to, as_of), done=to <= as_of, type=raw["type"], step=raw.get("step"))


def _read_service(raw, as_of):
    if ms(raw["to"]) > as_of:
        return None
    entry = SimpleNamespace(a=ms(raw["from"]), b=ms(raw["to"]), running=number(raw.get("running")))
    for key in ("ok", "bad", "tokens_ok", "tokens_bad"):
        setattr(entry, key, number(raw.get(key), Fraction(0)))
    entry.answered = entry.ok + entry.bad + entry.tokens_ok + entry.tokens_bad > 0
    entry.quiet = not entry.answered and entry.running == 0  # nothing running, nothing answered
    return entry


def _order_services(entries):
    """E.14: by start; one that begins before the previous one ended is dropped."""
    kept = []
    for entry in sorted(entries, key=lambda e: e.a):
        if entry.a < entry.b and (not kept or entry.a >= kept[-1].b):
            kept.append(entry)
    return kept


def _cut(intervals, as_of):
    return [(ms(a), min(ms(b), as_of)) for a, b in intervals or [] if ms(a) < min(ms(b), as_of)]


def _read_policy(doc):
    policy = doc.get("policy") or {}
    reserve = [SimpleNamespace(gpus=number(r.get("gpus"), Fraction(0)), model=r.get("model"), pool=text(r.get("pool")),
                               a=ms(r.get("from")), b=ms(r.get("to"))) for r in policy.get("reserve") or []]
    return reserve, {text(k): number(v) for k, v in (policy.get("headroom") or {}).items()}


def _join_samples(samples):
    """C.1: samples of one device and time are one; of a metric that both know the later one counts."""
    joined = {}
    for raw in samples:
        key = (text(raw["device"]), ms(raw["t"]))
        if key in joined:
            before, known = joined[key], {n: v for n, v in (raw.get("r") or {}).items() if v is not None}
            raw = {**before, **{k: raw[k] for k in ("period", "procs") if raw.get(k) is not None},
                   "kind": "point" if raw.get("kind") == before.get("kind") == "point" else "average", "r": {**(before.get("r") or {}), **known}}
        joined[key] = raw
    return list(joined.values())


def read(doc):
    """The seen facts of one document."""
    doc = doc.get("facts", doc)
    as_of = find_as_of(doc)
    options = doc.get("options") or {}
    facts = SimpleNamespace(as_of=as_of, doc=doc)
    facts.setup_max = ms(options.get("setup_max")) if options.get("setup_max") is not None else 600000
    facts.skew = ms(options.get("skew")) if options.get("skew") is not None else 5000
    facts.kept = options.get("kept") or "restored"
    facts.count = options.get("count") or {}
    facts.devices = doc.get("devices") or []
    facts.capacity = _read_capacity(doc, as_of)
    facts.coverage = _cut(doc.get("scheduler"), as_of)
    facts.exhausted = {}
    for n in doc.get("nodes") or []:  # what several say of one node holds together
        facts.exhausted.setdefault(text(n.get("id")), []).extend(_cut(n.get("exhausted"), as_of))
    facts.sizes = _sizes(doc.get("nodes"))
    jobs = (_read_job(raw, as_of) for raw in doc.get("jobs") or [])
    facts.jobs = {job.id: job for job in jobs if job is not None}
    allocations = (_read_allocation(i, raw, facts.jobs, as_of) for i, raw in enumerate(doc.get("allocations") or []))
    facts.allocations = [a for a in allocations if a is not None]
    facts.samples = _join_samples(s for s in doc.get("samples") or [] if ms(s["t"]) <= as_of)
    facts.progress = _by_job(doc.get("progress"), lambda raw: _read_progress(raw, as_of))
    services = _by_job(doc.get("services"), lambda raw: _read_service(raw, as_of))
    facts.services = {job: _order_services(entries) for job, entries in services.items()}
    facts.prices = doc.get("prices") or []
    facts.reserve, facts.headroom = _read_policy(doc)
    facts.no_scheduler = not facts.coverage and not facts.jobs  # A.7
    return facts


def covered(intervals, x):
    return any(a <= x < b for a, b in intervals)


def find_window(facts, covers):
    """A.6: the hull of scheduler coverage, else capacity, else allocations, else samples (part 9, case 18)."""
    given = facts.doc.get("window")
    if given is not None:
        return ms(given[0]), ms(given[1])
    for spans in (facts.coverage, [(c.a, c.b) for c in facts.capacity],
                  [(a.a, a.b) for a in facts.allocations], covers):
        if spans:
            return min(a for a, _ in spans), max(b for _, b in spans)
    return 0, 0
