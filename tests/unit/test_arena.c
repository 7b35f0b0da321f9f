/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <string.h>

#include "base/limits.h"
#include "base/vec.h"
#include "lib/run.h"

static void gives_zeroed_aligned_memory(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	for (size_t n = 0; n < 200; n++) {
		char *odd = arena_bytes(&a, 1 + n % 7); /* puts the next one off its alignment */
		memset(odd, 0xff, 1 + n % 7);
		unsigned char *p = arena_alloc(&a, n);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, n);
	}
}

static void takes_what_does_not_fit_in_a_block(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	const size_t sizes[] = { ARENA_BLOCK_BYTES - 17, ARENA_BLOCK_BYTES - 16, ARENA_BLOCK_BYTES,
		                 ARENA_BLOCK_BYTES + 1, 3 * ARENA_BLOCK_BYTES };
	char *small = arena_dup(&a, "small", 5);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *p = arena_alloc(&a, sizes[i]);
		memset(p, 'x', sizes[i]);
		char *q = arena_bytes(&a, sizes[i]);
		memset(q, 'y', sizes[i]);
		assert_true(p[0] == 'x' && p[sizes[i] - 1] == 'x');
	}
	assert_string_equal(small, "small");
}

static void adopts_the_blocks_of_another(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL, b = ARENA_NULL, empty = ARENA_NULL;
	char *in_b = arena_printf(&b, "%s %d", "from b", 7);
	size_t taken = b.taken_bytes;
	arena_adopt(&a, &b); /* into an empty one */
	assert_null(b.blocks);
	assert_int_equal(a.taken_bytes, taken);
	char *in_a = arena_dup(&a, "after", 5);
	char *again = arena_dup(&b, "b again", 7); /* an adopted arena can be used again */
	arena_adopt(&a, &b);
	arena_adopt(&a, &empty);
	char *last = arena_dup(&a, "last", 4);
	assert_string_equal(in_b, "from b 7");
	assert_string_equal(in_a, "after");
	assert_string_equal(again, "b again");
	assert_string_equal(last, "last");
}

static void copies_nothing_as_an_empty_text(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	assert_string_equal(arena_dup(&a, NULL, 0), "");
	assert_string_equal(arena_printf(&a, "%s", ""), "");
}

static void vec_keeps_elements_and_zeroes_new_ones(void **state)
{
	(void)state;
	VEC(uint32_t) v = { 0 };
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t *p = vec_push(&v);
		assert_int_equal(*p, 0);
		*p = i;
		if (i % 3 == 0)
			v.n--; /* what a pop leaves behind is not seen by the next push */
	}
	assert_int_equal(v.n, 666);
	for (size_t i = 0; i < v.n; i++)
		assert_int_equal(v.v[i], i + 1 + i / 2);
	vec_reserve(&v, 5000);
	assert_true(v.cap >= v.n + 5000);
	size_t cap = v.cap;
	vec_reserve(&v, cap - v.n);
	assert_int_equal(v.cap, cap);
	vec_reserve(&v, cap - v.n + 1);
	assert_true(v.cap > cap);
	vec_deinit(&v);
	assert_true(!v.v && !v.n && !v.cap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_zeroed_aligned_memory),
		cmocka_unit_test(takes_what_does_not_fit_in_a_block),
		cmocka_unit_test(adopts_the_blocks_of_another),
		cmocka_unit_test(copies_nothing_as_an_empty_text),
		cmocka_unit_test(vec_keeps_elements_and_zeroes_new_ones),
	};
	return RUN_TESTS(tests);
}
