/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed on request: groups, the matrix, every account with its exact units. */
#include <stdlib.h>

#include "account/round.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

enum { INPUTS_ON_PAGE_MAX = 50 };

/* Groups, largest first, one tally at a time. */
struct group_rows {
	const struct report_input *in;
	struct groups g;
	const uint32_t *order; /* indexes of groups */
	const i128 *costs;     /* minor units; NULL without a price */
	i128 paid, largest;    /* largest: of the groups that have a name */
	size_t at, shown;
	bool rest_done;
};

static int group_order_compare(const void *x, const void *y, void *arg)
{
	const struct groups *g = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	if (g->v.v[a].units != g->v.v[b].units)
		return g->v.v[a].units > g->v.v[b].units ? -1 : 1;
	return a < b ? -1 : a > b; /* natural order of the keys */
}

static struct str number_str(struct arena *a, struct text *t)
{
	struct str s = str_dup(a, text_str(t));
	t->n = 0;
	return s;
}

/* Without readings every loss is unobserved: then how the attempts ended says most. */
static const char *largest_loss(const struct sums *s)
{
	int best = -1, worst = -1;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (accounts[a].lost_at != LOST_AT_NOTHING && accounts[a].owner != OWNER_NOBODY &&
		    s->accounts[a] && (best < 0 || s->accounts[a] > s->accounts[best]))
			best = a;
	for (int i = OUTCOME_FAILED; i <= OUTCOME_PREEMPTED; i++)
		if (s->outcome[i] && (worst < 0 || s->outcome[i] > s->outcome[worst]))
			worst = i;
	return best >= 0 ? accounts[best].name : worst >= 0 ? outcomes[worst].name : "";
}

static void write_figures(const struct group_rows *r, struct arena *a, const struct tally *t,
                          i128 minor, struct doc_cell *cells)
{
	auto_text z = TEXT_NULL;
	const struct sums *s = &t->sums;
	waterfall_write_hours(&z, r->in->l, s->paid, waterfall_decimals(r->in->l, r->paid));
	cells[0].text = number_str(a, &z);
	number_write_percent(&z, measure_ratio(s->paid, r->paid));
	cells[1].text = number_str(a, &z);
	cells[1].low = cells[1].high = measure_ratio(s->paid, r->largest); /* to compare by */
	cells[1].has_bar = cells[2].has_bar = true;
	double low = measure_ratio(s->low[LAYER_PRODUCTIVE], s->paid);
	double high = measure_ratio(s->high[LAYER_PRODUCTIVE], s->paid);
	cells[2].low = low;
	cells[2].high = high;
	if (low != high) {
		number_write_double(&z, low * 100, 1);
		text_add(&z, S(" to "));
	}
	number_write_percent(&z, high);
	cells[2].text = number_str(a, &z);
	number_write_percent(&z, measure_ratio(s->successful, s->paid));
	cells[3].text = r->in->l->has_scheduler ? number_str(a, &z) : S("-");
	cells[4].text = str_of(largest_loss(s));
	if (r->costs) {
		z.n = 0;
		if (t->total.priced)
			number_write(&z, minor, r->in->c->decimals);
		else
			text_byte(&z, '-');
		cells[5].text = cells[4].text;
		cells[4].text = number_str(a, &z);
	}
}

/* The groups that are not shown, as one. */
static bool rest_row(struct group_rows *r, struct arena *a, struct doc_cell *cells)
{
	auto_arena scratch = ARENA_NULL;
	struct tally t;
	size_t n = 0, groups = r->g.v.n - r->shown;
	i128 minor = 0;
	if (r->rest_done || !groups)
		return false;
	r->rest_done = true;
	for (size_t i = r->shown; i < r->g.v.n; i++)
		n += r->g.v.v[r->order[i]].cells_n;
	uint32_t *rest = ARENA_ARRAY(&scratch, uint32_t, n + 1);
	n = 0;
	for (size_t i = r->shown; i < r->g.v.n; i++) {
		const struct group *x = &r->g.v.v[r->order[i]];
		for (size_t k = 0; k < x->cells_n; k++)
			rest[n++] = r->g.cells[x->cells_at + k];
		minor += r->costs ? r->costs[r->order[i]] : 0;
	}
	tally_build(r->in->l, r->in->f, r->in->c, rest, n, &t);
	cells[0].text = str_of(arena_printf(a, "the other %zu", groups));
	write_figures(r, a, &t, minor, cells + r->in->by->n);
	return true;
}

