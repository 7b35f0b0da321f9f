/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rows: a short table that is put together before it is shown.
 */
#include "report/doc.h"

struct rows {
	struct arena *a;
	size_t columns, at;
	VEC(struct doc_cell) cells;
};

/* In D's arena. */
struct rows *rows_new(struct doc *d, size_t columns);
/* Column 0 begins a row. The cell is there until the next one is added. */
struct doc_cell *rows_add(struct rows *r, size_t column, struct str text);
void rows_printf(struct rows *r, size_t column, const char *fmt, ...) PRINTF(3, 4);
void rows_add_bar(struct rows *r, size_t column, double low, double high);
bool rows_next(void *state, struct arena *a, struct doc_cell *cells);
/* Hands the rows to the document as a table. */
void rows_finish(struct rows *r, struct doc *d, const char *caption,
                 const struct doc_column *columns);
