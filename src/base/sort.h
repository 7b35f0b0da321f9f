/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sort: large arrays by a whole number, in linear time: least significant digit first, digits that
 * all keys share are passed over. Stable. For small or rare arrays qsort is good enough.
 */
#include <stddef.h>
#include <stdint.h>

struct keyed {
	uint64_t key;
	int64_t with; /* goes along: an index, or all there is to know */
};

void sort_keyed(struct keyed *v, size_t n);
/* The same, but what has the same key may come in any order: faster, and in place. */
void sort_keyed_loose(struct keyed *v, size_t n);
void sort_u64(uint64_t *v, size_t n);
/* The median, of an even number the upper one (ledger.md 9.5); 0 of none. Sorts V. */
uint64_t sort_median_u64(uint64_t *v, size_t n);
/* What would stand at the places AT (below N) of the sorted array: RET[i] for AT[i]. Only the parts
   that hold them are sorted; V is left in some other order. */
void sort_pick_u64(uint64_t *v, size_t n, const size_t *at, size_t at_n, uint64_t *ret);

/* Signed numbers in the order of unsigned keys. */
static inline uint64_t sort_key(int64_t v)
{
	return (uint64_t)v ^ (UINT64_C(1) << 63);
}

static inline int64_t sort_unkey(uint64_t key)
{
	return (int64_t)(key ^ (UINT64_C(1) << 63));
}
