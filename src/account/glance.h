/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * glance: what each row of a batch says by itself: class, evidence, residency (decisions C.3 to
 * C.5). Column by column, so that the compiler can take many rows at a time; one pass over the
 * columns that are there, then one over the rows.
 */
#include "facts/series.h"

enum piece_class { CLASS_NONE, CLASS_LOW, CLASS_BUSY, CLASS_SPIN, CLASS_HIGH };
enum residency { RESIDENCY_UNKNOWN, RESIDENCY_EMPTY, RESIDENCY_RESIDENT };

struct glances {
	uint8_t kind[SERIES_ROWS];      /* enum piece_class */
	uint8_t residency[SERIES_ROWS]; /* enum residency */
	uint8_t evidence[SERIES_ROWS];  /* enum evidence */
	uint8_t is_refuting[SERIES_ROWS], has_reading[SERIES_ROWS];
};

/* The first N rows. */
void glance_rows(const struct series_rows *rows, uint32_t n, struct glances *ret);
