/* SPDX-License-Identifier: Apache-2.0 */
#include "account/cost.h"

#include "lib/cells.h"
#include "lib/run.h"
#include "report/figures.h"

enum { HOUR_MS = 3600000 };

static struct cost build(struct cells *c)
{
	struct cost cost;
	struct err err = { 0 };
	if (cost_build(&c->a, &c->l, &c->f, &cost, &err))
		fail_msg("%s", err.text);
	return cost;
}

static void refuses(struct cells *c, const char *want)
{
	struct cost cost;
	struct err err = { 0 };
	assert_int_equal(cost_build(&c->a, &c->l, &c->f, &cost, &err), ERR_INPUT);
	assert_string_equal(err.text, want);
}

static i128 total(const struct cells *c, const struct cost *cost)
{
	i128 sum = 0;
	for (size_t i = 0; i < c->l.cells.n; i++)
		sum += cost->nums[i];
	return sum;
}

static void knows_minor_units(void **state)
{
	(void)state;
	assert_int_equal(cost_decimals(S("USD")), 2);
	assert_int_equal(cost_decimals(S("jpy")), 0);
	assert_int_equal(cost_decimals(S("KWD")), 3);
	assert_int_equal(cost_decimals(S("CLF")), 4);
	assert_int_equal(cost_decimals(S("")), 2);
}

static void an_hour_at_2_00_and_one_at_3_50_cost_5_50(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100");
	cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_add(&c, p, NONE, 1, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_price(&c, "", 2, 1)->to_ms = HOUR_MS;
	cells_price(&c, "", 350, 100)->from_ms = HOUR_MS;
	struct cost cost = build(&c);
	assert_true(total(&c, &cost) * 10 == cost.den * 55);
	assert_true(figures_minor(&cost, total(&c, &cost)) == 550);
	assert_true(cost.priced_units == c.l.paid_units);
	cells_end(&c);
}

static void thirds_are_exact(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100");
	for (int i = 0; i < 3; i++)
		cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR / 3);
	cells_price(&c, "h100", 10, 3);
	struct cost cost = build(&c);
	assert_true(total(&c, &cost) * 3 == cost.den * 10);
	assert_true(figures_minor(&cost, total(&c, &cost)) == 333);
	cells_end(&c);
}

static void the_most_specific_price_that_covers_the_bucket_holds(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "NVIDIA H100 80GB HBM3");
	c.l.places.v[p].node = facts_word(&c.f, S("n1"));
	c.l.places.v[p].pool = facts_word(&c.f, S("gpu"));
	cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_add(&c, p, NONE, 1, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_price(&c, "", 1, 1);
	cells_price(&c, "h100-sxm", 2, 1); /* another name of the same chip */
	cells_price(&c, "", 3, 1)->pool = facts_word(&c.f, S("gpu"));
	struct price *node = cells_price(&c, "", 4, 1);
	node->node = facts_word(&c.f, S("n1"));
	node->from_ms = 1; /* not all of the first bucket */
	struct cost cost = build(&c);
	assert_true(cost.nums[0] == cost.den * 3);
	assert_true(cost.nums[1] == cost.den * 4);
	c.f.prices.v[2].pool = facts_word(&c.f, S("other"));
	cost = build(&c);
	assert_true(cost.nums[0] == cost.den * 2);
	cells_end(&c);
}

