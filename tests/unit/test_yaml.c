/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "parse/yaml.h"

static void tree(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct err err = { 0 };
	const struct yaml *y = NULL;
	assert_int_equal(yaml_parse(&a,
	                            S("# a comment\na: 1\nb: [x, \"y\\n\", '~', ~]\nc:\n  d: |\n"
	                              "    two\n    lines\n  e: >\n    one\n    line\ng:\n"),
	                            &y, &err),
	                 ERR_OK);
	assert_int_equal(y->kind, YAML_MAP);
	assert_int_equal(y->n, 4);
	const struct yaml *m = yaml_get(y, "a");
	assert_str(m->text, "1");
	assert_str(m->key, "a");
	assert_int_equal(m->line, 2);
	assert_int_equal(m->column, 1);
	assert_false(m->is_quoted);
	m = yaml_get(y, "b");
	assert_int_equal(m->kind, YAML_LIST);
	assert_int_equal(m->n, 4);
	assert_str(m->first->text, "x");
	assert_int_equal(m->first->column, 5);
	assert_str(m->first->next->text, "y\n");
	assert_true(m->first->next->is_quoted);
	assert_false(m->first->next->next->is_null);
	assert_true(m->first->next->next->next->is_null);
	assert_null(m->first->next->next->next->next);
	m = yaml_get(y, "c");
	assert_str(yaml_get(m, "d")->text, "two\nlines\n");
	assert_str(yaml_get(m, "e")->text, "one line\n");
	assert_int_equal(yaml_get(m, "d")->line, 5);
	assert_true(yaml_get(y, "g")->is_null);
	assert_null(yaml_get(y, "h"));
	assert_null(yaml_get(yaml_get(y, "a"), "a"));
	assert_null(yaml_get(NULL, "a"));
}

static void empty(void **state)
{
	(void)state;
	static const char *const texts[] = { "",      " \n", "# only a comment\n",
		                             "---\n", "~",   "\xef\xbb\xbf" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		auto_arena a = ARENA_NULL;
		struct err err = { 0 };
		const struct yaml *y = NULL;
		assert_int_equal(yaml_parse(&a, str_of(texts[i]), &y, &err), ERR_OK);
		assert_int_equal(y->kind, YAML_SCALAR);
		assert_true(y->is_null);
	}
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a: 1\na: 2\n", "2:1: key 'a' stands twice in one map" },
		{ "x: {a: 1, b: 2, 'a': 3}\n", "1:18: key 'a' stands twice in one map" },
		{ "a: &x 1\nb: *x\n", "2:5: aliases are not read; write the value out" },
		{ "a: *x\n", "1:5: aliases are not read; write the value out" },
		{ "<<: *x\n", "1:6: aliases are not read; write the value out" },
		{ "a: !!str 1\n", "1:10: tags are not read" },
		{ "a: !x [1]\n", "1:7: tags are not read" },
		{ "a: !x {b: 1}\n", "1:7: tags are not read" },
		{ "? [a, b]\n: c\n", "1:3: a key is a list or a map; expected a word" },
		{ "? {a: b}\n: c\n", "1:3: a key is a list or a map; expected a word" },
		{ "a: 1\n---\nb: 2\n", "3:1: a second document; one file holds one" },
		{ "a: [1\n", "2:1: flow sequence without a closing bracket" },
		{ "a: \"x\n", "1:5: double-quoted scalar without closing quote" },
		{ "a: b: c\n", "1:5: invalid nested block mapping on the same line" },
		{ "a: \x01\n", "1:4: a byte (0x01) that is not text" },
		{ "a: 1\nbc: \xff\n", "2:5: a byte (0xff) that is not text" },
		{ "a: \xc3", "1:4: a byte (0xc3) that is not text" },
		{ "\t- x\n  - y", NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_arena a = ARENA_NULL;
		struct err err = { 0 };
		const struct yaml *y = NULL;
		enum err_code rc = yaml_parse(&a, str_of(rows[i].text), &y, &err);
		assert_int_equal(rc, ERR_INPUT);
		if (rows[i].want)
			assert_string_equal(err.text, rows[i].want);
		assert_null(y);
	}
}

