/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/spool.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "facts/series.h"
#include "lib/run.h"

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* N samples of three devices, as one input gives them: in any order, now and then a time twice. */
static void add_input(struct facts *f, uint32_t *state, int64_t from_ms, size_t n)
{
	static const char *const devices[] = { "g2", "g0", "g1" };
	for (size_t i = 0; i < n; i++) {
		sym device = facts_word(f, str_of(devices[next_random(state) % 3]));
		int64_t t = from_ms + next_random(state) % (uint32_t)n * 100;
		struct sample *s = facts_sample(f, device, t);
		s->period_ms = next_random(state) % 3 * 1000;
		s->kind = next_random(state) % 5 ? SAMPLE_AVERAGE : SAMPLE_POINT;
		for (int m = 0; m < METRIC_COUNT; m += 3) {
			uint32_t r = next_random(state) % 4;
			s->why[m] = r == 0 ? WHY_ABSENT : r == 1 ? WHY_LOST : WHY_KNOWN;
			s->v[m] = r > 1 ? (int64_t)next_random(state) : 0;
			s->known |= r > 1 ? metric_bit((enum metric_id)m) : 0;
		}
		if (next_random(state) % 3)
			continue;
		s->procs_why = WHY_KNOWN;
		s->procs_at = (uint32_t)f->syms.n;
		s->procs_n = next_random(state) % 3;
		for (uint32_t k = 0; k < s->procs_n; k++)
			*vec_push(&f->syms) = device;
	}
}

static void same_row(const struct sample *a, const struct sample *b)
{
	assert_true(a->t_ms == b->t_ms && a->period_ms == b->period_ms && a->kind == b->kind);
	assert_true(a->known == b->known && a->procs_why == b->procs_why);
	assert_true(a->procs_n == b->procs_n && (!a->procs_n || a->procs_at == b->procs_at));
	for (int m = 0; m < METRIC_COUNT; m++)
		assert_true(a->why[m] == b->why[m] &&
		            (a->why[m] != WHY_KNOWN || a->v[m] == b->v[m]));
}

/* The same samples from both sources, row by row, whatever the batches. */
static void same_series(const struct series_source *a, const struct series_source *b, size_t at)
{
	struct series_rows *r[2] = { mem_alloc(sizeof **r), mem_alloc(sizeof **r) };
	struct series_cursor *c[2] = { a->open(a, at, SERIES_ALL), b->open(b, at, SERIES_ALL) };
	uint32_t i[2] = { 0, 0 };
	r[0]->n = r[1]->n = 0;
	for (;;) {
		struct sample s[2];
		bool more[2];
		for (int k = 0; k < 2; k++) {
			more[k] = i[k] < r[k]->n || (i[k] = 0, (k ? b : a)->next(c[k], r[k]));
			if (more[k])
				series_row_get(r[k], i[k]++, 0, &s[k]);
		}
		assert_int_equal(more[0], more[1]);
		if (!more[0])
			break;
		same_row(&s[0], &s[1]);
	}
	a->close(c[0]), b->close(c[1]);
	mem_free(r[0]), mem_free(r[1]);
}

static void check(size_t inputs, size_t each, int64_t step_ms, const struct spool_options *o)
{
	struct facts plain, kept;
	struct err err = { 0 };
	uint32_t one = 7, two = 7;
	facts_init(&plain);
	facts_init(&kept);
	struct spool *s = spool_new(&kept, o);
	for (size_t i = 0; i < inputs; i++) {
		add_input(&plain, &one, (int64_t)i * step_ms, each);
		add_input(&kept, &two, (int64_t)i * step_ms, each);
		if (spool_take(s, false, &err))
			fail_msg("%s", err.text);
	}
	assert_int_equal(spool_take(s, true, &err), ERR_OK);
	spool_end(s);
	struct series_source *a = series_of_samples(&plain), *b = kept.series;
	assert_non_null(b);
	assert_int_equal(kept.samples.n, 0);
	assert_int_equal(a->n, b->n);
	for (int round = 0; round < 2;
	     round++) /* read again: the same, and nothing counted twice */
		for (size_t i = 0; i < a->n; i++) {
			assert_true(a->v[i].device == b->v[i].device);
			assert_true(a->v[i].hull.from_ms == b->v[i].hull.from_ms);
			assert_true(a->v[i].hull.to_ms == b->v[i].hull.to_ms);
			same_series(a, b, i);
		}
	assert_true(b->doubles(b) > 0 && b->doubles(b) <= a->doubles(a) + inputs * each);
	assert_int_equal(b->err.code, ERR_OK);
	a->drop(a);
	facts_deinit(&plain);
	facts_deinit(&kept);
}

static void gives_what_it_took_in_memory_and_from_a_file(void **state)
{
	(void)state;
	check(1, 3000, 0, &(struct spool_options){ .samples = 1 });
	/* inputs that follow, that meet, and that are all at one time */
	check(9, 400, 40000, &(struct spool_options){ .samples = 1 });
	check(9, 400, 9000, &(struct spool_options){ .samples = 1, .bytes = 1000 });
	check(9, 400, 0, &(struct spool_options){ .samples = 900, .bytes = 1 });
}

/* On both sides of the limit. */
static void a_few_samples_stay_where_they_are(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	uint32_t random = 3;
	facts_init(&f);
	struct spool *s = spool_new(&f, NULL);
	add_input(&f, &random, 0, SPOOL_SAMPLES - 1);
	assert_int_equal(spool_take(s, false, &err), ERR_OK);
	assert_int_equal(spool_take(s, true, &err), ERR_OK);
	assert_int_equal(f.samples.n, SPOOL_SAMPLES - 1);
	add_input(&f, &random, 0, 1);
	assert_int_equal(spool_take(s, false, &err), ERR_OK);
	assert_int_equal(f.samples.n, 0);
	spool_end(s);
	assert_non_null(f.series);
	facts_deinit(&f);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	uint32_t random = 3;
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;
	facts_init(&f);
	struct spool *s = spool_new(&f, &(struct spool_options){ .samples = 1, .bytes = 1 });
	add_input(&f, &random, 0, 10);
	setenv("TMPDIR", "/nowhere/at/all", 1);
	assert_int_equal(spool_take(s, false, &err), ERR_SYSTEM);
	assert_true(str_find(str_of(err.text), S("TMPDIR")) < strlen(err.text));
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
	spool_drop(s);
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_what_it_took_in_memory_and_from_a_file),
		cmocka_unit_test(a_few_samples_stay_where_they_are),
		cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
	};
	return RUN_TESTS(tests);
}
