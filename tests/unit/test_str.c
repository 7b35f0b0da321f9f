/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/arena.h"
#include "lib/run.h"

static void cuts_at_every_comma(void **state)
{
	(void)state;
	struct str s = S("a,,b,"), head;
	const char *want[] = { "a", "", "b", "" };
	for (size_t i = 0; i < 4; i++) {
		assert_true(str_cut(&s, ',', &head));
		assert_str(head, want[i]);
	}
	assert_false(str_cut(&s, ',', &head));
}

static void cuts_lines_with_either_ending(void **state)
{
	(void)state;
	struct str s = S("one\r\n\ntwo\nthree"), line;
	const char *want[] = { "one", "", "two", "three" };
	for (size_t i = 0; i < 4; i++) {
		assert_true(str_cut_line(&s, &line));
		assert_str(line, want[i]);
	}
	assert_false(str_cut_line(&s, &line));
}

static void reads_whole_numbers_to_the_edge(void **state)
{
	(void)state;
	uint64_t u = 7;
	int64_t i = 7;
	assert_true(str_to_u64(S("18446744073709551615"), &u));
	assert_true(u == UINT64_MAX);
	assert_true(str_to_i64(S("-9223372036854775808"), &i));
	assert_true(i == INT64_MIN);
	assert_true(str_to_i64(S("9223372036854775807"), &i));
	assert_true(i == INT64_MAX);
	i = 7, u = 7;
	const char *bad[] = {
		"", "-", "+", "1 ", " 1", "0x1", "1e3", "--1", "+-1", "1.0", "1_000"
	};
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		assert_false(str_to_i64(str_of(bad[k]), &i));
		assert_false(str_to_u64(str_of(bad[k]), &u));
	}
	assert_false(str_to_u64(S("18446744073709551616"), &u));
	assert_false(str_to_u64(S("-1"), &u));
	assert_false(str_to_i64(S("9223372036854775808"), &i));
	assert_false(str_to_i64(S("-9223372036854775809"), &i));
	assert_true(i == 7 && u == 7); /* untouched */
}

static void floors_decimals_and_drops_nothing_else(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		unsigned decimals;
		int64_t want;
	} good[] = {
		{ "12.5", 3, 12500 },
		{ ".5", 1, 5 },
		{ "5.", 1, 50 },
		{ "1e3", 0, 1000 },
		{ "1.5e-3", 3, 1 },
		{ "-1.5e-3", 3, -2 },
		{ "0.0009", 3, 0 },
		{ "-0.0009", 3, -1 },
		{ "-0.0010", 3, -1 },
		{ "1e-400", 3, 0 },
		{ "-1e-400", 3, -1 },
		{ "0e400", 3, 0 },
		{ "+7", 0, 7 },
		{ "0.100000", 1, 1 },
		{ "9223372036854775806", 0, INT64_MAX - 1 },
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		int64_t got = 99;
		assert_true(str_to_fixed(str_of(good[i].in), good[i].decimals, &got));
		assert_true(got == good[i].want);
	}
	const char *bad[] = { "",
		              ".",
		              "-",
		              "0,5",
		              "1.2.3",
		              "1e",
		              "1e401",
		              "1e400",
		              "nan",
		              "inf",
		              "0x1p3",
		              "1 ",
		              "9223372036854775807",
		              "10000000000000000000" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t got = 99;
		assert_false(str_to_fixed(str_of(bad[i]), 0, &got));
		assert_true(got == 99);
	}
}

static void reads_exact_fractions(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		int64_t num, den;
	} good[] = {
		{ "1/3", 1, 3 },       { " 450 / 1000 ", 450, 1000 },
		{ "0.5", 5, 10 },      { "2", 2, 1 },
		{ "-0.25", -25, 100 }, { "1e2", 100, 1 },
		{ "0", 0, 1 },         { "1.50", 15, 10 },
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		int64_t num, den;
		assert_true(str_to_fraction(str_of(good[i].in), &num, &den));
		assert_true(num * good[i].den == good[i].num * den);
		assert_true(den > 0);
	}
	const char *bad[] = { "", "/", "1/", "/2", "1/0", "1/-2", "1/2/3", "x", "1e-30" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t num = 99, den = 99;
		assert_false(str_to_fraction(str_of(bad[i]), &num, &den));
		assert_true(num == 99 && den == 99);
	}
}

static void reads_finite_doubles_only(void **state)
{
	(void)state;
	double d = 99;
	assert_true(str_to_double(S("-12.5e1"), &d));
	assert_true(d == -125);
	const char *bad[] = {
		"", "nan", "inf", "-inf", "1e400", "1e309", "0,5", "0x10", " 1", "1 "
	};
	d = 99;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(str_to_double(str_of(bad[i]), &d));
	assert_true(d == 99);
}

static void orders_digits_as_numbers(void **state)
{
	(void)state;
	const char *order[] = {
		"", "a", "n01", "n1", "n2", "n10", "n10a", "n10b", "n100000000000000000000000", "x"
	};
	size_t n = sizeof order / sizeof *order;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			int c = str_cmp_natural(str_of(order[i]), str_of(order[j]));
			assert_true(i < j ? c < 0 : i > j ? c > 0 : c == 0);
		}
}

static void finds_starts_and_ends(void **state)
{
	(void)state;
	assert_int_equal(str_find(S("banana"), S("nan")), 2);
	assert_int_equal(str_find(S("banana"), S("nab")), 6);
	assert_int_equal(str_find(S("banana"), S("")), 0);
	assert_int_equal(str_find(STR_NULL, S("a")), 0);
	assert_int_equal(str_find_byte(S("banana"), 'n'), 2);
	assert_int_equal(str_find_byte(S("banana"), 'x'), 6);
	assert_true(str_starts(S("banana"), S("ban")) && !str_starts(S("ba"), S("ban")));
	assert_true(str_ends(S("banana"), S("na")) && !str_ends(S("a"), S("na")));
	assert_true(str_starts_nocase(S("BaNana"), S("bAn")) &&
	            !str_starts_nocase(S("ba"), S("ban")));
	assert_true(str_eq_nocase(S("Ab_9"), S("aB_9")) && !str_eq_nocase(S("@"), S("`")));
	assert_str(str_trim(S(" \t\v a b \r\n")), "a b");
	assert_str(str_trim(S(" \n")), "");
	assert_str(str_sub(S("banana"), 4, 99), "na");
	assert_str(str_sub(S("banana"), 99, 1), "");
	assert_true(str_cmp(S("a"), S("ab")) < 0 && str_cmp(S("b"), S("ab")) > 0 &&
	            str_cmp(S("a"), S("a")) == 0);
	assert_true(str_cmp(S("\x7f"), S("\x80")) < 0); /* bytes, not signed characters */
}

static void copies_stand_alone(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	char buf[] = "word";
	struct str copy = str_dup(&a, str_of(buf));
	char *z = str_z(&a, (struct str){ buf, 2 });
	buf[0] = 'x';
	assert_str(copy, "word");
	assert_string_equal(z, "wo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_at_every_comma),
		cmocka_unit_test(cuts_lines_with_either_ending),
		cmocka_unit_test(reads_whole_numbers_to_the_edge),
		cmocka_unit_test(floors_decimals_and_drops_nothing_else),
		cmocka_unit_test(reads_exact_fractions),
		cmocka_unit_test(reads_finite_doubles_only),
		cmocka_unit_test(orders_digits_as_numbers),
		cmocka_unit_test(finds_starts_and_ends),
		cmocka_unit_test(copies_stand_alone),
	};
	return RUN_TESTS(tests);
}
