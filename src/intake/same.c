/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/same.h"

#include <stdlib.h>

#include "base/arena.h"
#include "facts/facts.h"

#define GONE UINT32_MAX

/* What rows are sorted by, so that those of one attempt stand together, the least known first. */
struct row {
	struct str id;
	int64_t submit_ms, start_ms, end_ms;
	uint32_t job, input;
};

static int order_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int row_order(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int c = str_cmp(a->id, b->id);
	c = c ? c : order_i64(a->submit_ms, b->submit_ms);
	c = c ? c : order_i64(a->start_ms, b->start_ms); /* TIME_UNKNOWN is the least */
	c = c ? c : order_i64(a->end_ms, b->end_ms);
	return c ? c : order_i64(a->job, b->job);
}

/* The end that is known; of a job that runs, it is only when it must end. */
static int64_t known_end(const struct job *j)
{
	return j->outcome == OUTCOME_RUNNING ? TIME_UNKNOWN : j->end_ms;
}

static bool words_differ(sym a, sym b)
{
	return a && b && a != b;
}

static bool counts_differ(uint32_t a, uint32_t b)
{
	return a != COUNT_UNKNOWN && b != COUNT_UNKNOWN && a != b;
}

/* Whether B, which sorts behind A, tells of the same attempt and knows no less. */
static bool is_same(const struct facts *f, const struct row *x, const struct row *y)
{
	const struct job *a = &f->jobs.v[x->job], *b = &f->jobs.v[y->job];
	const struct job_traits s = job_traits(f, a), t = job_traits(f, b);
	if (x->input == y->input || !str_eq(x->id, y->id) || x->submit_ms != y->submit_ms ||
	    a->is_slurm != b->is_slurm || a->is_pod != b->is_pod || words_differ(s.user, t.user) ||
	    words_differ(s.cluster, t.cluster) || words_differ(s.run, t.run))
		return false;
	bool is_equal = x->start_ms == y->start_ms && x->end_ms == y->end_ms;
	if (!a->is_slurm && !a->is_pod)
		return is_equal && x->start_ms != TIME_UNKNOWN && x->end_ms != TIME_UNKNOWN &&
		       !counts_differ(a->gpus, b->gpus);
	if (x->submit_ms == TIME_UNKNOWN)
		return is_equal && x->start_ms != TIME_UNKNOWN;
	if (x->end_ms != TIME_UNKNOWN && x->end_ms != y->end_ms)
		return false;
	return x->start_ms == y->start_ms ||
	       (x->start_ms == TIME_UNKNOWN && x->end_ms == TIME_UNKNOWN &&
	        y->start_ms >= x->submit_ms);
}

static void take_word(sym *to, sym from)
{
	*to = *to ? *to : from;
}

static void take_count(uint32_t *to, uint32_t from)
{
	*to = *to != COUNT_UNKNOWN ? *to : from;
}

/* What only the row that goes says. */
static void take_more(struct facts *f, struct job *to, const struct job *from)
{
	struct job_traits t = job_traits(f, to);
	const struct job_traits s = job_traits(f, from);
	take_word(&t.run, s.run);
	take_word(&t.user, s.user);
	take_word(&t.team, s.team);
	take_word(&t.queue, s.queue);
	take_word(&t.cluster, s.cluster);
	take_count(&t.per_node, s.per_node);
	take_count(&t.cpus, s.cpus);
	take_count(&t.node_count, s.node_count);
	take_count(&t.restarts, s.restarts);
	t.cpu_milli = t.cpu_milli >= 0 ? t.cpu_milli : s.cpu_milli;
	t.memory_mib = t.memory_mib >= 0 ? t.memory_mib : s.memory_mib;
	if (!t.share_den)
		t.share_num = s.share_num, t.share_den = s.share_den;
	job_set_traits(f, to, &t);
	take_word(&to->name, from->name);
	take_word(&to->node_names, from->node_names);
	take_count(&to->gpus, from->gpus);
	take_count(&to->requested, from->requested);
	if (to->eligible_ms == TIME_UNKNOWN)
		to->eligible_ms = from->eligible_ms;
}

