/* SPDX-License-Identifier: Apache-2.0 */
#include "read/csv_map.h"

#include <stdio.h>

#include "base/wide.h"
#include "parse/duration.h"
#include "parse/tres.h"
#include "parse/when.h"

static bool fail(char *why, const char *what, struct str text)
{
	snprintf(why, 128, "'%.*s' is not %s", text.n > 60 ? 60 : (int)text.n, text.p ? text.p : "",
	         what);
	return false;
}

static bool is_among(struct str s, const struct str *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(s, words[i]))
			return true;
	return false;
}

/* Up to 15 digits and nothing else: most fields, without 128-bit arithmetic. */
static bool is_plain(struct str text, int64_t *ret)
{
	int64_t v = 0;
	if (text.n == 0 || text.n > 15)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		unsigned digit = (unsigned char)text.p[i] - (unsigned)'0';
		if (digit > 9)
			return false;
		v = v * 10 + digit;
	}
	*ret = v;
	return true;
}

/* NUM / DEN = text x unit, exactly, or false. */
static bool scale(const struct csv_value *v, struct str text, int64_t *ret_num, int64_t *ret_den)
{
	int64_t num, den;
	if (v->num == 1 && v->den == 1 && is_plain(text, ret_num)) {
		*ret_den = 1;
		return true;
	}
	if (!str_to_fraction(text, &num, &den))
		return false;
	i128 n = (i128)num * v->num, d = (i128)den * v->den;
	i128 a = n < 0 ? -n : n, b = d;
	while (b) {
		i128 r = a % b;
		a = b;
		b = r;
	}
	if (a > 1) {
		n /= a;
		d /= a;
	}
	if (n > INT64_MAX || n < INT64_MIN || d > INT64_MAX)
		return false;
	*ret_num = (int64_t)n;
	*ret_den = (int64_t)d;
	return true;
}

static int64_t floor_div(i128 a, i128 b)
{
	i128 q = a / b;
	return (int64_t)(a % b < 0 ? q - 1 : q);
}

static bool read_since(const struct csv_time *t, struct str text, struct csv_cell *ret, char *why)
{
	int64_t micro, whole; /* of the unit */
	if (t->den == 1 && t->num <= 1000 && is_plain(text, &whole) && whole < TIME_MS_MAX / 1000) {
		*ret = (struct csv_cell){ .text = text, .den = 1 };
		ret->num = t->origin_ms + whole * t->num;
		if (ret->num < TIME_MS_MAX)
			return true;
	}
	if (!str_to_fixed(text, 6, &micro))
		return fail(why, "a number of time units", text);
	i128 ms = (i128)micro * t->num;
	i128 den = (i128)1000000 * t->den;
	i128 at = ms / den - (ms % den < 0) + t->origin_ms;
	if (at < TIME_MS_MIN || at >= TIME_MS_MAX)
		return fail(why, "a time in range", text);
	*ret = (struct csv_cell){ .text = text, .num = (int64_t)at, .den = 1 };
	return true;
}

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun",
	                              "jul", "aug", "sep", "oct", "nov", "dec" };

/* What a pattern has found so far. */
struct moment {
	int64_t year, month, day, hour, minute, second, ms, offset_s;
	bool has_offset, has_half, is_afternoon;
};

