/* SPDX-License-Identifier: Apache-2.0 */
/* Energy, the depth of active time, and the statistics of all readings, for people. */
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

#define BOTH_MS_MIN 60000 /* counter and power readings are compared over at least so long */
#define COUNTER_OFF_MAX 0.1
/* When GPU-Util and deeper signals tell different things of active time: our choice. */
#define BUSY_MIN 0.5      /* below, GPU-Util itself says that there was little to do */
#define COVERAGE_MIN 0.75 /* of each signal, so that they speak of the same time */

static i128 metered_units(const struct tally *t)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		sum += t->sums.metered[a];
	return sum;
}

static i128 integrated_units(const struct tally *t)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		sum += t->sums.integrated[a];
	return sum;
}

static void write_joules(struct text *t, double joules)
{
	static const struct {
		double j;
		const char *name;
	} units[] = { { 1e12, "TJ" }, { 1e9, "GJ" }, { 1e6, "MJ" }, { 1e3, "kJ" } };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (joules >= units[i].j) {
			number_write_double(t, joules / units[i].j, 3);
			text_printf(t, " %s", units[i].name);
			return;
		}
	number_write_double(t, joules, 0);
	text_add(t, S(" J"));
}

static void write_energy(const struct waterfall *x, struct text *t)
{
	const struct tally *y = &x->tally;
	i128 metered = metered_units(y);
	if (!metered)
		return;
	text_add(t, S("Energy "));
	write_joules(t, measure_ratio(x->figures.millijoules, 1000));
	if (integrated_units(y))
		text_add(t, integrated_units(y) == metered ? S(" by power readings")
		                                           : S(" in part by power readings"));
	text_add(t, S(" over "));
	number_write_percent(t, measure_ratio(metered, y->sums.paid));
	text_add(t, S(" of the time."));
}

static void write_depth_value(struct text *t, enum depth_id id, double v)
{
	if (depths[id].unit == UNIT_PERCENT) {
		number_write_percent(t, v);
		return;
	}
	number_write_double(t, v, v < 10 ? 2 : 0);
	text_printf(t, " %s", waterfall_unit(depths[id].unit));
}

static void write_depth(const struct waterfall *x, struct text *t)
{
	static const enum depth_id shown[] = { DEPTH_of_gpu_util, DEPTH_of_sm,   DEPTH_of_tensor,
		                               DEPTH_of_ofu,      DEPTH_of_dram, DEPTH_of_mem_used,
		                               DEPTH_of_power };
	bool any = false;
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		const struct depth_sum *s = &x->tally.depths[shown[i]];
		if (!s->units || !s->den)
			continue;
		text_add(t, any ? S(", ") : t->n ? S(" Active: ") : S("Active: "));
		text_printf(t, "%s ", depths[shown[i]].head);
		write_depth_value(t, shown[i], depth_value(shown[i], s));
		if (depths[shown[i]].kind == DEPTH_SHARE)
			text_printf(t, " of %s", shown[i] == DEPTH_of_power ? "limit" : "all");
		any = true;
	}
	if (any)
		text_byte(t, '.');
}

void waterfall_add_depth_line(const struct waterfall *x, struct doc *d)
{
	auto_text t = TEXT_NULL;
	write_energy(x, &t);
	write_depth(x, &t);
	if (t.n)
		doc_add_str(d, DOC_TEXT, str_dup(d->a, text_str(&t)));
}