static bool group_next(void *state, struct arena *a, struct doc_cell *cells)
{
	struct group_rows *r = state;
	struct tally t;
	if (r->at == r->shown)
		return rest_row(r, a, cells);
	uint32_t i = r->order[r->at++];
	const struct group *x = &r->g.v.v[i];
	tally_build(r->in->l, r->in->f, r->in->c, r->g.cells + x->cells_at, x->cells_n, &t);
	for (size_t k = 0; k < r->in->by->n; k++)
		cells[k].text =
		        x->keys[k] ? str_dup(a, names_word(&r->g.names, x->keys[k])) : S("(none)");
	write_figures(r, a, &t, r->costs ? r->costs[i] : 0, cells + r->in->by->n);
	return true;
}

static const struct doc_column *group_columns(struct arena *a, const struct report_input *in,
                                              size_t *ret_n)
{
	struct doc_column *c = ARENA_ARRAY(a, struct doc_column, DOC_COLUMNS_MAX);
	size_t n = 0;
	for (size_t k = 0; k < in->by->n; k++)
		c[n++] = (struct doc_column){ waterfall_key_name(a, in->by, k).p, DOC_LEFT, 28 };
	c[n++] = (struct doc_column){ "GPU-hours", DOC_RIGHT, 0 };
	c[n++] = (struct doc_column){ "share", DOC_RIGHT, 0 };
	c[n++] = (struct doc_column){ "productive", DOC_RIGHT, 0 };
	c[n++] = (struct doc_column){ "successful", DOC_RIGHT, 0 };
	if (in->c->has_price)
		c[n++] = (struct doc_column){ "money", DOC_RIGHT, 0 };
	c[n++] = (struct doc_column){ "largest loss", DOC_LEFT, 0 };
	*ret_n = n;
	return c;
}

static void copy_groups(struct arena *a, struct groups *from, struct groups *to)
{
	/* The document outlives this call and frees nothing but its arena. */
	struct group *v = ARENA_ARRAY(a, struct group, from->v.n + 1);
	for (size_t i = 0; i < from->v.n; i++)
		v[i] = from->v.v[i];
	struct str *words = ARENA_ARRAY(a, struct str, from->names.words.n + 1);
	for (size_t i = 0; i < from->names.words.n; i++)
		words[i] = from->names.words.v[i];
	arena_adopt(a, &from->names.text);
	*to = *from;
	to->v.v = v;
	to->names = NAMES_NULL;
	to->names.words.v = words;
	to->names.words.n = from->names.words.n;
	groups_deinit(from);
}

/* The largest group that has a name: what the others are compared by. */
static i128 largest_named(const struct groups *g, size_t keys_n)
{
	i128 largest = 0;
	for (size_t i = 0; i < g->v.n; i++) {
		const struct group *x = &g->v.v[i];
		bool is_named = false;
		for (size_t k = 0; k < keys_n; k++)
			is_named |= x->keys[k] != 0;
		if (is_named && x->units > largest)
			largest = x->units;
	}
	return largest;
}

void waterfall_add_groups(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	struct group_rows *r = ARENA_NEW(d->a, struct group_rows);
	struct groups g;
	size_t columns_n;
	group_build(d->a, in->by, in->l, in->f, in->c, &g);
	copy_groups(d->a, &g, &r->g);
	r->in = in;
	r->paid = x->tally.sums.paid;
	struct waterfall_parts parts;
	waterfall_round_groups(d->a, in, &r->g, &x->figures, &parts);
	r->costs = parts.costs;
	uint32_t *order = ARENA_ARRAY(d->a, uint32_t, r->g.v.n + 1);
	for (size_t i = 0; i < r->g.v.n; i++)
		order[i] = (uint32_t)i;
	bool in_time = in->by->keys[0] == GROUP_DAY || in->by->keys[0] == GROUP_HOUR;
	r->largest = largest_named(&r->g, in->by->n);
	r->largest = r->largest ? r->largest : r->paid;
	if (r->g.v.n > 1 && !in_time)
		qsort_r(order, r->g.v.n, sizeof *order, group_order_compare, &r->g);
	r->order = order;
	r->shown = in->top && r->g.v.n > in->top + 1 ? in->top : r->g.v.n;
	const struct doc_column *columns = group_columns(d->a, in, &columns_n);
	doc_add_table(d, "By group", waterfall_money_columns(d, in, columns, columns_n), columns_n,
	              group_next, r);
}

