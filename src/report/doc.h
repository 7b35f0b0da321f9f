/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * doc: a document as people read it, before it is text, Markdown or HTML. Reports build it; formats
 * write it and escape. Words that came from inputs stand in it as they are.
 *
 * Tables give their rows by pull: a format asks for the next row until there is none, so that a
 * table of any length is never held as a whole by the report.
 */
#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#define DOC_COLUMNS_MAX 16u

enum doc_kind {
	DOC_TITLE,
	DOC_HEADING,
	DOC_HEADLINE, /* the sentence that matters most */
	DOC_TEXT,
	DOC_TABLE,
	DOC_NOTE,    /* one of a list of remarks */
	DOC_FINDING, /* something to act on: a head and lines of evidence */
};

enum doc_align { DOC_LEFT, DOC_RIGHT, DOC_BAR };

struct doc_column {
	const char *head;
	enum doc_align align;
	unsigned width_max; /* longer cells are cut with "..."; 0: never (the last column may wrap)
	                     */
};

/* A bar shows [0, low] solid and [low, high] as a band, of 1. */
struct doc_cell {
	struct str text;
	double low, high;
};

/* CELLS: one for each column, zeroed before. What they point to lives in A. False: no more rows. */
typedef bool doc_next(void *state, struct arena *a, struct doc_cell *cells);

struct doc_block {
	enum doc_kind kind;
	struct str text;
	const struct doc_column *columns;
	size_t columns_n;
	doc_next *next;
	void *state;
	const struct str *lines; /* of a finding */
	size_t lines_n;
};

struct doc {
	struct arena *a;
	VEC(struct doc_block) blocks;
};

#define DOC_NEW(arena) ((struct doc){ .a = (arena) })
void doc_deinit(struct doc *d);
#define auto_doc __attribute__((cleanup(doc_deinit))) struct doc
void doc_add(struct doc *d, enum doc_kind kind, const char *fmt, ...) PRINTF(3, 4);
void doc_add_str(struct doc *d, enum doc_kind kind, struct str text);
/* COLUMNS and STATE are kept, not copied. */
void doc_add_table(struct doc *d, const char *caption, const struct doc_column *columns, size_t n,
                   doc_next *next, void *state);
void doc_add_finding(struct doc *d, struct str head, const struct str *lines, size_t n);
