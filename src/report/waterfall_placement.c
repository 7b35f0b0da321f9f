/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where free GPUs are lost: one line on the first screen; with --explain which account, what of it
 * the next task could not use, how long jobs waited and what was wanted in vain.
 */
#include "account/demand.h"
#include "account/fragment.h"
#include "account/round.h"
#include "account/waits.h"
#include "report/number.h"
#include "report/rows.h"
#include "report/waterfall_tables.h"

enum { TEAMS_SHOWN_MAX = 10 };

/* Accounts of free time, and what they are in a few words. */
static const struct free_account {
	enum account account;
	const char *what, *brief;
	bool is_wanted; /* by a waiting job */
} free_accounts[] = {
	{ ACCOUNT_FREE_IDLE, "nobody waited for them", "nobody waited", false },
	{ ACCOUNT_FREE_STRANDED, "no waiting job fitted: GPUs per node, CPUs or memory",
	  "no waiting job fitted", true },
	{ ACCOUNT_FREE_GANG, "a larger gang waited than was free", "larger gangs waited", true },
	{ ACCOUNT_FREE_POLICY, "a quota, limit or reservation held jobs back", "quotas and limits",
	  true },
	{ ACCOUNT_FREE_SCHEDULER, "they fitted a waiting job that had not started yet",
	  "they fitted what waited", true },
	{ ACCOUNT_FREE_BLOCKED, "jobs waited, and on which nodes they are is not known",
	  "jobs waited", true },
	{ ACCOUNT_FREE_RESERVE, "the policy holds them ready", "held ready", false },
	{ ACCOUNT_FREE_UNMANAGED, "programs ran that the scheduler does not know",
	  "unknown programs ran", false },
};
#define FREE_ACCOUNTS (sizeof free_accounts / sizeof *free_accounts)

static i128 free_units(const struct sums *s, bool only_wanted)
{
	i128 units = 0;
	for (size_t i = 0; i < FREE_ACCOUNTS; i++)
		if (!only_wanted || free_accounts[i].is_wanted)
			units += s->accounts[free_accounts[i].account];
	return units;
}

void waterfall_add_free_line(const struct report_input *in, const struct waterfall *x,
                             struct doc *d)
{
	const struct sums *s = &x->tally.sums;
	const struct free_account *most = NULL;
	i128 all = free_units(s, false);
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < FREE_ACCOUNTS; i++)
		if (!most || s->accounts[free_accounts[i].account] > s->accounts[most->account])
			most = &free_accounts[i];
	if (!all)
		return;
	text_add(&t, S("Free: "));
	waterfall_write_hours(&t, in->l, all, waterfall_decimals(in->l, all));
	text_printf(&t, " %s, most in %s (", waterfall_hours(in->l), accounts[most->account].name);
	number_write_percent(&t, measure_ratio(s->accounts[most->account], all));
	if (most->account == ACCOUNT_FREE_IDLE && !in->l->has_queue)
		text_add(&t, S(": the queue was not seen"));
	else
		text_printf(&t, ": %s", most->brief);
	text_add(&t, S(")"));
	if (free_units(s, true) && !most->is_wanted) {
		text_add(&t, S("; jobs waited beside "));
		number_write_percent(&t, measure_ratio(free_units(s, true), all));
	}
	text_add(&t, S("."));
	doc_add_str(d, DOC_TEXT, str_dup(d->a, text_str(&t)));
}

static void add_row(struct rows *r, const struct ledger *l, const char *name, i128 units, i128 all,
                    const char *what)
{
	auto_text t = TEXT_NULL;
	rows_add(r, 0, str_of(name));
	number_write_percent(&t, measure_ratio(units, all));
	rows_add(r, 1, text_str(&t));
	t.n = 0;
	waterfall_write_hours(&t, l, units, waterfall_decimals(l, all));
	rows_add(r, 2, text_str(&t));
	rows_add(r, 3, str_of(what));
}

static const struct doc_column share_columns[] = {
	{ "", DOC_LEFT, 0 },
	{ "share", DOC_RIGHT, 0 },
	{ "GPU-hours", DOC_RIGHT, 0 },
	{ "", DOC_LEFT, 0 },
};

static void add_free(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	const struct sums *s = &x->tally.sums;
	i128 all = free_units(s, false);
	bool done[FREE_ACCOUNTS] = { false };
	struct rows *r = rows_new(d, 4);
	for (size_t n = 0; n < FREE_ACCOUNTS; n++) {
		size_t best = FREE_ACCOUNTS;
		for (size_t i = 0; i < FREE_ACCOUNTS; i++)
			if (!done[i] && (best == FREE_ACCOUNTS ||
			                 s->accounts[free_accounts[i].account] >
			                         s->accounts[free_accounts[best].account]))
				best = i;
		const struct free_account *f = &free_accounts[best];
		done[best] = true;
		if (s->accounts[f->account])
			add_row(r, in->l, accounts[f->account].name, s->accounts[f->account], all,
			        f->what);
	}
	rows_finish(r, d, "Where free GPUs were lost",
	            waterfall_money_columns(d, in, share_columns, r->columns));
}

