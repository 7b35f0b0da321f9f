/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include "base/str.h"
#include "lib/run.h"

static void says_what_failed(void **state)
{
	(void)state;
	struct err err = { 0 };
	assert_int_equal(err_set(&err, ERR_INPUT, "cannot open '%s'", "x"), ERR_INPUT);
	assert_int_equal(err.code, ERR_INPUT);
	assert_string_equal(err.text, "cannot open 'x'");
	assert_int_equal(err_set(NULL, ERR_LIMIT, "nobody listens"), ERR_LIMIT);
}

static void puts_context_in_front(void **state)
{
	(void)state;
	struct err err;
	err_set(&err, ERR_LIMIT, "too long");
	assert_int_equal(err_wrap(&err, "%s:%d: ", "a.csv", 7), ERR_LIMIT);
	assert_string_equal(err.text, "a.csv:7: too long");
	assert_int_equal(err_wrap(&err, "input "), ERR_LIMIT);
	assert_string_equal(err.text, "input a.csv:7: too long");
	assert_int_not_equal(err_wrap(NULL, "x"), ERR_OK);
}

static void cuts_text_at_its_size(void **state)
{
	(void)state;
	char just[sizeof((struct err *)0)->text], over[sizeof just + 8];
	memset(just, 'a', sizeof just);
	just[sizeof just - 1] = '\0';
	memset(over, 'b', sizeof over);
	over[sizeof over - 1] = '\0';
	struct err err;
	err_set(&err, ERR_INPUT, "%s", just);
	assert_string_equal(err.text, just); /* the longest that fits */
	err_wrap(&err, "x");                 /* the end gives way, the front is kept */
	assert_int_equal(strlen(err.text), sizeof just - 1);
	assert_true(err.text[0] == 'x' && err.text[1] == 'a');
	err_set(&err, ERR_INPUT, "%s", over);
	assert_int_equal(strlen(err.text), sizeof just - 1);
	err_set(&err, ERR_INPUT, "short");
	err_wrap(&err, "%s", over); /* context that leaves no room */
	assert_int_equal(strlen(err.text), sizeof just - 1);
	assert_int_equal(err.text[sizeof just - 2], 'b');
}

static void table_gives_status_and_help(void **state)
{
	(void)state;
	const enum err_code codes[] = {
#define ERROR(code, exit, http, help) ERR_##code,
#include "base/errors.def"
#undef ERROR
	};
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		assert_int_equal(codes[i], i);
		struct str help = str_of(err_help(codes[i]));
		assert_true(help.n > 1 && str_ends(help, S(".")));
		int exit_status = err_exit_status(codes[i]), http = err_http_status(codes[i]);
		assert_true(exit_status >= 0 && exit_status < 126); /* above: the shell's own */
		assert_true(http >= 200 && http < 600);
		assert_true((exit_status == 0) == (codes[i] == ERR_OK));
	}
	/* the contract of the command line */
	assert_int_equal(err_exit_status(ERR_FINDINGS), 1);
	assert_int_equal(err_exit_status(ERR_USAGE), 2);
	assert_int_equal(err_exit_status(ERR_INPUT), 3);
	assert_int_equal(err_exit_status(ERR_REJECTS), 4);
	assert_int_equal(err_exit_status(ERR_IDENTITY), 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_failed),
		cmocka_unit_test(puts_context_in_front),
		cmocka_unit_test(cuts_text_at_its_size),
		cmocka_unit_test(table_gives_status_and_help),
	};
	return RUN_TESTS(tests);
}
