/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally_depth: the depth of some of a ledger's cells. Rows of depth are of a place, job, bucket,
 * state and evidence; cells are cut finer, by fate and marks. Where only some of the cells of a row
 * are asked for, they get their part of it by units.
 */
#include "account/round.h"
#include "account/tally.h"

enum { STATES_DEEP = STATE_ACTIVE - STATE_OVERHEAD_CHECKPOINT + 1 };

/* Units of the active and overhead cells of one place, job and bucket. */
struct deep {
	i128 units[STATES_DEEP][EVIDENCE_COUNT];
};

static bool is_deep(const struct cell *c)
{
	return c->state >= STATE_OVERHEAD_CHECKPOINT && c->state <= STATE_ACTIVE;
}

static void deep_add(struct deep *d, const struct cell *c)
{
	if (is_deep(c))
		d->units[c->state - STATE_OVERHEAD_CHECKPOINT][c->evidence] += c->units;
}

static bool is_beside(const struct cell *a, const struct cell *b)
{
	return a->place == b->place && a->job == b->job && a->bucket == b->bucket;
}

/* The place of a cell's place, job and bucket among the rows: negative, the row is before it. */
static int row_compare(const struct depth_row *r, const struct cell *c)
{
	if (r->place != c->place)
		return r->place < c->place ? -1 : 1;
	if (r->job != c->job)
		return r->job < c->job ? -1 : 1;
	return r->bucket < c->bucket ? -1 : r->bucket > c->bucket;
}

static size_t row_find(const struct ledger *l, const struct cell *c)
{
	size_t lo = 0, hi = l->depths.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (row_compare(&l->depths.v[mid], c) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void row_add(struct tally *t, const struct depth_row *r, i128 part, i128 whole)
{
	struct depth_sum s = r->sum;
	if (part < whole) {
		s.num = round_mul_div(s.num, part, whole);
		s.den = round_mul_div(s.den, part, whole);
		s.units = round_mul_div(s.units, part, whole);
	}
	depth_sum_add(&t->depths[r->depth], &s);
}

/* What MINE are of all cells that stand beside the one at AT. */
static void rows_add(struct tally *t, const struct ledger *l, size_t at, const struct deep *mine)
{
	const struct cell *c = &l->cells.v[at];
	struct deep all = { 0 };
	size_t from = at, row = row_find(l, c);
	if (row == l->depths.n || row_compare(&l->depths.v[row], c) != 0)
		return;
	while (from && is_beside(&l->cells.v[from - 1], c))
		from--;
	for (size_t i = from; i < l->cells.n && is_beside(&l->cells.v[i], c); i++)
		deep_add(&all, &l->cells.v[i]);
	for (; row < l->depths.n && row_compare(&l->depths.v[row], c) == 0; row++) {
		const struct depth_row *r = &l->depths.v[row];
		unsigned state = r->state - (unsigned)STATE_OVERHEAD_CHECKPOINT;
		i128 part = mine->units[state][r->evidence];
		if (part)
			row_add(t, r, part, all.units[state][r->evidence]);
	}
}

void tally_depths(struct tally *t, const struct ledger *l)
{
	if (!t->cells) {
		for (size_t i = 0; i < l->depths.n; i++)
			depth_sum_add(&t->depths[l->depths.v[i].depth], &l->depths.v[i].sum);
		return;
	}
	for (size_t i = 0, k; l->depths.n && i < t->cells_n; i = k) {
		const struct cell *first = tally_cell(t, l, i);
		struct deep mine = { 0 };
		bool any = false;
		for (k = i; k < t->cells_n && is_beside(tally_cell(t, l, k), first); k++) {
			any |= is_deep(tally_cell(t, l, k));
			deep_add(&mine, tally_cell(t, l, k));
		}
		if (any)
			rows_add(t, l, tally_index(t, i), &mine);
	}
}
