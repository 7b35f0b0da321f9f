/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/when.h"

#include "base/limits.h"
#include "parse/duration.h"

#define DAY_MS 86400000
#define DAYS_TO_1970 719468 /* from 0000-03-01 */

/* Days before the month in a year that begins in March; index: month, 1 is January. */
static const uint16_t days_before[16] = {
	0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275
};
static const uint8_t month_days[16] = { 0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

/* Good for years from -3 on. */
static inline int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	uint64_t y = (uint64_t)(year + 400 - (month <= 2));
	return (int64_t)(365 * y + y / 4 - y / 100 + y / 400) + days_before[month] + day - 1 -
	       DAYS_TO_1970 - 146097;
}

int64_t when_days(int year, int month, int day)
{
	return days_of(year, month, day);
}

struct when_civil when_civil(int64_t ms)
{
	int64_t day = ms / DAY_MS, in_day = ms % DAY_MS;
	if (in_day < 0)
		day--, in_day += DAY_MS;
	/* Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": civil_from_days. */
	int64_t z = day + DAYS_TO_1970;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;
	int64_t month = mp < 10 ? mp + 3 : mp - 9;
	return (struct when_civil){
		.year = (int)(yoe + era * 400 + (month <= 2)),
		.month = (int)month,
		.day = (int)(doy - (153 * mp + 2) / 5 + 1),
		.hour = (int)(in_day / 3600000),
		.minute = (int)(in_day / 60000 % 60),
		.second = (int)(in_day / 1000 % 60),
		.ms = (int)(in_day % 1000),
	};
}

void when_print(struct text *t, int64_t ms)
{
	struct when_civil c = when_civil(ms);
	text_printf(t, "%04d-%02d-%02dT%02d:%02d:%02d", c.year, c.month, c.day, c.hour, c.minute,
	            c.second);
	if (c.ms)
		text_printf(t, ".%03d", c.ms);
	text_byte(t, 'Z');
}

