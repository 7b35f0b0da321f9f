/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/tables.h"

#include "lib/run.h"

static void is_sentence(const char *text)
{
	struct str s = str_of(text);
	assert_true(s.n > 1);
	assert_true(str_ends(s, S(".")) && !str_ends(s, S("..")));
	assert_true(s.p[0] >= 'A' && s.p[0] <= 'Z');
}

/* A name is lower case words with '_' and '.'; it is a key of JSON documents. */
static void is_name(const char *name)
{
	struct str s = str_of(name);
	assert_true(s.n > 0);
	for (size_t i = 0; i < s.n && !str_eq(s, S("-")); i++)
		assert_true((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9') ||
		            ((s.p[i] == '_' || s.p[i] == '.') && i > 0 && i + 1 < s.n));
}

#define CHECK_NAMES(table, count)                                                  \
	for (int i = 0; i < (count); i++) {                                        \
		is_name((table)[i].name);                                          \
		for (int j = 0; j < i; j++)                                        \
			assert_string_not_equal((table)[i].name, (table)[j].name); \
	}
#define CHECK_HELP(table, count)          \
	for (int i = 0; i < (count); i++) \
	is_sentence((table)[i].help)

static void names_are_unique_and_helps_are_sentences(void **state)
{
	(void)state;
	CHECK_NAMES(metrics, METRIC_COUNT)
	CHECK_HELP(metrics, METRIC_COUNT);
	CHECK_NAMES(states, STATE_COUNT)
	CHECK_HELP(states, STATE_COUNT);
	CHECK_NAMES(fates, FATE_COUNT)
	CHECK_HELP(fates, FATE_COUNT);
	CHECK_NAMES(outcomes, OUTCOME_COUNT)
	CHECK_HELP(outcomes, OUTCOME_COUNT);
	CHECK_NAMES(progress_types, PROGRESS_COUNT)
	CHECK_HELP(progress_types, PROGRESS_COUNT);
	CHECK_NAMES(accounts, ACCOUNT_COUNT)
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		is_sentence(accounts[i].shrinks);
}

/* The report's first screen shows a remedy up to its first semicolon, in one line. */
static void remedies_begin_with_a_short_clause(void **state)
{
	(void)state;
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		assert_true(str_find_byte(str_of(accounts[i].shrinks), ';') <= 32);
}

static void metric_ids_are_dense_and_in_order(void **state)
{
	(void)state;
	static const int ids[] = {
#define METRIC(id, name, kind, unit, decimals, role, help) id,
#include "facts/metrics.def"
#undef METRIC
	};
	assert_int_equal(sizeof ids / sizeof *ids, METRIC_COUNT);
	assert_true(METRIC_COUNT <= 64); /* struct sample has a bit for each */
	for (int i = 0; i < METRIC_COUNT; i++) {
		assert_int_equal(ids[i], i);
		assert_true(metrics[i].decimals <= 9);
		/* the exporter adds unit and _total itself */
		assert_false(str_ends(str_of(metrics[i].name), S("_total")));
	}
}

static void every_cell_has_exactly_one_account(void **state)
{
	(void)state;
	for (int s = 0; s < STATE_COUNT; s++)
		for (int f = 0; f < FATE_COUNT; f++) {
			int found = 0, last = -1;
			for (int i = 0; i < ACCOUNT_COUNT; i++)
				if (accounts[i].state == (enum state)s &&
				    (accounts[i].fate < 0 || accounts[i].fate == f))
					found++, last = i;
			if (s == STATE_ACTIVE && f == FATE_NONE) { /* active time always has one */
				assert_int_equal(found, 0);
				continue;
			}
			assert_int_equal(found, 1);
			assert_int_equal(account_of((enum state)s, (enum fate)f), last);
		}
}

static void accounts_are_named_after_their_cells(void **state)
{
	(void)state;
	for (int i = 0; i < ACCOUNT_COUNT; i++) {
		struct str name = str_of(accounts[i].name),
		           of_state = str_of(states[accounts[i].state].name);
		assert_true(str_starts(name, of_state));
		if (accounts[i].fate >= 0) {
			assert_int_equal(name.p[of_state.n], '.');
			assert_str(str_sub(name, of_state.n + 1, name.n),
			           fates[accounts[i].fate].name);
		} else {
			assert_int_equal(name.n, of_state.n);
		}
	}
}

/* ledger.md 7: each layer is the one above it without what the accounts below lose. */
static void groups_lose_time_at_their_layer(void **state)
{
	(void)state;
	static const enum lost_at want[] = {
		[GROUP_DOWN] = LOST_AT_PROVISIONED,  [GROUP_FREE] = LOST_AT_ALLOCATED,
		[GROUP_HARDWARE] = LOST_AT_HARDWARE, [GROUP_OVERHEAD] = LOST_AT_APPLICATION,
		[GROUP_ACTIVE] = LOST_AT_PRODUCTIVE, [GROUP_UNOBSERVED] = LOST_AT_NOTHING,
		[GROUP_UNKNOWN] = LOST_AT_NOTHING,
	};
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		assert_int_equal(accounts[i].lost_at,
		                 i == ACCOUNT_ACTIVE_PRODUCTIVE
		                         ? LOST_AT_NOTHING
		                         : want[states[accounts[i].state].group]);
}

static void finds_what_it_names(void **state)
{
	(void)state;
	for (int i = 0; i < METRIC_COUNT; i++)
		assert_int_equal(metric_find(str_of(metrics[i].name)), i);
	for (int i = 0; i < FATE_COUNT; i++)
		assert_int_equal(fate_find(str_of(fates[i].name)), i);
	for (int i = 0; i < OUTCOME_COUNT; i++)
		assert_int_equal(outcome_find(str_of(outcomes[i].name)), i);
	for (int i = 0; i < KIND_COUNT; i++)
		assert_int_equal(kind_find(str_of(kind_names[i])), i);
	for (int i = 0; i < PROGRESS_COUNT; i++)
		assert_int_equal(progress_find(str_of(progress_types[i].name)), i);
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		assert_int_equal(account_find(str_of(accounts[i].name)), i);
	assert_int_equal(account_find(S("active")), -1);
	assert_int_equal(outcome_find(S("")), -1);
	assert_int_equal(metric_find(S("SM")), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique_and_helps_are_sentences),
		cmocka_unit_test(remedies_begin_with_a_short_clause),
		cmocka_unit_test(metric_ids_are_dense_and_in_order),
		cmocka_unit_test(every_cell_has_exactly_one_account),
		cmocka_unit_test(accounts_are_named_after_their_cells),
		cmocka_unit_test(groups_lose_time_at_their_layer),
		cmocka_unit_test(finds_what_it_names),
	};
	return RUN_TESTS(tests);
}
