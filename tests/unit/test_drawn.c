/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of a device from its counter or its power (decisions K.1 to K.7). */
#include "account/ledger.h"

#include "lib/run.h"

#define SECONDS 1000

struct world {
	struct facts f;
	struct arena a;
	struct ledger l;
	struct sums s;
};

static void begin(struct world *w)
{
	*w = (struct world){ 0 };
	facts_init(&w->f);
}

static void end(struct world *w)
{
	ledger_deinit(&w->l);
	facts_deinit(&w->f);
	arena_deinit(&w->a);
}

enum { NO = -1 };

/* A sample of device g at T seconds: joules on the counter, watts; NO: not known. */
static struct sample *read_at(struct world *w, int t_s, int period_s, int64_t joules, int64_t watts)
{
	struct sample *s = facts_sample(&w->f, facts_word(&w->f, S("g")), t_s * (int64_t)SECONDS);
	s->period_ms = period_s * (int64_t)SECONDS;
	sample_know(s, METRIC_gpu_util, 90 * 1000000);
	if (joules != NO)
		sample_know(s, METRIC_energy, joules * 1000);
	if (watts != NO)
		sample_know(s, METRIC_power, watts * 1000);
	return s;
}

static void meter(struct world *w, int from_ms, int to_ms)
{
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct err err;
	if (to_ms)
		o.window = (struct span){ from_ms, to_ms };
	ledger_deinit(&w->l);
	assert_int_equal(ledger_build(&w->a, &w->f, &o, &w->l, &err), ERR_OK);
	sums_of_ledger(&w->s, &w->l, &w->f);
}

static int64_t all(const i128 *of)
{
	i128 sum = 0;
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		sum += of[i];
	return (int64_t)sum;
}

/* Millijoules, ms covered, ms integrated of the whole device in the window. */
#define assert_drawn(w, mj, covered, integrated_)                                      \
	do {                                                                           \
		assert_int_equal(all((w)->s.energy), (int64_t)(mj)*GRID);              \
		assert_int_equal(all((w)->s.metered), (int64_t)(covered)*GRID);        \
		assert_int_equal(all((w)->s.integrated), (int64_t)(integrated_)*GRID); \
	} while (0)

static void the_counter_comes_first(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	for (int i = 0; i <= 10; i++) /* 100 W on the counter, 300 W on the sensor */
		read_at(&w, 10 + i, 1, 5000 + 100 * i, 300);
	meter(&w, 0, 0);
	/* the first sample covers 1 s without a counter before it */
	assert_drawn(&w, 300000 + 10 * 100000, 11000, 1000);
	end(&w);
}

static void windows_add_up_to_the_millijoule(void **state)
{
	struct world w;
	int64_t parts = 0;
	(void)state;
	begin(&w);
	for (int i = 0; i <= 3; i++)
		read_at(&w, 10 + 3 * i, 3, 5000 + i, NO); /* 1 J in 3 s: no whole mJ a ms */
	meter(&w, 0, 0);
	assert_drawn(&w, 3000, 9000, 0);
	for (int from = 7000; from < 19000; from += 7) {
		meter(&w, from, from + 7 < 19000 ? from + 7 : 19000);
		parts += all(w.s.energy);
	}
	assert_int_equal(parts, 3000 * (int64_t)GRID);
	end(&w);
}

static void a_counter_that_falls_was_reset_or_went_round(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	read_at(&w, 10, 1, 5000, NO);
	read_at(&w, 11, 1, 0, NO);
	read_at(&w, 12, 1, 100, NO);
	meter(&w, 0, 0);
	assert_drawn(&w, 100000, 1000, 0); /* the fall has no energy */
	end(&w);
	begin(&w);
	read_at(&w, 10, 1, 4294967, NO); /* 296 mJ below 2^32 mJ */
	read_at(&w, 11, 1, 99, NO);
	meter(&w, 0, 0);
	assert_drawn(&w, 99296, 1000, 0);
	end(&w);
	begin(&w);
	read_at(&w, 10, 1, 2000000, NO); /* far from the width: a reset */
	read_at(&w, 11, 1, 99, 250);
	meter(&w, 0, 0);
	assert_drawn(&w, 250000, 1000, 1000);
	end(&w);
}

static void a_counter_that_stands_still_is_not_zero(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	read_at(&w, 10, 1, 5000, NO);
	read_at(&w, 11, 1, 5000, 400); /* stands still: the sensor speaks */
	read_at(&w, 12, 1, 5900, NO);  /* what it adds may be older: unknown */
	read_at(&w, 13, 1, 6300, NO);
	meter(&w, 0, 0);
	assert_drawn(&w, 400000 + 400000, 2000, 1000);
	end(&w);
}

