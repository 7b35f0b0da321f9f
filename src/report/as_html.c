/* SPDX-License-Identifier: Apache-2.0 */
/* Documents as one page of HTML that needs nothing beside it: no script, no font, no other file. */
#include <string.h>

#include "report/html.h"
#include "report/report.h"

struct writer {
	struct text *t;
	bool in_section, in_list;
};

static void write_tagged(struct text *t, const char *open, struct str s, const char *close)
{
	text_add(t, str_of(open));
	html_word(t, s);
	text_add(t, str_of(close));
	text_byte(t, '\n');
}

static void close_list(struct writer *w)
{
	if (w->in_list)
		text_add(w->t, S("</ul>\n"));
	w->in_list = false;
}

static void close_section(struct writer *w)
{
	close_list(w);
	if (w->in_section)
		text_add(w->t, S("</section>\n"));
	w->in_section = false;
}

/* Everything with a heading is a section. */
static void open_section(struct writer *w, struct str heading)
{
	close_section(w);
	text_add(w->t, S("<section>\n"));
	w->in_section = true;
	if (heading.n)
		write_tagged(w->t, "<h2>", heading, "</h2>");
}

static void write_list(struct writer *w, const char *class, struct str s)
{
	if (!w->in_list)
		text_printf(w->t, "<ul class=\"%s\">\n", class);
	w->in_list = true;
	write_tagged(w->t, "<li>", s, "</li>");
}

/* ROW: the first one. A bar beside a number has a column of its own. */
static void write_heads(struct text *t, const struct doc_block *b, const struct doc_cell *row)
{
	bool any = false;
	for (size_t c = 0; c < b->columns_n; c++)
		any |= *b->columns[c].head != '\0';
	if (!any)
		return;
	text_add(t, S("<thead><tr>"));
	for (size_t c = 0; c < b->columns_n; c++) {
		struct str head = str_of(b->columns[c].head);
		text_add(t, head.n ? S("<th scope=\"col\"") : S("<td"));
		text_add(t, row[c].has_bar ? S(" colspan=\"2\"") : S(""));
		text_add(t, b->columns[c].align == DOC_RIGHT ? S(" class=\"n\">") : S(">"));
		html_word(t, head);
		text_add(t, head.n ? S("</th>") : S("</td>"));
	}
	text_add(t, S("</tr></thead>\n"));
}

/* A word that is longer than its column is broken. */
static void write_words(struct text *t, struct str s, unsigned width_max)
{
	if (width_max && s.n > width_max)
		text_add(t, S("<span class=\"long\">"));
	html_word(t, s);
	if (width_max && s.n > width_max)
		text_add(t, S("</span>"));
}

/* The first column names the row; words in the last one wrap. */
static void write_cell(struct text *t, const struct doc_block *b, size_t c,
                       const struct doc_cell *row)
{
	const struct doc_column *column = &b->columns[c];
	const struct doc_cell *cell = &row[c];
	bool is_head = !c && column->align == DOC_LEFT, is_last = c + 1 == b->columns_n;
	bool is_bar = column->align == DOC_BAR;
	if (is_bar || cell->has_bar) {
		text_add(t, is_bar ? S("<td class=\"b\">") : S("<td class=\"m\">"));
		html_bar(t, (int)row[0].account - 1, cell->low, cell->high);
		text_add(t, S("</td>"));
	}
	if (is_bar)
		return;
	text_add(t, is_head && cell->account     ? S("<th scope=\"row\" class=\"k\">")
	            : is_head                    ? S("<th scope=\"row\">")
	            : column->align == DOC_RIGHT ? S("<td class=\"n\">")
	            : is_last                    ? S("<td class=\"w\">")
	                                         : S("<td>"));
	if (cell->account)
		html_swatch(t, (enum account)(cell->account - 1));
	write_words(t, cell->text, column->width_max);
	text_add(t, is_head ? S("</th>") : S("</td>"));
}