/* TO[i]: where job I goes on: itself, or the job that tells of the same attempt. */
static size_t join_rows(struct facts *f, const struct row *rows, size_t n, uint32_t *to)
{
	size_t gone = 0;
	for (size_t i = 1; i < n; i++) {
		const struct row *a = &rows[i - 1], *b = &rows[i];
		if (!is_same(f, a, b))
			continue;
		take_more(f, &f->jobs.v[b->job], &f->jobs.v[a->job]);
		to[a->job] = b->job;
		gone++;
		facts_note(f, "A job that several inputs list was taken once.");
	}
	for (size_t i = n; i-- > 1;) /* chains: from the last one back */
		if (to[rows[i - 1].job] != rows[i - 1].job)
			to[rows[i - 1].job] = to[to[rows[i - 1].job]];
	return gone;
}

/* 1: counts of places; 2: which GPUs. */
static uint8_t says(const struct allocation *a)
{
	return a->on == CLAIM_DEVICE || a->on == CLAIM_INSTANCE || a->on == CLAIM_GPU ? 2 : 1;
}

/* A job's claims stay; those of a row that went are taken only where the other has none, or does
   not name its GPUs and they do. */
static void move_allocations(struct facts *f, const uint32_t *to)
{
	uint8_t *has = mem_alloc(mem_times(f->jobs.n, sizeof *has));    /* all 0 */
	uint32_t *from = mem_alloc(mem_times(f->jobs.n, sizeof *from)); /* whose claims a job has */
	size_t n = 0;
	for (size_t i = 0; i < f->jobs.n; i++)
		from[i] = GONE;
	for (size_t i = 0; i < f->allocations.n; i++) {
		uint8_t *it = &has[f->allocations.v[i].job];
		*it = says(&f->allocations.v[i]) > *it ? says(&f->allocations.v[i]) : *it;
	}
	for (size_t i = 0; i < f->jobs.n; i++) {
		uint32_t *now = &from[to[i]];
		if (has[i] &&
		    (*now == GONE || has[i] > has[*now] || (has[i] == has[*now] && to[i] == i)))
			*now = (uint32_t)i;
	}
	for (size_t i = 0; i < f->allocations.n; i++) {
		struct allocation a = f->allocations.v[i];
		if (from[to[a.job]] != a.job)
			continue;
		a.job = to[a.job];
		f->allocations.v[n++] = a;
	}
	f->allocations.n = n;
	mem_free(has);
	mem_free(from);
}

/* TO[i] becomes the place where the job that I goes on as stands now. */
static void drop_jobs(struct facts *f, uint32_t *to)
{
	uint32_t *at = mem_alloc(mem_times(f->jobs.n, sizeof *at));
	size_t n = 0;
	move_allocations(f, to);
	for (size_t i = 0; i < f->jobs.n; i++) {
		at[i] = (uint32_t)n;
		if (to[i] == i)
			f->jobs.v[n++] = f->jobs.v[i];
	}
	for (size_t i = 0; i < f->jobs.n; i++)
		to[i] = at[to[i]];
	for (size_t i = 0; i < f->allocations.n; i++)
		f->allocations.v[i].job = to[f->allocations.v[i].job];
	f->jobs.n = n;
	mem_free(at);
}

static bool is_in_several(const size_t *ends, size_t n)
{
	size_t with_jobs = 0;
	for (size_t i = 0; i < n; i++)
		with_jobs += ends[i] > (i ? ends[i - 1] : 0);
	return with_jobs > 1;
}

void same_join(struct facts *f, const size_t *ends, size_t n)
{
	uint32_t *to = mem_alloc(mem_times(f->jobs.n, sizeof *to));
	same_join_to(f, ends, n, to);
	mem_free(to);
}

void same_join_to(struct facts *f, const size_t *ends, size_t n, uint32_t *ret_to)
{
	for (size_t i = 0; i < f->jobs.n; i++)
		ret_to[i] = (uint32_t)i;
	if (!is_in_several(ends, n))
		return;
	struct row *rows = mem_alloc(mem_times(f->jobs.n, sizeof *rows));
	uint32_t input = 0;
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		while (i >= ends[input])
			input++;
		rows[i] = (struct row){ job_id(f, j), j->submit_ms, j->start_ms,
			                known_end(j), (uint32_t)i,  input };
	}
	qsort(rows, f->jobs.n, sizeof *rows, row_order);
	if (join_rows(f, rows, f->jobs.n, ret_to))
		drop_jobs(f, ret_to);
	mem_free(rows);
}
