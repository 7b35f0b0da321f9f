/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capacity: when each slot is paid for and up, and how many devices of each pool (ledger.md 9.17;
 * decisions B).
 */
#include <stdlib.h>

#include "account/meter.h"
#include "account/mixed.h"
#include "account/paint.h"
#include "facts/accelerator.h"

/* One observation with its times settled. */
struct entry {
	int64_t from_ms, to_ms, at_ms;
	sym what;         /* device or pool */
	sym source, node; /* node: of a pool that is observed node by node */
	uint32_t count, order;
	enum capacity_state state;
	bool gone, is_unseen;
};

struct entries {
	VEC(struct entry) v;
};

static bool is_down(enum capacity_state s)
{
	return s >= CAPACITY_FAILED;
}

/* Ties of one observation: down, draining, up; then the later start; then failed, planned,
 * starting. */
static int entry_newer(const struct entry *a, const struct entry *b)
{
	if (a->at_ms != b->at_ms)
		return a->at_ms < b->at_ms ? -1 : 1;
	int x = is_down(a->state) ? 2 : a->state == CAPACITY_DRAINING;
	int y = is_down(b->state) ? 2 : b->state == CAPACITY_DRAINING;
	if (x != y)
		return x < y ? -1 : 1;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	if (a->state != b->state)
		return a->state > b->state ? -1 : 1;
	return a->gone != b->gone ? (a->gone ? 1 : -1) : 0;
}

static int device_order(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	int c = entry_newer(a, b);
	return c ? c : a->order < b->order ? -1 : 1;
}

/* Of one pool, source, node and state: the newest, then the later start, then the larger (B.4). */
static int pool_order(const void *x, const void *y)
{
	const struct entry *a = x, *b = y;
	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (!a->node && a->state != b->state) /* a node is in one state at a time */
		return a->state < b->state ? -1 : 1;
	if (a->at_ms != b->at_ms)
		return a->at_ms < b->at_ms ? -1 : 1;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* A snapshot holds over all the scheduler's time; before its state began, the node was up. */
static void entry_snapshot(struct meter *m, const struct capacity *c, struct entry e,
                           struct entries *ret)
{
	struct span hull = m->scheduled;
	m->out->capacity_is_snapshot = true;
	if (hull.from_ms == TIME_UNKNOWN)
		hull = (struct span){ m->as_of_ms, m->as_of_ms };
	e.to_ms = c->to_ms != TIME_UNKNOWN ? c->to_ms : m->as_of_ms;
	e.from_ms = c->from_ms != TIME_UNKNOWN ? c->from_ms : hull.from_ms;
	if (e.from_ms > hull.from_ms) {
		struct entry up = e;
		up.from_ms = hull.from_ms;
		up.to_ms = e.from_ms < e.to_ms ? e.from_ms : e.to_ms;
		up.state = CAPACITY_UP;
		up.gone = false;
		*vec_push(&ret->v) = up;
	}
	*vec_push(&ret->v) = e;
}

static void entries_read(struct meter *m, struct entries *devices, struct entries *pools)
{
	const struct facts *f = m->f;
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *c = &f->capacity.v[i];
		int64_t at_ms = c->at_ms != TIME_UNKNOWN ? c->at_ms
		                : c->is_snapshot         ? m->as_of_ms
		                                         : c->from_ms;
		if (at_ms > m->as_of_ms || (c->from_ms == TIME_UNKNOWN && !c->is_snapshot))
			continue;
		struct entry e = { .from_ms = c->from_ms,
			           .to_ms = c->to_ms != TIME_UNKNOWN ? c->to_ms : m->as_of_ms,
			           .at_ms = at_ms,
			           .what = c->device ? c->device : c->pool,
			           .source = c->source,
			           .node = c->node,
			           .count = c->count,
			           .order = (uint32_t)i,
			           .state = c->state,
			           .gone = c->gone && is_down(c->state),
			           .is_unseen = c->is_unseen };
		if (c->is_part &&
		    mixed_as_one(m, c->node)) { /* a pool of two, each node by itself */
			e.what = c->node;
			e.node = c->pool;
		}
		struct entries *to = c->device ? devices : pools;
		m->out->has_capacity = true;
		if (c->is_snapshot)
			entry_snapshot(m, c, e, to);
		else
			*vec_push(&to->v) = e;
	}
}

/* The strokes of entries [i, j), ranked by their order. */
static void entries_paint(const struct entries *es, size_t i, size_t j, struct painted *ret)
{
	struct stroke *s = mem_alloc(mem_times(j - i, sizeof *s));
	for (size_t k = i; k < j; k++)
		s[k - i] = (struct stroke){ es->v.v[k].from_ms, es->v.v[k].to_ms, (uint32_t)k,
			                    (uint32_t)k };
	paint_build(s, j - i, ret);
	mem_free(s);
}

