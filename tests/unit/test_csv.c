/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"

#include "base/text.h"
#include "parse/csv.h"

/* Every record of a text as "[a|b][c]"; flags after a record: o open, b bad, - blank. */
static void shows(const char *delimiter, char quote, const char *text, const char *want)
{
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	const struct csv_dialect d = { str_of(delimiter), quote };
	struct csv_record *r = ARENA_NEW(&a, struct csv_record);
	struct str rest = str_of(text);
	while (csv_cut_record(&d, &rest, r)) {
		text_byte(&t, '[');
		for (uint32_t i = 0; i < r->n; i++) {
			text_printf(&t, "%s", i ? "|" : "");
			text_add(&t, csv_field(&a, &d, r, i));
		}
		text_printf(&t, "]%s%s%s", r->is_open ? "o" : "", r->is_bad ? "b" : "",
		            r->is_blank ? "-" : "");
	}
	assert_str(text_str(&t), want);
}

static void records(void **state)
{
	(void)state;
	shows(",", '"', "", "");
	shows(",", '"', "a,b\nc,d\n", "[a|b][c|d]");
	shows(",", '"', "a,b\r\nc,d\r\n", "[a|b][c|d]");
	shows(",", '"', "a,b\nc,d", "[a|b][c|d]");
	shows(",", '"', "a,\n,b\n,\n", "[a|][|b][|]");
	shows(",", '"', "\n\r\na\n", "[]-[]-[a]");
	shows(",", '"', "a\rb,c\n", "[a\rb|c]");
	shows(",", '"', "\"\"\n", "[]");
	shows(",", '"', "\"a,b\",c\n", "[a,b|c]");
	shows(",", '"', "\"a\nb\",c\nd,e\n", "[a\nb|c][d|e]");
	shows(",", '"', "\"a\r\nb\",c\r\n", "[a\r\nb|c]");
	shows(",", '"', "\"say \"\"hi\"\"\",c\n", "[say \"hi\"|c]");
	shows(",", '"', "\"\"\"\",c\n", "[\"|c]");
	shows(",", '"', "a\"b\"c,d\n", "[a\"b\"c|d]");
	shows(",", '"', "\"a\"x,b\n", "[a|b]b");
	shows(",", '"', "\"a\"\r\nb\r\n", "[a][b]");
	shows(",", '"', "a,\"b\nc", "[a|b\nc]o");
	shows("|", '\0', "a|\"b\nc|d\"\n", "[a|\"b][c|d\"]");
	shows("||", '"', "a||b|c||\n", "[a|b|c|]");
	shows("\x1f", '"',
	      "a\x1f"
	      "b,c\n",
	      "[a|b,c]");
	shows("\xc2\xa7", '\'', "a\xc2\xa7'b\xc2\xa7'\n", "[a|b\xc2\xa7]");
}

static void lines(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	const struct csv_dialect d = { S(","), '"' };
	struct csv_record *r = ARENA_NEW(&a, struct csv_record);
	struct str rest = S("a,\"b\n\nc\"\nd\n\"e\nf");
	assert_true(csv_cut_record(&d, &rest, r));
	assert_int_equal(r->lines, 3);
	assert_true(csv_cut_record(&d, &rest, r));
	assert_int_equal(r->lines, 1);
	assert_true(csv_cut_record(&d, &rest, r));
	assert_int_equal(r->lines, 1);
	assert_true(r->is_open);
	assert_false(csv_cut_record(&d, &rest, r));
}

static void starts(void **state)
{
	(void)state;
	const struct csv_dialect d = { S(","), '"' }, plain = { S(","), '\0' };
	struct str text = S("a,b\nc,\"d\ne\nf\",g\nh,i\n");
	/* lines begin at 0, 4, 9, 11, 16; 9 and 11 lie inside a record */
	static const size_t at[][2] = { { 0, 0 },  { 4, 4 },   { 9, 4 },
		                        { 11, 4 }, { 16, 16 }, { 20, 20 } };
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		assert_int_equal(csv_record_start(&d, text, at[i][0]), at[i][1]);
	assert_int_equal(csv_record_start(&plain, text, 9), 9);
	assert_int_equal(csv_record_start(&d, text, 1000), text.n);
	assert_int_equal(csv_record_start(&d, S("\"\"\"\n\",x\ny"), 8), 8);
	assert_int_equal(csv_record_start(&d, S("\"\"\"\n\",x\ny"), 4), 0);
}

static void many_fields(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	const struct csv_dialect d = { S(","), '"' };
	struct csv_record *r = ARENA_NEW(&a, struct csv_record);
	text_repeat(&t, ',', FIELDS_MAX - 1);
	struct str s = text_str(&t);
	assert_true(csv_cut_record(&d, &s, r));
	assert_int_equal(r->n, FIELDS_MAX);
	text_add(&t, S(",\"\"\"\",x"));
	s = text_str(&t);
	assert_true(csv_cut_record(&d, &s, r));
	assert_int_equal(r->n, FIELDS_MAX + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records),
		cmocka_unit_test(lines),
		cmocka_unit_test(starts),
		cmocka_unit_test(many_fields),
	};
	return RUN_TESTS(tests);
}
