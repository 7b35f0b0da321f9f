/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for bash, from the command tables. */
#include "cmd/usage.h"
#include "read/reader.h"
#include "report/report.h"

static const struct option options[] = { { 0 } };

static void write_names(struct text *t)
{
	for (size_t i = 0, n = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			text_printf(t, "%s%s", n++ ? " " : "", commands[i]->name);
}

/* What may follow an option that takes a value: its words, or files. */
static void write_values(struct text *t, const struct command *c)
{
	for (const struct option *o = c->options; o && o->name; o++) {
		if (o->kind == OPTION_FLAG)
			continue;
		text_printf(t, "\t%s\\ --%s", c->name, o->name);
		if (o->letter)
			text_printf(t, "|%s\\ -%c", c->name, o->letter);
		text_add(t, S(") words=\""));
		if (o->kind == OPTION_CHOICE)
			for (size_t i = 0; o->choices[i]; i++)
				text_printf(t, "%s%s", i ? " " : "", o->choices[i]);
		else if (str_eq(str_of(o->name), S("format")))
			for (size_t i = 0; formats[i]; i++)
				text_printf(t, "%s%s", i ? " " : "", formats[i]->name);
		else if (str_eq(str_of(o->name), S("as")))
			for (size_t i = 0; readers[i]; i++)
				text_printf(t, "%s%s", i ? " " : "", readers[i]->name);
		text_add(t, S("\" value=1 ;;\n"));
	}
}

static void write_script(struct text *t)
{
	text_add(t,
	         S("# bash completion for tare\n"
	           "_tare()\n{\n"
	           "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous= command=${COMP_WORDS[1]}\n"
	           "\tlocal words= value=\n"
	           "\t((COMP_CWORD > 1)) && previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	           "\tif ((COMP_CWORD == 1)); then\n\t\twords=\""));
	write_names(t);
	text_add(t, S(" --help --version\"\n"
	              "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	              "\t\treturn\n\tfi\n"
	              "\tcase $command\\ $previous in\n"));
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			write_values(t, commands[i]);
	text_add(t,
	         S("\tesac\n\tif [[ -z $value && $current == -* ]]; then\n\t\tcase $command in\n"));
	for (size_t i = 0; commands[i]; i++) {
		if (commands[i]->hidden)
			continue;
		text_printf(t, "\t\t%s) words=\"--help", commands[i]->name);
		for (const struct option *o = commands[i]->options; o && o->name; o++)
			text_printf(t, " --%s", o->name);
		text_add(t, S("\" ;;\n"));
	}
	text_add(t, S("\t\tesac\n\telif [[ $command == help ]]; then\n\t\twords=\""));
	write_names(t);
	text_add(t, S("\"\n\tfi\n"
	              "\tif [[ -n $words ]]; then\n"
	              "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	              "\telse\n"
	              "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	              "\tfi\n}\n"
	              "complete -o filenames -F _tare tare\n"));
}

static int completion_run(int argc, char **argv)
{
	auto_words words = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	if (option_parse(options, argc, argv, NULL, &words, &err) ||
	    ((words.n != 1 || !str_eq(words.v[0], S("bash"))) &&
	     err_set(&err, ERR_USAGE, "takes the name of a shell: bash"))) {
		usage_complain("completion", &err);
		return err_exit_status(err.code);
	}
	write_script(&t);
	return usage_print(&t);
}

static const struct command_example examples[] = {
	{ "tare completion bash", "Prints the script that 'make install' installs.", 0 },
	{ "tare completion --help", "Tells what this command does.", 0 },
	{ 0 },
};

const struct command command_completion = {
	.name = "completion",
	.summary = "Prints completion for a shell.",
	.arguments = "bash",
	.help = "",
	.options = options,
	.examples = examples,
	.run = completion_run,
	.hidden = true,
};
