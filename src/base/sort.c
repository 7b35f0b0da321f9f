/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"

/* A table of counters of few bits stays in the cache beside few elements. */
enum { DIGIT_BITS = 11, DIGIT_BITS_FEW = 8, BUCKETS = 1 << DIGIT_BITS };

/* Only the bits in which keys differ are looked at. */
struct digits {
	int n, width, shift;
};

static struct digits digits_of(uint64_t differ, int digit_bits)
{
	struct digits d = { .shift = __builtin_ctzll(differ) };
	int bits = 64 - __builtin_clzll(differ) - d.shift;
	d.n = (bits + digit_bits - 1) / digit_bits;
	d.width = (bits + d.n - 1) / d.n;
	return d;
}

static inline size_t digit_of(uint64_t key, const struct digits *d, int i)
{
	return (size_t)(key >> (d->shift + i * d->width)) & (((size_t)1 << d->width) - 1);
}

static void starts_of(size_t *count, size_t buckets)
{
	size_t sum = 0;
	for (size_t i = 0; i < buckets; i++) {
		size_t n = count[i];
		count[i] = sum;
		sum += n;
	}
}

/* The same for both kinds of element. */
#define SORT_BY_DIGITS(type, KEY)                                                                  \
	static void sort_digits_##type(type *v, size_t n, uint64_t differ)                         \
	{                                                                                          \
		auto_arena scratch = ARENA_NULL;                                                   \
		struct digits d = digits_of(differ, n < BUCKETS ? DIGIT_BITS_FEW : DIGIT_BITS);    \
		size_t buckets = (size_t)1 << d.width;                                             \
		size_t *at = ARENA_ARRAY(&scratch, size_t, buckets * (size_t)d.n);                 \
		type *from = v, *to = ARENA_ARRAY(&scratch, type, n), *swap;                       \
		for (size_t i = 0; i < n; i++)                                                     \
			for (int k = 0; k < d.n; k++)                                              \
				at[(size_t)k * buckets + digit_of(KEY(v[i]), &d, k)]++;            \
		for (int k = 0; k < d.n; k++, at += buckets) {                                     \
			starts_of(at, buckets);                                                    \
			for (size_t i = 0; i < n; i++)                                             \
				to[at[digit_of(KEY(from[i]), &d, k)]++] = from[i];                 \
			swap = from, from = to, to = swap;                                         \
		}                                                                                  \
		if (from != v)                                                                     \
			memcpy(v, from, n * sizeof *v);                                            \
	}                                                                                          \
	/* Insertion is faster than counting digits. */                                            \
	static void sort_few_##type(type *v, size_t n)                                             \
	{                                                                                          \
		for (size_t i = 1; i < n; i++) {                                                   \
			type x = v[i];                                                             \
			size_t k = i;                                                              \
			for (; k > 0 && KEY(v[k - 1]) > KEY(x); k--)                               \
				v[k] = v[k - 1];                                                   \
			v[k] = x;                                                                  \
		}                                                                                  \
	}                                                                                          \
	static void sort_any_##type(type *v, size_t n)                                             \
	{                                                                                          \
		uint64_t differ = 0;                                                               \
		bool falls = false;                                                                \
		for (size_t i = 1; i < n; i++) {                                                   \
			differ |= KEY(v[i]) ^ KEY(v[0]);                                           \
			falls |= KEY(v[i]) < KEY(v[i - 1]);                                        \
		}                                                                                  \
		if (!falls)                                                                        \
			return;                                                                    \
		if (n <= SORT_FEW_MAX)                                                             \
			sort_few_##type(v, n);                                                     \
		else                                                                               \
			sort_digits_##type(v, n, differ);                                          \
	}                                                                                          \
	/* By the highest digit in place; END: where each part ends. False: it is all in order. */ \
	static bool sort_parts_##type(type *v, size_t n, size_t *end)                              \
	{                                                                                          \
		size_t at[BUCKETS] = { 0 };                                                        \
		uint64_t differ = 0;                                                               \
		for (size_t i = 1; i < n; i++)                                                     \
			differ |= KEY(v[i]) ^ KEY(v[0]);                                           \
		if (n < SORT_LOOSE_MIN || !differ) {                                               \
			sort_any_##type(v, n);                                                     \
			return false;                                                              \
		}                                                                                  \
		int bits = 64 - __builtin_clzll(differ);                                           \
		struct digits d = { 1, DIGIT_BITS, bits > DIGIT_BITS ? bits - DIGIT_BITS : 0 };    \
		for (size_t i = 0; i < n; i++)                                                     \
			at[digit_of(KEY(v[i]), &d, 0)]++;                                          \
		memcpy(end, at, sizeof at);                                                        \
		starts_of(at, BUCKETS);                                                            \
		for (size_t b = 0; b < BUCKETS; b++)                                               \
			end[b] += at[b];                                                           \
		for (size_t b = 0; b < BUCKETS; b++)                                               \
			while (at[b] < end[b]) {                                                   \
				size_t to = digit_of(KEY(v[at[b]]), &d, 0);                        \
				type x = v[at[b]];                                                 \
				v[at[b]] = v[at[to]];                                              \
				v[at[to]++] = x;                                                   \
			}                                                                          \
		return true;                                                                       \
	}                                                                                          \
	/* Then each part by itself: equal keys in any order. */                                   \
	static void sort_loose_##type(type *v, size_t n)                                           \
	{                                                                                          \
		size_t end[BUCKETS];                                                               \
		if (!sort_parts_##type(v, n, end))                                                 \
			return;                                                                    \
		for (size_t b = 0, from = 0; b < BUCKETS; from = end[b++])                         \
			sort_any_##type(v + from, end[b] - from);                                  \
	}

typedef struct keyed keyed;
typedef uint64_t u64;
#define KEY_OF_KEYED(x) ((x).key)
#define KEY_OF_U64(x) (x)
SORT_BY_DIGITS(keyed, KEY_OF_KEYED)
SORT_BY_DIGITS(u64, KEY_OF_U64)

void sort_keyed(struct keyed *v, size_t n)
{
	sort_any_keyed(v, n);
}

void sort_keyed_loose(struct keyed *v, size_t n)
{
	sort_loose_keyed(v, n);
}

void sort_u64(uint64_t *v, size_t n)
{
	sort_loose_u64(v, n);
}

void sort_pick_u64(uint64_t *v, size_t n, const size_t *at, size_t at_n, uint64_t *ret)
{
	size_t end[BUCKETS], b = 0, from = 0;
	bool has_parts = sort_parts_u64(v, n, end);
	for (size_t i = 0; i < at_n; i++) {
		bool is_here = i && from <= at[i] && at[i] < end[b];
		if (has_parts && !is_here) {
			for (b = from = 0; end[b] <= at[i]; b++)
				from = end[b];
			sort_loose_u64(v + from, end[b] - from);
		}
		ret[i] = v[at[i]];
	}
}

uint64_t sort_median_u64(uint64_t *v, size_t n)
{
	sort_u64(v, n);
	return n ? v[n / 2] : 0;
}
