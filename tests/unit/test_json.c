/* SPDX-License-Identifier: Apache-2.0 */
/* jansson is the judge here; three of its names are ours too */
#define json_type jansson_type
#define JSON_OBJECT JANSSON_OBJECT
#define JSON_STRING JANSSON_STRING
#define JSON_NULL JANSSON_NULL
#include <jansson.h>
#undef json_type
#undef JSON_OBJECT
#undef JSON_STRING
#undef JSON_NULL

#include "parse/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "lib/run.h"

static struct str z(const char *s)
{
	return str_of(s);
}

static void tells_json_from_what_is_not(void **state)
{
	(void)state;
	const char *good[] = { "{}",
		               "[]",
		               " [ ] ",
		               "0",
		               "-0",
		               "-1.5e+3",
		               "1E9",
		               "true",
		               "null",
		               "\"\"",
		               "\"a\\u00e9\\n\\\"\"",
		               "[[],{},[1,{\"a\":[null]}]]",
		               "{\"a\":{\"b\":[{}]},\"c\":0}" };
	const char *bad[] = { "",      " ",          "{",          "[",       "]",
		              "[1,]",  "[,1]",       "[1 2]",      "{\"a\"}", "{\"a\":}",
		              "{a:1}", "{\"a\":1,}", "{,}",        "01",      "1.",
		              ".5",    "+1",         "1e",         "--1",     "tru",
		              "nul",   "\"",         "\"\\\"",     "\"\\x\"", "\"\\u12\"",
		              "[1}",   "{\"a\":1]",  "1 2",        "[]]",     "NaN",
		              "'a'",   "[1]//",      "\"\\u12g4\"" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (!json_is_valid(z(good[i])))
			fail_msg("refused: %s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (json_is_valid(z(bad[i])))
			fail_msg("taken: %s", bad[i]);
}

static void nests_to_the_limit_and_no_deeper(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	for (unsigned depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
		t.n = 0;
		text_repeat(&t, '[', depth);
		text_repeat(&t, ']', depth);
		assert_int_equal(json_is_valid(text_str(&t)), depth == JSON_DEPTH_MAX);
		t.n = 0;
		for (unsigned i = 0; i < depth; i++)
			text_add(&t, S("{\"a\":"));
		text_byte(&t, '1');
		text_repeat(&t, '}', depth);
		assert_int_equal(json_is_valid(text_str(&t)), depth == JSON_DEPTH_MAX);
	}
}

/* What a scan hands out, one line an item. */
static void scan_print(struct text *out, struct json_scan scan)
{
	struct json_item it;
	while (json_scan_next(&scan, &it)) {
		text_printf(out, "%llu ", (unsigned long long)it.line);
		text_add(out, it.key);
		if (it.in_list)
			text_printf(out, "[%zu]", it.index);
		text_byte(out, '=');
		text_add(out, it.value);
		text_byte(out, '\n');
	}
	if (scan.why)
		text_printf(out, "line %llu: %s\n", (unsigned long long)scan.line, scan.why);
}

static void hands_out_elements_one_at_a_time(void **state)
{
	(void)state;
	const struct {
		const char *in, *want;
	} cases[] = {
		{ "{\"a\":[1,{\"b\":[2]}],\n\"c\":5,\"d\":{\"e\":[1]},\"f\":[ ]}",
		  "1 a[0]=1\n1 a[1]={\"b\":[2]}\n2 c=5\n2 d={\"e\":[1]}\n2 f=[ ]\n" },
		{ "[1,\n\"x\",\n[3]]", "1 [0]=1\n2 [1]=\"x\"\n3 [2]=[3]\n" },
		{ "{\"a\":1}\n{\"a\":2}\n[3]\n", "1 a=1\n2 a=2\n3 [0]=3\n" },
		{ "\xef\xbb\xbf{\"a\":1}", "1 a=1\n" },
		{ "", "" },
		{ " \n", "" },
		{ "{}[]", "" },
		{ "{\"a\":[1,\n2,\n",
		  "1 a[0]=1\n2 a[1]=2\nline 3: ends in the middle of a value\n" },
		{ "{\"a\":[1,\n2,\nx]}", "1 a[0]=1\n2 a[1]=2\nline 3: expected a value\n" },
		{ "{\"a\":1,}", "1 a=1\nline 1: expected a key in quotes\n" },
		{ "{\"a\":[1,]}", "1 a[0]=1\nline 1: expected a value\n" },
		{ "{\"a\":[1 2]}", "1 a[0]=1\nline 1: expected ',' or ']'\n" },
		{ "{\"a\":1 \"b\":2}", "1 a=1\nline 1: expected ',' or '}'\n" },
		{ "7", "line 1: expected an object or a list\n" },
		{ "job,user\n", "line 1: expected an object or a list\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text out = TEXT_NULL;
		scan_print(&out, json_scan_of(z(cases[i].in), 1));
		assert_str(text_str(&out), cases[i].want);
	}
}

static void enters_the_object_it_was_told_to(void **state)
{
	(void)state;
	auto_text out = TEXT_NULL;
	struct json_scan scan =
	        json_scan_of(S("{\"n\":1,\"in\":{\"a\":[5],\"b\":{\"c\":1}},\"z\":[2]}"), 9);
	scan.enter = S("in");
	scan_print(&out, scan);
	assert_str(text_str(&out), "9 n=1\n9 a[0]=5\n9 b={\"c\":1}\n9 z[0]=2\n");
}

static void marks_an_element_over_the_limit(void **state)
{
	(void)state;
	for (size_t extra = 0; extra < 2; extra++) {
		auto_text t = TEXT_NULL;
		struct json_item it;
		text_add(&t, S("[\""));
		text_repeat(&t, 'x', JSON_ITEM_BYTES_MAX - 2 + extra);
		text_add(&t, S("\",1]"));
		struct json_scan scan = json_scan_of(text_str(&t), 1);
		assert_true(json_scan_next(&scan, &it));
		assert_int_equal(it.is_too_long, extra);
		assert_true(json_scan_next(&scan, &it)); /* the next one is not lost */
		assert_false(it.is_too_long);
		assert_false(json_scan_next(&scan, &it));
		assert_null(scan.why);
	}
}

static void finds_members_whatever_stands_around(void **state)
{
	(void)state;
	struct str o =
	        S("{ \"a\" : 1 , \"b\":\"}\\\"{\",\"c\":[1,{\"a\":9}] ,\"d\\u0065\":true,\"a\":2}");
	auto_json_members m = { 0 };
	json_members_read(&m, o);
	assert_str(json_get(o, S("a")), "2"); /* the last one counts */
	assert_str(json_member(&m, S("a")), "2");
	assert_str(json_get(o, S("b")), "\"}\\\"{\"");
	assert_str(json_member(&m, S("c")), "[1,{\"a\":9}]");
	assert_str(json_get(o, S("de")), "true");
	assert_int_equal(json_type(json_get(o, S("x"))), JSON_ABSENT);
	assert_int_equal(json_type(json_get(S("[1]"), S("x"))), JSON_ABSENT);
	assert_int_equal(m.list.n, 5);
}

static void lists_what_is_there_of_a_cut_object(void **state)
{
	(void)state;
	struct str key, value, cut = S("{\"a\":1,\"b\":[{\"c\":2},{\"d");
	size_t at = 0;
	assert_true(json_next(cut, &at, &key, &value));
	assert_true(json_next(cut, &at, &key, &value));
	assert_str(key, "b");
	assert_str(value, "[{\"c\":2},{\"d");
	assert_false(json_next(cut, &at, &key, &value));
}

static void keeps_numbers_as_they_are_written(void **state)
{
	(void)state;
	int64_t v = 7;
	assert_str(json_get(S("{\"p\":0.1000000000000000055511151231257827}"), S("p")),
	           "0.1000000000000000055511151231257827");
	assert_true(json_to_i64(S("9007199254740993"), &v)); /* 2^53 + 1: a double loses it */
	assert_true(v == 9007199254740993);
	assert_true(json_to_i64(S("5.0"), &v) && v == 5);
	assert_true(json_to_i64(S("-2e3"), &v) && v == -2000);
	v = 7;
	assert_false(json_to_i64(S("5.5"), &v));
	assert_false(json_to_i64(S("\"5\""), &v));
	assert_false(json_to_i64(S("1e30"), &v));
	assert_false(json_to_i64(S("null"), &v));
	assert_true(v == 7);
}

static void resolves_escapes(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct str s;
	assert_true(json_to_text(&a, S("\"a\\n\\t\\\\\\/\\\"b\""), &s));
	assert_str(s, "a\n\t\\/\"b");
	assert_true(json_to_text(&a, S("\"\\u00e9\\u20ac\\ud83d\\ude00\""), &s));
	assert_str(s, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_true(json_to_text(&a, S("\"\\ud83d!\\ude00\\ud83d\\u0041\""), &s));
	assert_str(s, "\xef\xbf\xbd!\xef\xbf\xbd\xef\xbf\xbd"
	              "A");
	assert_false(json_to_text(&a, S("5"), &s));
}

/* What jansson takes we take; what we take jansson takes, but for the leniencies of json.h. */
static void agrees_with_jansson_on_damaged_documents(void **state)
{
	(void)state;
	static const char doc[] =
	        "{\"jobs\": [{\"id\": 12, \"x\": -1.5e-3, \"s\": \"a\\u0041\\n\"}, "
	        "[true, false, null]], \"e\": {}, \"l\": []}";
	static const char bytes[] = "{}[]\",:\\ 01-.eEtfnu/\n";
	char z_[sizeof doc];
	int taken = 0;
	srand(7);
	for (int round = 0; round < 60000; round++) {
		size_t n = sizeof doc - 1;
		memcpy(z_, doc, sizeof doc);
		for (int i = rand() % 3; i >= 0; i--)
			z_[(size_t)rand() % n] = bytes[(size_t)rand() % (sizeof bytes - 1)];
		if (rand() % 4 == 0)
			n = (size_t)rand() % n;
		json_error_t e;
		json_t *j = json_loadb(
		        z_, n, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &e);
		bool ours = json_is_valid((struct str){ z_, n });
		bool is_lenient = !j && (strstr(e.text, "control character") ||
		                         strstr(e.text, "unexpected newline") ||
		                         strstr(e.text, "invalid Unicode") ||
		                         strstr(e.text, "real number overflow"));
		if (ours != (j != NULL) && !(ours && is_lenient))
			fail_msg("ours %d, jansson's %d (%s): %.*s", ours, j != NULL, e.text,
			         (int)n, z_);
		taken += ours;
		json_decref(j);
	}
	assert_in_range(taken, 2000, 40000); /* both kinds were met */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_json_from_what_is_not),
		cmocka_unit_test(nests_to_the_limit_and_no_deeper),
		cmocka_unit_test(hands_out_elements_one_at_a_time),
		cmocka_unit_test(enters_the_object_it_was_told_to),
		cmocka_unit_test(marks_an_element_over_the_limit),
		cmocka_unit_test(finds_members_whatever_stands_around),
		cmocka_unit_test(lists_what_is_there_of_a_cut_object),
		cmocka_unit_test(keeps_numbers_as_they_are_written),
		cmocka_unit_test(resolves_escapes),
		cmocka_unit_test(agrees_with_jansson_on_damaged_documents),
	};
	return RUN_TESTS(tests);
}
