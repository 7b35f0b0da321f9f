/* SPDX-License-Identifier: Apache-2.0 */
#include "read/reading.h"

#include "base/wide.h"
#include "read/nvidia_smi.h"

static const struct {
	enum metric_unit of;
	const char *name;
	struct reading_unit unit;
} units[] = {
	{ UNIT_PERCENT, "percent", { 1, 1 } },
	{ UNIT_PERCENT, "%", { 1, 1 } },
	{ UNIT_PERCENT, "ratio", { 100, 1 } },
	{ UNIT_PERCENT, "permille", { 1, 10 } },
	{ UNIT_GIGABYTES_PER_SECOND, "GB/s", { 1, 1 } },
	{ UNIT_GIGABYTES_PER_SECOND, "MB/s", { 1, 1000 } },
	{ UNIT_GIGABYTES_PER_SECOND, "KB/s", { 1, 1000000 } },
	{ UNIT_GIGABYTES_PER_SECOND, "bytes/s", { 1, 1000000000 } },
	{ UNIT_GIGABYTES_PER_SECOND, "GiB/s", { 1073741824, 1000000000 } },
	{ UNIT_GIGABYTES_PER_SECOND, "MiB/s", { 1048576, 1000000000 } },
	{ UNIT_GIGABYTES_PER_SECOND, "KiB/s", { 1024, 1000000000 } },
	{ UNIT_WATTS, "W", { 1, 1 } },
	{ UNIT_WATTS, "mW", { 1, 1000 } },
	{ UNIT_WATTS, "uW", { 1, 1000000 } },
	{ UNIT_WATTS, "kW", { 1000, 1 } },
	{ UNIT_MEBIBYTES, "MiB", { 1, 1 } },
	{ UNIT_MEBIBYTES, "bytes", { 1, 1048576 } },
	{ UNIT_MEBIBYTES, "KiB", { 1, 1024 } },
	{ UNIT_MEBIBYTES, "GiB", { 1024, 1 } },
	{ UNIT_MEBIBYTES, "KB", { 1000, 1048576 } },
	{ UNIT_MEBIBYTES, "MB", { 1000000, 1048576 } },
	{ UNIT_MEBIBYTES, "GB", { 1000000000, 1048576 } },
	{ UNIT_MEGAHERTZ, "MHz", { 1, 1 } },
	{ UNIT_MEGAHERTZ, "Hz", { 1, 1000000 } },
	{ UNIT_MEGAHERTZ, "kHz", { 1, 1000 } },
	{ UNIT_MEGAHERTZ, "GHz", { 1000, 1 } },
	{ UNIT_JOULES, "J", { 1, 1 } },
	{ UNIT_JOULES, "mJ", { 1, 1000 } },
	{ UNIT_JOULES, "uJ", { 1, 1000000 } },
	{ UNIT_JOULES, "kJ", { 1000, 1 } },
	{ UNIT_JOULES, "Wh", { 3600, 1 } },
	{ UNIT_JOULES, "kWh", { 3600000, 1 } },
	{ UNIT_CELSIUS, "C", { 1, 1 } },
	{ UNIT_CELSIUS, "mC", { 1, 1000 } },
};

bool reading_unit_find(enum metric_id id, struct str name, struct reading_unit *ret)
{
	*ret = (struct reading_unit){ 1, 1 };
	if (!name.n)
		return true;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].of == metrics[id].unit && str_eq(name, str_of(units[i].name))) {
			*ret = units[i].unit;
			return true;
		}
	return false;
}

/* The next of the names for ID from AT on, or how many there are; another word for one that came
   before is passed over. */
static size_t unit_next(enum metric_id id, size_t at)
{
	for (; at < sizeof units / sizeof *units; at++) {
		bool again = at && units[at - 1].of == units[at].of &&
		             units[at - 1].unit.num == units[at].unit.num &&
		             units[at - 1].unit.den == units[at].unit.den;
		if (units[at].of == metrics[id].unit && !again)
			break;
	}
	return at;
}

