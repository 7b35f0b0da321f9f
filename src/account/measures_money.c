/* SPDX-License-Identifier: Apache-2.0 */
/* Measures in money: ledger.md 8. */
#include <stdlib.h>

#include "account/measures.h"

static const char no_price[] = "no price: give one with --price";
static const char no_scheduler[] = "no scheduler facts: give sacct, squeue, or kubectl get pods";

double measure_money(const struct measure_input *in, i128 num)
{
	return measure_ratio(num, in->c->den);
}

bool measure_price_is_missing(const struct measure_input *in, const struct money *m,
                              struct measure *ret)
{
	if (in->c->has_price && m->priced == m->units)
		return false;
	measure_null(ret, !in->c->has_price || !m->priced
	                          ? no_price
	                          : arena_printf(in->a, "%.1f %% of the time has no price",
	                                         100 - 100 * measure_ratio(m->priced, m->units)));
	ret->coverage = measure_ratio(m->priced, m->units);
	return true;
}

static void per_units(const struct measure_input *in, i128 low, i128 high, const char *why,
                      struct measure *m)
{
	double total = measure_money(in, in->t->total.num);
	i128 paid = in->t->sums.paid;
	if (measure_price_is_missing(in, &in->t->total, m))
		return;
	if (!high) {
		measure_null(m, why);
		return;
	}
	double coverage = 1 - measure_ratio(high - low, paid);
	double least = total / measure_ratio(high, UNITS_PER_HOUR);
	if (low) {
		measure_band(m, least, total / measure_ratio(low, UNITS_PER_HOUR), coverage);
		return;
	}
	*m = (struct measure){ .has_low = true,
		               .low = least,
		               .coverage = coverage,
		               .why_null = "what was not observed may all be lost: no upper end" };
}

void measure_cost_per_gpu_hour(const struct measure_input *in, struct measure *m)
{
	i128 paid = in->t->sums.paid;
	per_units(in, paid, paid, "nothing was paid for in the window", m);
}

void measure_cost_per_allocated_gpu_hour(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	per_units(in, s->low[LAYER_ALLOCATED], s->high[LAYER_ALLOCATED], "nothing was allocated",
	          m);
}

void measure_cost_per_successful_gpu_hour(const struct measure_input *in, struct measure *m)
{
	if (!in->l->has_scheduler)
		measure_null(m, no_scheduler);
	else
		per_units(in, in->t->sums.successful, in->t->sums.successful,
		          "nothing was successful in the window", m);
}

void measure_cost_per_productive_gpu_hour(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	per_units(in, s->low[LAYER_PRODUCTIVE], s->high[LAYER_PRODUCTIVE],
	          "nothing was productive in the window", m);
}

