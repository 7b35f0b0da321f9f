/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/usage.h"

#include <stdio.h>

enum { WIDTH = 100, LEFT = 2, COLUMN = 30 };

const struct command *usage_find(struct str name)
{
	for (size_t i = 0; commands[i]; i++)
		if (str_eq(name, str_of(commands[i]->name)))
			return commands[i];
	return NULL;
}

/* S broken at spaces so that every line ends before WIDTH; lines after the first start at INDENT.
 */
static void write_wrapped(struct text *t, struct str s, size_t at, size_t indent)
{
	struct str word;
	size_t column = at;
	bool first = true;
	while (str_cut(&s, ' ', &word)) {
		if (!word.n)
			continue;
		if (!first && column + 1 + word.n > WIDTH) {
			text_byte(t, '\n');
			text_repeat(t, ' ', indent);
			column = indent;
		} else if (!first) {
			text_byte(t, ' ');
			column++;
		}
		text_add(t, word);
		column += word.n;
		first = false;
	}
	text_byte(t, '\n');
}

void usage_write_row(struct text *t, struct str head, struct str says)
{
	text_repeat(t, ' ', LEFT);
	text_add(t, head);
	size_t at = LEFT + head.n;
	if (at + 2 > COLUMN) {
		text_byte(t, '\n');
		at = 0;
	}
	text_repeat(t, ' ', COLUMN - at);
	write_wrapped(t, says, COLUMN, COLUMN);
}

static void write_paragraphs(struct text *t, struct str help)
{
	struct str line;
	while (str_cut_line(&help, &line)) {
		if (line.n && line.p[0] == ' ') { /* laid out by hand */
			text_add(t, line);
			text_byte(t, '\n');
		} else {
			write_wrapped(t, line, 0, 0);
		}
	}
}

void usage_write_all(struct text *t)
{
	text_add(t, S("usage: tare COMMAND [OPTIONS] [ARGUMENTS]\n\n"));
	write_wrapped(
	        t,
	        S("tare accounts for every GPU-second that is paid for: how much of it becomes "
	          "useful work, where the rest goes, what it costs, and what to change."),
	        0, 0);
	text_byte(t, '\n');
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			usage_write_row(t, str_of(commands[i]->name), str_of(commands[i]->summary));
	text_add(t, S("\n'tare help COMMAND' tells of one. "
	              "Data goes to stdout, words to stderr.\n"
	              "Exit: 0 good; 1 findings; 2 wrong usage; 3 an input could not be used; "
	              "4 rejects of 1 % or more;\n70 the ledger does not add up.\n"));
}

static void write_options(struct text *t, const struct option *options)
{
	auto_text head = TEXT_NULL;
	if (!options || !options->name)
		return;
	text_add(t, S("\nOptions:\n"));
	for (; options->name; options++) {
		head.n = 0;
		option_write_usage(&head, options);
		usage_write_row(t, text_str(&head), str_of(options->help));
	}
}

void usage_write_command(struct text *t, const struct command *c)
{
	text_printf(t, "usage: tare %s%s%s%s\n\n", c->name,
	            c->options && c->options->name ? " [OPTIONS]" : "", c->arguments[0] ? " " : "",
	            c->arguments);
	write_wrapped(t, str_of(c->summary), 0, 0);
	if (c->help && c->help[0]) {
		text_byte(t, '\n');
		write_paragraphs(t, str_of(c->help));
	}
	write_options(t, c->options);
	text_add(t, S("\nExamples:\n"));
	for (const struct command_example *e = c->examples; e->line; e++) {
		text_printf(t, "  %s\n      ", e->line);
		write_wrapped(t, str_of(e->says), 6, 6);
	}
}

void usage_complain(const char *command, const struct err *err)
{
	auto_text t = TEXT_NULL;
	struct str all = str_of(err->text), line;
	text_printf(&t, "tare%s%s: ", command ? " " : "", command ? command : "");
	for (bool first = true; str_cut_line(&all, &line); first = false) {
		if (!first)
			text_byte(&t, '\n');
		text_plain(&t, line);
	}
	text_byte(&t, '\n');
	fwrite(t.p, 1, t.n, stderr);
}

int usage_print(const struct text *t)
{
	if (t->n)
		fwrite(t->p, 1, t->n, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("tare: cannot write to stdout\n", stderr);
		return err_exit_status(ERR_SYSTEM);
	}
	return 0;
}
