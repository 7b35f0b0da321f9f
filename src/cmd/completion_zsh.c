/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for zsh: specifications of _arguments, which zsh brings with it. */
#include "cmd/completion.h"

/* Within single quotes; SPECIAL are those that _arguments and _describe would read. */
static void write_escaped(struct text *t, struct str s, struct str special)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'') {
			text_add(t, S("'\\''"));
			continue;
		}
		for (size_t k = 0; k < special.n; k++)
			if (s.p[i] == special.p[k])
				text_byte(t, '\\');
		text_byte(t, s.p[i]);
	}
}

/* '[help]:what is given:its words' of O. */
static void write_rest(struct text *t, const struct option *o)
{
	auto_text words = TEXT_NULL;
	text_byte(t, '[');
	write_escaped(t, str_of(o->help), S("\\[]"));
	text_byte(t, ']');
	if (o->kind == OPTION_FLAG)
		return;
	text_byte(t, ':');
	write_escaped(t, str_of(o->argument ? o->argument : o->name), S("\\:"));
	text_byte(t, ':');
	if (completion_write_words(&words, o)) {
		text_byte(t, '(');
		text_add(t, text_str(&words));
		text_byte(t, ')');
	} else {
		text_add(t, completion_takes_file(o) ? S("_files") : S(" "));
	}
}

static void write_option(struct text *t, const struct option *o)
{
	bool many = o->kind == OPTION_LIST || o->kind == OPTION_EACH;
	const char *plus = o->kind == OPTION_FLAG ? "" : "+",
	           *is = o->kind == OPTION_FLAG ? "" : "=";
	text_add(t, S(" \\\n\t\t\t"));
	if (o->letter && many)
		text_printf(t, "'*'{-%c%s,--%s%s}'", o->letter, plus, o->name, is);
	else if (o->letter)
		text_printf(t, "'(-%c --%s)'{-%c%s,--%s%s}'", o->letter, o->name, o->letter, plus,
		            o->name, is);
	else
		text_printf(t, "'%s--%s%s", many ? "*" : "", o->name, is);
	write_rest(t, o);
	text_byte(t, '\'');
}

static void write_command(struct text *t, const struct command *c)
{
	text_printf(t, "\t%s)\n\t\t_arguments -s -S", c->name);
	text_add(t, S(" \\\n\t\t\t'--help[Tells what this command does.]'"));
	for (const struct option *o = c->options; o && o->name; o++)
		write_option(t, o);
	if (completion_takes_command(c)) {
		text_add(t, S(" \\\n\t\t\t':command:("));
		completion_write_commands(t);
		text_add(t, S(")'"));
	} else if (c->arguments[0]) {
		text_add(t, S(" \\\n\t\t\t'*:input:_files'"));
	}
	text_add(t, S(" ;;\n"));
}

void completion_write_zsh(struct text *t)
{
	text_add(t, S("#compdef tare\n"
	              "# zsh completion for tare\n"
	              "_tare()\n{\n"
	              "\tif ((CURRENT == 2)); then\n"
	              "\t\tlocal -a found=(\n"));
	for (size_t i = 0; commands[i]; i++) {
		if (commands[i]->hidden)
			continue;
		text_printf(t, "\t\t\t'%s:", commands[i]->name);
		write_escaped(t, str_of(commands[i]->summary), S("\\:"));
		text_add(t, S("'\n"));
	}
	text_add(t, S("\t\t)\n"
	              "\t\t_describe command found\n"
	              "\t\treturn\n\tfi\n"
	              "\tshift words\n\t((CURRENT--))\n"
	              "\tcase $words[1] in\n"));
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			write_command(t, commands[i]);
	text_add(t, S("\tesac\n}\n_tare \"$@\"\n"));
}
