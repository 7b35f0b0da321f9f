/* SPDX-License-Identifier: Apache-2.0 */
#include "account/frac.h"

#include <stdlib.h>

#include "base/arena.h"

static const i128 FIT = (i128)1 << 62;

static i128 gcd(i128 a, i128 b)
{
	while (b) {
		i128 t = a % b;
		a = b;
		b = t;
	}
	return a < 0 ? -a : a;
}

struct frac frac_of(i128 num, i128 den)
{
	if (den < 0)
		num = -num, den = -den;
	i128 g = gcd(num, den);
	if (g > 1)
		num /= g, den /= g;
	if (den >= FIT || num >= FIT || num <= -FIT) { /* round to 2^-40 */
		int shift = 0;
		for (; den >= (i128)1 << 80; shift++)
			den >>= 1;
		i128 scaled = (num >> shift) / den * ((i128)1 << 40) +
		              (((num >> shift) % den) << 40) / den;
		return (struct frac){ (int64_t)scaled, (int64_t)1 << 40 };
	}
	return (struct frac){ (int64_t)num, (int64_t)den };
}

struct frac frac_add(struct frac a, struct frac b)
{
	if (a.den == b.den)
		return frac_of((i128)a.num + b.num, a.den);
	return frac_of((i128)a.num * b.den + (i128)b.num * a.den, (i128)a.den * b.den);
}

struct frac frac_sub(struct frac a, struct frac b)
{
	return frac_add(a, (struct frac){ -b.num, b.den });
}

struct frac frac_mul(struct frac a, struct frac b)
{
	return frac_of((i128)a.num * b.num, (i128)a.den * b.den);
}

struct frac frac_div(struct frac a, struct frac b)
{
	return frac_of((i128)a.num * b.den, (i128)a.den * b.num);
}

int frac_cmp(struct frac a, struct frac b)
{
	i128 x = (i128)a.num * b.den, y = (i128)b.num * a.den;
	return x < y ? -1 : x > y;
}

int64_t frac_floor(struct frac a)
{
	return a.num / a.den;
}

struct remainder {
	struct frac rest;
	uint32_t party;
};

static int remainder_order(const void *x, const void *y)
{
	const struct remainder *a = x, *b = y;
	int c = frac_cmp(b->rest, a->rest);
	return c ? c : a->party < b->party ? -1 : 1;
}

void frac_share(const struct frac *quotas, uint32_t n, int64_t total, int64_t *ret_units)
{
	struct remainder few[16], *rest = few;
	if (n > 16)
		rest = mem_alloc(mem_times(n, sizeof *rest));
	int64_t left = total;
	for (uint32_t i = 0; i < n; i++) {
		ret_units[i] = frac_floor(quotas[i]);
		rest[i] = (struct remainder){ frac_sub(quotas[i], (struct frac){ ret_units[i], 1 }),
			                      i };
		left -= ret_units[i];
	}
	qsort(rest, n, sizeof *rest, remainder_order);
	for (uint32_t i = 0; i < n && left > 0; i++, left--)
		ret_units[rest[i].party]++;
	if (rest != few)
		mem_free(rest);
}
