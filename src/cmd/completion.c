/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for shells, from the command tables. */
#include "cmd/completion.h"

#include "cmd/usage.h"
#include "read/reader.h"

static const struct option options[] = { { 0 } };

static const struct {
	const char *name;
	void (*write)(struct text *t);
} shells[] = {
	{ "bash", completion_write_bash },
	{ "fish", completion_write_fish },
	{ "zsh", completion_write_zsh },
};

static void write_word(struct text *t, const char *word, size_t n)
{
	text_printf(t, "%s%s", n ? " " : "", word);
}

void completion_write_commands(struct text *t)
{
	for (size_t i = 0, n = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			write_word(t, commands[i]->name, n++);
}

bool completion_write_words(struct text *t, const struct option *o)
{
	size_t n = 0;
	if (o->kind == OPTION_CHOICE)
		for (; o->choices[n]; n++)
			write_word(t, o->choices[n], n);
	else if (str_eq(str_of(o->name), S("as")))
		for (; readers[n]; n++)
			write_word(t, readers[n]->name, n);
	return n > 0;
}

bool completion_takes_file(const struct option *o)
{
	return o->argument && str_eq(str_of(o->argument), S("F"));
}

bool completion_takes_command(const struct command *c)
{
	return str_starts(str_of(c->arguments), S("[COMMAND"));
}

static int completion_run(int argc, char **argv)
{
	auto_words words = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	if (option_parse(options, argc, argv, NULL, &words, &err) ||
	    (words.n != 1 && err_set(&err, ERR_USAGE, "takes the name of a shell"))) {
		usage_complain("completion", &err);
		return err_exit_status(err.code);
	}
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (str_eq(words.v[0], str_of(shells[i].name))) {
			shells[i].write(&t);
			return usage_print(&t);
		}
	err_set(&err, ERR_USAGE, "there is no completion for '%.*s'\nhint: bash, fish, zsh",
	        STR_FMT(words.v[0]));
	usage_complain("completion", &err);
	return err_exit_status(err.code);
}

static const struct command_example examples[] = {
	{ "tare completion bash", "Prints the script that 'make install' installs.", 0 },
	{ "tare completion zsh", "The same for zsh: a file _tare in a folder of $fpath.", 0 },
	{ 0 },
};

const struct command command_completion = {
	.name = "completion",
	.summary = "Prints completion for a shell.",
	.arguments = "bash|fish|zsh",
	.help = "",
	.options = options,
	.examples = examples,
	.run = completion_run,
	.hidden = true,
};
