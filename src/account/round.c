/* SPDX-License-Identifier: Apache-2.0 */
#include "account/round.h"

#include <assert.h>
#include <stdlib.h>

static i128 floor_div(i128 a, i128 b)
{
	i128 q = a / b;
	return q - (a % b < 0);
}

i128 round_half_up(i128 value, i128 unit)
{
	i128 q = floor_div(value, unit), rest = value - q * unit;
	return q + (rest >= unit - rest);
}

struct remainder {
	i128 rest;
	size_t at;
};

static int remainder_compare(const void *x, const void *y)
{
	const struct remainder *a = x, *b = y;
	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void round_parts(struct arena *scratch, const i128 *parts, size_t n, i128 unit, i128 want,
                 i128 *ret)
{
	struct remainder *r = ARENA_ARRAY(scratch, struct remainder, n ? n : 1);
	i128 left = want;
	for (size_t i = 0; i < n; i++) {
		assert(parts[i] >= 0);
		ret[i] = parts[i] / unit;
		r[i] = (struct remainder){ parts[i] % unit, i };
		left -= ret[i];
	}
	assert(left >= 0 && left <= (i128)n);
	if (left)
		qsort(r, n, sizeof *r, remainder_compare);
	for (size_t i = 0; i < n && left > 0; i++, left--)
		ret[r[i].at]++;
}

/* Schoolbook, a bit of A at a time: the running remainder stays below C, so nothing overflows. */
i128 round_mul_div(i128 a, i128 b, i128 c)
{
	i128 whole, q = 0, rest = 0;
	assert(a >= 0 && b >= 0 && b <= c && c > 0);
	if (!__builtin_mul_overflow(a, b, &whole))
		return whole / c;
	for (int bit = 126; bit >= 0; bit--) {
		q *= 2;
		rest *= 2;
		if ((a >> bit) & 1)
			rest += b;
		/* rest < 3c */
		q += rest / c;
		rest %= c;
	}
	return q;
}
