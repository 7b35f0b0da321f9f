/* SPDX-License-Identifier: Apache-2.0 */
/* tidy: long, because one JSON document stands in one place */
/* The report's JSON: design.md 8, docs/reference/schema/report.json. Keys stay, new ones may come.
 */
#include "account/demand.h"
#include "account/measures.h"
#include "account/round.h"
#include "report/emit.h"
#include "report/figures.h"
#include "report/waterfall_tables.h"

struct writer {
	struct emit j;
	const struct report_input *in;
	struct arena *a;
};

const char waterfall_no_capacity[] =
        "no input says which GPUs are paid for: give scontrol show node or kubectl get nodes";

static struct str currency_of(const struct report_input *in)
{
	return names_word(&in->f->names, in->c->currency);
}

static void write_window(const struct report_input *in, struct emit *j)
{
	emit_key(j, "window");
	emit_open(j, '{');
	emit_key(j, "from");
	emit_time(j, in->l->window.from_ms);
	emit_key(j, "to");
	emit_time(j, in->l->window.to_ms);
	emit_close(j, '}');
}

static void write_seconds(struct emit *j, const char *key, i128 ms)
{
	emit_key(j, key);
	emit_fixed(j, ms, 3);
}

static void write_units(struct emit *j, const char *key, i128 units)
{
	write_seconds(j, key, figures_ms(units));
}

void waterfall_write_cost(const struct report_input *in, struct emit *j, const char *key,
                          bool known, i128 minor)
{
	emit_key(j, key);
	if (known && in->c->has_price)
		emit_fixed(j, minor, in->c->decimals);
	else
		emit_null(j);
}

static void write_paid(struct writer *w, const struct tally *t, const struct figures *g)
{
	struct emit *j = &w->j;
	const struct cost *c = w->in->c;
	emit_key(j, "paid");
	emit_open(j, '{');
	write_seconds(j, "gpu_seconds", g->paid_ms);
	waterfall_write_joules(t, g, j);
	waterfall_write_cost(w->in, j, "cost", g->cost_known, g->cost);
	emit_key(j, "currency");
	if (c->has_price && c->currency)
		emit_str(j, currency_of(w->in));
	else
		emit_null(j);
	emit_key(j, "cost_coverage");
	emit_double(j, measure_ratio(t->total.priced, t->total.units));
	waterfall_write_cost(w->in, j, "cost_of_priced", true, g->cost);
	waterfall_write_cost(w->in, j, "other_costs", true,
	                     figures_minor(c, c->other_num - c->unspread_num));
	waterfall_write_cost(w->in, j, "credits", true, figures_minor(c, c->credit_num));
	emit_close(j, '}');
}

