/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: allocations as weights on the 21,000 grid (ledger.md 5, 9.13; decisions D.4, D.5). Weights
 * are rounded once, when the set of claims on a slot changes, by largest remainder in key order,
 * free last.
 *
 * Cost: a slot's boundaries x its claims of that time. Sites with spread claims are cut at every
 * boundary of the site.
 */
#include "account/hold.h"

#include <stdlib.h>

#include "account/layout.h"

/* One wish at one instant. */
struct want {
	uint32_t claim;
	struct frac size;
};

struct segs {
	VEC(struct elem) v;
};

/* The slots that are cut together, and what holds there now. */
struct cut {
	struct meter *m;
	struct site *st;
	const uint32_t *slots;
	uint32_t n;
	VEC(int64_t) times;
	VEC(uint32_t) by_from; /* claims */
	VEC(uint32_t) active;  /* claims, in key order */
	VEC(struct want) wants;
	VEC(struct frac) quotas;
	VEC(int64_t) units;
	struct segs *segs; /* by slot of the cut */
};

static const struct cap_span *cap_at(const struct meter *m, const struct slot *s, int64_t t_ms)
{
	const struct cap_span *caps = s->caps_n ? &m->slot_caps.v[s->caps_at] : NULL;
	uint32_t at = SPAN_AFTER(caps, s->caps_n, t_ms);
	return at < s->caps_n && caps[at].from_ms <= t_ms ? &caps[at] : NULL;
}

static bool is_paid(const struct meter *m, const struct slot *s, int64_t t_ms,
                    const struct cap_span **ret_cap)
{
	*ret_cap = s->has_capacity ? cap_at(m, s, t_ms) : NULL;
	return (!s->has_capacity || *ret_cap) && layout_exists(s->exists, t_ms, t_ms + 1);
}

static struct frac named_size(const struct cut *c, uint32_t slot)
{
	struct frac sum = FRAC_ZERO;
	for (size_t i = 0; i < c->active.n; i++) {
		const struct claim *cl = &c->m->claims.v[c->active.v[i]];
		if (cl->target == TARGET_SLOT && cl->at == slot)
			sum = frac_add(sum, claim_size(c->m, cl));
	}
	return sum;
}

bool hold_is_member(const struct meter *m, const struct site *st, uint32_t slot)
{
	uint32_t n;
	bool mig = site_members(m, st, (struct span){ INT64_MIN, INT64_MAX }, &n);
	enum slot_kind kind = m->slots.v[slot].kind;
	return mig ? kind != SLOT_REMAINDER : kind == SLOT_DEVICE;
}

/* D.4: how much of DEMAND goes to each slot: first the left of up slots, then of down ones, then
 * evenly. */
static void fill(const struct cut *c, int64_t t_ms, struct frac demand, struct frac *ret_filled)
{
	struct frac *left = mem_alloc(mem_times(c->n, sizeof *left));
	int *tier = mem_alloc(mem_times(c->n, sizeof *tier)); /* -1: takes no part */
	int64_t usable = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cap_span *cap;
		const struct slot *s = &c->m->slots.v[c->slots[i]];
		ret_filled[i] = FRAC_ZERO;
		tier[i] = -1;
		if (!hold_is_member(c->m, c->st, c->slots[i]) || !is_paid(c->m, s, t_ms, &cap))
			continue;
		usable++;
		tier[i] = cap && cap->state >= CAPACITY_FAILED;
		left[i] = frac_sub(FRAC_ONE, named_size(c, c->slots[i]));
		if (left[i].num < 0)
			left[i] = FRAC_ZERO;
	}
	for (int k = 0; k < 2; k++) {
		struct frac room = FRAC_ZERO;
		for (uint32_t i = 0; i < c->n; i++)
			if (tier[i] == k)
				room = frac_add(room, left[i]);
		struct frac part = frac_cmp(demand, room) < 0 ? demand : room;
		for (uint32_t i = 0; i < c->n && room.num; i++)
			if (tier[i] == k)
				ret_filled[i] = frac_div(frac_mul(part, left[i]), room);
		demand = frac_sub(demand, part);
	}
	for (uint32_t i = 0; i < c->n && usable; i++)
		if (tier[i] >= 0)
			ret_filled[i] = frac_add(ret_filled[i],
			                         frac_div(demand, (struct frac){ usable, 1 }));
	mem_free(left);
	mem_free(tier);
}

