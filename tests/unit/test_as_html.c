/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lib/run.h"
#include "report/report.h"
#include "report/rows.h"

static struct str write(struct arena *a, const struct doc *d)
{
	static const struct format_options o = { 100, false, false };
	auto_text t = TEXT_NULL;
	format_find(S("html"))->write(d, &o, &t);
	return str_dup(a, text_str(&t));
}

/* What stands between HEAD and TAIL, without them. */
static struct str between(struct str page, const char *head, const char *tail)
{
	size_t at = str_find(page, str_of(head)) + str_of(head).n;
	struct str rest = str_sub(page, at, page.n);
	return str_sub(rest, 0, str_find(rest, str_of(tail)));
}

static void sections_and_lists_are_closed(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	static const struct doc_column columns[] = { { "k", DOC_LEFT, 3 },
		                                     { "", DOC_BAR, 0 },
		                                     { "n<", DOC_RIGHT, 0 } };
	struct rows *r = rows_new(&d, 3);
	doc_add(&d, DOC_TITLE, "%s", "A & B");
	doc_add(&d, DOC_HEADLINE, "%s", "C");
	doc_add(&d, DOC_HEADING, "%s", "D");
	doc_add(&d, DOC_NOTE, "%s", "one");
	doc_add(&d, DOC_NOTE, "%s", "two");
	rows_add(r, 0, S("long<"));
	rows_add_bar(r, 1, 0.5, 0.5);
	rows_add(r, 2, S("7"));
	rows_finish(r, &d, "E", columns);
	rows_finish(rows_new(&d, 3), &d, "Nothing", columns); /* no row: not there */
	doc_add(&d, DOC_TEXT, "%s", "F");
	doc_add(&d, DOC_FOOT, "%s", "G");
	struct str page = write(&a, &d);
	assert_str(between(page, "<title>", "</title>"), "A &amp; B");
	assert_str(between(page, "<main>\n", "</main>"),
	           "<h1>A &amp; B</h1>\n<p class=\"headline\">C</p>\n"
	           "<section>\n<h2>D</h2>\n"
	           "<ul class=\"notes\">\n<li>one</li>\n<li>two</li>\n</ul>\n</section>\n"
	           "<section>\n<h2>E</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	           "aria-label=\"E\"><table>\n"
	           "<thead><tr><th scope=\"col\">k</th><td></td>"
	           "<th scope=\"col\" class=\"n\">n&lt;</th></tr></thead>\n<tbody>\n"
	           "<tr><th scope=\"row\"><span class=\"long\">long&lt;</span></th><td class=\"b\">"
	           "<svg class=\"bar\" aria-hidden=\"true\"><rect width=\"50%\" "
	           "height=\"100%\"/></svg></td><td class=\"n\">7</td></tr>\n"
	           "</tbody></table></div>\n<p>F</p>\n</section>\n<footer>G</footer>\n");
}

/* A number with a bar beside it takes two columns, in the heads too; the colour of the row's
   account is on both. */
static void bars_beside_numbers_have_their_own_column(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	static const struct doc_column columns[] = { { "", DOC_LEFT, 0 },
		                                     { "share", DOC_RIGHT, 0 } };
	struct rows *r = rows_new(&d, 2);
	rows_add(r, 0, S("unknown"))->account = 1 + ACCOUNT_UNKNOWN;
	struct doc_cell *c = rows_add(r, 1, S("5.0 %"));
	c->has_bar = true;
	c->low = c->high = 0.05;
	rows_finish(r, &d, "", columns);
	struct str page = write(&a, &d);
	char want[512];
	snprintf(want, sizeof want,
	         "<tr><td></td><th scope=\"col\" colspan=\"2\" class=\"n\">share</th></tr>"
	         "</thead>\n<tbody>\n<tr><th scope=\"row\" class=\"k\">"
	         "<svg class=\"key\" aria-hidden=\"true\"><rect class=\"a%d\" width=\"100%%\" "
	         "height=\"100%%\"/></svg>unknown</th><td class=\"m\">"
	         "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"a%d\" width=\"5%%\" "
	         "height=\"100%%\"/></svg></td><td class=\"n\">5.0\u00a0%%</td></tr>\n",
	         (int)ACCOUNT_UNKNOWN, (int)ACCOUNT_UNKNOWN);
	assert_str(between(page, "<thead>", "</tbody>"), want);
}

/* No other file, no script, and a policy that refuses both. */
static void needs_nothing_beside_it(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	struct str page = write(&a, &d);
	static const char *const not [] = { "http:", "https:",  "<script", "<link",
		                            "<img",  "@import", "url(\"",  "src=" };
	for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
		assert_true(str_find(page, str_of(not [i])) == page.n);
	assert_true(str_find(page, S("default-src 'none'; style-src 'unsafe-inline'")) < page.n);
	assert_true(str_starts(page, S("<!DOCTYPE html>")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_and_lists_are_closed),
		cmocka_unit_test(bars_beside_numbers_have_their_own_column),
		cmocka_unit_test(needs_nothing_beside_it),
	};
	return RUN_TESTS(tests);
}
