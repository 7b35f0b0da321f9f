/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"
#include "lib/run.h"
#include "report/sheet.h"

static void quotes_what_would_break_a_row_and_disarms_formulas(void **state)
{
	(void)state;
	const struct {
		struct str word;
		const char *want;
	} cases[] = {
		{ S("plain"), "plain\r\n" },
		{ S("a,b"), "\"a,b\"\r\n" },
		{ S("a\"b"), "\"a\"\"b\"\r\n" },
		{ S("two\nlines"), "\"two\nlines\"\r\n" },
		{ S(" x"), "\" x\"\r\n" },
		{ S("=1+1"), "'=1+1\r\n" },
		{ S("+1"), "'+1\r\n" },
		{ S("-1"), "'-1\r\n" },
		{ S("@SUM(A1)"), "'@SUM(A1)\r\n" },
		{ S("\t=1"), "'\t=1\r\n" },
		{ S("\r=1"), "\"'\r=1\"\r\n" },
		{ S("\uff1d1"), "'\uff1d1\r\n" },
		{ S("=a,\"b\""), "\"'=a,\"\"b\"\"\"\r\n" },
		{ S("a=b"), "a=b\r\n" },
		{ S("\x1b[2J\xff"), "\ufffd[2J\ufffd\r\n" },
		{ S("\xc2\x9b"), "\ufffd\r\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		struct sheet s;
		sheet_begin(&s, &t, 1);
		sheet_go(&s, 0);
		sheet_word(&s, cases[i].word);
		sheet_end_row(&s);
		assert_str(text_str(&t), cases[i].want);
	}
}

static void leaves_what_is_passed_over_empty(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	struct sheet s;
	sheet_begin(&s, &t, 5);
	sheet_go(&s, 0);
	sheet_fixed(&s, 1500, 3);
	sheet_go(&s, 3);
	sheet_double(&s, -0.0);
	sheet_end_row(&s);
	sheet_go(&s, 2);
	sheet_time(&s, 0);
	sheet_end_row(&s);
	sheet_go(&s, 0);
	sheet_time(&s, TIME_UNKNOWN);
	sheet_go(&s, 1);
	sheet_double(&s, 0.0 / 0.0);
	sheet_go(&s, 4);
	sheet_name(&s, NULL);
	sheet_end_row(&s);
	sheet_end_row(&s);
	assert_str(text_str(&t), "1.5,,,0,\r\n"
	                         ",,1970-01-01T00:00:00Z,,\r\n"
	                         ",,,,\r\n"
	                         ",,,,\r\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_what_would_break_a_row_and_disarms_formulas),
		cmocka_unit_test(leaves_what_is_passed_over_empty),
	};
	return RUN_TESTS(tests);
}
