/* SPDX-License-Identifier: Apache-2.0 */
/* The main report's charts: what each layer loses, by account; and all accounts in time. */
#include <math.h>

#include "account/round.h"
#include "account/span.h"
#include "report/number.h"
#include "report/waterfall_tables.h"

enum { MARKS_MAX = 5, DECIMALS_MAX = 6 };
#define LABEL_FROM_MAX 0.95 /* from here on a label would reach over the end of the axis */

/* Units that may have come as far as a layer, by account. */
struct reached {
	i128 units[LAYER_COUNT][ACCOUNT_COUNT];
};

/* As tally.c has it: what may be productive is known by cell. */
static void reached_count(const struct ledger *l, const struct sums *s, struct reached *ret)
{
	*ret = (struct reached){ 0 };
	for (int i = 0; i < LAYER_PRODUCTIVE; i++)
		for (int a = 0; a < ACCOUNT_COUNT; a++)
			if (tally_layer_has((enum layer)i, (enum account)a, true))
				ret->units[i][a] = s->accounts[a];
	for (size_t i = 0; i < l->cells.n; i++) {
		const struct cell *c = &l->cells.v[i];
		enum account a = account_of((enum state)c->state, (enum fate)c->fate);
		if (c->maybe_productive || a == ACCOUNT_UNKNOWN || a == ACCOUNT_ACTIVE_PRODUCTIVE)
			ret->units[LAYER_PRODUCTIVE][a] += c->units;
	}
}

/* "free" of "free.idle"; "lost" of "active.lost". */
static struct str short_name(enum account a)
{
	struct str s = str_of(accounts[a].name);
	if (states[accounts[a].state].group == GROUP_ACTIVE)
		return str_sub(s, str_find_byte(s, '.') + 1, s.n);
	return str_sub(s, 0, str_find_byte(s, '.'));
}

/* Parts that lie side by side and have one short name, with the colour of the largest. */
static void fill_lost_keys(struct doc *d, const i128 *units, const struct sums *s,
                           struct chart_step *step)
{
	struct chart_key *keys = ARENA_ARRAY(d->a, struct chart_key, step->parts_n);
	i128 sum = 0, largest = 0;
	for (size_t i = 0; i < step->parts_n; i++) {
		enum account a = step->parts[i].account;
		struct chart_key *key = step->keys_n ? &keys[step->keys_n - 1] : NULL;
		auto_text t = TEXT_NULL;
		if (!key || !str_eq(key->name, short_name(a))) {
			key = &keys[step->keys_n++];
			key->name = short_name(a);
			sum = largest = 0;
		}
		sum += units[a];
		if (units[a] > largest) {
			largest = units[a];
			key->account = a;
		}
		number_write_percent(&t, measure_ratio(sum, s->paid));
		key->share = str_dup(d->a, text_str(&t));
	}
	step->keys = keys;
}

/* What LAYER lost of the one ABOVE it, after what is left: the accounts in the order of their
   stack, so that colours lie as in the columns. */
static void fill_lost(struct doc *d, const struct report_input *in, const struct reached *r,
                      const struct sums *s, int above, int layer, struct chart_step *step)
{
	struct chart_part *parts = ARENA_ARRAY(d->a, struct chart_part, ACCOUNT_COUNT);
	unsigned decimals = waterfall_decimals(in->l, s->paid);
	i128 at = s->high[layer], lost[ACCOUNT_COUNT];
	size_t n = 0;
	for (int k = 0; k < ACCOUNT_COUNT; k++) {
		enum account a = (enum account)account_stack[k];
		i128 units = lost[a] = r->units[above][a] - r->units[layer][a];
		if (!units)
			continue;
		auto_text t = TEXT_NULL;
		waterfall_write_hours(&t, in->l, units, decimals);
		parts[n++] = (struct chart_part){ .from = measure_ratio(at, s->paid),
			                          .to = measure_ratio(at + units, s->paid),
			                          .account = a,
			                          .amount = str_dup(d->a, text_str(&t)) };
		at += units;
	}
	step->parts = parts;
	step->parts_n = n;
	fill_lost_keys(d, lost, s, step);
}

