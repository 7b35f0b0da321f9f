/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter_value: names of exporters, and the numbers they write. Fields: DCGM's dcgm_fields.h,
 * dcgm_structs.h.
 */
#include "base/wide.h"
#include "read/exporter.h"

static const struct exporter_metric exported[] = {
#define SCOPE_PART true
#define SCOPE_WHOLE false
#define EXPORTED(name, family, alias, id, unit, scope) \
	{ #name, alias, EXPORTER_##family, METRIC_##id, EXPORTED_##unit, SCOPE_##scope },
#include "read/exporters.def"
#undef EXPORTED
};

static const struct exporter_metric *find(struct str name)
{
	for (size_t i = 0; i < sizeof exported / sizeof *exported; i++) {
		const struct exporter_metric *m = &exported[i];
		if (str_eq_nocase(name, str_of(m->name)) ||
		    (*m->alias && str_eq_nocase(name, str_of(m->alias))))
			return m;
	}
	return NULL;
}

const struct exporter_metric *exporter_metric(struct str name, struct str clock)
{
	auto_arena a = ARENA_NULL;
	struct str word;
	if (clock.n) { /* system, GPU_CLOCK_TYPE_SYSTEM */
		while (str_cut(&clock, '_', &word))
			;
		name = str_of(arena_printf(&a, "%.*s_%.*s", STR_FMT(name), STR_FMT(word)));
	}
	const struct exporter_metric *m = find(name);
	if (m || !str_starts_nocase(name, S("amd_")))
		return m;
	m = find(str_sub(name, 4, name.n));
	return m && m->family == EXPORTER_AMD ? m : NULL;
}

bool exporter_is_name(struct str name)
{
	return str_starts_nocase(name, S("DCGM_FI_")) || str_starts(name, S("nvidia_smi_")) ||
	       exporter_metric(name, STR_NULL) || exporter_metric(name, S("system"));
}

enum why exporter_blank(struct str value, bool is_count)
{
	/* DCGM_*_BLANK, NOT_FOUND, NOT_SUPPORTED, NOT_PERMISSIONED, in this order from the base */
	static const enum why whys[] = { WHY_NOT_READY, WHY_ABSENT, WHY_UNSUPPORTED,
		                         WHY_NO_PERMISSION };
	static const char *const texts[] = { "<<<NULL>>>", "<<<NOT_FOUND>>>", "<<<NOT_SUPPORTED>>>",
		                             "<<<NOT_PERM>>>" };
	static const int64_t bases[] = { 0x7ffffff0, INT64_C(0x7ffffffffffffff0),
		                         INT64_C(140737488355328) };
	int64_t v, tenths;
	double real;
	if (str_starts(value, S("<<<"))) {
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			if (str_eq(value, str_of(texts[i])))
				return whys[i];
		return WHY_KNOWN;
	}
	/* Prometheus keeps doubles, in which the 64-bit blanks are one number, over int64 */
	if (!str_to_fixed(value, 0, &v))
		return str_to_double(value, &real) && real >= 0x1p63 && real <= 0x1p63 ? WHY_ABSENT
		                                                                       : WHY_KNOWN;
	for (size_t i = is_count ? 1 : 0; i < sizeof bases / sizeof *bases; i++) {
		if (v < bases[i] || v - bases[i] >= 4)
			continue;
		bool has_tenths = str_to_fixed(value, 1, &tenths) && tenths % 10;
		return has_tenths ? WHY_KNOWN : whys[v - bases[i]];
	}
	return WHY_KNOWN;
}

/* A value x mul x 10^shift / div is a reading in its metric's decimals. */
struct scale {
	uint32_t mul, div;
	int8_t shift;
	int64_t max; /* readings above are none */
};

static const struct scale scales[] = {
	[EXPORTED_RATIO] = { 1, 1, 8, 100000000 },
	[EXPORTED_PERCENT] = { 1, 1, 6, 100000000 },
	[EXPORTED_BYTES_PER_SECOND] = { 1, 1, 0, GPU_LINK_GIGABYTES_MAX *INT64_C(1000000000) },
	[EXPORTED_MEBIBYTES_PER_SECOND] = { 1 << 20, 1, 0,
	                                    GPU_LINK_GIGABYTES_MAX *INT64_C(1000000000) },
	[EXPORTED_MEGABITS_PER_SECOND] = { 125000, 1, 0,
	                                   GPU_LINK_GIGABYTES_MAX *INT64_C(1000000000) },
	[EXPORTED_WATTS] = { 1, 1, 3, GPU_WATTS_MAX *INT64_C(1000) },
	[EXPORTED_MEBIBYTES] = { 1, 1, 3, GPU_MEBIBYTES_MAX *INT64_C(1000) },
	[EXPORTED_BYTES] = { 1000, 1 << 20, 0, GPU_MEBIBYTES_MAX *INT64_C(1000) },
	[EXPORTED_MEGAHERTZ] = { 1, 1, 3, GPU_MEGAHERTZ_MAX *INT64_C(1000) },
	[EXPORTED_HERTZ] = { 1, 1, -3, GPU_MEGAHERTZ_MAX *INT64_C(1000) },
	[EXPORTED_JOULES] = { 1, 1, 3, INT64_MAX },
	[EXPORTED_MILLIJOULES] = { 1, 1, 0, INT64_MAX },
	[EXPORTED_MICROJOULES] = { 1, 1, -3, INT64_MAX },
	[EXPORTED_CELSIUS] = { 1, 1, 3, GPU_CELSIUS_MAX *INT64_C(1000) },
	[EXPORTED_MASK] = { 1, 1, 0, INT64_MAX },
	[EXPORTED_FLAG] = { 1, 1, 0, 1 },
};
static const int64_t celsius_min = GPU_CELSIUS_MIN * INT64_C(1000);

static const uint64_t tens[] = { 1,
	                         10,
	                         100,
	                         1000,
	                         10000,
	                         100000,
	                         1000000,
	                         10000000,
	                         100000000,
	                         1000000000,
	                         10000000000,
	                         100000000000,
	                         1000000000000,
	                         10000000000000,
	                         100000000000000,
	                         1000000000000000,
	                         10000000000000000,
	                         100000000000000000,
	                         1000000000000000000 };

#define PLAIN_DIGITS 15u
#define DECIMALS_KEPT 9u /* more than those of any metric */

/* Digits from FROM on to V; where they end. */
static size_t digits_add(struct str s, size_t from, uint64_t *v)
{
	uint64_t x = *v;
	for (; from < s.n; from++) {
		unsigned digit = (unsigned char)s.p[from] - '0';
		if (digit > 9)
			break;
		x = x * 10 + digit;
	}
	*v = x;
	return from;
}

/* Digits, maybe with a point: what exporters write nearly always. Digits far behind the point are
   below what any metric keeps. False: look closer. */
static bool plain_number(struct str s, uint64_t *ret, unsigned *ret_decimals)
{
	uint64_t v = 0;
	size_t whole = digits_add(str_sub(s, 0, PLAIN_DIGITS), 0, &v), end = whole;
	if (whole < s.n && s.p[whole] == '.')
		end = digits_add(str_sub(s, 0, PLAIN_DIGITS + 1), whole + 1, &v);
	size_t decimals = end > whole ? end - whole - 1 : 0;
	*ret = v;
	*ret_decimals = (unsigned)decimals;
	if (end == s.n)
		return whole + decimals > 0;
	if (decimals < DECIMALS_KEPT)
		return false;
	for (; end < s.n; end++)
		if (s.p[end] < '0' || s.p[end] > '9')
			return false;
	return true;
}

/* Numbers that no blank is: below the least of them, or with a fraction. */
static bool scale_plain(const struct scale *k, uint64_t v, unsigned decimals, int64_t *ret)
{
	int shift = k->shift - (int)decimals;
	u128 wide = (u128)v * k->mul;
	if (shift >= 0)
		wide *= tens[shift];
	else if (k->mul == 1 && k->div == 1)
		wide = v / tens[-shift];
	else
		wide /= tens[-shift];
	if (k->div != 1)
		wide /= k->div;
	if (wide > (u128)k->max)
		return false;
	*ret = (int64_t)wide;
	return true;
}

/* Any other way to write a number: exponents, signs, more digits. */
static bool scale_any(const struct scale *k, struct str value, int64_t *ret)
{
	int64_t v;
	if (!str_to_fixed(value, k->shift > 0 ? (unsigned)k->shift : 0, &v))
		return false;
	i128 wide = (i128)v * k->mul;
	i128 div = (i128)k->div * (k->shift < 0 ? (i128)tens[-k->shift] : 1);
	wide = wide / div - (wide % div < 0);
	if (wide > k->max || wide < (k == &scales[EXPORTED_CELSIUS] ? celsius_min : 0))
		return false;
	*ret = (int64_t)wide;
	return true;
}

enum why exporter_value(const struct exporter_metric *m, struct str value, int64_t *ret,
                        bool *ret_bad)
{
	const struct scale *k = &scales[m->unit];
	uint64_t v;
	unsigned decimals;
	*ret_bad = false;
	bool is_plain = plain_number(value, &v, &decimals);
	if (is_plain && (v < 0x7ffffff0 || v / tens[decimals] < 0x7ffffff0))
		return scale_plain(k, v, decimals, ret) ? WHY_KNOWN : WHY_OUT_OF_RANGE;
	enum why why = exporter_blank(value, m->unit >= EXPORTED_JOULES &&
	                                             m->unit <= EXPORTED_MICROJOULES);
	if (why != WHY_KNOWN)
		return why;
	if (scale_any(k, value, ret))
		return WHY_KNOWN;
	enum prom_number number = prom_number(value);
	if (number == PROM_NAN)
		return WHY_ABSENT;
	*ret_bad = number == PROM_NOT_A_NUMBER;
	return *ret_bad ? WHY_ABSENT : WHY_OUT_OF_RANGE;
}
