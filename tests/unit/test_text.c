/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include "base/arena.h"
#include "lib/run.h"

static void grows_as_it_is_written(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	assert_str(text_str(&t), "");
	for (int i = 0; i < 1000; i++)
		text_byte(&t, 'a');
	text_add(&t, STR_NULL);
	text_add(&t, S("bc"));
	text_repeat(&t, '-', 300);
	text_repeat(&t, '-', 0);
	assert_int_equal(t.n, 1302);
	assert_str(str_sub(text_str(&t), 998, 5), "aabc-");
}

static void prints_around_its_first_guess(void **state)
{
	(void)state;
	for (int n = 254; n <= 258; n++) { /* 256 bytes are tried first */
		auto_text t = TEXT_NULL;
		text_printf(&t, "%*d", n, 7);
		text_printf(&t, "%s", "!");
		assert_int_equal(t.n, n + 1);
		assert_int_equal(t.p[n - 1], '7');
		assert_int_equal(t.p[n], '!');
	}
}

static void escapes_json(void **state)
{
	(void)state;
	static const struct {
		struct str in;
		const char *want;
	} cases[] = {
		{ { "", 0 }, "\"\"" },
		{ { "a\"b\\c", 5 }, "\"a\\\"b\\\\c\"" },
		{ { "\n\t\r", 3 }, "\"\\n\\t\\u000d\"" },
		{ { "\0\x1f\x7f", 3 }, "\"\\u0000\\u001f\\u007f\"" },
		{ { "caf\xc3\xa9 \xf0\x9f\x98\x80", 10 }, "\"caf\xc3\xa9 \xf0\x9f\x98\x80\"" },
		{ { "\xff\xc3", 2 }, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		text_json(&t, cases[i].in);
		assert_str(text_str(&t), cases[i].want);
	}
}

static void keeps_control_characters_from_a_terminal(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	text_plain(&t, S("a\x1b[31m\n\x7f\xc2\x9b"
	                 "b\xc2\xa0\xff"));
	assert_str(text_str(&t), "a?[31m???b\xc2\xa0?");
}

static void knows_utf8(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		size_t want;
	} cases[] = {
		{ "", 0 },
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\x80", 0 },
		{ "\xc1\xbf", 0 }, /* overlong */
		{ "\xc2\x80", 2 },
		{ "\xc2", 0 }, /* cut */
		{ "\xc2\xc0", 0 },
		{ "\xe0\x9f\xbf", 0 }, /* overlong */
		{ "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xed\xa0\x80", 0 }, /* surrogate */
		{ "\xef\xbf\xbf", 3 },
		{ "\xf0\x8f\xbf\xbf", 0 }, /* overlong */
		{ "\xf0\x90\x80\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 }, /* U+10FFFF */
		{ "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(utf8_length(str_of(cases[i].in)), cases[i].want);
}

static void writes_fixed_point(void **state)
{
	(void)state;
	const i128 most = (i128)(~(u128)0 >> 1);
	const struct {
		i128 value;
		unsigned decimals;
		const char *want;
	} cases[] = {
		{ 0, 0, "0" },
		{ 0, 3, "0" },
		{ 1500, 3, "1.5" },
		{ 1000, 3, "1" },
		{ 1, 3, "0.001" },
		{ -1, 3, "-0.001" },
		{ -1500, 3, "-1.5" },
		{ 100, 0, "100" },
		{ most, 0, "170141183460469231731687303715884105727" },
		{ -most - 1, 3, "-170141183460469231731687303715884105.728" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		text_fixed(&t, cases[i].value, cases[i].decimals);
		assert_str(text_str(&t), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_as_it_is_written),
		cmocka_unit_test(prints_around_its_first_guess),
		cmocka_unit_test(escapes_json),
		cmocka_unit_test(keeps_control_characters_from_a_terminal),
		cmocka_unit_test(knows_utf8),
		cmocka_unit_test(writes_fixed_point),
	};
	return RUN_TESTS(tests);
}
