/* SPDX-License-Identifier: Apache-2.0 */
/* Depth and readings as JSON, and what their tables share with it. */
#include "report/waterfall_tables.h"

const char *waterfall_unit(enum metric_unit unit)
{
	static const char *const words[] = {
		[UNIT_PERCENT] = "percent", [UNIT_GIGABYTES_PER_SECOND] = "GB/s",
		[UNIT_WATTS] = "W",         [UNIT_MEBIBYTES] = "MiB",
		[UNIT_FLAG] = "flag",       [UNIT_MEGAHERTZ] = "MHz",
		[UNIT_JOULES] = "J",        [UNIT_CELSIUS] = "C",
		[UNIT_MASK] = "mask",
	};
	return words[unit];
}

i128 waterfall_active(const struct tally *t)
{
	i128 sum = 0;
	for (int a = ACCOUNT_ACTIVE_PRODUCTIVE; a <= ACCOUNT_ACTIVE_UNJUDGED; a++)
		sum += t->sums.accounts[a];
	return sum;
}

const char *waterfall_why_no_depth(const struct tally *t, enum depth_id id)
{
	const struct depth_info *d = &depths[id];
	if (!waterfall_active(t))
		return "no time was seen active";
	if (d->kind == DEPTH_BANDWIDTH && t->depths[DEPTH_of_dram].units)
		return "the memory bandwidth of these GPUs is not known: no input names a model of "
		       "which it is";
	if (d->kind == DEPTH_OFU && t->depths[DEPTH_of_tensor].units)
		return "needs the SM clock beside tensor activity, and a GPU model whose tensor "
		       "clock is known";
	return "no reading of it in active time";
}

static void write_or_null(struct emit *j, const char *key, bool has, double v)
{
	emit_key(j, key);
	if (has)
		emit_double(j, v);
	else
		emit_null(j);
}

/* Energy of UNITS of time, METERED of them known: null only if it is known of none (K.6). */
void waterfall_write_energy(struct emit *j, i128 millijoules, i128 metered, i128 units)
{
	emit_key(j, "joules");
	if (metered || !units)
		emit_fixed(j, millijoules, 3);
	else
		emit_null(j);
	emit_key(j, "joules_coverage");
	if (units)
		emit_double(j, measure_ratio(metered, units));
	else
		emit_null(j);
}

void waterfall_write_joules(const struct tally *t, const struct figures *g, struct emit *j)
{
	i128 metered = 0, integrated = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		metered += t->sums.metered[a];
		integrated += t->sums.integrated[a];
	}
	waterfall_write_energy(j, g->millijoules, metered, t->sums.paid);
	emit_key(j, "joules_integrated_share");
	if (metered)
		emit_double(j, measure_ratio(integrated, metered));
	else
		emit_null(j);
}

void waterfall_write_depth(const struct tally *t, bool all, struct emit *j)
{
	i128 active = waterfall_active(t);
	emit_key(j, "depth");
	emit_open(j, '{');
	for (int i = 0; i < DEPTH_COUNT; i++) {
		const struct depth_sum *s = &t->depths[i];
		enum depth_id id = (enum depth_id)i;
		bool has = s->units && s->den;
		if (!has && !all)
			continue;
		emit_key(j, depths[i].name);
		emit_open(j, '{');
		write_or_null(j, "value", has, has ? depth_value(id, s) : 0);
		write_or_null(j, "min", has, has ? depth_min(id, s) : 0);
		write_or_null(j, "max", has, has ? depth_max(id, s) : 0);
		emit_key(j, "coverage");
		emit_double(j, active ? measure_ratio(s->units, active) : 0);
		emit_key(j, "unit");
		emit_word(j, depths[i].unit == UNIT_PERCENT ? "ratio"
		                                            : waterfall_unit(depths[i].unit));
		if (!has) {
			emit_key(j, "why_null");
			emit_word(j, waterfall_why_no_depth(t, id));
		}
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

/* The depth that stands beside a layer: OFU beside effective. */
void waterfall_write_layer_depth(const struct tally *t, enum layer layer, struct emit *j)
{
	const struct depth_sum *s = &t->depths[DEPTH_of_ofu];
	emit_key(j, "depth");
	if (layer != LAYER_EFFECTIVE || !s->units) {
		emit_null(j);
		return;
	}
	emit_open(j, '{');
	emit_key(j, "value");
	emit_double(j, depth_value(DEPTH_of_ofu, s));
	emit_key(j, "kind");
	emit_word(j, "ofu");
	emit_close(j, '}');
}

/* A sum of these says something. */
bool waterfall_is_number(int id)
{
	return metrics[id].kind != METRIC_COUNTER && metrics[id].unit != UNIT_MASK &&
	       metrics[id].unit != UNIT_FLAG;
}

double waterfall_scale(int id)
{
	double scale = 1;
	for (unsigned i = 0; i < metrics[id].decimals; i++)
		scale *= 10;
	return scale;
}

bool waterfall_is_mentioned(const struct readings_of *r)
{
	uint64_t unknown = 0;
	for (int why = 0; why < WHY_COUNT; why++)
		unknown += r->unknown[why];
	return r->n || r->timed_ms || unknown;
}

static void write_reading(const struct ledger *l, int id, struct emit *j)
{
	const struct readings_of *r = &l->readings[id];
	double scale = waterfall_scale(id);
	emit_key(j, metrics[id].name);
	emit_open(j, '{');
	emit_key(j, "n");
	emit_int(j, r->n);
	write_or_null(j, "mean", r->n && waterfall_is_number(id),
	              measure_ratio(r->sum, r->n) / scale);
	write_or_null(j, "mean_by_time", r->timed_ms && waterfall_is_number(id),
	              measure_ratio(r->timed, r->timed_ms) / scale);
	emit_key(j, "coverage");
	emit_double(j, measure_ratio(r->timed_ms, l->readings_ms));
	write_or_null(j, "min", r->n, (double)r->min / scale);
	write_or_null(j, "max", r->n, (double)r->max / scale);
	emit_key(j, "unit");
	emit_word(j, waterfall_unit(metrics[id].unit));
	emit_key(j, "unknown");
	emit_open(j, '{');
	for (int why = WHY_KNOWN + 1; why < WHY_COUNT; why++) {
		if (!r->unknown[why])
			continue;
		emit_key(j, why_names[why]);
		emit_int(j, r->unknown[why]);
	}
	emit_close(j, '}');
	emit_close(j, '}');
}

void waterfall_write_readings(const struct ledger *l, struct emit *j)
{
	emit_key(j, "readings");
	emit_open(j, '{');
	for (int id = 0; l->readings && id < METRIC_COUNT; id++)
		if (waterfall_is_mentioned(&l->readings[id]))
			write_reading(l, id, j);
	emit_close(j, '}');
}
