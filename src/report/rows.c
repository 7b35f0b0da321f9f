/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct rows *rows_new(struct doc *d, size_t columns)
{
	struct rows *r = ARENA_NEW(d->a, struct rows);
	r->a = d->a;
	r->columns = columns;
	return r;
}

static struct doc_cell *cell_at(struct rows *r, size_t column)
{
	assert(column < r->columns);
	if (column == 0)
		for (size_t i = 0; i < r->columns; i++)
			*vec_push(&r->cells) = (struct doc_cell){ 0 };
	return &r->cells.v[r->cells.n - r->columns + column];
}

struct doc_cell *rows_add(struct rows *r, size_t column, struct str text)
{
	struct doc_cell *c = cell_at(r, column);
	c->text = str_dup(r->a, text);
	return c;
}

void rows_printf(struct rows *r, size_t column, const char *fmt, ...)
{
	char z[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(z, sizeof z, fmt, ap);
	va_end(ap);
	rows_add(r, column, str_of(z));
}

void rows_add_bar(struct rows *r, size_t column, double low, double high)
{
	struct doc_cell *c = cell_at(r, column);
	c->low = low;
	c->high = high;
}

bool rows_next(void *state, struct arena *a, struct doc_cell *cells)
{
	struct rows *r = state;
	(void)a;
	if (r->at * r->columns >= r->cells.n)
		return false;
	memcpy(cells, &r->cells.v[r->at++ * r->columns], r->columns * sizeof *cells);
	return true;
}

void rows_finish(struct rows *r, struct doc *d, const char *caption,
                 const struct doc_column *columns)
{
	/* The cells move to the arena: the document may be thrown away unread. */
	struct doc_cell *v = ARENA_ARRAY(r->a, struct doc_cell, r->cells.n + 1);
	size_t n = r->cells.n;
	if (n)
		memcpy(v, r->cells.v, n * sizeof *v);
	vec_deinit(&r->cells);
	r->cells.v = v;
	r->cells.n = n;
	doc_add_table(d, caption, columns, r->columns, rows_next, r);
}
