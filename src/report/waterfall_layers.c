/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of the main report, and what stands beside them: as a table, or as a waterfall. */
#include <string.h>

#include "account/round.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

/* "36.0 to 45.2 %" */
static void write_share(struct text *t, double low, double high)
{
	size_t start = t->n;
	number_write_double(t, low * 100, 1);
	size_t n = t->n - start;
	if (low != high)
		text_add(t, S(" to "));
	else
		t->n = start;
	size_t second = t->n;
	number_write_percent(t, high);
	struct str s = text_str(t), a = str_sub(s, start, start + n);
	struct str b = str_sub(s, second, s.n - 2); /* without " %" */
	if (low != high && str_eq(a, b)) {
		memmove(t->p + start, t->p + second, t->n - second); /* "0.0 to 0.0 %" */
		t->n -= second - start;
	}
}

/* What a layer loses on the way down from the one above: the groups of accounts, largest first. */
static void write_lost(struct text *t, const struct sums *s, enum lost_at at)
{
	static const struct {
		const char *name, *head;
	} groups[] = {
		{ "down", "down." },
		{ "free", "free." },
		{ "setup", "setup" },
		{ "vacant", "vacant" },
		{ "stalled", "stalled." },
		{ "quiet", "quiet" },
		{ "overhead", "overhead." },
		{ "lost", "active.lost" },
		{ "cancelled", "active.cancelled" },
		{ "preempted", "active.preempted" },
		{ "timeout", "active.timeout" },
		{ "pending", "active.pending" },
		{ "unjudged", "active.unjudged" },
	};
	bool any = false;
	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
		i128 sum = 0;
		for (int a = 0; a < ACCOUNT_COUNT; a++)
			if ((accounts[a].lost_at == at ||
			     (at == LOST_AT_ALLOCATED &&
			      accounts[a].lost_at == LOST_AT_PROVISIONED)) &&
			    str_starts(str_of(accounts[a].name), str_of(groups[g].head)))
				sum += s->accounts[a];
		if (!sum)
			continue;
		text_printf(t, "%s%s ", any ? ", " : "less ", groups[g].name);
		number_write_percent(t, measure_ratio(sum, s->paid));
		any = true;
	}
}

struct layer_row {
	const char *name;
	int layer;                  /* -1: none, it stands apart */
	i128 low, high;             /* units */
	i128 low_hours, high_hours; /* as printed, from the accounts as printed */
	i128 low_cost, high_cost;   /* the same in minor units */
	enum lost_at lost;
};

/* Sums of the printed accounts, so that a reader who adds them up finds the printed layer. */
static i128 sum_printed(const i128 *by, enum layer layer, bool high)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (tally_layer_has(layer, (enum account)a, high))
			sum += by[a];
	return sum;
}

static i128 least(i128 a, i128 b)
{
	return a < b ? a : b;
}

/* What may be productive is no sum of accounts: rounded by itself, and never above effective. */
static void print_layer(const struct report_input *in, const struct waterfall *x, int i,
                        const i128 *hours, struct layer_row *l)
{
	const struct tally *t = &x->tally;
	bool sum = i != LAYER_PRODUCTIVE;
	enum layer high = sum ? (enum layer)i : LAYER_EFFECTIVE;
	i128 unit = waterfall_hour_unit(in->l, waterfall_decimals(in->l, t->sums.paid));
	l->low = t->sums.low[i];
	l->high = t->sums.high[i];
	l->low_hours = sum_printed(hours, (enum layer)i, false);
	l->high_hours = sum_printed(hours, high, true);
	l->low_cost = sum_printed(x->figures.costs, (enum layer)i, false);
	l->high_cost = sum_printed(x->figures.costs, high, true);
	if (sum)
		return;
	l->high_hours = least(l->high_hours, round_half_up(l->high, unit));
	l->high_cost = least(l->high_cost, figures_minor(in->c, t->high_num[i]));
	if (l->low == l->high)
		l->high_hours = l->low_hours, l->high_cost = l->low_cost;
}

static void write_range(struct text *t, i128 low, i128 high, unsigned decimals)
{
	if (low != high) {
		number_write(t, low, decimals);
		text_add(t, S(" to "));
	}
	number_write(t, high, decimals);
}

static struct str kept(struct doc *d, struct text *t)
{
	struct str s = str_dup(d->a, text_str(t));
	t->n = 0;
	return s;
}

/* A layer, or what stands beside the layers, in words. */
static struct chart_step step_of(struct doc *d, const struct report_input *in,
                                 const struct waterfall *x, const struct layer_row *l)
{
	const struct sums *s = &x->tally.sums;
	auto_text t = TEXT_NULL;
	struct chart_step step = { .name = str_of(l->name),
		                   .low = measure_ratio(l->low, s->paid),
		                   .high = measure_ratio(l->high, s->paid),
		                   .is_apart = l->layer < 0 };
	write_share(&t, step.low, step.high);
	step.share = kept(d, &t);
	write_range(&t, l->low_hours, l->high_hours, waterfall_decimals(in->l, s->paid));
	step.amount = kept(d, &t);
	if (in->c->has_price)
		write_range(&t, l->low_cost, l->high_cost, in->c->decimals);
	step.money = kept(d, &t);
	if (l->lost != LOST_AT_NOTHING)
		write_lost(&t, s, l->lost);
	step.lost = kept(d, &t);
	return step;
}