struct ending {
	int outcome;
	i128 units;
	size_t jobs;
};

static int ending_compare(const void *x, const void *y)
{
	const struct ending *a = x, *b = y;
	if (a->units != b->units)
		return a->units > b->units ? -1 : 1;
	return a->outcome - b->outcome;
}

/* Largest first; returns how many. RET_ALL: the units of all. */
static size_t endings(struct doc *d, const struct report_input *in, const struct waterfall *x,
                      struct ending *ret, i128 *ret_all)
{
	const struct sums *s = &x->tally.sums;
	size_t jobs_n, n = 0, count[OUTCOME_COUNT] = { 0 };
	const uint32_t *jobs = tally_jobs(d->a, &x->tally, in->l, &jobs_n);
	for (size_t i = 0; i < jobs_n; i++)
		count[in->l->outcome_of[jobs[i]]]++;
	*ret_all = 0;
	for (int i = 0; i < OUTCOME_COUNT; i++) {
		*ret_all += s->outcome[i];
		if (s->outcome[i])
			ret[n++] = (struct ending){ i, s->outcome[i], count[i] };
	}
	if (n > 1)
		qsort(ret, n, sizeof *ret, ending_compare);
	return n;
}

static void add_outcome_sentence(struct doc *d, const struct ending *v, size_t n, i128 all)
{
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < n; i++) {
		text_printf(&t, "%s%s ",
		            i ? ", " : "Allocated time ended: ", outcomes[v[i].outcome].name);
		number_write_percent(&t, measure_ratio(v[i].units, all));
	}
	text_byte(&t, '.');
	if (n)
		doc_add_str(d, DOC_TEXT, str_dup(d->a, text_str(&t)));
}

/* By the scheduler's word. Where there are readings, they say more: then with --explain only. */
void waterfall_add_outcomes(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },           { "", DOC_BAR, 0 },       { "share", DOC_RIGHT, 0 },
		{ "GPU-hours", DOC_RIGHT, 0 }, { "jobs", DOC_RIGHT, 0 }, { "money", DOC_RIGHT, 0 },
	};
	struct ending v[OUTCOME_COUNT];
	i128 all;
	size_t n = endings(d, in, x, v, &all);
	unsigned decimals = waterfall_decimals(in->l, x->tally.sums.paid);
	auto_text t = TEXT_NULL;
	if (!in->explain) {
		if (!in->l->has_samples)
			add_outcome_sentence(d, v, n, all);
		return;
	}
	struct rows *r = rows_new(d, in->c->has_price ? 6 : 5);
	for (size_t i = 0; i < n; i++) {
		double share = measure_ratio(v[i].units, all);
		rows_add(r, 0, str_of(outcomes[v[i].outcome].name));
		rows_add_bar(r, 1, share, share);
		number_write_percent(&t, share);
		rows_add(r, 2, number_str(d->a, &t));
		waterfall_write_hours(&t, in->l, v[i].units, decimals);
		rows_add(r, 3, number_str(d->a, &t));
		number_write(&t, (i128)v[i].jobs, 0);
		rows_add(r, 4, number_str(d->a, &t));
		if (!in->c->has_price)
			continue;
		number_write(&t, figures_minor(in->c, x->tally.outcomes[v[i].outcome].num),
		             in->c->decimals);
		rows_add(r, 5, number_str(d->a, &t));
	}
	rows_finish(r, d, "How allocated time ended",
	            waterfall_money_columns(d, in, columns, r->columns));
}

