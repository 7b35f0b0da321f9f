/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/zone.h"

#include "base/limits.h"
#include "parse/when.h"

#define DAY_S 86400
#define UNROLL_YEAR 2099
#define OFFSET_S_MAX (26 * 3600) /* RFC 8536 3.2: -25 h < offset < 26 h */

struct piece {
	int64_t from_s, to_s;
	int32_t offset_s;
};

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* The day (since 1970) on which RULE falls in YEAR. */
static int64_t rule_day(const struct zone_rule *rule, int64_t year)
{
	int64_t first = when_days((int)year, 1, 1);
	if (rule->kind == ZONE_JULIAN) /* 1..365, 29 February never counted */
		return first + rule->day - 1 + (rule->day >= 60 && is_leap(year));
	if (rule->kind == ZONE_ZERO_BASED)
		return first + rule->day;
	int64_t month = when_days((int)year, rule->month, 1);
	int64_t next = rule->month == 12 ? when_days((int)year + 1, 1, 1)
	                                 : when_days((int)year, rule->month + 1, 1);
	int64_t weekday = ((month + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
	int64_t day = month + (rule->day - weekday + 7) % 7 + (rule->week - 1) * 7;
	while (day >= next)
		day -= 7;
	return day;
}

/* Files may list a change at the beginning of the world. */
static int64_t year_of(int64_t utc_s)
{
	if (utc_s < TIME_MS_MIN / 1000)
		return 1;
	return utc_s >= TIME_MS_MAX / 1000 ? 9999 : when_civil(utc_s * 1000).year;
}

/* The stretch of the footer's rule that holds UTC_S. */
static struct piece footer_piece(const struct zone *z, int64_t utc_s)
{
	struct piece p = { INT64_MIN, INT64_MAX, z->std_s };
	if (!z->has_dst)
		return p;
	int64_t year = year_of(utc_s);
	int64_t newest = INT64_MIN;
	for (int64_t y = year - 1; y <= year + 1; y++) {
		int64_t at[2] = {
			rule_day(&z->dst_begins, y) * DAY_S + z->dst_begins.at_s - z->std_s,
			rule_day(&z->dst_ends, y) * DAY_S + z->dst_ends.at_s - z->dst_s,
		};
		for (int i = 0; i < 2; i++) {
			if (at[i] <= utc_s && at[i] >= newest) {
				newest = p.from_s = at[i];
				p.offset_s = i == 0 ? z->dst_s : z->std_s;
			}
			if (at[i] > utc_s && at[i] < p.to_s)
				p.to_s = at[i];
		}
	}
	return p;
}

static struct piece zone_piece(const struct zone *z, int64_t utc_s)
{
	size_t low = 0, high = z->n; /* the changes at or before UTC_S are [0, low) */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (z->at_s[mid] <= utc_s)
			low = mid + 1;
		else
			high = mid;
	}
	struct piece p = { low ? z->at_s[low - 1] : INT64_MIN,
		           low < z->n ? z->at_s[low] : INT64_MAX,
		           low ? z->offset_s[low - 1] : z->first_offset_s };
	if (low < z->n || !z->has_footer)
		return p;
	struct piece f = footer_piece(z, utc_s);
	if (f.from_s < p.from_s)
		f.from_s = p.from_s;
	return f;
}

int32_t zone_offset(const struct zone *zone, int64_t utc_s)
{
	return zone ? zone_piece(zone, utc_s).offset_s : 0;
}

enum zone_answer zone_to_utc(const struct zone *zone, int64_t local_s, int64_t *ret_utc_s)
{
	*ret_utc_s = local_s;
	if (!zone)
		return ZONE_OK;
	int64_t from_s = local_s - OFFSET_S_MAX, to_s = local_s + OFFSET_S_MAX;
	struct piece p = zone_piece(zone, from_s);
	*ret_utc_s = local_s - p.offset_s;
	if (p.to_s > to_s)
		return ZONE_OK;
	/* Every stretch in reach: at which instants does the clock show it? */
	int found = 0;
	bool passed = false;
	for (int i = 0; i < 64; i++) {
		int64_t utc_s = local_s - p.offset_s;
		bool early = utc_s < p.from_s, late = utc_s >= p.to_s;
		if (!early && !late && found++ == 0)
			*ret_utc_s = utc_s;
		if (late && !found && !passed) /* the newest offset before the gap */
			*ret_utc_s = utc_s;
		passed |= early;
		if (p.to_s > to_s)
			break;
		p = zone_piece(zone, p.to_s);
	}
	return found == 0 ? ZONE_GAP : found == 1 ? ZONE_OK : ZONE_AMBIGUOUS;
}

/* The footer: a POSIX TZ string, "CET-1CEST,M3.5.0,M10.5.0/3", with RFC 8536's longer hours. */

static bool take(struct str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = str_sub(*s, 1, s->n);
	return true;
}

static bool take_number(struct str *s, int32_t max, int32_t *ret)
{
	int32_t v = 0;
	size_t n = 0;
	for (; n < s->n && n < 4 && s->p[n] >= '0' && s->p[n] <= '9'; n++)
		v = v * 10 + (s->p[n] - '0');
	if (!n || v > max)
		return false;
	*s = str_sub(*s, n, s->n);
	*ret = v;
	return true;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(struct str *s, int32_t hours_max, int32_t *ret_s)
{
	int32_t sign = take(s, '-') ? -1 : 1, h, m = 0, sec = 0;
	if (sign == 1)
		take(s, '+');
	if (!take_number(s, hours_max, &h))
		return false;
	if (take(s, ':')) {
		if (!take_number(s, 59, &m))
			return false;
		if (take(s, ':') && !take_number(s, 59, &sec))
			return false;
	}
	*ret_s = sign * (h * 3600 + m * 60 + sec);
	return true;
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool take_name(struct str *s)
{
	size_t n = 0;
	if (take(s, '<')) {
		n = str_find_byte(*s, '>');
		if (n >= s->n)
			return false;
		*s = str_sub(*s, n + 1, s->n);
		return true;
	}
	while (n < s->n && is_letter(s->p[n]))
		n++;
	*s = str_sub(*s, n, s->n);
	return n >= 3;
}

static bool take_rule(struct str *s, struct zone_rule *ret)
{
	struct zone_rule r = { .at_s = 2 * 3600 };
	if (take(s, 'M')) {
		r.kind = ZONE_WEEKDAY;
		if (!take_number(s, 12, &r.month) || !take(s, '.') || !take_number(s, 5, &r.week) ||
		    !take(s, '.') || !take_number(s, 6, &r.day) || r.month < 1 || r.week < 1)
			return false;
	} else if (take(s, 'J')) {
		r.kind = ZONE_JULIAN;
		if (!take_number(s, 365, &r.day) || r.day < 1)
			return false;
	} else {
		r.kind = ZONE_ZERO_BASED;
		if (!take_number(s, 365, &r.day))
			return false;
	}
	if (take(s, '/') && !take_time(s, 167, &r.at_s))
		return false;
	*ret = r;
	return true;
}

static bool parse_footer(struct str s, struct zone *z)
{
	int32_t west;
	if (!take_name(&s) || !take_time(&s, 24, &west))
		return false;
	z->std_s = -west;
	z->has_footer = true;
	if (!s.n)
		return true;
	z->has_dst = true;
	if (!take_name(&s))
		return false;
	z->dst_s = z->std_s + 3600;
	if (s.n && s.p[0] != ',') {
		if (!take_time(&s, 24, &west))
			return false;
		z->dst_s = -west;
	}
	return take(&s, ',') && take_rule(&s, &z->dst_begins) && take(&s, ',') &&
	       take_rule(&s, &z->dst_ends) && !s.n;
}

/* The file. */

static int64_t be(struct str s, size_t at, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)s.p[at + i];
	return n == 4 ? (int32_t)(uint32_t)v : (int64_t)v;
}

struct block {
	size_t times, types, chars, leaps, walls, uts;
	size_t data, bytes, time_bytes; /* where the data stand, how long they are */
};

/* The block whose 44-byte header stands at AT. */
static bool block_at(struct str s, size_t at, size_t time_bytes, struct block *ret)
{
	if (s.n < 44 || at > s.n - 44 || !str_eq(str_sub(s, at, 4), S("TZif")))
		return false;
	size_t c[6];
	for (size_t i = 0; i < 6; i++) {
		c[i] = (uint32_t)be(s, at + 20 + 4 * i, 4);
		if (c[i] > ZONE_CHANGES_MAX)
			return false;
	}
	struct block b = { .uts = c[0],
		           .walls = c[1],
		           .leaps = c[2],
		           .times = c[3],
		           .types = c[4],
		           .chars = c[5],
		           .data = at + 44,
		           .time_bytes = time_bytes };
	b.bytes = b.times * (time_bytes + 1) + b.types * 6 + b.chars + b.leaps * (time_bytes + 4) +
	          b.walls + b.uts;
	*ret = b;
	return b.types > 0 && b.bytes <= s.n - b.data;
}

static enum err_code read_block(struct arena *a, struct str s, const struct block *b,
                                struct zone *z, struct err *err)
{
	int64_t *at_s = ARENA_ARRAY(a, int64_t, b->times);
	int32_t *offset_s = ARENA_ARRAY(a, int32_t, b->times);
	size_t kinds = b->data + b->times * b->time_bytes, types = kinds + b->times;
	for (size_t i = 0; i < b->types; i++) {
		int64_t o = be(s, types + 6 * i, 4);
		if (o <= -OFFSET_S_MAX || o >= OFFSET_S_MAX)
			return err_set(err, ERR_INPUT, "time zone file: offset out of range");
	}
	for (size_t i = 0; i < b->times; i++) {
		size_t kind = (unsigned char)s.p[kinds + i];
		at_s[i] = be(s, b->data + i * b->time_bytes, b->time_bytes);
		if (kind >= b->types || (i && at_s[i] <= at_s[i - 1]))
			return err_set(err, ERR_INPUT, "time zone file: changes are out of order");
		offset_s[i] = (int32_t)be(s, types + 6 * kind, 4);
	}
	z->at_s = at_s;
	z->offset_s = offset_s;
	z->n = b->times;
	z->first_offset_s = (int32_t)be(s, types, 4);
	return ERR_OK;
}

/* Lists the rule's changes of this century too: files as they are built today list none after 2007,
   and a search in a list costs a tenth of the rule. */
static void unroll_footer(struct arena *a, struct zone *z)
{
	if (!z->has_dst || !z->n)
		return;
	int64_t year = year_of(z->at_s[z->n - 1]);
	if (year < 1970 || year > UNROLL_YEAR)
		return;
	size_t n = z->n, room = n + 2 * (size_t)(UNROLL_YEAR - year + 1);
	int64_t *at_s = ARENA_ARRAY(a, int64_t, room);
	int32_t *offset_s = ARENA_ARRAY(a, int32_t, room);
	memcpy(at_s, z->at_s, n * sizeof *at_s);
	memcpy(offset_s, z->offset_s, n * sizeof *offset_s);
	for (struct piece p = zone_piece(z, at_s[n - 1]); n < room && p.to_s != INT64_MAX;) {
		p = zone_piece(z, p.to_s);
		at_s[n] = p.from_s;
		offset_s[n++] = p.offset_s;
	}
	z->at_s = at_s;
	z->offset_s = offset_s;
	z->n = n;
}

enum err_code zone_parse(struct arena *a, struct str bytes, struct zone *ret_zone, struct err *err)
{
	struct zone z = { 0 };
	struct block b;
	if (bytes.n > ZONE_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "time zone file: larger than %zu bytes",
		               ZONE_BYTES_MAX);
	if (!block_at(bytes, 0, 4, &b))
		return err_set(err, ERR_INPUT, "not a time zone file (TZif, RFC 8536)");
	bool has_second = bytes.p[4] >= '2';
	if (has_second && !block_at(bytes, b.data + b.bytes, 8, &b))
		return err_set(err, ERR_INPUT, "time zone file: cut short");
	if (b.leaps)
		return err_set(err, ERR_INPUT,
		               "time zone file: counts leap seconds; use one without \"right/\"");
	enum err_code code = read_block(a, bytes, &b, &z, err);
	if (code)
		return code;
	if (has_second) {
		struct str footer = str_sub(bytes, b.data + b.bytes, bytes.n);
		size_t end = footer.n > 1 ? str_find_byte(str_sub(footer, 1, footer.n), '\n') : 0;
		if (footer.n < 2 || footer.p[0] != '\n' || end + 1 >= footer.n)
			return err_set(err, ERR_INPUT, "time zone file: no footer");
		footer = str_sub(footer, 1, end);
		if (footer.n && !parse_footer(footer, &z))
			return err_set(err, ERR_INPUT, "time zone file: bad footer '%.*s'",
			               STR_FMT(footer));
	}
	unroll_footer(a, &z);
	*ret_zone = z;
	return ERR_OK;
}

int64_t zone_second(const struct zone *zone, int64_t utc_s)
{
	int64_t local_s = utc_s + zone_offset(zone, utc_s), first_s;
	if (zone_to_utc(zone, local_s, &first_s) != ZONE_AMBIGUOUS)
		return utc_s;
	for (int64_t later_s = first_s + 1800; later_s <= first_s + 2 * 3600; later_s += 1800)
		if (later_s + zone_offset(zone, later_s) == local_s)
			return later_s;
	return utc_s;
}
