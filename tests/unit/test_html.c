/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html.h"

#include <stdio.h>

#include "lib/run.h"

static void makes_text_of_what_could_be_markup(void **state)
{
	(void)state;
	const struct {
		struct str word;
		const char *want;
	} cases[] = {
		{ S(""), "" },
		{ S("node_failed"), "node_failed" },
		{ S("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ S("\" onload='x' & &amp;"), "&quot; onload=&#39;x&#39; &amp; &amp;amp;" },
		{ S("two\nlines\tand\r"), "two lines and\ufffd" },
		{ S("12.3 % of all %"), "12.3\u00a0% of all\u00a0%" },
		{ S("a\0b\x1b[2J\x7f"), "a\ufffdb\ufffd[2J\ufffd" },
		{ S("\xc2\x9b\xc2\xa0"), "\ufffd\xc2\xa0" },
		{ S("\xff\xc3\xe2\x82z"), "\ufffd\ufffd\ufffd\ufffdz" },
		{ S("na\xc3\xafve \xf0\x9f\x9a\x80"), "na\xc3\xafve \xf0\x9f\x9a\x80" },
		/* what would turn the rest of the line around, or begin a new one */
		{ S("\xe2\x80\xae\x61\xe2\x80\xac"), "\ufffda\ufffd" },
		{ S("\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f"), "\ufffd\ufffd\ufffd\ufffd" },
		{ S("\xe2\x80\xa8\xe2\x80\xa9"), "\ufffd\ufffd" },
		{ S("\xef\xbb\xbf\xef\xbf\xbe\xef\xbf\xbf"), "\ufffd\ufffd\ufffd" },
		{ S("\xe2\x80\x93\xe2\x80\xaf\xd7\xa9"), "\xe2\x80\x93\xe2\x80\xaf\xd7\xa9" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		html_word(&t, cases[i].word);
		assert_str(text_str(&t), cases[i].want);
	}
}

static void writes_lengths_that_lie_in_the_picture(void **state)
{
	(void)state;
	const struct {
		double share;
		const char *want;
	} cases[] = {
		{ 0, "0%" },           { 1, "100%" },         { 0.5, "50%" },
		{ 1.0 / 3, "33.33%" }, { 2.0 / 3, "66.67%" }, { -0.1, "0%" },
		{ 1.2, "100%" },       { 0.00004, "0%" },     { 0.00005, "0.01%" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		html_share(&t, cases[i].share);
		assert_str(text_str(&t), cases[i].want);
	}
}

static void draws_a_bar_as_far_as_it_is_known(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	html_bar(&t, -1, 0.25, 0.5);
	html_bar(&t, (int)ACCOUNT_UNKNOWN, 1.5, 0.5);
	html_bar(&t, -1, 0, 0);
	auto_text want = TEXT_NULL;
	text_printf(&want,
	            "<svg class=\"bar\" aria-hidden=\"true\"><rect width=\"25%%\" "
	            "height=\"100%%\"/><rect class=\"band\" x=\"25%%\" width=\"25%%\" "
	            "height=\"100%%\"/></svg>"
	            "<svg class=\"bar\" aria-hidden=\"true\"><rect class=\"a%d\" width=\"100%%\" "
	            "height=\"100%%\"/></svg>"
	            "<svg class=\"bar\" aria-hidden=\"true\"></svg>",
	            (int)ACCOUNT_UNKNOWN);
	text_byte(&want, '\0');
	assert_str(text_str(&t), want.p);
}

/* The colours of the table of accounts are all there, for paper and for a dark screen. */
static void has_a_colour_for_every_account(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	html_style(&t);
	html_patterns(&t);
	struct str page = text_str(&t);
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		char word[64];
		const struct account_colour *c = &account_colours[a];
		snprintf(word, sizeof word, "--a%d:%s", a, c->on_white);
		assert_true(str_find(page, str_of(word)) < page.n);
		snprintf(word, sizeof word, "--a%d:%s", a, c->on_black);
		assert_true(str_find(page, str_of(word)) < page.n);
		snprintf(word, sizeof word, c->is_hatched ? "<pattern id=\"h%d\"" : ".a%d{fill:var",
		         a);
		assert_true(str_find(page, str_of(word)) < page.n);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_text_of_what_could_be_markup),
		cmocka_unit_test(writes_lengths_that_lie_in_the_picture),
		cmocka_unit_test(draws_a_bar_as_far_as_it_is_known),
		cmocka_unit_test(has_a_colour_for_every_account),
	};
	return RUN_TESTS(tests);
}