static void add_energy(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },
		{ "energy", DOC_RIGHT, 0 },
		{ "mean power", DOC_RIGHT, 0 },
		{ "share", DOC_RIGHT, 0 },
		{ "covers", DOC_RIGHT, 0 },
		{ "by power readings", DOC_RIGHT, 0 },
	};
	const struct sums *s = &x->tally.sums;
	struct rows *r = rows_new(d, sizeof columns / sizeof *columns);
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		auto_text t = TEXT_NULL;
		if (!s->metered[a])
			continue;
		rows_add(r, 0, str_of(accounts[a].name));
		write_joules(&t, measure_ratio(x->figures.joules_milli[a], 1000));
		rows_add(r, 1, text_str(&t));
		t.n = 0;
		number_write_double(&t, measure_ratio(s->energy[a], s->metered[a]), 1);
		text_add(&t, S(" W"));
		rows_add(r, 2, text_str(&t));
		t.n = 0;
		number_write_percent(
		        &t, measure_ratio(x->figures.joules_milli[a], x->figures.millijoules));
		rows_add(r, 3, text_str(&t));
		t.n = 0;
		number_write_percent(&t, measure_ratio(s->metered[a], s->accounts[a]));
		rows_add(r, 4, text_str(&t));
		t.n = 0;
		number_write_percent(&t, measure_ratio(s->integrated[a], s->metered[a]));
		rows_add(r, 5, text_str(&t));
	}
	if (r->cells.n)
		rows_finish(r, d, "Energy", columns);
	if (in->l->mig_ms)
		doc_add(d, DOC_NOTE,
		        "GPUs in MIG mode drew %.0f J beside that; no instance can be told its "
		        "part.",
		        (double)in->l->mig_millijoules / 1000);
}

/* What nothing was read of, in one sentence for each reason. */
static void add_unknown_depths(const struct waterfall *x, struct doc *d)
{
	bool done[DEPTH_COUNT] = { 0 };
	for (int i = 0; i < DEPTH_COUNT; i++) {
		auto_text t = TEXT_NULL;
		if (done[i] || x->tally.depths[i].units)
			continue;
		const char *why = waterfall_why_no_depth(&x->tally, (enum depth_id)i);
		for (int k = i; k < DEPTH_COUNT; k++) {
			if (x->tally.depths[k].units ||
			    waterfall_why_no_depth(&x->tally, (enum depth_id)k) != why)
				continue;
			done[k] = true;
			text_printf(&t, "%s%s", k > i ? ", " : "Not known: ", depths[k].head);
		}
		text_printf(&t, ": %s.", why);
		doc_add_str(d, DOC_NOTE, str_dup(d->a, text_str(&t)));
	}
}

static void add_depths(const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },        { "mean by time", DOC_RIGHT, 0 },
		{ "least", DOC_RIGHT, 0 },  { "most", DOC_RIGHT, 0 },
		{ "covers", DOC_RIGHT, 0 }, { "what it is", DOC_LEFT, 0 },
	};
	i128 active = waterfall_active(&x->tally);
	struct rows *r = rows_new(d, sizeof columns / sizeof *columns);
	for (int i = 0; i < DEPTH_COUNT; i++) {
		const struct depth_sum *s = &x->tally.depths[i];
		enum depth_id id = (enum depth_id)i;
		auto_text t = TEXT_NULL;
		if (!s->units || !s->den)
			continue;
		double v[] = { depth_value(id, s), depth_min(id, s), depth_max(id, s) };
		rows_add(r, 0, str_of(depths[i].head));
		for (size_t k = 0; k < 3; k++) {
			t.n = 0;
			write_depth_value(&t, id, v[k]);
			rows_add(r, 1 + k, text_str(&t));
		}
		t.n = 0;
		number_write_percent(&t, measure_ratio(s->units, active));
		rows_add(r, 4, text_str(&t));
		rows_add(r, 5, str_of(depths[i].help));
	}
	rows_finish(r, d, "Depth of active time", columns);
	add_unknown_depths(x, d);
}

static void add_reading(struct rows *r, const struct ledger *l, int id)
{
	const struct readings_of *x = &l->readings[id];
	double scale = waterfall_scale(id);
	auto_text t = TEXT_NULL;
	rows_printf(r, 0, "%s, %s", metrics[id].name, waterfall_unit(metrics[id].unit));
	number_write(&t, x->n, 0);
	rows_add(r, 1, text_str(&t));
	double means[] = { measure_ratio(x->sum, x->n), measure_ratio(x->timed, x->timed_ms),
		           (double)x->min, (double)x->max };
	bool has[] = { x->n && waterfall_is_number(id), x->timed_ms && waterfall_is_number(id),
		       x->n, x->n };
	for (size_t k = 0; k < 4; k++) {
		t.n = 0;
		if (has[k])
			number_write_double(&t, means[k] / scale, k < 2 ? 3 : 1);
		else
			text_byte(&t, '-');
		rows_add(r, 2 + k, text_str(&t));
	}
	t.n = 0;
	number_write_percent(&t, measure_ratio(x->timed_ms, l->readings_ms));
	rows_add(r, 6, text_str(&t));
	t.n = 0;
	for (int why = WHY_KNOWN + 1; why < WHY_COUNT; why++) {
		if (!x->unknown[why])
			continue;
		text_printf(&t, "%s%s ", t.n ? ", " : "", why_names[why]);
		number_write(&t, x->unknown[why], 0);
	}
	rows_add(r, 7, text_str(&t));
}

