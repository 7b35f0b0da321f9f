/* SPDX-License-Identifier: Apache-2.0 */
#include "account/node_power.h"

#include "account/ledger.h"
#include "lib/run.h"

static void reads(struct facts *f, const char *node, int64_t t_ms, int64_t watts)
{
	*vec_push(&f->node_power) = (struct node_power){ .node = facts_word(f, str_of(node)),
		                                         .t_ms = t_ms,
		                                         .milliwatts = watts * 1000 };
}

/* Irregular readings: the plain mean is not the mean over time; gaps are not covered. */
static void sums_of_two_meters(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct facts f;
	size_t n;
	facts_init(&f);
	reads(&f, "b", 3000, 10);
	reads(&f, "a", 5000, 300); /* 2 s after the one before: covered */
	reads(&f, "a", 1000, 100);
	reads(&f, "a", 2000, 999);
	reads(&f, "a", 2000, 200); /* replaces */
	reads(&f, "a", 3000, 200);
	reads(&f, "a", 9000, 400); /* over 2.5 periods: it covers one */
	reads(&f, "a", 10000, 400);
	const struct node_power_sum *v = node_power_sums(&a, &f, (struct span){ 0, 10000 }, &n);
	assert_int_equal(n, 2);
	assert_string_equal(names_word(&f.names, v[1].node).p, "a");
	assert_int_equal(v[1].readings, 7); /* also the one that was replaced */
	assert_true(v[1].milliwatts == 2599000);
	/* gaps 1 1 2 4 1 s: median 1 s */
	assert_int_equal(v[1].covered_ms, 1000 + 1000 + 1000 + 2000 + 1000 + 1000);
	assert_true(v[1].microjoules == (i128)1000000 * (100 + 200 + 200 + 600 + 400 + 400));
	assert_int_equal(v[0].readings, 1); /* alone: no period, no energy */
	assert_int_equal(v[0].covered_ms, 0);

	v = node_power_sums(&a, &f, (struct span){ 1500, 3000 }, &n);
	assert_int_equal(v[1].readings, 3); /* the end is in it */
	assert_int_equal(v[1].covered_ms, 1500);
	assert_true(v[1].microjoules == (i128)1000 * 200 * 1500);
	node_power_sums(&a, &f, (struct span){ TIME_UNKNOWN, TIME_UNKNOWN }, &n);
	assert_int_equal(n, 0);
	facts_deinit(&f);
}

/* The ledger sees nothing of it but the time. */
static void is_no_gpu(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct ledger l = { 0 };
	struct err err = { 0 };
	struct facts f;
	facts_init(&f);
	reads(&f, "a", 1000, 10400);
	reads(&f, "a", 2000, 10400);
	assert_int_equal(ledger_build(&a, &f, &o, &l, &err), ERR_OK);
	assert_true(l.paid_units == 0);
	assert_int_equal(l.places.n, 0);
	assert_false(l.has_samples);
	assert_int_equal(l.window.from_ms, 1000);
	assert_int_equal(l.window.to_ms, 2000);
	assert_int_equal(l.as_of_ms, 2000);
	ledger_deinit(&l);
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_two_meters),
		cmocka_unit_test(is_no_gpu),
	};
	return RUN_TESTS(tests);
}
