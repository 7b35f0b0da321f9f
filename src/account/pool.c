/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: devices known only by count (ledger.md 1, 9.17; decisions B.6 to B.8, E.15). Nothing reads
 * them, so allocated time is unobserved, or setup where the job itself says when it began.
 */
#include <stdlib.h>

#include "account/setup.h"

/* From T on, BY units more are claimed. */
struct change {
	int64_t t_ms, by;
};

static int change_order(const void *x, const void *y)
{
	const struct change *a = x, *b = y;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

struct changes {
	VEC(struct change) v;
};

static void changes_of(const struct meter *m, const struct pool *p, struct changes *ret)
{
	for (uint32_t i = 0; i < p->claims_n; i++) {
		const struct claim *c = &m->claims.v[p->claims_at + i];
		int64_t units = claim_units(m, c);
		*vec_push(&ret->v) = (struct change){ c->from_ms, units };
		*vec_push(&ret->v) = (struct change){ c->to_ms, -units };
	}
	for (uint32_t i = 0; i < p->spans_n; i++) {
		*vec_push(&ret->v) = (struct change){ m->pool_spans.v[p->spans_at + i].from_ms, 0 };
		*vec_push(&ret->v) = (struct change){ m->pool_spans.v[p->spans_at + i].to_ms, 0 };
	}
	*vec_push(&ret->v) = (struct change){ m->as_of_ms, 0 };
	vec_sort(&ret->v, change_order);
}

/* One stretch of a pool: its size and what is claimed of it. */
typedef void pool_visit(struct meter *m, struct pool *p, const struct pool_span *size, int64_t used,
                        struct span at);

static void pool_walk(struct meter *m, struct pool *p, const struct changes *c, pool_visit *visit)
{
	static const struct pool_span none;
	int64_t used = 0;
	uint32_t span = 0;
	for (size_t i = 0; i + 1 < c->v.n; i++) {
		struct span at = { c->v.v[i].t_ms, c->v.v[i + 1].t_ms };
		used += c->v.v[i].by;
		while (span < p->spans_n && m->pool_spans.v[p->spans_at + span].to_ms <= at.from_ms)
			span++;
		const struct pool_span *s =
		        span < p->spans_n ? &m->pool_spans.v[p->spans_at + span] : &none;
		if (at.from_ms < at.to_ms)
			visit(m, p, s->from_ms <= at.from_ms ? s : &none, used, at);
	}
}

/* B.7: more is claimed than there is: the capacity is wrong, and neither number is used. */
static void check_size(struct meter *m, struct pool *p, const struct pool_span *size, int64_t used,
                       struct span at)
{
	int64_t sum = 0;
	for (int i = 0; i < POOL_STATES; i++)
		sum += size->count[i];
	if (at.from_ms < m->as_of_ms && used > sum * GRID)
		p->pays_allocations = true;
}

static enum state left_state(int s)
{
	static const enum state of[] = { STATE_FREE_IDLE,    STATE_DOWN_PLANNED,  STATE_DOWN_FAILED,
		                         STATE_DOWN_PLANNED, STATE_DOWN_STARTING, STATE_UNKNOWN };
	return of[s];
}

static void left_add(struct meter *m, const struct pool *p, int s, int64_t units, struct span at)
{
	for (int64_t t = at.from_ms, until; t < at.to_ms; t = until) {
		bool covers = seen_covers(m, t, &until);
		until = until < at.to_ms ? until : at.to_ms;
		if (t >= m->as_of_ms || (s <= CAPACITY_DRAINING && !covers))
			cell_plain(m, p->place, STATE_UNKNOWN, t, until, units);
		else if (s != CAPACITY_UP)
			cell_plain(m, p->place, left_state(s), t, until, units);
		else
			*vec_push(&m->frees) =
			        (struct free_part){ .from_ms = t,
				                    .to_ms = until,
				                    .units_per_ms = units,
				                    .slot = NONE,
				                    .pool = (uint32_t)(p - m->pools.v),
				                    .is_spread = true };
	}
}

/* B.8: claims use up, then draining, starting, planned, failed devices. */
static void left_visit(struct meter *m, struct pool *p, const struct pool_span *size, int64_t used,
                       struct span at)
{
	static const int order[] = { CAPACITY_UP,       CAPACITY_UNSEEN,  CAPACITY_DRAINING,
		                     CAPACITY_STARTING, CAPACITY_PLANNED, CAPACITY_FAILED };
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		int64_t units = (int64_t)size->count[order[i]] * GRID;
		int64_t taken = used < units ? used : units;
		used -= taken;
		if (units == taken)
			continue;
		cells_pay(m, at.from_ms, at.to_ms, units - taken);
		left_add(m, p, order[i], units - taken, at);
	}
}