void waterfall_add_matrix(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	struct doc_column *columns = ARENA_ARRAY(d->a, struct doc_column, DOC_COLUMNS_MAX);
	int fate_of[FATE_COUNT];
	size_t n = 0;
	(void)in;
	for (int f = 0; f < FATE_COUNT; f++) {
		bool any = false;
		for (int s = 0; s < STATE_COUNT; s++)
			any |= x->figures.matrix_ms[s][f] != 0;
		if (any)
			fate_of[n++] = f;
	}
	columns[0] = (struct doc_column){ "GPU-seconds", DOC_LEFT, 0 };
	for (size_t c = 0; c < n; c++)
		columns[c + 1] = (struct doc_column){ fates[fate_of[c]].name, DOC_RIGHT, 0 };
	struct rows *r = rows_new(d, n + 1);
	for (int s = 0; s < STATE_COUNT; s++) {
		bool any = false;
		for (int f = 0; f < FATE_COUNT; f++)
			any |= x->figures.matrix_ms[s][f] != 0;
		if (!any)
			continue;
		rows_add(r, 0, str_of(states[s].name));
		for (size_t c = 0; c < n; c++) {
			auto_text t = TEXT_NULL;
			i128 ms = x->figures.matrix_ms[s][fate_of[c]];
			if (ms)
				number_write(&t, ms, 3);
			rows_add(r, c + 1, text_str(&t));
		}
	}
	rows_finish(r, d, "State and fate", columns);
}

void waterfall_add_accounts(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },
		{ "GPU-seconds", DOC_RIGHT, 0 },
		{ "exact, in 1/21,000 GPU x 1 ms", DOC_RIGHT, 0 },
		{ "lost at", DOC_LEFT, 0 },
		{ "recoverable", DOC_LEFT, 0 },
	};
	const struct sums *s = &x->tally.sums;
	struct rows *r = rows_new(d, 5);
	auto_text t = TEXT_NULL;
	(void)in;
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		rows_add(r, 0, str_of(accounts[a].name));
		if (figures_account_is_null(s, (enum account)a)) {
			rows_add(r, 1, S("not known"));
			continue;
		}
		t.n = 0;
		number_write(&t, x->figures.accounts_ms[a], 3);
		rows_add(r, 1, text_str(&t));
		t.n = 0;
		number_write(&t, s->accounts[a], 0);
		rows_add(r, 2, text_str(&t));
		rows_add(r, 3, str_of(lost_at_names[accounts[a].lost_at]));
		rows_add(r, 4, str_of(recoverable_names[accounts[a].recoverable]));
	}
	rows_add(r, 0, S("paid (the sum)"));
	t.n = 0;
	number_write(&t, x->figures.paid_ms, 3);
	rows_add(r, 1, text_str(&t));
	t.n = 0;
	number_write(&t, s->paid, 0);
	rows_add(r, 2, text_str(&t));
	rows_finish(r, d, "Every account", columns);
}

/* All of them with --explain. */
void waterfall_add_inputs(const struct report_input *in, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 0 },         { "read as", DOC_LEFT, 0 },
		{ "records", DOC_RIGHT, 0 }, { "rejected", DOC_RIGHT, 0 },
		{ "", DOC_LEFT, 0 },
	};
	const struct facts *f = in->f;
	size_t n = f->inputs.n;
	bool any_partial = false;
	for (size_t i = 0; i < n; i++)
		any_partial |= f->inputs.v[i].partial;
	struct rows *r = rows_new(d, any_partial ? 5 : 4);
	if (!in->explain && n > INPUTS_ON_PAGE_MAX + 1)
		n = INPUTS_ON_PAGE_MAX;
	for (size_t i = 0; i < n; i++) {
		const struct input_info *x = &f->inputs.v[i];
		auto_text t = TEXT_NULL;
		rows_add(r, 0, names_word(&f->names, x->name));
		rows_add(r, 1, x->format ? names_word(&f->names, x->format) : S("left out"));
		number_write(&t, x->records, 0);
		rows_add(r, 2, number_str(d->a, &t));
		number_write(&t, x->rejected, 0);
		rows_add(r, 3, number_str(d->a, &t));
		if (x->partial)
			rows_add(r, 4, S("not read to its end"));
	}
	if (n < f->inputs.n)
		rows_printf(r, 0, "and %zu more", f->inputs.n - n);
	rows_finish(r, d, "Inputs", columns);
}
