/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * wire: the small pieces of a block. Numbers are little-endian; a varint has seven bits a byte,
 * lowest first. What takes off the front of a slice answers false when the slice does not hold it.
 */
#include "base/text.h"

#define WIRE_VARINT_BYTES_MAX 10

static inline void wire_put_varint(struct text *t, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		text_byte(t, (char)(v | 0x80));
	text_byte(t, (char)v);
}

static inline bool wire_take_varint(struct str *in, uint64_t *ret)
{
	uint64_t v = 0;
	for (size_t i = 0; i < in->n && i < WIRE_VARINT_BYTES_MAX; i++) {
		uint64_t b = (unsigned char)in->p[i];
		if (i == WIRE_VARINT_BYTES_MAX - 1 && b > 1)
			return false; /* more than 64 bits */
		v |= (b & 0x7f) << 7 * i;
		if (b < 0x80) {
			*ret = v;
			*in = str_sub(*in, i + 1, in->n);
			return true;
		}
	}
	return false;
}

static inline bool wire_take(struct str *in, size_t n, struct str *ret)
{
	if (in->n < n)
		return false;
	*ret = str_sub(*in, 0, n);
	*in = str_sub(*in, n, in->n);
	return true;
}

static inline bool wire_take_byte(struct str *in, unsigned *ret)
{
	if (!in->n)
		return false;
	*ret = (unsigned char)in->p[0];
	*in = str_sub(*in, 1, in->n);
	return true;
}

/* Small numbers of either sign as small numbers: 0, -1, 1, -2 become 0, 1, 2, 3. */
static inline uint64_t wire_zigzag(uint64_t v)
{
	return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t wire_unzigzag(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

static inline uint32_t wire_load32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void wire_store32(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i);
}

/* Bits that V needs; 0 for 0. */
static inline unsigned wire_bits(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}
