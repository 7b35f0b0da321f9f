/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "lib/run.h"

static void numbers_words_once(void **state)
{
	(void)state;
	struct names t = NAMES_NULL;
	assert_int_equal(names_find(&t, S("a")), 0); /* also in an empty table */
	assert_int_equal(names_add(&t, S("")), 0);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i <= 5000; i++) {
			char z[16];
			snprintf(z, sizeof z, "w%u", i * 7919);
			assert_int_equal(names_add(&t, str_of(z)), i);
		}
	assert_int_equal(names_find(&t, S("w7919")), 1);
	assert_int_equal(names_find(&t, S("w7918")), 0);
	assert_str(names_word(&t, 1), "w7919");
	assert_int_equal(names_word(&t, 1).p[5], '\0');
	assert_str(names_word(&t, 0), "");
	assert_str(names_word(&t, 5001), ""); /* never given */
	names_deinit(&t);
}

static void tells_words_apart_by_every_byte(void **state)
{
	(void)state;
	struct names t = NAMES_NULL;
	sym a = names_add(&t, (struct str){ "a\0b", 3 }),
	    b = names_add(&t, (struct str){ "a\0c", 3 });
	sym c = names_add(&t, S("a")), d = names_add(&t, S("A"));
	assert_true(a != b && b != c && a != c && c != d);
	names_deinit(&t);
}

static void cuts_words_at_the_limit(void **state)
{
	(void)state;
	struct names t = NAMES_NULL;
	size_t n = NAME_BYTES_MAX;
	char *z = mem_alloc(n + 2);
	memset(z, 'x', n + 1);
	sym just = names_add(&t, (struct str){ z, n });
	assert_int_equal(names_word(&t, just).n, n);
	assert_int_equal(names_add(&t, (struct str){ z, n + 1 }), just); /* one more is cut */
	assert_int_equal(names_find(&t, (struct str){ z, n + 1 }), just);
	assert_int_not_equal(names_add(&t, (struct str){ z, n - 1 }), just);
	mem_free(z);
	names_deinit(&t);
}

static void maps_every_key(void **state)
{
	(void)state;
	struct map m = MAP_NULL;
	assert_null(map_get(&m, 0));
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t key = i << 32 | (i & 3); /* keys that differ in few bits */
		assert_int_equal(*map_at(&m, key), 0);
		*map_at(&m, key) = (uint32_t)i + 1;
	}
	assert_int_equal(m.n, 10000);
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(*map_get(&m, i << 32 | (i & 3)), i + 1);
	assert_null(map_get(&m, UINT64_MAX));
	*map_at(&m, UINT64_MAX) = 5;
	assert_int_equal(*map_get(&m, UINT64_MAX), 5);
	map_deinit(&m);
	assert_null(map_get(&m, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_words_once),
		cmocka_unit_test(tells_words_apart_by_every_byte),
		cmocka_unit_test(cuts_words_at_the_limit),
		cmocka_unit_test(maps_every_key),
	};
	return RUN_TESTS(tests);
}
