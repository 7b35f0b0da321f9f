/* SPDX-License-Identifier: Apache-2.0 */
/* The report as one table, a row for each number that has a name: docs/reference/csv.md. */
#include "account/round.h"
#include "report/sheet.h"
#include "report/waterfall_tables.h"

/* 10^-6 GPU-hours. */
#define HOUR_DECIMALS 6
#define UNITS_PER_MICROHOUR (UNITS_PER_HOUR / 1000000)

enum column {
#define COLUMN(id, name, help) COLUMN_##id,
#include "report/report_columns.def"
#undef COLUMN
	COLUMN_KEYS
};

static const char *const names[COLUMN_KEYS] = {
#define COLUMN(id, name, help) name,
#include "report/report_columns.def"
#undef COLUMN
};

/* A table of accounts: all, or a group's. */
struct part {
	const struct tally *t;
	const struct figures *g;
	i128 hours, account_hours[ACCOUNT_COUNT]; /* 10^-6 GPU-hours */
	const struct groups *groups;
	const struct group *group; /* NULL: all */
};

struct writer {
	struct sheet s;
	const struct report_input *in;
	struct arena *a;
	i128 paid;                      /* of the whole report, in units */
	const struct waterfall *before; /* NULL: not asked for, or nothing is known of it */
};

static void begin_named(struct writer *w, const char *section, struct str name)
{
	sheet_go(&w->s, COLUMN_SECTION);
	sheet_name(&w->s, section);
	sheet_go(&w->s, COLUMN_NAME);
	sheet_word(&w->s, name);
	sheet_go(&w->s, COLUMN_FROM);
	sheet_time(&w->s, w->in->l->window.from_ms);
	sheet_go(&w->s, COLUMN_TO);
	sheet_time(&w->s, w->in->l->window.to_ms);
}

static void begin_row(struct writer *w, const char *section, const char *name)
{
	begin_named(w, section, str_of(name));
}

static void end_row(struct writer *w, const struct part *p)
{
	const struct group *x = p ? p->group : NULL;
	for (size_t k = 0; x && k < w->in->by->n; k++) {
		sheet_go(&w->s, COLUMN_KEYS + k);
		sheet_word(&w->s, names_word(&p->groups->names, x->keys[k]));
	}
	sheet_end_row(&w->s);
}

static void put_fixed(struct writer *w, enum column c, i128 v, unsigned decimals)
{
	sheet_go(&w->s, c);
	sheet_fixed(&w->s, v, decimals);
}

static void put_double(struct writer *w, enum column c, bool has, double v)
{
	if (!has)
		return;
	sheet_go(&w->s, c);
	sheet_double(&w->s, v);
}

static void put_name(struct writer *w, enum column c, const char *z)
{
	sheet_go(&w->s, c);
	sheet_name(&w->s, z);
}

/* Thousandths of GPU-seconds. */
static void put_change_ms(struct writer *w, i128 before, i128 now)
{
	put_fixed(w, COLUMN_BEFORE, before, 3);
	put_fixed(w, COLUMN_CHANGE, now - before, 3);
	put_double(w, COLUMN_RATIO, before != 0, measure_ratio(now, before));
}

static void put_change(struct writer *w, const struct measure *before, const struct measure *now,
                       enum measure_unit unit)
{
	if (!before->has_value || !now->has_value)
		return;
	put_double(w, COLUMN_BEFORE, true, before->value);
	put_double(w, COLUMN_CHANGE, true,
	           (now->value - before->value) * (unit == MEASURE_RATIO ? 100 : 1));
	put_double(w, COLUMN_RATIO, before->value != 0, now->value / before->value);
}

static void put_currency(struct writer *w)
{
	sheet_go(&w->s, COLUMN_CURRENCY);
	sheet_word(&w->s, names_word(&w->in->f->names, w->in->c->currency));
}

