/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/duration.h"

#define DIGITS_MAX 9 /* of one number: 10^9 days fit into an int64 of milliseconds */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at the head of S. */
static bool take_number(struct str *s, int64_t *ret)
{
	int64_t v = 0;
	size_t n = 0;
	for (; n < s->n && is_digit(s->p[n]); n++) {
		if (n >= DIGITS_MAX)
			return false;
		v = v * 10 + (s->p[n] - '0');
	}
	*s = str_sub(*s, n, s->n);
	*ret = v;
	return n > 0;
}

static bool take(struct str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = str_sub(*s, 1, s->n);
	return true;
}

static bool is_unknown(struct str s)
{
	static const char *const words[] = { "UNLIMITED", "Partition_Limit", "INVALID",
		                             "N/A",       "Unknown",         "None",
		                             "(null)",    "NOT_SET",         "INFINITE" };
	if (!s.n)
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq_nocase(s, str_of(words[i])))
			return true;
	return false;
}

enum duration duration_parse_slurm(struct str s, int64_t *ret_ms)
{
	int64_t v[3], days = 0, ms = 0;
	size_t n = 0;
	s = str_trim(s);
	if (is_unknown(s))
		return DURATION_UNKNOWN;
	if (!take_number(&s, &v[n++]))
		return DURATION_BAD;
	bool has_days = take(&s, '-');
	if (has_days) {
		days = v[0];
		if (!take_number(&s, &v[0]))
			return DURATION_BAD;
	}
	while (n < 3 && take(&s, ':'))
		if (!take_number(&s, &v[n++]))
			return DURATION_BAD;
	if (n > 1 && take(&s, '.')) {
		int64_t scale = 100;
		size_t at = 0;
		for (; at < s.n && is_digit(s.p[at]); at++, scale /= 10)
			ms += (s.p[at] - '0') * scale;
		if (!at)
			return DURATION_BAD;
		s = str_sub(s, at, s.n);
	}
	if (s.n)
		return DURATION_BAD;
	/* D-HH, D-HH:MM and D-HH:MM:SS begin with hours; without days one number is minutes and
	   two are MM:SS. */
	size_t first = has_days || n == 3 ? 0 : 1;
	int64_t unit_s[3] = { 3600, 60, 1 }, s_all = days * 86400;
	for (size_t i = 0; i < n; i++)
		s_all += v[i] * unit_s[first + i];
	*ret_ms = s_all * 1000 + ms;
	return DURATION_OK;
}

/* The unit at the head of S in milliseconds; 0: none. */
static int64_t take_unit(struct str *s)
{
	static const struct {
		const char *name;
		int64_t ms;
	} units[] = { { "ms", 1 },      { "s", 1000 },     { "m", 60000 },
		      { "h", 3600000 }, { "d", 86400000 }, { "w", 604800000 } };
	size_t n = 0;
	while (n < s->n && s->p[n] >= 'a' && s->p[n] <= 'z')
		n++;
	struct str word = str_sub(*s, 0, n);
	if (str_eq(word, S("min")))
		word = S("m");
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_eq(word, str_of(units[i].name))) {
			*s = str_sub(*s, n, s->n);
			return units[i].ms;
		}
	return 0;
}

enum duration duration_parse(struct str s, int64_t *ret_ms)
{
	int64_t all = 0;
	s = str_trim(s);
	if (is_unknown(s))
		return DURATION_UNKNOWN;
	if (str_eq(s, S("0"))) {
		*ret_ms = 0;
		return DURATION_OK;
	}
	while (s.n) {
		int64_t whole, part = 0, scale = 1;
		if (!take_number(&s, &whole))
			return DURATION_BAD;
		if (take(&s, '.')) {
			size_t before = s.n;
			if (!take_number(&s, &part))
				return DURATION_BAD;
			for (size_t i = 0; i < before - s.n; i++)
				scale *= 10;
		}
		int64_t unit = take_unit(&s);
		if (!unit)
			return DURATION_BAD;
		/* 10^9 weeks are 6 x 10^17 ms: the sum is checked, one product cannot overflow */
		if (__builtin_add_overflow(all, whole * unit + part * unit / scale, &all))
			return DURATION_BAD;
	}
	*ret_ms = all;
	return DURATION_OK;
}
