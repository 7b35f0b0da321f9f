/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of what came out: tokens, requests, steps (ledger.md 8). */
#include <stdlib.h>

#include "account/measures.h"

static const char no_service[] =
        "no service facts: give the inference server's metrics or its benchmark's results";
static const char no_input_tokens[] =
        "input tokens are not counted: give the inference server's metrics";

/* Counts of services in the window; an interval that the window's edge cuts counts by its share. */
struct answers {
	double ok, bad, tokens;
	bool has_requests, has_tokens;
};

static bool job_is_counted(const struct measure_input *in, sym id)
{
	struct str want = names_word(&in->f->names, id);
	if (!in->jobs)
		return true;
	for (size_t i = 0; i < in->jobs_n; i++)
		if (str_eq(job_id(in->f, &in->f->jobs.v[in->jobs[i]]), want))
			return true;
	return false;
}

static struct answers answers_of(const struct measure_input *in)
{
	struct answers all = { 0 };
	const struct span w = in->l->window;
	for (size_t i = 0; i < in->f->services.n; i++) {
		const struct service *s = &in->f->services.v[i];
		int64_t from = s->from_ms > w.from_ms ? s->from_ms : w.from_ms;
		int64_t to = s->to_ms < w.to_ms ? s->to_ms : w.to_ms;
		if (to <= from || !job_is_counted(in, s->job))
			continue;
		double share = (double)(to - from) / (double)(s->to_ms - s->from_ms);
		if (s->ok >= 0) {
			all.has_requests = true;
			all.ok += share * (double)s->ok;
			all.bad += s->bad > 0 ? share * (double)s->bad : 0;
		}
		if (s->tokens_ok >= 0) {
			all.has_tokens = true;
			all.tokens += share * (double)s->tokens_ok;
		}
	}
	return all;
}

void measure_cost_per_million_output_tokens(const struct measure_input *in, struct measure *m)
{
	struct answers x = answers_of(in);
	if (!x.has_tokens || x.tokens <= 0)
		measure_null(m, no_service);
	else if (!measure_price_is_missing(in, &in->t->total, m))
		measure_value(m, measure_money(in, in->t->total.num) / x.tokens * 1e6, 1);
}

void measure_cost_per_million_input_tokens(const struct measure_input *in, struct measure *m)
{
	measure_null(m, in->f->services.n ? no_input_tokens : no_service);
}

void measure_cost_per_million_tokens_both(const struct measure_input *in, struct measure *m)
{
	measure_null(m, in->f->services.n ? no_input_tokens : no_service);
}

void measure_cost_per_request(const struct measure_input *in, struct measure *m)
{
	struct answers x = answers_of(in);
	if (!x.has_requests || x.ok <= 0)
		measure_null(m, no_service);
	else if (!measure_price_is_missing(in, &in->t->total, m))
		measure_value(m, measure_money(in, in->t->total.num) / x.ok, 1);
}

static void per_gpu_hour(const struct measure_input *in, double count, struct measure *m)
{
	i128 allocated = in->t->sums.low[LAYER_ALLOCATED];
	if (!allocated)
		measure_null(m, "nothing was allocated");
	else
		measure_value(m, count / measure_ratio(allocated, UNITS_PER_HOUR), 1);
}

void measure_output_tokens_per_gpu_hour(const struct measure_input *in, struct measure *m)
{
	struct answers x = answers_of(in);
	if (x.has_tokens)
		per_gpu_hour(in, x.tokens, m);
	else
		measure_null(m, no_service);
}

void measure_output_tokens_per_money(const struct measure_input *in, struct measure *m)
{
	struct answers x = answers_of(in);
	if (!x.has_tokens)
		measure_null(m, no_service);
	else if (measure_price_is_missing(in, &in->t->total, m))
		return;
	else if (in->t->total.num <= 0)
		measure_null(m, "the cost is zero");
	else
		measure_value(m, x.tokens / measure_money(in, in->t->total.num), 1);
}

void measure_requests_per_gpu_hour(const struct measure_input *in, struct measure *m)
{
	struct answers x = answers_of(in);
	if (x.has_requests)
		per_gpu_hour(in, x.ok, m);
	else
		measure_null(m, no_service);
}

void measure_error_rate(const struct measure_input *in, struct measure *m)
{
	struct answers x = answers_of(in);
	if (!x.has_requests || x.ok + x.bad <= 0)
		measure_null(m, no_service);
	else
		measure_value(m, x.bad / (x.ok + x.bad), 1);
}

struct step {
	sym job;
	int64_t step;
};

static int step_compare(const void *x, const void *y)
{
	const struct step *a = x, *b = y;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return a->step < b->step ? -1 : a->step > b->step;
}

/* A step that is done again counts once. */
void measure_steps_per_gpu_hour(const struct measure_input *in, struct measure *m)
{
	auto_arena scratch = ARENA_NULL;
	const struct facts *f = in->f;
	struct step *steps = ARENA_ARRAY(&scratch, struct step, f->progress.n + 1);
	size_t n = 0, different = 0;
	for (size_t i = 0; i < f->progress.n; i++) {
		const struct progress *p = &f->progress.v[i];
		if (p->type == PROGRESS_STEP && p->step >= 0 && p->t_ms > in->l->window.from_ms &&
		    p->t_ms <= in->l->window.to_ms && job_is_counted(in, p->job))
			steps[n++] = (struct step){ p->job, p->step };
	}
	if (n > 1)
		qsort(steps, n, sizeof *steps, step_compare);
	for (size_t i = 0; i < n; i++)
		different += !i || step_compare(&steps[i - 1], &steps[i]) != 0;
	if (n)
		per_gpu_hour(in, (double)different, m);
	else
		measure_null(m, "no steps were reported: give training logs");
}
