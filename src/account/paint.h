/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * paint: which of several overlapping intervals holds, instant by instant.
 *
 * Each stroke covers [from, to) and has a rank; where strokes overlap the one with the greatest
 * rank shows. Ranks of one call must differ. O(n log n).
 */
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct stroke {
	int64_t from_ms, to_ms;
	uint32_t rank, what; /* what: the caller's */
};

struct painted {
	VEC(struct stroke) v; /* in time order, no overlap; rank is meaningless */
};

/* Sorts STROKES; appends what shows to RET. Neighbours with the same WHAT are joined. */
void paint_build(struct stroke *strokes, size_t n, struct painted *ret);
void paint_deinit(struct painted *p);
