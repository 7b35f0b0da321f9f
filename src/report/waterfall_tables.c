/* SPDX-License-Identifier: Apache-2.0 */
#include "report/waterfall_tables.h"

#include <stdlib.h>

#include "account/round.h"
#include "report/number.h"
#include "report/rows.h"

enum { LOSSES_SHOWN = 5, LOSSES_ON_PAGE = 10 };

#define INSTANT_MS 1000

/* Units that one of what is counted is. */
static i128 counted_unit(const struct ledger *l)
{
	int64_t ms = l->window.to_ms - l->window.from_ms;
	return ms > 0 && ms <= INSTANT_MS ? (i128)ms * GRID : UNITS_PER_HOUR;
}

const char *waterfall_hours(const struct ledger *l)
{
	return counted_unit(l) == UNITS_PER_HOUR ? "GPU-hours" : "GPUs";
}

unsigned waterfall_decimals(const struct ledger *l, i128 paid_units)
{
	i128 unit = counted_unit(l), hours = paid_units / unit;
	if (unit != UNITS_PER_HOUR)
		return hours < 1000;
	return hours >= 1000 ? 0 : hours >= 100 ? 1 : hours >= 10 ? 2 : 3;
}

i128 waterfall_hour_unit(const struct ledger *l, unsigned decimals)
{
	i128 unit = counted_unit(l);
	for (unsigned i = 0; i < decimals; i++)
		unit /= 10;
	return unit;
}

void waterfall_write_hours(struct text *t, const struct ledger *l, i128 units, unsigned decimals)
{
	number_write(t, round_half_up(units, waterfall_hour_unit(l, decimals)), decimals);
}

/* Columns of which one is money carry the currency's name as its head. */
const struct doc_column *waterfall_money_columns(struct doc *d, const struct report_input *in,
                                                 const struct doc_column *columns, size_t n)
{
	struct doc_column *out = ARENA_ARRAY(d->a, struct doc_column, n);
	struct str currency = names_word(&in->f->names, in->c->currency);
	for (size_t i = 0; i < n; i++) {
		out[i] = columns[i];
		if (currency.n && str_eq(str_of(columns[i].head), S("money")))
			out[i].head = str_z(d->a, currency);
		if (str_eq(str_of(columns[i].head), S("GPU-hours")))
			out[i].head = waterfall_hours(in->l);
	}
	return out;
}

struct loss {
	enum account a;
	i128 units;
};

static int loss_compare(const void *x, const void *y)
{
	const struct loss *p = x, *q = y;
	if (p->units != q->units)
		return p->units > q->units ? -1 : 1;
	return p->a < q->a ? -1 : 1;
}

/* One line is enough here; docs/reference/ledger.md has the rest. */
static struct str first_remedy(const char *shrinks)
{
	struct str s = str_of(shrinks);
	return str_sub(s, 0, str_find_byte(s, ';'));
}

struct loss_row {
	const char *name;
	int account;                       /* -1: several */
	i128 units, hours, minor, largest; /* largest: of all rows, to compare by */
};

static void add_loss(struct rows *r, const struct report_input *in, const struct waterfall *x,
                     bool in_full, const struct loss_row *l)
{
	const struct sums *s = &x->tally.sums;
	const struct account_info *info = l->account < 0 ? NULL : &accounts[l->account];
	auto_text t = TEXT_NULL;
	size_t c = 3;
	rows_add(r, 0, str_of(l->name))->account = (unsigned)(l->account + 1);
	number_write_percent(&t, measure_ratio(l->units, s->paid));
	struct doc_cell *cell = rows_add(r, 1, text_str(&t));
	cell->has_bar = true;
	if (info) /* a bar has its account's colour */
		cell->low = cell->high = measure_ratio(l->units, l->largest);
	t.n = 0;
	number_write(&t, l->hours, waterfall_decimals(in->l, s->paid));
	rows_add(r, 2, text_str(&t));
	if (in->c->has_price) {
		t.n = 0;
		if (info && !x->tally.accounts[l->account].priced)
			text_byte(&t, '-');
		else
			number_write(&t, l->minor, in->c->decimals);
		rows_add(r, c++, text_str(&t));
	}
	/* "scheduler admin" is "admin" here, so that most rows stay one line */
	rows_add(r, c++,
	         str_of(!info                        ? ""
	                : info->owner == OWNER_ADMIN ? "admin"
	                                             : owner_names[info->owner]));
	rows_add(r, c,
	         !info     ? STR_NULL
	         : in_full ? str_of(info->shrinks)
	                   : first_remedy(info->shrinks));
}

