/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * chart: pictures of a document, before they are drawn. All lengths are parts of 1; all numbers
 * that people read stand beside them as text. What they point to is kept, not copied.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "facts/tables.h"

/* Time of one account, [from, to] of the bar or of the column's height. */
struct chart_part {
	double from, to;
	enum account account;
	struct str amount;
};

/* What a colour stands for, and how much there is of it. */
struct chart_key {
	enum account account;
	struct str name, amount, share;
};

/* A step of a waterfall: [0, low] is left over for sure, [low, high] may be; PARTS, after high, are
   what the step above had and this one lost, KEYS the same in fewer words. */
struct chart_step {
	struct str name, share, amount, money; /* money may be empty */
	struct str lost;                       /* for who does not draw */
	double low, high;
	const struct chart_part *parts;
	size_t parts_n;
	const struct chart_key *keys;
	size_t keys_n;
	bool is_apart; /* no step of the fall */
};

struct chart_fall {
	const char *amount_unit, *money_unit; /* of the texts */
	const struct chart_step *steps;
	size_t steps_n;
};

/* Time between FROM and TO of the width. */
struct chart_column {
	struct str name, total;
	struct str label; /* under the axis where it begins; empty: none */
	double from, to;
	const struct chart_part *parts; /* from below */
	size_t parts_n;
};

struct chart_mark {
	double at; /* of the height */
	struct str text;
};

struct chart_stacks {
	struct str height_unit;         /* of the marks */
	const char *unit, *column_unit; /* of the parts: "GPU-hours"; of a column: "day" */
	const struct chart_column *columns;
	size_t columns_n;
	const struct chart_mark *marks;
	size_t marks_n;
	const struct chart_key *keys; /* accounts that some column has, from below */
	size_t keys_n;
	struct str total;
};