void waterfall_add_fall(const struct report_input *in, const struct waterfall *x,
                        struct chart_step *steps, const int *layers, size_t n, struct doc *d)
{
	struct reached *r = ARENA_NEW(d->a, struct reached);
	struct chart_fall *f = ARENA_NEW(d->a, struct chart_fall);
	struct str currency = names_word(&in->f->names, in->c->currency);
	reached_count(in->l, &x->tally.sums, r);
	for (size_t i = 1; i < n; i++)
		if (layers[i] >= 0)
			fill_lost(d, in, r, &x->tally.sums, layers[i - 1], layers[i], &steps[i]);
	*f = (struct chart_fall){ .amount_unit = waterfall_hours(in->l),
		                  .steps = steps,
		                  .steps_n = n };
	if (in->c->has_price)
		f->money_unit = currency.n ? str_z(d->a, currency) : "money";
	doc_add_fall(d, "From paid to productive", f);
}

/* Units by step of time and account. */
struct grid {
	size_t n;
	i128 (*units)[ACCOUNT_COUNT];
	i128 *totals;
};

static void grid_count(struct arena *a, const struct report_input *in, struct grid *g)
{
	const struct ledger *l = in->l;
	g->n = in->steps_n;
	g->units = arena_alloc(a, mem_times(sizeof *g->units, g->n));
	g->totals = ARENA_ARRAY(a, i128, g->n);
	uint32_t *step_of = ARENA_ARRAY(a, uint32_t, l->buckets.n + 1);
	for (size_t b = 0; b < l->buckets.n; b++)
		step_of[b] = span_after(in->steps, sizeof *in->steps, (uint32_t)g->n,
		                        l->buckets.v[b].from_ms);
	for (size_t i = 0; i < l->cells.n; i++) {
		const struct cell *c = &l->cells.v[i];
		uint32_t step = step_of[c->bucket];
		g->units[step][account_of((enum state)c->state, (enum fate)c->fate)] += c->units;
		g->totals[step] += c->units;
	}
}

/* GPUs that were paid for in a step, on average. */
static double gpus_of(const struct report_step *s, i128 units)
{
	return measure_ratio(units, (i128)(s->span.to_ms - s->span.from_ms) * GRID);
}

/* 1, 2 or 5 times a power of ten, so that at most MARKS_MAX of them are in MOST. */
static double mark_step(double most)
{
	double step = pow(10, floor(log10(most / MARKS_MAX)));
	return most / step <= MARKS_MAX         ? step
	       : most / (2 * step) <= MARKS_MAX ? 2 * step
	       : most / (5 * step) <= MARKS_MAX ? 5 * step
	                                        : 10 * step;
}

static void fill_marks(struct arena *a, double most, struct chart_stacks *s)
{
	double step = most >= 2 ? fmax(1, mark_step(most)) : mark_step(most);
	unsigned decimals = step < 1 ? (unsigned)fmin(6, ceil(-log10(step))) : 0;
	struct chart_mark *marks = ARENA_ARRAY(a, struct chart_mark, MARKS_MAX + 2);
	for (; s->marks_n < MARKS_MAX + 2 && (double)s->marks_n * step <= most * 1.0001;
	     s->marks_n++) {
		auto_text t = TEXT_NULL;
		double v = (double)s->marks_n * step;
		number_write_double(&t, v, decimals);
		marks[s->marks_n] =
		        (struct chart_mark){ fmin(v / most, 1), str_dup(a, text_str(&t)) };
	}
	s->marks = marks;
}

static struct str number(struct arena *a, i128 v, unsigned decimals)
{
	auto_text t = TEXT_NULL;
	number_write(&t, v, decimals);
	return str_dup(a, text_str(&t));
}

