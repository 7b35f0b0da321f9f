/* SPDX-License-Identifier: Apache-2.0 */
#include "account/demand.h"

#include <stdlib.h>

#include "lib/run.h"
#include "lib/traits.h"

enum { UNTIL = 200, JOBS = 60, MODELS = 3 };

static uint32_t next(uint32_t *s)
{
	*s = *s * 1664525u + 1013904223u;
	return *s >> 8;
}

static int number_compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

static sym model_of(const struct facts *f, const struct job *j)
{
	const struct word_list models = job_traits(f, j).models;
	return models.n == 1 ? *job_words(f, models) : 0;
}

/* What is wanted, counted anew in every millisecond. */
static void count_each_ms(const struct facts *f, sym model, struct span span, struct demand *ret)
{
	double v[UNTIL];
	size_t n = 0;
	for (int64_t t = span.from_ms; t < span.to_ms; t++) {
		v[n] = 0;
		for (size_t i = 0; i < f->jobs.n; i++) {
			const struct job *j = &f->jobs.v[i];
			int64_t end = j->end_ms == TIME_UNKNOWN ? UNTIL : j->end_ms;
			if (t >= j->eligible_ms && t < end &&
			    (model == DEMAND_ANY_MODEL || model_of(f, j) == model))
				v[n] += j->gpus;
		}
		n++;
	}
	qsort(v, n, sizeof *v, number_compare);
	*ret = (struct demand){ .p50 = v[(n + 1) / 2 - 1],
		                .p95 = v[(n * 95 + 99) / 100 - 1],
		                .max = v[n - 1] };
}

static void fill(struct facts *f, uint32_t *seed)
{
	static const char *const models[MODELS] = { "", "H100", "A100" };
	for (int i = 0; i < JOBS; i++) {
		struct job *j = facts_job(f, S("1"));
		uint32_t model = next(seed) % MODELS;
		j->eligible_ms = next(seed) % UNTIL;
		j->start_ms = j->eligible_ms + next(seed) % 20;
		j->end_ms = next(seed) % 8 ? j->start_ms + 1 + next(seed) % 60 : TIME_UNKNOWN;
		j->gpus = next(seed) % 5;
		if (model)
			SET_TRAIT(f, j, models, list_of_one(f, models[model]));
	}
}

static void assert_same(struct demand_events *e, const struct facts *f, sym model, struct span span)
{
	struct demand got, want;
	demand_of(e, model, span, &got);
	count_each_ms(f, model, span, &want);
	assert_true(got.p50 == want.p50);
	assert_true(got.p95 == want.p95);
	assert_true(got.max == want.max);
	assert_true(got.coverage == 1);
}

static void agrees_with_counting_each_ms(void **state)
{
	(void)state;
	for (uint32_t round = 1; round < 30; round++) {
		auto_arena a = ARENA_NULL;
		struct facts f;
		uint32_t seed = round;
		facts_init(&f);
		fill(&f, &seed);
		struct ledger l = { .as_of_ms = UNTIL };
		struct demand_events *e = demand_events(&a, &l, &f, NULL, 0);
		size_t n;
		const sym *models = demand_models(e, &n);
		assert_true(n <= MODELS);
		for (size_t m = 0; m < n; m++)
			for (int64_t t = 0; t < UNTIL; t += 40) /* spans in order */
				assert_same(e, &f, models[m], (struct span){ t, t + 40 });
		for (int i = 0; i < 20; i++) { /* and in any order */
			int64_t from = next(&seed) % (UNTIL - 1);
			int64_t to = from + 1 + next(&seed) % (uint32_t)(UNTIL - from);
			assert_same(e, &f, i % 2 ? DEMAND_ANY_MODEL : models[0],
			            (struct span){ from, to });
		}
		facts_deinit(&f);
	}
}

/* So many kinds of jobs over so much time that an event is more than one number. */
static void goes_on_when_events_are_wide(void **state)
{
	(void)state;
	enum { MANY = 40000 };
	auto_arena a = ARENA_NULL;
	struct facts f;
	struct demand d;
	facts_init(&f);
	for (int i = 0; i < MANY; i++) {
		struct job *j = facts_job(&f, S("1"));
		j->start_ms = i ? 2 * i : TIME_MS_MIN;
		j->end_ms = i ? 2 * i + 1 : TIME_MS_MAX;
		j->gpus = (uint32_t)i + 1;
	}
	struct ledger l = { .as_of_ms = TIME_MS_MAX };
	struct demand_events *e = demand_events(&a, &l, &f, NULL, 0);
	demand_of(e, DEMAND_ANY_MODEL, (struct span){ 2, 2 * MANY }, &d);
	assert_true(d.max == MANY + 1 && d.p50 == 1);
	demand_of(e, DEMAND_ANY_MODEL, (struct span){ TIME_MS_MIN, TIME_MS_MAX }, &d);
	assert_true(d.max == MANY + 1 && d.p50 == 1 && d.p95 == 1);
	facts_deinit(&f);
}

static void a_job_that_says_too_little_lowers_the_coverage(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct facts f;
	struct demand d;
	facts_init(&f);
	for (int i = 0; i < 4; i++) {
		struct job *j = facts_job(&f, S("1"));
		j->eligible_ms = i ? 0 : TIME_UNKNOWN;
		j->end_ms = 10;
		j->gpus = i == 1 ? COUNT_UNKNOWN : 2;
	}
	struct ledger l = { .as_of_ms = 10 };
	demand_of(demand_events(&a, &l, &f, NULL, 0), DEMAND_ANY_MODEL, (struct span){ 0, 10 }, &d);
	assert_true(d.max == 4);
	assert_true(d.coverage == 0.5);
	facts_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_counting_each_ms),
		cmocka_unit_test(goes_on_when_events_are_wide),
		cmocka_unit_test(a_job_that_says_too_little_lowers_the_coverage),
	};
	return RUN_TESTS(tests);
}
