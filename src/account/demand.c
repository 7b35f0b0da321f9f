/* SPDX-License-Identifier: Apache-2.0 */
#include "account/demand.h"

#include <stdlib.h>

#include "account/ignore.h"
#include "base/sort.h"

/* So many GPUs of a model more, or less. Few such steps come again and again. */
struct step {
	sym model;
	uint32_t gpus;
};

/* Events by time; at the same time in any order: levels count while time passes. There are two for
   each job, so an event is one number: its time since BASE_MS, then whether GPUs go, then which
   step. WIDE: where 64 bits are too few for that, the step goes along. */
struct demand_events {
	uint64_t *v;
	struct keyed *wide;
	struct step *steps;
	size_t steps_n;
	unsigned step_bits;
	int64_t *gpus_of; /* by step and direction, for the model of the walk */
	int64_t base_ms;
	size_t n, jobs, unknown;
	sym *models; /* that come up, rising */
	size_t models_n;
	/* where the last walk was at the start of its span */
	bool has_walk;
	sym model;
	size_t at;
	int64_t from_ms, gpus;
};

static inline int64_t event_ms(const struct demand_events *e, size_t i)
{
	uint64_t ms = e->wide ? e->wide[i].key : e->v[i] >> (e->step_bits + 1);
	return e->base_ms + (int64_t)ms;
}

/* How many GPUs more it is at event I; 0: it is of another model than the walk. */
static inline int64_t event_gpus(const struct demand_events *e, size_t i)
{
	uint64_t v = e->wide ? (uint64_t)e->wide[i].with : e->v[i];
	return e->gpus_of[v & (((uint64_t)2 << e->step_bits) - 1)];
}

static sym job_model(const struct facts *f, const struct job *j, sym allocated)
{
	if (allocated)
		return allocated;
	const struct word_list models = job_traits(f, j).models;
	return models.n == 1 ? *job_words(f, models) : 0;
}

static int sym_compare(const void *x, const void *y)
{
	sym a = *(const sym *)x, b = *(const sym *)y;
	return a < b ? -1 : a > b;
}

struct steps {
	VEC(struct step) v;
	struct map seen; /* 1 + place */
};

static uint32_t step_add(struct steps *s, struct step one)
{
	uint32_t *at = map_at(&s->seen, (uint64_t)one.model << 32 | one.gpus);
	if (!*at) {
		*vec_push(&s->v) = one;
		*at = (uint32_t)s->v.n;
	}
	return *at - 1;
}

enum wish { WISH_UNKNOWN, WISH_NOTHING, WISH_SOME };

/* How many GPUs a job wants, and when. */
static enum wish wish_of(const struct ledger *l, const struct job *j, uint32_t *ret_gpus,
                         struct span *ret)
{
	uint32_t gpus = j->gpus != COUNT_UNKNOWN ? j->gpus : j->requested;
	int64_t from = j->eligible_ms != TIME_UNKNOWN ? j->eligible_ms
	               : j->submit_ms != TIME_UNKNOWN ? j->submit_ms
	                                              : j->start_ms;
	bool waits = j->start_ms == TIME_UNKNOWN && j->end_ms == TIME_UNKNOWN;
	int64_t to = j->end_ms == TIME_UNKNOWN || waits ? l->as_of_ms : j->end_ms;
	if (gpus > GPUS_MAX || from == TIME_UNKNOWN) /* COUNT_UNKNOWN too */
		return WISH_UNKNOWN;
	if (from > j->start_ms && j->start_ms != TIME_UNKNOWN)
		from = j->start_ms;
	*ret = (struct span){ from, to };
	*ret_gpus = gpus;
	return to <= from || !gpus ? WISH_NOTHING : WISH_SOME;
}

static void keep_steps(struct arena *a, const struct steps *s, struct demand_events *e)
{
	size_t n = 0;
	e->steps = ARENA_ARRAY(a, struct step, s->v.n + 1);
	e->models = ARENA_ARRAY(a, sym, s->v.n + 1);
	for (size_t i = 0; i < s->v.n; i++) {
		e->steps[i] = s->v.v[i];
		e->models[i] = s->v.v[i].model;
	}
	if (s->v.n > 1)
		qsort(e->models, s->v.n, sizeof *e->models, sym_compare);
	for (size_t i = 0; i < s->v.n; i++)
		if (!n || e->models[n - 1] != e->models[i])
			e->models[n++] = e->models[i];
	e->models_n = n;
	while ((uint64_t)1 << e->step_bits < s->v.n)
		e->step_bits++;
	e->steps_n = s->v.n;
	e->gpus_of = ARENA_ARRAY(a, int64_t, (size_t)2 << e->step_bits);
}

