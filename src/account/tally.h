/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * tally: the sums of some of the ledger's cells, in time and in money, and which jobs they hold.
 * What measures and tables are computed from.
 */
#include "account/cost.h"

struct money {
	i128 num;    /* / cost.den */
	i128 priced; /* units that have a price */
	i128 units;  /* all of them */
};

struct tally {
	struct sums sums;
	struct money total, accounts[ACCOUNT_COUNT], outcomes[OUTCOME_COUNT], failed, retry;
	/* Money of the layers, as sums_finish takes them from the accounts; high of productive by
	   cells. */
	i128 low_num[LAYER_COUNT], high_num[LAYER_COUNT];
	i128 successful_num;
	i128 credit_num;                     /* of the whole ledger's tally only */
	struct depth_sum depths[DEPTH_SUMS]; /* of its active time */
	const uint32_t *cells;               /* NULL: all */
	size_t cells_n;
};

/* CELLS: indexes of the ledger's cells; NULL: all of them. Kept, not copied. */
void tally_build(const struct ledger *l, const struct facts *f, const struct cost *c,
                 const uint32_t *cells, size_t cells_n, struct tally *ret_tally);
static inline const struct cell *tally_cell(const struct tally *t, const struct ledger *l, size_t i)
{
	return &l->cells.v[t->cells ? t->cells[i] : i];
}
static inline size_t tally_index(const struct tally *t, size_t i)
{
	return t->cells ? t->cells[i] : i;
}
/* tally_depth.c: fills the depths of a tally. */
void tally_depths(struct tally *t, const struct ledger *l);
/* Whether ACCOUNT is in LAYER's sum: in all of what may have come that far (HIGH), or in what is
   known to have. Productive's high has more than accounts can say: cells that may still be. */
bool tally_layer_has(enum layer layer, enum account account, bool high);
/* Jobs that hold at least one of the cells, rising; in A. */
const uint32_t *tally_jobs(struct arena *a, const struct tally *t, const struct ledger *l,
                           size_t *ret_n);
