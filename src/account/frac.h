/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * frac: exact fractions, for shares of a device. Kept reduced, den > 0, both under 2^62 (shares
 * with absurd denominators are rounded to 2^-40 once they would not fit; no share on the 21,000
 * grid ever is).
 */
#include <stdint.h>

#include "base/wide.h"

struct frac {
	int64_t num, den;
};

#define FRAC_ZERO ((struct frac){ 0, 1 })
#define FRAC_ONE ((struct frac){ 1, 1 })

struct frac frac_of(i128 num, i128 den); /* den != 0 */
struct frac frac_add(struct frac a, struct frac b);
struct frac frac_sub(struct frac a, struct frac b);
struct frac frac_mul(struct frac a, struct frac b);
struct frac frac_div(struct frac a, struct frac b); /* b != 0 */
int frac_cmp(struct frac a, struct frac b);
int64_t frac_floor(struct frac a); /* a >= 0 */

/* Divides TOTAL units among N parties: each gets the floor of its quota, then one unit more each by
   largest remainder (ties: the earlier party). The quotas add up to TOTAL. */
void frac_share(const struct frac *quotas, uint32_t n, int64_t total, int64_t *ret_units);
