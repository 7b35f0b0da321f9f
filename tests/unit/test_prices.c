/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/whole.h"

#include <stdio.h>

#include "base/text.h"

extern const struct reader reader_prices;

static void gives(const char *entry, int64_t num, int64_t den)
{
	char text[1024];
	snprintf(text, sizeof text, "currency: EUR\nprice:\n  - {%s}\n", entry);
	struct whole w = whole_read(&reader_prices, str_of(text));
	assert_string_equal(w.err.text, "");
	assert_int_equal(w.f.prices.n, 1);
	assert_int_equal(w.f.prices.v[0].num, num);
	assert_int_equal(w.f.prices.v[0].den, den);
	assert_int_equal(w.f.prices.v[0].line, 3);
	assert_str(names_word(&w.f.names, w.f.prices.v[0].currency), "EUR");
	whole_drop(&w);
}

static void amounts(void **state)
{
	(void)state;
	gives("accelerator: H100, amount: 2.50, per: hour", 5, 2);
	gives("accelerator: H100, amount: 0, per: hour", 0, 1);
	gives("accelerator: H100, amount: 730, per: month", 1, 1);
	gives("accelerator: H100, amount: 1, per: month", 1, 730);
	gives("accelerator: H100, amount: 1, per: year", 1, 8760);
	gives("accelerator: H100, amount: 0.000000001, per: hour", 1, 1000000000);
	gives("node: n1, amount: 31.92, gpus: 8, per: hour", 399, 100);
	gives("pool: p, amount: 7008, gpus: 8, per: year", 1, 10);
	/* 1/7 has no place among the exact ones: floored to 10^-9 */
	gives("node: n1, amount: 1, gpus: 7, per: hour", 71428571, 500000000);
	gives("accelerator: H100, amount: 999999999999, per: hour", 999999999999, 1);
}

static void owned(void **state)
{
	(void)state;
	const char *base = "accelerator: A100, basis: owned, purchase: 87600, life_years: 10";
	char text[512];
	gives(base, 1, 1);
	snprintf(text, sizeof text, "%s, gpus: 8", base);
	gives(text, 1, 8);
	snprintf(text, sizeof text, "%s, resale: 43800", base);
	gives(text, 1, 2);
	snprintf(text, sizeof text, "%s, power_w: 1000, pue: 1.5, energy_price_per_kwh: 0.20",
	         base);
	gives(text, 13, 10);
	snprintf(text, sizeof text,
	         "%s, hosting: {amount: 730, per: month}, maintenance: {amount: 8760, per: year}",
	         base);
	gives(text, 3, 1);
}

static void what_it_is_for(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_prices,
	                            S("price:\n"
	                              "- {accelerator: '*', amount: 1, per: hour, currency: USD}\n"
	                              "- {pool: a, accelerator: T4, amount: 2, per: hour}\n"
	                              "- {node: n, basis: spot, amount: 3, per: hour,\n"
	                              "   from: 2026-01-01, to: 2026-02-01T00:00:00Z}\n"
	                              "- {node: n, basis: committed, amount: 4, per: hour,\n"
	                              "   from: 2026-02-01}\n"));
	assert_string_equal(w.err.text, "");
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.prices.n, 4);
	const struct price *p = w.f.prices.v;
	assert_int_equal(p[0].model, 0);
	assert_int_equal(p[0].from_ms, TIME_UNKNOWN);
	assert_str(names_word(&w.f.names, p[1].pool), "a");
	assert_str(names_word(&w.f.names, p[1].model), "T4");
	assert_str(names_word(&w.f.names, p[2].node), "n");
	assert_int_equal(p[2].basis, BASIS_SPOT);
	assert_int_equal(p[2].from_ms, 1767225600000);
	assert_int_equal(p[2].to_ms, 1769904000000);
	assert_int_equal(p[3].basis, BASIS_COMMITTED);
	assert_int_equal(p[3].to_ms, TIME_UNKNOWN);
	assert_int_equal(w.f.inputs.v[0].records, 4);
	whole_drop(&w);
}

