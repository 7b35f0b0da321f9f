/* SPDX-License-Identifier: Apache-2.0 */
#include "account/measures.h"

#include <math.h>

#include "lib/cells.h"
#include "lib/run.h"

#define H UNITS_PER_HOUR

struct result {
	struct measure m[MEASURE_COUNT];
};

static struct result compute(struct cells *c)
{
	struct result r;
	struct cost cost;
	struct tally t;
	struct err err = { 0 };
	if (cost_build(&c->a, &c->l, &c->f, &cost, &err))
		fail_msg("%s", err.text);
	tally_build(&c->l, &c->f, &cost, NULL, 0, &t);
	struct measure_input in = { .a = &c->a, .l = &c->l, .f = &c->f, .c = &cost, .t = &t };
	measures_compute(&in, r.m);
	return r;
}

#define assert_value(r, id, want)                                                            \
	do {                                                                                 \
		const struct measure *m_ = &(r).m[MEASURE_##id];                             \
		if (!m_->has_value || fabs(m_->value - (want)) > 1e-9)                       \
			fail_msg(#id " is %s%.12g, not %.12g", m_->has_value ? "" : "null ", \
			         m_->value, (double)(want));                                 \
	} while (0)
#define assert_bounds(r, id, want_low, want_high)                                \
	do {                                                                     \
		const struct measure *m_ = &(r).m[MEASURE_##id];                 \
		assert_false(m_->has_value);                                     \
		assert_true(m_->has_low &&fabs(m_->low - (want_low)) < 1e-9);    \
		assert_true(m_->has_high &&fabs(m_->high - (want_high)) < 1e-9); \
		assert_non_null(m_->why_null);                                   \
	} while (0)

static void quantiles_are_numpys(void **state)
{
	(void)state;
	const double v[] = { 1, 2, 3, 10 };
	static const struct {
		double q, want;
	} cases[] = { { 0, 1 },       { 0.5, 2.5 }, { 0.95, 8.95 },
		      { 0.99, 9.79 }, { 1, 10 },    { 0.25, 1.75 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(fabs(measure_quantile(v, 4, cases[i].q) - cases[i].want) < 1e-12);
	assert_true(measure_quantile(v, 1, 0.95) == 1);
}

/* 10 GPU-hours at 2.00: 2 free idle, 1 reserve, 1 stalled, 4 productive, 1 lost, 1 pending. */
static void fill(struct cells *c)
{
	uint32_t p = cells_place(c, "H100");
	uint32_t good = cells_job(c, "good", OUTCOME_COMPLETED);
	uint32_t bad = cells_job(c, "bad", OUTCOME_NODE_FAILED);
	uint32_t open = cells_job(c, "open", OUTCOME_RUNNING);
	cells_add(c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, 2 * H);
	cells_add(c, p, NONE, 0, STATE_FREE_RESERVE, FATE_NONE, H);
	cells_add(c, p, good, 0, STATE_STALLED_INPUT, FATE_PRODUCTIVE, H)->maybe_productive = false;
	cells_add(c, p, good, 0, STATE_ACTIVE, FATE_PRODUCTIVE, 4 * H);
	cells_add(c, p, bad, 0, STATE_ACTIVE, FATE_LOST, H);
	cells_add(c, p, open, 0, STATE_ACTIVE, FATE_PENDING, H)->maybe_productive = true;
	cells_price(c, "H100", 2, 1);
}

static void ratios_of_sums_with_their_money(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	fill(&c);
	struct result r = compute(&c);
	assert_value(r, allocation_rate, 0.7);
	assert_value(r, successful_rate, 0.5);
	assert_bounds(r, productive_rate, 0.4, 0.5);
	assert_value(r, waste, 8); /* 2 idle, 1 stalled, 1 lost; pending and reserve are none */
	assert_value(r, waste_gpu_hours, 4);
	assert_bounds(r, waste_by_effective_price, 10, 12);
	assert_value(r, cost_per_gpu_hour, 2);
	assert_value(r, cost_per_allocated_gpu_hour, 20.0 / 7);
	assert_value(r, cost_per_successful_gpu_hour, 4);
	assert_bounds(r, cost_per_productive_gpu_hour, 4, 5);
	assert_value(r, cost_per_completed_run, 10);
	assert_value(r, cost_of_given_up_runs, 2);
	assert_value(r, failed_work_cost, 2);
	assert_value(r, failed_retry_cost, 0);
	assert_value(r, interrupted_gpu_hours, 1);
	assert_value(r, worth_of_allocation_point, 0.2);
	assert_value(r, execution_idle_share, 1.0 / 7);
	assert_value(r, execution_idle_share_with_spinning, 1.0 / 7);
	assert_value(r, stranded_gpu_hours, 0);
	cells_end(&c);
}

static void every_null_says_which_input_is_missing(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	c.l.has_capacity = c.l.has_scheduler = c.l.has_samples = false;
	c.l.free_is_null = true;
	uint32_t p = cells_place(&c, "H100");
	cells_add(&c, p, NONE, 0, STATE_UNOBSERVED, FATE_UNJUDGED, H)->maybe_productive = true;
	struct result r = compute(&c);
	for (int i = 0; i < MEASURE_COUNT; i++)
		if (!r.m[i].has_value) {
			assert_non_null(r.m[i].why_null);
			assert_true(strlen(r.m[i].why_null) > 10);
		}
	assert_false(r.m[MEASURE_allocation_rate].has_value);
	assert_false(r.m[MEASURE_successful_rate].has_value);
	assert_false(r.m[MEASURE_execution_idle_share].has_value);
	assert_bounds(r, productive_rate, 0, 1);
	assert_false(r.m[MEASURE_waste_gpu_hours].has_high); /* free is not known */
	assert_string_equal(r.m[MEASURE_waste].why_null, "no price: give one with --price");
	cells_end(&c);
}

static void a_missing_price_is_no_cheap_gpu(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	fill(&c);
	uint32_t q = cells_place(&c, "L4");
	cells_add(&c, q, NONE, 0, STATE_FREE_IDLE, FATE_NONE, 10 * H);
	struct result r = compute(&c);
	assert_false(r.m[MEASURE_cost_per_successful_gpu_hour].has_value);
	assert_true(fabs(r.m[MEASURE_cost_per_successful_gpu_hour].coverage - 0.5) < 1e-12);
	assert_string_equal(r.m[MEASURE_waste].why_null, "50.0 % of the time has no price");
	assert_value(r, failed_work_cost, 2); /* all of that time has one */
	cells_end(&c);
}

static void spinning_is_in_one_share_and_not_in_the_other(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100"), j = cells_job(&c, "j", OUTCOME_COMPLETED);
	cells_add(&c, p, j, 0, STATE_STALLED_INPUT, FATE_PRODUCTIVE, H);
	cells_add(&c, p, j, 0, STATE_STALLED_SPINNING, FATE_PRODUCTIVE, H);
	cells_add(&c, p, j, 0, STATE_ACTIVE, FATE_PRODUCTIVE, 2 * H);
	cells_add(&c, p, j, 0, STATE_UNOBSERVED, FATE_PRODUCTIVE, 4 * H);
	struct result r = compute(&c);
	assert_value(r, execution_idle_share, 0.25);
	assert_value(r, execution_idle_share_with_spinning, 0.5);
	assert_true(fabs(r.m[MEASURE_execution_idle_share].coverage - 0.5) < 1e-12);
	cells_end(&c);
}

static void retries_of_failures_are_a_line_of_their_own(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100");
	uint32_t first = cells_job(&c, "first", OUTCOME_FAILED);
	uint32_t second = cells_job(&c, "second", OUTCOME_OOM);
	uint32_t third = cells_job(&c, "third", OUTCOME_COMPLETED);
	c.run_of[second] = c.run_of[third] = first;
	c.f.jobs.v[second].end_ms += 1;
	c.f.jobs.v[third].end_ms += 2;
	cells_add(&c, p, first, 0, STATE_ACTIVE, FATE_LOST, H);
	cells_add(&c, p, second, 0, STATE_SETUP, FATE_LOST, H)->marks = MARK_RETRY;
	cells_add(&c, p, third, 0, STATE_SETUP, FATE_PRODUCTIVE, H)->marks = MARK_RETRY;
	cells_add(&c, p, third, 0, STATE_ACTIVE, FATE_PRODUCTIVE, H);
	cells_price(&c, "H100", 3, 1);
	struct result r = compute(&c);
	assert_value(r, failed_work_cost, 6);
	assert_value(r, failed_retry_cost, 3); /* the second's is in the line above */
	assert_value(r, cost_per_completed_run, 12);
	assert_value(r, cost_of_given_up_runs, 0);
	c.f.jobs.v[third].end_ms = 3 * 3600000; /* ends after the window */
	r = compute(&c);
	assert_false(r.m[MEASURE_cost_per_completed_run].has_value);
	cells_end(&c);
}

static void waits_are_of_jobs_that_started_in_the_window(void **state)
{
	(void)state;
	struct cells c;
	static const int64_t eligible_s[] = { 0, 100, 200, 300 }, wait_s[] = { 1, 2, 3, 10 };
	cells_begin(&c);
	for (size_t i = 0; i < 4; i++) {
		uint32_t j = cells_job(&c, "j", OUTCOME_COMPLETED);
		c.f.jobs.v[j].submit_ms = eligible_s[i] * 1000 - 500;
		c.f.jobs.v[j].eligible_ms = eligible_s[i] * 1000;
		c.f.jobs.v[j].start_ms = (eligible_s[i] + wait_s[i]) * 1000;
		c.f.jobs.v[j].gpus = i == 3 ? 7 : 1;
	}
	uint32_t late = cells_job(&c, "late", OUTCOME_COMPLETED);
	c.f.jobs.v[late].start_ms = c.l.window.to_ms; /* not in the window */
	uint32_t cpu = cells_job(&c, "cpu", OUTCOME_COMPLETED);
	c.f.jobs.v[cpu].gpus = 0;
	struct result r = compute(&c);
	assert_value(r, queue_time_p50, 2.5);
	assert_value(r, queue_time_p95, 8.95);
	assert_value(r, queue_time_max, 10);
	assert_value(r, queue_time_mean, 4);
	assert_value(r, queue_time_gpu_weighted_mean, 7.6);
	assert_value(r, queue_time_from_submit_p50, 3);
	c.f.jobs.v[0].eligible_ms = TIME_UNKNOWN; /* eligible when it was submitted */
	r = compute(&c);
	assert_true(fabs(r.m[MEASURE_queue_time_p50].coverage - 1) < 1e-12);
	assert_value(r, queue_time_mean, 4.125);
	c.f.jobs.v[0].submit_ms = TIME_UNKNOWN;
	r = compute(&c);
	assert_true(fabs(r.m[MEASURE_queue_time_p50].coverage - 0.75) < 1e-12);
	cells_end(&c);
}

static void tokens_and_requests_have_their_kind_in_the_name(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "L4"), j = cells_job(&c, "chat", OUTCOME_RUNNING);
	cells_add(&c, p, j, 0, STATE_ACTIVE, FATE_PRODUCTIVE, H);
	cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, H);
	cells_price(&c, "L4", 1, 1);
	*vec_push(&c.f.services) = (struct service){ .job = facts_word(&c.f, S("chat")),
		                                     .from_ms = -7200000,
		                                     .to_ms = 7200000,
		                                     .ok = 180,
		                                     .bad = 20,
		                                     .tokens_ok = 1000000,
		                                     .tokens_bad = -1,
		                                     .running = -1 };
	struct result r = compute(&c);
	assert_value(r, cost_per_million_output_tokens, 4); /* half of them, all that is paid */
	assert_value(r, cost_per_request, 2.0 / 90);
	assert_value(r, output_tokens_per_gpu_hour, 500000);
	assert_value(r, output_tokens_per_money, 250000);
	assert_value(r, error_rate, 0.1);
	assert_false(r.m[MEASURE_cost_per_million_input_tokens].has_value);
	assert_false(r.m[MEASURE_cost_per_million_tokens_both].has_value);
	cells_end(&c);
}

static void the_fleet_is_what_is_allocated_and_waiting_at_once(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t a = cells_job(&c, "a", OUTCOME_COMPLETED); /* 4 GPUs, the whole window */
	c.f.jobs.v[a].gpus = 4;
	c.f.jobs.v[a].end_ms = 7200000;
	uint32_t b = cells_job(&c, "b", OUTCOME_WAITING); /* 8 more are waited for, a quarter */
	c.f.jobs.v[b].start_ms = c.f.jobs.v[b].end_ms = TIME_UNKNOWN;
	c.f.jobs.v[b].gpus = COUNT_UNKNOWN;
	c.f.jobs.v[b].requested = 8;
	c.f.jobs.v[b].eligible_ms = 5400000;
	struct result r = compute(&c);
	assert_value(r, fleet_size_p50, 4);
	assert_value(r, fleet_size_p95, 12);
	assert_value(r, fleet_size_max, 12);
	c.f.jobs.v[b].eligible_ms = 7200000 - 360000; /* exactly 5 % */
	r = compute(&c);
	assert_value(r, fleet_size_p95, 4);
	assert_value(r, fleet_size_max, 12);
	cells_end(&c);
}

static void gaps_lie_between_two_allocations_of_a_device(void **state)
{
	(void)state;
	struct cells c;
	static const int64_t spans_s[][2] = {
		{ 0, 600 }, { 700, 900 }, { 850, 1000 }, { 1300, 2000 }
	};
	cells_begin(&c);
	for (size_t i = 0; i < 4; i++) {
		uint32_t j = cells_job(&c, "j", OUTCOME_COMPLETED);
		facts_add_allocation(&c.f,
		                     &(struct allocation_entry){ .job = j,
		                                                 .on = CLAIM_DEVICE,
		                                                 .place = facts_word(&c.f, S("g0")),
		                                                 .from_ms = spans_s[i][0] * 1000,
		                                                 .to_ms = spans_s[i][1] * 1000 });
	}
	struct result r = compute(&c);
	assert_value(r, idle_between_jobs_p50, 200);
	assert_value(r, idle_between_jobs_max, 300);
	assert_value(r, idle_between_jobs_mean, 200);
	cells_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_numpys),
		cmocka_unit_test(ratios_of_sums_with_their_money),
		cmocka_unit_test(every_null_says_which_input_is_missing),
		cmocka_unit_test(a_missing_price_is_no_cheap_gpu),
		cmocka_unit_test(spinning_is_in_one_share_and_not_in_the_other),
		cmocka_unit_test(retries_of_failures_are_a_line_of_their_own),
		cmocka_unit_test(waits_are_of_jobs_that_started_in_the_window),
		cmocka_unit_test(tokens_and_requests_have_their_kind_in_the_name),
		cmocka_unit_test(the_fleet_is_what_is_allocated_and_waiting_at_once),
		cmocka_unit_test(gaps_lie_between_two_allocations_of_a_device),
	};
	return RUN_TESTS(tests);
}
