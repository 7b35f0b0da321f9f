/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "lib/run.h"

static uint64_t next(uint64_t *s)
{
	uint64_t z = *s += UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	return z ^ (z >> 27);
}

static int u64_compare(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
	return a < b ? -1 : a > b;
}

/* Keys of BITS random bits, the lowest SHIFT bits zero. */
static void sorts_like_qsort(size_t n, int bits, int shift)
{
	auto_arena a = ARENA_NULL;
	uint64_t *got = ARENA_ARRAY(&a, uint64_t, n + 1), *want = ARENA_ARRAY(&a, uint64_t, n + 1);
	struct keyed *keyed = ARENA_ARRAY(&a, struct keyed, n + 1);
	uint64_t s = n * 31 + (uint64_t)bits;
	for (size_t i = 0; i < n; i++) {
		got[i] = want[i] = (next(&s) >> (64 - bits)) << shift;
		keyed[i] = (struct keyed){ got[i], (int64_t)i };
	}
	if (n > 1)
		qsort(want, n, sizeof *want, u64_compare);
	struct keyed *loose = ARENA_ARRAY(&a, struct keyed, n + 1);
	memcpy(loose, keyed, n * sizeof *loose);
	sort_keyed_loose(loose, n);
	for (size_t i = 0; i < n; i++)
		assert_true(loose[i].key == want[i] && got[loose[i].with] == want[i]);
	uint64_t *rest = ARENA_ARRAY(&a, uint64_t, n + 1), picked[7];
	const size_t places[7] = { n / 2, n / 2, 0, n - 1, n / 3, n * 99 / 100, n / 2 };
	memcpy(rest, got, n * sizeof *rest);
	sort_pick_u64(rest, n, places, n ? 7 : 0, picked);
	for (size_t i = 0; n && i < 7; i++)
		assert_true(picked[i] == want[places[i]]);
	sort_keyed(keyed, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(keyed[i].key == want[i]);
		assert_true(keyed[i].key == got[keyed[i].with]);
		if (i && keyed[i - 1].key == keyed[i].key)
			assert_true(keyed[i - 1].with < keyed[i].with);
	}
	sort_u64(got, n);
	for (size_t i = 0; i < n; i++)
		assert_true(got[i] == want[i]);
}

static void sorts_any_number_of_any_keys(void **state)
{
	(void)state;
	const size_t sizes[] = { 0,
		                 1,
		                 2,
		                 SORT_FEW_MAX - 1,
		                 SORT_FEW_MAX,
		                 SORT_FEW_MAX + 1,
		                 5000,
		                 SORT_LOOSE_MIN - 1,
		                 SORT_LOOSE_MIN,
		                 100000 };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		sorts_like_qsort(sizes[i], 64, 0);
		sorts_like_qsort(sizes[i], 1, 63);
		sorts_like_qsort(sizes[i], 3, 0);
		sorts_like_qsort(sizes[i], 12, 10);
		sorts_like_qsort(sizes[i], 40, 11);
	}
}

static void orders_signed_numbers(void **state)
{
	(void)state;
	const int64_t rising[] = { INT64_MIN, -5, -1, 0, 1, 7, INT64_MAX };
	for (size_t i = 0; i < sizeof rising / sizeof *rising; i++) {
		assert_true(sort_unkey(sort_key(rising[i])) == rising[i]);
		if (i)
			assert_true(sort_key(rising[i - 1]) < sort_key(rising[i]));
	}
}

static void finds_the_upper_median(void **state)
{
	(void)state;
	assert_true(sort_median_u64(NULL, 0) == 0);
	assert_true(sort_median_u64((uint64_t[]){ 7 }, 1) == 7);
	assert_true(sort_median_u64((uint64_t[]){ 9, 1 }, 2) == 9);
	assert_true(sort_median_u64((uint64_t[]){ 9, 1, 5 }, 3) == 5);
	assert_true(sort_median_u64((uint64_t[]){ 9, 1, 5, 7 }, 4) == 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_any_number_of_any_keys),
		cmocka_unit_test(orders_signed_numbers),
		cmocka_unit_test(finds_the_upper_median),
	};
	return RUN_TESTS(tests);
}