static void refused(const char *text, const char *want)
{
	struct whole w = whole_read(&reader_prices, str_of(text));
	assert_string_equal(w.err.text, want);
	assert_int_not_equal(w.code, ERR_OK);
	whole_drop(&w);
}

static void refused_entry(const char *entry, const char *want)
{
	char text[1024];
	snprintf(text, sizeof text, "currency: USD\nprice:\n  - {%s}\n", entry);
	refused(text, want);
}

static void errors(void **state)
{
	(void)state;
	refused_entry("accelerator: H100, amount: 2.50",
	              "3:5: a price without 'per'; expected hour, month or year");
	refused_entry("accelerator: H100, per: hour", "3:5: a price without 'amount'");
	refused_entry("amount: 1, per: hour", "3:5: a price without accelerator, node or pool");
	refused_entry("accelerator: H100, amount: 1, per: week",
	              "3:36: per is 'week'; expected hour, month or year");
	refused_entry("accelerator: H100, amount: -1, per: hour",
	              "3:25: amount is '-1'; expected 0 or more");
	refused_entry(
	        "accelerator: H100, amount: '0,5', per: hour",
	        "3:25: amount is '0,5'; expected a decimal number like 2.50, below 10^12, with "
	        "at most 9 decimals");
	refused_entry(
	        "accelerator: H100, amount: 1e3, per: hour",
	        "3:25: amount is '1e3'; expected a decimal number like 2.50, below 10^12, with "
	        "at most 9 decimals");
	refused_entry("accelerator: H100, amount: 1000000000000, per: hour",
	              "3:25: amount is '1000000000000'; expected a decimal number like 2.50, below "
	              "10^12, with at most 9 decimals");
	refused_entry("accelerator: H100, amount: 0.0000000001, per: hour",
	              "3:25: amount is '0.0000000001'; expected a decimal number like 2.50, below "
	              "10^12, with at most 9 decimals");
	refused_entry("accelerator: H100, gpus: 0, amount: 1, per: hour",
	              "3:25: gpus is '0'; expected a whole number from 1 to 100000000");
	refused_entry("accelerator: H100, amount: 1, per: hour, currency: EUR",
	              "3:47: currency is EUR; line 1 has USD, and one list has one");
	refused_entry("accelerator: H100, amount: 1, per: hour, currency: dollars",
	              "3:47: currency is 'dollars'; expected three letters like USD");
	refused_entry("accelerator: H100, amount: 1, per: hour, basis: rented",
	              "3:47: basis is 'rented'; expected on_demand, spot, committed or owned");
	refused_entry("accelerator: H100, amount: 1, per: hour, from: 2026-02-01, to: 2026-01-01",
	              "3:65: to is not after from");
	refused_entry("accelerator: H100, amount: 1, per: hour, from: soon",
	              "3:47: from is 'soon'; expected a date or a time like 2026-01-31T12:00:00Z");
	refused_entry("accelerator: H100, amount: 1, per: hour, power_w: 700",
	              "3:47: unknown key 'power_w' in a price; expected one of: accelerator, node, "
	              "pool, from, to, amount, per, gpus, currency, basis, comment");
	refused_entry("accelerator: H100, basis: owned, purchase: 10000",
	              "3:5: basis owned needs purchase and life_years");
	refused_entry("accelerator: H100, basis: owned, purchase: 1, life_years: 0",
	              "3:52: life_years is 0; expected more");
	refused_entry("accelerator: H100, basis: owned, purchase: 1, life_years: 5, resale: 2",
	              "3:67: resale is above purchase");
	refused_entry("accelerator: H100, basis: owned, purchase: 1, life_years: 5, power_w: 2",
	              "3:5: power_w and energy_price_per_kwh; expected both or none");
	refused_entry("accelerator: H100, basis: owned, purchase: 1, life_years: 5, power_w: 2, "
	              "energy_price_per_kwh: 1, pue: 0.9",
	              "3:104: pue is below 1; expected 1 or more");
	refused("price:\n- {accelerator: T4, amount: 1, per: hour}\n",
	        "2:3: no currency; expected one like USD here or for the whole file");
	refused("price: 3\n", "1:1: price is a word; expected a list");
	refused("price:\n- 3\n", "2:3: a price is a word; expected a map");
	refused("prices: []\n", "1:1: unknown key 'prices' in a price list; expected one of: "
	                        "price, other, credits, "
	                        "currency");
	refused("currency: USD\nprice:\n"
	        "- {accelerator: T4, amount: 1, per: hour, from: 2026-01-01}\n"
	        "- {accelerator: T4, amount: 2, per: hour, to: 2026-01-01T00:00:01Z}\n",
	        "4:3: this price and that of line 3 are for the same thing at the same time");
}

