/* SPDX-License-Identifier: Apache-2.0 */
#include "account/waits.h"

#include <stdlib.h>

#include "account/ignore.h"
#include "account/measures.h"
#include "base/map.h"
#include "base/sort.h"

const char *const wait_size_names[WAIT_SIZES] = { "1", "2-4", "5-8", "9+" };

#define WAIT_BITS 40 /* of ms: 34 years */
#define WAIT_MS_MAX (((uint64_t)1 << WAIT_BITS) - 1)

enum wait_size wait_size_of(uint32_t gpus)
{
	return gpus <= 1 ? WAIT_1 : gpus <= 4 ? WAIT_2_TO_4 : gpus <= 8 ? WAIT_5_TO_8 : WAIT_9_UP;
}

struct waits {
	VEC(struct wait_row) rows;
	VEC(uint64_t) ms; /* row, then ms */
};

static uint32_t gpus_of(const struct job *j)
{
	return j->gpus != COUNT_UNKNOWN        ? j->gpus
	       : j->requested != COUNT_UNKNOWN ? j->requested
	                                       : 0;
}

static void wait_add(struct waits *w, size_t row, const struct ledger *l, const struct job *j)
{
	struct wait_row *r = &w->rows.v[row];
	int64_t since_ms = j->eligible_ms != TIME_UNKNOWN ? j->eligible_ms : j->submit_ms;
	bool has_started = j->start_ms != TIME_UNKNOWN && j->start_ms <= l->as_of_ms;
	if (!has_started) {
		int64_t first_ms = j->submit_ms != TIME_UNKNOWN ? j->submit_ms : since_ms;
		bool is_over = j->end_ms != TIME_UNKNOWN && j->end_ms <= l->as_of_ms;
		r->waiting += !is_over && first_ms != TIME_UNKNOWN && first_ms <= l->as_of_ms;
		return;
	}
	if (j->start_ms < l->window.from_ms || j->start_ms >= l->window.to_ms)
		return;
	r->started++;
	if (since_ms == TIME_UNKNOWN)
		return;
	uint64_t ms = j->start_ms > since_ms ? (uint64_t)(j->start_ms - since_ms) : 0;
	r->known++;
	*vec_push(&w->ms) = (uint64_t)row << WAIT_BITS | (ms < WAIT_MS_MAX ? ms : WAIT_MS_MAX);
}

/* Between the two nearest of N sorted values. */
static double rank_of(const uint64_t *v, size_t n, double q)
{
	size_t low = (size_t)(q * (double)(n - 1));
	double near[2] = { (double)(v[low] & WAIT_MS_MAX),
		           (double)(v[low + 1 < n ? low + 1 : low] & WAIT_MS_MAX) };
	return measure_quantile(near, 2, q * (double)(n - 1) - (double)low) / 1000;
}

static void waits_finish(struct waits *w)
{
	sort_u64(w->ms.v, w->ms.n);
	for (size_t i = 0, n; i < w->ms.n; i += n) {
		struct wait_row *r = &w->rows.v[w->ms.v[i] >> WAIT_BITS];
		const uint64_t *v = w->ms.v + i;
		double sum = 0;
		n = r->known;
		for (size_t k = 0; k < n; k++)
			sum += (double)(v[k] & WAIT_MS_MAX) / 1000;
		r->mean = sum / (double)n;
		r->p50 = rank_of(v, n, 0.50);
		r->p95 = rank_of(v, n, 0.95);
		r->max = rank_of(v, n, 1);
	}
}

static struct wait_row *kept(struct arena *a, struct waits *w)
{
	struct wait_row *v = ARENA_ARRAY(a, struct wait_row, w->rows.n + 1);
	for (size_t i = 0; i < w->rows.n; i++)
		v[i] = w->rows.v[i];
	vec_deinit(&w->rows), vec_deinit(&w->ms);
	return v;
}

const struct wait_row *waits_by_size(struct arena *a, const struct ledger *l, const struct facts *f)
{
	struct waits w = { 0 };
	for (int i = 0; i < WAIT_SIZES; i++)
		*vec_push(&w.rows) = (struct wait_row){ .size = (enum wait_size)i };
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		uint32_t gpus = gpus_of(&f->jobs.v[i]);
		if (gpus && !ignore_job(f, i))
			wait_add(&w, wait_size_of(gpus), l, &f->jobs.v[i]);
	}
	waits_finish(&w);
	return kept(a, &w);
}

struct named_row {
	struct wait_row row;
	const struct names *names;
};

static int by_jobs(const void *x, const void *y)
{
	const struct named_row *a = x, *b = y;
	if (a->row.started + a->row.waiting != b->row.started + b->row.waiting)
		return a->row.started + a->row.waiting > b->row.started + b->row.waiting ? -1 : 1;
	return str_cmp(names_word(a->names, a->row.team), names_word(b->names, b->row.team));
}

const struct wait_row *waits_by_team(struct arena *a, const struct ledger *l, const struct facts *f,
                                     size_t *ret_n)
{
	auto_arena scratch = ARENA_NULL;
	struct waits w = { 0 };
	struct map row_of = MAP_NULL;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		if (!gpus_of(j) || ignore_job(f, i))
			continue;
		sym team = job_traits(f, j).team;
		uint32_t *row = map_at(&row_of, team);
		if (!*row) {
			*vec_push(&w.rows) = (struct wait_row){ .team = team };
			*row = (uint32_t)w.rows.n;
		}
		wait_add(&w, *row - 1, l, j);
	}
	map_deinit(&row_of);
	waits_finish(&w);
	size_t n = 0;
	struct named_row *named = ARENA_ARRAY(&scratch, struct named_row, w.rows.n + 1);
	for (size_t i = 0; i < w.rows.n; i++)
		if (w.rows.v[i].started || w.rows.v[i].waiting)
			named[n++] = (struct named_row){ w.rows.v[i], &f->names };
	if (n > 1)
		qsort(named, n, sizeof *named, by_jobs);
	struct wait_row *v = kept(a, &w);
	for (size_t i = 0; i < n; i++)
		v[i] = named[i].row;
	*ret_n = n;
	return v;
}
