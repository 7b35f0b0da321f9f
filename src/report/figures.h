/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * figures: a tally as it is printed: whole milliseconds of GPU-time and whole minor units of money,
 * rounded once so that the printed accounts add up to the printed total (ledger.md 5).
 */
#include "account/tally.h"

struct figures {
	i128 paid_ms;
	i128 accounts_ms[ACCOUNT_COUNT];
	i128 matrix_ms[STATE_COUNT][FATE_COUNT];        /* adds up to accounts_ms */
	i128 low_ms[LAYER_COUNT], high_ms[LAYER_COUNT]; /* sums of accounts_ms */
	i128 recoverable_low_ms, recoverable_high_ms;   /* the same */
	i128 successful_ms;                             /* at most what is allocated */
	i128 millijoules, joules_milli[ACCOUNT_COUNT];  /* of what is covered */
	i128 cost;                                      /* minor units, of what has a price */
	i128 costs[ACCOUNT_COUNT];
	bool cost_known; /* all of it has a price */
	bool costs_known[ACCOUNT_COUNT];
};

#define UNITS_PER_MS ((int64_t)GRID)

/* Minor units of money NUM / den, rounded half up. */
i128 figures_minor(const struct cost *c, i128 num);
/* i128 milliseconds of UNITS, rounded half up. */
i128 figures_ms(i128 units);
/* Rows of a table: UNITS and, where there is a price, money NUMS, rounded so that they add up to
   PAID_MS and COST; in A. RET_COSTS is NULL without a price. */
void figures_round_rows(struct arena *a, const struct cost *c, const i128 *units, const i128 *nums,
                        size_t n, i128 paid_ms, i128 cost, i128 **ret_ms, i128 **ret_costs);
/* PAID_MS and COST: what the total is to be (a group's share of the whole), or -1: its own
   rounding. */
void figures_build(const struct tally *t, const struct cost *c, i128 paid_ms, i128 cost,
                   struct figures *ret_figures);
/* The energy of T, rounded so that it is MILLIJOULES in all. */
void figures_set_energy(struct figures *g, const struct tally *t, i128 millijoules);
/* Down and free are not known where no capacity is. */
bool figures_account_is_null(const struct sums *s, enum account a);