/* D.5: wishes to weights. Returns what is left of the slot. */
static uint32_t grid(struct cut *c, const struct slot *s, struct holds *h)
{
	struct frac sum = FRAC_ZERO, weight = { s->weight, 1 };
	uint32_t n = (uint32_t)c->wants.n;
	for (uint32_t i = 0; i < n; i++)
		sum = frac_add(sum, c->wants.v[i].size);
	bool over = frac_cmp(sum, FRAC_ONE) > 0;
	struct frac rest = weight;
	c->quotas.n = c->units.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct frac q = frac_mul(c->wants.v[i].size, weight);
		if (over)
			q = frac_div(q, sum);
		*vec_push(&c->quotas) = q;
		rest = frac_sub(rest, q);
	}
	*vec_push(&c->quotas) = rest.num > 0 ? rest : FRAC_ZERO;
	vec_reserve(&c->units, n + 1);
	frac_share(c->quotas.v, n + 1, s->weight, c->units.v);
	for (uint32_t i = 0; i < n; i++)
		*vec_push(&h->holds) =
		        (struct hold){ c->wants.v[i].claim, (uint32_t)c->units.v[i] };
	return (uint32_t)c->units.v[n];
}

static void want_of_slot(struct cut *c, uint32_t i, const struct frac *filled, struct frac demand)
{
	c->wants.n = 0;
	for (size_t k = 0; k < c->active.n; k++) {
		const struct claim *cl = &c->m->claims.v[c->active.v[k]];
		struct frac size = claim_size(c->m, cl);
		if (cl->target == TARGET_SLOT && cl->at != c->slots[i])
			continue;
		if (cl->target == TARGET_SITE) {
			if (!hold_is_member(c->m, c->st, c->slots[i]))
				continue;
			size = frac_div(frac_mul(size, filled[i]), demand);
			if (!size.num)
				continue;
		}
		*vec_push(&c->wants) = (struct want){ c->active.v[k], size };
	}
}

/* B.6: without a scheduler what is read pays for all of the device, the rest of its instances too.
 */
static bool pays_by_cover(const struct meter *m, const struct slot *s)
{
	return s->kind == SLOT_REMAINDER && !m->has_scheduler && !s->has_capacity &&
	       s->cover.from_ms != TIME_UNKNOWN;
}

static void seg_of_slot(struct cut *c, struct holds *h, uint32_t i, struct span at,
                        const struct frac *filled, struct frac demand)
{
	const struct slot *s = &c->m->slots.v[c->slots[i]];
	const struct cap_span *cap;
	if (!is_paid(c->m, s, at.from_ms, &cap))
		return;
	struct elem e = { .from_ms = at.from_ms,
		          .to_ms = at.to_ms,
		          .state = cap ? cap->state : CAPACITY_UP,
		          .gone = cap && cap->gone,
		          .is_unseen = cap && cap->is_unseen,
		          .holds_at = (uint32_t)h->holds.n,
		          .left = s->has_capacity ? s->weight : 0,
		          .has_spread = demand.num > 0 };
	c->wants.n = 0;
	if (s->kind != SLOT_REMAINDER)
		want_of_slot(c, i, filled, demand);
	if (c->wants.n) {
		uint32_t left = grid(c, s, h);
		e.holds_n = (uint32_t)c->wants.n;
		e.left = s->has_capacity ? left : 0;
		for (size_t k = 1; k < c->wants.n; k++)
			e.is_shared |= c->m->claims.v[c->wants.v[k].claim].job !=
			               c->m->claims.v[c->wants.v[0].claim].job;
	} else if (pays_by_cover(c->m, s) && at.from_ms >= s->cover.from_ms &&
	           at.from_ms < s->cover.to_ms) {
		e.left = s->weight;
	} else if (!s->has_capacity) {
		return;
	}
	if (s->kind == SLOT_UNWEIGHED && e.holds_n) { /* B.1: unknown, whoever holds it */
		for (uint32_t k = 0; k < e.holds_n && !s->has_capacity; k++)
			e.left += h->holds.v[e.holds_at + k].weight;
		e.left = s->has_capacity ? s->weight : e.left;
		h->holds.n = e.holds_at;
		e.holds_n = 0;
	}
	*vec_push(&c->segs[i].v) = e;
}

