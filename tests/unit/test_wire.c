/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/wire.h"

#include "lib/run.h"

static void varints_come_back(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit <= 64; bit++)
		for (int d = -1; d <= 1; d++) {
			uint64_t v = (bit < 64 ? (uint64_t)1 << bit : 0) + (uint64_t)d, got = 1234;
			auto_text t = TEXT_NULL;
			wire_put_varint(&t, v);
			assert_true(t.n == (v ? (wire_bits(v) + 6) / 7 : 1));
			struct str in = text_str(&t);
			for (size_t n = 0; n < t.n; n++) {
				struct str cut = str_sub(in, 0, n);
				assert_false(wire_take_varint(&cut, &got));
				assert_int_equal(got, 1234);
				assert_int_equal(cut.n, n);
			}
			assert_true(wire_take_varint(&in, &got));
			assert_true(got == v && in.n == 0);
		}
}

static void varint_of_more_than_64_bits_is_none(void **state)
{
	(void)state;
	uint64_t v;
	struct str most = S("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
	           more = S("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
	           longer = S("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
	assert_true(wire_take_varint(&most, &v) && v == UINT64_MAX);
	assert_false(wire_take_varint(&more, &v));
	assert_false(wire_take_varint(&longer, &v));
}

static void zigzag_keeps_small_numbers_small(void **state)
{
	(void)state;
	static const int64_t values[] = { 0, -1, 1, -2, 2 };
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(wire_zigzag((uint64_t)values[i]), i);
	assert_true(wire_zigzag((uint64_t)INT64_MAX) == UINT64_MAX - 1);
	assert_true(wire_zigzag((uint64_t)INT64_MIN) == UINT64_MAX);
	for (unsigned bit = 0; bit < 64; bit++)
		assert_true(wire_unzigzag(wire_zigzag((uint64_t)1 << bit)) == (uint64_t)1 << bit);
}

static void takes_only_what_is_there(void **state)
{
	(void)state;
	struct str in = S("abc"), part;
	unsigned b;
	assert_true(wire_take(&in, 2, &part));
	assert_str(part, "ab");
	assert_false(wire_take(&in, 2, &part));
	assert_true(wire_take_byte(&in, &b) && b == 'c');
	assert_false(wire_take_byte(&in, &b));
	assert_true(wire_take(&in, 0, &part));
	char four[4];
	wire_store32(four, 0x89abcdefu);
	assert_memory_equal(four, "\xef\xcd\xab\x89", 4);
	assert_true(wire_load32(four) == 0x89abcdefu);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints_come_back),
		cmocka_unit_test(varint_of_more_than_64_bits_is_none),
		cmocka_unit_test(zigzag_keeps_small_numbers_small),
		cmocka_unit_test(takes_only_what_is_there),
	};
	return RUN_TESTS(tests);
}