/* Up to MAX digits off S; false if there is none. */
static bool take_digits(struct str *s, size_t max, int64_t *ret)
{
	size_t n = 0;
	int64_t v = 0;
	while (n < max && n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		v = v * 10 + (s->p[n++] - '0');
	*s = str_sub(*s, n, s->n);
	*ret = v;
	return n > 0;
}

static bool take_month(struct str *s, int64_t *ret)
{
	for (int i = 0; i < 12; i++)
		if (str_starts_nocase(*s, str_of(months[i]))) {
			*ret = i + 1;
			*s = str_sub(*s, 3, s->n);
			return true;
		}
	return false;
}

/* Z, +hh, +hhmm, +hh:mm. */
static bool take_offset(struct str *s, struct moment *m)
{
	m->has_offset = true;
	if (str_starts(*s, S("Z"))) {
		*s = str_sub(*s, 1, s->n);
		return true;
	}
	if (!s->n || (s->p[0] != '+' && s->p[0] != '-'))
		return false;
	int64_t sign = s->p[0] == '-' ? -1 : 1, h, min = 0;
	*s = str_sub(*s, 1, s->n);
	if (!take_digits(s, 2, &h) || h > 15)
		return false;
	if (str_starts(*s, S(":")))
		*s = str_sub(*s, 1, s->n);
	take_digits(s, 2, &min);
	m->offset_s = sign * (h * 3600 + min * 60);
	return min < 60;
}

static bool take_fraction(struct str *s, int64_t *ret_ms)
{
	size_t n = 0;
	int64_t ms = 0;
	for (; n < s->n && s->p[n] >= '0' && s->p[n] <= '9'; n++)
		if (n < 3)
			ms = ms * 10 + (s->p[n] - '0');
	for (size_t k = n; k < 3; k++)
		ms *= 10;
	*s = str_sub(*s, n, s->n);
	*ret_ms = ms;
	return n > 0;
}

static bool take_half(struct str *s, struct moment *m)
{
	m->has_half = true;
	m->is_afternoon = str_starts_nocase(*s, S("pm"));
	bool ok = m->is_afternoon || str_starts_nocase(*s, S("am"));
	*s = str_sub(*s, 2, s->n);
	return ok;
}

static bool take_directive(char c, struct str *s, struct moment *m)
{
	switch (c) {
	case 'Y':
		return take_digits(s, 4, &m->year);
	case 'y':
		if (!take_digits(s, 2, &m->year))
			return false;
		m->year += m->year < 69 ? 2000 : 1900; /* as POSIX has it */
		return true;
	case 'm':
		return take_digits(s, 2, &m->month);
	case 'b':
		return take_month(s, &m->month);
	case 'd':
		return take_digits(s, 2, &m->day);
	case 'H':
	case 'I':
		return take_digits(s, 2, &m->hour);
	case 'M':
		return take_digits(s, 2, &m->minute);
	case 'S':
		return take_digits(s, 2, &m->second);
	case 'f':
		return take_fraction(s, &m->ms);
	case 'p':
		return take_half(s, m);
	case 'z':
		return take_offset(s, m);
	default:
		if (c != '%' || !str_starts(*s, S("%")))
			return false;
		*s = str_sub(*s, 1, s->n);
		return true;
	}
}

static int64_t month_days(int64_t year, int64_t month)
{
	static const int8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return days[month - 1] + (month == 2 && leap);
}

static bool moment_is_real(struct moment *m)
{
	if (m->has_half) {
		if (m->hour < 1 || m->hour > 12)
			return false;
		m->hour = m->hour % 12 + (m->is_afternoon ? 12 : 0);
	}
	return m->year >= 1 && m->month >= 1 && m->month <= 12 && m->day >= 1 &&
	       m->day <= month_days(m->year, m->month) && m->hour < 24 && m->minute < 60 &&
	       m->second <= 60;
}

static bool read_pattern(const struct csv_time *t, struct str text, const struct zone *zone,
                         struct csv_cell *ret, char *why)
{
	struct moment m = { .year = 1970, .month = 1, .day = 1 };
	struct str s = text;
	for (size_t i = 0; i < t->pattern.n; i++) {
		char c = t->pattern.p[i];
		if (c == '%' && i + 1 < t->pattern.n) {
			if (!take_directive(t->pattern.p[++i], &s, &m))
				return fail(why, "a time of the map's pattern", text);
		} else if (s.n && s.p[0] == c) {
			s = str_sub(s, 1, s.n);
		} else {
			return fail(why, "a time of the map's pattern", text);
		}
	}
	if (s.n || !moment_is_real(&m))
		return fail(why, "a time of the map's pattern", text);
	int64_t local_s = when_days((int)m.year, (int)m.month, (int)m.day) * 86400 + m.hour * 3600 +
	                  m.minute * 60 + m.second;
	int64_t utc_s = local_s - (m.has_offset ? m.offset_s : t->zone_s);
	if (!m.has_offset && !t->has_zone)
		zone_to_utc(zone, local_s, &utc_s);
	*ret = (struct csv_cell){ .text = text, .num = utc_s * 1000 + m.ms, .den = 1 };
	return true;
}

static bool read_time(const struct csv_value *v, struct str text, const struct zone *zone,
                      struct csv_cell *ret, char *why)
{
	if (v->time.kind == CSV_TIME_SINCE)
		return read_since(&v->time, text, ret, why);
	if (v->time.kind == CSV_TIME_PATTERN)
		return read_pattern(&v->time, text, zone, ret, why);
	struct zone fixed = { .first_offset_s = v->time.zone_s };
	int64_t ms;
	switch (when_parse(text, v->time.has_zone ? &fixed : zone, &ms)) {
	case WHEN_OK:
	case WHEN_GAP:
		*ret = (struct csv_cell){ .text = text, .num = ms, .den = 1 };
		return true;
	case WHEN_UNKNOWN:
		return true;
	default:
		return fail(why, "a time", text);
	}
}

static bool read_duration(const struct csv_value *v, struct str text, struct csv_cell *ret,
                          char *why)
{
	int64_t ms = 0;
	enum duration got = DURATION_OK;
	if (v->parse == CSV_PARSE_SLURM) {
		got = duration_parse_slurm(text, &ms);
	} else if (v->parse == CSV_PARSE_UNITS) {
		got = duration_parse(text, &ms);
	} else {
		int64_t num, den;
		if (!scale(v, text, &num, &den) || num < 0)
			return fail(why, "a length of time", text);
		ms = floor_div(num, den);
	}
	if (got == DURATION_BAD)
		return fail(why, "a length of time", text);
	if (got == DURATION_OK)
		*ret = (struct csv_cell){ .text = text, .num = ms, .den = 1 };
	return true;
}

/* Slurm's resource strings. MIG instances alone are a share of one GPU. */
static bool read_tres(struct str text, struct csv_cell *ret, char *why)
{
	struct tres_counts c;
	switch (tres_parse(text, NULL, 0, &c)) {
	case TRES_UNKNOWN:
		return true;
	case TRES_BAD:
		return fail(why, "a list of resources", text);
	default:
		break;
	}
	*ret = (struct csv_cell){ .text = text, .num = c.gpus, .den = 1 };
	if (c.gpus || !c.instances)
		return true;
	if (c.slices > c.slices_per_gpu)
		return fail(why, "a share of one GPU", text);
	ret->num = c.slices;
	ret->den = c.slices_per_gpu;
	return true;
}

static bool read_number(const struct csv_value *v, struct str text, struct csv_cell *ret, char *why)
{
	enum csv_type type = csv_props[v->prop].type;
	int64_t num, den;
	if (!scale(v, text, &num, &den))
		return fail(why, "a number", text);
	if (type != CSV_NUMBER && num < 0)
		return fail(why, "a count: it is negative", text);
	if (type == CSV_SHARE ? num > den : num / den > GPUS_MAX && type != CSV_NUMBER)
		return fail(why, type == CSV_SHARE ? "a share: it is over 1" : "a count in range",
		            text);
	if (den != 1 && v->round != CSV_EXACT) {
		num = floor_div(num, den) + (v->round == CSV_UP);
		den = 1;
	}
	if (den != 1 && (type == CSV_COUNT || type == CSV_NUMBER))
		return fail(why, "a whole number", text);
	if (den != 1 && type == CSV_GPUS && num > den)
		return fail(why, "a count of GPUs: whole ones, or a share of one", text);
	*ret = (struct csv_cell){ .text = text, .num = num, .den = den };
	return true;
}

static bool read_name(const struct csv_value *v, struct str text, struct csv_cell *ret, char *why)
{
	static const char *const capacity_names[] = { "up", "draining", "failed", "planned",
		                                      "starting" };
	int found = -1;
	enum csv_type type = csv_props[v->prop].type;
	if (type == CSV_OUTCOME)
		found = outcome_find(text);
	else if (type == CSV_KIND)
		found = kind_find(text);
	else
		for (int i = 0; i < 5; i++)
			if (str_eq(text, str_of(capacity_names[i])))
				found = i;
	if (found < 0)
		return fail(why,
		            type == CSV_OUTCOME ? "an outcome"
		            : type == CSV_KIND  ? "a kind of job"
		                                : "a state of a node",
		            text);
	*ret = (struct csv_cell){ .text = text, .num = found, .den = 1 };
	return true;
}

/* Turns a word of the file into the map's: false when the map rejects it. */
static bool look_up(const struct csv_value *v, struct str *text, char *why)
{
	for (size_t i = 0; i < v->values_n; i++)
		if (str_eq(*text, v->values[i].from)) {
			*text = v->values[i].to;
			return true;
		}
	if (v->otherwise == CSV_ELSE_REJECT)
		return fail(why, "among the map's values", *text);
	if (v->otherwise != CSV_ELSE_KEEP)
		*text = v->else_word;
	return true;
}

bool csv_value_read(const struct csv_value *v, struct str text, const struct zone *zone,
                    struct csv_cell *ret, char *why)
{
	*ret = (struct csv_cell){ 0 };
	if (v->is_constant)
		text = v->constant;
	text = str_trim(text);
	if (is_among(text, v->unknown, v->unknown_n))
		return true;
	if (text.n == 0)
		text = v->fallback;
	if (v->first_word)
		text = str_sub(text, 0, str_find_byte(text, ' '));
	if (text.n == 0)
		return true;
	if (v->values_n && !look_up(v, &text, why))
		return false;
	if (text.n == 0)
		return true;
	switch (csv_props[v->prop].type) {
	case CSV_WORD:
	case CSV_WORDS:
	case CSV_RAW:
	case CSV_READING: /* csv_sample.c knows the metric */
		*ret = (struct csv_cell){ .text = text, .den = 1 };
		return true;
	case CSV_TIME:
		return read_time(v, text, zone, ret, why);
	case CSV_DURATION:
		return read_duration(v, text, ret, why);
	case CSV_OUTCOME:
	case CSV_KIND:
	case CSV_STATE:
		return read_name(v, text, ret, why);
	default:
		if (v->parse == CSV_PARSE_TRES || v->parse == CSV_PARSE_GRES)
			return read_tres(text, ret, why);
		return read_number(v, text, ret, why);
	}
}
