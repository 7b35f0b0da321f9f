/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"
#include "report/report.h"
#include "report/rows.h"

static struct str write(struct arena *a, const struct doc *d)
{
	static const struct format_options o = { 100, false, false };
	auto_text t = TEXT_NULL;
	format_find(S("md"))->write(d, &o, &t);
	return str_dup(a, text_str(&t));
}

static void escapes_words_that_would_be_markup(void **state)
{
	(void)state;
	const struct {
		struct str word;
		const char *want;
	} cases[] = {
		{ S("node_failed"), "node_failed\n" },
		{ S("_a_"), "\\_a\\_\n" },
		{ S("*b* `c` [d](e) ~f~"), "\\*b\\* \\`c\\` \\[d\\](e) \\~f\\~\n" },
		{ S("<script>&amp;"), "&lt;script&gt;&amp;amp;\n" },
		{ S("a|b\\"), "a\\|b\\\\\n" },
		{ S("# no heading"), "\\# no heading\n" },
		{ S("1. no list"), "1\\. no list\n" },
		{ S("1.5 of 2"), "1.5 of 2\n" },
		{ S("- no list"), "\\- no list\n" },
		{ S("---"), "\\---\n" },
		{ S("--explain"), "--explain\n" },
		{ S("two\nlines\x1b"), "two?lines?\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		auto_doc d = DOC_NEW(&a);
		doc_add_str(&d, DOC_TEXT, cases[i].word);
		assert_str(write(&a, &d), cases[i].want);
	}
}

static void writes_tables_without_bars_that_stay_tables(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	static const struct doc_column columns[] = {
		{ "na|me", DOC_LEFT, 3 },
		{ "", DOC_BAR, 0 },
		{ "n", DOC_RIGHT, 0 },
	};
	struct rows *r = rows_new(&d, 3);
	doc_add(&d, DOC_TITLE, "%s", "Title");
	rows_add(r, 0, S("long|\nname"));
	rows_add_bar(r, 1, 0.5, 1);
	rows_add(r, 2, S("-"));
	rows_finish(r, &d, "What", columns);
	rows_finish(rows_new(&d, 3), &d, "Nothing", columns); /* no row: not there */
	doc_add(&d, DOC_NOTE, "%s", "one");
	doc_add(&d, DOC_NOTE, "%s", "two");
	assert_str(write(&a, &d), "# Title\n\n"
	                          "## What\n\n"
	                          "| na\\|me | n |\n"
	                          "| --- | ---: |\n"
	                          "| long\\|?name | - |\n\n"
	                          "- one\n"
	                          "- two\n");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes_words_that_would_be_markup),
		cmocka_unit_test(writes_tables_without_bars_that_stay_tables),
	};
	return RUN_TESTS(tests);
}