void reading_unit_names(struct text *t, enum metric_id id)
{
	const size_t end = sizeof units / sizeof *units;
	size_t at = unit_next(id, 0);
	text_add(t, at == end ? S("no unit") : str_of(units[at].name));
	while (at < end && (at = unit_next(id, at + 1)) < end)
		text_printf(t, "%s%s", unit_next(id, at + 1) < end ? ", " : " or ", units[at].name);
}

void reading_range(enum metric_unit unit, int64_t *ret_min, int64_t *ret_max)
{
	*ret_min = 0;
	switch (unit) {
	case UNIT_PERCENT:
		*ret_max = 100;
		break;
	case UNIT_WATTS:
		*ret_max = GPU_WATTS_MAX;
		break;
	case UNIT_MEBIBYTES:
		*ret_max = GPU_MEBIBYTES_MAX;
		break;
	case UNIT_MEGAHERTZ:
		*ret_max = GPU_MEGAHERTZ_MAX;
		break;
	case UNIT_GIGABYTES_PER_SECOND:
		*ret_max = GPU_LINK_GIGABYTES_MAX;
		break;
	case UNIT_CELSIUS:
		*ret_min = GPU_CELSIUS_MIN;
		*ret_max = GPU_CELSIUS_MAX;
		break;
	case UNIT_FLAG:
		*ret_max = 1;
		break;
	default:
		*ret_max = INT64_MAX / 1000000;
		break;
	}
}

static i128 floor_of(i128 a, i128 b)
{
	return a / b - (a % b < 0);
}

static enum why miss(struct sample *s, enum metric_id id, enum why why)
{
	reading_miss(s, id, why);
	return why;
}

void reading_miss(struct sample *s, enum metric_id id, enum why why)
{
	if (!(s->known >> id & 1))
		s->why[id] = (uint8_t)why;
}

enum why reading_put(struct sample *s, enum metric_id id, int64_t num, int64_t den,
                     struct reading_unit unit)
{
	int64_t scale = 1, min, max;
	for (unsigned i = 0; i < metrics[id].decimals; i++)
		scale *= 10;
	reading_range(metrics[id].unit, &min, &max);
	i128 n = (i128)num * unit.num, d = (i128)den * unit.den;
	if (n < min * d || n > max * d)
		return miss(s, id, WHY_OUT_OF_RANGE);
	/* The whole first: what is left times the scale stays within 128 bits. */
	i128 whole = floor_of(n, d), rest = n - whole * d;
	sample_know(s, id, (int64_t)(whole * scale + rest * scale / d));
	return WHY_KNOWN;
}

enum why reading_put_text(struct sample *s, enum metric_id id, struct str text,
                          struct reading_unit unit, bool *ret_bad)
{
	int64_t num, den = 1;
	double far_off;
	*ret_bad = false;
	enum why why = smi_word(text);
	if (why != WHY_KNOWN)
		return miss(s, id, why);
	if (str_to_fraction(text, &num, &den) && str_find_byte(text, '/') == text.n)
		return reading_put(s, id, num, den, unit);
	if (str_to_fixed(text, 9, &num)) /* more digits than anyone measures */
		return reading_put(s, id, num, 1000000000, unit);
	if (str_to_fixed(text, 0, &num))
		return reading_put(s, id, num, 1, unit);
	*ret_bad = !str_to_double(text, &far_off);
	return miss(s, id, *ret_bad ? WHY_ABSENT : WHY_OUT_OF_RANGE);
}

void reading_take(struct facts *f, uint64_t line, bool *is_rejected, struct sample *s,
                  enum metric_id id, struct str text, struct reading_unit unit)
{
	bool is_bad;
	enum why why = reading_put_text(s, id, text, unit, &is_bad);
	if (!is_bad && why != WHY_OUT_OF_RANGE)
		return;
	if (!*is_rejected)
		facts_reject(f, line, "%s '%.*s' %s: this reading was left out", metrics[id].name,
		             STR_FMT(str_sub(text, 0, 40)),
		             is_bad ? "is not a number" : "is out of range");
	*is_rejected = true;
}
