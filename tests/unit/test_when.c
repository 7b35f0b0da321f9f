/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/when.h"

#include "lib/run.h"

static void reads_every_form(void **state)
{
	(void)state;
	static const struct {
		const char *in, *want;
	} good[] = {
		{ "2026-11-30T12:00:00", "2026-11-30T12:00:00Z" },
		{ "2026-11-30 12:00:00", "2026-11-30T12:00:00Z" },
		{ "2026/11/30 12:00:00.123", "2026-11-30T12:00:00.123Z" },
		{ "2026-11-30T12:00:00.1239", "2026-11-30T12:00:00.123Z" },
		{ "2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z" },
		{ "2026-11-30t12:00:00z", "2026-11-30T12:00:00Z" },
		{ "2026-11-30 12:00:00 UTC", "2026-11-30T12:00:00Z" },
		{ "2026-11-30T12:00:00+01:30", "2026-11-30T10:30:00Z" },
		{ "2026-11-30T12:00:00-0800", "2026-11-30T20:00:00Z" },
		{ "2026-11-30T12:00:00.5-08", "2026-11-30T20:00:00.500Z" },
		{ "2026-11-30T12:00", "2026-11-30T12:00:00Z" },
		{ "2026-11-30T12:00Z", "2026-11-30T12:00:00Z" },
		{ "2026-11-30", "2026-11-30T00:00:00Z" },
		{ " 2026-11-30 ", "2026-11-30T00:00:00Z" },
		{ "2024-02-29", "2024-02-29T00:00:00Z" },
		{ "2000-02-29T00:00:00", "2000-02-29T00:00:00Z" },
		{ "2016-12-31T23:59:60", "2017-01-01T00:00:00Z" },
		{ "1764504000", "2025-11-30T12:00:00Z" },
		{ "1764504000.75", "2025-11-30T12:00:00.750Z" },
		{ "999999999", "2001-09-09T01:46:39Z" },
		{ "1764504000123", "2025-11-30T12:00:00.123Z" },
		{ "1969-07-20T20:17:40", "1969-07-20T20:17:40Z" },
		{ "9999-12-31T23:59:59", "9999-12-31T23:59:59Z" },
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		auto_text t = TEXT_NULL;
		int64_t ms = 7;
		assert_int_equal(when_parse(str_of(good[i].in), NULL, &ms), WHEN_OK);
		when_print(&t, ms);
		assert_str(text_str(&t), good[i].want);
	}
}

static void tells_not_known_from_wrong(void **state)
{
	(void)state;
	static const char *const unknown[] = {
		"",
		"  ",
		"Unknown",
		"None",
		"NONE",
		"N/A",
		"(null)",
		"Invalid",
		"0",
		"0.0",
		"0001-01-01T00:00:00",
		"0001-01-01T00:00:00Z",
		"1970-01-01T00:00:00",
		"1969-12-31T16:00:00",
		"1970-01-01T01:00:00",
		"1970-01-01T00:00:00Z",
		"1969-12-31T16:00:00-08:00",
		"0000000000000",
	};
	static const char *const bad[] = {
		"Mon 14:02",
		"yesterday",
		"2026-13-01T00:00:00",
		"2026-00-01T00:00:00",
		"2026-11-31T00:00:00",
		"2023-02-29",
		"1900-02-29T00:00:00",
		"2026-11-30T24:00:00",
		"2026-11-30T12:60:00",
		"2026-11-30T12:00:61",
		"2026-11-30T12:00:00,5",
		"2026-11-30T12:00:00.",
		"2026-11-30T12:00:00+25:00",
		"2026-11-30T12:00:00+1:00",
		"2026-11-30x12:00:00",
		"2026-11-30Z",
		"12:00:00",
		"12345678",
		"123456789012",
		"-1",
		"1764504000,5",
		"2026-1-30T12:00:00",
		"0000-01-01T00:00:00",
		"2026-11-3",
		"\xff\xff\xff\xff-11-30T12:00:00",
		("2026-11-30T1:\xb0"
		 "0:00:"),
	};
	int64_t ms = 7;
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		assert_int_equal(when_parse(str_of(unknown[i]), NULL, &ms), WHEN_UNKNOWN);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(when_parse(str_of(bad[i]), NULL, &ms), WHEN_BAD);
	assert_true(ms == 7); /* untouched */
}

