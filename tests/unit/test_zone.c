/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "base/text.h"
#include "lib/run.h"
#include "parse/when.h"

/* A TZif file: the header of version C, and a block of the changes AT to the types KIND. */
static void put_block(struct text *t, char version, const int64_t *at, const char *kind, size_t n,
                      size_t time_bytes, const int32_t *offset, size_t types)
{
	text_add(t, S("TZif"));
	text_byte(t, version);
	text_repeat(t, '\0', 15);
	const size_t counts[6] = { 0, 0, 0, n, types, 4 };
	for (size_t i = 0; i < 6; i++)
		for (int b = 24; b >= 0; b -= 8)
			text_byte(t, (char)(counts[i] >> b & 0xff));
	for (size_t i = 0; i < n; i++)
		for (size_t b = time_bytes; b-- > 0;)
			text_byte(t, (char)((uint64_t)at[i] >> (8 * b) & 0xff));
	text_add(t, (struct str){ kind, n });
	for (size_t i = 0; i < types; i++) {
		for (int b = 24; b >= 0; b -= 8)
			text_byte(t, (char)((uint32_t)offset[i] >> b & 0xff));
		text_byte(t, 0);
		text_byte(t, 0);
	}
	text_add(t, (struct str){ "XYZ", 4 });
}

static void make_zone(struct text *t, const int64_t *at, const char *kind, size_t n,
                      const int32_t *offset, size_t types, const char *footer)
{
	put_block(t, '2', at, kind, 0, 4, offset, 1);
	put_block(t, '2', at, kind, n, 8, offset, types);
	text_printf(t, "\n%s\n", footer);
}

/* Central Europe by its rule alone. */
static struct zone europe(struct arena *a)
{
	static const int32_t offset[] = { 3600 };
	auto_text t = TEXT_NULL;
	struct zone z;
	struct err err;
	make_zone(&t, NULL, NULL, 0, offset, 1, "CET-1CEST,M3.5.0,M10.5.0/3");
	struct str copy = str_dup(a, text_str(&t));
	assert_int_equal(zone_parse(a, copy, &z, &err), ERR_OK);
	return z;
}

static void knows_gaps_and_hours_that_come_twice(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct zone z = europe(&a);
	int64_t ms = 0;
	static const struct {
		const char *in, *utc;
		enum when want;
	} cases[] = {
		{ "2025-01-15T12:00:00", "2025-01-15T11:00:00Z", WHEN_OK },
		{ "2025-07-15T12:00:00", "2025-07-15T10:00:00Z", WHEN_OK },
		{ "2025-03-30T01:59:59", "2025-03-30T00:59:59Z", WHEN_OK },
		{ "2025-03-30T02:30:00", "2025-03-30T01:30:00Z", WHEN_GAP },
		{ "2025-03-30T03:00:00", "2025-03-30T01:00:00Z", WHEN_OK },
		{ "2025-10-26T02:30:00", "2025-10-26T00:30:00Z", WHEN_OK }, /* the first of two */
		{ "2025-10-26T03:00:00", "2025-10-26T02:00:00Z", WHEN_OK },
		{ "2025-03-30T02:30:00Z", "2025-03-30T02:30:00Z", WHEN_OK },
		{ "1743298200", "2025-03-30T01:30:00Z", WHEN_OK }, /* epoch needs no zone */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		assert_int_equal(when_parse(str_of(cases[i].in), &z, &ms), cases[i].want);
		when_print(&t, ms);
		assert_str(text_str(&t), cases[i].utc);
	}
	int64_t utc;
	assert_int_equal(zone_to_utc(&z, 1761445800, &utc), ZONE_AMBIGUOUS); /* 26 Oct 02:30 */
	assert_true(utc == 1761438600);
	assert_true(zone_second(&z, utc) == utc + 3600);
	assert_true(zone_second(&z, utc + 3600) == utc + 3600);
	assert_true(zone_second(&z, utc - 3600) == utc - 3600); /* shown once */
	assert_true(zone_second(NULL, utc) == utc);
}

static void listed_changes_come_before_the_rule(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct zone z;
	struct err err;
	static const int64_t at[] = { 1000000000, 1500000000 };
	static const int32_t offset[] = { -7200, 5400, 0 };
	make_zone(&t, at, "\1\2", 2, offset, 3, "ABC-2");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_OK);
	assert_int_equal(zone_offset(&z, 999999999), -7200);
	assert_int_equal(zone_offset(&z, 1000000000), 5400);
	assert_int_equal(zone_offset(&z, 1499999999), 5400);
	assert_int_equal(zone_offset(&z, 1500000000), 7200); /* the footer's */
	assert_int_equal(zone_offset(NULL, 1500000000), 0);
	static const int64_t ends[] = { -576460752303423488, INT64_MAX - 1 };
	t.n = 0;
	make_zone(&t, ends, "\1\2", 2, offset, 3, "CET-1CEST,M3.5.0,M10.5.0/3");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_OK);
	assert_int_equal(zone_offset(&z, 0), 5400);
	assert_int_equal(zone_offset(&z, INT64_MAX), 3600);
}

