/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hostlist.h"

#include "base/limits.h"
#include "base/text.h"
#include "lib/run.h"

static void add(void *context, struct str name)
{
	struct text *t = context;
	if (t->n)
		text_byte(t, ' ');
	text_add(t, name);
}

static void names_what_brackets_stand_for(void **state)
{
	(void)state;
	static const struct {
		const char *in, *want;
		uint32_t n;
	} rows[] = {
		{ "node1", "node1", 1 },
		{ "node[0009-0011,0281],x", "node0009 node0010 node0011 node0281 x", 5 },
		{ "gpu-[1-2]-[03-04]", "gpu-1-03 gpu-1-04 gpu-2-03 gpu-2-04", 4 },
		{ "a[1,3-4]b,c", "a1b a3b a4b c", 4 },
		{ "n[8-11]", "n8 n9 n10 n11", 4 },
		{ "n[08-11]", "n08 n09 n10 n11", 4 },
		{ "cpn-f13-03-[01-02],cpn-f13-04-[01-02]",
		  "cpn-f13-03-01 cpn-f13-03-02 cpn-f13-04-01 cpn-f13-04-02", 4 },
		{ "[1-2]", "1 2", 2 },
		{ "a, b", "a b", 2 },
		{ "", "", 0 },
		{ "None assigned", "", 0 },
		{ "(null)", "", 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_text t = TEXT_NULL;
		uint32_t n = 99;
		assert_int_equal(hostlist_count(str_of(rows[i].in), &n), HOSTLIST_OK);
		assert_int_equal(n, rows[i].n);
		assert_int_equal(hostlist_each(str_of(rows[i].in), add, &t), HOSTLIST_OK);
		assert_str(text_str(&t), rows[i].want);
	}
}

static void refuses_what_is_no_list(void **state)
{
	(void)state;
	static const char *const bad[] = { "n[",     "n]",
		                           "n[]",    "n[1-]",
		                           "n[-1]",  "n[2-1]",
		                           "n[a]",   "n[1,]",
		                           "a,,b",   "a,",
		                           ",a",     "n[1-2",
		                           "a b",    "n[1]]",
		                           "n[[1]]", "n[1234567890123456789]",
		                           "n[+1]",  "n[1][1][1][1][1][1][1][1][1]" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint32_t n;
		assert_int_equal(hostlist_count(str_of(bad[i]), &n), HOSTLIST_BAD);
	}
}

static void counts_up_to_the_limit(void **state)
{
	(void)state;
	uint32_t n = 0;
	assert_int_equal(HOSTLIST_MAX, 1000000);
	assert_int_equal(hostlist_count(S("n[1-1000000]"), &n), HOSTLIST_OK);
	assert_int_equal(n, HOSTLIST_MAX);
	assert_int_equal(hostlist_count(S("n[0-1000000]"), &n), HOSTLIST_TOO_MANY);
	assert_int_equal(hostlist_count(S("n[1-1000000],x"), &n), HOSTLIST_TOO_MANY);
	assert_int_equal(hostlist_count(S("n[0-999][0-999]"), &n), HOSTLIST_OK);
	assert_int_equal(hostlist_count(S("n[0-999][0-1000]"), &n), HOSTLIST_TOO_MANY);
	assert_int_equal(hostlist_count(S("n[0-999999999999999999][0-999999999999999999]"), &n),
	                 HOSTLIST_TOO_MANY);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_brackets_stand_for),
		cmocka_unit_test(refuses_what_is_no_list),
		cmocka_unit_test(counts_up_to_the_limit),
	};
	return RUN_TESTS(tests);
}