/* Time, energy and money of one row. METERED: units whose energy is known. */
static void put_figures(struct writer *w, i128 ms, i128 hours, i128 units, i128 metered,
                        i128 joules_milli, bool cost_known, i128 cost)
{
	put_fixed(w, COLUMN_GPU_SECONDS, ms, 3);
	put_fixed(w, COLUMN_GPU_HOURS, hours, HOUR_DECIMALS);
	put_double(w, COLUMN_SHARE, w->paid != 0, measure_ratio(units, w->paid));
	if (metered)
		put_fixed(w, COLUMN_JOULES, joules_milli, 3);
	if (!w->in->c->has_price)
		return;
	if (cost_known)
		put_fixed(w, COLUMN_COST, cost, w->in->c->decimals);
	put_currency(w);
}

static void write_paid(struct writer *w, const struct part *p)
{
	const struct figures *g = p->g;
	i128 metered = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		metered += p->t->sums.metered[a];
	begin_row(w, p->group ? "group" : "paid", "paid");
	put_figures(w, g->paid_ms, p->hours, p->t->sums.paid, metered, g->millijoules,
	            g->cost_known, g->cost);
	if (w->in->c->has_price && !g->cost_known) {
		put_double(w, COLUMN_COVERAGE, true,
		           measure_ratio(p->t->total.priced, p->t->total.units));
		put_name(w, COLUMN_WHY_NULL, "not all of this time has a price");
	}
	if (w->before && !p->group)
		put_change_ms(w, w->before->figures.paid_ms, g->paid_ms);
	end_row(w, p);
}

static void put_change_account(struct writer *w, const struct part *p, enum account a)
{
	const struct waterfall *b = w->before;
	if (b && !p->group && !figures_account_is_null(&p->t->sums, a) &&
	    !figures_account_is_null(&b->tally.sums, a))
		put_change_ms(w, b->figures.accounts_ms[a], p->g->accounts_ms[a]);
}

static void write_accounts(struct writer *w, const struct part *p)
{
	const struct sums *s = &p->t->sums;
	const struct figures *g = p->g;
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		if (p->group && !s->accounts[a])
			continue;
		begin_row(w, p->group ? "group_account" : "account", accounts[a].name);
		if (figures_account_is_null(s, (enum account)a))
			put_name(w, COLUMN_WHY_NULL, waterfall_no_capacity);
		else
			put_figures(w, g->accounts_ms[a], p->account_hours[a], s->accounts[a],
			            s->metered[a], g->joules_milli[a], g->costs_known[a],
			            g->costs[a]);
		put_change_account(w, p, (enum account)a);
		end_row(w, p);
	}
}

static void round_hours(struct writer *w, i128 hours, struct part *p)
{
	p->hours = hours;
	round_parts(w->a, p->t->sums.accounts, ACCOUNT_COUNT, UNITS_PER_MICROHOUR, hours,
	            p->account_hours);
}

/* Sums of the printed accounts, as their GPU-seconds are. */
static i128 layer_hours(const struct part *p, int layer, bool high)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (tally_layer_has((enum layer)layer, (enum account)a, high))
			sum += p->account_hours[a];
	return sum;
}

static void write_layers(struct writer *w, const struct part *p)
{
	const struct sums *s = &p->t->sums;
	for (int i = 0; i < LAYER_COUNT; i++) {
		bool known = s->low[i] == s->high[i];
		begin_row(w, "layer", layer_names[i]);
		if (known) {
			put_fixed(w, COLUMN_GPU_SECONDS, p->g->low_ms[i], 3);
			put_fixed(w, COLUMN_GPU_HOURS, layer_hours(p, i, false), HOUR_DECIMALS);
			put_double(w, COLUMN_SHARE, w->paid != 0,
			           measure_ratio(s->low[i], w->paid));
		}
		put_fixed(w, COLUMN_LOW, p->g->low_ms[i], 3);
		put_fixed(w, COLUMN_HIGH, p->g->high_ms[i], 3);
		put_name(w, COLUMN_UNIT, "gpu_s");
		if (!known)
			put_name(w, COLUMN_WHY_NULL, "part of the time was not observed");
		const struct sums *b = w->before ? &w->before->tally.sums : NULL;
		if (b && known && b->low[i] == b->high[i])
			put_change_ms(w, w->before->figures.low_ms[i], p->g->low_ms[i]);
		end_row(w, NULL);
	}
}

