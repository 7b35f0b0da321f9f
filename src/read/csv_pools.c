/* SPDX-License-Identifier: Apache-2.0 */
#include "read/csv_map.h"

#include <stdlib.h>

/* A pool has one count at a time (ledger.md 1), so the nodes of a pool are added up: for each pool,
   state and time of observation a step function of how many GPUs there are. */

/* COUNT more (or fewer) GPUs from a time on. TIME_UNKNOWN is before all others. */
struct step {
	int64_t t_ms, more;
};

static int compare_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Rows without a start are told apart by when they were seen. */
static int64_t seen_ms(const struct capacity *c)
{
	return c->from_ms == TIME_UNKNOWN ? c->at_ms : TIME_MS_MAX;
}

static int by_pool(const void *x, const void *y)
{
	const struct capacity *a = x, *b = y;
	int c = compare_i64(a->pool, b->pool);
	c = c ? c : compare_i64(a->state, b->state);
	return c ? c : compare_i64(seen_ms(a), seen_ms(b));
}

static int by_time(const void *x, const void *y)
{
	return compare_i64(((const struct step *)x)->t_ms, ((const struct step *)y)->t_ms);
}

static void add_span(struct facts *f, const struct capacity *like, int64_t from_ms, int64_t to_ms,
                     int64_t count)
{
	struct capacity c = *like;
	c.from_ms = from_ms;
	c.to_ms = to_ms;
	c.count = count > GPUS_MAX ? GPUS_MAX : (uint32_t)count;
	c.is_snapshot = from_ms == TIME_UNKNOWN;
	if (!c.is_snapshot)
		c.at_ms = from_ms;
	*vec_push(&f->capacity) = c;
}

/* The N rows at ROWS, which are of one pool, state and time of observation. */
static void sum_group(struct facts *f, const struct capacity *rows, size_t n)
{
	struct capacity like = rows[0];
	VEC(struct step) steps = { 0 };
	if (n > 1)
		like.node = 0;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].model != like.model)
			like.model = 0;
		*vec_push(&steps) = (struct step){ rows[i].from_ms, rows[i].count };
		if (rows[i].to_ms != TIME_UNKNOWN)
			*vec_push(&steps) = (struct step){ rows[i].to_ms, -(int64_t)rows[i].count };
	}
	vec_sort(&steps, by_time);
	int64_t count = 0;
	for (size_t i = 0; i < steps.n; i++) {
		bool is_last = i + 1 == steps.n;
		count += steps.v[i].more;
		if (count > 0 && (is_last || steps.v[i + 1].t_ms != steps.v[i].t_ms))
			add_span(f, &like, steps.v[i].t_ms,
			         is_last ? TIME_UNKNOWN : steps.v[i + 1].t_ms, count);
		if (count > GPUS_MAX)
			facts_note(f, "A pool has more GPUs than can be counted.");
	}
	vec_deinit(&steps);
}

void csv_pools_sum(struct facts *f)
{
	VEC(struct capacity) rows = { f->capacity.v, f->capacity.n, f->capacity.cap };
	f->capacity.v = NULL;
	f->capacity.n = f->capacity.cap = 0;
	vec_sort(&rows, by_pool);
	for (size_t i = 0, n; i < rows.n; i += n) {
		for (n = 1; i + n < rows.n && by_pool(&rows.v[i], &rows.v[i + n]) == 0;)
			n++;
		sum_group(f, &rows.v[i], n);
	}
	vec_deinit(&rows);
}
