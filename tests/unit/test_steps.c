/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/steps.h"

#include <unistd.h>

#include "lib/run.h"
#include "parse/when.h"

static int64_t at(const char *z)
{
	int64_t ms = 0;
	assert_int_equal(when_parse(str_of(z), NULL, &ms), WHEN_OK);
	return ms;
}

static struct report_input steps_of(struct arena *a, const struct zone *zone, const char *from,
                                    const char *to)
{
	struct ledger l = { .window = { at(from), at(to) } };
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct report_input in = { 0 };
	const int64_t *edges;
	steps_name(a, zone, &l, &in);
	steps_cut(a, zone, &o);
	/* the ledger is cut where the steps lie */
	assert_int_equal(o.edges_of(o.edges_arg, l.window, &edges), in.steps_n + 1);
	for (size_t i = 0; i < in.steps_n; i++) {
		assert_int_equal(in.steps[i].span.from_ms, edges[i]);
		assert_int_equal(in.steps[i].span.to_ms, edges[i + 1]);
		assert_true(edges[i] < edges[i + 1]);
	}
	assert_int_equal(edges[0], l.window.from_ms);
	assert_int_equal(edges[in.steps_n], l.window.to_ms);
	return in;
}

static void are_as_long_as_a_picture_is_wide(void **state)
{
	(void)state;
	const struct {
		const char *from, *to, *unit;
		size_t n;
	} cases[] = {
		{ "2026-11-03T10:00:00Z", "2026-11-03T10:00:01Z", "10 seconds", 1 },
		{ "2026-11-03T10:00:04Z", "2026-11-03T10:10:00Z", "10 seconds", 60 },
		{ "2026-11-03T10:00:00Z", "2026-11-03T10:16:40Z", "minute", 17 },
		{ "2026-11-03T10:00:00Z", "2026-11-03T11:39:59Z", "minute", 100 },
		{ "2026-11-03T10:00:00Z", "2026-11-03T11:40:00Z", "5 minutes", 20 },
		{ "2026-11-03T10:00:00Z", "2026-11-04T10:00:00Z", "15 minutes", 96 },
		{ "2026-11-03T10:00:00Z", "2026-11-05T10:00:00Z", "hour", 48 },
		{ "2026-11-03T10:00:00Z", "2026-11-07T14:00:00Z", "day", 5 },
		{ "2026-09-01", "2026-11-30", "day", 90 },
		{ "2025-01-01", "2026-01-01", "week", 53 },
		{ "2020-01-01", "2026-01-01", "4 weeks", 79 },
		{ "1990-01-01", "2026-01-01", "52 weeks", 37 },
		{ "0100-01-01", "9900-01-01", "520 weeks", 984 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		struct report_input in = steps_of(&a, NULL, cases[i].from, cases[i].to);
		assert_string_equal(in.step_unit, cases[i].unit);
		assert_int_equal(in.steps_n, cases[i].n);
	}
}

static void begin_on_the_clock_of_the_zone(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	static const char path[] = "/usr/share/zoneinfo/Europe/Berlin";
	struct zone zone;
	if (access(path, R_OK))
		skip_for("no zone files");
	assert_int_equal(zone_parse(&a, run_file(&a, path), &zone, NULL), ERR_OK);
	struct report_input in =
	        steps_of(&a, &zone, "2026-03-20T12:30:00Z", "2026-03-31T00:00:00Z");
	assert_string_equal(in.steps[0].name, "2026-03-20"); /* not whole */
	assert_int_equal(in.steps[1].span.from_ms, at("2026-03-20T23:00:00Z"));
	assert_string_equal(in.steps[9].name, "2026-03-29"); /* 23 hours */
	assert_int_equal(in.steps[9].span.to_ms - in.steps[9].span.from_ms, 23 * 3600000);
	assert_int_equal(in.steps_n, 12);
}

static void weeks_begin_on_monday_and_labels_are_round(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct report_input in = steps_of(&a, NULL, "2026-01-01", "2026-12-01");
	assert_string_equal(in.steps[0].name, "2026-01-01"); /* not whole */
	assert_int_equal(in.steps[1].span.from_ms, at("2026-01-05T00:00:00Z"));
	in = steps_of(&a, NULL, "2026-10-29T09:50:00Z", "2026-11-13T00:00:00Z");
	for (size_t i = 0; i < in.steps_n; i++) {
		const char *want = i == 4 ? "2 Nov 2026" : i == 11 ? "9 Nov" : NULL;
		if (want)
			assert_string_equal(in.steps[i].label, want);
		else
			assert_null(in.steps[i].label);
	}
	in = steps_of(&a, NULL, "2026-12-31T21:50:00Z", "2027-01-01T02:00:00Z");
	assert_null(in.steps[0].label);
	assert_string_equal(in.steps[2].label, "22:00");
	assert_string_equal(in.steps[26].label, "1 Jan 2027");
	assert_string_equal(in.steps[26].name, "2027-01-01 00:00");
}

static void midnight_is_a_day(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct report_input in = steps_of(&a, NULL, "2026-10-12", "2026-10-14T12:00:00Z");
	const char *want[] = { "12 Oct 2026", "12:00", "13 Oct", "12:00", "14 Oct" };
	for (size_t i = 0; i < in.steps_n; i++) {
		if (i % 12)
			assert_null(in.steps[i].label);
		else
			assert_string_equal(in.steps[i].label, want[i / 12]);
	}
}

static void seconds_are_named_where_they_count(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct report_input in = steps_of(&a, NULL, "2026-10-12T13:59:05Z", "2026-10-12T14:00:30Z");
	const char *names[] = { "2026-10-12 13:59:05", "2026-10-12 13:59:10" };
	const char *labels[] = { NULL, NULL, NULL, "13:59:30", NULL, NULL, "14:00", NULL, NULL };
	assert_int_equal(in.steps_n, 9);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(in.steps[i].name, names[i]);
	for (size_t i = 0; i < 9; i++)
		if (labels[i])
			assert_string_equal(in.steps[i].label, labels[i]);
		else
			assert_null(in.steps[i].label);
}

static void nothing_is_cut_where_there_is_no_time(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct ledger l = { .window = { TIME_UNKNOWN, TIME_UNKNOWN } };
	struct report_input in = { 0 };
	steps_name(&a, NULL, &l, &in);
	assert_int_equal(in.steps_n, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_as_long_as_a_picture_is_wide),
		cmocka_unit_test(begin_on_the_clock_of_the_zone),
		cmocka_unit_test(weeks_begin_on_monday_and_labels_are_round),
		cmocka_unit_test(midnight_is_a_day),
		cmocka_unit_test(seconds_are_named_where_they_count),
		cmocka_unit_test(nothing_is_cut_where_there_is_no_time),
	};
	return RUN_TESTS(tests);
}