static const char *const class_words[FRAGMENT_CLASSES] = {
	[FRAGMENT_USABLE] = "it fits",
	[FRAGMENT_LACKS_GPU] = "too few GPUs on the node, or too little of one",
	[FRAGMENT_LACKS_ROOM] = "GPUs, but no CPUs or memory beside them",
	[FRAGMENT_LACKS_BOTH] = "neither GPUs enough nor CPUs or memory",
	[FRAGMENT_NO_ACCESS] = "GPUs of another kind or partition",
	[FRAGMENT_CPU_FITS] = "a task without GPUs, which fits",
	[FRAGMENT_CPU_LACKS] = "a task without GPUs",
};

static void add_fragment(const struct report_input *in, struct doc *d)
{
	static const enum fragment_class order[] = { FRAGMENT_USABLE, FRAGMENT_LACKS_GPU,
		                                     FRAGMENT_LACKS_ROOM, FRAGMENT_LACKS_BOTH,
		                                     FRAGMENT_NO_ACCESS };
	const struct fragment *x = &in->l->fragment;
	struct rows *r = rows_new(d, 4);
	auto_text t = TEXT_NULL;
	for (size_t i = 0; x->tasks && x->idle && i < sizeof order / sizeof *order; i++)
		add_row(r, in->l, fragment_names[order[i]], x->classes[order[i]] / (i128)x->tasks,
		        x->idle, class_words[order[i]]);
	rows_finish(r, d, "Free GPUs on nodes, and what the next task could do with them",
	            waterfall_money_columns(d, in, share_columns, r->columns));
	if (!x->tasks || !x->idle)
		return;
	text_add(&t, S("The next task: any of the "));
	number_write(&t, (i128)x->tasks, 0);
	text_add(&t, S(" tasks of jobs that want GPUs and were submitted in the window, all as "
	               "likely. The CPUs left on the nodes are known of "));
	number_write_percent(&t, measure_ratio(x->idle_with_cpus, x->idle));
	text_add(&t, S(" of this time; where they are not, they count as enough."));
	if (x->left_out) {
		text_add(&t, S(" Left out, of rarer kinds: "));
		number_write(&t, (i128)x->left_out, 0);
		text_add(&t, S(" tasks."));
	}
	doc_add_str(d, DOC_NOTE, str_dup(d->a, text_str(&t)));
}

static void add_wait(struct rows *r, struct str name, const struct wait_row *w)
{
	const double values[] = { w->p50, w->p95, w->max };
	auto_text t = TEXT_NULL;
	rows_add(r, 0, name);
	number_write(&t, (i128)w->started, 0);
	rows_add(r, 1, text_str(&t));
	for (size_t i = 0; i < 3; i++) {
		t.n = 0;
		if (w->known)
			number_write_seconds(&t, values[i]);
		else
			text_byte(&t, '-');
		rows_add(r, 2 + i, text_str(&t));
	}
	t.n = 0;
	number_write(&t, (i128)w->waiting, 0);
	rows_add(r, 5, text_str(&t));
	t.n = 0;
	if (w->started)
		number_write_percent(&t, (double)w->known / (double)w->started);
	rows_add(r, 6, text_str(&t));
}

static const struct doc_column *wait_columns(struct doc *d, const char *first)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 28 },        { "jobs", DOC_RIGHT, 0 },
		{ "p50", DOC_RIGHT, 0 },     { "p95", DOC_RIGHT, 0 },
		{ "longest", DOC_RIGHT, 0 }, { "still waiting", DOC_RIGHT, 0 },
		{ "covers", DOC_RIGHT, 0 },
	};
	enum { N = sizeof columns / sizeof *columns };
	struct doc_column *c = ARENA_ARRAY(d->a, struct doc_column, N);
	for (size_t i = 0; i < N; i++)
		c[i] = columns[i];
	c[0].head = first;
	return c;
}

static void add_waits(const struct report_input *in, struct doc *d)
{
	size_t n;
	const struct wait_row *v = waits_by_size(d->a, in->l, in->f);
	struct rows *r = rows_new(d, 7);
	for (int i = 0; i < WAIT_SIZES; i++)
		if (v[i].started || v[i].waiting)
			add_wait(r, str_of(wait_size_names[i]), &v[i]);
	rows_finish(r, d, "Queue time by size", wait_columns(d, "GPUs"));
	v = waits_by_team(d->a, in->l, in->f, &n);
	r = rows_new(d, 7);
	for (size_t i = 0; i < n && i < TEAMS_SHOWN_MAX; i++)
		add_wait(r, v[i].team ? names_word(&in->f->names, v[i].team) : S("(none)"), &v[i]);
	rows_finish(r, d, "Queue time by team", wait_columns(d, "team"));
	if (n > TEAMS_SHOWN_MAX)
		doc_add(d, DOC_NOTE, "%zu more teams are in --format json.", n - TEAMS_SHOWN_MAX);
}