static void no_price_is_not_zero(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t a = cells_place(&c, "H100"), b = cells_place(&c, "L4");
	cells_add(&c, a, NONE, 0, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_add(&c, b, NONE, 0, STATE_QUIET, FATE_PENDING, UNITS_PER_HOUR);
	struct cost cost = build(&c);
	assert_false(cost.has_price);
	cells_price(&c, "H100", 2, 1);
	cost = build(&c);
	struct tally t;
	struct figures g;
	tally_build(&c.l, &c.f, &cost, NULL, 0, &t);
	figures_build(&t, &cost, -1, -1, &g);
	assert_true(cost.priced_units == UNITS_PER_HOUR && cost.price_of[1] == NONE);
	assert_false(g.cost_known);
	assert_true(g.cost == 200);
	assert_true(g.costs_known[ACCOUNT_FREE_IDLE] && !g.costs_known[ACCOUNT_QUIET]);
	assert_true(g.costs_known[ACCOUNT_SETUP]); /* nothing there: nothing to price */
	cells_end(&c);
}

static void overlaps_and_mixed_currencies_are_errors_and_a_line_read_twice_is_not(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	cells_price(&c, "H100", 2, 1)->line = 3;
	cells_price(&c, "h100", 20, 10)->line = 3;
	(void)build(&c);
	struct price *p = cells_price(&c, "H100", 3, 1);
	p->line = 9;
	p->source = facts_word(&c.f, S("p.yaml"));
	refuses(&c, "two prices for model H100 overlap (line:3 and p.yaml:9)");
	p->to_ms = 5;
	refuses(&c, "two prices for model H100 overlap (line:3 and p.yaml:9)");
	c.f.prices.v[0].from_ms = c.f.prices.v[1].from_ms = 5; /* touching is not meeting */
	(void)build(&c);
	p->currency = facts_word(&c.f, S("EUR"));
	refuses(&c, "prices in more than one currency (USD, EUR)");
	cells_end(&c);
}

static void other_costs_follow_paid_time_and_credits_stand_apart(void **state)
{
	(void)state;
	struct cells c;
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100");
	sym usd = facts_word(&c.f, S("USD"));
	cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_add(&c, p, NONE, 1, STATE_FREE_IDLE, FATE_NONE, UNITS_PER_HOUR);
	cells_add(&c, p, NONE, 1, STATE_FREE_RESERVE, FATE_NONE, 2 * UNITS_PER_HOUR);
	cells_price(&c, "", 1, 1);
	*vec_push(&c.f.other_costs) = (struct other_cost){
		.currency = usd, .from_ms = HOUR_MS, .to_ms = 3 * HOUR_MS, .num = 12, .den = 1
	};
	*vec_push(&c.f.other_costs) = (struct other_cost){ .currency = usd,
		                                           .from_ms = 0,
		                                           .to_ms = 2 * HOUR_MS,
		                                           .num = 5,
		                                           .den = 1,
		                                           .is_credit = true };
	struct cost cost = build(&c);
	/* half of the first lies in the window: 6, on 3 GPU-hours of the second bucket */
	assert_true(cost.nums[0] == cost.den);
	assert_true(cost.nums[1] == cost.den * 3);
	assert_true(cost.nums[2] == cost.den * 6);
	assert_true(cost.other_num == 6 * cost.den && cost.credit_num == -5 * cost.den);
	assert_true(cost.unspread_num == 0);
	cells_end(&c);
}

static void a_cost_out_of_range_stops(void **state)
{
	(void)state;
	struct cells c;
	struct cost cost;
	struct err err = { 0 };
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100");
	cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, INT64_MAX);
	cells_price(&c, "", INT64_MAX, 1);
	(void)build(&c);                    /* 2^63 x 2^63 fits */
	c.f.prices.v[0].den = 999999999989; /* a prime */
	cells_price(&c, "x", 1, 999999999961)->node = facts_word(&c.f, S("n"));
	assert_int_equal(cost_build(&c.a, &c.l, &c.f, &cost, &err), ERR_LIMIT);
	c.f.prices.n = 1;
	cells_price(&c, "y", 1, 7)->node = facts_word(&c.f, S("n"));
	assert_int_equal(cost_build(&c.a, &c.l, &c.f, &cost, &err), ERR_LIMIT);
	cells_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_minor_units),
		cmocka_unit_test(an_hour_at_2_00_and_one_at_3_50_cost_5_50),
		cmocka_unit_test(thirds_are_exact),
		cmocka_unit_test(the_most_specific_price_that_covers_the_bucket_holds),
		cmocka_unit_test(no_price_is_not_zero),
		cmocka_unit_test(
		        overlaps_and_mixed_currencies_are_errors_and_a_line_read_twice_is_not),
		cmocka_unit_test(other_costs_follow_paid_time_and_credits_stand_apart),
		cmocka_unit_test(a_cost_out_of_range_stops),
	};
	return RUN_TESTS(tests);
}
