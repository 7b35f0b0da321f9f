/* SPDX-License-Identifier: Apache-2.0 */
#include "report/number.h"

#include <math.h>

void number_write(struct text *t, i128 value, unsigned decimals)
{
	char z[96];
	size_t at = sizeof z;
	u128 v = value < 0 ? -(u128)value : (u128)value;
	for (unsigned i = 0; i < decimals; i++, v /= 10)
		z[--at] = (char)('0' + (int)(v % 10));
	if (decimals)
		z[--at] = '.';
	unsigned digits = 0;
	do {
		if (digits && digits % 3 == 0)
			z[--at] = ',';
		z[--at] = (char)('0' + (int)(v % 10));
		v /= 10;
		digits++;
	} while (v);
	if (value < 0)
		z[--at] = '-';
	text_add(t, (struct str){ z + at, sizeof z - at });
}

void number_write_double(struct text *t, double v, unsigned decimals)
{
	double scale = 1;
	for (unsigned i = 0; i < decimals; i++)
		scale *= 10;
	if (!isfinite(v) || fabs(v) * scale > 1e30)
		text_printf(t, "%g", v);
	else
		number_write(t, (i128)llroundl((long double)v * scale), decimals);
}

void number_write_percent(struct text *t, double share)
{
	number_write_double(t, share * 100, 1);
	text_add(t, S(" %"));
}

void number_write_seconds(struct text *t, double s)
{
	static const struct {
		double s;
		const char *name;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	if (s < 60) {
		number_write_double(t, s, s <= 0 || s >= 10 ? 0 : s < 1 ? 2 : 1);
		text_add(t, S(" s"));
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		if (s < units[i].s)
			continue;
		double rest = round(s / units[i + 1].s), per = round(units[i].s / units[i + 1].s);
		double whole = floor(rest / per);
		number_write_double(t, whole, 0);
		text_printf(t, " %s", units[i].name);
		if (rest > whole * per)
			text_printf(t, " %.0f %s", rest - whole * per, units[i + 1].name);
		return;
	}
}

static unsigned rate_decimals(double v, unsigned money_decimals)
{
	unsigned d = money_decimals;
	for (double x = fabs(v); x > 0 && x < 1 && d < 6; x *= 10)
		d++;
	return d;
}

static void write_number(struct text *t, double v, enum measure_unit unit, unsigned decimals)
{
	if (unit == MEASURE_RATIO)
		number_write_double(t, v * 100, 1);
	else if (unit == MEASURE_SECONDS)
		number_write_seconds(t, v);
	else if (unit == MEASURE_MONEY)
		number_write_double(t, v, decimals);
	else if (measure_is_money(unit))
		number_write_double(t, v, rate_decimals(v, decimals));
	else if (unit == MEASURE_GPUS)
		number_write_double(t, v, 0);
	else
		number_write_double(t, v, fabs(v) < 100 ? 2 : 0);
}

static void write_unit(struct text *t, enum measure_unit unit, struct str currency)
{
	static const char *const words[MEASURE_UNIT_COUNT] = {
		[MEASURE_RATIO] = " %",
		[MEASURE_HOURS] = " h",
		[MEASURE_CPU_HOURS] = " CPU-hours",
		[MEASURE_GPU_HOURS] = " GPU-hours",
		[MEASURE_GPUS] = " GPUs",
		[MEASURE_PER_GPU_HOUR] = " per GPU-hour",
		[MEASURE_JOULES] = " J",
	};
	if (unit == MEASURE_PER_MONEY)
		text_printf(t, " per %.*s", STR_FMT(currency.n ? currency : S("money")));
	else if (measure_is_money(unit) && currency.n)
		text_printf(t, " %.*s", STR_FMT(currency));
	else if (words[unit])
		text_add(t, str_of(words[unit]));
}

void number_write_measure(struct text *t, const struct measure *m, enum measure_unit unit,
                          struct str currency, unsigned money_decimals)
{
	if (m->has_value) {
		write_number(t, m->value, unit, money_decimals);
	} else if (m->has_low && m->has_high) {
		write_number(t, m->low, unit, money_decimals);
		text_add(t, S(" to "));
		write_number(t, m->high, unit, money_decimals);
	} else if (m->has_low || m->has_high) {
		text_add(t, m->has_low ? S("at least ") : S("at most "));
		write_number(t, m->has_low ? m->low : m->high, unit, money_decimals);
	} else {
		text_byte(t, '-');
		return;
	}
	write_unit(t, unit, currency);
}