/* BEFORE_MS: -1, or what it was. */
static void write_amount(struct writer *w, const char *section, const char *name, i128 units,
                         i128 ms, i128 before_ms)
{
	begin_row(w, section, name);
	put_fixed(w, COLUMN_GPU_SECONDS, ms, 3);
	put_fixed(w, COLUMN_GPU_HOURS, round_half_up(units, UNITS_PER_MICROHOUR), HOUR_DECIMALS);
	put_double(w, COLUMN_SHARE, w->paid != 0, measure_ratio(units, w->paid));
	if (before_ms >= 0)
		put_change_ms(w, before_ms, ms);
	end_row(w, NULL);
}

static void write_marks(struct writer *w, const struct part *p)
{
	const struct sums *s = &p->t->sums;
	const struct figures *g = p->g;
	const struct waterfall *b = w->before;
	write_amount(w, "mark", "successful", s->successful, g->successful_ms,
	             b ? b->figures.successful_ms : -1);
	begin_row(w, "mark", "recoverable");
	put_fixed(w, COLUMN_LOW, g->recoverable_low_ms, 3);
	put_fixed(w, COLUMN_HIGH, g->recoverable_high_ms, 3);
	put_name(w, COLUMN_UNIT, "gpu_s");
	end_row(w, NULL);
	for (int i = 0; i < MARK_COUNT; i++)
		write_amount(w, "mark", mark_names[i], s->marks[i], figures_ms(s->marks[i]),
		             b ? figures_ms(b->tally.sums.marks[i]) : -1);
}

static void write_money(struct writer *w, const char *name, i128 minor)
{
	begin_row(w, "money", name);
	put_fixed(w, COLUMN_COST, minor, w->in->c->decimals);
	put_currency(w);
	end_row(w, NULL);
}

static void write_outcomes(struct writer *w, const struct part *p)
{
	size_t n, count[OUTCOME_COUNT] = { 0 };
	const struct sums *s = &p->t->sums;
	const uint32_t *jobs = tally_jobs(w->a, p->t, w->in->l, &n);
	i128 all = 0;
	for (size_t i = 0; i < n; i++)
		count[w->in->l->outcome_of[jobs[i]]]++;
	for (int i = 0; i < OUTCOME_COUNT; i++)
		all += s->outcome[i];
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		begin_row(w, "outcome", outcomes[i].name);
		put_fixed(w, COLUMN_GPU_SECONDS, figures_ms(s->outcome[i]), 3);
		put_fixed(w, COLUMN_GPU_HOURS, round_half_up(s->outcome[i], UNITS_PER_MICROHOUR),
		          HOUR_DECIMALS);
		put_double(w, COLUMN_SHARE, all != 0, measure_ratio(s->outcome[i], all));
		put_fixed(w, COLUMN_VALUE, (i128)count[i], 0);
		put_name(w, COLUMN_UNIT, "jobs");
		end_row(w, NULL);
	}
}

static void write_measures(struct writer *w, const struct part *p, const struct measure *m)
{
	for (int i = 0; i < MEASURE_COUNT; i++) {
		if (p->group && !m[i].has_value && !m[i].has_low && !m[i].has_high)
			continue;
		begin_row(w, p->group ? "group_measure" : "measure", measures[i].name);
		if (measure_is_money(measures[i].unit))
			put_currency(w);
		put_double(w, COLUMN_VALUE, m[i].has_value, m[i].value);
		put_double(w, COLUMN_LOW, m[i].has_low, m[i].low);
		put_double(w, COLUMN_HIGH, m[i].has_high, m[i].high);
		sheet_go(&w->s, COLUMN_UNIT);
		sheet_word(&w->s, waterfall_measure_unit(w->a, w->in, measures[i].unit));
		put_double(w, COLUMN_COVERAGE, true, m[i].coverage);
		if (!m[i].has_value)
			put_name(w, COLUMN_WHY_NULL, m[i].why_null);
		if (w->before && !p->group)
			put_change(w, &w->before->measures[i], &m[i], measures[i].unit);
		end_row(w, p);
	}
}

