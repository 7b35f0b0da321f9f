/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fate: what active time was worth (ledger.md 3, 9.7, 9.8; decisions G.3 to G.5). An attempt
 * without progress facts has one fate; the others get a list of stretches.
 */
#include <stdlib.h>

#include "account/meter.h"

/* One execution of one step by one attempt of a run. */
struct execution {
	int64_t step, from_ms, to_ms;
	uint32_t job, order; /* order: attempt, then time */
};

struct executions {
	VEC(struct execution) v;
};

static const struct line *lines_of(const struct meter *m, uint32_t job, uint32_t *ret_n)
{
	const struct attempt_info *info = seen_info(m, job);
	*ret_n = info ? info->lines.n : 0;
	return *ret_n ? &m->lines.v[info->lines.at] : NULL;
}

/* A step line, or a complete restore as the counter's new value at its end (G.3). */
struct count {
	int64_t t_ms, step;
	bool is_step;
	uint32_t order;
};

static int count_order(const void *x, const void *y)
{
	const struct count *a = x, *b = y;
	if (a->t_ms != b->t_ms)
		return a->t_ms < b->t_ms ? -1 : 1;
	if (a->is_step != b->is_step)
		return a->is_step ? 1 : -1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void execute(struct executions *ret, uint32_t job, int64_t step, int64_t from_ms,
                    int64_t to_ms)
{
	*vec_push(&ret->v) = (struct execution){ step, from_ms, to_ms, job, (uint32_t)ret->v.n };
}

/* Between two step lines steps are spread evenly, floored to the ms. */
static void spread(struct executions *ret, uint32_t job, const struct count *from,
                   const struct count *to)
{
	int64_t n = to->step - from->step;
	i128 span = to->t_ms - from->t_ms;
	if (n > STEPS_BETWEEN_MAX) { /* nobody did so many: take it as a jump of the counter */
		execute(ret, job, to->step, to->t_ms, to->t_ms);
		return;
	}
	for (int64_t k = 0; k < n; k++)
		execute(ret, job, from->step + k + 1, from->t_ms + (int64_t)(k * span / n),
		        from->t_ms + (int64_t)((k + 1) * span / n));
}

static void executions_of(const struct meter *m, uint32_t job, struct executions *ret)
{
	uint32_t n;
	const struct line *l = lines_of(m, job, &n);
	VEC(struct count) counts = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		if (l[i].step < 0)
			continue;
		if (l[i].type == PROGRESS_STEP)
			*vec_push(&counts) = (struct count){ l[i].t_ms, l[i].step, true, i };
		else if (l[i].type == PROGRESS_RESTORE && l[i].is_done)
			*vec_push(&counts) = (struct count){ l[i].to_ms, l[i].step, false, i };
	}
	vec_sort(&counts, count_order);
	const struct count *at = NULL;
	for (size_t i = 0; i < counts.n; i++) {
		const struct count *c = &counts.v[i];
		if (c->is_step && at && c->step == at->step)
			continue;
		if (c->is_step && at && c->step > at->step)
			spread(ret, job, at, c);
		else if (c->is_step)
			execute(ret, job, c->step, c->t_ms, c->t_ms);
		at = c;
	}
	vec_deinit(&counts);
}

static int execution_order(const void *x, const void *y)
{
	const struct execution *a = x, *b = y;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* What is found out about one attempt. */
struct verdict {
	VEC(struct span) lost;
	int64_t kept_ms, saved_ms; /* TIME_UNKNOWN: nothing */
};

static int span_order(const void *x, const void *y)
{
	const struct span *a = x, *b = y;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

/* 9.7: every execution of a step but the last is lost. */
static void lost_steps(const struct meter *m, const uint32_t *jobs, uint32_t n, struct verdict *v)
{
	struct executions ex = { { 0 } };
	for (uint32_t i = 0; i < n; i++)
		executions_of(m, jobs[i], &ex);
	vec_sort(&ex.v, execution_order);
	for (size_t i = 0; i + 1 < ex.v.n; i++) {
		const struct execution *e = &ex.v.v[i];
		if (e->step != ex.v.v[i + 1].step || e->from_ms >= e->to_ms)
			continue;
		uint32_t at = 0;
		while (jobs[at] != e->job)
			at++;
		*vec_push(&v[at].lost) = (struct span){ e->from_ms, e->to_ms };
	}
	for (uint32_t i = 0; i < n; i++)
		vec_sort(&v[i].lost, span_order);
	vec_deinit(&ex.v);
}

/* The newest complete save of JOB with this step (-1: any) that ended by T; TIME_UNKNOWN: none. */
static int64_t newest_save(const struct meter *m, uint32_t job, int64_t step, int64_t t_ms)
{
	uint32_t n;
	const struct line *l = lines_of(m, job, &n);
	for (uint32_t i = n; i-- > 0;)
		if (l[i].type == PROGRESS_SAVE && l[i].is_done && l[i].to_ms <= t_ms &&
		    (step < 0 || l[i].step == step))
			return l[i].t_ms;
	return TIME_UNKNOWN;
}

/* 9.8: up to the start of the newest save, by the newest earlier attempt, that a later attempt
 * restored. */
static void kept_work(const struct meter *m, const uint32_t *jobs, uint32_t n, struct verdict *v)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t lines_n;
		const struct line *l = lines_of(m, jobs[k], &lines_n);
		v[k].saved_ms = newest_save(m, jobs[k], -1, INT64_MAX);
		for (uint32_t i = 0; i < lines_n; i++) {
			if (l[i].type != PROGRESS_RESTORE)
				continue;
			for (uint32_t e = k; e-- > 0;) {
				int64_t t = newest_save(m, jobs[e], l[i].step, l[i].t_ms);
				if (t == TIME_UNKNOWN)
					continue;
				if (v[e].kept_ms == TIME_UNKNOWN || v[e].kept_ms < t)
					v[e].kept_ms = t;
				break;
			}
		}
	}
}

