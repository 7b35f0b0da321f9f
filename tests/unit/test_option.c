/* SPDX-License-Identifier: Apache-2.0 */
#include "base/option.h"

#include "lib/run.h"

struct values {
	bool all, both;
	const char *name;
	struct words keys, files;
	int format;
	int64_t rows, twice;
};

static const char *const format_words[] = { "text", "json", NULL };

static enum err_code take_twice(void *field, struct str value, struct err *err)
{
	int64_t v;
	if (!str_to_i64(value, &v))
		return err_set(err, ERR_USAGE, "'%.*s' is no number", STR_FMT(value));
	*(int64_t *)field = v * 2;
	return ERR_OK;
}

static const struct option table[] = {
	OPTION(FLAG, struct values, all, "all", 'a', NULL, "All of it."),
	OPTION(FLAG, struct values, both, "both", 'b', NULL, "Both."),
	OPTION(TEXT, struct values, name, "name", 'n', "NAME", "A name."),
	OPTION(LIST, struct values, keys, "by", 0, "KEY,...", "Keys."),
	OPTION(EACH, struct values, files, "map", 'm', "F", "Files."),
	{ .name = "format",
	  .letter = 'f',
	  .kind = OPTION_CHOICE,
	  .offset = offsetof(struct values, format),
	  .choices = format_words,
	  .help = "How." },
	{ .name = "rows",
	  .kind = OPTION_COUNT,
	  .argument = "N",
	  .offset = offsetof(struct values, rows),
	  .min = 1,
	  .max = 1000,
	  .help = "Rows." },
	{ .name = "twice",
	  .kind = OPTION_TAKE,
	  .argument = "N",
	  .offset = offsetof(struct values, twice),
	  .take = take_twice,
	  .help = "Twice." },
	{ 0 },
};

struct parsed {
	struct values v;
	struct words words;
	struct err err;
	enum err_code code;
};

static struct parsed parse(const char *const *args)
{
	struct parsed p = { 0 };
	char *argv[32] = { (char *)(uintptr_t) "top" };
	int argc = 1;
	for (; args[argc - 1]; argc++)
		argv[argc] = (char *)(uintptr_t)args[argc - 1];
	p.code = option_parse(table, argc, argv, &p.v, &p.words, &p.err);
	return p;
}

static void done(struct parsed *p)
{
	words_deinit(&p->words);
	words_deinit(&p->v.keys);
	words_deinit(&p->v.files);
}
#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void takes_options_and_words_in_any_order(void **state)
{
	(void)state;
	struct parsed p =
	        PARSE("in1", "--all", "--name=x=y", "-", "--rows", "1000", "-f", "json", "in2",
	              "--by", "user, team", "--by=model", "--map", "a,b", "-mc", "--twice", "-21");
	assert_int_equal(p.code, ERR_OK);
	assert_true(p.v.all && !p.v.both);
	assert_string_equal(p.v.name, "x=y");
	assert_int_equal(p.v.rows, 1000);
	assert_int_equal(p.v.format, 1);
	assert_int_equal(p.v.twice, -42);
	assert_int_equal(p.words.n, 3);
	assert_str(p.words.v[1], "-");
	assert_str(p.words.v[2], "in2");
	assert_int_equal(p.v.keys.n, 3);
	assert_str(p.v.keys.v[1], "team");
	assert_int_equal(p.v.files.n, 2);
	assert_str(p.v.files.v[0], "a,b");
	assert_str(p.v.files.v[1], "c");
	done(&p);
}

static void lets_flags_stand_together_and_values_follow_their_letter(void **state)
{
	(void)state;
	struct parsed p = PARSE("-abnX", "-n", "-7d");
	assert_int_equal(p.code, ERR_OK);
	assert_true(p.v.all && p.v.both);
	assert_string_equal(p.v.name, "-7d"); /* a value may look like an option; the last holds */
	assert_int_equal(p.words.n, 0);
	done(&p);
}

