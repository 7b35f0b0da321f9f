/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * round: exact parts to printed parts that add up (largest remainder, in key order).
 */
#include <stddef.h>

#include "base/arena.h"
#include "base/wide.h"

/* VALUE / UNIT, rounded half up; UNIT > 0. */
i128 round_half_up(i128 value, i128 unit);
/* Each of the N parts (exact, none negative) to a whole number of UNITs: floored, and what is
   missing to WANT given to the largest remainders, the earlier part first. The sum of RET is WANT;
   every RET is its part's floor or one more. WANT is the floor of the parts' exact sum, or one
   more. SCRATCH holds what is needed until then. */
void round_parts(struct arena *scratch, const i128 *parts, size_t n, i128 unit, i128 want,
                 i128 *ret);
/* floor(a x b / c) exactly, though a x b may not fit; 0 <= b <= c, 0 < c < 2^126, 0 <= a. */
i128 round_mul_div(i128 a, i128 b, i128 c);