static bool is_loss(int a)
{
	return accounts[a].lost_at != LOST_AT_NOTHING && accounts[a].owner != OWNER_NOBODY;
}

static i128 largest_row(const struct sums *s)
{
	i128 largest = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (a != ACCOUNT_ACTIVE_PRODUCTIVE && s->accounts[a] > largest)
			largest = s->accounts[a];
	return largest;
}

/* The largest losses, what the rest of them is, then what nobody can call a loss yet. */
void waterfall_add_losses(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column plain[] = {
		{ "", DOC_LEFT, 0 },
		{ "share", DOC_RIGHT, 0 },
		{ "GPU-hours", DOC_RIGHT, 0 },
		{ "owner", DOC_LEFT, 0 },
		{ "what shrinks it", DOC_LEFT, 0 },
	};
	static const struct doc_column priced[] = {
		{ "", DOC_LEFT, 0 },           { "share", DOC_RIGHT, 0 },
		{ "GPU-hours", DOC_RIGHT, 0 }, { "money", DOC_RIGHT, 0 },
		{ "owner", DOC_LEFT, 0 },      { "what shrinks it", DOC_LEFT, 0 },
	};
	const struct sums *s = &x->tally.sums;
	auto_arena scratch = ARENA_NULL;
	struct rows *r = rows_new(d, in->c->has_price ? 6 : 5);
	struct loss losses[ACCOUNT_COUNT];
	i128 hours[ACCOUNT_COUNT],
	        unit = waterfall_hour_unit(in->l, waterfall_decimals(in->l, s->paid));
	size_t n = 0, rest = 0, most = d->draws ? LOSSES_ON_PAGE : LOSSES_SHOWN;
	bool in_full = in->explain || d->draws;
	i128 largest = largest_row(s);
	struct loss_row others = { .account = -1, .largest = largest };
	round_parts(&scratch, s->accounts, ACCOUNT_COUNT, unit, round_half_up(s->paid, unit),
	            hours);
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (is_loss(a) && s->accounts[a])
			losses[n++] = (struct loss){ (enum account)a, s->accounts[a] };
	if (n > 1)
		qsort(losses, n, sizeof *losses, loss_compare);
	if (d->draws && n == most + 1)
		most++; /* "1 more" takes as much room as the one */
	for (size_t i = 0; i < n; i++) {
		enum account a = losses[i].a;
		struct loss_row l = { accounts[a].name,    (int)a, losses[i].units, hours[a],
			              x->figures.costs[a], largest };
		if (i < most || in->explain) {
			add_loss(r, in, x, in_full, &l);
			continue;
		}
		rest++;
		others.units += l.units, others.hours += l.hours, others.minor += l.minor;
	}
	others.name = arena_printf(d->a, "%zu more", rest);
	if (rest)
		add_loss(r, in, x, in_full, &others);
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		struct loss_row l = { accounts[a].name,    a,      s->accounts[a], hours[a],
			              x->figures.costs[a], largest };
		if (!is_loss(a) && s->accounts[a] && a != ACCOUNT_ACTIVE_PRODUCTIVE)
			add_loss(r, in, x, in_full, &l);
	}
	rows_finish(r, d, "Where the rest went",
	            waterfall_money_columns(d, in, in->c->has_price ? priced : plain, r->columns));
}
