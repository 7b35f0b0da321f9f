/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/text.h"
#include "parse/pattern.h"

static bool matches(const char *pattern, struct str text)
{
	auto_arena a = ARENA_NULL;
	const struct pattern *p = NULL;
	struct err err = { 0 };
	enum err_code rc = pattern_compile(&a, str_of(pattern), &p, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(rc, ERR_OK);
	return pattern_matches(p, text);
}

static void matching(void **state)
{
	(void)state;
	assert_true(matches("^\\d+$", S("123")));
	assert_false(matches("^\\d+$", S("12x")));
	assert_true(matches("", S("")));
	assert_true(matches("b", S("abc")));
	assert_true(matches("^\\xff.$", S("\xff\xfe")));
	assert_true(matches("\\x00", S("a\0b")));
}

static void limits(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	const struct pattern *p = NULL;
	struct err err = { 0 };
	/* a match that would take 2^n steps ends at the limit, as no match */
	text_repeat(&t, 'a', 40);
	assert_false(matches("^(a|a?)+$b", text_str(&t)));
	text_byte(&t, '!');
	assert_false(matches("^(a+)+$", text_str(&t)));
	t.n = 0;
	text_repeat(&t, 'x', PATTERN_BYTES_MAX);
	assert_int_equal(pattern_compile(&a, text_str(&t), &p, &err), ERR_OK);
	text_byte(&t, 'x');
	assert_int_equal(pattern_compile(&a, text_str(&t), &p, &err), ERR_LIMIT);
	assert_string_equal(err.text, "a pattern of 4097 bytes; at most 4096 are read");
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *want;
	} rows[] = {
		{ "a(b", "at 4: missing closing parenthesis" },
		{ "*a", "at 1: quantifier does not follow a repeatable item" },
		{ "\\C", "at 3: using \\C is disabled by the application" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_arena a = ARENA_NULL;
		const struct pattern *p = NULL;
		struct err err = { 0 };
		assert_int_equal(pattern_compile(&a, str_of(rows[i].pattern), &p, &err), ERR_INPUT);
		assert_string_equal(err.text, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(limits),
		cmocka_unit_test(errors),
	};
	return RUN_TESTS(tests);
}
