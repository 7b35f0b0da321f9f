/* SPDX-License-Identifier: Apache-2.0 */
/* What meters of whole machines read, beside the ledger: no account holds it. */
#include "account/node_power.h"
#include "account/round.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

#define MEAN_DECIMALS 10 /* where every digit is asked for */

/* Watts x 10^DECIMALS, the plain mean of readings. */
static i128 mean_of(const struct node_power_sum *s, unsigned decimals)
{
	i128 scaled = s->milliwatts;
	for (unsigned i = 0; i < decimals; i++)
		scaled *= 10;
	return round_half_up(scaled, (i128)1000 * (i128)s->readings);
}

void waterfall_add_node_power(const struct report_input *in, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 64 },
		{ "readings", DOC_RIGHT, 0 },
		{ "plain mean, W", DOC_RIGHT, 0 },
		{ "energy, MJ", DOC_RIGHT, 0 },
		{ "covers", DOC_RIGHT, 0 },
	};
	size_t n;
	unsigned decimals = in->explain ? MEAN_DECIMALS : 1;
	const struct node_power_sum *v = node_power_sums(d->a, in->f, in->l->window, &n);
	if (!n)
		return;
	struct rows *r = rows_new(d, 5);
	for (size_t i = 0; i < n; i++) {
		auto_text t = TEXT_NULL;
		rows_add(r, 0, names_word(&in->f->names, v[i].node));
		number_write(&t, (i128)v[i].readings, 0);
		rows_add(r, 1, text_str(&t));
		t.n = 0;
		if (v[i].readings)
			number_write(&t, mean_of(&v[i], decimals), decimals);
		rows_add(r, 2, v[i].readings ? text_str(&t) : S("-"));
		t.n = 0;
		number_write(&t, round_half_up(v[i].microjoules, 1000000000), 3);
		rows_add(r, 3, text_str(&t));
		t.n = 0;
		number_write_percent(&t, measure_ratio(v[i].covered_ms, v[i].window_ms));
		rows_add(r, 4, text_str(&t));
	}
	rows_finish(r, d, "Power of whole machines", columns);
	if (in->explain)
		doc_add(d, DOC_NOTE,
		        "Energy is power times the time since the reading before; the plain mean "
		        "counts every reading alike. Neither is any GPU's.");
}

void waterfall_write_node_power(const struct report_input *in, struct emit *j)
{
	auto_arena a = ARENA_NULL;
	size_t n;
	const struct node_power_sum *v = node_power_sums(&a, in->f, in->l->window, &n);
	if (!n)
		return;
	emit_key(j, "node_power");
	emit_open(j, '[');
	for (size_t i = 0; i < n; i++) {
		emit_open(j, '{');
		emit_key(j, "node");
		emit_str(j, names_word(&in->f->names, v[i].node));
		emit_key(j, "readings");
		emit_int(j, (i128)v[i].readings);
		emit_key(j, "mean_watts");
		if (v[i].readings)
			emit_fixed(j, mean_of(&v[i], MEAN_DECIMALS), MEAN_DECIMALS);
		else
			emit_null(j);
		emit_key(j, "joules");
		emit_fixed(j, round_half_up(v[i].microjoules, 1000), 3);
		emit_key(j, "coverage");
		emit_double(j, measure_ratio(v[i].covered_ms, v[i].window_ms));
		emit_close(j, '}');
	}
	emit_close(j, ']');
}
