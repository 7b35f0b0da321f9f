/* SPDX-License-Identifier: Apache-2.0 */
/* The window before, of the same length: what it was, what is now, and where the difference went. A
   change of something that is only bounded is what its bounds allow. */
#include <stdlib.h>

#include "parse/when.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

enum { CHANGES_SHOWN = 6, SPAN_COLUMNS = 6 };

/* Shares of what was paid. */
struct pair {
	const char *name;
	double before[2], now[2]; /* low, high */
	i128 before_units[2], now_units[2];
};

static struct pair pair_of(const char *name, const struct waterfall *x, const i128 before[2],
                           const i128 now[2])
{
	struct pair p = { .name = name };
	for (int i = 0; i < 2; i++) {
		p.before_units[i] = before[i], p.now_units[i] = now[i];
		p.before[i] = measure_ratio(before[i], x->before->tally.sums.paid);
		p.now[i] = measure_ratio(now[i], x->tally.sums.paid);
	}
	return p;
}

static struct pair pair_of_layer(const struct waterfall *x, enum layer layer, const char *name)
{
	const struct sums *b = &x->before->tally.sums, *n = &x->tally.sums;
	const i128 before[2] = { b->low[layer], b->high[layer] };
	const i128 now[2] = { n->low[layer], n->high[layer] };
	return pair_of(name, x, before, now);
}

static struct pair pair_of_units(const struct waterfall *x, const char *name, i128 before, i128 now)
{
	const i128 b[2] = { before, before }, n[2] = { now, now };
	return pair_of(name, x, b, n);
}

static void write_signed(struct text *t, double points)
{
	auto_text z = TEXT_NULL;
	number_write_double(&z, points < 0 ? -points : points, 1);
	bool is_zero = str_eq(text_str(&z), S("0.0"));
	text_add(t, is_zero ? S("") : points < 0 ? S("-") : S("+"));
	text_add(t, text_str(&z));
}

/* Points between two shares; with bounds, from the least to the most that they allow. */
static void write_change(struct text *t, const struct pair *p)
{
	auto_text low = TEXT_NULL, high = TEXT_NULL;
	write_signed(&low, (p->now[0] - p->before[1]) * 100);
	write_signed(&high, (p->now[1] - p->before[0]) * 100);
	text_add(t, text_str(&low));
	if (!str_eq(text_str(&low), text_str(&high))) {
		text_add(t, S(" to "));
		text_add(t, text_str(&high));
	}
}

static void write_share_of(struct text *t, const double share[2])
{
	auto_text low = TEXT_NULL, high = TEXT_NULL;
	number_write_double(&low, share[0] * 100, 1);
	number_write_double(&high, share[1] * 100, 1);
	if (!str_eq(text_str(&low), text_str(&high))) {
		text_add(t, text_str(&low));
		text_add(t, S(" to "));
	}
	number_write_percent(t, share[1]);
}

static void write_amount(struct text *t, const struct ledger *l, const i128 units[2], i128 paid)
{
	unsigned decimals = waterfall_decimals(l, paid);
	if (units[0] != units[1]) {
		waterfall_write_hours(t, l, units[0], decimals);
		text_add(t, S(" to "));
	}
	waterfall_write_hours(t, l, units[1], decimals);
}

static void add_row(struct rows *r, const struct report_input *in, const struct waterfall *x,
                    const struct pair *p)
{
	auto_text t = TEXT_NULL;
	rows_add(r, 0, str_of(p->name));
	write_amount(&t, in->before->l, p->before_units, x->before->tally.sums.paid);
	rows_add(r, 1, text_str(&t)), t.n = 0;
	write_share_of(&t, p->before);
	rows_add(r, 2, text_str(&t)), t.n = 0;
	write_amount(&t, in->l, p->now_units, x->tally.sums.paid);
	rows_add(r, 3, text_str(&t)), t.n = 0;
	write_share_of(&t, p->now);
	rows_add(r, 4, text_str(&t)), t.n = 0;
	if (p->before[0] < 1 || p->now[0] < 1) /* of all that was paid it is all */
		write_change(&t, p);
	rows_add(r, 5, text_str(&t));
}

/* The larger change first; of equal ones in the order of the table. */
static int change_order(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	double p = x->now[0] - x->before[0], q = y->now[0] - y->before[0];
	p = p < 0 ? -p : p, q = q < 0 ? -q : q;
	return p != q ? (p > q ? -1 : 1) : (x->name > y->name) - (x->name < y->name);
}

