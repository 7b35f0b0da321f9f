/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"
#include "report/report.h"
#include "report/rows.h"

static struct str write(struct arena *a, const struct doc *d, unsigned width, bool ascii,
                        bool colour)
{
	struct format_options o = { width, ascii, colour };
	auto_text t = TEXT_NULL;
	format_find(S("text"))->write(d, &o, &t);
	return str_dup(a, text_str(&t));
}

static void lets_nothing_through_that_steers_a_terminal(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	static const struct doc_column columns[] = { { "k\033", DOC_LEFT, 0 },
		                                     { "", DOC_LEFT, 0 } };
	struct rows *r = rows_new(&d, 2);
	rows_add(r, 0, S("a\033[2J"));
	rows_add(r, 1, S("b\nc\xff\xc2\x9b"));
	rows_finish(r, &d, "cap\ation", columns);
	doc_add(&d, DOC_NOTE, "%s", "x\ty\r");
	struct str got = write(&a, &d, 100, true, false);
	for (size_t i = 0; i < got.n; i++)
		assert_true(got.p[i] == '\n' || (got.p[i] >= 0x20 && got.p[i] < 0x7f));
	assert_true(str_find(got, S("a?[2J")) < got.n && str_find(got, S("b?c??")) < got.n);
}

static void lines_up_columns_by_characters_and_cuts_what_is_too_wide(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	static const struct doc_column columns[] = { { "name", DOC_LEFT, 6 },
		                                     { "n", DOC_RIGHT, 0 },
		                                     { "", DOC_LEFT, 0 } };
	struct rows *r = rows_new(&d, 3);
	rows_add(r, 0, S("na\xc3\xafve"));
	rows_add(r, 1, S("1"));
	rows_add(r, 2, S("x"));
	rows_add(r, 0, S("exactly"));
	rows_add(r, 1, S("1,000"));
	rows_finish(r, &d, "", columns);
	assert_str(write(&a, &d, 100, false, false), "  name        n\n"
	                                             "  na\xc3\xafve       1  x\n"
	                                             "  exac..  1,000\n");
}

static void puts_the_caption_before_the_heads_where_there_is_room(void **state)
{
	(void)state;
	static const struct {
		const char *caption, *want;
	} cases[] = {
		{ "Lost", "Lost          n  who\n  what it is  1  me\n" },
		{ "Where it went", "Where it went\n              n  who\n  what it is  1  me\n" },
		{ "", "              n  who\n  what it is  1  me\n" },
	};
	static const struct doc_column columns[] = { { "", DOC_LEFT, 0 },
		                                     { "n", DOC_RIGHT, 0 },
		                                     { "who", DOC_LEFT, 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		auto_doc d = DOC_NEW(&a);
		struct rows *r = rows_new(&d, 3);
		rows_add(r, 0, S("what it is"));
		rows_add(r, 1, S("1"));
		rows_add(r, 2, S("me"));
		rows_finish(r, &d, cases[i].caption, columns);
		assert_str(write(&a, &d, 100, false, false), cases[i].want);
	}
}

static void shortens_bars_then_drops_them_on_a_narrow_screen(void **state)
{
	(void)state;
	static const struct {
		unsigned width;
		const char *want;
	} cases[] = {
		/* 2 + 4 + 2 + 24 + 2 + 6 = 40 */
		{ 40, "  half  ############              50.0 %\n" },
		{ 30, "  half  #######         50.0 %\n" },
		{ 22, "  half  ###     50.0 %\n" },
		{ 21, "  half  50.0 %\n" },
	};
	static const struct doc_column columns[] = { { "", DOC_LEFT, 0 },
		                                     { "", DOC_BAR, 0 },
		                                     { "", DOC_RIGHT, 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		auto_doc d = DOC_NEW(&a);
		struct rows *r = rows_new(&d, 3);
		rows_add(r, 0, S("half"));
		rows_add_bar(r, 1, 0.5, 0.5);
		rows_add(r, 2, S("50.0 %"));
		rows_finish(r, &d, "", columns);
		assert_str(write(&a, &d, cases[i].width, true, false), cases[i].want);
	}
}

static void draws_bars_to_half_a_column_with_their_band(void **state)
{
	(void)state;
	static const struct {
		double low, high;
		const char *ascii;
	} cases[] = {
		{ 0, 0, "" },
		{ 1, 1, "########################" },
		{ 2, 3, "########################" },
		{ 0.5, 0.5, "############" },
		{ 0.52, 0.52, "############|" },
		{ 0.25, 0.5, "######------" },
		{ 0, 1, "------------------------" },
		{ -1, 0.01, "" },
	};
	static const struct doc_column columns[] = { { "", DOC_BAR, 0 } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		auto_doc d = DOC_NEW(&a);
		struct rows *r = rows_new(&d, 1);
		rows_add_bar(r, 0, cases[i].low, cases[i].high);
		rows_finish(r, &d, "", columns);
		struct str got = str_trim(write(&a, &d, 100, true, false));
		assert_str(got, cases[i].ascii);
	}
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	struct rows *r = rows_new(&d, 1);
	rows_add_bar(r, 0, 1.5 / 24, 3.0 / 24);
	rows_finish(r, &d, "", columns);
	assert_str(str_trim(write(&a, &d, 100, false, false)), "\u2588\u258c\u2591");
}

static void wraps_at_the_width_and_never_before_a_per_cent_sign(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	doc_add(&d, DOC_TEXT, "%s", "one two three 12.5 % four");
	assert_str(write(&a, &d, 18, true, false), "one two three 12.5 %\nfour\n");
}

static void colours_only_when_asked(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	doc_add(&d, DOC_TITLE, "title");
	assert_str(write(&a, &d, 80, true, false), "title\n");
	assert_str(write(&a, &d, 80, true, true), "\033[1mtitle\033[0m\n");
}

static void writes_findings_with_their_lines(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	const struct str lines[] = { S("evidence one"), S("evidence two") };
	doc_add_finding(&d, S("head"), lines, 2);
	assert_str(write(&a, &d, 80, true, false), "* head\n    evidence one\n    evidence two\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lets_nothing_through_that_steers_a_terminal),
		cmocka_unit_test(lines_up_columns_by_characters_and_cuts_what_is_too_wide),
		cmocka_unit_test(puts_the_caption_before_the_heads_where_there_is_room),
		cmocka_unit_test(shortens_bars_then_drops_them_on_a_narrow_screen),
		cmocka_unit_test(draws_bars_to_half_a_column_with_their_band),
		cmocka_unit_test(wraps_at_the_width_and_never_before_a_per_cent_sign),
		cmocka_unit_test(colours_only_when_asked),
		cmocka_unit_test(writes_findings_with_their_lines),
	};
	return RUN_TESTS(tests);
}
