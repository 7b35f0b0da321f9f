/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/wide.h"

static unsigned char lower(char c)
{
	unsigned char u = (unsigned char)c;
	return u >= 'A' && u <= 'Z' ? (unsigned char)(u + 32) : u;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool str_eq_nocase(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (lower(a.p[i]) != lower(b.p[i]))
			return false;
	return true;
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	return c ? c : a.n < b.n ? -1 : a.n > b.n;
}

int str_cmp_natural(struct str a, struct str b)
{
	size_t i = 0, j = 0;
	while (i < a.n && j < b.n) {
		if (!is_digit(a.p[i]) || !is_digit(b.p[j])) {
			if (a.p[i] != b.p[j])
				return (unsigned char)a.p[i] < (unsigned char)b.p[j] ? -1 : 1;
			i++, j++;
			continue;
		}
		size_t x = i, y = j;
		while (x < a.n && a.p[x] == '0')
			x++;
		while (y < b.n && b.p[y] == '0')
			y++;
		size_t ax = x, by = y;
		while (x < a.n && is_digit(a.p[x]))
			x++;
		while (y < b.n && is_digit(b.p[y]))
			y++;
		if (x - ax != y - by)
			return x - ax < y - by ? -1 : 1;
		int c = memcmp(a.p + ax, b.p + by, x - ax);
		if (c)
			return c;
		i = x, j = y;
	}
	if (i < a.n || j < b.n)
		return i < a.n ? 1 : -1;
	return str_cmp(a, b); /* "01" and "1" differ after all */
}

bool str_starts(struct str s, struct str head)
{
	return s.n >= head.n && str_eq(str_sub(s, 0, head.n), head);
}

bool str_ends(struct str s, struct str tail)
{
	return s.n >= tail.n && str_eq(str_sub(s, s.n - tail.n, tail.n), tail);
}

bool str_starts_nocase(struct str s, struct str head)
{
	return s.n >= head.n && str_eq_nocase(str_sub(s, 0, head.n), head);
}

size_t str_find(struct str s, struct str needle)
{
	if (!needle.n)
		return 0;
	const char *p = s.n ? memmem(s.p, s.n, needle.p, needle.n) : NULL;
	return p ? (size_t)(p - s.p) : s.n;
}

size_t str_find_byte(struct str s, char c)
{
	const char *p = s.n ? memchr(s.p, c, s.n) : NULL;
	return p ? (size_t)(p - s.p) : s.n;
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0]))
		s.p++, s.n--;
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool str_cut(struct str *s, char c, struct str *ret_head)
{
	if (!s->p)
		return false;
	size_t at = str_find_byte(*s, c);
	*ret_head = str_sub(*s, 0, at);
	if (at == s->n)
		*s = STR_NULL;
	else
		*s = str_sub(*s, at + 1, s->n);
	return true;
}

bool str_cut_line(struct str *s, struct str *ret_line)
{
	if (!s->n)
		return false;
	size_t at = str_find_byte(*s, '\n');
	*ret_line = str_sub(*s, 0, at);
	*s = str_sub(*s, at + 1, s->n);
	if (ret_line->n && ret_line->p[ret_line->n - 1] == '\r')
		ret_line->n--;
	return true;
}

struct str str_dup(struct arena *a, struct str s)
{
	return (struct str){ arena_dup(a, s.p, s.n), s.n };
}

char *str_z(struct arena *a, struct str s)
{
	return arena_dup(a, s.p, s.n);
}

