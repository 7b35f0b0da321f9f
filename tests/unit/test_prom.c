/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/prom.h"

#include "base/text.h"
#include "lib/run.h"

static void test_kinds(void **state)
{
	static const struct {
		const char *line;
		enum prom_kind kind;
		const char *name, *value, *timestamp, *text;
		size_t labels;
	} cases[] = {
		{ "", PROM_BLANK, "", "", "", "", 0 },
		{ " \t", PROM_BLANK, "", "", "", "", 0 },
		{ "# EOF", PROM_EOF, "", "", "", "EOF", 0 },
		{ "# TYPE a:b counter", PROM_TYPE, "a:b", "", "", "counter", 0 },
		{ "#\tHELP  x  what it is ", PROM_HELP, "x", "", "", "what it is", 0 },
		{ "# UNIT x_bytes bytes", PROM_UNIT, "x_bytes", "", "", "bytes", 0 },
		{ "# TYPE", PROM_COMMENT, "", "", "", "", 0 },
		{ "# 2026-10-01", PROM_COMMENT, "", "", "", "2026-10-01", 0 },
		{ "up 1", PROM_SAMPLE, "up", "1", "", "", 0 },
		{ "up{} 1", PROM_SAMPLE, "up", "1", "", "", 0 },
		{ "up\t{a=\"b\"}\t-Inf\t-5\t", PROM_SAMPLE, "up", "-Inf", "-5", "", 1 },
		{ "up { a = \"b\" , c=\"\", } 1e-3 1764504000.5", PROM_SAMPLE, "up", "1e-3",
		  "1764504000.5", "", 2 },
		{ "x{a=\"1\"} 2 # {trace=\"9\"} 3 4", PROM_SAMPLE, "x", "2", "", "", 1 },
		{ "x 2 5 # {trace=\"9\"} 3", PROM_SAMPLE, "x", "2", "5", "", 0 },
		{ "{\"my.name\",a=\"1\"} 2", PROM_SAMPLE, "my.name", "2", "", "", 1 },
		{ "x{\"my.label\"=\"1\"} <<<NULL>>>", PROM_SAMPLE, "x", "<<<NULL>>>", "", "", 1 },
		{ "x", PROM_BAD, "x", "", "", "", 0 },
		{ "x{a=\"1\"}", PROM_BAD, "x", "", "", "", 1 },
		{ "x # c", PROM_BAD, "x", "#", "", "", 0 },
		{ "1x 2", PROM_BAD, "", "", "", "", 0 },
		{ "a-b 2", PROM_BAD, "a", "", "", "", 0 },
		{ "x{a=1} 2", PROM_BAD, "x", "", "", "", 0 },
		{ "x{a=\"1} 2", PROM_BAD, "x", "", "", "", 0 },
		{ "x{a=\"1\\", PROM_BAD, "x", "", "", "", 0 },
		{ "x{a=\"1\" b=\"2\"} 2", PROM_BAD, "x", "", "", "", 1 },
		{ "x{a} 2", PROM_BAD, "x", "", "", "", 0 },
		{ "x{=\"2\"} 2", PROM_BAD, "x", "", "", "", 0 },
		{ "{a=\"2\"} 2", PROM_BAD, "", "", "", "", 1 },
		{ "{\"a\",\"b\"} 2", PROM_BAD, "a", "", "", "", 0 },
		{ "x 1 2 3", PROM_BAD, "x", "1", "2", "", 0 },
		{ "x 1 soon", PROM_BAD, "x", "1", "soon", "", 0 },
		{ "<html>", PROM_BAD, "", "", "", "", 0 },
	};
	(void)state;
	auto_arena a = ARENA_NULL;
	struct prom_line l;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum prom_kind kind = prom_line_read(&l, &a, str_of(cases[i].line));
		if (kind != cases[i].kind || l.kind != kind ||
		    (kind == PROM_BAD) != (l.why != NULL))
			fail_msg("%s: kind %d, %s", cases[i].line, (int)kind, l.why ? l.why : "");
		if (l.labels_n != cases[i].labels)
			fail_msg("%s: %zu labels", cases[i].line, l.labels_n);
		assert_str(l.name, cases[i].name);
		assert_str(l.timestamp, cases[i].timestamp);
		assert_str(l.text, cases[i].text);
		assert_str(l.value, cases[i].value);
	}
}

static void test_labels(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct prom_line l;
	prom_line_read(
	        &l, &a,
	        S("m{plain=\"a,b}#\",esc=\"a\\\"b\\\\c\\nd\\q\",empty=\"\",bad=\"\xff\"} 1"));
	assert_int_equal(l.kind, PROM_SAMPLE);
	assert_str(prom_label(l.labels, l.labels_n, "plain"), "a,b}#");
	assert_str(prom_label(l.labels, l.labels_n, "esc"), "a\"b\\c\nd\\q");
	assert_str(prom_label(l.labels, l.labels_n, "empty"), "");
	assert_str(prom_label(l.labels, l.labels_n, "bad"), "\xff");
	assert_str(prom_label(l.labels, l.labels_n, "none"), "");
}

static void test_limits(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct prom_line l;
	text_add(&t, S("m{"));
	for (unsigned i = 0; i < PROM_LABELS_MAX; i++)
		text_printf(&t, "l%u=\"\",", i);
	size_t n = t.n;
	text_add(&t, S("} 1"));
	assert_int_equal(prom_line_read(&l, &a, text_str(&t)), PROM_SAMPLE);
	assert_int_equal(l.labels_n, PROM_LABELS_MAX);
	t.n = n;
	text_add(&t, S("more=\"\"} 1"));
	assert_int_equal(prom_line_read(&l, &a, text_str(&t)), PROM_BAD);
	t.n = 0;
	text_add(&t, S("m 1"));
	text_repeat(&t, ' ', LINE_BYTES_MAX - 3);
	assert_int_equal(prom_line_read(&l, &a, text_str(&t)), PROM_SAMPLE);
	text_byte(&t, ' ');
	assert_int_equal(prom_line_read(&l, &a, text_str(&t)), PROM_BAD);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		enum prom_number want;
	} cases[] = { { "1", PROM_FINITE },        { "+1.5E+3", PROM_FINITE },
		      { "-0", PROM_FINITE },       { "NaN", PROM_NAN },
		      { "+Inf", PROM_INFINITE },   { "-inf", PROM_INFINITE },
		      { "", PROM_NOT_A_NUMBER },   { "0,5", PROM_NOT_A_NUMBER },
		      { "0x1", PROM_NOT_A_NUMBER } };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (prom_number(str_of(cases[i].text)) != cases[i].want)
			fail_msg("%s", cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_numbers),
	};
	return RUN_TESTS(tests);
}
