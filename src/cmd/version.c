/* SPDX-License-Identifier: Apache-2.0 */
#include "version.h"

#include "cmd/usage.h"

static const struct option options[] = { { 0 } };

static int version_run(int argc, char **argv)
{
	auto_words words = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	if (option_parse(options, argc, argv, NULL, &words, &err) ||
	    (words.n && err_set(&err, ERR_USAGE, "takes no arguments"))) {
		usage_complain("version", &err);
		return err_exit_status(err.code);
	}
	text_printf(&t, "tare %s\n", TARE_VERSION);
	return usage_print(&t);
}

static const struct command_example examples[] = {
	{ "tare version", "Prints the program's name and version.", 0 },
	{ "tare --version", "The same.", 0 },
	{ 0 },
};

const struct command command_version = {
	.name = "version",
	.summary = "Prints the version.",
	.arguments = "",
	.help = "",
	.options = options,
	.examples = examples,
	.run = version_run,
};