/* A table of numbers is as wide as they are; words and bars take what there is. */
static bool fits(const struct doc_block *b)
{
	for (size_t c = 1; c < b->columns_n; c++)
		if (b->columns[c].align == DOC_BAR ||
		    (c + 1 == b->columns_n && b->columns[c].align == DOC_LEFT))
			return false;
	return true;
}

static void write_table(struct writer *w, const struct doc_block *b)
{
	struct text *t = w->t;
	struct doc_cell row[DOC_COLUMNS_MAX];
	for (bool first = true;; first = false) {
		auto_arena a = ARENA_NULL;
		memset(row, 0, sizeof row);
		if (!b->next(b->state, &a, row)) {
			if (!first)
				text_add(t, S("</tbody></table></div>\n"));
			return;
		}
		if (first) {
			if (b->text.n)
				open_section(w, b->text);
			close_list(w);
			text_add(t, S("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
			              "aria-label=\""));
			html_word(t, b->text.n ? b->text : S("table"));
			text_add(t, S("\">"));
			text_add(t, fits(b) ? S("<table class=\"fit\">\n") : S("<table>\n"));
			write_heads(t, b, row);
			text_add(t, S("<tbody>\n"));
		}
		text_add(t, S("<tr>"));
		for (size_t c = 0; c < b->columns_n; c++)
			write_cell(t, b, c, row);
		text_add(t, S("</tr>\n"));
	}
}

static void write_finding(struct writer *w, const struct doc_block *b)
{
	write_tagged(w->t, "<h3>", b->text, "</h3>");
	for (size_t i = 0; i < b->lines_n; i++)
		write_list(w, "notes", b->lines[i]);
	close_list(w);
}

static void write_block(struct writer *w, const struct doc_block *b)
{
	if (b->kind != DOC_NOTE)
		close_list(w);
	switch (b->kind) {
	case DOC_TITLE:
		write_tagged(w->t, "<h1>", b->text, "</h1>");
		break;
	case DOC_HEADING:
		open_section(w, b->text);
		break;
	case DOC_HEADLINE:
		write_tagged(w->t, "<p class=\"headline\">", b->text, "</p>");
		break;
	case DOC_TEXT:
		write_tagged(w->t, "<p>", b->text, "</p>");
		break;
	case DOC_NOTE:
		write_list(w, "notes", b->text);
		break;
	case DOC_TABLE:
		write_table(w, b);
		break;
	case DOC_FINDING:
		write_finding(w, b);
		break;
	case DOC_FALL:
		open_section(w, b->text);
		html_fall(w->t, b->fall);
		break;
	case DOC_STACKS:
		open_section(w, b->text);
		html_stacks(w->t, b->text, b->stacks);
		break;
	case DOC_FOOT:
		close_section(w);
		write_tagged(w->t, "<footer>", b->text, "</footer>");
		break;
	}
}

static struct str title_of(const struct doc *d)
{
	for (size_t i = 0; i < d->blocks.n; i++)
		if (d->blocks.v[i].kind == DOC_TITLE)
			return d->blocks.v[i].text;
	return S("tare");
}

static void as_html_write(const struct doc *d, const struct format_options *o, struct text *t)
{
	struct writer w = { .t = t };
	(void)o;
	text_add(t, S("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	              "style-src 'unsafe-inline'\">\n"
	              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	              "<meta name=\"color-scheme\" content=\"light dark\">\n"));
	write_tagged(t, "<title>", title_of(d), "</title>");
	text_add(t, S("<style>\n"));
	html_style(t);
	text_add(t, S("</style>\n</head>\n<body>\n"));
	html_patterns(t);
	text_add(t, S("<main>\n"));
	for (size_t i = 0; i < d->blocks.n; i++)
		write_block(&w, &d->blocks.v[i]);
	close_section(&w);
	text_add(t, S("</main>\n</body>\n</html>\n"));
}

const struct format format_as_html = {
	.name = "html",
	.help = "One page to send on: charts, tables, what it rests on; nothing beside it, no "
	        "script.",
	.draws = true,
	.write = as_html_write,
};
