# SPDX-License-Identifier: Apache-2.0
"""Runs the passes in their order over every instant at which anything changes (part 6)."""

from bisect import bisect_right
from types import SimpleNamespace

from . import GRID, free, setup, states
from .capacity import Capacity, is_lowered_by, key, lower_pool, make_slots, pool_size, USE_ORDER
from .claims import Claims
from .energy import Energy, Vacancy, given_vacant, meet, times
from .facts import covered, find_window, text
from .fragment import Fragment
from .fates import Fates
from .room import Room
from .samples import make_pieces
from .view import LEAVES, View

UNSCHEDULED = SimpleNamespace(id="unscheduled", kind="unscheduled", requested=None)


class Meter:
    def __init__(self, facts):
        self.facts = facts
        self.slots = make_slots(facts)
        self.capacity = Capacity(facts, self.slots)
        self.claims = Claims(facts, self.slots, self.capacity)
        raws = {}
        for raw in facts.samples:
            raws.setdefault(text(raw["device"]), []).append(raw)
        self.pieces = {device: make_pieces(entries) for device, entries in raws.items()}
        self.begins = {device: [p.a for p in pieces] for device, pieces in self.pieces.items()}
        self.energies = {device: Energy(entries) for device, entries in raws.items()}
        self.given = {device: given_vacant(entries) for device, entries in raws.items()}
        self.vacancy = Vacancy()
        self.fates = Fates(facts)
        self.window = find_window(facts, self._covers(None))
        facts.room = Room(facts, self.slots)
        self.fragment = Fragment(facts, self.window)
        self.reaching = {s: self.claims.reaching(s) for s in self.claims.slots}
        self.spans = self._implicit_spans()

    def _covers(self, device):
        """Sample cover of one device (its own and its instances'), or of all."""
        ids = [s.id for s in self.slots if s.device == device] + [device]
        return [(p.a, p.b) for d, ps in self.pieces.items() if device is None or d in ids for p in ps]

    def _implicit_spans(self):
        """B.6, part 9 case 12: without a scheduler, from the first to the last time anything covers the device."""
        spans = {}
        for slot in self.slots:
            if not self.facts.no_scheduler or self.capacity.is_known(slot):
                continue
            covers = self._covers(slot.device)
            if covers:
                spans[slot.device] = (min(a for a, _ in covers), max(b for _, b in covers))
        return spans

    def piece(self, slot, x):
        pieces = self.pieces.get(slot.id)
        if not pieces:
            return None
        i = bisect_right(self.begins[slot.id], x) - 1
        return pieces[i] if i >= 0 and x < pieces[i].b else None

    def _cuts(self):
        f = self.facts
        times = [f.as_of, *self.window, *self.capacity.cuts(), *self.fates.cuts()]
        times += [t for span in f.coverage for t in span]
        times += [t for spans in f.exhausted.values() for span in spans for t in span]
        for j in f.jobs.values():
            times += [j.submit, j.eligible, j.start, j.end]
        for a in f.allocations:
            times += [a.a, a.b, a.a - f.skew, a.b + f.skew, a.a + f.setup_max]
        times += [t for pieces in self.pieces.values() for p in pieces for t in (p.a, p.b)]
        times += [t for entries in f.progress.values() for p in entries for t in (p.t, p.to)]
        times += [t for entries in f.services.values() for s in entries for t in (s.a, s.b)]
        times += [t for p in f.prices for t in (p.get("from"), p.get("to"))]
        times += f.room.cuts()
        times += [t for r in f.reserve for t in (r.a, r.b)]
        times += [t for span in self.spans.values() for t in span]
        return sorted({int(t) for t in times if t is not None})

    # Capacity and allocations of one instant.

    def _is_paid(self, slot, x, claims):
        """Weight paid of a slot at x."""
        if not slot.a <= x < slot.b:
            return 0
        if self.capacity.is_known(slot):
            return slot.weight if self.capacity.state(slot, x) is not None else 0
        span = self.spans.get(slot.device)
        if span is not None:
            return slot.weight if span[0] <= x < span[1] else 0
        return sum(c.units for c in claims)

    def _instant(self, a, b):
        """What holds over [a, b)."""
        now = SimpleNamespace(a=a, b=b, late=a >= self.facts.as_of, pieces={}, states={}, paid={})
        now.claims = {s: [] for s in self.slots} | self.claims.at(a)
        now.pools = {} if now.late else self.claims.pools_at(a)
        for slot in self.slots:
            now.pieces[slot] = self.piece(slot, a)
            now.states[slot] = self.capacity.state(slot, a)
            if now.late or slot.kind == "remainder":
                now.claims[slot] = []
            elif self.facts.no_scheduler and self._is_covered(slot) and not self._is_silent_down(now, slot):
                entry = SimpleNamespace(index=-1, a=self._implicit_start(slot), b=self._implicit_end(slot), known=False)
                now.claims[slot] = [SimpleNamespace(entry=entry, job=UNSCHEDULED, units=slot.weight, named=True, slot=slot)]
            now.paid[slot] = self._is_paid(slot, a, now.claims[slot])
            if slot.kind == "unweighed" or now.paid[slot] == 0:
                now.claims[slot] = []
            for claim in now.claims[slot]:
                claim.model = slot.model
        return now

    def _is_covered(self, slot):
        """B.6, part 9 case 12: without capacity a device that nothing was read of is not paid."""
        return self.capacity.is_known(slot) or slot.device in self.spans

    @staticmethod
    def _is_silent_down(now, slot):
        """D.6: the implicit job owns observed time only; a device that is down and does not read is down."""
        state, piece = now.states[slot], now.pieces[slot]
        return state is not None and state[0].startswith("down") and not (piece is not None and piece.known)

    def _implicit_start(self, slot):
        entries = self.capacity.by_device.get(slot.device)
        return min(e.a for e in entries) if entries else self.spans.get(slot.device, (0, 0))[0]

    def _implicit_end(self, slot):
        entries = self.capacity.by_device.get(slot.device)
        end = max(e.b for e in entries) if entries else self.spans.get(slot.device, (0, 0))[1]
        return min(end, self.facts.as_of)

    def _pool_sizes(self, now):
        """Sizes by state of counted pools after named devices are taken out."""
        sizes = {}
        for pool, entries in self.capacity.by_pool.items():
            model = self.capacity.pool_model[pool]
            by = {s.device for s in self.slots if now.paid[s] > 0 and is_lowered_by(pool, model, s)}
            sizes[pool] = lower_pool(pool_size(entries, now.a), len(by))
        return sizes

    def run(self, name):
        cuts = self._cuts()
        instants = [self._instant(a, b) for a, b in zip(cuts, cuts[1:])]
        for now in instants:
            now.sizes = self._pool_sizes(now)
        self.over = {p for now in instants for p, claims in now.pools.items()
                     if p in now.sizes and sum(c.units for c in claims) > GRID * sum(now.sizes[p].values())}
        groups = setup.make_groups(self.facts, [(n.a, n.b, n.claims, n.pools, n.pieces) for n in instants])
        self.states = states.States(self.facts, self.pieces, groups)
        self.groups = groups
        for now in instants:
            self._classify(now)
        self._mark_never_started(instants)
        view = View(self.facts, self.window)
        for now in instants:
            self._book(view, now)
        document = view.document(name, self._null_free())
        drawing = {s.id for s in self.slots if s.kind in ("device", "unweighed")}
        document["vacant"] = self.vacancy.document({d: g for d, g in self.given.items() if d in drawing})
        document["mig"] = self._mig_energy()
        document["fragment"] = self.fragment.document()
        return document

    def _mig_energy(self):
        """K.1: what MIG devices read themselves in the window: mJ and ms."""
        parents = {s.device for s in self.slots if s.kind in ("instance", "remainder")}
        parents -= {s.device for s in self.slots if s.kind == "device"}
        amounts = [self.energies[d].between(*self.window) for d in parents if d in self.energies]
        return [sum(a[0] for a in amounts), sum(a[1] for a in amounts)]

    def drawn(self, slot, a, b):
        """K.1: energy, covered and integrated ms of a slot; None if it has none."""
        if slot is None or slot.kind not in ("device", "unweighed") or slot.id not in self.energies:
            return None
        return self.energies[slot.id].between(a, b)

    def _null_free(self):
        """B.9: free and down are null only if nothing has a known free."""
        if any(p not in self.over for p in self.capacity.by_pool):
            return False
        return not self.capacity.by_device

    # States.

    def _is_gone(self, slot, now):
        """Part 9, case 17: gone, unless the running allocation still reads."""
        state = now.states[slot]
        if state is None or not state[1]:
            return False
        piece = now.pieces[slot]
        return not (piece is not None and piece.known and now.claims[slot])

    def _classify(self, now):
        """now.records: [(claim, state, units)] of all allocated parts, in key order."""
        records = []
        for slot in self.slots:
            gone = self._is_gone(slot, now)
            for claim in now.claims[slot]:
                if gone:
                    state = now.states[slot][0]
                else:
                    state = self.states.of_claim(claim, now.claims[slot], now.pieces[slot], now.a)
                records.append((claim, state, claim.units))
        for pool in sorted(now.pools, key=key):
            for claim in now.pools[pool]:
                claim.model = self.capacity.pool_model.get(pool)
                state = self.states.of_claim(claim, now.pools[pool], None, now.a)
                records.append((claim, state, claim.units))
        now.records = states.settle_stalls(self.facts, records, now.a)

    def _mark_never_started(self, instants):
        """F.5, part 9 case 6: needs the whole allocation observed."""
        blind = {setup.group_key(c) for now in instants for c, state, _ in now.records
                 if state in ("unobserved", "unknown") or state.startswith("down")}
        for group_key, group in self.groups.items():
            ended = all(e.known for e in group.entries.values())
            group.never = not group.started and ended and group_key not in blind

    def _unrequested(self, now):
        """G.9, part 9 case 13: the last devices in key order; {id(claim): units}."""
        result, by_job = {}, {}
        for claim, _, units in now.records:
            if claim.job.requested is not None:
                by_job.setdefault(claim.job.id, []).append((claim, units))
        for entries in by_job.values():
            excess = sum(u for _, u in entries) - int(entries[0][0].job.requested * GRID)
            for claim, units in reversed(entries):
                part = max(0, min(units, excess))
                excess -= part
                result[id(claim)] = result.get(id(claim), 0) + part
        return result

    # Booking.

    def _marks(self, claim, state, units, excess):
        fate = self.fates.jobs.get(claim.job.id)
        if fate is None:
            return []
        marks = [("unrequested", excess)] if excess else []
        if fate.hang is not None and self.now.a >= fate.hang:
            marks.append(("hang", units))
        if fate.retry and state in ("setup", "overhead.restore"):
            marks.append(("retry", units))
        if self.groups[setup.group_key(claim)].never:
            marks.append(("never_started", units))
        return marks

    def _book(self, view, now):
        self.now = now
        now.drawn = {s: self.drawn(s, now.a, now.b) for s in self.slots}
        for slot, amount in now.drawn.items():
            if amount and now.paid[slot] > 0:
                self.vacancy.add(slot, now.pieces[slot], amount)
        excess = self._unrequested(now)
        for claim, state, units in now.records:
            view.pay(now.a, now.b, units)
            amount = now.drawn.get(claim.slot)
            if state.startswith(("active", "overhead")) and claim.slot is not None and view.inside(now.a, now.b):
                view.depth.add(now.pieces[claim.slot], claim.slot.model, units * (now.b - now.a), state == "active")
            if state == "unknown" or state.startswith("down"):
                if amount:
                    view.draw(now.a, now.b, state, times(amount, units))
                view.book_plain(now.a, now.b, state, units, claim.model)
                continue
            if amount:
                view.draw_allocated(now.a, now.b, claim, state, times(amount, units), self.fates)
            extra = min(units, excess.get(id(claim), 0))
            excess[id(claim)] = excess.get(id(claim), 0) - extra
            view.book_allocated(now.a, now.b, claim, state, units, self.fates,
                                self._marks(claim, state, units, extra))
        self._book_rest(view, now)

    def _book_rest(self, view, now):
        """Everything paid and not claimed: unknown, down, free (part 3; H.1, H.2)."""
        groups, frees = {}, []
        covers = covered(self.facts.coverage, now.a) and not now.late

        def book(state, units, model, group=None, slot=None):
            view.book_plain(now.a, now.b, state, units, model)
            if group is not None:
                group.taken.append((state, units))
            elif slot is not None and now.drawn[slot]:
                view.draw(now.a, now.b, state, times(now.drawn[slot], units))

        for slot in self.slots:
            rest = now.paid[slot] - sum(c.units for c in now.claims[slot])
            view.pay(now.a, now.b, rest)
            if rest <= 0:
                continue
            state, _ = now.states[slot]
            if now.claims[slot] and now.states[slot][1] and not self._is_gone(slot, now):
                state = "up"
            if now.late:
                book("unknown", rest, slot.model, slot=slot)
            elif state.startswith("down") or (state == "draining" and covers):
                book(states.down_leaf(state), rest, slot.model, slot=slot)
            elif not covers or slot.kind == "unweighed":
                book("unknown", rest, slot.model, slot=slot)
            elif slot.kind == "remainder":
                book("free.stranded", rest, slot.model, slot=slot)
            elif not now.claims[slot] and free.is_unmanaged(self.facts, self.reaching[slot], now.pieces[slot], now.a):
                book("free.unmanaged", rest, slot.model, slot=slot)
            else:
                group = groups.setdefault(free.group_of(slot), free.make_group(slot))
                group.left += rest
                group.parts.append((slot, rest))
                frees.append((slot, rest))
        for pool in self.capacity.by_pool:
            self._book_pool(view, now, pool, groups, covers, book)
        self._book_queue(view, now, groups, frees, covers, book)

    def _book_pool(self, view, now, pool, groups, covers, book):
        """B.8: claims use up, then draining, starting, planned, failed devices."""
        if pool in self.over:
            return
        model, used = self.capacity.pool_model[pool], sum(c.units for c in now.pools.get(pool, []))
        for state in USE_ORDER:
            units = GRID * now.sizes[pool].get(state, 0)
            rest = units - min(units, used)
            used -= units - rest
            if not rest:
                continue
            view.pay(now.a, now.b, rest)
            if now.late or (state in ("up", "draining") and not covers):
                book("unknown", rest, model)
            elif state != "up":
                book(states.down_leaf(state), rest, model)
            else:
                group_key = (key(model), key(pool), b"", True)
                groups.setdefault(group_key, free.make_group(pool=pool, model=model)).left += rest

    def _book_queue(self, view, now, groups, frees, covers, book):
        ordered = [groups[k] for k in sorted(groups)]
        for group in ordered:
            group.true_free = group.left
        free.take_reserve(self.facts, ordered, now.a, book)
        if covers:
            spread = {s.node for claims in now.claims.values() for c in claims if not c.named for s in [c.slot]}

            def unmet(model, units):
                if self.facts.capacity:
                    view.book_unmet(now.a, now.b, model, units)

            if view.inside(now.a, now.b):
                self.fragment.add([(g, g.parts) for g in ordered if g.node], spread, now.a, now.b)
            free.take_queue(self.facts, ordered, lambda share: free.free_nodes(frees, spread, share), now.a, book, unmet)
        for group in ordered:
            book("free.idle", group.left, group.model, group)
            for slot, state, units in meet(group.parts, sorted(group.taken, key=lambda t: LEAVES.index(t[0]))):
                if now.drawn[slot]:
                    view.draw(now.a, now.b, state, times(now.drawn[slot], units))