/* What was wanted of each kind, and what of it in vain. */
static void add_demand(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT, 28 },
		{ "p50", DOC_RIGHT, 0 },
		{ "p95", DOC_RIGHT, 0 },
		{ "most", DOC_RIGHT, 0 },
		{ "GPU-hours waited for in vain", DOC_RIGHT, 0 },
	};
	size_t n;
	const sym *models = demand_models(x->demand, &n);
	struct rows *r = rows_new(d, 5);
	for (size_t i = 0; i < n; i++) {
		struct demand v;
		auto_text t = TEXT_NULL;
		demand_of(x->demand, models[i], in->l->window, &v);
		if (v.max <= 0)
			continue;
		rows_add(r, 0, models[i] ? names_word(&in->f->names, models[i]) : S("(any)"));
		const double values[] = { v.p50, v.p95, v.max };
		for (size_t k = 0; k < 3; k++) {
			t.n = 0;
			number_write_double(&t, values[k], 0);
			rows_add(r, 1 + k, text_str(&t));
		}
		t.n = 0;
		for (size_t k = 0; k < in->l->unmets.n; k++)
			if (in->l->unmets.v[k].model == models[i])
				waterfall_write_hours(
				        &t, in->l, in->l->unmets.v[k].units,
				        waterfall_decimals(in->l, in->l->unmets.v[k].units));
		rows_add(r, 4, t.n ? text_str(&t) : S("-"));
	}
	rows_finish(r, d, "GPUs wanted at once, by kind: allocated and waiting", columns);
}

void waterfall_add_placement(const struct report_input *in, const struct waterfall *x,
                             struct doc *d)
{
	if (!x->tally.sums.free_is_null)
		add_free(in, x, d);
	add_fragment(in, d);
	if (!in->l->has_scheduler)
		return;
	add_waits(in, d);
	if (in->l->window.from_ms < in->l->window.to_ms)
		add_demand(in, x, d);
}

static void write_fragment(const struct report_input *in, struct emit *j)
{
	auto_arena a = ARENA_NULL;
	const struct fragment *x = &in->l->fragment;
	i128 ms[FRAGMENT_CLASSES];
	emit_key(j, "fragmentation");
	emit_open(j, '{');
	emit_key(j, "tasks");
	emit_int(j, (i128)x->tasks);
	emit_key(j, "tasks_left_out");
	emit_int(j, (i128)x->left_out);
	emit_key(j, "free_gpu_seconds");
	emit_fixed(j, figures_ms(x->idle), 3);
	emit_key(j, "cpus_known");
	if (x->idle)
		emit_double(j, measure_ratio(x->idle_with_cpus, x->idle));
	else
		emit_null(j);
	emit_key(j, "classes");
	emit_open(j, '{');
	if (x->tasks)
		round_parts(&a, x->classes, FRAGMENT_CLASSES, (i128)UNITS_PER_MS * x->tasks,
		            figures_ms(x->idle), ms);
	for (int i = 0; x->tasks && i < FRAGMENT_CLASSES; i++) {
		if (i == FRAGMENT_CPU_FITS || i == FRAGMENT_CPU_LACKS)
			continue; /* no such task is in the mix */
		emit_key(j, fragment_names[i]);
		emit_fixed(j, ms[i], 3);
	}
	emit_close(j, '}');
	emit_close(j, '}');
}

static void write_wait(struct emit *j, const char *key, const char *word, const struct wait_row *w)
{
	static const char *const keys[] = { "p50", "p95", "max", "mean" };
	const double values[] = { w->p50, w->p95, w->max, w->mean };
	emit_open(j, '{');
	emit_key(j, key);
	emit_word(j, word);
	emit_key(j, "jobs");
	emit_int(j, (i128)w->started);
	emit_key(j, "still_waiting");
	emit_int(j, (i128)w->waiting);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		emit_key(j, keys[i]);
		if (w->known)
			emit_double(j, values[i]);
		else
			emit_null(j);
	}
	emit_key(j, "coverage");
	emit_double(j, w->started ? (double)w->known / (double)w->started : 0);
	emit_close(j, '}');
}

void waterfall_write_placement(const struct report_input *in, struct emit *j)
{
	auto_arena a = ARENA_NULL;
	size_t n;
	write_fragment(in, j);
	emit_key(j, "queue_times");
	emit_open(j, '{');
	const struct wait_row *v = waits_by_size(&a, in->l, in->f);
	emit_key(j, "by_size");
	emit_open(j, '[');
	for (int i = 0; i < WAIT_SIZES; i++)
		if (v[i].started || v[i].waiting)
			write_wait(j, "gpus", wait_size_names[i], &v[i]);
	emit_close(j, ']');
	v = waits_by_team(&a, in->l, in->f, &n);
	emit_key(j, "by_team");
	emit_open(j, '[');
	for (size_t i = 0; i < n; i++)
		write_wait(j, "team", v[i].team ? names_word(&in->f->names, v[i].team).p : NULL,
		           &v[i]);
	emit_close(j, ']');
	emit_close(j, '}');
}
