/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/arena.h"
#include "cmd/usage.h"

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct str s = str_of(argv[i]);
		if (str_eq(s, S("--")))
			return false;
		if (str_eq(s, S("--help")) || str_eq(s, S("-h")))
			return true;
	}
	return false;
}

static int main_unknown(struct str name)
{
	struct err err;
	const char *near = NULL;
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			option_nearest(name, commands[i]->name, &near);
	if (near)
		err_set(&err, ERR_USAGE, "there is no command '%.*s'\nhint: did you mean '%s'?",
		        STR_FMT(name), near);
	else
		err_set(&err, ERR_USAGE,
		        "there is no command '%.*s'\nhint: 'tare help' lists the commands",
		        STR_FMT(name));
	usage_complain(NULL, &err);
	return err_exit_status(ERR_USAGE);
}

int main(int argc, char **argv)
{
	auto_text t = TEXT_NULL;
	mem_init();
	if (argc < 2) {
		fputs("tare: no command\nhint: 'tare help' lists the commands; "
		      "'tare report FILE...' is the first one to try\n",
		      stderr);
		return err_exit_status(ERR_USAGE);
	}
	struct str name = str_of(argv[1]);
	if (str_eq(name, S("--help")) || str_eq(name, S("-h")))
		name = S("help");
	if (str_eq(name, S("--version")))
		name = S("version");
	const struct command *c = usage_find(name);
	if (!c)
		return main_unknown(name);
	if (asks_for_help(argc - 1, argv + 1)) {
		usage_write_command(&t, c);
		return usage_print(&t);
	}
	return c->run(argc - 1, argv + 1);
}
