/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sheet: writes one table as CSV (RFC 4180) into a text. A row is written from left to right;
 * columns that are passed over stay empty. Numbers are as in JSON: not rounded for people, no
 * thousands separators, the locale has no say.
 *
 * Words of users that a spreadsheet would take for a formula get an apostrophe before them.
 */
#include "base/text.h"

struct sheet {
	struct text *t;
	size_t columns, at; /* at: columns begun in this row */
};

void sheet_begin(struct sheet *s, struct text *t, size_t columns);
/* The next value is of COLUMN, which is right of the last one. */
void sheet_go(struct sheet *s, size_t column);
void sheet_word(struct sheet *s, struct str word); /* anybody's */
void sheet_name(struct sheet *s, const char *z);   /* ours; NULL: empty */
void sheet_fixed(struct sheet *s, i128 v, unsigned decimals);
void sheet_double(struct sheet *s, double v); /* 12 digits; what is not finite is empty */
void sheet_time(struct sheet *s, int64_t ms); /* RFC 3339; TIME_UNKNOWN: empty */
void sheet_end_row(struct sheet *s);
