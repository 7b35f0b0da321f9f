/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/usage.h"

static const struct option options[] = { { 0 } };

static int help_run(int argc, char **argv)
{
	auto_words words = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	if (option_parse(options, argc, argv, NULL, &words, &err)) {
		usage_complain("help", &err);
		return err_exit_status(err.code);
	}
	if (!words.n)
		usage_write_all(&t);
	for (size_t i = 0; i < words.n; i++) {
		const struct command *c = usage_find(words.v[i]);
		const char *near = NULL;
		for (size_t j = 0; !c && commands[j]; j++)
			option_nearest(words.v[i], commands[j]->name, &near);
		if (!c) {
			err_set(&err, ERR_USAGE, "there is no command '%.*s'%s%s%s",
			        STR_FMT(words.v[i]), near ? "\nhint: did you mean '" : "",
			        near ? near : "", near ? "'?" : "");
			usage_complain("help", &err);
			return err_exit_status(err.code);
		}
		if (i)
			text_byte(&t, '\n');
		usage_write_command(&t, c);
	}
	return usage_print(&t);
}

static const struct command_example examples[] = {
	{ "tare help", "Lists the commands.", 0 },
	{ "tare help report", "Tells what 'tare report' does, its options and examples of its use.",
	  0 },
	{ 0 },
};

const struct command command_help = {
	.name = "help",
	.summary = "Tells what a command does, its options and examples.",
	.arguments = "[COMMAND...]",
	.help = "",
	.options = options,
	.examples = examples,
	.run = help_run,
};
