/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cells: the sums (ledger.md 5). Cells are pushed as they come, the same key again is added to the
 * last one; when many have gathered they are sorted and joined, so that memory follows keys, not
 * events.
 */
#include <stdlib.h>

#include "account/meter.h"

#define CELLS_GATHER 4000000u /* sort and join when this many have come since the last time */

/* Bucket edges: the window's ends, the caller's, and every change of a price. */
void cells_init(struct meter *m, const struct ledger_options *o)
{
	VEC(int64_t) edges = { 0 };
	const struct facts *f = m->f;
	*vec_push(&edges) = m->window.from_ms;
	*vec_push(&edges) = m->window.to_ms;
	for (size_t i = 0; i < o->edges_n; i++)
		*vec_push(&edges) = o->edges_ms[i];
	const int64_t *more = NULL;
	size_t more_n =
	        o->edges_of && m->has_time ? o->edges_of(o->edges_arg, m->window, &more) : 0;
	for (size_t i = 0; i < more_n; i++)
		*vec_push(&edges) = more[i];
	for (size_t i = 0; i < f->prices.n; i++) {
		*vec_push(&edges) = f->prices.v[i].from_ms;
		*vec_push(&edges) = f->prices.v[i].to_ms;
	}
	for (size_t i = 0; i < f->other_costs.n; i++) {
		*vec_push(&edges) = f->other_costs.v[i].from_ms;
		*vec_push(&edges) = f->other_costs.v[i].to_ms;
	}
	vec_sort(&edges, span_time_order);
	for (size_t i = 0; i + 1 < edges.n; i++) {
		struct span b = { edges.v[i], edges.v[i + 1] };
		if (b.from_ms >= m->window.from_ms && b.to_ms <= m->window.to_ms &&
		    b.from_ms < b.to_ms)
			*vec_push(&m->out->buckets) = b;
	}
	vec_deinit(&edges);
}

uint32_t cells_bucket(const struct meter *m, int64_t t_ms, int64_t *ret_until_ms)
{
	const struct ledger *l = m->out;
	*ret_until_ms = INT64_MAX;
	if (t_ms < m->window.from_ms)
		*ret_until_ms = m->window.from_ms;
	if (t_ms < m->window.from_ms || t_ms >= m->window.to_ms)
		return NONE;
	uint32_t at = SPAN_AFTER(l->buckets.v, (uint32_t)l->buckets.n, t_ms);
	*ret_until_ms = l->buckets.v[at].to_ms;
	return at;
}

static int cell_order(const void *x, const void *y)
{
	const struct cell *a = x, *b = y;
#define BY(field)                 \
	if (a->field != b->field) \
	return a->field < b->field ? -1 : 1
	BY(place);
	BY(job);
	BY(bucket);
	BY(state);
	BY(fate);
	BY(evidence);
	BY(marks);
	BY(estimated);
	BY(is_successful);
	BY(maybe_productive);
#undef BY
	return 0;
}

static void join(struct meter *m, struct cell *into, const struct cell *c)
{
	m->overflow |= __builtin_add_overflow(into->units, c->units, &into->units);
}

static void cells_sort(struct meter *m)
{
	struct ledger *l = m->out;
	bool sorted = true;
	for (size_t i = 1; i < l->cells.n && sorted; i++)
		sorted = cell_order(&l->cells.v[i - 1], &l->cells.v[i]) < 0;
	if (sorted)
		return;
	vec_sort(&l->cells, cell_order);
	size_t n = 0;
	for (size_t i = 0; i < l->cells.n; i++) {
		if (n && cell_order(&l->cells.v[n - 1], &l->cells.v[i]) == 0)
			join(m, &l->cells.v[n - 1], &l->cells.v[i]);
		else
			l->cells.v[n++] = l->cells.v[i];
	}
	l->cells.n = n;
}

void cell_add_units(struct meter *m, const struct cell *key, uint32_t bucket, int64_t units)
{
	struct ledger *l = m->out;
	if (!units)
		return;
	struct cell c = *key;
	c.bucket = bucket;
	c.units = units;
	if (l->cells.n && cell_order(&l->cells.v[l->cells.n - 1], &c) == 0) {
		join(m, &l->cells.v[l->cells.n - 1], &c);
		return;
	}
	if (l->cells.n >= m->gathered + CELLS_GATHER) {
		cells_sort(m);
		m->gathered = l->cells.n;
	}
	*vec_push(&l->cells) = c;
}

