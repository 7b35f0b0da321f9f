/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cover: the samples of a series in time order, each with what it covers (decision C.2). One walk
 * at a time: it uses the meter's batch.
 */
#include "facts/series.h"

struct meter;

struct cover_past { /* what is asked of the sample before */
	int64_t t_ms, period_ms, energy, power;
	bool has_energy, has_power, is_point;
};
struct cover {
	const struct series_rows *rows;
	uint32_t at;                     /* the sample: this row */
	const struct cover_past *before; /* the sample before it, or NULL */
	int64_t from_ms, t_ms;           /* what it covers; the same: nothing */
	bool is_near;                    /* before is at most 2.5 periods back */
	bool is_far, is_pair; /* a point with a period above 5 s; so is the near one before it */
};
struct cover_walk {
	struct meter *m;
	struct series_cursor *cursor;
	int64_t median_ms;
	uint32_t at, n; /* in the batch */
	struct cover_past two[2];
	uint32_t read; /* samples so far */
	bool is_last;  /* the batch at hand */
};
void cover_begin(struct cover_walk *w, struct meter *m, uint32_t series, int64_t median_ms);
/* The next N rows are in the meter's batch; then cover_row for each of them. False: no more. */
bool cover_next_batch(struct cover_walk *w);
/* V: the sample's reading of ID where it is known. */
static inline bool cover_reads(const struct cover *c, enum metric_id id, int64_t *ret)
{
	if (!(c->rows->any >> id & 1) || c->rows->why[id][c->at] != WHY_KNOWN)
		return false;
	*ret = c->rows->v[id][c->at];
	return true;
}
/* A walk beside another one, whose batches of N rows it is given: then cover_row N times. */
void cover_join(struct cover_walk *w, struct meter *m, int64_t median_ms);
void cover_batch(struct cover_walk *w, uint32_t n);
struct cover cover_row(struct cover_walk *w);
void cover_end(struct cover_walk *w);
