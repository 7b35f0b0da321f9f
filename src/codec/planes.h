/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * planes: words as bytes. Planes: the lowest byte of every word, then the next of every word, and
 * so on, so that bytes of one kind stand together. Bits: each word in the bits that the largest
 * needs. Sparse: one bit a word, set where the word is not zero, and only those words.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define PLANES_WIDTH_MAX 8u
#define BITS_WIDTH_MAX 56u

/* Appends N words of WIDTH bytes (1 to 8): N x WIDTH bytes. */
void planes_put(struct text *t, const uint64_t *w, size_t n, unsigned width);
/* From N x WIDTH bytes at IN. */
void planes_get(uint64_t *w, size_t n, unsigned width, const char *in);

/* Appends N words of WIDTH bits (1 to 56): bits_bytes bytes, the spare bits zero. */
void bits_put(struct text *t, const uint64_t *w, size_t n, unsigned width);
void bits_get(uint64_t *w, size_t n, unsigned width, struct str in);
static inline size_t bits_bytes(size_t n, unsigned width)
{
	return (n * width + 7) / 8;
}

/* Appends the map of the N words, and moves those that are not zero to the front of RET_KEPT:
   how many. */
size_t sparse_put(struct text *t, const uint64_t *w, size_t n, uint64_t *ret_kept);
/* How many of the first N bits of the map are set. */
size_t sparse_count(struct str map, size_t n);
/* W[0, N) from the map and its words; KEPT holds one word more than are set. */
void sparse_get(uint64_t *w, size_t n, struct str map, const uint64_t *kept);
