/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/share.h"

#include "lib/dice.h"
#include "lib/run.h"

enum { ROWS = 500 };

static int64_t average(int64_t k, int64_t whole, int64_t den)
{
	return k * whole / den;
}

static void finds_what_was_averaged(void **state)
{
	(void)state;
	static const unsigned dens[] = { 3, 7, 15, 30, 60, 64 };
	uint64_t rng = 1;
	for (size_t d = 0; d < sizeof dens / sizeof *dens; d++) {
		int64_t v[ROWS];
		struct share s = { 0 };
		for (size_t i = 0; i < ROWS; i++)
			v[i] = average((int64_t)dice_below(&rng, 100 * dens[d]), 1000000, dens[d]);
		assert_true(share_find(v, ROWS, 6, &s));
		assert_int_equal(s.den, dens[d]);
		assert_int_equal(s.decimals, 6);
	}
}

static void numbers_by_chance_are_no_averages(void **state)
{
	(void)state;
	uint64_t rng = 2;
	int64_t v[ROWS];
	struct share s;
	for (size_t i = 0; i < ROWS; i++)
		v[i] = (int64_t)dice_below(&rng, 100000000);
	assert_false(share_find(v, ROWS, 6, &s));
	assert_false(share_find(v, ROWS, 0, &s));
	assert_false(share_find(v, ROWS, SHARE_DECIMALS_MAX + 1, &s));
	for (size_t i = 0; i < ROWS; i++)
		v[i] = (int64_t)dice_below(&rng, 100) * 1000000;
	assert_false(share_find(v, ROWS, 6, &s)); /* whole: a common step does it */
	v[0] = -1;
	assert_false(share_find(v, ROWS, 6, &s));
	assert_false(share_find(v, 1, 6, &s));
}

static void others_are_kept_aside(void **state)
{
	(void)state;
	struct share s = { 6, 15 };
	struct share_rest rest[ROWS];
	uint64_t words[ROWS], rng = 3;
	int64_t v[ROWS];
	for (size_t i = 0; i < ROWS; i++)
		v[i] = average((int64_t)dice_below(&rng, 1500), 1000000, 15) + (i % 50 == 7);
	v[0] = 5;
	size_t n = share_split(&s, v, ROWS, words, rest, ROWS);
	assert_int_equal(n, 11);
	assert_int_equal(rest[0].at, 0);
	assert_int_equal(rest[0].more, 5);
	assert_int_equal(rest[1].at, 7);
	assert_int_equal(rest[1].more, 1);
	assert_int_equal(share_split(&s, v, ROWS, words, rest, 11), 11);
	assert_int_equal(share_split(&s, v, ROWS, words, rest, 10), 11); /* give up */
	share_join(&s, words, ROWS);
	for (size_t i = 0; i < n && i < 11; i++)
		words[rest[i].at] += rest[i].more;
	for (size_t i = 0; i < ROWS; i++)
		assert_true((int64_t)words[i] == v[i]);
}

/* Against division, for every den and the largest values that are taken. */
static void words_come_back_for_every_den(void **state)
{
	(void)state;
	uint64_t rng = 4;
	for (unsigned decimals = 1; decimals <= SHARE_DECIMALS_MAX; decimals++)
		for (unsigned den = 2; den <= SHARE_DEN_MAX; den++) {
			struct share s = { decimals, den };
			struct share_rest rest[64];
			int64_t v[64];
			uint64_t words[64];
			for (int i = 0; i < 64; i++)
				v[i] = (int64_t)(dice_next(&rng) >> (16 + i % 40));
			size_t n = share_split(&s, v, 64, words, rest, 64);
			assert_true(n <= 64);
			share_join(&s, words, 64);
			for (size_t i = 0; i < n; i++)
				words[rest[i].at] += rest[i].more;
			for (int i = 0; i < 64; i++)
				assert_true((int64_t)words[i] == v[i]);
		}
}

static void values_too_large_are_left_alone(void **state)
{
	(void)state;
	struct share s = { 6, 15 };
	struct share_rest rest[1];
	uint64_t words[1];
	int64_t most = ((int64_t)1 << 48) - 1, more = most + 1, less = -1;
	assert_true(share_split(&s, &most, 1, words, rest, 1) <= 1);
	assert_int_equal(share_split(&s, &more, 1, words, rest, 1), 2);
	assert_int_equal(share_split(&s, &less, 1, words, rest, 1), 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_was_averaged),
		cmocka_unit_test(numbers_by_chance_are_no_averages),
		cmocka_unit_test(others_are_kept_aside),
		cmocka_unit_test(words_come_back_for_every_den),
		cmocka_unit_test(values_too_large_are_left_alone),
	};
	return RUN_TESTS(tests);
}
