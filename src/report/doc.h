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
#include "report/chart.h"

#define DOC_COLUMNS_MAX 16u

enum doc_kind {
	DOC_TITLE,
	DOC_HEADING,
	DOC_HEADLINE, /* the sentence that matters most */
	DOC_TEXT,
	DOC_TABLE,
	DOC_NOTE,    /* one of a list of remarks */
	DOC_FINDING, /* something to act on: a head and lines of evidence */
	/* These only where the format draws. */
	DOC_FALL,   /* a waterfall */
	DOC_STACKS, /* columns of accounts in time */
	DOC_FOOT,   /* what made the document, when and of what: the last lines of a page */
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
	bool has_bar;     /* where there is room, the bar stands beside the text */
	unsigned account; /* 1 + the account whose colour stands before the text; 0: none */
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
	const struct chart_fall *fall;
	const struct chart_stacks *stacks;
};

struct doc {
	struct arena *a;
	bool draws; /* the format draws charts, and has room for more than one screen */
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
/* Kept, not copied. */
void doc_add_fall(struct doc *d, const char *caption, const struct chart_fall *fall);
void doc_add_stacks(struct doc *d, const char *caption, const struct chart_stacks *stacks);
void doc_add_finding(struct doc *d, struct str head, const struct str *lines, size_t n);
