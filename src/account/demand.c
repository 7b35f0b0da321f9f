/* SPDX-License-Identifier: Apache-2.0 */
#include "account/demand.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

/* From KEY (a time) on, as many GPUs more or less of a model: both in 8 bytes. */
static struct keyed event_of(int64_t t_ms, sym model, int64_t gpus)
{
	return (struct keyed){ sort_key(t_ms), gpus * ((int64_t)1 << 32) | model };
}

static int64_t event_gpus(const struct keyed *e)
{
	return e->with >> 32;
}

static sym event_model(const struct keyed *e)
{
	return (sym)(uint32_t)e->with;
}

struct demand_events {
	struct keyed
	        *v; /* by time; at the same time in any order: levels count while time passes */
	size_t n, jobs, unknown;
	sym *models; /* that come up, rising */
	size_t models_n;
	/* where the last walk was at the start of its span */
	bool has_walk;
	sym model;
	size_t at;
	int64_t from_ms, gpus;
};

static sym job_model(const struct facts *f, const struct job *j, const sym *allocated, size_t at)
{
	if (allocated && allocated[at])
		return allocated[at];
	const struct word_list models = job_traits(f, j).models;
	return models.n == 1 ? *job_words(f, models) : 0;
}

static int sym_compare(const void *x, const void *y)
{
	sym a = *(const sym *)x, b = *(const sym *)y;
	return a < b ? -1 : a > b;
}

struct models {
	VEC(sym) v;
	struct map seen;
	sym last;
};

static void model_add(struct models *m, sym model)
{
	if (model == m->last && m->v.n)
		return;
	uint32_t *seen = map_at(&m->seen, model);
	if (!*seen)
		*vec_push(&m->v) = model;
	*seen = 1;
	m->last = model;
}

struct demand_events *demand_events(struct arena *a, const struct ledger *l, const struct facts *f,
                                    const uint32_t *jobs, size_t jobs_n)
{
	auto_arena scratch = ARENA_NULL;
	size_t n = jobs ? jobs_n : f->jobs.n;
	struct demand_events *e = ARENA_NEW(a, struct demand_events);
	struct models models = { .last = NONE };
	/* Models are asked for over all jobs only; what a job got says more than what it asked for.
	 */
	sym *allocated = jobs ? NULL : ARENA_ARRAY(&scratch, sym, f->jobs.n + 1);
	e->v = ARENA_ARRAY(a, struct keyed, 2 * n + 1);
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
		if (gpus > GPUS_MAX || from == TIME_UNKNOWN) { /* COUNT_UNKNOWN too */
			e->unknown++;
			continue;
		}
		if (from > j->start_ms && j->start_ms != TIME_UNKNOWN)
			from = j->start_ms;
		if (to <= from || !gpus)
			continue;
		sym model = job_model(f, j, allocated, at);
		model_add(&models, model);
		e->v[e->n++] = event_of(from, model, gpus);
		e->v[e->n++] = event_of(to, model, -(int64_t)gpus);
	}
	sort_keyed_loose(e->v, e->n);
	if (models.v.n > 1)
		qsort(models.v.v, models.v.n, sizeof *models.v.v, sym_compare);
	e->models_n = models.v.n;
	e->models = ARENA_ARRAY(a, sym, models.v.n + 1);
	if (models.v.n)
		memcpy(e->models, models.v.v, models.v.n * sizeof *models.v.v);
	vec_deinit(&models.v);
	map_deinit(&models.seen);
	return e;
}

const sym *demand_models(const struct demand_events *e, size_t *ret_n)
{
	*ret_n = e->models_n;
	return e->models;
}

/* The least level that held for at least Q of the time together with all lower ones. */
static double level_quantile(const struct keyed *v, size_t n, double all, double q)
{
	double seen = 0;
	for (size_t i = 0; i < n; i++) {
		seen += (double)v[i].with;
		if (seen >= q * all)
			return (double)sort_unkey(v[i].key);
	}
	return n ? (double)sort_unkey(v[n - 1].key) : 0;
}

/* To the events behind FROM_MS; what is wanted there is in e->gpus. */
static void walk_to(struct demand_events *e, sym model, int64_t from_ms)
{
	if (!e->has_walk || e->model != model || e->from_ms > from_ms)
		e->at = 0, e->gpus = 0;
	for (; e->at < e->n && sort_unkey(e->v[e->at].key) <= from_ms; e->at++)
		if (model == DEMAND_ANY_MODEL || event_model(&e->v[e->at]) == model)
			e->gpus += event_gpus(&e->v[e->at]);
	e->has_walk = true;
	e->model = model;
	e->from_ms = from_ms;
}

/* How long each level held: few levels come again and again. */
struct levels {
	VEC(int64_t) low;    /* by level, below LEVELS_LOW */
	VEC(struct keyed) v; /* the others, then all that there were */
	struct map at;       /* level: 1 + index into v */
};
#define LEVELS_LOW 65536

static void level_add(struct levels *l, int64_t gpus, int64_t ms)
{
	if (gpus >= 0 && gpus < LEVELS_LOW) {
		while ((int64_t)l->low.n <= gpus)
			*vec_push(&l->low) = 0;
		l->low.v[gpus] += ms;
		return;
	}
	uint32_t *at = map_at(&l->at, (uint64_t)gpus);
	if (!*at) {
		*vec_push(&l->v) = (struct keyed){ sort_key(gpus), 0 };
		*at = (uint32_t)l->v.n;
	}
	l->v.v[*at - 1].with += ms;
}

void demand_of(struct demand_events *e, sym model, struct span span, struct demand *ret)
{
	struct levels l = { .at = MAP_NULL };
	walk_to(e, model, span.from_ms);
	int64_t gpus = e->gpus, at = span.from_ms;
	for (size_t i = e->at; i < e->n; i++) {
		int64_t t_ms = sort_unkey(e->v[i].key);
		if (t_ms >= span.to_ms)
			break;
		if (model != DEMAND_ANY_MODEL && event_model(&e->v[i]) != model)
			continue;
		if (t_ms > at) {
			level_add(&l, gpus, t_ms - at);
			at = t_ms;
		}
		gpus += event_gpus(&e->v[i]);
	}
	if (span.to_ms > at)
		level_add(&l, gpus, span.to_ms - at);
	for (size_t i = 0; i < l.low.n; i++)
		if (l.low.v[i])
			*vec_push(&l.v) = (struct keyed){ sort_key((int64_t)i), l.low.v[i] };
	sort_keyed_loose(l.v.v, l.v.n);
	const struct keyed *v = l.v.v;
	size_t n = l.v.n;
	double all = (double)(span.to_ms - span.from_ms);
	*ret = (struct demand){ .p50 = level_quantile(v, n, all, 0.50),
		                .p95 = level_quantile(v, n, all, 0.95),
		                .max = n ? (double)sort_unkey(v[n - 1].key) : 0,
		                .coverage =
		                        e->jobs ? 1 - (double)e->unknown / (double)e->jobs : 0 };
	vec_deinit(&l.v);
	vec_deinit(&l.low);
	map_deinit(&l.at);
}