/* One column, whose printed parts add up to its printed TOTAL. */
static void fill_column(struct arena *a, const struct report_input *in, const struct grid *g,
                        size_t i, double most, i128 total, unsigned decimals,
                        struct chart_column *c)
{
	auto_arena scratch = ARENA_NULL;
	const struct report_step *step = &in->steps[i];
	struct span w = in->l->window;
	struct chart_part *parts = ARENA_ARRAY(a, struct chart_part, ACCOUNT_COUNT);
	i128 hours[ACCOUNT_COUNT], below = 0;
	double length = (double)(w.to_ms - w.from_ms);
	round_parts(&scratch, g->units[i], ACCOUNT_COUNT, waterfall_hour_unit(in->l, decimals),
	            total, hours);
	double from = (double)(step->span.from_ms - w.from_ms) / length;
	*c = (struct chart_column){ .name = str_of(step->name),
		                    .label = from < LABEL_FROM_MAX ? str_of(step->label) : STR_NULL,
		                    .total = number(a, total, decimals),
		                    .from = from,
		                    .to = (double)(step->span.to_ms - w.from_ms) / length,
		                    .parts = parts };
	for (int k = 0; k < ACCOUNT_COUNT; k++) {
		enum account account = (enum account)account_stack[k];
		i128 units = g->units[i][account];
		if (!units)
			continue;
		parts[c->parts_n++] =
		        (struct chart_part){ .from = gpus_of(step, below) / most,
			                     .to = gpus_of(step, below + units) / most,
			                     .account = account,
			                     .amount = number(a, hours[account], decimals) };
		below += units;
	}
}

/* Of all columns together, with the hours as other tables round them. */
static void fill_keys(struct arena *a, const struct report_input *in, const struct sums *s,
                      struct chart_stacks *stacks)
{
	auto_arena scratch = ARENA_NULL;
	struct chart_key *keys = ARENA_ARRAY(a, struct chart_key, ACCOUNT_COUNT);
	unsigned decimals = waterfall_decimals(in->l, s->paid);
	i128 hours[ACCOUNT_COUNT], unit = waterfall_hour_unit(in->l, decimals),
	                           paid = round_half_up(s->paid, unit);
	round_parts(&scratch, s->accounts, ACCOUNT_COUNT, unit, paid, hours);
	for (int k = 0; k < ACCOUNT_COUNT; k++) {
		enum account account = (enum account)account_stack[k];
		auto_text t = TEXT_NULL;
		if (!s->accounts[account])
			continue;
		number_write_percent(&t, measure_ratio(s->accounts[account], s->paid));
		keys[stacks->keys_n++] =
		        (struct chart_key){ .account = account,
			                    .name = str_of(accounts[account].name),
			                    .amount = number(a, hours[account], decimals),
			                    .share = str_dup(a, text_str(&t)) };
	}
	stacks->keys = keys;
	stacks->total = number(a, paid, decimals);
}

/* Ten seconds of a GPU are 0.003 GPU-hours: four digits of the largest column, where it is short.
 */
static unsigned column_decimals(const struct ledger *l, i128 largest)
{
	unsigned decimals = waterfall_decimals(l, largest);
	while (decimals < DECIMALS_MAX && largest < waterfall_hour_unit(l, decimals) * 1000)
		decimals++;
	return decimals;
}

/* An instant has no course, and one column says nothing that the waterfall does not. */
void waterfall_add_stacks(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	auto_arena scratch = ARENA_NULL;
	struct grid g;
	double most = 0;
	i128 largest = 0;
	if (in->steps_n < 2)
		return;
	grid_count(&scratch, in, &g);
	for (size_t i = 0; i < g.n; i++) {
		most = fmax(most, gpus_of(&in->steps[i], g.totals[i]));
		largest = g.totals[i] > largest ? g.totals[i] : largest;
	}
	struct chart_stacks *s = ARENA_NEW(d->a, struct chart_stacks);
	struct chart_column *columns = ARENA_ARRAY(d->a, struct chart_column, g.n);
	unsigned decimals = column_decimals(in->l, largest);
	i128 unit = waterfall_hour_unit(in->l, decimals);
	i128 *totals = ARENA_ARRAY(&scratch, i128, g.n);
	round_parts(&scratch, g.totals, g.n, unit, round_half_up(x->tally.sums.paid, unit), totals);
	for (size_t i = 0; i < g.n; i++)
		fill_column(d->a, in, &g, i, most, totals[i], decimals, &columns[i]);
	*s = (struct chart_stacks){ .height_unit = S("GPUs, on average"),
		                    .unit = waterfall_hours(in->l),
		                    .column_unit = in->step_unit,
		                    .columns = columns,
		                    .columns_n = g.n };
	fill_marks(d->a, most, s);
	fill_keys(d->a, in, &x->tally.sums, s);
	doc_add_stacks(d, arena_printf(d->a, "Every account, by %s", in->step_unit), s);
}
