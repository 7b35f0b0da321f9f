/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site: what every second of every slot was (ledger.md 3, 9.1 to 9.6, 9.16, 9.17; decisions E, H.1,
 * H.2). Site by site, so that memory follows one node's changes.
 */
#include <stdlib.h>

#include "account/setup.h"

#define VACANT_MS_MIN 60000 /* vacant power is measured over at least so long (K.7) */

struct work {
	struct meter *m;
	struct site *st;
	struct holds h;
	struct setups s;
	VEC(struct atom) atoms; /* held back until it is known which groups never started */
	VEC(struct span) edges; /* the skew of allocations' edges on the slot at hand */
	struct vacancy vacancy; /* of the slot at hand */
};

/* E.2 to E.8, after setup, before causes. */
static enum state state_of_piece(const struct work *w, const struct elem *e, uint32_t claim)
{
	const struct meter *m = w->m;
	if (setup_is_absent(m, &w->h, e, claim))
		return STATE_VACANT;
	const struct piece *p = e->piece == NONE ? NULL : &m->pieces.v[e->piece];
	if (!p || p->kind == CLASS_NONE)
		return STATE_UNOBSERVED;
	if (p->residency == RESIDENCY_EMPTY && !p->is_refuting)
		return STATE_VACANT;
	if (p->kind != CLASS_LOW && p->kind != CLASS_SPIN)
		return STATE_ACTIVE;
	const struct claim *c = &m->claims.v[claim];
	const struct run *r = &w->h.runs.v[e->run];
	int64_t from_ms = r->from_ms > c->from_ms ? r->from_ms : c->from_ms;
	int64_t to_ms = r->to_ms < c->to_ms ? r->to_ms : c->to_ms;
	bool is_long = to_ms - from_ms >= RUN_MS;
	if (p->kind == CLASS_SPIN)
		return is_long ? STATE_STALLED_SPINNING : STATE_ACTIVE;
	if (is_long)
		return p->residency == RESIDENCY_UNKNOWN ? STATE_QUIET : STATE_STALLED_UNEXPLAINED;
	bool left = r->from_ms <= c->from_ms || r->left_known;
	bool right = r->to_ms >= c->to_ms ? !c->is_open : r->right_known;
	return left && right ? STATE_ACTIVE : STATE_UNOBSERVED;
}

/* The whole state of a second at T, with what the job says of it. RET_UNTIL: no later than the
 * elem's end. */
static void state_at(const struct work *w, const struct elem *e, uint32_t slot, struct atom *a,
                     int64_t *ret_until_ms)
{
	const struct meter *m = w->m;
	const struct claim *c = &m->claims.v[a->claim];
	const struct attempt_info *info = seen_info(m, c->job);
	int64_t phase_until;
	uint32_t group = w->s.group_of.v[a->claim - w->st->claims_at];
	a->is_stalled = false;
	a->state = (uint8_t)setup_state(m, &w->s, group, &w->h, e, a->claim, slot, a->from_ms,
	                                ret_until_ms);
	if (a->state != STATE_ACTIVE)
		return;
	const struct phase *p = phase_at(m, info, a->from_ms, &phase_until);
	if (phase_until < *ret_until_ms)
		*ret_until_ms = phase_until;
	a->state = (uint8_t)state_of_piece(w, e, a->claim);
	if (a->state == STATE_UNOBSERVED && c->job == NONE)
		a->state = STATE_UNKNOWN;
	if (a->state == STATE_ACTIVE && p && p->overhead != STATE_COUNT)
		a->state = p->overhead;
	if (a->state != STATE_STALLED_UNEXPLAINED)
		return;
	if (p && p->cause != STATE_COUNT) {
		a->state = p->cause;
		return;
	}
	a->is_stalled = c->job != NONE;
	if (p && p->is_quiet)
		a->state = STATE_STALLED_NO_REQUEST;
}

/* 9.17: a device said gone whose running allocation still reads is up for the seconds that its
 * readings cover. */
static bool is_gone(const struct meter *m, const struct elem *e)
{
	if (!e->gone)
		return false;
	return !(e->piece != NONE && m->pieces.v[e->piece].has_reading && e->holds_n);
}

static enum state down_leaf(enum capacity_state s)
{
	return s == CAPACITY_FAILED     ? STATE_DOWN_FAILED
	       : s == CAPACITY_STARTING ? STATE_DOWN_STARTING
	                                : STATE_DOWN_PLANNED;
}

static void atom_push(struct work *w, const struct atom *a)
{
	struct atom *last = w->atoms.n ? &w->atoms.v[w->atoms.n - 1] : NULL;
	if (last && last->claim == a->claim && last->slot == a->slot && last->to_ms == a->from_ms &&
	    last->units_per_ms == a->units_per_ms && last->state == a->state &&
	    last->evidence == a->evidence && last->is_stalled == a->is_stalled &&
	    last->is_estimated == a->is_estimated)
		last->to_ms = a->to_ms;
	else
		*vec_push(&w->atoms) = *a;
}

