/* SPDX-License-Identifier: Apache-2.0 */
/* The depth of active time: sums that any grouping adds up, and what they refuse (decisions K.8).
 */
#include "account/depth.h"

#include "account/tally.h"
#include "lib/run.h"

#define SECONDS 1000

struct world {
	struct facts f;
	struct arena a;
	struct ledger l;
	struct cost c;
	struct tally t;
};

static void begin(struct world *w, const char *model)
{
	*w = (struct world){ 0 };
	facts_init(&w->f);
	*vec_push(&w->f.devices) = (struct device){ .id = facts_word(&w->f, S("g")),
		                                    .model = facts_word(&w->f, str_of(model)) };
}

static void end(struct world *w)
{
	ledger_deinit(&w->l);
	facts_deinit(&w->f);
	arena_deinit(&w->a);
}

/* Active for one second before T: tensor in per cent, clock in MHz. */
static struct sample *read_at(struct world *w, int t_s, int64_t tensor, int64_t clock)
{
	struct sample *s = facts_sample(&w->f, facts_word(&w->f, S("g")), t_s * (int64_t)SECONDS);
	s->period_ms = SECONDS;
	sample_know(s, METRIC_tensor, tensor * 1000000);
	sample_know(s, METRIC_sm, 90 * 1000000);
	if (clock)
		sample_know(s, METRIC_sm_clock, clock * 1000);
	return s;
}

/* A job on the device for [FROM, TO) seconds. */
static void job(struct world *w, const char *id, int from_s, int to_s, enum outcome outcome)
{
	struct job *j = facts_job(&w->f, str_of(id));
	j->start_ms = from_s * (int64_t)SECONDS, j->end_ms = to_s * (int64_t)SECONDS;
	j->outcome = (uint8_t)outcome;
	facts_add_allocation(&w->f, &(struct allocation_entry){ .job = (uint32_t)w->f.jobs.n - 1,
	                                                        .on = CLAIM_DEVICE,
	                                                        .place = facts_word(&w->f, S("g")),
	                                                        .count = 1,
	                                                        .share_num = 1,
	                                                        .share_den = 1,
	                                                        .from_ms = TIME_UNKNOWN,
	                                                        .to_ms = TIME_UNKNOWN });
}

static void meter(struct world *w)
{
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct err err;
	o.setup_max_ms = 0;
	assert_int_equal(ledger_build(&w->a, &w->f, &o, &w->l, &err), ERR_OK);
	assert_int_equal(cost_build(&w->a, &w->l, &w->f, &w->c, &err), ERR_OK);
	tally_build(&w->l, &w->f, &w->c, NULL, 0, &w->t);
}

#define assert_depth(w, id, want)                                           \
	do {                                                                \
		const struct depth_sum *d_ = &(w)->t.depths[DEPTH_of_##id]; \
		assert_true(d_->units > 0);                                 \
		double v_ = depth_value(DEPTH_of_##id, d_);                 \
		assert_true(v_ > (want)-1e-12 && v_ < (want) + 1e-12);      \
	} while (0)

static void means_are_by_time_and_ofu_by_the_tensor_clock(void **state)
{
	struct world w;
	(void)state;
	begin(&w, "NVIDIA H100 80GB HBM3");
	for (int i = 1; i <= 10; i++)
		read_at(&w, i, i <= 4 ? 50 : 25, 1500);
	meter(&w);
	assert_depth(&w, tensor, 0.35);
	assert_depth(&w, ofu, 0.35 * 1500 / 1830);
	assert_true(depth_min(DEPTH_of_tensor, &w.t.depths[DEPTH_of_tensor]) == 0.25);
	assert_true(depth_max(DEPTH_of_tensor, &w.t.depths[DEPTH_of_tensor]) == 0.5);
	assert_true(w.t.depths[DEPTH_of_nvlink].units == 0);
	assert_true(w.t.depths[DEPTH_HIDDEN].units == 0);
	end(&w);
	begin(&w, "a chip of tomorrow");
	read_at(&w, 1, 50, 1500);
	meter(&w);
	assert_depth(&w, tensor, 0.5);
	assert_true(w.t.depths[DEPTH_of_ofu].units == 0);
	end(&w);
}

static void a_reading_beyond_all_sense_is_left_out(void **state)
{
	struct world w;
	(void)state;
	begin(&w, "NVIDIA H100 80GB HBM3");
	sample_know(read_at(&w, 1, 50, 0), METRIC_nvlink, INT64_C(10000000000000));
	sample_know(read_at(&w, 2, 50, 0), METRIC_nvlink, INT64_C(10000000000001));
	read_at(&w, 3, 50, 100000);
	read_at(&w, 4, 50, 100001);
	read_at(&w, 5, 50, 1830);
	meter(&w);
	assert_depth(&w, nvlink, 10000);
	assert_int_equal(w.t.depths[DEPTH_of_nvlink].units, SECONDS * (int64_t)GRID);
	assert_int_equal(w.t.depths[DEPTH_of_ofu].units, 2 * SECONDS * (int64_t)GRID);
	end(&w);
}

static void averages_of_5_s_hide_what_the_mean_allows(void **state)
{
	struct world w;
	(void)state;
	for (int period = 4; period <= 5; period++) {
		begin(&w, "NVIDIA H100 80GB HBM3");
		for (int i = 1; i <= 10; i++) {
			struct sample *s = read_at(&w, i * period, 43, 0);
			sample_know(s, METRIC_sm, 43 * 1000000);
			s->period_ms = period * (int64_t)SECONDS;
		}
		meter(&w);
		const struct depth_sum *d = &w.t.depths[DEPTH_HIDDEN];
		/* at least (43 - 5) / 95 of it was at 5 % or more */
		assert_int_equal(d->units, period < 5 ? 0 : 50 * SECONDS * (int64_t)GRID);
		assert_int_equal(d->num, d->units * 600000);
		end(&w);
	}
}

static void parts_add_up_to_the_whole(void **state)
{
	struct world w;
	(void)state;
	begin(&w, "NVIDIA H100 80GB HBM3");
	w.f.has_scheduler = true;
	*vec_push(&w.f.scheduler) = (struct span){ 0, 60 * SECONDS };
	job(&w, "a", 0, 20, OUTCOME_COMPLETED);
	job(&w, "b", 20, 30, OUTCOME_FAILED);
	job(&w, "c", 30, 60, OUTCOME_CANCELLED);
	for (int i = 1; i <= 60; i++)
		read_at(&w, i, 10 + i % 37, 1000 + i);
	meter(&w);
	i128 num = 0, units = 0;
	for (uint32_t i = 0; i < w.l.cells.n; i++) { /* every cell a group of its own */
		struct tally one;
		tally_build(&w.l, &w.f, &w.c, &i, 1, &one);
		num += one.depths[DEPTH_of_ofu].num;
		units += one.depths[DEPTH_of_ofu].units;
	}
	assert_true(w.l.cells.n > 2);
	assert_true(num == w.t.depths[DEPTH_of_ofu].num);
	assert_true(units == w.t.depths[DEPTH_of_ofu].units);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_by_time_and_ofu_by_the_tensor_clock),
		cmocka_unit_test(a_reading_beyond_all_sense_is_left_out),
		cmocka_unit_test(averages_of_5_s_hide_what_the_mean_allows),
		cmocka_unit_test(parts_add_up_to_the_whole),
	};
	return RUN_TESTS(tests);
}