static void ends_options_at_two_dashes(void **state)
{
	(void)state;
	struct parsed p = PARSE("--all", "--", "--both", "-x", "--");
	assert_int_equal(p.code, ERR_OK);
	assert_true(p.v.all && !p.v.both);
	assert_int_equal(p.words.n, 3);
	assert_str(p.words.v[2], "--");
	done(&p);
}

static void says_what_is_wrong_and_what_is_near(void **state)
{
	(void)state;
	static const struct {
		const char *args[3], *text;
	} cases[] = {
		{ { "--rosw=2" }, "there is no option --rosw\nhint: did you mean --rows?" },
		{ { "--form" }, "there is no option --form\nhint: did you mean --format?" },
		{ { "--zzz" }, "there is no option --zzz\nhint: 'tare help top' lists them" },
		{ { "-z" }, "there is no option -z\nhint: 'tare help top' lists them" },
		{ { "--name" }, "--name needs a value: NAME" },
		{ { "-n" }, "--name needs a value: NAME" },
		{ { "--all=1" }, "--all takes no value" },
		{ { "--format", "jsn" },
		  "--format does not know 'jsn'\nhint: did you mean 'json'?" },
		{ { "--format=x" }, "--format does not know 'x'; it takes text, json" },
		{ { "--rows", "0" }, "--rows takes 1 to 1000, not 0" },
		{ { "--rows", "1001" }, "--rows takes 1 to 1000, not 1001" },
		{ { "--rows=" }, "--rows takes a whole number, not ''" },
		{ { "--by", "a,,b" }, "--by has an empty part" },
		{ { "--twice", "x" }, "--twice: 'x' is no number" },
		{ { "--"
		    "\xff" },
		  "there is no option --\xff\nhint: 'tare help top' lists them" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct parsed p = parse(cases[i].args);
		assert_int_equal(p.code, ERR_USAGE);
		assert_string_equal(p.err.text, cases[i].text);
		done(&p);
	}
}

static void writes_how_an_option_is_written(void **state)
{
	(void)state;
	static const char *const want[] = { "-a, --all",    "-b, --both",  "-n, --name NAME",
		                            "--by KEY,...", "-m, --map F", "-f, --format text|json",
		                            "--rows N",     "--twice N" };
	for (size_t i = 0; table[i].name; i++) {
		auto_text t = TEXT_NULL;
		option_write_usage(&t, &table[i]);
		assert_str(text_str(&t), want[i]);
	}
}

static void counts_edits(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		unsigned want;
	} cases[] = {
		{ "", "", 0 },
		{ "a", "", 1 },
		{ "", "abc", 3 },
		{ "report", "report", 0 },
		{ "reprot", "report", 1 },
		{ "kitten", "sitting", 3 },
		{ "ab", "ba", 1 },
		{ "abc", "ca", 3 },
		{ "flaw", "lawn", 2 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(option_distance(str_of(cases[i].a), str_of(cases[i].b)),
		                 cases[i].want);
		assert_int_equal(option_distance(str_of(cases[i].b), str_of(cases[i].a)),
		                 cases[i].want);
	}
	const char *longest = "abcdefghijklmnopqrstuvwxyzabcdef"; /* 32: still counted */
	assert_int_equal(option_distance(str_of(longest), str_of(longest)), 0);
	assert_int_equal(option_distance(S("abcdefghijklmnopqrstuvwxyzabcdefg"), str_of(longest)),
	                 33);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_options_and_words_in_any_order),
		cmocka_unit_test(lets_flags_stand_together_and_values_follow_their_letter),
		cmocka_unit_test(ends_options_at_two_dashes),
		cmocka_unit_test(says_what_is_wrong_and_what_is_near),
		cmocka_unit_test(writes_how_an_option_is_written),
		cmocka_unit_test(counts_edits),
	};
	return RUN_TESTS(tests);
}
