/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * report: what is said about a ledger. A new report is one new file in this folder that defines
 * `const struct report report_NAME`; a new format is one that defines `const struct format
 * format_NAME`. The build writes both lists from the folder.
 *
 * Reports are pure: they open nothing and ask no clock.
 */
#include "account/cost.h"
#include "account/group.h"
#include "account/job_lines.h"
#include "base/text.h"
#include "report/doc.h"

/* A day of the user's zone that meets the window. */
struct report_day {
	struct span span;
	const char *name; /* 2026-11-30 */
};

/* A stretch of time that charts show as one: it lies in the window, and no bucket of the ledger
   reaches over its ends. */
struct report_step {
	struct span span;
	const char *name, *label; /* 2026-11-30 08:00; what stands under an axis, or NULL */
};

struct report_input {
	const struct facts *f;
	const struct ledger *l;
	const struct cost *c;
	const struct report_input
	        *before;           /* the window before, of the same facts; NULL: not asked */
	const struct group_by *by; /* n 0: no groups */
	size_t top;                /* groups that people see; the rest is one line */
	bool matrix, explain;
	const struct job_lines *lines; /* of the jobs report; else NULL */
	const struct report_day *days;
	size_t days_n;
	const struct report_step *steps; /* of the window; for formats that draw */
	size_t steps_n;
	const char *step_unit;   /* "day" */
	const struct zone *zone; /* that times are shown in, by its name; NULL: UTC */
	const char *zone_name;
	const char *version;
	/* Takes what is written so far and empties T; called between the parts of a long table.
	   NULL: all stays in T. */
	void (*flush)(void *arg, struct text *t);
	void *flush_arg;
};

struct report {
	const char *name, *help;
	void (*document)(const struct report_input *in, struct doc *d);
	void (*json)(const struct report_input *in, struct text *t);
	void (*csv)(const struct report_input *in, struct text *t);
};

struct format_options {
	unsigned width; /* columns of the terminal */
	bool ascii, colour;
};

struct format {
	const char *name, *help;
	bool draws; /* charts: wants report_input.steps */
	/* One of them: from the document, or a document of its own from the report. */
	void (*write)(const struct doc *d, const struct format_options *o, struct text *t);
	void (*write_data)(const struct report *r, const struct report_input *in, struct text *t);
};

/* Written by the build from this folder's listing, in name order; end with NULL. */
extern const struct report *const reports[];
extern const struct format *const formats[];
extern const char *const format_names[]; /* in the same order */

/* Where a long table may be handed on. */
void report_flush(const struct report_input *in, struct text *t);
/* By the name as typed; NULL when there is none. */
const struct report *report_find(struct str name);
const struct format *format_find(struct str name);
void report_write(const struct report *r, const struct format *f, const struct report_input *in,
                  const struct format_options *o, struct text *t);
