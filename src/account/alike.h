/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * alike: cells that count the same, added up. A ledger has hundreds of thousands of cells, and they
 * differ in a few dozen ways: state, fate, marks and the job's outcome. Dozens of 128-bit sums are
 * taken of each way, not of each cell.
 */
#include "account/cost.h"

/* LIKE: one of the cells, with the units of all of them. PRICED: units that have a price. */
typedef void alike_visit(void *context, const struct cell *like, i128 num, int64_t priced);

/* Of all cells of L (CELLS: only these). A way comes again when its units would leave their range.
   Energy is not a sum over ways: not for a ledger that has some. C may be NULL. */
void alike_each(const struct ledger *l, const struct cost *c, const uint32_t *cells, size_t n,
                alike_visit *visit, void *context);