static void a_jump_that_no_gpu_draws_is_no_energy(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	read_at(&w, 10, 1, 0, NO);
	read_at(&w, 11, 1, ENERGY_WATTS_MAX, NO);
	read_at(&w, 12, 1, 2 * ENERGY_WATTS_MAX + 1, NO);
	meter(&w, 0, 0);
	assert_drawn(&w, ENERGY_WATTS_MAX * (int64_t)1000, 1000, 0);
	end(&w);
	begin(&w);
	read_at(&w, 10, 1, NO, ENERGY_WATTS_MAX);
	read_at(&w, 11, 1, NO, ENERGY_WATTS_MAX + 1);
	meter(&w, 0, 0);
	assert_drawn(&w, ENERGY_WATTS_MAX * (int64_t)1000, 1000, 1000);
	end(&w);
}

static void a_gap_is_unknown_and_points_take_the_mean(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	read_at(&w, 10, 1, NO, 100);
	read_at(&w, 20, 1, NO, 100); /* 10 s back: covers its own second */
	meter(&w, 0, 0);
	assert_drawn(&w, 200000, 2000, 2000);
	assert_int_equal(w.s.paid, 11 * UNITS_PER_SECOND);
	end(&w);
	begin(&w);
	read_at(&w, 10, 10, NO, 100)->kind = SAMPLE_POINT;
	read_at(&w, 20, 10, NO, 201)->kind = SAMPLE_POINT;
	meter(&w, 0, 0);
	assert_drawn(&w, 1505000, 10000, 10000);
	end(&w);
}

static void a_share_has_its_share(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	for (int i = 0; i <= 10; i++)
		read_at(&w, 10 + i, 1, NO, 100);
	for (int i = 0; i < 2; i++) {
		struct job *j = facts_job(&w.f, i ? S("b") : S("a"));
		j->start_ms = 10000, j->end_ms = 20000;
		j->outcome = OUTCOME_COMPLETED;
		facts_add_allocation(&w.f,
		                     &(struct allocation_entry){ .job = (uint32_t)i,
		                                                 .on = CLAIM_DEVICE,
		                                                 .place = facts_word(&w.f, S("g")),
		                                                 .count = 1,
		                                                 .share_num = 1 + i,
		                                                 .share_den = 3,
		                                                 .from_ms = TIME_UNKNOWN,
		                                                 .to_ms = TIME_UNKNOWN });
	}
	w.f.has_scheduler = true;
	*vec_push(&w.f.scheduler) = (struct span){ 10000, 20000 };
	meter(&w, 0, 0);
	assert_drawn(&w, 1000000, 10000, 10000);
	for (size_t i = 0; i < w.l.cells.n; i++)
		assert_int_equal(w.l.drawn.v[i].energy,
		                 1000000 * (int64_t)GRID / 3 * (1 + w.l.cells.v[i].job));
	end(&w);
}

static void an_instance_has_no_part_of_its_parent(void **state)
{
	struct world w;
	(void)state;
	begin(&w);
	*vec_push(&w.f.devices) =
	        (struct device){ .id = facts_word(&w.f, S("g")), .slices = 7, .mig = true };
	*vec_push(&w.f.instances) = (struct instance){ .id = facts_word(&w.f, S("i")),
		                                       .device = facts_word(&w.f, S("g")),
		                                       .slices = 7 };
	for (int i = 0; i <= 10; i++)
		read_at(&w, 10 + i, 1, 100 * i, 100);
	meter(&w, 0, 0);
	assert_drawn(&w, 0, 0, 0);
	assert_int_equal(w.l.mig_millijoules, 100000 + 1000000);
	assert_int_equal(w.l.mig_ms, 11000);
	end(&w);
}

static void vacant_power_needs_a_minute(void **state)
{
	struct world w;
	(void)state;
	for (int n = 59; n <= 60; n++) {
		begin(&w);
		for (int i = 0; i < n; i++) {
			struct sample *s = read_at(&w, 10 + i, 1, NO, 70);
			sample_know(s, METRIC_gpu_util, 0);
			sample_know(s, METRIC_vacant_power, 55 * 1000);
			s->procs_why = WHY_KNOWN;
		}
		meter(&w, 0, 0);
		const struct vacancy *v = &w.l.vacancies.v[0];
		assert_int_equal(v->is_given, n == 59);
		assert_int_equal(v->microjoules, (n == 59 ? 55000 : 70000) * (int64_t)v->ms);
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_comes_first),
		cmocka_unit_test(windows_add_up_to_the_millijoule),
		cmocka_unit_test(a_counter_that_falls_was_reset_or_went_round),
		cmocka_unit_test(a_counter_that_stands_still_is_not_zero),
		cmocka_unit_test(a_jump_that_no_gpu_draws_is_no_energy),
		cmocka_unit_test(a_gap_is_unknown_and_points_take_the_mean),
		cmocka_unit_test(a_share_has_its_share),
		cmocka_unit_test(an_instance_has_no_part_of_its_parent),
		cmocka_unit_test(vacant_power_needs_a_minute),
	};
	return RUN_TESTS(tests);
}
