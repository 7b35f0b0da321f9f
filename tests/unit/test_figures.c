/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figures.h"

#include "lib/cells.h"
#include "lib/run.h"
#include "report/emit.h"

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void fill(struct cells *c, uint64_t *seed)
{
	static const int64_t dens[] = { 1, 3, 7, 100, 730, 1000 };
	uint32_t p = cells_place(c, "H100"), q = cells_place(c, "L4");
	uint32_t j = cells_job(c, "j", OUTCOME_FAILED);
	for (int i = 0; i < 60; i++) {
		uint8_t state = (uint8_t)(random_next(seed) % STATE_COUNT);
		bool allocated = state >= STATE_SETUP && state != STATE_UNKNOWN;
		uint8_t fate = allocated ? (uint8_t)(1 + random_next(seed) % (FATE_COUNT - 1))
		                         : (uint8_t)FATE_NONE;
		cells_add(c, random_next(seed) % 2 ? p : q, allocated ? j : NONE, 0, state, fate,
		          (int64_t)(random_next(seed) >> (24 + random_next(seed) % 32)));
	}
	cells_price(c, "H100", (int64_t)(random_next(seed) % 500), dens[random_next(seed) % 6]);
	if (random_next(seed) % 2)
		cells_price(c, "L4", (int64_t)(random_next(seed) % 500),
		            dens[random_next(seed) % 6]);
}

static void what_is_printed_adds_up(void **state)
{
	(void)state;
	uint64_t seed = 362436069362436069u;
	for (int round = 0; round < 300; round++) {
		struct cells c;
		struct cost cost;
		struct tally t;
		struct figures g;
		i128 ms = 0, cents = 0, matrix = 0;
		cells_begin(&c);
		fill(&c, &seed);
		assert_int_equal(cost_build(&c.a, &c.l, &c.f, &cost, NULL), ERR_OK);
		tally_build(&c.l, &c.f, &cost, NULL, 0, &t);
		figures_build(&t, &cost, -1, -1, &g);
		for (int a = 0; a < ACCOUNT_COUNT; a++) {
			ms += g.accounts_ms[a];
			cents += g.costs[a];
			i128 off = g.accounts_ms[a] * UNITS_PER_MS - t.sums.accounts[a];
			assert_true(off < UNITS_PER_MS && off > -UNITS_PER_MS);
		}
		for (int s = 0; s < STATE_COUNT; s++)
			for (int f = 0; f < FATE_COUNT; f++)
				matrix += g.matrix_ms[s][f];
		assert_true(ms == g.paid_ms && matrix == g.paid_ms);
		for (int i = 1; i < LAYER_COUNT; i++) {
			assert_true(g.low_ms[i] <= g.low_ms[i - 1]);
			assert_true(g.high_ms[i] <= g.high_ms[i - 1]);
			assert_true(g.low_ms[i] <= g.high_ms[i]);
		}
		assert_true(g.low_ms[LAYER_PROVISIONED] == g.paid_ms);
		assert_true(g.successful_ms <= g.low_ms[LAYER_ALLOCATED]);
		assert_true(g.paid_ms == figures_ms(t.sums.paid));
		assert_true(cents == g.cost && g.cost == figures_minor(&cost, t.total.num));
		cells_end(&c);
	}
}

static void layers_in_money_follow_the_layers_in_time(void **state)
{
	(void)state;
	uint64_t seed = 521288629521288629u;
	for (int round = 0; round < 100; round++) {
		struct cells c;
		struct cost cost;
		struct tally t;
		cells_begin(&c);
		fill(&c, &seed);
		c.f.prices.n = 0;
		cells_price(&c, "", 3, 1); /* one price: money is time x 3 */
		assert_int_equal(cost_build(&c.a, &c.l, &c.f, &cost, NULL), ERR_OK);
		tally_build(&c.l, &c.f, &cost, NULL, 0, &t);
		for (int i = 0; i < LAYER_COUNT; i++) {
			assert_true(t.low_num[i] * UNITS_PER_HOUR == t.sums.low[i] * 3 * cost.den);
			assert_true(t.high_num[i] * UNITS_PER_HOUR ==
			            t.sums.high[i] * 3 * cost.den);
		}
		assert_true(t.successful_num * UNITS_PER_HOUR == t.sums.successful * 3 * cost.den);
		cells_end(&c);
	}
}

static void json_nests_separates_and_escapes(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	struct emit j;
	emit_begin(&j, &t, 1);
	emit_open(&j, '{');
	emit_key(&j, "a\"");
	emit_open(&j, '[');
	emit_int(&j, -1);
	emit_fixed(&j, 1500, 3);
	emit_double(&j, 0.1 + 0.2);
	emit_double(&j, -0.0);
	emit_double(&j, 1.0 / 0.0);
	emit_bool(&j, true);
	emit_word(&j, NULL);
	emit_time(&j, 0);
	emit_time(&j, TIME_UNKNOWN);
	emit_open(&j, '{');
	emit_close(&j, '}');
	emit_close(&j, ']');
	emit_key_str(&j, S("k"));
	emit_str(&j, S("\n\x01\xff"));
	emit_close(&j, '}');
	assert_str(text_str(&t), "{\n  \"a\\\"\": [-1, 1.5, 0.3, 0, null, true, null, "
	                         "\"1970-01-01T00:00:00Z\", null, {}],\n"
	                         "  \"k\": \"\\n\\u0001\xef\xbf\xbd\"\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_adds_up),
		cmocka_unit_test(layers_in_money_follow_the_layers_in_time),
		cmocka_unit_test(json_nests_separates_and_escapes),
	};
	return RUN_TESTS(tests);
}
