/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/planes.h"

#include "lib/dice.h"
#include "lib/run.h"

enum { MOST = 67 };

static void fill(uint64_t *w, size_t n, unsigned bits, uint64_t *rng)
{
	for (size_t i = 0; i < n; i++)
		w[i] = dice_next(rng) >> (64 - bits);
}

static void planes_stand_lowest_first(void **state)
{
	(void)state;
	static const uint64_t w[] = { 0x030201, 0x060504 };
	auto_text t = TEXT_NULL;
	planes_put(&t, w, 2, 3);
	assert_int_equal(t.n, 6);
	assert_memory_equal(t.p, "\x01\x04\x02\x05\x03\x06", 6);
}

static void planes_come_back(void **state)
{
	(void)state;
	uint64_t w[MOST], got[MOST], rng = 1;
	for (unsigned width = 1; width <= PLANES_WIDTH_MAX; width++)
		for (size_t n = 1; n <= MOST; n++) {
			auto_text t = TEXT_NULL;
			fill(w, n, 8 * width, &rng);
			planes_put(&t, w, n, width);
			assert_int_equal(t.n, n * width);
			planes_get(got, n, width, t.p);
			assert_memory_equal(got, w, n * sizeof *w);
		}
}

static void bits_come_back(void **state)
{
	(void)state;
	uint64_t w[MOST], got[MOST], rng = 2;
	for (unsigned width = 1; width <= BITS_WIDTH_MAX; width++)
		for (size_t n = 1; n <= MOST; n++) {
			auto_text t = TEXT_NULL;
			fill(w, n, width, &rng);
			bits_put(&t, w, n, width);
			assert_int_equal(t.n, (n * width + 7) / 8);
			/* in memory of its own, so that a sanitizer sees a byte too many */
			char *exact = mem_alloc(t.n);
			memcpy(exact, t.p, t.n);
			bits_get(got, n, width, (struct str){ exact, t.n });
			mem_free(exact);
			assert_memory_equal(got, w, n * sizeof *w);
		}
}

static void zeros_come_back(void **state)
{
	(void)state;
	uint64_t w[MOST], got[MOST], kept[MOST + 1], rng = 3;
	for (unsigned part = 0; part <= 8; part++)
		for (size_t n = 1; n <= MOST; n++) {
			auto_text t = TEXT_NULL;
			size_t others = 0;
			for (size_t i = 0; i < n; i++) {
				w[i] = dice_below(&rng, 8) < part ? dice_next(&rng) | 1 : 0;
				others += w[i] != 0;
			}
			assert_int_equal(sparse_put(&t, w, n, kept), others);
			assert_int_equal(t.n, (n + 7) / 8);
			assert_int_equal(sparse_count(text_str(&t), n), others);
			kept[others] = 99;
			sparse_get(got, n, text_str(&t), kept);
			assert_memory_equal(got, w, n * sizeof *w);
		}
}

static void spare_bits_of_a_map_do_not_count(void **state)
{
	(void)state;
	assert_int_equal(sparse_count(S("\xff\xff"), 9), 9);
	assert_int_equal(sparse_count(S("\xff"), 3), 3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(planes_stand_lowest_first),
		cmocka_unit_test(planes_come_back),
		cmocka_unit_test(bits_come_back),
		cmocka_unit_test(zeros_come_back),
		cmocka_unit_test(spare_bits_of_a_map_do_not_count),
	};
	return RUN_TESTS(tests);
}
