/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/whole.h"

extern const struct reader reader_policy;

static void the_example(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	char path[4096];
	struct str text = run_file(&a, run_source(path, sizeof path, "examples/policy.yaml"));
	struct whole w = whole_read(&reader_policy, text);
	const struct facts *f = &w.f;
	assert_string_equal(w.err.text, "");
	assert_int_equal(w.score, 90);
	assert_true(f->has_policy);
	assert_int_equal(f->reserves.n, 3);
	const struct reserve *r = f->reserves.v;
	assert_int_equal(r[0].gpus, 2);
	assert_str(names_word(&f->names, r[0].model), "H100");
	assert_false(r[0].is_reservation);
	assert_int_equal(r[0].from_ms, TIME_UNKNOWN);
	assert_int_equal(r[1].gpus, 4);
	assert_str(names_word(&f->names, r[1].pool), "serving");
	assert_true(r[2].is_reservation);
	assert_int_equal(r[2].gpus, 16);
	assert_str(names_word(&f->names, r[2].name), "launch-week");
	assert_int_equal(r[2].jobs_n, 2);
	assert_str(names_word(&f->names, f->syms.v[r[2].jobs_at + 1]), "4712");
	assert_int_equal(r[2].to_ms - r[2].from_ms, (int64_t)7 * 86400000);
	assert_int_equal(f->headrooms.n, 2);
	assert_int_equal(f->ignores.n, 5); /* four nodes of one list */
	assert_str(names_word(&f->names, f->ignores.v[0].word), "loan01");
	assert_int_equal(f->ignores.v[0].what, IGNORE_NODES);
	assert_int_equal(f->ignores.v[4].what, IGNORE_USERS);
	assert_str(names_word(&f->names, f->headrooms.v[0].job), "chat");
	assert_int_equal(f->headrooms.v[0].gpus, 2);
	assert_int_equal(f->options.count[FATE_TIMEOUT], FATE_LOST);
	assert_int_equal(f->options.count[FATE_CANCELLED], -1);
	assert_int_equal(f->options.kept_saved, 0);
	assert_int_equal(f->options.skew_ms, -1);
	whole_drop(&w);
}

static void options(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_policy,
	                            S("kept: saved\nskew: 2s\nsetup_max: 1h\nheadroom: {a: 0}\n"));
	assert_string_equal(w.err.text, "");
	assert_int_equal(w.f.options.kept_saved, 1);
	assert_int_equal(w.f.options.skew_ms, 2000);
	assert_int_equal(w.f.options.setup_max_ms, 3600000);
	assert_int_equal(w.f.headrooms.v[0].gpus, 0);
	whole_drop(&w);
}

static void errors(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "reserve: {spares: 1}\n", "1:1: reserve is a map; expected a list" },
		{ "reserve:\n- 4\n", "2:3: a reserve is a word; expected a map" },
		{ "reserve:\n- {pool: a}\n",
		  "2:3: a reserve needs one of spares, warm, reservation" },
		{ "reserve:\n- {spares: 1, warm: 1}\n",
		  "2:3: a reserve needs one of spares, warm, reservation" },
		{ "reserve:\n- {spares: 0}\n",
		  "2:4: spares is '0'; expected a whole number from 1 to 100000000" },
		{ "reserve:\n- {spares: 100000001}\n",
		  "2:4: spares is '100000001'; expected a whole number from 1 to 100000000" },
		{ "reserve:\n- {spares: 1.5}\n",
		  "2:4: spares is '1.5'; expected a whole number from 1 to 100000000" },
		{ "reserve:\n- {reservation: x}\n", "2:3: a reservation without 'gpus'" },
		{ "reserve:\n- {spares: 1, jobs: [a]}\n",
		  "2:15: gpus and jobs go with a reservation; spares and warm are counts" },
		{ "reserve:\n- {spares: 1, pool: ''}\n", "2:15: pool is empty; expected a word" },
		{ "reserve:\n- {spares: 1, from: 2026-01-02, to: 2026-01-02}\n",
		  "2:33: to is not after from" },
		{ "headroom: [a]\n",
		  "1:1: headroom is a list; expected a map of services to GPUs" },
		{ "headroom: {a: -1}\n",
		  "1:12: headroom is '-1'; expected a whole number from 0 to 100000000" },
		{ "count: lost\n", "1:1: count is a word; expected a map like {timeout: lost}" },
		{ "count: {late: lost}\n", "1:9: 'late' is no fate; expected one like timeout" },
		{ "count: {timeout: gone}\n", "1:9: 'gone' is no fate; expected one like lost" },
		{ "count: {timeout: '-'}\n", "1:9: '-' is no fate; expected one like lost" },
		{ "kept: all\n", "1:1: kept is 'all'; expected restored or saved" },
		{ "kept: saved\nskew: 5\n",
		  "2:1: skew is '5'; expected a length of time like 10m" },
		{ "kept: saved\nignored: [a]\n",
		  "2:1: unknown key 'ignored' in a policy; expected one of: reserve, headroom, "
		  "count, kept, skew, setup_max, ignore" },
		{ "kept: saved\nignore: [a]\n",
		  "2:1: ignore is a list; expected a map like {users: [probe]}" },
		{ "ignore:\n  user: a\n",
		  "2:3: unknown key 'user' in ignore; expected one of: nodes, pools, accelerators, "
		  "jobs, users, teams, queues" },
		{ "ignore:\n  nodes: 'a[1-'\n", "2:3: 'a[1-' is no list of nodes" },
		{ "kept: saved\nkept: saved\n", "2:1: key 'kept' stands twice in one map" },
		{ "- 1\n", "1:1: a policy is a list; expected a map" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct whole w = whole_read(&reader_policy, str_of(rows[i].text));
		assert_string_equal(w.err.text, rows[i].want);
		assert_false(w.f.has_policy);
		whole_drop(&w);
	}
}

static void recognised(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int score;
	} rows[] = {
		{ "reserve:\n- {spares: 1}\n", 90 },
		{ "count: {timeout: lost}\n", 90 },
		{ "headroom:\n  a: 1\nfoo: 1\n", 50 },
		{ "skew: 5s\n", 0 },
		{ "reserve,x\n1,2\n", 0 },
		{ "", 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(reader_policy.recognise(str_of(rows[i].text), NULL),
		                 rows[i].score);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example),
		cmocka_unit_test(options),
		cmocka_unit_test(errors),
		cmocka_unit_test(recognised),
	};
	return RUN_TESTS(tests);
}
