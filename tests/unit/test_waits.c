/* SPDX-License-Identifier: Apache-2.0 */
#include "account/waits.h"

#include "lib/run.h"
#include "lib/traits.h"

static const struct ledger ledger = { .window = { 1000000, 9000000 }, .as_of_ms = 9000000 };

static struct job *job(struct facts *f, const char *team, uint32_t gpus, int64_t eligible,
                       int64_t start)
{
	struct job *j = facts_job(f, S("1"));
	struct job_traits t = JOB_TRAITS_UNKNOWN;
	t.team = facts_word(f, str_of(team));
	job_set_traits(f, j, &t);
	j->gpus = gpus;
	j->eligible_ms = eligible;
	j->start_ms = start;
	return j;
}

static void sizes_end_where_they_say(void **state)
{
	(void)state;
	static const enum wait_size want[] = { WAIT_1,      WAIT_2_TO_4, WAIT_2_TO_4,
		                               WAIT_2_TO_4, WAIT_5_TO_8, WAIT_5_TO_8,
		                               WAIT_5_TO_8, WAIT_5_TO_8, WAIT_9_UP };
	for (uint32_t gpus = 1; gpus <= 9; gpus++)
		assert_int_equal(wait_size_of(gpus), want[gpus - 1]);
}

static void counts_what_started_and_what_waits(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct facts f;
	facts_init(&f);
	job(&f, "x", 1, 1000000, 1010000);                         /* 10 s */
	job(&f, "x", 1, 2000000, 2030000);                         /* 30 s */
	job(&f, "y", 1, 900000, 999999);                           /* before the window */
	job(&f, "y", 4, 3000000, 3100000);                         /* 100 s */
	job(&f, "y", 4, TIME_UNKNOWN, 3100000);                    /* since when is not known */
	job(&f, "y", 16, 4000000, TIME_UNKNOWN);                   /* waits */
	job(&f, "y", 16, 4000000, TIME_UNKNOWN)->end_ms = 5000000; /* was cancelled */
	job(&f, "z", 0, 4000000, 4000001);                         /* no GPUs */
	job(&f, "x", COUNT_UNKNOWN, 4000000, 4000001)->requested = 8;
	job(&f, "x", 1, 4000000, 3000000); /* a clock that is off: no wait below 0 */
	const struct wait_row *v = waits_by_size(&a, &ledger, &f);
	assert_true(v[WAIT_1].started == 3 && v[WAIT_1].known == 3 && v[WAIT_1].waiting == 0);
	assert_true(v[WAIT_1].p50 == 10 && v[WAIT_1].max == 30);
	assert_true(v[WAIT_1].p95 > 27.9999 && v[WAIT_1].p95 < 28.0001); /* 10 + 0.9 x 20 */
	assert_true(v[WAIT_2_TO_4].started == 2 && v[WAIT_2_TO_4].known == 1);
	assert_true(v[WAIT_2_TO_4].p50 == 100 && v[WAIT_2_TO_4].mean == 100);
	assert_true(v[WAIT_5_TO_8].started == 1 && v[WAIT_5_TO_8].max == 0.001);
	assert_true(v[WAIT_9_UP].started == 0 && v[WAIT_9_UP].waiting == 1);
	size_t n;
	v = waits_by_team(&a, &ledger, &f, &n);
	assert_int_equal(n, 2); /* z asked for no GPU */
	assert_str(names_word(&f.names, v[0].team), "x");
	assert_true(v[0].started == 4 && v[0].max == 30);
	assert_true(v[1].started == 2 && v[1].waiting == 1 && v[1].known == 1);
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_end_where_they_say),
		cmocka_unit_test(counts_what_started_and_what_waits),
	};
	return RUN_TESTS(tests);
}
