/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/json_cut.h"

#include <stdio.h>

#include "base/text.h"
#include "lib/run.h"

/* The documents in what is left of S after cutting, each in angle brackets. PIECE bytes come at a
   time, and what is whole is taken away at once. */
static void cut(struct arena *a, struct text *ret, const char *text, size_t piece)
{
	struct json_cut c = JSON_CUT_NULL;
	char *bytes = arena_dup(a, text, strlen(text));
	size_t all = strlen(text), from = 0;
	for (size_t n = piece;; n += piece) {
		bool is_last = n >= all;
		n = is_last ? all : n;
		json_cut_pass(&c, bytes + from, n - from);
		is_last |= c.is_broken;
		size_t end = is_last ? n - from : c.end;
		struct str part = { bytes + from, end }, doc;
		bool is_whole;
		while (json_cut_next(&part, &doc, &is_whole))
			text_printf(ret, is_whole ? "<%.*s>" : "(%.*s)", STR_FMT(doc));
		json_cut_shift(&c, end);
		from += end;
		if (is_last)
			break;
	}
}

static void cuts_to(const char *text, const char *want)
{
	for (size_t piece = 1; piece <= strlen(text) + 1; piece++) {
		auto_arena a = ARENA_NULL;
		auto_text t = TEXT_NULL;
		cut(&a, &t, text, piece);
		if (!str_eq(text_str(&t), str_of(want)))
			fail_msg("pieces of %zu: '%s' gave '%.*s', not '%s'", piece, text,
			         STR_FMT(text_str(&t)), want);
	}
}

static void items_are_found(void **state)
{
	(void)state;
	cuts_to("", "");
	cuts_to(" \n ", "");
	cuts_to("{\"a\": 1}", "<{\"a\": 1}>");
	cuts_to("{\"a\":1}{\"b\":{\"items\":[2]}}\n{}", "<{\"a\":1}><{\"b\":{\"items\":[2]}}><{}>");
	cuts_to("{\"kind\":\"List\",\"items\" : [ {\"a\":[]}, {\"b\":2} ],\"z\":{\"items\":[{}]}}",
	        "<{\"a\":[]}><{\"b\":2}>");
	cuts_to("[{\"a\":1},{\"items\":[1]}]", "<{\"a\":1}><{\"items\":[1]}>");
	cuts_to("{\"items\":[]}{\"items\":[{}]}[]", "<{}>");
	cuts_to("{\"items\":null}", "<{\"items\":null}>");
	cuts_to("{\"x\":\"items\",\"y\":[1]}", "<{\"x\":\"items\",\"y\":[1]}>");
}

static void strings_hide_what_is_in_them(void **state)
{
	(void)state;
	cuts_to("{\"a\":\"}{][\\\"}\"}{\"b\":\"\\\\\"}",
	        "<{\"a\":\"}{][\\\"}\"}><{\"b\":\"\\\\\"}>");
	cuts_to("{\"items\":[{\"a\":\"]}\\\"\"}],\"k\":\"}\\\"]\",\"l\":[\"{\"]}{\"c\":1}",
	        "<{\"a\":\"]}\\\"\"}><{\"c\":1}>");
}

static void newlines_stay(void **state)
{
	(void)state;
	char text[] = "{\n\"x\": {\n},\n\"items\": [\n{\n}\n,\n{}\n],\n\"kind\": \"L\n\"\n}\n";
	struct json_cut c = JSON_CUT_NULL;
	size_t n = strlen(text), lines = 0;
	json_cut_pass(&c, text, n);
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	assert_int_equal(lines, 12);
	assert_int_equal(c.place, JSON_CUT_TOP);
	assert_true(c.end > 0 && c.end <= n);
}

static void what_is_no_json_ends_it(void **state)
{
	(void)state;
	cuts_to("{\"items\":[{\"a\":1},{\"b\"", "<{\"a\":1}>({\"b\")");
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	cut(&a, &t, "{\"a\":1} oops {\"b\":1}", 4);
	assert_true(str_starts(text_str(&t), S("<{\"a\":1}>(")));
	cuts_to("{\"items\":[1, \"two\", {}]}", "(1)(\"two\")<{}>");
}

/* An item that the caller gives up leaves blanks, and what follows it is found. */
static void an_item_is_dropped(void **state)
{
	(void)state;
	char text[] = "{\"items\":[{\"big\":\"xxxxxxxx}\"},{\"a\":1}]}";
	struct json_cut c = JSON_CUT_NULL;
	json_cut_pass(&c, text, 20);
	assert_int_equal(c.end, 10);
	json_cut_drop(&c, text);
	assert_true(c.is_dropping && c.end == 20);
	json_cut_shift(&c, 20);
	struct str rest = { text + 20, strlen(text) - 20 }, doc;
	bool is_whole;
	json_cut_pass(&c, text + 20, rest.n);
	assert_false(c.is_dropping);
	assert_int_equal(c.end, 9); /* right behind it */
	json_cut_pass(&c, text + 20, rest.n);
	assert_true(json_cut_next(&rest, &doc, &is_whole) && is_whole);
	assert_str(doc, "{\"a\":1}");
	assert_false(json_cut_next(&rest, &doc, &is_whole));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_found),
		cmocka_unit_test(strings_hide_what_is_in_them),
		cmocka_unit_test(newlines_stay),
		cmocka_unit_test(what_is_no_json_ends_it),
		cmocka_unit_test(an_item_is_dropped),
	};
	return RUN_TESTS(tests);
}