void cell_add(struct meter *m, const struct cell *key, int64_t from_ms, int64_t to_ms,
              int64_t units_per_ms)
{
	for (int64_t t = from_ms, until; t < to_ms; t = until) {
		uint32_t bucket = cells_bucket(m, t, &until);
		until = until < to_ms ? until : to_ms;
		int64_t units;
		if (bucket == NONE)
			continue;
		m->overflow |= __builtin_mul_overflow(units_per_ms, until - t, &units);
		cell_add_units(m, key, bucket, units);
	}
}

struct cell cell_nobody(uint32_t place, enum state state)
{
	return (struct cell){ .place = place,
		              .job = NONE,
		              .state = (uint8_t)state,
		              .fate = FATE_NONE,
		              .evidence = state == STATE_UNKNOWN          ? EVIDENCE_NONE
		                          : state == STATE_FREE_UNMANAGED ? EVIDENCE_PROFILE
		                                                          : EVIDENCE_SCHEDULER };
}

void cell_plain(struct meter *m, uint32_t place, enum state state, int64_t from_ms, int64_t to_ms,
                int64_t units_per_ms)
{
	struct cell key = cell_nobody(place, state);
	cell_add(m, &key, from_ms, to_ms, units_per_ms);
}

void cells_pay(struct meter *m, int64_t from_ms, int64_t to_ms, int64_t units_per_ms)
{
	if (from_ms < m->window.from_ms)
		from_ms = m->window.from_ms;
	if (to_ms > m->window.to_ms)
		to_ms = m->window.to_ms;
	if (from_ms < to_ms)
		m->paid_units += (i128)units_per_ms * (to_ms - from_ms);
}

static int draw_order(const void *x, const void *y)
{
	const struct draw *a = x, *b = y;
	return cell_order(&a->key, &b->key);
}

static void draw_join(struct meter *m, struct drawn *into, const struct drawn *d)
{
	m->overflow |= __builtin_add_overflow(into->energy, d->energy, &into->energy);
	m->overflow |= __builtin_add_overflow(into->metered, d->metered, &into->metered);
	m->overflow |= __builtin_add_overflow(into->integrated, d->integrated, &into->integrated);
}

static void draws_sort(struct meter *m)
{
	size_t n = 0;
	vec_sort(&m->draws, draw_order);
	for (size_t i = 0; i < m->draws.n; i++) {
		if (n && draw_order(&m->draws.v[n - 1], &m->draws.v[i]) == 0)
			draw_join(m, &m->draws.v[n - 1].drawn, &m->draws.v[i].drawn);
		else
			m->draws.v[n++] = m->draws.v[i];
	}
	m->draws.n = n;
}

void cell_draw(struct meter *m, const struct cell *key, uint32_t bucket, const struct drawn *d)
{
	struct draw w = { .key = *key, .drawn = *d };
	if (!d->energy && !d->metered)
		return;
	w.key.bucket = bucket;
	w.key.units = 0;
	if (m->draws.n && draw_order(&m->draws.v[m->draws.n - 1], &w) == 0) {
		draw_join(m, &m->draws.v[m->draws.n - 1].drawn, d);
		return;
	}
	if (m->draws.n >= m->draws_gathered + CELLS_GATHER) {
		draws_sort(m);
		m->draws_gathered = m->draws.n;
	}
	*vec_push(&m->draws) = w;
}

/* What was drawn beside the cell that it belongs to. A cumulative floor (9.10) may give energy to a
   cell that got no time: then the cell is made. */
static void draws_align(struct meter *m)
{
	struct ledger *l = m->out;
	size_t k = 0, n = l->cells.n;
	draws_sort(m);
	for (size_t i = 0; i < m->draws.n; i++) {
		while (k < n && cell_order(&l->cells.v[k], &m->draws.v[i].key) < 0)
			k++;
		if (k == n || cell_order(&l->cells.v[k], &m->draws.v[i].key) != 0)
			*vec_push(&l->cells) = m->draws.v[i].key;
	}
	cells_sort(m);
	k = 0;
	for (size_t i = 0; i < l->cells.n; i++) {
		struct drawn *d = vec_push(&l->drawn);
		if (k < m->draws.n && cell_order(&l->cells.v[i], &m->draws.v[k].key) == 0)
			*d = m->draws.v[k++].drawn;
	}
}

void cells_finish(struct meter *m)
{
	cells_sort(m);
	if (m->draws.n)
		draws_align(m);
}
