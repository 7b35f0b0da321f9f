/* SPDX-License-Identifier: Apache-2.0 */
#include "report/number.h"

#include "lib/run.h"

static void puts_commas_and_all_decimals(void **state)
{
	(void)state;
	static const struct {
		int64_t v;
		unsigned decimals;
		const char *want;
	} cases[] = {
		{ 0, 0, "0" },
		{ 0, 2, "0.00" },
		{ 5, 2, "0.05" },
		{ 123456, 2, "1,234.56" },
		{ 999, 0, "999" },
		{ 1000, 0, "1,000" },
		{ -1234567, 0, "-1,234,567" },
		{ -5, 3, "-0.005" },
		{ INT64_MAX, 0, "9,223,372,036,854,775,807" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		number_write(&t, cases[i].v, cases[i].decimals);
		assert_str(text_str(&t), cases[i].want);
	}
}

static void says_lengths_of_time_in_two_units(void **state)
{
	(void)state;
	static const struct {
		double s;
		const char *want;
	} cases[] = {
		{ 0, "0 s" },         { 0.04, "0.04 s" },    { 4, "4.0 s" },
		{ 59.4, "59 s" },     { 60, "1 min" },      { 61, "1 min 1 s" },
		{ 3599.9, "60 min" }, { 3600, "1 h" },      { 5100, "1 h 25 min" },
		{ 86400, "1 d" },     { 90000, "1 d 1 h" }, { 200 * 86400.0, "200 d" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		number_write_seconds(&t, cases[i].s);
		assert_str(text_str(&t), cases[i].want);
	}
}

static void shows_values_bands_and_open_ends(void **state)
{
	(void)state;
	struct measure m;
	struct {
		struct measure m;
		enum measure_unit unit;
		const char *want;
	} cases[8] = { 0 };
	measure_value(&m, 0.7123, 1);
	cases[0].m = m, cases[0].unit = MEASURE_RATIO, cases[0].want = "71.2 %";
	measure_band(&m, 0.25, 0.5, 1);
	cases[1].m = m, cases[1].unit = MEASURE_RATIO, cases[1].want = "25.0 to 50.0 %";
	measure_null(&m, "why");
	cases[2].m = m, cases[2].unit = MEASURE_MONEY, cases[2].want = "-";
	cases[3].m = (struct measure){ .has_low = true, .low = 12 };
	cases[3].unit = MEASURE_MONEY, cases[3].want = "at least 12.00 EUR";
	measure_value(&m, 0.001234, 1);
	cases[4].m = m, cases[4].unit = MEASURE_MONEY_PER_REQUEST, cases[4].want = "0.00123 EUR";
	measure_value(&m, 1234.5, 1);
	cases[5].m = m, cases[5].unit = MEASURE_GPU_HOURS, cases[5].want = "1,235 GPU-hours";
	cases[6].m = m, cases[6].unit = MEASURE_PER_MONEY, cases[6].want = "1,235 per EUR";
	cases[7].m = (struct measure){ .has_high = true, .high = 90 };
	cases[7].unit = MEASURE_SECONDS, cases[7].want = "at most 1 min 30 s";
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		number_write_measure(&t, &cases[i].m, cases[i].unit, S("EUR"), 2);
		assert_str(text_str(&t), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_commas_and_all_decimals),
		cmocka_unit_test(says_lengths_of_time_in_two_units),
		cmocka_unit_test(shows_values_bands_and_open_ends),
	};
	return RUN_TESTS(tests);
}