static void devices_build(struct meter *m, struct entries *es)
{
	vec_sort(&es->v, device_order);
	for (size_t i = 0, j; i < es->v.n; i = j) {
		for (j = i; j < es->v.n && es->v.v[j].what == es->v.v[i].what;)
			j++;
		struct painted p = { { 0 } };
		entries_paint(es, i, j, &p);
		uint32_t at = (uint32_t)m->slot_caps.n;
		for (size_t k = 0; k < p.v.n; k++) {
			const struct entry *e = &es->v.v[p.v.v[k].what];
			*vec_push(&m->slot_caps) =
			        (struct cap_span){ p.v.v[k].from_ms, p.v.v[k].to_ms, e->state,
				                   e->gone, e->is_unseen };
		}
		uint32_t n = (uint32_t)m->slot_caps.n - at;
		const uint32_t *first = map_get(&m->slot_of, es->v.v[i].what);
		for (uint32_t s = first ? *first - 1 : NONE;
		     s < m->slots.n && m->slots.v[s].device == es->v.v[i].what; s++) {
			m->slots.v[s].has_capacity = true;
			m->slots.v[s].caps_at = at;
			m->slots.v[s].caps_n = n;
			m->out->places.v[m->slots.v[s].place].has_capacity = true;
		}
		paint_deinit(&p);
	}
}

/* COUNT devices more (or fewer) of one state, said by one source, from T on. */
struct change {
	int64_t t_ms, by;
	uint32_t source; /* index into the pool's sources; NONE: named devices leave the pool */
	int state;       /* of POOL_STATES */
};

