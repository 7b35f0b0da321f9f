/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as GitHub-flavoured Markdown. Words of users are never markup: what could begin some is
   escaped, and tables stay tables. */
#include <string.h>

#include "report/report.h"

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

/* Whether the I-th byte of S has to be escaped. "_" between letters is no emphasis. */
static bool is_markup(struct str s, size_t i)
{
	static const char always[] = "\\`*[]|~";
	char c = s.p[i];
	if (c == '_')
		return !(i && i + 1 < s.n && is_word(s.p[i - 1]) && is_word(s.p[i + 1]));
	return memchr(always, c, sizeof always - 1) != NULL;
}

/* S begins what would be a list, a heading or a line across: where the byte stands that has to be
   escaped, or S.n. */
static size_t block_mark(struct str s)
{
	size_t i = 0, line = 0;
	while (line < s.n && memchr("-=+_ ", s.p[line], 5))
		line++;
	if (s.n && (s.p[0] == '#' || line == s.n))
		return 0;
	if (s.n > 1 && (s.p[0] == '+' || s.p[0] == '-') && s.p[1] == ' ')
		return 0;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i && i + 1 < s.n && (s.p[i] == '.' || s.p[i] == ')') && s.p[i + 1] == ' ' ? i : s.n;
}

/* BEGINS: a line of its own, which a cell of a table does not. */
static void write_escaped(struct text *t, struct str s, bool begins)
{
	auto_text plain = TEXT_NULL;
	text_plain(&plain, s);
	s = text_str(&plain);
	size_t mark = begins ? block_mark(s) : s.n;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '<')
			text_add(t, S("&lt;"));
		else if (s.p[i] == '>')
			text_add(t, S("&gt;"));
		else if (s.p[i] == '&')
			text_add(t, S("&amp;"));
		else if (i == mark || is_markup(s, i))
			text_byte(t, '\\');
		if (s.p[i] != '<' && s.p[i] != '>' && s.p[i] != '&')
			text_byte(t, s.p[i]);
	}
}

static void write_line(struct text *t, const char *before, struct str s, const char *after)
{
	text_add(t, str_of(before));
	write_escaped(t, s, true);
	text_add(t, str_of(after));
	text_byte(t, '\n');
}

static void write_heads(struct text *t, const struct doc_block *b)
{
	for (size_t c = 0; c < b->columns_n; c++) {
		if (b->columns[c].align == DOC_BAR)
			continue;
		text_add(t, S("| "));
		write_escaped(t, str_of(b->columns[c].head), false);
		text_byte(t, ' ');
	}
	text_add(t, S("|\n"));
	for (size_t c = 0; c < b->columns_n; c++)
		if (b->columns[c].align != DOC_BAR)
			text_add(t, b->columns[c].align == DOC_RIGHT ? S("| ---: ") : S("| --- "));
	text_add(t, S("|\n"));
}

/* Bars are left out: their numbers stand beside them. */
static void write_table(struct text *t, const struct doc_block *b, bool gap)
{
	struct doc_cell row[DOC_COLUMNS_MAX];
	for (bool first = true;; first = false) {
		auto_arena a = ARENA_NULL;
		memset(row, 0, sizeof row);
		if (!b->next(b->state, &a, row))
			return;
		if (first && gap)
			text_byte(t, '\n');
		if (first && b->text.n)
			write_line(t, "## ", b->text, "\n");
		if (first)
			write_heads(t, b);
		for (size_t c = 0; c < b->columns_n; c++) {
			if (b->columns[c].align == DOC_BAR)
				continue;
			text_add(t, S("| "));
			write_escaped(t, row[c].text, false);
			text_byte(t, ' ');
		}
		text_add(t, S("|\n"));
	}
}

static void write_finding(struct text *t, const struct doc_block *b)
{
	write_line(t, "- **", b->text, "**");
	for (size_t i = 0; i < b->lines_n; i++)
		write_line(t, "  - ", b->lines[i], "");
}

static void write_block(struct text *t, const struct doc_block *b, enum doc_kind before)
{
	bool list = b->kind == DOC_NOTE || b->kind == DOC_FINDING;
	bool gap = t->n && !(list && b->kind == before);
	if (gap && b->kind != DOC_TABLE)
		text_byte(t, '\n');
	switch (b->kind) {
	case DOC_TITLE:
		write_line(t, "# ", b->text, "");
		break;
	case DOC_HEADING:
		write_line(t, "## ", b->text, "");
		break;
	case DOC_HEADLINE:
		write_line(t, "**", b->text, "**");
		break;
	case DOC_TEXT:
		write_line(t, "", b->text, "");
		break;
	case DOC_NOTE:
		write_line(t, "- ", b->text, "");
		break;
	case DOC_TABLE:
		write_table(t, b, gap);
		break;
	case DOC_FINDING:
		write_finding(t, b);
		break;
	case DOC_FALL:
	case DOC_STACKS:
	case DOC_FOOT:
		break;
	}
}

static void as_md_write(const struct doc *d, const struct format_options *o, struct text *t)
{
	(void)o;
	for (size_t i = 0; i < d->blocks.n; i++)
		write_block(t, &d->blocks.v[i], i ? d->blocks.v[i - 1].kind : DOC_TITLE);
}

const struct format format_as_md = {
	.name = "md",
	.help = "Markdown as GitHub and GitLab show it: the one screen, to paste into a ticket.",
	.write = as_md_write,
};