static void write_accounts(struct writer *w, const struct tally *t, const struct figures *g)
{
	struct emit *j = &w->j;
	emit_key(j, "accounts");
	emit_open(j, '{');
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		emit_key(j, accounts[a].name);
		emit_open(j, '{');
		if (figures_account_is_null(&t->sums, (enum account)a)) {
			emit_key(j, "gpu_seconds");
			emit_null(j);
			waterfall_write_energy(j, 0, 0, 1);
			waterfall_write_cost(w->in, j, "cost", false, 0);
			emit_key(j, "why_null");
			emit_word(j, waterfall_no_capacity);
		} else {
			write_seconds(j, "gpu_seconds", g->accounts_ms[a]);
			waterfall_write_energy(j, g->joules_milli[a], t->sums.metered[a],
			                       t->sums.accounts[a]);
			waterfall_write_cost(w->in, j, "cost", g->costs_known[a], g->costs[a]);
		}
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

static void write_matrix(struct writer *w, const struct figures *g)
{
	struct emit *j = &w->j;
	emit_key(j, "matrix");
	emit_open(j, '{');
	for (int s = 0; s < STATE_COUNT; s++) {
		bool has_fate = states[s].group != GROUP_DOWN && states[s].group != GROUP_FREE &&
		                states[s].group != GROUP_UNKNOWN;
		emit_key(j, states[s].name);
		emit_open(j, '{');
		for (int f = 0; f < FATE_COUNT; f++) {
			if (!g->matrix_ms[s][f] && (has_fate || f != FATE_NONE))
				continue;
			write_seconds(j, fates[f].name, g->matrix_ms[s][f]);
		}
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

static void write_marks(struct writer *w, const struct sums *s, const struct figures *g)
{
	struct emit *j = &w->j;
	emit_key(j, "successful");
	emit_open(j, '{');
	write_seconds(j, "gpu_seconds", g->successful_ms);
	emit_close(j, '}');
	emit_key(j, "recoverable");
	emit_open(j, '{');
	write_seconds(j, "low", g->recoverable_low_ms);
	write_seconds(j, "high", g->recoverable_high_ms);
	emit_close(j, '}');
	emit_key(j, "marks");
	emit_open(j, '{');
	for (int i = 0; i < MARK_COUNT; i++) {
		emit_key(j, mark_names[i]);
		emit_open(j, '{');
		write_units(j, "gpu_seconds", s->marks[i]);
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

static void write_unmet(struct writer *w)
{
	struct emit *j = &w->j;
	emit_key(j, "unmet");
	emit_open(j, '{');
	for (size_t i = 0; i < w->in->l->unmets.n; i++) {
		const struct unmet *u = &w->in->l->unmets.v[i];
		if (u->model)
			emit_key_str(j, names_word(&w->in->f->names, u->model));
		else
			emit_key(j, "any");
		emit_open(j, '{');
		write_units(j, "gpu_seconds", u->units);
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

static void write_layers(struct writer *w, const struct tally *t, const struct figures *g)
{
	const struct sums *s = &t->sums;
	struct emit *j = &w->j;
	emit_key(j, "layers");
	emit_open(j, '[');
	for (int i = 0; i < LAYER_COUNT; i++) {
		bool known = s->low[i] == s->high[i];
		emit_open(j, '{');
		emit_key(j, "layer");
		emit_word(j, layer_names[i]);
		emit_key(j, "gpu_seconds");
		if (known)
			emit_fixed(j, g->low_ms[i], 3);
		else
			emit_null(j);
		write_seconds(j, "low", g->low_ms[i]);
		write_seconds(j, "high", g->high_ms[i]);
		emit_key(j, "share");
		if (known && s->paid)
			emit_double(j, measure_ratio(s->low[i], s->paid));
		else
			emit_null(j);
		waterfall_write_layer_depth(t, (enum layer)i, j);
		emit_close(j, '}');
	}
	emit_close(j, ']');
}

static void write_bound(struct emit *j, const char *key, bool has, double v)
{
	emit_key(j, key);
	if (has)
		emit_double(j, v);
	else
		emit_null(j);
}

struct str waterfall_measure_unit(struct arena *a, const struct report_input *in,
                                  enum measure_unit unit)
{
	struct str word = str_of(measure_units[unit]), currency = currency_of(in);
	size_t at = str_find(word, S("money"));
	if (at == word.n || !currency.n)
		return word;
	return str_of(
	        arena_printf(a, "%.*s%.*s%s", (int)at, word.p, STR_FMT(currency), word.p + at + 5));
}

static void write_measures(struct writer *w, const struct measure *m, bool all)
{
	struct emit *j = &w->j;
	emit_key(j, "measures");
	emit_open(j, '{');
	for (int i = 0; i < MEASURE_COUNT; i++) {
		if (!all && !m[i].has_value && !m[i].has_low && !m[i].has_high)
			continue;
		emit_key(j, measures[i].name);
		emit_open(j, '{');
		write_bound(j, "value", m[i].has_value, m[i].value);
		write_bound(j, "low", m[i].has_low, m[i].low);
		write_bound(j, "high", m[i].has_high, m[i].high);
		emit_key(j, "coverage");
		emit_double(j, m[i].coverage);
		emit_key(j, "unit");
		emit_str(j, waterfall_measure_unit(w->a, w->in, measures[i].unit));
		if (!m[i].has_value) {
			emit_key(j, "why_null");
			emit_word(j, m[i].why_null);
		}
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

static void write_outcomes(struct writer *w, const struct tally *t)
{
	struct emit *j = &w->j;
	size_t n, count[OUTCOME_COUNT] = { 0 };
	const uint32_t *jobs = tally_jobs(w->a, t, w->in->l, &n);
	for (size_t i = 0; i < n; i++)
		count[w->in->l->outcome_of[jobs[i]]]++;
	emit_key(j, "outcomes");
	emit_open(j, '{');
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		emit_key(j, outcomes[i].name);
		emit_open(j, '{');
		emit_key(j, "jobs");
		emit_int(j, (i128)count[i]);
		write_units(j, "gpu_seconds", t->sums.outcome[i]);
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

/* Parts of paid time, so they add up to it. */
static void write_evidence(struct writer *w, const struct tally *t, const struct figures *g)
{
	struct emit *j = &w->j;
	i128 by[EVIDENCE_COUNT] = { 0 }, ms[EVIDENCE_COUNT];
	for (size_t i = 0; i < t->cells_n; i++) {
		const struct cell *c = tally_cell(t, w->in->l, i);
		by[c->evidence] += c->units;
	}
	round_parts(w->a, by, EVIDENCE_COUNT, UNITS_PER_MS, g->paid_ms, ms);
	emit_key(j, "evidence");
	emit_open(j, '{');
	for (int i = 0; i < EVIDENCE_COUNT; i++)
		write_seconds(j, waterfall_evidence_names[i], ms[i]);
	write_units(j, "estimated", t->sums.estimated);
	emit_close(j, '}');
}

static void write_demand(struct writer *w, struct demand_events *e)
{
	const struct report_input *in = w->in;
	struct emit *j = &w->j;
	size_t models_n;
	const sym *models = demand_models(e, &models_n);
	emit_key(j, "demand");
	emit_open(j, '[');
	for (size_t m = 0; m < models_n; m++)
		for (size_t d = 0; d < in->days_n; d++) {
			struct demand x;
			demand_of(e, models[m], in->days[d].span, &x);
			if (x.max <= 0)
				continue;
			emit_open(j, '{');
			emit_key(j, "model");
			if (models[m])
				emit_str(j, names_word(&in->f->names, models[m]));
			else
				emit_null(j);
			emit_key(j, "day");
			emit_word(j, in->days[d].name);
			write_bound(j, "p50", true, x.p50);
			write_bound(j, "p95", true, x.p95);
			write_bound(j, "max", true, x.max);
			emit_close(j, '}');
		}
	emit_close(j, ']');
}

static void write_group(struct writer *w, const struct groups *g,
                        const struct waterfall_parts *parts, size_t i)
{
	auto_arena a = ARENA_NULL;
	const struct report_input *in = w->in;
	const struct group *x = &g->v.v[i];
	struct emit *j = &w->j;
	struct tally t;
	struct figures fig;
	struct measure m[MEASURE_COUNT];
	waterfall_build_group(&a, in, g, parts, i, &t, &fig, m);
	emit_open(j, '{');
	emit_key(j, "key");
	emit_open(j, '{');
	for (size_t k = 0; k < in->by->n; k++) {
		emit_key_str(j, waterfall_key_name(&a, in->by, k));
		if (x->keys[k])
			emit_str(j, names_word(&g->names, x->keys[k]));
		else
			emit_null(j);
	}
	emit_close(j, '}');
	write_paid(w, &t, &fig);
	write_accounts(w, &t, &fig);
	emit_key(j, "successful");
	emit_open(j, '{');
	write_seconds(j, "gpu_seconds", fig.successful_ms);
	emit_close(j, '}');
	write_measures(w, m, false);
	waterfall_write_depth(&t, false, j);
	emit_close(j, '}');
}

static void write_groups(struct writer *w, const struct figures *total)
{
	auto_groups g = { 0 };
	auto_arena a = ARENA_NULL;
	const struct report_input *in = w->in;
	emit_key(&w->j, "groups");
	emit_open(&w->j, '[');
	if (in->by->n) {
		struct waterfall_parts parts;
		group_build(&a, in->by, in->l, in->f, in->c, &g);
		waterfall_round_groups(&a, in, &g, total, &parts);
		for (size_t i = 0; i < g.v.n; i++) {
			write_group(w, &g, &parts, i);
			report_flush(in, w->j.t);
		}
	}
	emit_close(&w->j, ']');
}

void waterfall_write_inputs(const struct report_input *in, struct emit *j)
{
	const struct facts *f = in->f;
	emit_key(j, "inputs");
	emit_open(j, '[');
	for (size_t i = 0; i < f->inputs.n; i++) {
		const struct input_info *x = &f->inputs.v[i];
		emit_open(j, '{');
		emit_key(j, "name");
		emit_str(j, names_word(&f->names, x->name));
		emit_key(j, "as");
		emit_str(j, names_word(&f->names, x->format));
		emit_key(j, "records");
		emit_int(j, x->records);
		emit_key(j, "rejected");
		emit_int(j, x->rejected);
		emit_key(j, "partial");
		emit_bool(j, x->partial);
		emit_close(j, '}');
	}
	emit_close(j, ']');
	emit_key(j, "rejects");
	emit_open(j, '[');
	for (size_t i = 0; i < f->rejects.n; i++) {
		const struct reject *r = &f->rejects.v[i];
		emit_open(j, '{');
		emit_key(j, "input");
		emit_str(j, names_word(&f->names, r->input));
		emit_key(j, "line");
		if (r->line)
			emit_int(j, r->line);
		else
			emit_null(j);
		emit_key(j, "reason");
		emit_str(j, names_word(&f->names, r->reason));
		emit_close(j, '}');
	}
	emit_close(j, ']');
}

/* What GPUs in MIG mode read of themselves; no account has it (K.1). */
static void write_mig(struct writer *w)
{
	const struct ledger *l = w->in->l;
	emit_key(&w->j, "mig");
	emit_open(&w->j, '{');
	emit_key(&w->j, "joules");
	if (l->mig_ms)
		emit_fixed(&w->j, l->mig_millijoules, 3);
	else
		emit_null(&w->j);
	emit_key(&w->j, "gpu_seconds_covered");
	emit_fixed(&w->j, l->mig_ms, 3);
	emit_close(&w->j, '}');
}

/* The window before, in the words of this one. */
static void write_against(struct writer *w, const struct waterfall *x)
{
	const struct report_input *in = w->in;
	const struct waterfall *b = x->before;
	struct emit *j = &w->j;
	if (!b)
		return;
	emit_key(j, "against");
	emit_open(j, '{');
	w->in = in->before;
	write_window(w->in, j);
	write_paid(w, &b->tally, &b->figures);
	if (b->tally.sums.paid) {
		write_accounts(w, &b->tally, &b->figures);
		write_marks(w, &b->tally.sums, &b->figures);
		write_layers(w, &b->tally, &b->figures);
		write_measures(w, b->measures, true);
		waterfall_write_changes(x, j);
	} else {
		emit_key(j, "why_null");
		emit_word(j, "no input speaks of this time");
	}
	w->in = in;
	emit_close(j, '}');
}

static void write_notes(struct writer *w, const struct waterfall *x)
{
	emit_key(&w->j, "notes");
	emit_open(&w->j, '[');
	for (size_t i = 0; i < x->notes.n; i++)
		emit_str(&w->j, x->notes.v[i].text);
	emit_close(&w->j, ']');
}

void waterfall_write_head(const struct report_input *in, struct emit *j)
{
	emit_key(j, "tare");
	emit_word(j, in->version);
	write_window(in, j);
	emit_key(j, "as_of");
	emit_time(j, in->l->as_of_ms);
}

void waterfall_write_json(const struct report_input *in, struct text *t)
{
	auto_arena a = ARENA_NULL;
	struct writer w = { .in = in, .a = &a };
	struct waterfall x;
	waterfall_build(&a, in, &x);
	emit_begin(&w.j, t, 2);
	emit_open(&w.j, '{');
	waterfall_write_head(in, &w.j);
	write_paid(&w, &x.tally, &x.figures);
	write_accounts(&w, &x.tally, &x.figures);
	write_matrix(&w, &x.figures);
	write_marks(&w, &x.tally.sums, &x.figures);
	write_unmet(&w);
	write_layers(&w, &x.tally, &x.figures);
	waterfall_write_depth(&x.tally, true, &w.j);
	write_measures(&w, x.measures, true);
	write_outcomes(&w, &x.tally);
	write_evidence(&w, &x.tally, &x.figures);
	write_demand(&w, x.demand);
	waterfall_write_placement(in, &w.j);
	write_against(&w, &x);
	write_groups(&w, &x.figures);
	waterfall_write_readings(in->l, &w.j);
	write_mig(&w);
	waterfall_write_node_power(in, &w.j);
	waterfall_write_census(in, &w.j);
	waterfall_write_inputs(in, &w.j);
	write_notes(&w, &x);
	emit_close(&w.j, '}');
	waterfall_deinit(&x);
}