/* D.6: without a scheduler, down time that nothing was read in is down, not `unscheduled`. */
static bool is_down(const struct meter *m, const struct elem *e, uint32_t job)
{
	if (job != NONE || e->state < CAPACITY_FAILED)
		return is_gone(m, e);
	return e->piece == NONE || !m->pieces.v[e->piece].has_reading;
}

static void hold_meter(struct work *w, const struct elem *e, uint32_t slot, const struct hold *hd)
{
	const struct meter *m = w->m;
	const struct claim *c = &m->claims.v[hd->claim];
	uint32_t group = w->s.group_of.v[hd->claim - w->st->claims_at];
	struct atom a = { .claim = hd->claim,
		          .slot = slot,
		          .place = m->slots.v[slot].place,
		          .units_per_ms = hd->weight };
	const struct piece *p = e->piece == NONE ? NULL : &m->pieces.v[e->piece];
	bool down = is_down(m, e, c->job);
	a.is_estimated = c->target == TARGET_SITE || e->is_shared || (p && p->is_point);
	for (int64_t t = e->from_ms; t < e->to_ms; t = a.to_ms) {
		int64_t until = INT64_MAX;
		a.from_ms = t;
		if (down)
			a.state = (uint8_t)down_leaf(e->state), a.is_stalled = false;
		else
			state_at(w, e, slot, &a, &until);
		a.to_ms = until < e->to_ms ? until : e->to_ms;
		a.evidence = a.state == STATE_UNOBSERVED || a.state == STATE_UNKNOWN ? EVIDENCE_NONE
		             : p && !down                                            ? p->evidence
		                          : EVIDENCE_SCHEDULER;
		if (group != NONE)
			w->s.groups.v[group].is_blind |= a.state == STATE_UNOBSERVED ||
			                                 a.state == STATE_UNKNOWN ||
			                                 states[a.state].group == GROUP_DOWN;
		atom_push(w, &a);
	}
}

/* The first skew edge that covers T or comes after it; until when the answer stays. */
static bool in_edge(const struct work *w, int64_t t_ms, int64_t *ret_until_ms)
{
	bool in = false;
	for (size_t i = 0; i < w->edges.n; i++) {
		const struct span *s = &w->edges.v[i];
		if (s->from_ms <= t_ms && t_ms < s->to_ms) {
			in = true;
			*ret_until_ms = s->to_ms < *ret_until_ms ? s->to_ms : *ret_until_ms;
		} else if (s->from_ms > t_ms && s->from_ms < *ret_until_ms) {
			*ret_until_ms = s->from_ms;
		}
	}
	return in;
}

static void free_add(struct work *w, const struct elem *e, uint32_t slot, int64_t from_ms,
                     int64_t to_ms)
{
	const struct slot *s = &w->m->slots.v[slot];
	struct free_part p = {
		.from_ms = from_ms,
		.to_ms = to_ms,
		.units_per_ms = e->left,
		.slot = slot,
		.pool = NONE,
		.is_whole = s->kind == SLOT_DEVICE && e->left == s->weight,
		.is_spread = e->has_spread,
	};
	struct free_part *last = w->m->frees.n ? &w->m->frees.v[w->m->frees.n - 1] : NULL;
	/* readings cut time, not what is free: memory follows allocations */
	if (last && last->slot == slot && last->to_ms == from_ms &&
	    last->units_per_ms == p.units_per_ms && last->is_whole == p.is_whole &&
	    last->is_spread == p.is_spread)
		last->to_ms = to_ms;
	else
		*vec_push(&w->m->frees) = p;
}

/* A cell that is nobody's, of a slot. */
static void plain(struct meter *m, uint32_t slot, enum state state, int64_t from_ms, int64_t to_ms,
                  int64_t units_per_ms)
{
	struct cell key = cell_nobody(m->slots.v[slot].place, state);
	cell_add(m, &key, from_ms, to_ms, units_per_ms);
	drawn_add(m, slot, &key, from_ms, to_ms, units_per_ms);
}

/* Free time inside the scheduler's coverage: unmanaged, or the queue's. */
static void free_meter(struct work *w, const struct elem *e, uint32_t slot, int64_t from_ms,
                       int64_t to_ms)
{
	struct meter *m = w->m;
	const struct slot *s = &m->slots.v[slot];
	bool active = !e->holds_n && e->piece != NONE && m->pieces.v[e->piece].is_high;
	if (s->kind == SLOT_REMAINDER) {
		plain(m, slot, STATE_FREE_STRANDED, from_ms, to_ms, e->left);
		return;
	}
	if (!active) {
		free_add(w, e, slot, from_ms, to_ms);
		return;
	}
	for (int64_t t = from_ms, until; t < to_ms; t = until) {
		until = to_ms;
		bool edge = in_edge(w, t, &until);
		if (edge)
			free_add(w, e, slot, t, until);
		else
			plain(m, slot, STATE_FREE_UNMANAGED, t, until, e->left);
	}
}

