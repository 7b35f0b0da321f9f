/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/share.h"

#include "base/wide.h"

/* Values below this times any den stay exact in divide(). */
#define SHARE_VALUE_MAX ((int64_t)1 << 48)
enum { SAMPLE = 64 };
/* What a value that is left over costs, in 1/256 bits: place and rest, some four bytes. */
#define REST_COST (32u << 8)

static uint64_t power10(unsigned n)
{
	uint64_t p = 1;
	while (n--)
		p *= 10;
	return p;
}

/* floor(X / DEN) with RECIPROCAL = ceil(2^64 / DEN): exact for X x DEN < 2^64. */
static inline uint64_t divide(uint64_t x, uint64_t reciprocal)
{
	return (uint64_t)((u128)x * reciprocal >> 64);
}

static uint64_t reciprocal_of(unsigned den)
{
	return UINT64_MAX / den + 1;
}

/* log2 of X > 0 in 1/256 bits, the fraction taken as linear */
static uint32_t log2_256(uint32_t x)
{
	unsigned e = 31 - (unsigned)__builtin_clz(x);
	return e << 8 | ((x << (31 - e) >> 23) & 255);
}

/* Up to SAMPLE fractions of a whole that are not zero, from all over V. */
static size_t take_sample(const int64_t *v, size_t n, uint64_t whole, uint32_t *ret)
{
	size_t m = 0, step = n / (4 * (size_t)SAMPLE) + 1;
	for (size_t i = 0; i < n && m < SAMPLE; i += step) {
		if (v[i] < 0 || v[i] >= SHARE_VALUE_MAX)
			return 0;
		ret[m] = (uint32_t)((uint64_t)v[i] % whole);
		m += ret[m] != 0;
	}
	return m;
}

bool share_find(const int64_t *v, size_t n, unsigned decimals, struct share *ret)
{
	if (!decimals || decimals > SHARE_DECIMALS_MAX)
		return false;
	uint32_t whole = (uint32_t)power10(decimals), f[SAMPLE] = { 0 }, x[SAMPLE] = { 0 };
	size_t m = take_sample(v, n, whole, f);
	if (m < 4)
		return false;
	/* x = f x den mod whole: a value fits when its numerator, rounded up, is less than one part
	   away */
	uint32_t best = UINT32_MAX, plain = log2_256(whole);
	for (uint32_t den = 1; den <= SHARE_DEN_MAX; den++) {
		uint32_t hits = 0;
		for (size_t i = 0; i < SAMPLE; i++) {
			uint32_t sum = x[i] + f[i], less = sum - whole;
			x[i] = sum < less ? sum : less;
			hits += (x[i] == 0) | (x[i] > whole - den);
		}
		uint32_t misses = (uint32_t)m - (hits - (SAMPLE - (uint32_t)m)); /* f 0 hits */
		uint32_t cost = log2_256(den) + misses * REST_COST / (uint32_t)m;
		if (misses * 8 <= m && cost < best && den > 1) {
			best = cost;
			*ret = (struct share){ decimals, den };
		}
	}
	return best < plain;
}

size_t share_split(const struct share *s, const int64_t *v, size_t n, uint64_t *ret_words,
                   struct share_rest *ret_rest, size_t rest_max)
{
	uint64_t whole = power10(s->decimals), reciprocal = reciprocal_of(s->den);
	size_t rests = 0;
	for (size_t i = 0; i < n; i++) {
		if (v[i] < 0 || v[i] >= SHARE_VALUE_MAX)
			return rest_max + 1;
		uint64_t value = (uint64_t)v[i], up = (value * s->den + whole - 1) / whole;
		if (divide(up * whole, reciprocal) != value) {
			if (rests == rest_max)
				return rest_max + 1;
			up -= up > 0;
			ret_rest[rests++] =
			        (struct share_rest){ (uint32_t)i,
				                     value - divide(up * whole, reciprocal) };
		}
		ret_words[i] = up;
	}
	return rests;
}

void share_join(const struct share *s, uint64_t *v, size_t n)
{
	uint64_t whole = power10(s->decimals), reciprocal = reciprocal_of(s->den);
	for (size_t i = 0; i < n; i++)
		v[i] = divide(v[i] * whole, reciprocal);
}
