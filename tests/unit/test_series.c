/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/series.h"

#include <stdio.h>

#include "lib/run.h"

static struct sample *sample(struct facts *f, const char *device, int64_t t_ms, enum metric_id id,
                             int64_t v)
{
	struct sample *s = facts_sample(f, facts_word(f, str_of(device)), t_ms);
	s->v[id] = v;
	s->why[id] = WHY_KNOWN;
	s->known = metric_bit(id);
	return s;
}

static void devices_come_one_by_one_in_time(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	sample(&f, "b", 20, METRIC_sm, 2);
	sample(&f, "a", 30, METRIC_sm, 3);
	sample(&f, "b", 10, METRIC_power, 1)->period_ms = 5;
	struct series_rows *r = mem_alloc(sizeof *r);
	struct series_source *s = series_of_samples(&f);
	assert_int_equal(s->n, 2);
	assert_str(names_word(&f.names, s->v[0].device), "b"); /* the first word that was seen */
	assert_true(s->v[0].hull.from_ms == 10 && s->v[0].hull.to_ms == 20);
	struct series_cursor *c = s->open(s, 0, SERIES_ALL);
	assert_true(s->next(c, r));
	assert_int_equal(r->n, 2);
	assert_true(r->any == (metric_bit(METRIC_sm) | metric_bit(METRIC_power)));
	assert_true(r->t_ms[0] == 10 && r->t_ms[1] == 20 && r->period_ms[0] == 5);
	/* a column that begins late says nothing of what was before, and so on to the end */
	assert_int_equal(r->why[METRIC_sm][0], WHY_ABSENT);
	assert_int_equal(r->why[METRIC_power][1], WHY_ABSENT);
	assert_true(r->why[METRIC_sm][1] == WHY_KNOWN && r->v[METRIC_sm][1] == 2);
	assert_false(s->next(c, r));
	s->close(c);
	s->drop(s);
	mem_free(r);
	facts_deinit(&f);
}

static void one_time_is_one_row(void **state)
{
	(void)state;
	struct facts f;
	struct sample got;
	facts_init(&f);
	sample(&f, "g", 10, METRIC_sm, 1)->period_ms = 7;
	struct sample *s = sample(&f, "g", 10, METRIC_power, 2);
	s->why[METRIC_sm] = WHY_LOST; /* what says nothing takes nothing away */
	sample(&f, "g", 10, METRIC_power, 3)->kind = SAMPLE_POINT;
	struct series_rows *r = mem_alloc(sizeof *r);
	struct series_source *source = series_of_samples(&f);
	struct series_cursor *c = source->open(source, 0, SERIES_ALL);
	assert_true(source->next(c, r));
	assert_int_equal(r->n, 1);
	series_row_get(r, 0, f.samples.v[0].device, &got);
	assert_true(got.v[METRIC_sm] == 1 && got.v[METRIC_power] == 3);
	assert_true(got.known == (metric_bit(METRIC_sm) | metric_bit(METRIC_power)));
	assert_true(got.period_ms == 7 && got.kind == SAMPLE_AVERAGE); /* a point only if all are */
	assert_int_equal(source->doubles(source), 1);
	source->close(c);
	source->drop(source);
	mem_free(r);
	facts_deinit(&f);
}

/* One row more than a batch holds, and a time twice where the batch ends. */
static void batches_end_between_times(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	for (uint32_t i = 0; i < SERIES_ROWS + 1; i++)
		sample(&f, "g", i, METRIC_sm, i);
	sample(&f, "g", SERIES_ROWS - 1, METRIC_power, 9);
	struct series_rows *r = mem_alloc(sizeof *r);
	struct series_source *s = series_of_samples(&f);
	struct series_cursor *c = s->open(s, 0, SERIES_ALL);
	assert_true(s->next(c, r));
	assert_int_equal(r->n, SERIES_ROWS);
	assert_true(r->v[METRIC_power][SERIES_ROWS - 1] == 9);
	assert_true(r->v[METRIC_sm][SERIES_ROWS - 1] == SERIES_ROWS - 1);
	assert_int_equal(r->why[METRIC_power][SERIES_ROWS - 2], WHY_ABSENT);
	assert_true(s->next(c, r));
	assert_int_equal(r->n, 1);
	assert_true(r->any == metric_bit(METRIC_sm)); /* of the batch, not of the device */
	assert_true(r->t_ms[0] == SERIES_ROWS);
	assert_false(s->next(c, r));
	s->close(c);
	s->drop(s);
	mem_free(r);
	facts_deinit(&f);
}

static void nothing_is_no_device(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	struct series_source *s = series_of_samples(&f);
	assert_int_equal(s->n, 0);
	s->drop(s);
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_come_one_by_one_in_time),
		cmocka_unit_test(one_time_is_one_row),
		cmocka_unit_test(batches_end_between_times),
		cmocka_unit_test(nothing_is_no_device),
	};
	return RUN_TESTS(tests);
}
