/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/duration.h"

#include "lib/run.h"

struct row {
	const char *in;
	enum duration want;
	int64_t ms;
};

static void check(enum duration (*parse)(struct str, int64_t *), const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t ms = 99;
		assert_int_equal(parse(str_of(rows[i].in), &ms), rows[i].want);
		assert_true(ms == (rows[i].want == DURATION_OK ? rows[i].ms : 99));
	}
}

static void reads_slurms(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "00:00:07", DURATION_OK, 7000 },
		{ "10:00:00", DURATION_OK, 36000000 },
		{ "1-02:03:04", DURATION_OK, 93784000 },
		{ "1-02:03:04.5678", DURATION_OK, 93784567 },
		{ "02:03", DURATION_OK, 123000 },
		{ "02:03.5", DURATION_OK, 123500 },
		{ "30", DURATION_OK, 1800000 }, /* minutes */
		{ "1-12", DURATION_OK, 129600000 },
		{ "1-12:30", DURATION_OK, 131400000 },
		{ "960-00:37:20", DURATION_OK, 82946240000 },
		{ "14-00:00:00", DURATION_OK, 1209600000 },
		{ "", DURATION_UNKNOWN, 0 },
		{ "UNLIMITED", DURATION_UNKNOWN, 0 },
		{ "Partition_Limit", DURATION_UNKNOWN, 0 },
		{ "INVALID", DURATION_UNKNOWN, 0 },
		{ "1:2:3:4", DURATION_BAD, 0 },
		{ "-1", DURATION_BAD, 0 },
		{ "1-", DURATION_BAD, 0 },
		{ "1:", DURATION_BAD, 0 },
		{ "00:00:07.", DURATION_BAD, 0 },
		{ "00:00:07,5", DURATION_BAD, 0 },
		{ "1d", DURATION_BAD, 0 },
		{ "9999999999", DURATION_BAD, 0 },
	};
	check(duration_parse_slurm, rows, sizeof rows / sizeof *rows);
}

static void reads_peoples(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{ "250ms", DURATION_OK, 250 },    { "5s", DURATION_OK, 5000 },
		{ "10m", DURATION_OK, 600000 },   { "10min", DURATION_OK, 600000 },
		{ "2h", DURATION_OK, 7200000 },   { "7d", DURATION_OK, 604800000 },
		{ "1w", DURATION_OK, 604800000 }, { "1h30m", DURATION_OK, 5400000 },
		{ "1.5h", DURATION_OK, 5400000 }, { "0", DURATION_OK, 0 },
		{ "0.0015s", DURATION_OK, 1 },    { "", DURATION_UNKNOWN, 0 },
		{ "5", DURATION_BAD, 0 },         { "5x", DURATION_BAD, 0 },
		{ "-5s", DURATION_BAD, 0 },       { "5 s", DURATION_BAD, 0 },
		{ "h", DURATION_BAD, 0 },         { "1,5h", DURATION_BAD, 0 },
		{ "1.h", DURATION_BAD, 0 },       { "9999999999w", DURATION_BAD, 0 },
	};
	check(duration_parse, rows, sizeof rows / sizeof *rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(reads_slurms),
		                                   cmocka_unit_test(reads_peoples) };
	return RUN_TESTS(tests);
}
