/* SPDX-License-Identifier: Apache-2.0 */
/* Manual pages (roff, man macros), from the command tables. */
#include "cmd/usage.h"
#include "version.h"

static const struct option options[] = { { 0 } };

/* Text as roff: backslashes and hyphens escaped, no line that starts with a control character. */
static void write_roff(struct text *t, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool starts = i == 0 || s.p[i - 1] == '\n';
		if (starts && (s.p[i] == '.' || s.p[i] == '\''))
			text_add(t, S("\\&"));
		if (s.p[i] == '\\')
			text_add(t, S("\\e"));
		else if (s.p[i] == '-')
			text_add(t, S("\\-"));
		else
			text_byte(t, s.p[i]);
	}
}

static void write_head(struct text *t, const char *title, const char *name, const char *summary)
{
	text_printf(t, ".TH %s 1 \"\" \"tare %s\" \"tare\"\n.SH NAME\n", title, TARE_VERSION);
	write_roff(t, str_of(name));
	text_add(t, S(" \\- "));
	write_roff(t, str_of(summary));
	text_byte(t, '\n');
}

static void write_item(struct text *t, struct str head, struct str says)
{
	text_add(t, S(".TP\n.B "));
	write_roff(t, head);
	text_byte(t, '\n');
	write_roff(t, says);
	text_byte(t, '\n');
}

static void write_paragraphs(struct text *t, struct str help)
{
	struct str line;
	while (str_cut_line(&help, &line)) {
		if (!line.n) {
			text_add(t, S(".PP\n"));
			continue;
		}
		if (line.p[0] == ' ')
			text_add(t, S(".br\n"));
		write_roff(t, str_trim(line));
		text_byte(t, '\n');
	}
}

static void write_command(struct text *t, struct arena *a, const struct command *c)
{
	write_head(t, arena_printf(a, "tare\\-%s", c->name), arena_printf(a, "tare-%s", c->name),
	           c->summary);
	text_printf(t, ".SH SYNOPSIS\n.B tare %s\n", c->name);
	if (c->options && c->options->name)
		text_add(t, S("[OPTIONS] "));
	write_roff(t, str_of(c->arguments));
	text_add(t, S("\n.SH DESCRIPTION\n"));
	write_paragraphs(t, str_of(c->help && c->help[0] ? c->help : c->summary));
	if (c->options && c->options->name)
		text_add(t, S(".SH OPTIONS\n"));
	for (const struct option *o = c->options; o && o->name; o++) {
		auto_text head = TEXT_NULL;
		option_write_usage(&head, o);
		write_item(t, text_str(&head), str_of(o->help));
	}
	text_add(t, S(".SH EXAMPLES\n"));
	for (const struct command_example *e = c->examples; e->line; e++)
		write_item(t, str_of(e->line), str_of(e->says));
	text_add(t, S(".SH \"SEE ALSO\"\n.BR tare (1)\n"));
}

static void write_program(struct text *t)
{
	write_head(t, "TARE", "tare", "accounts for every GPU-second that is paid for");
	text_add(t, S(".SH SYNOPSIS\n.B tare\nCOMMAND [OPTIONS] [ARGUMENTS]\n.SH COMMANDS\n"));
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			write_item(t, str_of(commands[i]->name), str_of(commands[i]->summary));
	text_add(t, S(".SH \"EXIT STATUS\"\n"));
	for (int code = 0; code <= ERR_IDENTITY; code++) {
		auto_text number = TEXT_NULL;
		text_printf(&number, "%d", err_exit_status((enum err_code)code));
		write_item(t, text_str(&number), str_of(err_help((enum err_code)code)));
	}
	text_add(t, S(".SH \"SEE ALSO\"\n"));
	for (size_t i = 0, n = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			text_printf(t, "%s.BR tare\\-%s (1)", n++ ? ",\n" : "", commands[i]->name);
	text_byte(t, '\n');
}

static int manual_run(int argc, char **argv)
{
	auto_words words = { 0 };
	auto_text t = TEXT_NULL;
	auto_arena a = ARENA_NULL;
	struct err err = { 0 };
	const struct command *c = NULL;
	enum err_code code = option_parse(options, argc, argv, NULL, &words, &err);
	if (!code && words.n > 1)
		code = err_set(&err, ERR_USAGE, "takes one command at most");
	if (!code && words.n == 1 && !(c = usage_find(words.v[0])))
		code = err_set(&err, ERR_USAGE, "there is no command '%.*s'", STR_FMT(words.v[0]));
	if (code) {
		usage_complain("manual", &err);
		return err_exit_status(code);
	}
	if (c)
		write_command(&t, &a, c);
	else
		write_program(&t);
	return usage_print(&t);
}

static const struct command_example examples[] = {
	{ "tare manual", "Prints the manual page of the program, for man.", 0 },
	{ "tare manual report", "Prints the manual page of 'tare report'.", 0 },
	{ 0 },
};

const struct command command_manual = {
	.name = "manual",
	.summary = "Prints manual pages in roff.",
	.arguments = "[COMMAND]",
	.help = "",
	.options = options,
	.examples = examples,
	.run = manual_run,
	.hidden = true,
};
