/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/csv.h"

static bool is_delimiter(const struct csv_dialect *d, const char *p, const char *end)
{
	return (size_t)(end - p) >= d->delimiter.n && *p == d->delimiter.p[0] &&
	       (d->delimiter.n == 1 || memcmp(p, d->delimiter.p, d->delimiter.n) == 0);
}

static void record_add(struct csv_record *r, const char *from, const char *to, bool is_doubled)
{
	if (r->n < FIELDS_MAX) {
		r->fields[r->n] = (struct str){ from, (size_t)(to - from) };
		if (is_doubled)
			r->doubled[r->n / 64] |= (uint64_t)1 << (r->n % 64);
	}
	r->n++;
}

/* The field in quotes that begins after the quote at P; returns what follows its closing quote. */
static const char *cut_quoted(const struct csv_dialect *d, const char *p, const char *end,
                              struct csv_record *r)
{
	const char *from = ++p;
	bool is_doubled = false;
	for (; p < end; p++) {
		if (*p == '\n')
			r->lines++;
		if (*p != d->quote)
			continue;
		if (p + 1 == end || p[1] != d->quote)
			break;
		is_doubled = true;
		p++;
	}
	record_add(r, from, p, is_doubled);
	if (p == end) {
		r->is_open = true;
		return p;
	}
	p++;
	const char *after = p;
	while (p < end && *p != '\n' && !is_delimiter(d, p, end))
		p++;
	if (p != after && !(p - after == 1 && *after == '\r'))
		r->is_bad = true;
	return p;
}

/* The field without quotes that begins at P; returns its delimiter, newline or the end. */
static const char *cut_plain(const struct csv_dialect *d, const char *p, const char *end,
                             struct csv_record *r)
{
	const char *from = p, first = d->delimiter.p[0];
	while (p < end && *p != '\n' && !(*p == first && is_delimiter(d, p, end)))
		p++;
	const char *to = p;
	if (to > from && to[-1] == '\r' && (p == end || *p == '\n'))
		to--;
	record_add(r, from, to, false);
	return p;
}

bool csv_cut_record(const struct csv_dialect *d, struct str *bytes, struct csv_record *ret)
{
	if (bytes->n == 0)
		return false;
	const char *p = bytes->p, *end = p + bytes->n;
	ret->n = ret->lines = 0;
	ret->is_open = ret->is_bad = false;
	memset(ret->doubled, 0, sizeof ret->doubled);
	for (;;) {
		p = d->quote && p < end && *p == d->quote ? cut_quoted(d, p, end, ret)
		                                          : cut_plain(d, p, end, ret);
		if (p == end || *p == '\n')
			break;
		p += d->delimiter.n;
	}
	if (p < end) {
		p++;
		ret->lines++;
	}
	ret->is_blank = ret->n == 1 && ret->fields[0].n == 0 && ret->fields[0].p == bytes->p;
	*bytes = (struct str){ p, (size_t)(end - p) };
	return true;
}

struct str csv_field(struct arena *a, const struct csv_dialect *d, const struct csv_record *r,
                     size_t i)
{
	struct str s = r->fields[i];
	if (!(r->doubled[i / 64] >> (i % 64) & 1))
		return s;
	char *to = arena_bytes(a, s.n);
	size_t n = 0;
	for (size_t k = 0; k < s.n; k++) {
		to[n++] = s.p[k];
		if (s.p[k] == d->quote)
			k++;
	}
	return (struct str){ to, n };
}

/* What follows the record at P, without keeping its fields. */
static const char *skip_record(const struct csv_dialect *d, const char *p, const char *end)
{
	for (;;) {
		if (p < end && *p == d->quote) {
			for (p++; p < end; p++)
				if (*p == d->quote && (p + 1 == end || *++p != d->quote))
					break;
		}
		while (p < end && *p != '\n' && !is_delimiter(d, p, end))
			p++;
		if (p == end)
			return p;
		if (*p == '\n')
			return p + 1;
		p += d->delimiter.n;
	}
}

size_t csv_record_start(const struct csv_dialect *d, struct str bytes, size_t at)
{
	if (at > bytes.n)
		at = bytes.n;
	if (!d->quote || !at || !memchr(bytes.p, d->quote, at))
		return at;
	const char *p = bytes.p, *end = p + bytes.n, *want = bytes.p + at;
	while (p < want) {
		const char *next = skip_record(d, p, end);
		if (next > want)
			return (size_t)(p - bytes.p);
		p = next;
	}
	return at;
}