/* The accounts in which either window has time; RET has room for all. */
static size_t account_pairs(const struct waterfall *x, struct pair ret[ACCOUNT_COUNT])
{
	const struct sums *b = &x->before->tally.sums, *n = &x->tally.sums;
	size_t count = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		bool null = figures_account_is_null(b, (enum account)a) ||
		            figures_account_is_null(n, (enum account)a);
		bool is_layer = a == (int)ACCOUNT_ACTIVE_PRODUCTIVE; /* has its row */
		if (!null && !is_layer && (b->accounts[a] || n->accounts[a]))
			ret[count++] =
			        pair_of_units(x, accounts[a].name, b->accounts[a], n->accounts[a]);
	}
	qsort(ret, count, sizeof *ret, change_order);
	return count;
}

static struct str window_name(struct doc *d, const struct report_input *in)
{
	auto_text t = TEXT_NULL;
	waterfall_write_time(&t, in, in->before->l->window.from_ms);
	text_add(&t, S(" to "));
	waterfall_write_time(&t, in, in->before->l->window.to_ms);
	return str_dup(d->a, text_str(&t));
}

void waterfall_add_against(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[SPAN_COLUMNS] = {
		{ "", DOC_LEFT, 0 },       { "before, GPU-hours", DOC_RIGHT, 0 },
		{ "share", DOC_RIGHT, 0 }, { "now, GPU-hours", DOC_RIGHT, 0 },
		{ "share", DOC_RIGHT, 0 }, { "points", DOC_RIGHT, 0 },
	};
	struct pair pairs[ACCOUNT_COUNT], p;
	if (!in->before)
		return;
	struct str window = window_name(d, in);
	if (!x->before->tally.sums.paid) {
		doc_add(d, DOC_NOTE, "The window before, %.*s: no input speaks of it.",
		        STR_FMT(window));
		return;
	}
	struct rows *r = rows_new(d, SPAN_COLUMNS);
	p = pair_of_units(x, "paid", x->before->tally.sums.paid, x->tally.sums.paid);
	add_row(r, in, x, &p);
	p = pair_of_layer(x, LAYER_ALLOCATED, "allocated");
	add_row(r, in, x, &p);
	p = pair_of_layer(x, LAYER_PRODUCTIVE, "productive");
	add_row(r, in, x, &p);
	p = pair_of_units(x, "successful", x->before->tally.sums.successful,
	                  x->tally.sums.successful);
	add_row(r, in, x, &p);
	size_t n = account_pairs(x, pairs);
	for (size_t i = 0; i < n && (in->explain || i < CHANGES_SHOWN); i++)
		add_row(r, in, x, &pairs[i]);
	rows_finish(r, d, arena_printf(d->a, "Against the window before, %.*s", STR_FMT(window)),
	            columns);
}

void waterfall_measure_change(const struct measure *before, const struct measure *now,
                              double ret[2])
{
	double b[2] = { before->has_value ? before->value : before->low,
		        before->has_value ? before->value : before->high };
	double n[2] = { now->has_value ? now->value : now->low,
		        now->has_value ? now->value : now->high };
	ret[0] = n[0] - b[1], ret[1] = n[1] - b[0];
}

bool waterfall_measure_has_change(const struct measure *before, const struct measure *now)
{
	return (before->has_value || (before->has_low && before->has_high)) &&
	       (now->has_value || (now->has_low && now->has_high));
}

static void write_range(struct emit *j, const char *key, double low, double high)
{
	emit_key(j, key);
	emit_open(j, '{');
	emit_key(j, "low");
	emit_double(j, low);
	emit_key(j, "high");
	emit_double(j, high);
	emit_close(j, '}');
}

void waterfall_write_changes(const struct waterfall *x, struct emit *j)
{
	const struct sums *b = &x->before->tally.sums, *n = &x->tally.sums;
	emit_key(j, "changes");
	emit_open(j, '{');
	emit_key(j, "accounts");
	emit_open(j, '{');
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		emit_key(j, accounts[a].name);
		if (figures_account_is_null(b, (enum account)a) ||
		    figures_account_is_null(n, (enum account)a))
			emit_null(j);
		else
			emit_double(j, measure_ratio(n->accounts[a], n->paid) -
			                       measure_ratio(b->accounts[a], b->paid));
	}
	emit_close(j, '}');
	emit_key(j, "layers");
	emit_open(j, '{');
	for (int i = 0; i < LAYER_COUNT; i++) {
		struct pair p = pair_of_layer(x, (enum layer)i, layer_names[i]);
		write_range(j, p.name, p.now[0] - p.before[1], p.now[1] - p.before[0]);
	}
	emit_close(j, '}');
	emit_key(j, "measures");
	emit_open(j, '{');
	for (int i = 0; i < MEASURE_COUNT; i++) {
		double change[2];
		if (!waterfall_measure_has_change(&x->before->measures[i], &x->measures[i]))
			continue;
		waterfall_measure_change(&x->before->measures[i], &x->measures[i], change);
		write_range(j, measures[i].name, change[0], change[1]);
	}
	emit_close(j, '}');
	emit_close(j, '}');
}
