/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/frame.h"

#include "base/text.h"
#include "lib/run.h"

static struct str packed(struct arena *a, struct framer *f, struct str plain)
{
	size_t cap = frame_bound(plain.n);
	char *out = arena_bytes(a, cap);
	size_t n = frame_pack(f, 3, plain, out, cap);
	assert_int_not_equal(n, 0);
	return (struct str){ out, n };
}

static void comes_back(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct framer f = { 0 };
	for (int i = 0; i < 3000; i++) {
		struct str plain = text_str(&t), p = packed(&a, &f, plain);
		char *out = arena_bytes(&a, plain.n + 1);
		assert_int_equal(frame_unpack(&f, p, out, plain.n, NULL), ERR_OK);
		assert_true(str_eq((struct str){ out, plain.n }, plain));
		text_printf(&t, "%d,", i * i);
		i += i / 4;
	}
	framer_deinit(&f);
}

static void other_lengths_and_damage_are_errors(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct framer f = { 0 };
	struct err err = { 0 };
	char out[256];
	struct str plain = S("one two three one two three one two three one two three");
	struct str p = packed(&a, &f, plain);
	assert_int_equal(frame_unpack(&f, p, out, plain.n - 1, &err), ERR_INPUT);
	assert_int_equal(frame_unpack(&f, p, out, plain.n + 1, &err), ERR_INPUT);
	assert_non_null(strstr(err.text, "55 bytes where 56"));
	for (size_t n = 0; n < p.n; n++)
		assert_int_equal(frame_unpack(&f, str_sub(p, 0, n), out, plain.n, &err), ERR_INPUT);
	auto_text two = TEXT_NULL;
	text_add(&two, p);
	text_add(&two, p);
	assert_int_equal(frame_unpack(&f, text_str(&two), out, 2 * plain.n, &err), ERR_INPUT);
	assert_string_equal(err.text, "packed bytes are not one zstd frame");
	assert_int_equal(frame_unpack(&f, p, out, plain.n, &err), ERR_OK); /* f is still good */
	framer_deinit(&f);
}

static void too_little_room_says_0(void **state)
{
	(void)state;
	struct framer f = { 0 };
	char out[8];
	assert_int_equal(frame_pack(&f, 3, S("abcdefghijklmnop"), out, sizeof out), 0);
	framer_deinit(&f);
}

static void checksum_is_xxh3(void **state)
{
	(void)state;
	/* published test vector: XXH3_64bits of nothing, seed 0 */
	assert_true(frame_checksum(STR_NULL, 0) == 0x2d06800538d394c2u);
	assert_true(frame_checksum(S("a"), 0) != frame_checksum(S("b"), 0));
	assert_true(frame_checksum(S("a"), 0) != frame_checksum(S("a"), 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(other_lengths_and_damage_are_errors),
		cmocka_unit_test(too_little_room_says_0),
		cmocka_unit_test(checksum_is_xxh3),
	};
	return RUN_TESTS(tests);
}
