/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/planes.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define STEP 16 /* words at a time: loops of a fixed length become vector code */

/* N bytes more at the end of T. */
static unsigned char *text_more(struct text *t, size_t n)
{
	text_repeat(t, 0, n);
	return (unsigned char *)t->p + t->n - n;
}

void planes_put(struct text *t, const uint64_t *w, size_t n, unsigned width)
{
	assert(width >= 1 && width <= PLANES_WIDTH_MAX);
	unsigned char *out = text_more(t, n * width);
	for (unsigned k = 0; k < width; k++)
		for (size_t i = 0; i < n; i++)
			*out++ = (unsigned char)(w[i] >> 8 * k);
}

/* WIDTH is a constant in each copy of this. */
ALWAYS_INLINE void join(uint64_t *restrict w, const unsigned char *restrict p, size_t n,
                        unsigned width)
{
	size_t i = 0;
	for (; i + STEP <= n; i += STEP)
		for (size_t j = 0; j < STEP; j++) {
			uint64_t x = 0;
			for (unsigned k = 0; k < width; k++)
				x |= (uint64_t)p[k * n + i + j] << 8 * k;
			w[i + j] = x;
		}
	for (; i < n; i++) {
		w[i] = 0;
		for (unsigned k = 0; k < width; k++)
			w[i] |= (uint64_t)p[k * n + i] << 8 * k;
	}
}

void planes_get(uint64_t *w, size_t n, unsigned width, const char *in)
{
	const unsigned char *p = (const unsigned char *)in;
	switch (width) {
	case 1:
		join(w, p, n, 1);
		return;
	case 2:
		join(w, p, n, 2);
		return;
	case 3:
		join(w, p, n, 3);
		return;
	case 4:
		join(w, p, n, 4);
		return;
	case 5:
		join(w, p, n, 5);
		return;
	case 6:
		join(w, p, n, 6);
		return;
	case 7:
		join(w, p, n, 7);
		return;
	default:
		assert(width == PLANES_WIDTH_MAX);
		join(w, p, n, PLANES_WIDTH_MAX);
	}
}

/* Little-endian, in one access where that is what memory has. */
static void store64(unsigned char *p, uint64_t x)
{
	x = htole64(x);
	memcpy(p, &x, sizeof x);
}

static uint64_t load64(const unsigned char *p)
{
	uint64_t x;
	memcpy(&x, p, sizeof x);
	return le64toh(x);
}

void bits_put(struct text *t, const uint64_t *w, size_t n, unsigned width)
{
	assert(width >= 1 && width <= BITS_WIDTH_MAX);
	unsigned char *out = text_more(t, bits_bytes(n, width));
	uint64_t held = 0;
	unsigned have = 0; /* bits in HELD, fewer than 64 */
	for (size_t i = 0; i < n; i++) {
		held |= w[i] << have;
		have += width;
		if (have < 64)
			continue;
		store64(out, held);
		out += 8;
		have -= 64;
		held = have ? w[i] >> (width - have) : 0;
	}
	for (; have; have -= have < 8 ? have : 8) {
		*out++ = (unsigned char)held;
		held >>= 8;
	}
}

void bits_get(uint64_t *w, size_t n, unsigned width, struct str in)
{
	assert(width >= 1 && width <= BITS_WIDTH_MAX && in.n >= bits_bytes(n, width));
	const unsigned char *p = (const unsigned char *)in.p;
	uint64_t mask = ((uint64_t)1 << width) - 1;
	size_t i = 0;
	for (; i < n && i * width / 8 + 8 <= in.n; i++)
		w[i] = load64(p + i * width / 8) >> i * width % 8 & mask;
	for (; i < n; i++) { /* the last ones: no eight bytes are left */
		uint64_t x = 0;
		for (size_t at = i * width / 8, k = 0; at < in.n; at++, k++)
			x |= (uint64_t)p[at] << 8 * k;
		w[i] = x >> i * width % 8 & mask;
	}
}

size_t sparse_put(struct text *t, const uint64_t *w, size_t n, uint64_t *ret_kept)
{
	unsigned char *map = text_more(t, bits_bytes(n, 1));
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		ret_kept[kept] = w[i];
		kept += w[i] != 0;
		map[i / 8] |= (unsigned char)((w[i] != 0) << i % 8);
	}
	return kept;
}

size_t sparse_count(struct str map, size_t n)
{
	assert(map.n >= bits_bytes(n, 1));
	const unsigned char *p = (const unsigned char *)map.p;
	size_t count = 0;
	for (size_t i = 0; i < n / 8; i++)
		count += (size_t)__builtin_popcount(p[i]);
	if (n % 8)
		count += (size_t)__builtin_popcount(p[n / 8] & ((1u << n % 8) - 1));
	return count;
}

void sparse_get(uint64_t *w, size_t n, struct str map, const uint64_t *kept)
{
	const unsigned char *p = (const unsigned char *)map.p;
	size_t at = 0, i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t b = p[i / 8];
		if (!b) { /* by far the most frequent */
			memset(w + i, 0, 8 * sizeof *w);
			continue;
		}
		for (unsigned j = 0; j < 8; j++) {
			uint64_t bit = b >> j & 1;
			w[i + j] = kept[at] & (0 - bit);
			at += bit;
		}
	}
	for (; i < n; i++) {
		uint64_t bit = (uint64_t)p[i / 8] >> i % 8 & 1;
		w[i] = kept[at] & (0 - bit);
		at += bit;
	}
}