static int change_order(const void *x, const void *y)
{
	const struct change *a = x, *b = y;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

struct changes {
	VEC(struct change) v;
};

static void change_add(struct changes *c, int64_t from_ms, int64_t to_ms, int64_t by,
                       uint32_t source, int state)
{
	*vec_push(&c->v) = (struct change){ from_ms, by, source, state };
	*vec_push(&c->v) = (struct change){ to_ms, -by, source, state };
}

/* B.5: named devices of the pool's node and model leave it while they are paid. */
static void changes_of_named(struct meter *m, const struct pool *p, struct changes *c)
{
	const uint32_t *site = map_get(&m->site_of, p->node ? p->node : p->id);
	if (!site)
		return;
	const struct site *st = &m->sites.v[*site - 1];
	for (uint32_t i = 0; i < st->slots_n; i++) {
		uint32_t at = m->site_slots.v[st->slots_at + i];
		const struct slot *s = &m->slots.v[at];
		if (at && m->slots.v[at - 1].device == s->device)
			continue; /* once a device */
		if (p->model && p->model != s->model &&
		    !accelerator_covers(names_word(&m->f->names, p->model),
		                        names_word(&m->f->names, s->model)))
			continue;
		for (uint32_t k = 0; k < s->caps_n; k++) {
			const struct cap_span *cs = &m->slot_caps.v[s->caps_at + k];
			change_add(c, cs->from_ms, cs->to_ms, 1, NONE, CAPACITY_UP);
		}
	}
}

enum { STATES = POOL_STATES };
/* B.5, B.8: which devices are used up, or leave the pool, first. */
static const int use_order[STATES] = { CAPACITY_UP,       CAPACITY_UNSEEN,  CAPACITY_DRAINING,
	                               CAPACITY_STARTING, CAPACITY_PLANNED, CAPACITY_FAILED };

uint32_t pool_take(uint32_t count[], uint32_t n)
{
	for (int i = 0; i < STATES && n; i++) {
		uint32_t *c = &count[use_order[i]];
		uint32_t k = *c < n ? *c : n;
		*c -= k;
		n -= k;
	}
	return n;
}

/* B.4: the largest source is taken whole; ties: the first in key order. */
static void pool_span_add(struct meter *m, struct pool *p, const int64_t (*size)[STATES],
                          uint32_t sources, int64_t named, int64_t from_ms, int64_t to_ms)
{
	struct pool_span s = { .from_ms = from_ms, .to_ms = to_ms };
	int64_t most = 0;
	for (uint32_t i = 0; i < sources; i++) {
		int64_t sum = 0;
		for (int k = 0; k < STATES; k++)
			sum += size[i][k];
		if (sum <= most)
			continue;
		most = sum;
		for (int k = 0; k < STATES; k++)
			s.count[k] = (uint32_t)size[i][k];
	}
	pool_take(s.count, (uint32_t)named);
	struct pool_span *last = p->spans_n ? &m->pool_spans.v[p->spans_at + p->spans_n - 1] : NULL;
	if (last && last->to_ms == from_ms && !memcmp(last->count, s.count, sizeof s.count)) {
		last->to_ms = to_ms;
		return;
	}
	*vec_push(&m->pool_spans) = s;
	p->spans_n++;
}

static void pool_build(struct meter *m, struct pool *p, struct changes *c, uint32_t sources)
{
	int64_t(*size)[STATES] = mem_alloc(mem_times(sources, sizeof *size));
	int64_t named = 0;
	vec_sort(&c->v, change_order);
	p->spans_at = (uint32_t)m->pool_spans.n;
	for (size_t i = 0, j; i < c->v.n; i = j) {
		for (j = i; j < c->v.n && c->v.v[j].t_ms == c->v.v[i].t_ms; j++) {
			if (c->v.v[j].source == NONE)
				named += c->v.v[j].by;
			else
				size[c->v.v[j].source][c->v.v[j].state] += c->v.v[j].by;
		}
		if (j < c->v.n)
			pool_span_add(m, p, (const int64_t(*)[STATES])size, sources, named,
			              c->v.v[i].t_ms, c->v.v[j].t_ms);
	}
	mem_free(size);
}

uint32_t pool_add(struct meter *m, struct pool pool)
{
	pool.place = meter_place(m, (struct place){ .node = pool.node,
	                                            .pool = pool.id,
	                                            .model = pool.model,
	                                            .cluster = pool.cluster,
	                                            .has_capacity = pool.has_capacity,
	                                            .free_is_null = pool.pays_allocations });
	*vec_push(&m->pools) = pool;
	return (uint32_t)m->pools.n - 1;
}

/* Sources of one pool are numbered in key order, absent first (pool_order sorts them by sym: not
 * that). */
static uint32_t source_rank(const struct meter *m, const struct entries *es, size_t i, size_t j,
                            sym source)
{
	uint32_t rank = 0;
	struct str mine = names_word(&m->f->names, source);
	for (size_t k = i; k < j; k++) {
		bool is_first = k == i || es->v.v[k].source != es->v.v[k - 1].source;
		if (is_first && str_cmp(names_word(&m->f->names, es->v.v[k].source), mine) < 0)
			rank++;
	}
	return rank;
}

/* B.4: a pool's model is that of its first entry that has one; node by node, the one all agree on.
   A node's own pool is that node's, also where a part of it is listed by itself (broken devices).
 */
static void pool_describe(const struct meter *m, const struct entries *es, size_t i, size_t j,
                          struct pool *p)
{
	uint32_t first = NONE;
	bool many_nodes = false, many_models = false, is_own = false;
	for (size_t k = i; k < j; k++) {
		const struct entry *e = &es->v.v[k];
		sym model = m->f->capacity.v[e->order].model;
		many_nodes |= e->node != es->v.v[i].node;
		is_own |= e->node == p->id;
		many_models |= e->node && model != m->f->capacity.v[es->v.v[i].order].model;
		if (model && e->order < first) {
			first = e->order;
			p->model = model;
		}
	}
	p->node = is_own ? p->id : many_nodes ? 0 : es->v.v[i].node;
	if (many_nodes && many_models)
		p->model = 0;
}

static void pools_build(struct meter *m, struct entries *es)
{
	vec_sort(&es->v, pool_order);
	for (size_t i = 0, j; i < es->v.n; i = j) {
		struct changes c = { { 0 } };
		struct pool p = { .id = es->v.v[i].what, .has_capacity = true };
		uint32_t sources = 0;
		for (j = i; j < es->v.n && es->v.v[j].what == p.id; j++)
			sources += j == i || es->v.v[j].source != es->v.v[j - 1].source;
		pool_describe(m, es, i, j, &p);
		if (mixed_as_one(m, p.id))
			p.node = p.id;
		for (size_t k = i, l; k < j; k = l) {
			struct painted shown = { { 0 } };
			for (l = k; l < j && es->v.v[l].source == es->v.v[k].source &&
			            es->v.v[l].node == es->v.v[k].node &&
			            (es->v.v[k].node || es->v.v[l].state == es->v.v[k].state);)
				l++;
			entries_paint(es, k, l, &shown);
			uint32_t rank = source_rank(m, es, i, j, es->v.v[k].source);
			for (size_t s = 0; s < shown.v.n; s++) {
				const struct entry *e = &es->v.v[shown.v.v[s].what];
				bool is_unseen = e->is_unseen && e->state == CAPACITY_UP;
				change_add(&c, shown.v.v[s].from_ms, shown.v.v[s].to_ms, e->count,
				           rank, is_unseen ? CAPACITY_UNSEEN : (int)e->state);
			}
			paint_deinit(&shown);
		}
		changes_of_named(m, &p, &c);
		uint32_t at = pool_add(m, p);
		*map_at(&m->pool_of, p.id) = at + 1;
		if (p.node && map_get(&m->mixed, p.node) && p.model)
			*map_at(&m->part_of, (uint64_t)p.node << 32 | p.model) = at + 1;
		pool_build(m, &m->pools.v[at], &c, sources);
		vec_deinit(&c.v);
	}
}

void capacity_build(struct meter *m)
{
	struct entries devices = { { 0 } }, pools = { { 0 } };
	entries_read(m, &devices, &pools);
	devices_build(m, &devices);
	pools_build(m, &pools);
	vec_deinit(&devices.v);
	vec_deinit(&pools.v);
}