static void other_costs(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_prices, S("currency: USD\n"
	                                              "other:\n"
	                                              "- {what: storage, amount: 730, per: month,\n"
	                                              "   from: 2026-01-01, to: 2026-01-02}\n"
	                                              "- {what: platform, amount: 1, per: hour}\n"
	                                              "credits:\n"
	                                              "- {what: gift, amount: 99.95, per: once,\n"
	                                              "   from: 2026-01-01, to: 2027-01-01}\n"));
	assert_string_equal(w.err.text, "");
	assert_int_equal(w.score, 72);
	assert_int_equal(w.f.other_costs.n, 3);
	const struct other_cost *c = w.f.other_costs.v;
	assert_int_equal(c[0].num, 24);
	assert_int_equal(c[0].den, 1);
	assert_false(c[0].is_credit);
	assert_int_equal(c[1].num, 876600); /* hours from 2000 to 2100 */
	assert_int_equal(c[1].den, 1);
	assert_int_equal(c[1].to_ms - c[1].from_ms, (int64_t)876600 * 3600000);
	assert_true(c[2].is_credit);
	assert_int_equal(c[2].num, 1999);
	assert_int_equal(c[2].den, 20);
	whole_drop(&w);
	refused("currency: USD\nother:\n- {amount: 1, per: month}\n",
	        "3:3: an other cost without 'what'");
	refused("currency: USD\ncredits:\n- {what: x, amount: 1, per: once, from: 2026-01-01}\n",
	        "3:3: per once needs from and to");
	refused("currency: USD\ncredits:\n- {what: x, amount: 1}\n",
	        "3:3: a credit without 'per'; expected hour, month or year");
	refused("currency: USD\nother:\n- {what: x, amount: 999999999999, per: hour}\n",
	        "3:3: the amount is out of range");
}

static void recognised(void **state)
{
	(void)state;
	const struct {
		const char *text;
		int score;
	} rows[] = {
		{ "price:\n- {}\n", 90 },     { "# mine\n\ncurrency: USD\nprice:\n", 90 },
		{ "price:\nextra: 1\n", 50 }, { "other: []\n", 72 },
		{ "currency: USD\n", 0 },     { "price,amount\n1,2\n", 0 },
		{ "{\"price\": 1}\n", 0 },    { "", 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(reader_prices.recognise(str_of(rows[i].text), NULL),
		                 rows[i].score);
}

static void the_example(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	char path[4096];
	struct str text = run_file(&a, run_source(path, sizeof path, "examples/prices.yaml"));
	struct whole w = whole_read(&reader_prices, text);
	assert_string_equal(w.err.text, "");
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.prices.n, 5);
	assert_int_equal(w.f.other_costs.n, 4);
	/* 108,000 / 43,800 h + 5.2 kW x 1.3 x 0.12 + 900 / 730 + 6,000 / 8,760, over 8 */
	assert_int_equal(w.f.prices.v[4].num * 1000000 / w.f.prices.v[4].den, 649345);
	whole_drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts),        cmocka_unit_test(owned),
		cmocka_unit_test(what_it_is_for), cmocka_unit_test(errors),
		cmocka_unit_test(other_costs),    cmocka_unit_test(recognised),
		cmocka_unit_test(the_example),
	};
	return RUN_TESTS(tests);
}
