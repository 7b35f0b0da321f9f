/* SPDX-License-Identifier: Apache-2.0 */
#include "account/round.h"

#include "lib/run.h"

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void rounds_halves_up(void **state)
{
	(void)state;
	static const struct {
		int v, unit, want;
	} cases[] = { { 0, 3, 0 },  { 1, 2, 1 },   { 1, 3, 0 },   { 2, 3, 1 }, { 5, 2, 3 },
		      { -1, 2, 0 }, { -2, 3, -1 }, { -3, 2, -1 }, { 7, 1, 7 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(round_half_up(cases[i].v, cases[i].unit) == cases[i].want);
}

static void gives_the_rest_to_the_largest_remainders_first_key_first(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	const i128 thirds[3] = { 10, 10, 10 }, mixed[4] = { 19, 5, 0, 18 };
	i128 out[4];
	round_parts(&a, thirds, 3, 3, 10, out); /* 3.33 each */
	assert_true(out[0] == 4 && out[1] == 3 && out[2] == 3);
	round_parts(&a, mixed, 4, 10, 4, out); /* 1.9 0.5 0 1.8 */
	assert_true(out[0] == 2 && out[1] == 0 && out[2] == 0 && out[3] == 2);
	round_parts(&a, mixed, 4, 10, 5, out);
	assert_true(out[0] == 2 && out[1] == 1 && out[2] == 0 && out[3] == 2);
	round_parts(&a, NULL, 0, 10, 0, out);
}

static void printed_parts_add_up_whatever_the_sums(void **state)
{
	(void)state;
	uint64_t seed = 88172645463325252u;
	for (int round = 0; round < 2000; round++) {
		auto_arena a = ARENA_NULL;
		i128 parts[40], out[40], sum = 0, printed = 0;
		size_t n = 1 + random_next(&seed) % 40;
		i128 unit = 1 + (i128)(random_next(&seed) % 1000000007);
		for (size_t i = 0; i < n; i++) {
			parts[i] = random_next(&seed) % 4 ? (i128)(random_next(&seed) >> 8)
			                                            << (random_next(&seed) % 60)
			                                  : 0;
			sum += parts[i];
		}
		round_parts(&a, parts, n, unit, round_half_up(sum, unit), out);
		for (size_t i = 0; i < n; i++) {
			printed += out[i];
			assert_true(out[i] == parts[i] / unit || out[i] == parts[i] / unit + 1);
			assert_true(parts[i] ||
			            !out[i]); /* nothing is never printed as something */
		}
		assert_true(printed == round_half_up(sum, unit));
	}
}

static void multiplies_and_divides_past_128_bits(void **state)
{
	(void)state;
	const i128 big = (i128)1 << 100;
	assert_true(round_mul_div(big, big, big) == big);
	assert_true(round_mul_div(big, big - 1, big) == big - 1);
	assert_true(round_mul_div(7, 2, 3) == 4);
	assert_true(round_mul_div(0, 1, 5) == 0);
	assert_true(round_mul_div(big + 1, 1, 3) == (big + 1) / 3);
	/* 3 x 2^99 x 2^101 / (3 x 2^100) = 2^100 */
	assert_true(round_mul_div(3 * (big >> 1), big * 2, 3 * big) == big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_halves_up),
		cmocka_unit_test(gives_the_rest_to_the_largest_remainders_first_key_first),
		cmocka_unit_test(printed_parts_add_up_whatever_the_sums),
		cmocka_unit_test(multiplies_and_divides_past_128_bits),
	};
	return RUN_TESTS(tests);
}