static void claim_atoms(struct meter *m, const struct pool *p, uint32_t claim,
                        const struct setup_group *g)
{
	const struct claim *c = &m->claims.v[claim];
	int64_t units = claim_units(m, c);
	struct atom a = { .from_ms = c->from_ms,
		          .to_ms = c->to_ms,
		          .claim = claim,
		          .slot = NONE,
		          .place = p->place,
		          .units_per_ms = units,
		          .evidence = EVIDENCE_NONE,
		          .state = STATE_UNOBSERVED };
	cells_pay(m, c->from_ms, c->to_ms, units);
	if (g && g->is_alone && g->end_ms > c->from_ms) {
		struct atom early = a;
		early.state = STATE_SETUP;
		early.evidence = EVIDENCE_SCHEDULER;
		early.to_ms = g->end_ms < c->to_ms ? g->end_ms : c->to_ms;
		if (!g->is_started && !g->has_open_end && !g->is_blind)
			early.marks = MARK_NEVER_STARTED;
		settle_atom(m, &early);
		a.from_ms = early.to_ms;
	}
	if (a.from_ms < a.to_ms)
		settle_atom(m, &a);
}

/* All claims of a job on a pool are one setup (F.1); only jobs that speak have one. */
static void setups_of(struct meter *m, const struct pool *p, struct setups *s, struct map *at)
{
	for (uint32_t i = 0; i < p->claims_n; i++) {
		const struct claim *c = &m->claims.v[p->claims_at + i];
		if (!seen_info(m, c->job))
			continue;
		uint32_t *g = map_at(at, c->job);
		if (!*g) {
			*vec_push(&s->groups) = setup_of_pool(m, c->job, c->from_ms);
			*g = (uint32_t)s->groups.n;
		}
		struct setup_group *group = &s->groups.v[*g - 1];
		bool open = group->has_open_end | c->is_open;
		if (c->from_ms < group->start_ms)
			*group = setup_of_pool(m, c->job, c->from_ms);
		group->has_open_end = open;
	}
	for (uint32_t i = 0; i < p->claims_n; i++) {
		const struct claim *c = &m->claims.v[p->claims_at + i];
		const uint32_t *g = map_get(at, c->job);
		if (g)
			s->groups.v[*g - 1].is_blind |= !s->groups.v[*g - 1].is_alone ||
			                                c->to_ms > s->groups.v[*g - 1].end_ms;
	}
}

static void pool_one(struct meter *m, struct pool *p)
{
	struct changes c = { { 0 } };
	struct setups s = { 0 };
	struct map at = MAP_NULL;
	if (!p->pays_allocations) {
		changes_of(m, p, &c);
		pool_walk(m, p, &c, check_size);
		if (p->pays_allocations)
			m->out->places.v[p->place].free_is_null = true;
		else
			pool_walk(m, p, &c, left_visit);
	}
	if (m->infos.n)
		setups_of(m, p, &s, &at);
	for (uint32_t i = 0; i < p->claims_n; i++) {
		uint32_t claim = p->claims_at + i;
		const uint32_t *g = m->infos.n ? map_get(&at, m->claims.v[claim].job) : NULL;
		claim_atoms(m, p, claim, g ? &s.groups.v[*g - 1] : NULL);
	}
	setup_deinit(&s);
	map_deinit(&at);
	vec_deinit(&c.v);
}

void pool_meter(struct meter *m)
{
	for (size_t i = 0; i < m->pools.n; i++)
		pool_one(m, &m->pools.v[i]);
}