/* What its accounts' owners could win back: surely, and at most. */
static struct layer_row recoverable_row(const struct waterfall *x, const i128 *hours)
{
	const struct sums *s = &x->tally.sums;
	struct layer_row l = { .name = "recoverable",
		               .layer = -1,
		               .low = s->recoverable_low,
		               .high = s->recoverable_high,
		               .lost = LOST_AT_NOTHING };
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		bool low = accounts[a].recoverable == RECOVERABLE_YES;
		bool high = accounts[a].recoverable != RECOVERABLE_NO;
		l.low_hours += low ? hours[a] : 0;
		l.high_hours += high ? hours[a] : 0;
		l.low_cost += low ? x->figures.costs[a] : 0;
		l.high_cost += high ? x->figures.costs[a] : 0;
	}
	return l;
}

static struct layer_row successful_row(const struct report_input *in, const struct waterfall *x,
                                       i128 unit)
{
	const struct tally *t = &x->tally;
	i128 shown = round_half_up(t->sums.successful, unit);
	i128 cost = figures_minor(in->c, t->successful_num);
	return (struct layer_row){ .name = "successful",
		                   .layer = -1,
		                   .low = t->sums.successful,
		                   .high = t->sums.successful,
		                   .low_hours = shown,
		                   .high_hours = shown,
		                   .low_cost = cost,
		                   .high_cost = cost,
		                   .lost = LOST_AT_NOTHING };
}

/* The layers, then what stands beside them; returns how many. */
static size_t list_layers(const struct report_input *in, const struct waterfall *x,
                          struct layer_row *ret)
{
	static const enum lost_at lost[LAYER_COUNT] = { LOST_AT_NOTHING, LOST_AT_ALLOCATED,
		                                        LOST_AT_HARDWARE, LOST_AT_APPLICATION,
		                                        LOST_AT_PRODUCTIVE };
	auto_arena scratch = ARENA_NULL;
	const struct tally *t = &x->tally;
	bool only_allocated = t->sums.free_is_null || !in->l->has_capacity;
	i128 hours[ACCOUNT_COUNT],
	        unit = waterfall_hour_unit(in->l, waterfall_decimals(in->l, t->sums.paid));
	size_t n = 0;
	round_parts(&scratch, t->sums.accounts, ACCOUNT_COUNT, unit,
	            round_half_up(t->sums.paid, unit), hours);
	for (int i = only_allocated ? LAYER_ALLOCATED : LAYER_PROVISIONED; i < LAYER_COUNT; i++) {
		struct layer_row l = { .name = i == LAYER_PROVISIONED ? "paid" : layer_names[i],
			               .layer = i,
			               .lost = lost[i] };
		print_layer(in, x, i, hours, &l);
		/* "0 to everything" says nothing that productive's band does not say better */
		bool unseen = (i == LAYER_ACTIVE || i == LAYER_EFFECTIVE) && !l.low &&
		              l.high == t->sums.high[LAYER_ALLOCATED];
		if (!unseen)
			ret[n++] = l;
	}
	if (in->l->has_scheduler)
		ret[n++] = successful_row(in, x, unit);
	if (t->sums.recoverable_high)
		ret[n++] = recoverable_row(x, hours);
	return n;
}

/* The last column is money where there is a price, else what each layer loses. */
static void add_layer_table(const struct report_input *in, const struct chart_step *steps, size_t n,
                            struct doc *d)
{
	static const struct doc_column plain[] = {
		{ "", DOC_LEFT, 0 },           { "", DOC_BAR, 0 },  { "share", DOC_RIGHT, 0 },
		{ "GPU-hours", DOC_RIGHT, 0 }, { "", DOC_LEFT, 0 },
	};
	static const struct doc_column priced[] = {
		{ "", DOC_LEFT, 0 },           { "", DOC_BAR, 0 },        { "share", DOC_RIGHT, 0 },
		{ "GPU-hours", DOC_RIGHT, 0 }, { "money", DOC_RIGHT, 0 },
	};
	struct rows *r = rows_new(d, 5);
	for (size_t i = 0; i < n; i++) {
		rows_add(r, 0, steps[i].name);
		rows_add_bar(r, 1, steps[i].low, steps[i].high);
		rows_add(r, 2, steps[i].share);
		rows_add(r, 3, steps[i].amount);
		rows_add(r, 4, in->c->has_price ? steps[i].money : steps[i].lost);
	}
	rows_finish(r, d, "",
	            waterfall_money_columns(d, in, in->c->has_price ? priced : plain, r->columns));
}

void waterfall_add_layers(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	struct layer_row rows[LAYER_COUNT + 2];
	int layers[LAYER_COUNT + 2];
	size_t n = list_layers(in, x, rows);
	struct chart_step *steps = ARENA_ARRAY(d->a, struct chart_step, n);
	for (size_t i = 0; i < n; i++) {
		steps[i] = step_of(d, in, x, &rows[i]);
		layers[i] = rows[i].layer;
	}
	if (d->draws)
		waterfall_add_fall(in, x, steps, layers, n, d);
	else
		add_layer_table(in, steps, n, d);
}