static void a_zero_byte(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct err err = { 0 };
	const struct yaml *y = NULL;
	assert_int_equal(yaml_parse(&a, S("a: 1\0"), &y, &err), ERR_INPUT);
	assert_string_equal(err.text, "1:5: a byte (0x00) that is not text");
}

static enum err_code nested(unsigned depth, struct err *err)
{
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	const struct yaml *y = NULL;
	text_repeat(&t, '[', depth);
	text_repeat(&t, ']', depth);
	return yaml_parse(&a, text_str(&t), &y, err);
}

static void depth(void **state)
{
	(void)state;
	struct err err = { 0 };
	assert_int_equal(nested(YAML_DEPTH_MAX, &err), ERR_OK);
	assert_int_equal(nested(YAML_DEPTH_MAX + 1, &err), ERR_LIMIT);
	assert_string_equal(err.text, "1:33: nested deeper than 32");
	assert_int_not_equal(nested(100000, &err), ERR_OK);
}

static enum err_code sized(size_t n, struct err *err)
{
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	const struct yaml *y = NULL;
	text_add(&t, S("a: "));
	text_repeat(&t, 'x', n - 3);
	return yaml_parse(&a, text_str(&t), &y, err);
}

static void size(void **state)
{
	(void)state;
	struct err err = { 0 };
	assert_int_equal(sized(YAML_BYTES_MAX, &err), ERR_OK);
	assert_int_equal(sized(YAML_BYTES_MAX + 1, &err), ERR_LIMIT);
	assert_string_equal(err.text, "1:1: 1048577 bytes; at most 1048576 are read");
}

/* A map of the most keys that fit: doubled ones are found without comparing all with all. */
static void many_keys(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	const struct yaml *y = NULL;
	for (unsigned i = 0; t.n < YAML_BYTES_MAX - 20; i++)
		text_printf(&t, "k%u:\n", i);
	assert_int_equal(yaml_parse(&a, text_str(&t), &y, &err), ERR_OK);
	assert_true(y->n > 100000);
}

/* libfyaml's own way to a scalar's text leaks here, which the sanitizers would tell. */
static void many_escapes(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL, want = TEXT_NULL;
	struct err err = { 0 };
	const struct yaml *y = NULL;
	text_add(&t, S("'"));
	for (int i = 0; i < 100; i++) {
		text_printf(&t, "%d''", i);
		text_printf(&want, "%d'", i);
	}
	text_add(&t, S("'\n"));
	assert_int_equal(yaml_parse(&a, text_str(&t), &y, &err), ERR_OK);
	text_byte(&want, '\0');
	assert_str(y->text, want.p);
}

static void keys_and_kinds(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct err err = { 0 };
	const struct yaml *y = NULL;
	static const char *const keys[] = { "a", "b", NULL };
	assert_int_equal(yaml_parse(&a, S("a: 1\nc: 2\n"), &y, &err), ERR_OK);
	assert_int_equal(yaml_check_keys(y, "a thing", keys, &err), ERR_INPUT);
	assert_string_equal(err.text, "2:1: unknown key 'c' in a thing; expected one of: a, b");
	assert_int_equal(yaml_parse(&a, S("- a\n"), &y, &err), ERR_OK);
	assert_int_equal(yaml_check_keys(y, "a thing", keys, &err), ERR_INPUT);
	assert_string_equal(err.text, "1:1: a thing is a list; expected a map");
	assert_int_equal(yaml_fail(y, &err, "no %d", 7), ERR_INPUT);
	assert_string_equal(err.text, "1:1: no 7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree),           cmocka_unit_test(empty),
		cmocka_unit_test(errors),         cmocka_unit_test(depth),
		cmocka_unit_test(a_zero_byte),    cmocka_unit_test(size),
		cmocka_unit_test(many_keys),      cmocka_unit_test(many_escapes),
		cmocka_unit_test(keys_and_kinds),
	};
	return RUN_TESTS(tests);
}