/* A file whose list ends early answers as the rule does, in this century and in the next. */
static void the_rule_goes_on_for_ever(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct zone z, rule = europe(&a);
	struct err err;
	static const int64_t at[] = { 846378000 }; /* 1996-10-27T01:00:00Z */
	static const int32_t offset[] = { 7200, 3600 };
	make_zone(&t, at, "\1", 1, offset, 2, "CET-1CEST,M3.5.0,M10.5.0/3");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_OK);
	assert_true(z.n > 200);
	for (int64_t s = at[0]; s < 5000000000; s += 7 * 3600)
		assert_int_equal(zone_offset(&z, s), zone_offset(&rule, s));
	for (int year = 1997; year < 2130; year += 3) {
		int64_t spring = when_days(year, 4, 1) * 86400, one, other;
		for (int64_t s = spring - 8 * 86400; s < spring; s += 1800) {
			assert_int_equal(zone_to_utc(&z, s, &one), zone_to_utc(&rule, s, &other));
			assert_true(one == other);
		}
	}
}

static void reads_odd_footers(void **state)
{
	(void)state;
	static const int32_t offset[] = { 0 };
	static const struct {
		const char *footer;
		bool good;
	} cases[] = {
		{ "UTC0", true },
		{ "<+03>-3", true },
		{ "", true },
		{ "IST-1GMT0,M10.5.0,M3.5.0/1", true },
		{ "EST5EDT,J60/2,J300/-1:30", true },
		{ "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", true },
		{ "AAA3BBB,0,365/167", true },
		{ "EST5EDT", false },
		{ "EST5EDT,M3.2.0", false },
		{ "EST5EDT,M13.2.0,M1.1.0", false },
		{ "ES5", false },
		{ "EST", false },
		{ "EST5EDT,M3.2.7,M1.1.0", false },
		{ "EST5EDT,J0,J1", false },
		{ "<+03-3", false },
		{ "UTC0x", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		auto_text t = TEXT_NULL;
		struct zone z;
		struct err err;
		make_zone(&t, NULL, NULL, 0, offset, 1, cases[i].footer);
		enum err_code code = zone_parse(&a, text_str(&t), &z, &err);
		assert_int_equal(code == ERR_OK, cases[i].good);
	}
}

static void refuses_what_is_no_zone_file(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct zone z;
	struct err err;
	static const int64_t at[] = { 1500000000, 1000000000 };
	static const int32_t offset[] = { 0, 3600 }, far[] = { 26 * 3600 };
	make_zone(&t, at, "\1\0", 2, offset, 2, "UTC0");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_INPUT); /* falls */
	t.n = 0;
	make_zone(&t, at, "\2", 1, offset, 2, "UTC0");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_INPUT); /* no such type */
	t.n = 0;
	make_zone(&t, NULL, NULL, 0, far, 1, "UTC0");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_INPUT);
	t.n = 0;
	make_zone(&t, at, "\1", 1, offset, 2, "UTC0");
	assert_int_equal(zone_parse(&a, text_str(&t), &z, &err), ERR_OK);
	for (size_t n = 0; n < t.n; n++) /* every shorter file */
		assert_int_not_equal(zone_parse(&a, (struct str){ t.p, n }, &z, &err), ERR_OK);
	char *large = mem_alloc(ZONE_BYTES_MAX + 1);
	memcpy(large, t.p, t.n);
	assert_int_equal(zone_parse(&a, (struct str){ large, ZONE_BYTES_MAX + 1 }, &z, &err),
	                 ERR_LIMIT);
	assert_int_equal(zone_parse(&a, (struct str){ large, ZONE_BYTES_MAX }, &z, &err), ERR_OK);
	mem_free(large);
}

static void agrees_with_libc(void **state)
{
	(void)state;
	static const char *const names[] = { "Europe/Berlin", "America/New_York", "Europe/Dublin",
		                             "Australia/Lord_Howe", "Africa/Casablanca" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		auto_arena a = ARENA_NULL;
		char path[128];
		struct zone z;
		struct err err;
		snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", names[i]);
		FILE *file = fopen(path, "rb");
		if (!file)
			skip_for("no time zone files here");
		fclose(file);
		assert_int_equal(zone_parse(&a, run_file(&a, path), &z, &err), ERR_OK);
		setenv("TZ", names[i], 1);
		tzset();
		for (int64_t t = -1000000000; t < 4000000000; t += 86399 / 3) {
			time_t when = (time_t)t;
			struct tm tm;
			int64_t utc;
			localtime_r(&when, &tm);
			assert_int_equal(zone_offset(&z, t), tm.tm_gmtoff);
			enum zone_answer answer = zone_to_utc(&z, t + tm.tm_gmtoff, &utc);
			assert_true(answer == ZONE_OK ? utc == t
			                              : answer == ZONE_AMBIGUOUS && utc <= t);
		}
	}
	setenv("TZ", "UTC", 1);
	tzset();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_gaps_and_hours_that_come_twice),
		cmocka_unit_test(listed_changes_come_before_the_rule),
		cmocka_unit_test(the_rule_goes_on_for_ever),
		cmocka_unit_test(reads_odd_footers),
		cmocka_unit_test(refuses_what_is_no_zone_file),
		cmocka_unit_test(agrees_with_libc),
	};
	return RUN_TESTS(tests);
}
