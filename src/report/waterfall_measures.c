/* SPDX-License-Identifier: Apache-2.0 */
/* The measures: a few on the first screen, with what of the time each covers; all with --explain.
 */
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

/* The rates are the shares of the layers. */
static const enum measure_id shown_measures[] = {
	MEASURE_execution_idle_share,
	MEASURE_waste,
	MEASURE_cost_per_productive_gpu_hour,
	MEASURE_cost_per_successful_gpu_hour,
	MEASURE_cost_per_completed_run,
	MEASURE_failed_work_cost,
	MEASURE_queue_time_p95,
	MEASURE_fleet_size_p95,
	MEASURE_cost_per_million_output_tokens,
};

static bool measure_is_known(const struct measure *m)
{
	return m->has_value || m->has_low || m->has_high;
}

/* "At least nothing" is not worth a line. */
static bool measure_says(const struct measure *m)
{
	return m->has_value || m->has_high || (m->has_low && m->low > 0);
}

static void add_measure(struct rows *r, const struct report_input *in, const struct measure *m,
                        int i)
{
	auto_text t = TEXT_NULL;
	rows_add(r, 0, str_of(measures[i].head));
	number_write_measure(&t, m, measures[i].unit, names_word(&in->f->names, in->c->currency),
	                     in->c->decimals);
	rows_add(r, 1, text_str(&t));
	t.n = 0;
	if (measure_is_known(m))
		number_write_percent(&t, m->coverage);
	rows_add(r, 2, text_str(&t));
}

static void set_shown(const struct report_input *in, bool *shown)
{
	for (int i = 0; in->explain && i < MEASURE_COUNT; i++)
		shown[i] = true;
	if (in->explain)
		return;
	for (size_t i = 0; i < sizeof shown_measures / sizeof *shown_measures; i++)
		shown[shown_measures[i]] = true;
	if (!in->f->services.n) /* nobody misses tokens where nothing serves */
		shown[MEASURE_cost_per_million_output_tokens] = false;
}

/* "A, B: why" for the measures shown that have no value at all. */
void waterfall_add_unknown_measures(const struct report_input *in, const struct waterfall *x,
                                    struct doc *d)
{
	const struct measure *m = x->measures;
	bool done[MEASURE_COUNT] = { 0 }, shown[MEASURE_COUNT] = { 0 };
	set_shown(in, shown);
	for (int i = 0; i < MEASURE_COUNT; i++) {
		if (!shown[i] || done[i] || measure_is_known(&m[i]))
			continue;
		auto_text t = TEXT_NULL;
		for (int k = i; k < MEASURE_COUNT; k++) {
			if (!shown[k] || measure_is_known(&m[k]) ||
			    !str_eq(str_of(m[k].why_null), str_of(m[i].why_null)))
				continue;
			done[k] = true;
			text_printf(&t, "%s%s", k > i ? "; " : "Not known: ", measures[k].head);
		}
		text_printf(&t, ": %s.", m[i].why_null);
		doc_add_str(d, DOC_NOTE, str_dup(d->a, text_str(&t)));
	}
}

/* What the measures of the table are, and why some are only bounds. */
static void add_formulas(const struct waterfall *x, const bool *shown, struct doc *d)
{
	static const struct doc_column columns[] = { { "", DOC_LEFT, 0 }, { "", DOC_LEFT, 0 } };
	struct rows *r = rows_new(d, 2);
	for (int i = 0; i < MEASURE_COUNT; i++) {
		const struct measure *m = &x->measures[i];
		if (!shown[i] || !measure_is_known(m))
			continue;
		rows_add(r, 0, str_of(measures[i].head));
		rows_printf(r, 1, "%s%s%s", measures[i].formula, m->has_value ? "" : "; ",
		            m->has_value ? "" : m->why_null);
	}
	rows_finish(r, d, "How they are computed", columns);
}

void waterfall_add_measures(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },
		{ "", DOC_RIGHT, 0 },
		{ "covers", DOC_RIGHT, 0 },
	};
	bool shown[MEASURE_COUNT] = { 0 };
	struct rows *r = rows_new(d, 3);
	set_shown(in, shown);
	for (int i = 0; i < MEASURE_COUNT; i++)
		if (shown[i] && measure_says(&x->measures[i]))
			add_measure(r, in, &x->measures[i], i);
	rows_finish(r, d, "Measures", columns);
	if (in->explain)
		add_formulas(x, shown, d);
}