bool str_to_u64(struct str s, uint64_t *ret)
{
	uint64_t v = 0;
	if (!s.n || s.n > 20)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!is_digit(s.p[i]) || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s.p[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

bool str_to_i64(struct str s, int64_t *ret)
{
	bool negative = s.n && s.p[0] == '-';
	uint64_t v;
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (!str_to_u64(s, &v) || v > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = negative ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* The digits of a decimal number without its point, and where the point stands (value = digits x
 * 10^exp). */
struct decimal {
	u128 digits;
	int exp;
	bool negative, lost; /* lost: digits below the last one kept were not all zero */
};

static bool decimal_exponent(struct str s, size_t i, int *ret_exp)
{
	int64_t e;
	if (i == s.n)
		return true;
	if ((s.p[i] != 'e' && s.p[i] != 'E') || !str_to_i64(str_sub(s, i + 1, s.n), &e) ||
	    e < -400 || e > 400)
		return false;
	*ret_exp += (int)e;
	return true;
}

static bool decimal_parse(struct str s, struct decimal *ret)
{
	struct decimal d = { 0 };
	size_t i = 0, seen = 0;
	bool point = false;
	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		d.negative = s.p[i++] == '-';
	for (; i < s.n && (is_digit(s.p[i]) || (s.p[i] == '.' && !point)); i++) {
		if (s.p[i] == '.') {
			point = true;
			continue;
		}
		seen++;
		if (d.digits < (u128)1 << 100) {
			d.digits = d.digits * 10 + (unsigned)(s.p[i] - '0');
			d.exp -= point;
		} else {
			d.lost |= s.p[i] != '0';
			d.exp += !point;
		}
	}
	if (!seen || !decimal_exponent(s, i, &d.exp))
		return false;
	*ret = d;
	return true;
}

bool str_to_fixed(struct str s, unsigned decimals, int64_t *ret)
{
	struct decimal d;
	if (!decimal_parse(s, &d))
		return false;
	int shift = d.exp + (int)decimals;
	for (; shift > 0 && d.digits; shift--) {
		if (d.digits > (u128)1 << 100)
			return false;
		d.digits *= 10;
	}
	for (; shift < 0 && d.digits; shift++) {
		d.lost |= d.digits % 10 != 0;
		d.digits /= 10;
	}
	d.lost |= shift < 0 && d.digits;
	if (d.digits > (u128)INT64_MAX - 1)
		return false;
	int64_t v = (int64_t)d.digits;
	*ret = d.negative ? -v - d.lost : v;
	return true;
}

bool str_to_fraction(struct str s, int64_t *ret_num, int64_t *ret_den)
{
	size_t slash = str_find_byte(s, '/');
	int64_t num, den = 1;
	if (slash < s.n) {
		if (!str_to_i64(str_trim(str_sub(s, 0, slash)), &num) ||
		    !str_to_i64(str_trim(str_sub(s, slash + 1, s.n)), &den) || den <= 0)
			return false;
	} else {
		struct decimal d;
		if (!decimal_parse(s, &d) || d.lost)
			return false;
		for (; d.exp > 0; d.exp--)
			if (__builtin_mul_overflow(d.digits, (unsigned)10, &d.digits) ||
			    d.digits >> 100)
				return false;
		for (; d.exp < 0 && d.digits % 10 == 0 && d.digits; d.exp++)
			d.digits /= 10;
		for (; d.exp < 0 && d.digits; d.exp++)
			if (__builtin_mul_overflow(den, 10, &den))
				return false;
		if (d.digits > INT64_MAX)
			return false;
		num = d.negative ? -(int64_t)d.digits : (int64_t)d.digits;
	}
	*ret_num = num;
	*ret_den = den;
	return true;
}

bool str_to_double(struct str s, double *ret)
{
	char z[64];
	struct decimal d;
	if (s.n >= sizeof z || !decimal_parse(s, &d))
		return false;
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	double v = strtod(z, NULL); /* the process stays in the C locale for numbers: main() never
	                               sets another */
	if (!isfinite(v))
		return false;
	*ret = v;
	return true;
}

/* A multiply-and-fold hash over 8 bytes at a time; the tables that use it grow by what they hold,
   not by what an input chooses, so a keyed hash is not needed. */
uint64_t str_hash(struct str s)
{
	const uint64_t k = 0x9e3779b97f4a7c15u;
	uint64_t h = s.n * k;
	for (; s.n >= 8; s.p += 8, s.n -= 8) {
		uint64_t w;
		memcpy(&w, s.p, 8);
		u128 m = (u128)(h ^ w) * k;
		h = (uint64_t)m ^ (uint64_t)(m >> 64);
	}
	uint64_t w = 0;
	if (s.n)
		memcpy(&w, s.p, s.n);
	u128 m = (u128)(h ^ w ^ (s.n << 56)) * k;
	return (uint64_t)m ^ (uint64_t)(m >> 64);
}
