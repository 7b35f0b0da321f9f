/* SPDX-License-Identifier: Apache-2.0 */
/* Completion for fish: one `complete` a command and an option. */
#include "cmd/completion.h"

/* In single quotes fish reads only \\ and \'. */
static void write_quoted(struct text *t, const char *z)
{
	text_byte(t, '\'');
	for (; *z; z++) {
		if (*z == '\'' || *z == '\\')
			text_byte(t, '\\');
		text_byte(t, *z);
	}
	text_byte(t, '\'');
}

static void write_head(struct text *t, const struct command *c)
{
	text_printf(t, "complete -c tare -n '__fish_seen_subcommand_from %s'", c->name);
}

static void write_option(struct text *t, const struct command *c, const struct option *o)
{
	auto_text words = TEXT_NULL;
	write_head(t, c);
	if (o->letter)
		text_printf(t, " -s %c", o->letter);
	text_printf(t, " -l %s", o->name);
	if (completion_write_words(&words, o)) {
		text_add(t, S(" -x -a '"));
		text_add(t, text_str(&words));
		text_byte(t, '\'');
	} else if (o->kind != OPTION_FLAG) {
		text_add(t, completion_takes_file(o) ? S(" -r -F") : S(" -x"));
	}
	text_add(t, S(" -d "));
	write_quoted(t, o->help);
	text_byte(t, '\n');
}

void completion_write_fish(struct text *t)
{
	text_add(t, S("# fish completion for tare\n"
	              "complete -c tare -f\n"
	              "complete -c tare -l help -d 'Tells what there is.'\n"
	              "complete -c tare -n __fish_use_subcommand -l version -d 'Prints the "
	              "version.'\n"));
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];
		if (c->hidden)
			continue;
		text_printf(t, "complete -c tare -n __fish_use_subcommand -a %s -d ", c->name);
		write_quoted(t, c->summary);
		text_byte(t, '\n');
		for (const struct option *o = c->options; o && o->name; o++)
			write_option(t, c, o);
		if (!c->arguments[0])
			continue;
		write_head(t, c);
		if (completion_takes_command(c)) {
			text_add(t, S(" -a '"));
			completion_write_commands(t);
			text_add(t, S("'\n"));
		} else {
			text_add(t, S(" -F\n"));
		}
	}
}
