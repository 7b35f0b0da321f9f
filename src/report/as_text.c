/* SPDX-License-Identifier: Apache-2.0 */
/* Documents for a terminal: fixed width, UTF-8 or ASCII, hardly any colour. */
#include <string.h>

#include "report/report.h"

enum { GAP = 2, BAR_WIDTH = 24, BAR_WIDTH_MIN = 6, WRAP_MIN = 14, INDENT = 2 };
enum { ROWS_SAMPLED_MAX = 100000 };

struct writer {
	const struct format_options *o;
	struct text *t;
};

/* Columns that a word takes: one for each character. Wide characters of East Asia are not told
   apart; a table with them is only less straight. */
static size_t columns_of(struct str s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

/* The first N characters. */
static struct str first_columns(struct str s, size_t n)
{
	size_t i = 0;
	for (; i < s.n && n; n--)
		for (i++; i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80; i++)
			;
	return str_sub(s, 0, i);
}

/* S with nothing in it that could steer a terminal, in A. */
static struct str safe(struct arena *a, struct str s)
{
	auto_text t = TEXT_NULL;
	text_plain(&t, s);
	return str_dup(a, text_str(&t));
}

static void write_style(struct writer *w, const char *code, struct str s)
{
	if (w->o->colour)
		text_printf(w->t, "\033[%sm", code);
	text_add(w->t, s);
	if (w->o->colour)
		text_add(w->t, S("\033[0m"));
}

static void write_spaces(struct writer *w, size_t n)
{
	text_repeat(w->t, ' ', n);
}

/* Words broken at spaces; AT columns are used already, further lines start at INDENT. */
static void write_wrapped(struct writer *w, struct str s, size_t at, size_t indent)
{
	struct str word;
	size_t column = at;
	bool first = true;
	while (str_cut(&s, ' ', &word)) {
		size_t n = columns_of(word);
		if (!n)
			continue;
		if (!first && column + 1 + n > w->o->width && word.p[0] != '%') {
			text_byte(w->t, '\n');
			write_spaces(w, indent);
			column = indent;
		} else if (!first) {
			text_byte(w->t, ' ');
			column++;
		}
		text_add(w->t, word);
		column += n;
		first = false;
	}
	text_byte(w->t, '\n');
}

static double clamp(double v)
{
	return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* [0, low] solid to half a column, [low, high] as a band. */
static void write_bar(struct writer *w, double low, double high, size_t width)
{
	size_t halves = (size_t)(clamp(low) * (double)width * 2 + 0.5);
	size_t band = (size_t)(clamp(high) * (double)width * 2 + 0.5);
	size_t full = halves / 2, at = 0;
	bool ascii = w->o->ascii;
	for (; at < full; at++)
		text_add(w->t, ascii ? S("#") : S("\u2588"));
	if (halves % 2 && at < width) {
		text_add(w->t, ascii ? S("|") : S("\u258c"));
		at++;
	}
	for (; at < (band + 1) / 2 && at < width; at++)
		text_add(w->t, ascii ? S("-") : S("\u2591"));
	write_spaces(w, width - at);
}

struct grid {
	const struct doc_block *b;
	size_t widths[DOC_COLUMNS_MAX];
	struct str heads[DOC_COLUMNS_MAX]; /* may hold a word of the user's */
	struct doc_cell *cells;            /* rows x columns */
	size_t rows;
};

static struct str cut(struct arena *a, struct str s, unsigned width_max)
{
	if (!width_max || columns_of(s) <= width_max)
		return s;
	struct str head = first_columns(s, width_max - 2);
	return str_of(arena_printf(a, "%.*s..", STR_FMT(head)));
}

/* Pulls the rows; they have to be known before the first can be laid out. */
static void grid_pull(struct arena *a, const struct doc_block *b, struct grid *g)
{
	VEC(struct doc_cell) cells = { 0 };
	struct doc_cell row[DOC_COLUMNS_MAX];
	*g = (struct grid){ .b = b };
	for (size_t c = 0; c < b->columns_n; c++) {
		g->heads[c] = safe(a, str_of(b->columns[c].head));
		g->widths[c] = columns_of(g->heads[c]);
	}
	while (g->rows < ROWS_SAMPLED_MAX) {
		memset(row, 0, sizeof row);
		if (!b->next(b->state, a, row))
			break;
		for (size_t c = 0; c < b->columns_n; c++) {
			const struct doc_column *column = &b->columns[c];
			row[c].text = cut(a, safe(a, row[c].text), column->width_max);
			size_t n = column->align == DOC_BAR ? BAR_WIDTH : columns_of(row[c].text);
			if (n > g->widths[c])
				g->widths[c] = n;
			*vec_push(&cells) = row[c];
		}
		g->rows++;
	}
	g->cells = ARENA_ARRAY(a, struct doc_cell, cells.n + 1);
	if (cells.n)
		memcpy(g->cells, cells.v, cells.n * sizeof *cells.v);
	vec_deinit(&cells);
}

/* On a narrow screen bars are shorter, or not there. The last column, if it is text, wraps. */
static void grid_fit(struct grid *g, size_t width)
{
	size_t total = INDENT, last = g->b->columns_n - 1;
	for (size_t c = 0; c <= last; c++)
		total += (c < last || g->b->columns[c].align == DOC_RIGHT ? g->widths[c] : 0) +
		         (c < last ? GAP : 0);
	for (size_t c = 0; c <= last && total > width; c++) {
		if (g->b->columns[c].align != DOC_BAR)
			continue;
		size_t over = total - width, least = g->widths[c] - BAR_WIDTH_MIN;
		total -= over <= least ? over : g->widths[c] + GAP;
		g->widths[c] = over <= least ? g->widths[c] - over : 0;
	}
}

static bool is_hidden(const struct grid *g, size_t c)
{
	return g->b->columns[c].align == DOC_BAR && !g->widths[c];
}

/* What a column and the gap after it take. */
static size_t column_step(const struct grid *g, size_t c)
{
	return is_hidden(g, c) ? 0 : g->widths[c] + GAP;
}

static void write_cell(struct writer *w, const struct grid *g, const struct doc_cell *cell,
                       size_t c, size_t at)
{
	const struct doc_column *column = &g->b->columns[c];
	bool last = c + 1 == g->b->columns_n;
	size_t n = columns_of(cell->text), pad = g->widths[c] > n ? g->widths[c] - n : 0;
	if (column->align == DOC_BAR) {
		write_bar(w, cell->low, cell->high, g->widths[c]);
	} else if (column->align == DOC_RIGHT) {
		write_spaces(w, pad);
		text_add(w->t, cell->text);
	} else if (last && n && at + WRAP_MIN > w->o->width) {
		while (w->t->p[w->t->n - 1] == ' ')
			w->t->n--;
		text_byte(w->t, '\n');
		write_spaces(w, INDENT + 4);
		write_wrapped(w, cell->text, INDENT + 4, INDENT + 4);
		return;
	} else if (last) {
		write_wrapped(w, cell->text, at, at);
		return;
	} else {
		text_add(w->t, cell->text);
		write_spaces(w, pad);
	}
	if (last)
		text_byte(w->t, '\n');
}

static void trim_line(struct text *t)
{
	while (t->n > 1 && t->p[t->n - 1] == '\n' && t->p[t->n - 2] == ' ')
		t->p[--t->n - 1] = '\n';
}

/* The caption, and the heads after it on the same line where it does not reach the first one. */
static void write_heads(struct writer *w, const struct grid *g, struct str caption)
{
	size_t at = columns_of(caption), start = INDENT, first = 0;
	if (caption.n)
		write_style(w, "1", caption);
	while (first < g->b->columns_n && !g->heads[first].n)
		start += column_step(g, first++);
	if (first < g->b->columns_n) {
		size_t pad = g->widths[first] - columns_of(g->heads[first]);
		start += g->b->columns[first].align == DOC_RIGHT ? pad : 0;
		if (at && at + GAP > start) {
			text_byte(w->t, '\n');
			at = 0;
		}
	}
	for (size_t c = first, from = start; c < g->b->columns_n; c++) {
		size_t n = columns_of(g->heads[c]);
		if (c > first && g->b->columns[c].align == DOC_RIGHT)
			from += g->widths[c] - n;
		if (n) {
			write_spaces(w, from - at);
			write_style(w, "2", g->heads[c]);
			at = from + n;
		}
		from += g->b->columns[c].align == DOC_RIGHT ? n + GAP : column_step(g, c);
	}
	if (at)
		text_byte(w->t, '\n');
}

static void write_table(struct writer *w, const struct doc_block *b, bool gap)
{
	auto_arena a = ARENA_NULL;
	struct grid g;
	grid_pull(&a, b, &g);
	if (!g.rows) /* nothing to say takes no room */
		return;
	grid_fit(&g, w->o->width);
	if (gap)
		text_byte(w->t, '\n');
	write_heads(w, &g, safe(&a, b->text));
	for (size_t r = 0; r < g.rows; r++) {
		size_t at = INDENT;
		write_spaces(w, INDENT);
		for (size_t c = 0; c < b->columns_n; c++) {
			if (is_hidden(&g, c))
				continue;
			write_cell(w, &g, &g.cells[r * b->columns_n + c], c, at);
			if (c + 1 < b->columns_n)
				write_spaces(w, GAP);
			at += column_step(&g, c);
		}
		trim_line(w->t);
	}
}

static void write_finding(struct writer *w, struct arena *a, const struct doc_block *b)
{
	text_add(w->t, w->o->ascii ? S("* ") : S("\u25cf "));
	write_wrapped(w, safe(a, b->text), 2, 2);
	for (size_t i = 0; i < b->lines_n; i++) {
		write_spaces(w, 4);
		write_wrapped(w, safe(a, b->lines[i]), 4, 4);
	}
}

static void write_block(struct writer *w, const struct doc_block *b, enum doc_kind before)
{
	auto_arena a = ARENA_NULL;
	struct str s = safe(&a, b->text);
	bool gap = w->t->n && (b->kind != before || b->kind == DOC_TABLE) &&
	           before != DOC_HEADING && !(b->kind == DOC_TEXT && before == DOC_TITLE);
	if (gap && b->kind != DOC_TABLE)
		text_byte(w->t, '\n');
	switch (b->kind) {
	case DOC_TITLE:
	case DOC_HEADING:
		text_add(w->t, w->o->colour ? S("\033[1m") : STR_NULL);
		write_wrapped(w, s, 0, 0);
		w->t->n--; /* the colour ends before the line does */
		text_add(w->t, w->o->colour ? S("\033[0m\n") : S("\n"));
		break;
	case DOC_HEADLINE:
	case DOC_TEXT:
		write_wrapped(w, s, 0, 0);
		break;
	case DOC_NOTE:
		text_add(w->t, S("  - "));
		write_wrapped(w, s, 4, 4);
		break;
	case DOC_TABLE:
		write_table(w, b, gap);
		break;
	case DOC_FINDING:
		write_finding(w, &a, b);
		break;
	case DOC_FALL:
	case DOC_STACKS:
	case DOC_FOOT:
		break;
	}
}

static void as_text_write(const struct doc *d, const struct format_options *o, struct text *t)
{
	struct writer w = { o, t };
	for (size_t i = 0; i < d->blocks.n; i++)
		write_block(&w, &d->blocks.v[i], i ? d->blocks.v[i - 1].kind : DOC_TITLE);
}

const struct format format_as_text = {
	.name = "text",
	.help = "For people: one screen.",
	.write = as_text_write,
};
