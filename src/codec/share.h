/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * share: values that are averages of whole numbers. A source that says 26.466666 averaged 15
 * readings in whole per cents: 26.466666 = floor(397 x 10^6 / 15) x 10^-6. Where nearly all values
 * of a column are so, their numerators (397) say the same in far fewer bits; the others are kept
 * aside, so that every value comes back as it was.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARE_DEN_MAX 64u
#define SHARE_DECIMALS_MAX 9u

/* value = floor(word x 10^decimals / den) */
struct share {
	unsigned decimals; /* 1 to 9 */
	unsigned den;      /* 2 to 64 */
};

/* What a value that is no such average is short of. */
struct share_rest {
	uint32_t at;
	uint64_t more; /* value - floor(word x 10^decimals / den) */
};

/* Guesses from some of V, in units of 10^-DECIMALS: false when they are no averages, or whole
   already. */
bool share_find(const int64_t *v, size_t n, unsigned decimals, struct share *ret);
/* The words of V and what is left over. How many are left over; RET_REST has room for REST_MAX, one
   more than that means: give it up. */
size_t share_split(const struct share *s, const int64_t *v, size_t n, uint64_t *ret_words,
                   struct share_rest *ret_rest, size_t rest_max);
/* Words to values, in place. Any words: those that are too large give some value. */
void share_join(const struct share *s, uint64_t *v, size_t n);
