/* SPDX-License-Identifier: Apache-2.0 */
#include "account/demand.h"

#include <stdlib.h>

#include "base/sort.h"

struct event {
	int64_t t_ms;
	sym model;
	int64_t gpus; /* negative: no longer wanted */
};

struct demand_events {
	struct event *v; /* by time */
	size_t n, jobs, unknown;
};

/* What happens at the same time may stand in any order: a level counts only while time passes. */
static void events_sort(struct arena *a, struct demand_events *e)
{
	auto_arena scratch = ARENA_NULL;
	struct keyed *keyed = ARENA_ARRAY(&scratch, struct keyed, e->n + 1);
	struct event *sorted = ARENA_ARRAY(a, struct event, e->n + 1);
	for (size_t i = 0; i < e->n; i++)
		keyed[i] = (struct keyed){ sort_key(e->v[i].t_ms), (uint32_t)i };
	sort_keyed(keyed, e->n);
	for (size_t i = 0; i < e->n; i++)
		sorted[i] = e->v[keyed[i].at];
	e->v = sorted;
}

static sym job_model(const struct facts *f, const struct job *j, const sym *allocated, size_t at)
{
	if (allocated && allocated[at])
		return allocated[at];
	return j->models_n == 1 ? f->syms.v[j->models_at] : 0;
}

struct demand_events *demand_events(struct arena *a, const struct ledger *l, const struct facts *f,
                                    const uint32_t *jobs, size_t jobs_n)
{
	auto_arena scratch = ARENA_NULL;
	size_t n = jobs ? jobs_n : f->jobs.n;
	struct demand_events *e = ARENA_NEW(a, struct demand_events);
	/* Models are asked for over all jobs only; what a job got says more than what it asked for.
	 */
	sym *allocated = jobs ? NULL : ARENA_ARRAY(&scratch, sym, f->jobs.n + 1);
	e->v = ARENA_ARRAY(&scratch, struct event, 2 * n + 1);
	for (size_t i = 0; allocated && i < l->cells.n; i++)
		if (l->cells.v[i].job != NONE)
			allocated[l->cells.v[i].job] = l->places.v[l->cells.v[i].place].model;
	for (size_t i = 0; i < n; i++) {
		size_t at = jobs ? jobs[i] : i;
		const struct job *j = &f->jobs.v[at];
		uint32_t gpus = j->gpus != COUNT_UNKNOWN ? j->gpus : j->requested;
		int64_t from = j->eligible_ms != TIME_UNKNOWN ? j->eligible_ms
		               : j->submit_ms != TIME_UNKNOWN ? j->submit_ms
		                                              : j->start_ms;
		bool waits = j->start_ms == TIME_UNKNOWN && j->end_ms == TIME_UNKNOWN;
		int64_t to = j->end_ms == TIME_UNKNOWN || waits ? l->as_of_ms : j->end_ms;
		e->jobs++;
		if (gpus == COUNT_UNKNOWN || from == TIME_UNKNOWN) {
			e->unknown++;
			continue;
		}
		if (from > j->start_ms && j->start_ms != TIME_UNKNOWN)
			from = j->start_ms;
		if (to <= from || !gpus)
			continue;
		sym model = job_model(f, j, allocated, at);
		e->v[e->n++] = (struct event){ from, model, gpus };
		e->v[e->n++] = (struct event){ to, model, -(int64_t)gpus };
	}
	events_sort(a, e);
	return e;
}

static int sym_compare(const void *x, const void *y)
{
	sym a = *(const sym *)x, b = *(const sym *)y;
	return a < b ? -1 : a > b;
}

const sym *demand_models(struct arena *a, const struct demand_events *e, size_t *ret_n)
{
	sym *v = ARENA_ARRAY(a, sym, e->n + 1);
	size_t n = 0;
	for (size_t i = 0; i < e->n; i++)
		if (!n || v[n - 1] != e->v[i].model) /* most have the same as the one before */
			v[n++] = e->v[i].model;
	if (n > 1)
		qsort(v, n, sizeof *v, sym_compare);
	size_t all = n;
	n = 0;
	for (size_t i = 0; i < all; i++)
		if (!n || v[n - 1] != v[i])
			v[n++] = v[i];
	*ret_n = n;
	return v;
}

struct level {
	int64_t gpus, ms;
};

static void levels_sort(struct arena *a, struct level **v, size_t n)
{
	auto_arena scratch = ARENA_NULL;
	struct keyed *keyed = ARENA_ARRAY(&scratch, struct keyed, n + 1);
	struct level *sorted = ARENA_ARRAY(a, struct level, n + 1);
	for (size_t i = 0; i < n; i++)
		keyed[i] = (struct keyed){ sort_key((*v)[i].gpus), (uint32_t)i };
	sort_keyed(keyed, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (*v)[keyed[i].at];
	*v = sorted;
}

/* The least level that held for at least Q of the time together with all lower ones. */
static double level_quantile(const struct level *v, size_t n, double all, double q)
{
	double seen = 0;
	for (size_t i = 0; i < n; i++) {
		seen += (double)v[i].ms;
		if (seen >= q * all)
			return (double)v[i].gpus;
	}
	return n ? (double)v[n - 1].gpus : 0;
}

void demand_of(const struct demand_events *e, sym model, struct span span, struct demand *ret)
{
	auto_arena scratch = ARENA_NULL;
	struct level *v = ARENA_ARRAY(&scratch, struct level, e->n + 2);
	size_t n = 0;
	int64_t gpus = 0, at = span.from_ms;
	for (size_t i = 0; i < e->n && e->v[i].t_ms < span.to_ms; i++) {
		if (model != DEMAND_ANY_MODEL && e->v[i].model != model)
			continue;
		if (e->v[i].t_ms > at) {
			v[n++] = (struct level){ gpus, e->v[i].t_ms - at };
			at = e->v[i].t_ms;
		}
		gpus += e->v[i].gpus;
	}
	if (span.to_ms > at)
		v[n++] = (struct level){ gpus, span.to_ms - at };
	levels_sort(&scratch, &v, n);
	double all = (double)(span.to_ms - span.from_ms);
	*ret = (struct demand){ .p50 = level_quantile(v, n, all, 0.50),
		                .p95 = level_quantile(v, n, all, 0.95),
		                .max = n ? (double)v[n - 1].gpus : 0,
		                .coverage =
		                        e->jobs ? 1 - (double)e->unknown / (double)e->jobs : 0 };
}