/* H.1: what nobody claims. */
static void left_meter(struct work *w, const struct elem *e, uint32_t slot)
{
	struct meter *m = w->m;
	const struct slot *s = &m->slots.v[slot];
	bool reads = e->gone && !is_gone(m, e);
	for (int64_t t = e->from_ms, until; t < e->to_ms; t = until) {
		bool covers = seen_covers(m, t, &until);
		until = until < e->to_ms ? until : e->to_ms;
		enum capacity_state state = reads ? CAPACITY_UP : e->state;
		if (t >= m->as_of_ms)
			plain(m, slot, STATE_UNKNOWN, t, until, e->left);
		else if (state >= CAPACITY_FAILED || (state == CAPACITY_DRAINING && covers))
			plain(m, slot, down_leaf(state), t, until, e->left);
		else if (!covers || e->is_unseen || s->kind == SLOT_UNWEIGHED)
			plain(m, slot, STATE_UNKNOWN, t, until, e->left);
		else
			free_meter(w, e, slot, t, until);
	}
}

/* Skew windows around the edges of every allocation that reaches the slot (9.16). */
static void edges_build(struct work *w, uint32_t slot)
{
	const struct meter *m = w->m;
	w->edges.n = 0;
	for (uint32_t i = 0; i < w->st->claims_n; i++) {
		const struct claim *c = &m->claims.v[w->st->claims_at + i];
		bool reaches =
		        c->target == TARGET_SLOT ? c->at == slot : hold_is_member(m, w->st, slot);
		if (c->job == NONE || !reaches)
			continue;
		*vec_push(&w->edges) = (struct span){ c->from_ms - m->skew_ms, c->from_ms };
		if (!c->is_open)
			*vec_push(&w->edges) = (struct span){ c->to_ms, c->to_ms + m->skew_ms };
	}
}

/* K.7: what the slot draws while no program is on it. */
static void vacancy_add(struct work *w, const struct elem *e, uint32_t slot)
{
	struct meter *m = w->m;
	const struct piece *p = e->piece == NONE ? NULL : &m->pieces.v[e->piece];
	if (!m->slots.v[slot].draws_n || !p || p->residency != RESIDENCY_EMPTY || p->is_refuting)
		return;
	struct drawn d = drawn_between(m, slot, e->from_ms, e->to_ms, 1);
	w->vacancy.microjoules += (i128)d.energy * 1000;
	w->vacancy.ms += d.metered;
}

static void vacancy_keep(struct work *w, uint32_t slot)
{
	if (w->vacancy.ms >= VACANT_MS_MIN)
		w->m->out->vacancies.v[w->m->slots.v[slot].place] = w->vacancy;
	w->vacancy = (struct vacancy){ 0 };
}

static void slot_meter(struct work *w, const struct part_of_slot *part)
{
	struct meter *m = w->m;
	edges_build(w, part->slot);
	for (uint32_t i = 0; i < part->elems_n; i++) {
		const struct elem *e = &w->h.elems.v[part->elems_at + i];
		int64_t weight = e->left;
		for (uint32_t k = 0; k < e->holds_n; k++) {
			const struct hold *hd = &w->h.holds.v[e->holds_at + k];
			weight += hd->weight;
			hold_meter(w, e, part->slot, hd);
		}
		cells_pay(m, e->from_ms, e->to_ms, weight);
		if (e->left)
			left_meter(w, e, part->slot);
		if (weight)
			vacancy_add(w, e, part->slot);
	}
	vacancy_keep(w, part->slot);
}

static int atom_order(const void *x, const void *y)
{
	const struct atom *a = x, *b = y;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->claim != b->claim)
		return a->claim < b->claim ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

/* W's atoms, sorted: those of one slot stand side by side. */
static void depths_of_site(const struct work *w)
{
	for (size_t i = 0, k; i < w->atoms.n; i = k) {
		for (k = i; k < w->atoms.n && w->atoms.v[k].slot == w->atoms.v[i].slot;)
			k++;
		depth_slot(w->m, w->atoms.v[i].slot, &w->atoms.v[i], k - i);
	}
}

void site_meter(struct meter *m)
{
	struct work w = { .m = m };
	for (size_t i = 0; i < m->sites.n; i++) {
		w.st = &m->sites.v[i];
		drawn_site(m);
		piece_site(m, w.st);
		hold_build(m, w.st, &w.h);
		setup_build(m, w.st, &w.h, &w.s);
		for (size_t k = 0; k < w.h.parts.n; k++)
			slot_meter(&w, &w.h.parts.v[k]);
		vec_sort(&w.atoms, atom_order);
		depths_of_site(&w);
		for (size_t k = 0; k < w.atoms.n; k++) {
			struct atom *a = &w.atoms.v[k];
			uint32_t group = w.s.group_of.v[a->claim - w.st->claims_at];
			const struct setup_group *g = group == NONE ? NULL : &w.s.groups.v[group];
			if (g && !g->is_started && !g->has_open_end && !g->is_blind)
				a->marks |= MARK_NEVER_STARTED;
			settle_atom(m, a);
		}
		drawn_site_end(m, w.st);
		hold_reset(&w.h);
		setup_reset(&w.s);
		w.atoms.n = 0;
	}
	hold_deinit(&w.h);
	setup_deinit(&w.s);
	vec_deinit(&w.atoms);
	vec_deinit(&w.edges);
}
