/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/days.h"

#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "lib/cells.h"
#include "lib/run.h"
#include "parse/when.h"

enum { HOUR_MS = 3600000 };

static const struct zone *berlin(struct arena *a)
{
	static const char path[] = "/usr/share/zoneinfo/Europe/Berlin";
	struct zone *zone = ARENA_NEW(a, struct zone);
	if (access(path, R_OK))
		skip_for("no zone files");
	assert_int_equal(zone_parse(a, run_file(a, path), zone, NULL), ERR_OK);
	return zone;
}

static int64_t at(const char *z)
{
	int64_t ms = 0;
	assert_int_equal(when_parse(str_of(z), NULL, &ms), WHEN_OK);
	return ms;
}

static struct ledger_options edges(struct arena *a, const struct zone *zone, const char *key,
                                   const char *from, const char *to, enum err_code want)
{
	struct facts f;
	struct group_by by = { 0 };
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	facts_init(&f);
	assert_int_equal(group_by_add(&by, str_of(key), NULL), ERR_OK);
	o.window = (struct span){ at(from), at(to) };
	assert_int_equal(days_edges(a, zone, &f, &by, &o, NULL), want);
	facts_deinit(&f);
	return o;
}

static bool has_edge(const struct ledger_options *o, const char *z)
{
	for (size_t i = 0; i < o->edges_n; i++)
		if (o->edges_ms[i] == at(z))
			return true;
	return false;
}

static void days_are_as_long_as_the_zone_makes_them(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct ledger_options o = edges(&a, berlin(&a), "day", "2026-03-28T12:00:00Z",
	                                "2026-03-31T00:00:00Z", ERR_OK);
	assert_true(has_edge(&o, "2026-03-28T23:00:00Z")); /* winter: UTC+1 */
	assert_true(has_edge(&o, "2026-03-29T22:00:00Z")); /* 23 hours later: UTC+2 */
	assert_true(has_edge(&o, "2026-03-30T22:00:00Z"));
	for (size_t i = 1; i < o.edges_n; i++)
		assert_true(o.edges_ms[i] > o.edges_ms[i - 1]);
	o = edges(&a, NULL, "day", "2026-03-28T12:00:00Z", "2026-03-30T00:00:00Z", ERR_OK);
	assert_true(has_edge(&o, "2026-03-29T00:00:00Z") && !has_edge(&o, "2026-03-28T23:00:00Z"));
}

static void an_hour_that_comes_twice_has_two_names(void **state)
{
	(void)state;
	struct cells c;
	struct report_input in = { 0 };
	struct group_by by = { 0 };
	cells_begin(&c);
	const struct zone *zone = berlin(&c.a);
	assert_int_equal(group_by_add(&by, S("hour"), NULL), ERR_OK);
	assert_int_equal(group_by_add(&by, S("day"), NULL), ERR_OK);
	c.l.window = (struct span){ at("2026-10-25T00:00:00Z"), at("2026-10-25T02:00:00Z") };
	for (size_t i = 0; i < 2; i++)
		c.l.buckets.v[i] = (struct span){ c.l.window.from_ms + (int64_t)i * HOUR_MS,
			                          c.l.window.from_ms + (int64_t)(i + 1) * HOUR_MS };
	days_name(&c.a, zone, &c.l, &by, &in);
	assert_string_equal(by.bucket_hours[0], "2026-10-25T02:00+02:00");
	assert_string_equal(by.bucket_hours[1], "2026-10-25T02:00+01:00");
	assert_string_equal(by.bucket_days[1], "2026-10-25");
	assert_int_equal(in.days_n, 1);
	assert_string_equal(in.days[0].name, "2026-10-25");
	cells_end(&c);
}

static void too_many_edges_are_refused(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	/* 200,000 hours are 22.8 years */
	(void)edges(&a, NULL, "hour", "2000-01-01", "2022-10-25", ERR_OK);
	(void)edges(&a, NULL, "hour", "2000-01-01", "2022-10-26", ERR_LIMIT);
	(void)edges(&a, NULL, "day", "2000-01-01", "2022-10-26", ERR_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(days_are_as_long_as_the_zone_makes_them),
		cmocka_unit_test(an_hour_that_comes_twice_has_two_names),
		cmocka_unit_test(too_many_edges_are_refused),
	};
	return RUN_TESTS(tests);
}
