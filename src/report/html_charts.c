/* SPDX-License-Identifier: Apache-2.0 */
/* Charts as SVG, with their words in HTML beside it. */
#include <math.h>

#include "report/html.h"

enum { COLUMNS_WITH_GAPS_MAX = 40 };
#define GAP_SHARE 0.12 /* of a column, */
#define GAP_MAX 0.006  /* and of the width */
#define LABEL_NARROW_MAX 0.86 /* from here on a narrow axis has no room for a label */

static void write_length(struct text *t, const char *attribute, double share)
{
	text_printf(t, " %s=\"", attribute);
	html_share(t, share);
	text_byte(t, '"');
}

/* A length that ends exactly where the next one begins, once both are rounded. */
static void write_extent(struct text *t, const char *at, const char *length, double from, double to)
{
	from = html_rounded(from);
	if (from > 0)
		write_length(t, at, from);
	write_length(t, length, html_rounded(to) - from);
}

/* A rectangle as high as its picture, open for what it is called. ACCOUNT -1: not one's. */
static void open_span(struct text *t, int account, bool band, double left, double right)
{
	text_add(t, S("<rect"));
	if (account >= 0)
		text_printf(t, " class=\"a%d\"", account);
	else if (band)
		text_add(t, S(" class=\"band\""));
	write_extent(t, "x", "width", left, right);
	text_add(t, S(" height=\"100%\""));
}

void html_bar(struct text *t, int account, double low, double high)
{
	low = fmin(fmax(low, 0), 1);
	high = fmin(fmax(high, low), 1);
	text_add(t, S("<svg class=\"bar\" aria-hidden=\"true\">"));
	if (low > 0) {
		open_span(t, account, false, 0, low);
		text_add(t, S("/>"));
	}
	if (high > low) {
		open_span(t, -1, true, low, high);
		text_add(t, S("/>"));
	}
	text_add(t, S("</svg>"));
}

void html_swatch(struct text *t, enum account a)
{
	text_printf(t,
	            "<svg class=\"key\" aria-hidden=\"true\"><rect class=\"a%d\" width=\"100%%\" "
	            "height=\"100%%\"/></svg>",
	            (int)a);
}

/* "name: amount unit", for who points at it. */
static void close_titled(struct text *t, struct str name, struct str amount, const char *unit)
{
	text_add(t, S("><title>"));
	html_word(t, name);
	text_add(t, S(": "));
	html_word(t, amount);
	text_byte(t, ' ');
	html_word(t, str_of(unit));
	text_add(t, S("</title></rect>\n"));
}

static void write_step_bar(struct text *t, const struct chart_fall *f, const struct chart_step *s)
{
	text_add(t, S("<svg class=\"bar\" role=\"img\" aria-label=\""));
	html_word(t, s->name);
	text_byte(t, ' ');
	html_word(t, s->share);
	for (size_t i = 0; i < s->keys_n; i++) {
		text_add(t, i ? S(", ") : S(", less "));
		html_word(t, s->keys[i].name);
		text_byte(t, ' ');
		html_word(t, s->keys[i].share);
	}
	text_add(t, S("\">"));
	if (s->low > 0) {
		open_span(t, -1, false, 0, s->low);
		close_titled(t, s->name, s->amount, f->amount_unit);
	}
	if (s->high > s->low) {
		open_span(t, -1, true, s->low, s->high);
		close_titled(t, s->name, s->amount, f->amount_unit);
	}
	for (size_t i = 0; i < s->parts_n; i++) {
		const struct chart_part *p = &s->parts[i];
		open_span(t, (int)p->account, false, p->from, p->to);
		close_titled(t, str_of(accounts[p->account].name), p->amount, f->amount_unit);
	}
	text_add(t, S("</svg>"));
}

/* A number; where the table is folded its unit stands behind it. */
static void write_number(struct text *t, const char *class, struct str number, const char *unit)
{
	text_printf(t, "<td class=\"n %s\">", class);
	html_word(t, number);
	text_add(t, S("<span class=\"unit\"> "));
	html_word(t, str_of(unit));
	text_add(t, S("</span></td>"));
}