static void write_group(struct writer *w, const struct groups *g,
                        const struct waterfall_parts *parts, size_t i, i128 hours)
{
	auto_arena a = ARENA_NULL;
	const struct report_input *in = w->in;
	struct arena *outer = w->a;
	struct tally t;
	struct figures fig;
	struct measure m[MEASURE_COUNT];
	const struct group *x = &g->v.v[i];
	w->a = &a;
	waterfall_build_group(&a, in, g, parts, i, &t, &fig, m);
	struct part p = { .t = &t, .g = &fig, .groups = g, .group = x };
	round_hours(w, hours, &p);
	write_paid(w, &p);
	write_accounts(w, &p);
	write_measures(w, &p, m);
	w->a = outer;
	report_flush(in, w->s.t);
}

static void write_groups(struct writer *w, const struct part *all)
{
	auto_groups g = { 0 };
	auto_arena a = ARENA_NULL;
	struct waterfall_parts parts;
	const struct report_input *in = w->in;
	if (!in->by->n)
		return;
	group_build(&a, in->by, in->l, in->f, in->c, &g);
	waterfall_round_groups(&a, in, &g, all->g, &parts);
	i128 *units = ARENA_ARRAY(&a, i128, g.v.n + 1), *hours = ARENA_ARRAY(&a, i128, g.v.n + 1);
	for (size_t i = 0; i < g.v.n; i++)
		units[i] = g.v.v[i].units;
	round_parts(&a, units, g.v.n, UNITS_PER_MICROHOUR, all->hours, hours);
	for (size_t i = 0; i < g.v.n; i++)
		write_group(w, &g, &parts, i, hours[i]);
}

/* How many records were read of each input, and how many could not be used. */
static void write_inputs(struct writer *w)
{
	const struct facts *f = w->in->f;
	for (size_t i = 0; i < f->inputs.n; i++)
		for (int rejected = 0; rejected < 2; rejected++) {
			const struct input_info *x = &f->inputs.v[i];
			begin_named(w, rejected ? "rejected" : "input",
			            names_word(&f->names, x->name));
			put_fixed(w, COLUMN_VALUE, rejected ? x->rejected : x->records, 0);
			put_name(w, COLUMN_UNIT, "records");
			end_row(w, NULL);
		}
}

static void write_heads(struct writer *w)
{
	for (size_t c = 0; c < COLUMN_KEYS; c++)
		put_name(w, (enum column)c, names[c]);
	for (size_t k = 0; k < w->in->by->n; k++) {
		sheet_go(&w->s, COLUMN_KEYS + k);
		sheet_word(&w->s, waterfall_key_name(w->a, w->in->by, k));
	}
	sheet_end_row(&w->s);
}

void waterfall_write_csv(const struct report_input *in, struct text *t)
{
	auto_arena a = ARENA_NULL;
	const struct cost *c = in->c;
	struct writer w = { .in = in, .a = &a };
	struct waterfall x;
	waterfall_build(&a, in, &x);
	struct part all = { .t = &x.tally, .g = &x.figures };
	w.paid = x.tally.sums.paid;
	w.before = x.before && x.before->tally.sums.paid ? x.before : NULL;
	sheet_begin(&w.s, t, COLUMN_KEYS + in->by->n);
	round_hours(&w, round_half_up(w.paid, UNITS_PER_MICROHOUR), &all);
	write_heads(&w);
	write_paid(&w, &all);
	write_accounts(&w, &all);
	write_layers(&w, &all);
	write_marks(&w, &all);
	if (c->has_price) {
		write_money(&w, "cost_of_priced", x.figures.cost);
		write_money(&w, "other_costs", figures_minor(c, c->other_num - c->unspread_num));
		write_money(&w, "credits", figures_minor(c, c->credit_num));
	}
	write_outcomes(&w, &all);
	write_measures(&w, &all, x.measures);
	write_groups(&w, &all);
	write_inputs(&w);
	waterfall_deinit(&x);
}