static bool goes_by_outcome(const struct meter *m, uint32_t job)
{
	uint8_t kind = m->f->jobs.v[job].kind;
	return kind == KIND_BATCH || kind == KIND_CI;
}

static bool is_before(int64_t t_ms, int64_t limit_ms)
{
	return limit_ms != TIME_UNKNOWN && t_ms < limit_ms;
}

/* Writes the stretches of one attempt: lost steps, then kept, then the outcome. */
static void spans_write(struct meter *m, uint32_t job, const struct verdict *v)
{
	VEC(int64_t) cuts = { 0 };
	const struct attempt t = attempt_at(m, job);
	struct attempt_info *info = (struct attempt_info *)seen_info(m, job);
	*vec_push(&cuts) = INT64_MIN;
	for (size_t i = 0; i < v->lost.n; i++) {
		*vec_push(&cuts) = v->lost.v[i].from_ms;
		*vec_push(&cuts) = v->lost.v[i].to_ms;
	}
	if (v->kept_ms != TIME_UNKNOWN)
		*vec_push(&cuts) = v->kept_ms;
	if (v->saved_ms != TIME_UNKNOWN)
		*vec_push(&cuts) = v->saved_ms;
	*vec_push(&cuts) = INT64_MAX;
	vec_sort(&cuts, span_time_order);
	info->fates_at = (uint32_t)m->fate_spans.n;
	size_t lost = 0;
	for (size_t i = 0; i + 1 < cuts.n; i++) {
		int64_t at = cuts.v[i];
		if (at == cuts.v[i + 1])
			continue;
		while (lost < v->lost.n && v->lost.v[lost].to_ms <= at)
			lost++;
		bool is_lost = lost < v->lost.n && v->lost.v[lost].from_ms <= at;
		bool saved = is_before(at, v->saved_ms);
		bool kept = is_before(at, v->kept_ms) || (m->kept_saved && saved);
		*vec_push(&m->fate_spans) = (struct fate_span){
			.from_ms = at,
			.to_ms = cuts.v[i + 1],
			.fate = (uint8_t)(is_lost ? FATE_LOST
			                  : kept  ? FATE_PRODUCTIVE
			                          : outcomes[t.outcome].fate),
			.is_successful = kept || t.outcome == OUTCOME_COMPLETED,
			.maybe = !is_lost && (kept || saved),
		};
	}
	info->fates_n = (uint32_t)m->fate_spans.n - info->fates_at;
	vec_deinit(&cuts);
}

/* The attempts of the run that ends with LAST, in order. */
static void run_judge(struct meter *m, uint32_t last)
{
	VEC(uint32_t) jobs = { 0 };
	bool any = false;
	for (uint32_t j = last; j != NONE; j = m->before[j])
		*vec_push(&jobs) = j;
	for (size_t i = 0; i < jobs.n / 2; i++) {
		uint32_t t = jobs.v[i];
		jobs.v[i] = jobs.v[jobs.n - 1 - i];
		jobs.v[jobs.n - 1 - i] = t;
	}
	for (size_t i = 0; i < jobs.n; i++)
		any |= goes_by_outcome(m, jobs.v[i]);
	struct verdict *v = mem_alloc(mem_times(jobs.n, sizeof *v));
	for (size_t i = 0; i < jobs.n; i++)
		v[i].kept_ms = v[i].saved_ms = TIME_UNKNOWN;
	if (any)
		lost_steps(m, jobs.v, (uint32_t)jobs.n, v);
	if (any && m->run_lives[last])
		kept_work(m, jobs.v, (uint32_t)jobs.n, v);
	for (size_t i = 0; i < jobs.n; i++) {
		if (goes_by_outcome(m, jobs.v[i]) && seen_info(m, jobs.v[i]))
			spans_write(m, jobs.v[i], &v[i]);
		vec_deinit(&v[i].lost);
	}
	mem_free(v);
	vec_deinit(&jobs);
}

/* Only runs of which some attempt speaks. */
void fate_build(struct meter *m)
{
	if (!m->lines.n)
		return;
	uint8_t *speaks = mem_alloc(m->f->jobs.n); /* by first job of the run */
	bool *is_before_other = mem_alloc(m->f->jobs.n);
	for (uint32_t i = 0; i < m->lines.n; i++)
		speaks[m->run_of[m->lines.v[i].job]] = 1;
	for (uint32_t i = 0; i < m->f->jobs.n; i++)
		if (m->before[i] != NONE)
			is_before_other[m->before[i]] = true;
	for (uint32_t i = 0; i < m->f->jobs.n; i++)
		if (!is_before_other[i] && speaks[m->run_of[i]])
			run_judge(m, i);
	mem_free(speaks);
	mem_free(is_before_other);
}

struct fate_span fate_at(const struct meter *m, uint32_t job, int64_t t_ms, int64_t *ret_until_ms)
{
	*ret_until_ms = INT64_MAX;
	if (job == NONE || !goes_by_outcome(m, job))
		return (struct fate_span){ .fate = FATE_UNJUDGED };
	const struct attempt t = attempt_at(m, job);
	const struct attempt_info *info = m->lines.n ? seen_info(m, job) : NULL;
	if (!info || !info->fates_n)
		return (struct fate_span){ .fate = (uint8_t)outcomes[t.outcome].fate,
			                   .is_successful = t.outcome == OUTCOME_COMPLETED };
	const struct fate_span *s = &m->fate_spans.v[info->fates_at];
	uint32_t at = SPAN_AFTER(s, info->fates_n, t_ms);
	*ret_until_ms = s[at].to_ms;
	return s[at];
}