static void add_readings(const struct ledger *l, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },        { "readings", DOC_RIGHT, 0 },
		{ "mean", DOC_RIGHT, 0 },   { "mean by time", DOC_RIGHT, 0 },
		{ "least", DOC_RIGHT, 0 },  { "most", DOC_RIGHT, 0 },
		{ "covers", DOC_RIGHT, 0 }, { "not known", DOC_LEFT, 0 },
	};
	struct rows *r = rows_new(d, sizeof columns / sizeof *columns);
	for (int id = 0; l->readings && id < METRIC_COUNT; id++)
		if (waterfall_is_mentioned(&l->readings[id]))
			add_reading(r, l, id);
	if (r->cells.n)
		rows_finish(r, d, "Readings", columns);
}

void waterfall_add_depth(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	add_energy(in, x, d);
	if (in->l->depths.n)
		add_depths(x, d);
	add_readings(in->l, d);
}

/* Value of a depth; false: not known of most of the active time. */
static bool depth_of(const struct waterfall *x, enum depth_id id, double *ret)
{
	const struct depth_sum *s = &x->tally.depths[id];
	bool has = s->units && s->den &&
	           measure_ratio(s->units, waterfall_active(&x->tally)) >= COVERAGE_MIN;
	*ret = has ? depth_value(id, s) : 0;
	return has;
}

/* GPU-Util says that a kernel ran, deeper signals how much of the chip worked. They tell different
   things where the SMs come to less than half of it, or tensor pipe and memory to less than a
   quarter. */
bool waterfall_depth_differs(const struct waterfall *x, struct text *t)
{
	static const struct {
		enum depth_id id;
		const char *words;
	} deeper[] = { { DEPTH_of_sm, "SMs active" },
		       { DEPTH_of_occupancy, "their warps" },
		       { DEPTH_of_tensor, "tensor pipe" },
		       { DEPTH_of_dram, "memory bandwidth" },
		       { DEPTH_of_power, "power, of its limit," } };
	double busy, sm, tensor, dram;
	if (!depth_of(x, DEPTH_of_gpu_util, &busy) || busy < BUSY_MIN)
		return false;
	bool low = depth_of(x, DEPTH_of_sm, &sm) && 2 * sm < busy;
	bool has_tensor = depth_of(x, DEPTH_of_tensor, &tensor);
	bool has_dram = depth_of(x, DEPTH_of_dram, &dram);
	low |= (has_tensor || has_dram) && 4 * tensor < busy && 4 * dram < busy;
	if (!low)
		return false;
	text_add(t, S("In active time GPU-Util says busy "));
	number_write_percent(t, busy);
	for (size_t i = 0; i < sizeof deeper / sizeof *deeper; i++) {
		double v;
		if (!depth_of(x, deeper[i].id, &v))
			continue;
		text_printf(t, ", %s ", deeper[i].words);
		number_write_percent(t, v);
	}
	text_add(t,
	         S(". GPU-Util counts the time in which any kernel ran, not how much of the chip "
	           "it used."));
	return true;
}

bool waterfall_energy_differs(const struct ledger *l, struct text *t)
{
	double off = measure_ratio(l->both_power, l->both_counter) - 1;
	if (l->both_ms < BOTH_MS_MIN || !l->both_counter ||
	    (off <= COUNTER_OFF_MAX && off >= -COUNTER_OFF_MAX))
		return false;
	text_printf(t, "Over the same time the power readings add up to ");
	number_write_percent(t, off < 0 ? -off : off);
	text_add(t, off < 0 ? S(" less") : S(" more"));
	text_add(t, S(" than the energy counters say; the counters count."));
	return true;
}