/* In the order that they lie in the bar. */
static void write_lost(struct text *t, const struct chart_step *s)
{
	text_add(t, S("\n<div class=\"lost\">less"));
	for (size_t i = 0; i < s->keys_n; i++) {
		text_add(t, S(" <span>"));
		html_swatch(t, s->keys[i].account);
		html_word(t, s->keys[i].name);
		text_byte(t, ' ');
		html_word(t, s->keys[i].share);
		text_add(t, S("</span>\n"));
	}
	text_add(t, S("</div>"));
}

static void write_step(struct text *t, const struct chart_fall *f, const struct chart_step *s,
                       bool first_apart)
{
	text_add(t, first_apart ? S("<tr class=\"apart\">") : S("<tr>"));
	text_add(t, S("<th scope=\"row\">"));
	html_word(t, s->name);
	text_add(t, S("</th><td class=\"b\">"));
	write_step_bar(t, f, s);
	if (s->keys_n)
		write_lost(t, s);
	text_add(t, S("</td><td class=\"n share\">"));
	html_word(t, s->share);
	text_add(t, S("</td>"));
	write_number(t, "amount", s->amount, f->amount_unit);
	if (f->money_unit)
		write_number(t, "money", s->money, f->money_unit);
	text_add(t, S("</tr>\n"));
}

void html_fall(struct text *t, const struct chart_fall *f)
{
	text_add(t, S("<table class=\"fall\">\n<thead><tr><td></td><td></td><th scope=\"col\" "
	              "class=\"n\">share</th><th scope=\"col\" class=\"n\">"));
	html_word(t, str_of(f->amount_unit));
	text_add(t, S("</th>"));
	if (f->money_unit) {
		text_add(t, S("<th scope=\"col\" class=\"n\">"));
		html_word(t, str_of(f->money_unit));
		text_add(t, S("</th>"));
	}
	text_add(t, S("</tr></thead>\n<tbody>\n"));
	for (size_t i = 0; i < f->steps_n; i++)
		write_step(t, f, &f->steps[i],
		           f->steps[i].is_apart && i && !f->steps[i - 1].is_apart);
	text_add(t, S("</tbody></table>\n"));
}

static void write_column(struct text *t, const struct chart_stacks *s, const struct chart_column *c)
{
	bool has_gap = s->columns_n <= COLUMNS_WITH_GAPS_MAX;
	double gap = has_gap ? fmin((c->to - c->from) * GAP_SHARE, GAP_MAX) : 0;
	for (size_t i = 0; i < c->parts_n; i++) {
		const struct chart_part *p = &c->parts[i];
		text_printf(t, "<rect class=\"a%d\"", (int)p->account);
		write_extent(t, "x", "width", c->from + gap / 2, c->to - gap / 2);
		write_extent(t, "y", "height", 1 - p->to, 1 - p->from);
		text_add(t, S("><title>"));
		html_word(t, c->name);
		text_add(t, S(" "));
		html_word(t, str_of(accounts[p->account].name));
		text_add(t, S(": "));
		html_word(t, p->amount);
		text_add(t, S(" of "));
		html_word(t, c->total);
		text_byte(t, ' ');
		html_word(t, str_of(s->unit));
		text_add(t, S("</title></rect>\n"));
	}
}

