/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/usage.h"
#include "read/reader.h"
#include "report/report.h"

static const struct option options[] = { { 0 } };

static void list_row(struct text *t, const char *name, const char *help)
{
	usage_write_row(t, str_of(name), str_of(help));
}

static int formats_run(int argc, char **argv)
{
	auto_words words = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	if (option_parse(options, argc, argv, NULL, &words, &err) ||
	    (words.n && err_set(&err, ERR_USAGE, "takes no arguments"))) {
		usage_complain("formats", &err);
		return err_exit_status(err.code);
	}
	text_add(&t, S("Read, recognised from content (--as NAME forces one):\n\n"));
	for (size_t i = 0; readers[i]; i++)
		list_row(&t, readers[i]->name, readers[i]->help);
	text_add(&t, S("\nWritten (--format NAME):\n\n"));
	for (size_t i = 0; formats[i]; i++)
		list_row(&t, formats[i]->name, formats[i]->help);
	return usage_print(&t);
}

static const struct command_example examples[] = {
	{ "tare formats", "Lists what can be read and written.", 0 },
	{ "tare formats --help", "Tells what this command does.", 0 },
	{ 0 },
};

const struct command command_formats = {
	.name = "formats",
	.summary = "Lists the formats that are read, and how to get such files; and those that are "
	           "written.",
	.arguments = "",
	.help = "",
	.options = options,
	.examples = examples,
	.run = formats_run,
};
