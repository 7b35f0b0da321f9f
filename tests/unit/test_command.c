/* SPDX-License-Identifier: Apache-2.0 */
/* What the command tables promise: every example runs, every name is given once, every sentence
 * ends. */
#include "cmd/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "account/group.h"
#include "lib/run.h"

static bool ends_well(const char *z)
{
	struct str s = str_of(z);
	return s.n && (s.p[s.n - 1] == '.' || s.p[s.n - 1] == ')');
}

static const char *folder_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? arena_dup(a, path, (size_t)(slash - path)) : ".";
}

static void every_example_exits_as_it_says(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	char root[4096];
	run_source(root, sizeof root, "");
	for (size_t i = 0; commands[i]; i++) {
		size_t n = 0;
		for (const struct command_example *e = commands[i]->examples; e->line; e++, n++) {
			char *z = arena_printf(&a,
			                       "cd '%s' && PATH='%s':$PATH && { %s ; } >/dev/null",
			                       root, folder_of(&a, run_binary()), e->line);
			int status = system(z);
			if (!WIFEXITED(status) || WEXITSTATUS(status) != e->exit)
				fail_msg("%s: status %d, not %d", e->line, WEXITSTATUS(status),
				         e->exit);
			assert_true(ends_well(e->says));
		}
		assert_true(n >= 2);
	}
}

static void every_table_is_whole(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];
		assert_true(c->name && c->arguments && c->help && c->run && c->options);
		assert_true(ends_well(c->summary) && (!c->help[0] || ends_well(c->help)));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(c->name, commands[k]->name);
		for (const struct option *o = c->options; o->name; o++) {
			assert_true(ends_well(o->help));
			assert_true(o->kind != OPTION_CHOICE || (o->choices && o->choices[0]));
			assert_true(o->kind != OPTION_COUNT || o->min < o->max);
			assert_true(o->kind != OPTION_TAKE || o->take);
			for (const struct option *p = c->options; p < o; p++) {
				assert_string_not_equal(o->name, p->name);
				assert_true(!o->letter || o->letter != p->letter);
			}
		}
	}
}

/* group_keys.def is the list; the help of --by has to name all of it. */
static void the_help_of_by_names_every_key(void **state)
{
	(void)state;
	const struct command *c = NULL;
	const struct option *o = NULL;
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, "report"))
			c = commands[i];
	assert_non_null(c);
	for (o = c->options; o->name && strcmp(o->name, "by"); o++)
		;
	assert_non_null(o->name);
	for (int k = 0; k < GROUP_KEY_COUNT; k++)
		if (!strstr(o->help, group_keys[k].name))
			fail_msg("--by's help does not name %s", group_keys[k].name);
}

static void a_wrong_word_says_what_is_near_and_exits_2(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	static const struct {
		const char *line, *says;
	} cases[] = {
		{ "reprot", "tare: there is no command 'reprot'\nhint: did you mean 'report'?\n" },
		{ "report --formt json x",
		  "tare report: there is no option --formt\nhint: did you mean --format?\n" },
		{ "report",
		  "tare report: no input\nhint: give files, folders, or - for standard input\n" },
		{ "report x --by usr",
		  "tare report: --by: cannot group by 'usr'\nhint: did you mean 'user'?\n" },
		{ "report x --since noon", "tare report: --since: 'noon' is no time: 2026-11-01, "
		                           "2026-11-01T12:00:00Z, -7d\n" },
		{ "report x --since 2026-11-02 --until 2026-11-02",
		  "tare report: --since is not before --until\n" },
		{ "report x --count timeout=gone",
		  "tare report: --count: there is no fate 'gone'\nhint: fates are productive lost "
		  "cancelled preempted timeout pending unjudged\n" },
		{ "report x --count timeout",
		  "tare report: --count takes FATE=FATE (timeout=lost), not 'timeout'\n" },
		{ "report x --skew 5",
		  "tare report: --skew: '5' is no length of time: 5s, 10m, 1h30m, 7d\n" },
		{ "completion ksh", "tare completion: there is no completion for 'ksh'\n"
		                    "hint: bash, fish, zsh\n" },
		{ "report x -f jsno", "tare report: --format does not know 'jsno'\n"
		                      "hint: did you mean 'json'?\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char got[4096];
		char *z = arena_printf(&a, "'%s' %s 2>&1", run_binary(), cases[i].line);
		FILE *p = popen(z, "r");
		assert_non_null(p);
		size_t n = fread(got, 1, sizeof got, p);
		int status = pclose(p);
		assert_int_equal(WEXITSTATUS(status), 2);
		assert_str(((struct str){ got, n }), cases[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_example_exits_as_it_says),
		cmocka_unit_test(every_table_is_whole),
		cmocka_unit_test(the_help_of_by_names_every_key),
		cmocka_unit_test(a_wrong_word_says_what_is_near_and_exits_2),
	};
	return RUN_TESTS(tests);
}
