/* SPDX-License-Identifier: Apache-2.0 */
#include "read/table_line.h"

#include "lib/run.h"

static void test_words(void **state)
{
	struct str s = S(" \tone  two\t"), word;
	(void)state;
	assert_true(table_word(&s, &word));
	assert_str(word, "one");
	assert_true(table_word(&s, &word));
	assert_str(word, "two");
	assert_false(table_word(&s, &word));
}

static void test_times(void **state)
{
	static const struct {
		const char *line, *rest;
		int64_t want; /* 0: no time */
	} cases[] = {
		{ "2026-11-30T12:00:00Z 0 5", " 0 5", INT64_C(1796040000000) },
		{ "2026-11-30 12:00:00 0 5", " 0 5", INT64_C(1796040000000) },
		{ "2026/11/30 12:00:00.250 0 5", " 0 5", INT64_C(1796040000250) },
		{ "1796040000.5 0 5", " 0 5", INT64_C(1796040000500) },
		{ "2026-11-30 0 5", " 0 5", INT64_C(1795996800000) },
		{ "20261130 12:00:00 0 5", "20261130 12:00:00 0 5", 0 },
		{ "0 69 41", "0 69 41", 0 },
		{ "", "", 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str s = str_of(cases[i].line);
		int64_t ms = 7;
		bool is_time = table_time(&s, NULL, &ms);
		assert_int_equal(is_time, cases[i].want != 0);
		assert_true(ms == (is_time ? cases[i].want : 7));
		assert_str(s, cases[i].rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_words),
		                            cmocka_unit_test(test_times) };
	return RUN_TESTS(tests);
}