static inline uint64_t load8(const char *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

#define ONES 0x0101010101010101u
#define AT(i) ((uint64_t)0xff << (8 * (i)))
#define BYTE(v, i) ((int64_t)((v) >> (8 * (i)) & 0xff))

/* "YYYY-MM-DDTHH:MM:SS" at P, 19 readable bytes, to seconds on that clock: three loads, no branch a
   field. False: some other form, or no such date. */
__attribute__((always_inline)) static inline bool parse_19(const char *p, int64_t *ret_s)
{
	uint64_t a = load8(p), b = load8(p + 8), c = load8(p + 11);
	const uint64_t ma = AT(4) | AT(7), mb = AT(2) | AT(5), mc = AT(2) | AT(5);
	uint64_t wrong =
	        ((a & ma) ^ ((uint64_t)'-' * ONES & ma)) | ((c & mc) ^ ((uint64_t)':' * ONES & mc));
	wrong |= (b & AT(5)) ^ ((uint64_t)':' * ONES & AT(5));
	a = (a ^ 0x30 * ONES) & ~ma;
	b = (b ^ 0x30 * ONES) & ~mb;
	c = (c ^ 0x30 * ONES) & ~mc;
	wrong |= ((a + 0x76 * ONES) | a | (b + 0x76 * ONES) | b | (c + 0x76 * ONES) | c) &
	         0x80 * ONES;
	wrong |= (uint64_t)((p[10] != 'T') & (p[10] != ' '));
	a = a * 10 + (a >> 8); /* each pair of digits: its number in the first digit's byte */
	b = b * 10 + (b >> 8);
	c = c * 10 + (c >> 8);
	int64_t year = BYTE(a, 0) * 100 + BYTE(a, 2), month = BYTE(a, 5), day = BYTE(b, 0);
	int64_t hour = BYTE(c, 0), minute = BYTE(c, 3), second = BYTE(c, 6);
	int64_t in_month = month_days[month & 15];
	in_month -= (month == 2) & (((year & 3) != 0) | ((year % 100 == 0) & (year % 400 != 0)));
	wrong |= (uint64_t)((month > 12) | (day < 1) | (day > in_month) | (hour > 23) |
	                    (minute > 59) | (second > 60) | (year < 1));
	if (wrong)
		return false;
	*ret_s = days_of(year, month & 15, day) * 86400 + hour * 3600 + minute * 60 + second;
	return true;
}

/* Slurm and others print time 0 as a date; in a zone other than ours it lands on a full quarter
   hour of the day before or after. Year 1 is Go's zero time. */
static inline bool is_zero_time(int64_t local_s)
{
	if (local_s < -86400 || local_s > 86400)
		return local_s < (TIME_MS_MIN / 1000) + 366 * 86400;
	return local_s < 86400 && local_s % 900 == 0;
}

__attribute__((noinline)) static enum when to_instant(int64_t local_s, int64_t ms,
                                                      const struct zone *zone, int64_t *ret_ms)
{
	int64_t utc_s = local_s;
	enum zone_answer answer = zone_to_utc(zone, local_s, &utc_s);
	*ret_ms = utc_s * 1000 + ms;
	return answer == ZONE_GAP ? WHEN_GAP : WHEN_OK;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ".123456" at the head of S to milliseconds, floored; nothing there is 0. */
static bool take_fraction(struct str *s, int64_t *ret_ms)
{
	*ret_ms = 0;
	if (!s->n || s->p[0] != '.')
		return true;
	size_t n = 1;
	int64_t scale = 100;
	for (; n < s->n && is_digit(s->p[n]); n++, scale /= 10)
		*ret_ms += (s->p[n] - '0') * scale;
	*s = str_sub(*s, n, s->n);
	return n > 1;
}

/* "Z", "+01:00", "-0530", "+01", " UTC" as the whole of S. */
static bool parse_offset(struct str s, int64_t *ret_s)
{
	*ret_s = 0;
	if (str_eq(s, S("Z")) || str_eq(s, S("z")) || str_eq(s, S(" UTC")))
		return true;
	if ((s.n != 3 && s.n != 5 && s.n != 6) || (s.p[0] != '+' && s.p[0] != '-'))
		return false;
	if (s.n == 6 && s.p[3] != ':')
		return false;
	const char d[4] = { s.p[1], s.p[2], s.n > 3 ? s.p[s.n - 2] : '0',
		            s.n > 3 ? s.p[s.n - 1] : '0' };
	for (int i = 0; i < 4; i++)
		if (!is_digit(d[i]))
			return false;
	int64_t h = (d[0] - '0') * 10 + d[1] - '0', m = (d[2] - '0') * 10 + d[3] - '0';
	*ret_s = (s.p[0] == '-' ? -1 : 1) * (h * 3600 + m * 60);
	return h < 24 && m < 60;
}

/* Every form with a date in it, by filling up to the 19 bytes. */
static enum when parse_date(struct str s, const struct zone *zone, int64_t *ret_ms)
{
	char z[19] = { "0000-00-00T00:00:00" };
	size_t n = s.n >= 19 && s.p[16] == ':' ? 19 : s.n >= 16 && s.p[13] == ':' ? 16 : 10;
	if (s.n < 10)
		return WHEN_BAD;
	memcpy(z, s.p, n);
	if (z[4] == '/' && z[7] == '/')
		z[4] = z[7] = '-';
	if (z[10] == 't')
		z[10] = 'T';
	int64_t local_s, ms, offset_s;
	if (!parse_19(z, &local_s))
		return WHEN_BAD;
	s = str_sub(s, n, s.n);
	if (n == 19 && !take_fraction(&s, &ms))
		return WHEN_BAD;
	if (n != 19)
		ms = 0;
	if (!s.n) {
		if (is_zero_time(local_s))
			return WHEN_UNKNOWN;
		return to_instant(local_s, ms, zone, ret_ms);
	}
	if (n == 10 || !parse_offset(s, &offset_s))
		return WHEN_BAD;
	local_s -= offset_s;
	if (local_s == 0 || local_s < TIME_MS_MIN / 1000 + 366 * 86400)
		return WHEN_UNKNOWN;
	*ret_ms = local_s * 1000 + ms;
	return WHEN_OK;
}

static enum when parse_epoch(struct str s, int64_t *ret_ms)
{
	size_t digits = 0;
	int64_t v = 0, ms = 0;
	for (; digits < s.n && digits < 14 && is_digit(s.p[digits]); digits++)
		v = v * 10 + (s.p[digits] - '0');
	s = str_sub(s, digits, s.n);
	if (digits == 13 && !s.n) {
		if (!v)
			return WHEN_UNKNOWN;
		*ret_ms = v;
		return WHEN_OK;
	}
	if (!take_fraction(&s, &ms) || s.n || !digits)
		return WHEN_BAD;
	if (v == 0 && ms == 0)
		return WHEN_UNKNOWN;
	if (digits < 9 || digits > 11)
		return WHEN_BAD;
	*ret_ms = v * 1000 + ms;
	return WHEN_OK;
}

static bool is_unknown_word(struct str s)
{
	static const char *const words[] = {
		"Unknown", "None", "N/A", "(null)", "Invalid", "null",
		"NULL",    "n/a",  "\\N", "-",      "NaN",     "[N/A]",
	};
	if (!s.n)
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq_nocase(s, str_of(words[i])))
			return true;
	return false;
}

/* Apart from when_parse, so that its fast path saves no registers for this. */
__attribute__((noinline)) static enum when parse_other(struct str s, const struct zone *zone,
                                                       int64_t *ret_ms)
{
	s = str_trim(s);
	if (is_unknown_word(s))
		return WHEN_UNKNOWN;
	if (s.n >= 10 && (s.p[4] == '-' || s.p[4] == '/'))
		return parse_date(s, zone, ret_ms);
	return parse_epoch(s, ret_ms);
}

enum when when_parse(struct str s, const struct zone *zone, int64_t *ret_ms)
{
	int64_t local_s;
	if (s.n != 19 || !parse_19(s.p, &local_s))
		return parse_other(s, zone, ret_ms);
	if (is_zero_time(local_s))
		return WHEN_UNKNOWN;
	if (zone)
		return to_instant(local_s, 0, zone, ret_ms);
	*ret_ms = local_s * 1000;
	return WHEN_OK;
}

enum when when_parse_argument(struct str s, const struct zone *zone, int64_t now_ms,
                              int64_t *ret_ms)
{
	int64_t back_ms;
	s = str_trim(s);
	if (str_eq(s, S("now"))) {
		*ret_ms = now_ms;
		return WHEN_OK;
	}
	if (s.n < 2 || s.p[0] != '-')
		return when_parse(s, zone, ret_ms);
	if (duration_parse(str_sub(s, 1, s.n), &back_ms) != DURATION_OK ||
	    __builtin_sub_overflow(now_ms, back_ms, ret_ms))
		return WHEN_BAD;
	return WHEN_OK;
}