static void write_plot(struct text *t, struct str caption, const struct chart_stacks *s)
{
	size_t labels = 0;
	text_add(t, S("<div class=\"plot\"><div class=\"y\" aria-hidden=\"true\">"));
	for (size_t i = 0; i < s->marks_n; i++) {
		text_add(t, S("<span style=\"bottom:"));
		html_share(t, s->marks[i].at);
		text_add(t, S("\">"));
		html_word(t, s->marks[i].text);
		text_add(t, S("</span>"));
	}
	text_add(t, S("</div><svg class=\"stacks\" role=\"img\" aria-label=\""));
	html_word(t, caption);
	text_add(t, S("; its numbers are in the table below\">\n"));
	for (size_t i = 0; i < s->marks_n; i++) {
		text_add(t, S("<line x2=\"100%\""));
		write_length(t, "y1", 1 - s->marks[i].at);
		write_length(t, "y2", 1 - s->marks[i].at);
		text_add(t, S("/>"));
	}
	text_byte(t, '\n');
	for (size_t i = 0; i < s->columns_n; i++)
		write_column(t, s, &s->columns[i]);
	text_add(t, S("</svg><div class=\"x\" aria-hidden=\"true\">"));
	for (size_t i = 0; i < s->columns_n; i++) {
		if (!s->columns[i].label.n)
			continue;
		bool wide_only = labels++ % 2 || s->columns[i].from > LABEL_NARROW_MAX;
		text_add(t, wide_only ? S("<span class=\"odd\" style=\"left:")
		                      : S("<span style=\"left:"));
		html_share(t, s->columns[i].from);
		text_add(t, S("\">"));
		html_word(t, s->columns[i].label);
		text_add(t, S("</span>"));
	}
	text_add(t, S("</div></div>\n"));
}

static void write_legend(struct text *t, const struct chart_stacks *s)
{
	text_add(t, S("<ul class=\"legend\">\n"));
	for (size_t i = 0; i < s->keys_n; i++) {
		const struct chart_key *k = &s->keys[i];
		text_add(t, S("<li>"));
		html_swatch(t, k->account);
		text_add(t, S("<span>"));
		html_word(t, k->name);
		text_add(t, S("</span><b>"));
		html_word(t, k->share);
		text_add(t, S("</b></li>\n"));
	}
	text_add(t, S("</ul>\n"));
}

static struct str amount_of(const struct chart_column *c, enum account a)
{
	for (size_t i = 0; i < c->parts_n; i++)
		if (c->parts[i].account == a)
			return c->parts[i].amount;
	return STR_NULL;
}

static void write_cell(struct text *t, struct str number)
{
	text_add(t, S("<td class=\"n\">"));
	html_word(t, number);
	text_add(t, S("</td>"));
}

/* For who reads numbers, and for who sees no picture. */
static void write_numbers(struct text *t, const struct chart_stacks *s)
{
	text_printf(t,
	            "<details><summary>The numbers: %s by %s</summary><div class=\"scroll\" "
	            "tabindex=\"0\" role=\"region\" aria-label=\"numbers\"><table "
	            "class=\"plain\">\n<thead><tr><th "
	            "scope=\"col\">%s</th><th scope=\"col\" class=\"n\">all</th>",
	            s->unit, s->column_unit, s->column_unit);
	for (size_t k = 0; k < s->keys_n; k++)
		text_printf(t, "\n<th scope=\"col\" class=\"n\">%s</th>",
		            accounts[s->keys[k].account].name);
	text_add(t, S("</tr></thead>\n<tbody>\n"));
	for (size_t i = 0; i < s->columns_n; i++) {
		const struct chart_column *c = &s->columns[i];
		text_add(t, S("<tr><th scope=\"row\">"));
		html_word(t, c->name);
		text_add(t, S("</th>"));
		write_cell(t, c->total);
		for (size_t k = 0; k < s->keys_n; k++)
			write_cell(t, amount_of(c, s->keys[k].account));
		text_add(t, S("</tr>\n"));
	}
	text_add(t, S("</tbody>\n<tfoot><tr><th scope=\"row\">all</th>"));
	write_cell(t, s->total);
	for (size_t k = 0; k < s->keys_n; k++)
		write_cell(t, s->keys[k].amount);
	text_add(t, S("</tr></tfoot></table></div></details>\n"));
}

void html_stacks(struct text *t, struct str caption, const struct chart_stacks *s)
{
	text_add(t, S("<p class=\"unit\">"));
	html_word(t, s->height_unit);
	text_add(t, S("</p>\n"));
	write_plot(t, caption, s);
	write_legend(t, s);
	write_numbers(t, s);
}