static void event_add(struct demand_events *e, int64_t t_ms, bool goes, uint32_t step)
{
	uint64_t ms = (uint64_t)(t_ms - e->base_ms), what = (uint64_t)goes << e->step_bits | step;
	if (e->wide)
		e->wide[e->n++] = (struct keyed){ ms, (int64_t)what };
	else
		e->v[e->n++] = ms << (e->step_bits + 1) | what;
}

/* STEP_OF: by place, 1 + the job's step; 0: it wants nothing. */
static void events_fill(struct arena *a, const struct ledger *l, const struct facts *f,
                        const uint32_t *jobs, size_t n, const uint32_t *step_of, int64_t last_ms,
                        struct demand_events *e)
{
	size_t events = 0;
	for (size_t i = 0; i < n; i++)
		events += step_of[i] ? 2 : 0;
	if ((uint64_t)(last_ms - e->base_ms) >> (63 - e->step_bits))
		e->wide = ARENA_ARRAY(a, struct keyed, events + 1);
	else
		e->v = ARENA_ARRAY(a, uint64_t, events + 1);
	for (size_t i = 0; i < n; i++) {
		struct span s = { 0 };
		uint32_t gpus;
		if (!step_of[i])
			continue;
		(void)wish_of(l, &f->jobs.v[jobs ? jobs[i] : i], &gpus, &s);
		event_add(e, s.from_ms, false, step_of[i] - 1);
		event_add(e, s.to_ms, true, step_of[i] - 1);
	}
	if (e->wide)
		sort_keyed_loose(e->wide, e->n);
	else
		sort_u64(e->v, e->n);
}

struct demand_events *demand_events(struct arena *a, const struct ledger *l, const struct facts *f,
                                    const uint32_t *jobs, size_t jobs_n)
{
	auto_arena scratch = ARENA_NULL;
	size_t n = jobs ? jobs_n : f->jobs.n;
	struct demand_events *e = ARENA_NEW(a, struct demand_events);
	struct steps steps = { .seen = MAP_NULL };
	/* Models are asked for over all jobs only; what a job got says more than what it asked for.
	   A job's place holds its model until it holds its step. */
	uint32_t *at = ARENA_ARRAY(&scratch, uint32_t, n + 1);
	for (size_t i = 0; !jobs && i < l->cells.n; i++)
		if (l->cells.v[i].job != NONE)
			at[l->cells.v[i].job] = l->places.v[l->cells.v[i].place].model;
	int64_t last_ms = INT64_MIN;
	e->base_ms = INT64_MAX;
	for (size_t i = 0; i < n; i++) {
		const struct job *j = &f->jobs.v[jobs ? jobs[i] : i];
		struct span s;
		struct step step;
		if (ignore_job(f, jobs ? jobs[i] : (uint32_t)i)) {
			at[i] = 0;
			continue;
		}
		enum wish wish = wish_of(l, j, &step.gpus, &s);
		e->jobs++;
		e->unknown += wish == WISH_UNKNOWN;
		step.model = wish == WISH_SOME ? job_model(f, j, at[i]) : 0;
		at[i] = wish == WISH_SOME ? step_add(&steps, step) + 1 : 0;
		if (wish != WISH_SOME)
			continue;
		e->base_ms = s.from_ms < e->base_ms ? s.from_ms : e->base_ms;
		last_ms = s.to_ms > last_ms ? s.to_ms : last_ms;
	}
	keep_steps(a, &steps, e);
	if (!steps.v.n)
		e->base_ms = last_ms = 0;
	events_fill(a, l, f, jobs, n, at, last_ms, e);
	vec_deinit(&steps.v);
	map_deinit(&steps.seen);
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

static void walk_begin(struct demand_events *e, sym model)
{
	for (size_t i = 0; i < e->steps_n; i++) {
		bool counts = model == DEMAND_ANY_MODEL || e->steps[i].model == model;
		e->gpus_of[i] = counts ? (int64_t)e->steps[i].gpus : 0;
		e->gpus_of[i | (size_t)1 << e->step_bits] = -e->gpus_of[i];
	}
	e->model = model;
	e->at = 0, e->gpus = 0;
}

/* To the events behind FROM_MS; what is wanted there is in e->gpus. */
static void walk_to(struct demand_events *e, sym model, int64_t from_ms)
{
	if (!e->has_walk || e->model != model || e->from_ms > from_ms)
		walk_begin(e, model);
	for (; e->at < e->n && event_ms(e, e->at) <= from_ms; e->at++)
		e->gpus += event_gpus(e, e->at);
	e->has_walk = true;
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
		int64_t t_ms = event_ms(e, i), more = event_gpus(e, i);
		if (t_ms >= span.to_ms)
			break;
		if (!more)
			continue;
		if (t_ms > at) {
			level_add(&l, gpus, t_ms - at);
			at = t_ms;
		}
		gpus += more;
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