/* Every byte at every place of the fast form: it is a time exactly if the slow form says so. */
static void the_fast_form_takes_no_other_byte(void **state)
{
	(void)state;
	const char good[] = "2026-11-30T12:34:56";
	for (size_t at = 0; at < 19; at++)
		for (int c = 0; c < 256; c++) {
			char z[20];
			int64_t fast = 0, slow = 0;
			memcpy(z, good, 20);
			z[at] = (char)c;
			char longer[24];
			memcpy(longer, z, 19);
			memcpy(longer + 19, "Z", 2);
			if (at == 4 || at == 7 || at == 10)
				continue; /* '/' and 't' are for the slow form */
			enum when a = when_parse((struct str){ z, 19 }, NULL, &fast);
			enum when b = when_parse((struct str){ longer, 20 }, NULL, &slow);
			bool digit = c >= '0' && c <= '9';
			if (at == 13 || at == 16)
				assert_int_equal(a == WHEN_OK, c == ':');
			else if (!digit)
				assert_int_equal(a, WHEN_BAD);
			assert_int_equal(a == WHEN_OK, b == WHEN_OK);
			if (a == WHEN_OK)
				assert_true(fast == slow);
		}
}

static void days_and_dates_agree_over_four_thousand_years(void **state)
{
	(void)state;
	int64_t day = when_days(1, 1, 1);
	assert_true(day * 86400000 == -62135596800000);
	assert_true(when_days(1970, 1, 1) == 0);
	for (int y = 1; y <= 4000; y++)
		for (int m = 1; m <= 12; m++) {
			struct when_civil c = when_civil(when_days(y, m, 1) * 86400000 + 3723004);
			assert_true(c.year == y && c.month == m && c.day == 1);
			assert_true(c.hour == 1 && c.minute == 2 && c.second == 3 && c.ms == 4);
			struct when_civil before = when_civil(when_days(y, m, 1) * 86400000 - 1);
			assert_true(before.ms == 999 && before.hour == 23 && before.day >= 28);
		}
}

static void reads_times_of_the_command_line(void **state)
{
	(void)state;
	int64_t now = 1764504000000, ms = 0;
	assert_int_equal(when_parse_argument(S("-7d"), NULL, now, &ms), WHEN_OK);
	assert_true(ms == now - 7 * 86400000LL);
	assert_int_equal(when_parse_argument(S("-12h"), NULL, now, &ms), WHEN_OK);
	assert_true(ms == now - 12 * 3600000LL);
	assert_int_equal(when_parse_argument(S("now"), NULL, now, &ms), WHEN_OK);
	assert_true(ms == now);
	assert_int_equal(when_parse_argument(S("2025-11-30"), NULL, now, &ms), WHEN_OK);
	assert_true(ms == now - 12 * 3600000LL);
	assert_int_equal(when_parse_argument(S("-7"), NULL, now, &ms), WHEN_BAD);
	assert_int_equal(when_parse_argument(S("7d"), NULL, now, &ms), WHEN_BAD);
	assert_int_equal(when_parse_argument(S("-7d"), NULL, INT64_MIN, &ms), WHEN_BAD);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_form),
		cmocka_unit_test(tells_not_known_from_wrong),
		cmocka_unit_test(the_fast_form_takes_no_other_byte),
		cmocka_unit_test(days_and_dates_agree_over_four_thousand_years),
		cmocka_unit_test(reads_times_of_the_command_line),
	};
	return RUN_TESTS(tests);
}
