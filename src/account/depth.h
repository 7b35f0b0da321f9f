/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * depth: how deeply active time used its device (ledger.md 7; decisions K.8): sums of value x units
 * that any grouping of cells can add up. Never a loss, and no bar is shorter for it.
 */
#include "base/wide.h"
#include "facts/tables.h"

enum depth_kind { DEPTH_MEAN, DEPTH_SHARE, DEPTH_BANDWIDTH, DEPTH_OFU };

enum depth_id {
#define DEPTH(id, kind, a, b, unit, scale, reading, head, help) DEPTH_of_##id,
#include "account/depth.def"
#undef DEPTH
	DEPTH_COUNT
};
/* Beside them: units of active and overhead time that may have been stalled, x 10^6 (K.8). */
enum { DEPTH_HIDDEN = DEPTH_COUNT, DEPTH_SUMS };

struct depth_info {
	const char *name, *head, *help;
	enum depth_kind kind;
	enum metric_id a, b;
	enum metric_unit unit; /* UNIT_PERCENT: a ratio, 0 to 1 */
	int64_t scale, reading_scale;
};
extern const struct depth_info depths[DEPTH_COUNT];

struct depth_sum {
	i128 num, den, units;
	int64_t min, max; /* of readings; where units > 0 */
};

/* Adds B to A. */
void depth_sum_add(struct depth_sum *a, const struct depth_sum *b);
/* In the unit of the depth; UNITS of the sum must not be 0. */
double depth_value(enum depth_id id, const struct depth_sum *s);
double depth_min(enum depth_id id, const struct depth_sum *s);
double depth_max(enum depth_id id, const struct depth_sum *s);
