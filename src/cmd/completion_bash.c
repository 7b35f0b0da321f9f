/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for bash: a function that prints words for compgen, with no help from other packages.
 */
#include "cmd/completion.h"

/* One case for each option that takes a value: its words, or none for files. */
static void write_values(struct text *t, const struct command *c)
{
	for (const struct option *o = c->options; o && o->name; o++) {
		if (o->kind == OPTION_FLAG)
			continue;
		text_printf(t, "\t%s\\ --%s", c->name, o->name);
		if (o->letter)
			text_printf(t, "|%s\\ -%c", c->name, o->letter);
		text_add(t, S(") words=\""));
		completion_write_words(t, o);
		text_add(t, S("\" value=1 ;;\n"));
	}
}

void completion_write_bash(struct text *t)
{
	text_add(t,
	         S("# bash completion for tare\n"
	           "_tare()\n{\n"
	           "\tlocal current=${COMP_WORDS[COMP_CWORD]} previous= command=${COMP_WORDS[1]}\n"
	           "\tlocal words= value=\n"
	           "\t((COMP_CWORD > 1)) && previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	           "\tif ((COMP_CWORD == 1)); then\n\t\twords=\""));
	completion_write_commands(t);
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
	completion_write_commands(t);
	text_add(t, S("\"\n\tfi\n"
	              "\tif [[ -n $words ]]; then\n"
	              "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	              "\telse\n"
	              "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
	              "\tfi\n}\n"
	              "complete -o filenames -F _tare tare\n"));
}
