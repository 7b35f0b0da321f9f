/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * blocks: are two blocks the same to whoever reads them?
 */
#include "codec/block.h"
#include "facts/facts.h"

static inline bool blocks_same_lists(const struct block *a, const struct block *b)
{
	for (uint32_t i = 0; i < a->rows; i++) {
		uint32_t n = a->procs_n ? a->procs_n[i] : 0;
		if (n != (b->procs_n ? b->procs_n[i] : 0))
			return false;
		for (uint32_t j = 0; j < n; j++) {
			uint32_t x = a->procs[a->procs_at[i] + j], y = b->procs[b->procs_at[i] + j];
			if (x != y || !a->words_n != !b->words_n ||
			    (a->words_n && !str_eq(a->words[x], b->words[y])))
				return false;
		}
	}
	return true;
}

/* NULL arrays count as what they stand for; values that are not known do not count. */
static inline bool blocks_same(const struct block *a, const struct block *b)
{
	if (a->rows != b->rows || memcmp(a->t_ms, b->t_ms, a->rows * sizeof *a->t_ms) != 0)
		return false;
	for (uint32_t i = 0; i < a->rows; i++) {
		if ((a->period_ms ? a->period_ms[i] : 0) != (b->period_ms ? b->period_ms[i] : 0) ||
		    (a->kind ? a->kind[i] : SAMPLE_AVERAGE) !=
		            (b->kind ? b->kind[i] : SAMPLE_AVERAGE) ||
		    (a->procs_why ? a->procs_why[i] : WHY_ABSENT) !=
		            (b->procs_why ? b->procs_why[i] : WHY_ABSENT))
			return false;
		for (unsigned m = 0; m < METRIC_COUNT; m++) {
			if (!a->v[m] != !b->v[m])
				return false;
			if (!a->v[m])
				continue;
			uint8_t x = a->why[m] ? a->why[m][i] : WHY_KNOWN,
			        y = b->why[m] ? b->why[m][i] : WHY_KNOWN;
			if (x != y || (x == WHY_KNOWN && a->v[m][i] != b->v[m][i]))
				return false;
		}
	}
	return blocks_same_lists(a, b);
}