static void cut_times(struct cut *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct slot *s = &c->m->slots.v[c->slots[i]];
		if (pays_by_cover(c->m, s)) {
			*vec_push(&c->times) = s->cover.from_ms;
			*vec_push(&c->times) = s->cover.to_ms;
		}
		if (s->exists.from_ms != INT64_MIN)
			*vec_push(&c->times) = s->exists.from_ms;
		if (s->exists.to_ms != INT64_MAX)
			*vec_push(&c->times) = s->exists.to_ms;
	}
	for (size_t i = 0; i < c->by_from.n; i++) {
		const struct claim *cl = &c->m->claims.v[c->by_from.v[i]];
		*vec_push(&c->times) = cl->from_ms;
		*vec_push(&c->times) = cl->to_ms;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		const struct slot *s = &c->m->slots.v[c->slots[i]];
		for (uint32_t k = 0; k < s->caps_n; k++) {
			*vec_push(&c->times) = c->m->slot_caps.v[s->caps_at + k].from_ms;
			*vec_push(&c->times) = c->m->slot_caps.v[s->caps_at + k].to_ms;
		}
	}
	*vec_push(&c->times) = c->m->as_of_ms;
	vec_sort(&c->times, span_time_order);
}

struct start {
	int64_t from_ms;
	uint32_t claim;
};

static int start_order(const void *x, const void *y)
{
	const struct start *a = x, *b = y;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	return a->claim < b->claim ? -1 : a->claim > b->claim;
}

static void cut_claims(struct cut *c)
{
	VEC(struct start) starts = { 0 };
	for (uint32_t i = 0; i < c->st->claims_n; i++) {
		uint32_t at = c->st->claims_at + i;
		const struct claim *cl = &c->m->claims.v[at];
		bool mine = cl->target == TARGET_SITE;
		for (uint32_t k = 0; k < c->n && !mine; k++)
			mine = cl->at == c->slots[k];
		if (mine)
			*vec_push(&starts) = (struct start){ cl->from_ms, at };
	}
	vec_sort(&starts, start_order);
	for (size_t i = 0; i < starts.n; i++)
		*vec_push(&c->by_from) = starts.v[i].claim;
	vec_deinit(&starts);
}

/* Claims that have ended leave; those that begin enter in key order (the order of m->claims within
 * a site). */
static void cut_step(struct cut *c, int64_t t_ms, size_t *next)
{
	size_t n = 0;
	for (size_t i = 0; i < c->active.n; i++)
		if (c->m->claims.v[c->active.v[i]].to_ms > t_ms)
			c->active.v[n++] = c->active.v[i];
	c->active.n = n;
	for (; *next < c->by_from.n && c->m->claims.v[c->by_from.v[*next]].from_ms <= t_ms;
	     ++*next) {
		uint32_t claim = c->by_from.v[*next];
		*vec_push(&c->active) = claim;
		for (size_t i = c->active.n - 1; i && c->active.v[i - 1] > claim; i--) {
			c->active.v[i] = c->active.v[i - 1];
			c->active.v[i - 1] = claim;
		}
	}
}

static void cut_run(struct cut *c, struct holds *h)
{
	struct frac *filled = mem_alloc(mem_times(c->n, sizeof *filled));
	size_t next = 0;
	cut_claims(c);
	cut_times(c);
	for (size_t i = 0; i + 1 < c->times.n; i++) {
		struct span at = { c->times.v[i], c->times.v[i + 1] };
		if (at.from_ms == at.to_ms)
			continue;
		cut_step(c, at.from_ms, &next);
		struct frac demand = FRAC_ZERO;
		for (size_t k = 0; k < c->active.n; k++)
			if (c->m->claims.v[c->active.v[k]].target == TARGET_SITE)
				demand = frac_add(
				        demand, claim_size(c->m, &c->m->claims.v[c->active.v[k]]));
		if (demand.num)
			fill(c, at.from_ms, demand, filled);
		for (uint32_t k = 0; k < c->n; k++)
			seg_of_slot(c, h, k, at, filled, demand);
	}
	mem_free(filled);
}

/* Runs of the slot's pieces, and which run each piece is of. */
static void runs_of_slot(const struct meter *m, const struct slot *s, struct holds *h)
{
	const struct piece *p = s->pieces_n ? &m->pieces.v[s->pieces_at] : NULL;
	for (uint32_t i = 0; i < s->pieces_n; i++) {
		bool touches = i && p[i - 1].to_ms == p[i].from_ms;
		struct run *last = h->runs.n ? &h->runs.v[h->runs.n - 1] : NULL;
		if (touches && p[i - 1].kind == p[i].kind) {
			last->to_ms = p[i].to_ms;
			continue;
		}
		if (touches)
			last->right_known = p[i].kind != CLASS_NONE;
		*vec_push(&h->runs) =
		        (struct run){ .from_ms = p[i].from_ms,
			              .to_ms = p[i].to_ms,
			              .kind = p[i].kind,
			              .left_known = touches && p[i - 1].kind != CLASS_NONE };
	}
}

