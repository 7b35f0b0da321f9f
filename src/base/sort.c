/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS };

static inline unsigned digit_of(uint64_t key, int digit)
{
	return (unsigned)(key >> (digit * DIGIT_BITS)) & (BUCKETS - 1);
}

/* Where each bucket starts; false if all keys are in one. */
static bool starts_of(const size_t *count, size_t n, size_t *ret_start)
{
	size_t sum = 0;
	for (int i = 0; i < BUCKETS; i++) {
		if (count[i] == n)
			return false;
		ret_start[i] = sum;
		sum += count[i];
	}
	return true;
}

/* The same for both kinds of element: KEY is the key of element x. */
#define SORT(type, KEY)                                                                  \
	do {                                                                             \
		auto_arena scratch = ARENA_NULL;                                         \
		type *from = v, *to, *swap;                                              \
		size_t(*count)[BUCKETS] = arena_alloc(&scratch, sizeof *count * DIGITS); \
		size_t *start = ARENA_ARRAY(&scratch, size_t, BUCKETS);                  \
		to = ARENA_ARRAY(&scratch, type, n);                                     \
		for (size_t i = 0; i < n; i++)                                           \
			for (int d = 0; d < DIGITS; d++)                                 \
				count[d][digit_of(KEY(v[i]), d)]++;                      \
		for (int d = 0; d < DIGITS; d++) {                                       \
			if (!starts_of(count[d], n, start))                              \
				continue;                                                \
			for (size_t i = 0; i < n; i++)                                   \
				to[start[digit_of(KEY(from[i]), d)]++] = from[i];        \
			swap = from, from = to, to = swap;                               \
		}                                                                        \
		if (from != v)                                                           \
			memcpy(v, from, n * sizeof *v);                                  \
	} while (0)

#define KEY_OF_KEYED(x) ((x).key)
#define KEY_OF_U64(x) (x)

/* Insertion is faster than counting digits. */
#define SORT_FEW(type, KEY)                                          \
	do {                                                         \
		for (size_t i = 1; i < n; i++) {                     \
			type x = v[i];                               \
			size_t k = i;                                \
			for (; k > 0 && KEY(v[k - 1]) > KEY(x); k--) \
				v[k] = v[k - 1];                     \
			v[k] = x;                                    \
		}                                                    \
	} while (0)

void sort_keyed(struct keyed *v, size_t n)
{
	if (n <= SORT_FEW_MAX)
		SORT_FEW(struct keyed, KEY_OF_KEYED);
	else
		SORT(struct keyed, KEY_OF_KEYED);
}

void sort_u64(uint64_t *v, size_t n)
{
	if (n <= SORT_FEW_MAX)
		SORT_FEW(uint64_t, KEY_OF_U64);
	else
		SORT(uint64_t, KEY_OF_U64);
}