static bool is_waste(enum account a)
{
	switch (a) {
	case ACCOUNT_ACTIVE_PRODUCTIVE:
	case ACCOUNT_ACTIVE_PENDING:
	case ACCOUNT_ACTIVE_UNJUDGED:
	case ACCOUNT_FREE_RESERVE:
	case ACCOUNT_STALLED_RESERVE:
	case ACCOUNT_UNOBSERVED:
	case ACCOUNT_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* A band that has no upper end where free and down time are not known. */
static void waste_band(const struct measure_input *in, double low, double more, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	i128 unseen = s->accounts[ACCOUNT_UNOBSERVED] + s->accounts[ACCOUNT_UNKNOWN];
	double coverage = s->paid ? 1 - measure_ratio(unseen, s->paid) : 0;
	measure_band(m, low, low + more, coverage);
	if (!s->free_is_null)
		return;
	m->has_value = m->has_high = false;
	m->why_null =
	        "free and down time are not known: give scontrol show node or kubectl get nodes";
}

void measure_waste(const struct measure_input *in, struct measure *m)
{
	const struct money *by = in->t->accounts;
	i128 sum = 0;
	if (measure_price_is_missing(in, &in->t->total, m))
		return;
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		if (is_waste((enum account)i))
			sum += by[i].num;
	waste_band(in, measure_money(in, sum),
	           measure_money(in, by[ACCOUNT_UNOBSERVED].num + by[ACCOUNT_UNKNOWN].num), m);
}

void measure_waste_gpu_hours(const struct measure_input *in, struct measure *m)
{
	const i128 *by = in->t->sums.accounts;
	i128 sum = 0;
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		if (is_waste((enum account)i))
			sum += by[i];
	waste_band(in, measure_ratio(sum, UNITS_PER_HOUR),
	           measure_ratio(by[ACCOUNT_UNOBSERVED] + by[ACCOUNT_UNKNOWN], UNITS_PER_HOUR), m);
}

void measure_waste_by_effective_price(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	double total = measure_money(in, in->t->total.num);
	if (measure_price_is_missing(in, &in->t->total, m))
		return;
	if (!s->paid)
		measure_null(m, "nothing was paid for in the window");
	else
		measure_band(m, total * measure_ratio(s->paid - s->high[LAYER_PRODUCTIVE], s->paid),
		             total * measure_ratio(s->paid - s->low[LAYER_PRODUCTIVE], s->paid),
		             1 - measure_ratio(s->high[LAYER_PRODUCTIVE] - s->low[LAYER_PRODUCTIVE],
		                               s->paid));
}

static void worth(const struct measure_input *in, struct measure *m)
{
	if (!measure_price_is_missing(in, &in->t->total, m))
		measure_value(m, measure_money(in, in->t->total.num) / 100, 1);
}

void measure_worth_of_allocation_point(const struct measure_input *in, struct measure *m)
{
	worth(in, m);
}

void measure_worth_of_productive_point(const struct measure_input *in, struct measure *m)
{
	worth(in, m);
}

static void money_line(const struct measure_input *in, const struct money *line, struct measure *m)
{
	if (!in->l->has_scheduler)
		measure_null(m, no_scheduler);
	else if (!in->c->has_price)
		measure_null(m, no_price);
	else if (!line->units || !measure_price_is_missing(in, line, m))
		measure_value(m, measure_money(in, line->num), 1);
}

void measure_failed_work_cost(const struct measure_input *in, struct measure *m)
{
	money_line(in, &in->t->failed, m);
}

void measure_failed_retry_cost(const struct measure_input *in, struct measure *m)
{
	money_line(in, &in->t->retry, m);
}

void measure_checkpoint_cost(const struct measure_input *in, struct measure *m)
{
	const struct money *x = &in->t->accounts[ACCOUNT_OVERHEAD_CHECKPOINT];
	const struct money *y = &in->t->accounts[ACCOUNT_STALLED_CHECKPOINT];
	struct money both = { x->num + y->num, x->priced + y->priced, x->units + y->units };
	const struct money *unobserved = &in->t->accounts[ACCOUNT_UNOBSERVED];
	if (!in->f->progress.n)
		measure_null(m, "no checkpoints were reported: give training logs");
	else if (!measure_price_is_missing(in, &in->t->total, m))
		measure_band(m, measure_money(in, both.num),
		             measure_money(in, both.num + unobserved->num),
		             1 - measure_ratio(unobserved->units, in->t->sums.paid));
}

/* What ended in the window, and what the attempts of it cost there. */
struct run {
	uint32_t key; /* index of the run's first job */
	int64_t end_ms;
	enum outcome last;
	bool open;
	i128 num;
};

static int run_compare(const void *x, const void *y)
{
	const struct run *a = x, *b = y;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void run_add_job(struct run *r, const struct job *j)
{
	if (j->outcome == OUTCOME_RUNNING || j->outcome == OUTCOME_WAITING ||
	    j->end_ms == TIME_UNKNOWN) {
		r->open = true;
		return;
	}
	if (j->end_ms < r->end_ms)
		return;
	r->end_ms = j->end_ms;
	r->last = j->outcome;
}

static int job_find(const void *key, const void *at)
{
	uint32_t a = *(const uint32_t *)key, b = *(const uint32_t *)at;
	return a < b ? -1 : a > b;
}

/* One entry for each run of the tally's jobs, sorted by key. */
static size_t runs_of(struct arena *a, const struct measure_input *in, struct run **ret_runs)
{
	size_t n = 0, out = 0;
	const uint32_t *jobs = tally_jobs(a, in->t, in->l, &n);
	i128 *nums = ARENA_ARRAY(a, i128, n + 1);
	struct run *runs = ARENA_ARRAY(a, struct run, n + 1);
	for (size_t i = 0; i < in->t->cells_n; i++) {
		uint32_t job = tally_cell(in->t, in->l, i)->job;
		const uint32_t *at =
		        job == NONE ? NULL : bsearch(&job, jobs, n, sizeof *jobs, job_find);
		if (at)
			nums[at - jobs] += in->c->nums[tally_index(in->t, i)];
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t key = in->l->run_of[jobs[i]];
		runs[i] = (struct run){ .key = key, .end_ms = INT64_MIN, .num = nums[i] };
		run_add_job(&runs[i], &in->f->jobs.v[jobs[i]]);
	}
	if (n > 1)
		qsort(runs, n, sizeof *runs, run_compare);
	for (size_t i = 0; i < n; i++) {
		if (!out || runs[out - 1].key != runs[i].key) {
			runs[out++] = runs[i];
			continue;
		}
		struct run *r = &runs[out - 1];
		r->open |= runs[i].open;
		r->num += runs[i].num;
		if (runs[i].end_ms >= r->end_ms)
			r->end_ms = runs[i].end_ms, r->last = runs[i].last;
	}
	*ret_runs = runs;
	return out;
}

static void runs_cost(const struct measure_input *in, bool completed, struct measure *m)
{
	auto_arena scratch = ARENA_NULL;
	struct run *runs;
	i128 num = 0;
	size_t count = 0;
	if (!in->l->has_scheduler) {
		measure_null(m, no_scheduler);
		return;
	}
	if (measure_price_is_missing(in, &in->t->total, m))
		return;
	size_t n = runs_of(&scratch, in, &runs);
	for (size_t i = 0; i < n; i++) {
		const struct run *r = &runs[i];
		if (r->open || r->end_ms <= in->l->window.from_ms ||
		    r->end_ms > in->l->window.to_ms || (r->last == OUTCOME_COMPLETED) != completed)
			continue;
		num += r->num;
		count++;
	}
	if (!completed)
		measure_value(m, measure_money(in, num), 1);
	else if (!count)
		measure_null(m, "no run completed in the window");
	else
		measure_value(m, measure_money(in, num) / (double)count, 1);
}

void measure_cost_per_completed_run(const struct measure_input *in, struct measure *m)
{
	runs_cost(in, true, m);
}

void measure_cost_of_given_up_runs(const struct measure_input *in, struct measure *m)
{
	runs_cost(in, false, m);
}