/* Segments of a slot, cut at its pieces. */
static void elems_of_slot(const struct meter *m, struct holds *h, uint32_t slot,
                          const struct elem *segs, size_t n)
{
	const struct slot *s = &m->slots.v[slot];
	const struct piece *p = s->pieces_n ? &m->pieces.v[s->pieces_at] : NULL;
	uint32_t at = 0, run = (uint32_t)h->runs.n;
	struct part_of_slot part = { .slot = slot, .elems_at = (uint32_t)h->elems.n };
	runs_of_slot(m, s, h);
	for (size_t i = 0; i < n; i++) {
		struct elem e = segs[i];
		for (int64_t t = segs[i].from_ms; t < segs[i].to_ms; t = e.to_ms) {
			while (at < s->pieces_n && p[at].to_ms <= t)
				at++;
			while (run < h->runs.n && h->runs.v[run].to_ms <= t)
				run++;
			bool in = at < s->pieces_n && p[at].from_ms <= t;
			int64_t until = in                 ? p[at].to_ms
			                : at < s->pieces_n ? p[at].from_ms
			                                   : INT64_MAX;
			e.from_ms = t;
			e.to_ms = until < segs[i].to_ms ? until : segs[i].to_ms;
			e.piece = in ? s->pieces_at + at : NONE;
			e.run = in ? run : NONE;
			*vec_push(&h->elems) = e;
		}
	}
	part.elems_n = (uint32_t)h->elems.n - part.elems_at;
	*vec_push(&h->parts) = part;
}

static void cut_slots(struct meter *m, struct site *st, const uint32_t *slots, uint32_t n,
                      struct holds *h)
{
	struct cut c = { .m = m, .st = st, .slots = slots, .n = n };
	c.segs = mem_alloc(mem_times(n, sizeof *c.segs));
	cut_run(&c, h);
	for (uint32_t i = 0; i < n; i++) {
		elems_of_slot(m, h, slots[i], c.segs[i].v.v, c.segs[i].v.n);
		vec_deinit(&c.segs[i].v);
	}
	mem_free(c.segs);
	vec_deinit(&c.times), vec_deinit(&c.by_from), vec_deinit(&c.active);
	vec_deinit(&c.wants), vec_deinit(&c.quotas), vec_deinit(&c.units);
}

struct keyed {
	struct claim claim;
	struct str id;
};

/* Key order of claims: id of the job, then place in the input, then slot. */
static int keyed_order(const void *x, const void *y)
{
	const struct keyed *a = x, *b = y;
	int c = str_cmp(a->id, b->id);
	if (c)
		return c;
	if (a->claim.entry != b->claim.entry)
		return a->claim.entry < b->claim.entry ? -1 : 1;
	return a->claim.at < b->claim.at ? -1 : a->claim.at > b->claim.at;
}

static void claims_in_key_order(struct meter *m, const struct site *st)
{
	struct keyed *k = mem_alloc(mem_times(st->claims_n, sizeof *k));
	for (uint32_t i = 0; i < st->claims_n; i++) {
		k[i].claim = m->claims.v[st->claims_at + i];
		k[i].id = k[i].claim.job == NONE ? STR_NULL
		                                 : job_id(m->f, &m->f->jobs.v[k[i].claim.job]);
	}
	qsort(k, st->claims_n, sizeof *k, keyed_order);
	for (uint32_t i = 0; i < st->claims_n; i++)
		m->claims.v[st->claims_at + i] = k[i].claim;
	mem_free(k);
}

void hold_build(struct meter *m, struct site *st, struct holds *ret)
{
	const uint32_t *slots = &m->site_slots.v[st->slots_at];
	claims_in_key_order(m, st);
	if (st->has_spread) {
		cut_slots(m, st, slots, st->slots_n, ret);
		return;
	}
	for (uint32_t i = 0; i < st->slots_n; i++)
		cut_slots(m, st, &slots[i], 1, ret);
}

void hold_reset(struct holds *h)
{
	h->elems.n = h->holds.n = h->runs.n = h->parts.n = 0;
}

void hold_deinit(struct holds *h)
{
	vec_deinit(&h->elems), vec_deinit(&h->holds), vec_deinit(&h->runs), vec_deinit(&h->parts);
}
