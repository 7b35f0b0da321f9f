/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of jobs: waiting, gaps, fleet size, hours (ledger.md 8). */
#include <math.h>
#include <stdlib.h>

#include "account/demand.h"
#include "account/ignore.h"
#include "account/measures.h"
#include "base/sort.h"

static const char no_scheduler[] = "no scheduler facts: give sacct, squeue, or kubectl get pods";

static const char no_devices[] =
        "no allocation names its devices: give scontrol show job -d, or dcgm-exporter with job or "
        "pod labels";

static size_t jobs_count(const struct measure_input *in)
{
	return in->jobs ? in->jobs_n : in->f->jobs.n;
}

static const struct job *jobs_at(const struct measure_input *in, size_t i)
{
	return &in->f->jobs.v[in->jobs ? in->jobs[i] : i];
}

static bool is_ignored(const struct measure_input *in, const struct job *j)
{
	return ignore_job(in->f, (uint32_t)(j - in->f->jobs.v));
}

static uint32_t job_gpus(const struct job *j)
{
	return j->gpus != COUNT_UNKNOWN        ? j->gpus
	       : j->requested != COUNT_UNKNOWN ? j->requested
	                                       : 0;
}

static int double_compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

/* What is asked for; the waits themselves are let go. */
static const unsigned ranks[] = { 50, 95, 99, 100 }; /* per cent */
enum rank { RANK_P50, RANK_P95, RANK_P99, RANK_MAX, RANKS };

struct waits {
	bool is_made;
	double at[RANKS];  /* seconds */
	size_t n, started; /* started: also those that do not say since when they waited */
	double sum, weighted, gpus;
};

/* Of all jobs that started in the window, with GPUs or without, in ms, sorted. */
struct all_waits {
	uint64_t at[RANKS]; /* the nearest rank of each */
	size_t n, started;  /* started: whether their wait is known or not */
};

struct measure_shared {
	struct arena *a;
	struct waits waits[2]; /* by from_submit */
	struct all_waits all_waits;
	struct demand demand;
	bool has_all_waits, has_demand, no_devices;
};

struct measure_shared *measure_shared_new(struct arena *a)
{
	struct measure_shared *s = ARENA_NEW(a, struct measure_shared);
	*s = (struct measure_shared){ .a = a };
	return s;
}

/* In seconds, between the two nearest: what a quantile of the sorted waits is. */
static void waits_rank(struct waits *w, uint64_t *ms)
{
	size_t at[2 * RANKS];
	uint64_t got[2 * RANKS];
	for (int i = 0; i < RANKS; i++) {
		size_t low = (size_t)(ranks[i] / 100.0 * (double)(w->n - 1));
		at[2 * i] = low;
		at[2 * i + 1] = low + 1 < w->n ? low + 1 : low;
	}
	sort_pick_u64(ms, w->n, at, 2 * RANKS, got);
	for (int i = 0; i < RANKS; i++) {
		double q = ranks[i] / 100.0 * (double)(w->n - 1);
		double near[2] = { (double)got[2 * i] / 1000, (double)got[2 * i + 1] / 1000 };
		w->at[i] = measure_quantile(near, 2, q - (double)(size_t)q);
	}
}

static struct waits waits_make(const struct measure_input *in, bool from_submit)
{
	auto_arena scratch = ARENA_NULL;
	struct waits w = { .is_made = true };
	uint64_t *ms = ARENA_ARRAY(&scratch, uint64_t, jobs_count(in) + 1);
	for (size_t i = 0; i < jobs_count(in); i++) {
		const struct job *j = jobs_at(in, i);
		int64_t since = from_submit || j->eligible_ms == TIME_UNKNOWN ? j->submit_ms
		                                                              : j->eligible_ms;
		uint32_t gpus = job_gpus(j);
		if (!gpus || is_ignored(in, j) || j->start_ms == TIME_UNKNOWN ||
		    j->start_ms < in->l->window.from_ms || j->start_ms >= in->l->window.to_ms)
			continue;
		w.started++;
		if (since == TIME_UNKNOWN)
			continue;
		ms[w.n] = j->start_ms > since ? (uint64_t)(j->start_ms - since) : 0;
		double s = (double)ms[w.n++] / 1000;
		w.sum += s;
		w.weighted += s * gpus;
		w.gpus += gpus;
	}
	if (w.n)
		waits_rank(&w, ms);
	return w;
}

static struct waits waits_of(const struct measure_input *in, bool from_submit)
{
	struct waits *w = &in->shared->waits[from_submit];
	if (!w->is_made)
		*w = waits_make(in, from_submit);
	return *w;
}

enum what { QUANTILE, MEAN, WEIGHTED };

static void wait_measure(const struct measure_input *in, struct measure *m, bool from_submit,
                         enum what what, enum rank rank)
{
	struct waits w = waits_of(in, from_submit);
	double coverage = w.started ? (double)w.n / (double)w.started : 0;
	if (!w.started)
		measure_null(m, in->f->jobs.n ? "no GPU job started in the window" : no_scheduler);
	else if (!w.n)
		measure_null(m, from_submit ? "the jobs do not say when they were submitted: give "
		                              "sacct with Submit"
		                            : "the jobs do not say when they became eligible: give "
		                              "sacct with Eligible");
	else if (what == QUANTILE)
		measure_value(m, w.at[rank], coverage);
	else
		measure_value(m, what == MEAN ? w.sum / (double)w.n : w.weighted / w.gpus,
		              coverage);
}

#define WAIT_MEASURE(name, from_submit, what, rank)                            \
	void measure_##name(const struct measure_input *in, struct measure *m) \
	{                                                                      \
		wait_measure(in, m, from_submit, what, rank);                  \
	}
#define WAIT_MEASURES(prefix, from_submit)                          \
	WAIT_MEASURE(prefix##_p50, from_submit, QUANTILE, RANK_P50) \
	WAIT_MEASURE(prefix##_p95, from_submit, QUANTILE, RANK_P95) \
	WAIT_MEASURE(prefix##_p99, from_submit, QUANTILE, RANK_P99) \
	WAIT_MEASURE(prefix##_max, from_submit, QUANTILE, RANK_MAX) \
	WAIT_MEASURE(prefix##_mean, from_submit, MEAN, RANK_P50)    \
	WAIT_MEASURE(prefix##_gpu_weighted_mean, from_submit, WEIGHTED, RANK_P50)
WAIT_MEASURES(queue_time, false)
WAIT_MEASURES(queue_time_from_submit, true)

/* Allocations of named devices, by device and start. */
struct held {
	sym device;
	int64_t from_ms, to_ms;
};

static int held_compare(const void *x, const void *y)
{
	const struct held *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

/* V: NULL only counts them. */
static size_t held_of(const struct measure_input *in, struct held *v)
{
	const struct facts *f = in->f;
	size_t n = 0;
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *a = &f->allocations.v[i];
		if (a->on != CLAIM_DEVICE)
			continue;
		const struct job *j = &f->jobs.v[a->job];
		const struct portion *p = allocation_portion(f, a);
		struct held h = { .device = a->place,
			          .from_ms = p->from_ms != TIME_UNKNOWN ? p->from_ms : j->start_ms,
			          .to_ms = p->to_ms != TIME_UNKNOWN ? p->to_ms : j->end_ms };
		if (h.from_ms == TIME_UNKNOWN)
			continue;
		if (h.to_ms == TIME_UNKNOWN || h.to_ms > in->l->as_of_ms)
			h.to_ms = in->l->as_of_ms;
		if (v)
			v[n] = h;
		n++;
	}
	return n;
}

/* Lengths, in seconds, of the gaps that lie wholly or in part in the window, cut to it. */
static size_t gaps_of(const struct measure_input *in, const struct held *v, size_t n, double *gaps)
{
	const struct span w = in->l->window;
	size_t out = 0;
	int64_t end = 0;
	for (size_t i = 0; i < n; i++) {
		if (!i || v[i].device != v[i - 1].device) {
			end = v[i].to_ms;
			continue;
		}
		int64_t from = end > w.from_ms ? end : w.from_ms;
		int64_t to = v[i].from_ms < w.to_ms ? v[i].from_ms : w.to_ms;
		if (to > from)
			gaps[out++] = (double)(to - from) / 1000;
		if (v[i].to_ms > end)
			end = v[i].to_ms;
	}
	return out;
}

static void gap_measure(const struct measure_input *in, struct measure *m, enum what what, double q)
{
	auto_arena scratch = ARENA_NULL;
	size_t all = in->f->allocations.n;
	if (in->jobs) {
		measure_null(m, "a gap lies between jobs: it belongs to no group");
		return;
	}
	if (in->shared->no_devices) {
		measure_null(m, no_devices);
		return;
	}
	size_t n = held_of(in, NULL);
	struct held *v = ARENA_ARRAY(&scratch, struct held, n + 1);
	double *gaps = ARENA_ARRAY(&scratch, double, n + 1), sum = 0;
	held_of(in, v);
	in->shared->no_devices = !n;
	if (n > 1)
		qsort(v, n, sizeof *v, held_compare);
	size_t count = gaps_of(in, v, n, gaps);
	for (size_t i = 0; i < count; i++)
		sum += gaps[i];
	double coverage = all ? (double)n / (double)all : 0;
	if (!n)
		measure_null(m, no_devices);
	else if (!count)
		measure_null(m, "no device was allocated twice with a gap between");
	else if (what == MEAN)
		measure_value(m, sum / (double)count, coverage);
	else {
		qsort(gaps, count, sizeof *gaps, double_compare);
		measure_value(m, measure_quantile(gaps, count, q), coverage);
	}
}

void measure_idle_between_jobs_p50(const struct measure_input *in, struct measure *m)
{
	gap_measure(in, m, QUANTILE, 0.50);
}

void measure_idle_between_jobs_p95(const struct measure_input *in, struct measure *m)
{
	gap_measure(in, m, QUANTILE, 0.95);
}

void measure_idle_between_jobs_max(const struct measure_input *in, struct measure *m)
{
	gap_measure(in, m, QUANTILE, 1);
}

void measure_idle_between_jobs_mean(const struct measure_input *in, struct measure *m)
{
	gap_measure(in, m, MEAN, 0);
}

static void fleet_measure(const struct measure_input *in, struct measure *m, int which)
{
	struct demand *d = &in->shared->demand;
	if (!in->l->has_scheduler || !in->f->jobs.n) {
		measure_null(m, no_scheduler);
		return;
	}
	if (!in->shared->has_demand) {
		auto_arena scratch = ARENA_NULL;
		struct demand_events *e = in->demand;
		if (!e)
			e = demand_events(&scratch, in->l, in->f, in->jobs, in->jobs_n);
		demand_of(e, DEMAND_ANY_MODEL, in->l->window, d);
		in->shared->has_demand = true;
	}
	measure_value(m, which == 0 ? d->p50 : which == 1 ? d->p95 : d->max, d->coverage);
}

void measure_fleet_size_p50(const struct measure_input *in, struct measure *m)
{
	fleet_measure(in, m, 0);
}

void measure_fleet_size_p95(const struct measure_input *in, struct measure *m)
{
	fleet_measure(in, m, 1);
}

void measure_fleet_size_max(const struct measure_input *in, struct measure *m)
{
	fleet_measure(in, m, 2);
}

static double hours_in_window(const struct measure_input *in, const struct job *j)
{
	const struct span w = in->l->window;
	int64_t to = j->end_ms == TIME_UNKNOWN || j->end_ms > in->l->as_of_ms ? in->l->as_of_ms
	                                                                      : j->end_ms;
	if (j->start_ms == TIME_UNKNOWN)
		return 0;
	int64_t from = j->start_ms > w.from_ms ? j->start_ms : w.from_ms;
	to = to < w.to_ms ? to : w.to_ms;
	return to > from ? (double)(to - from) / 3600000 : 0;
}

static void hours_measure(const struct measure_input *in, struct measure *m, bool cpu)
{
	double sum = 0, known = 0, all = 0;
	for (size_t i = 0; i < jobs_count(in); i++) {
		const struct job *j = jobs_at(in, i);
		double h = is_ignored(in, j) ? 0 : hours_in_window(in, j);
		all += h;
		uint32_t cpus = cpu ? job_traits(in->f, j).cpus : 1;
		if (cpus == COUNT_UNKNOWN)
			continue;
		known += h;
		sum += h * cpus;
	}
	if (!in->f->jobs.n)
		measure_null(m, no_scheduler);
	else if (cpu && known < all) {
		measure_null(m,
		             "some jobs do not say their CPUs: give sacct with AllocTRES or NCPUS");
		m->has_low = true;
		m->low = sum;
		m->coverage = all > 0 ? known / all : 0;
	} else
		measure_value(m, sum, 1);
}

void measure_wall_hours(const struct measure_input *in, struct measure *m)
{
	hours_measure(in, m, false);
}

void measure_cpu_hours(const struct measure_input *in, struct measure *m)
{
	hours_measure(in, m, true);
}

static bool started_in_window(const struct measure_input *in, const struct job *j)
{
	return !is_ignored(in, j) && j->start_ms != TIME_UNKNOWN &&
	       j->start_ms >= in->l->window.from_ms && j->start_ms < in->l->window.to_ms;
}

static uint64_t wait_ms(const struct job *j)
{
	return j->start_ms > j->submit_ms ? (uint64_t)(j->start_ms - j->submit_ms) : 0;
}

static const char *const no_submit =
        "the jobs do not say when they were submitted: give sacct with Submit";

/* What an accounting system bills as waiting: jobs that ran for no time are left out. */
void measure_wait_hours(const struct measure_input *in, struct measure *m)
{
	i128 sum = 0;
	size_t started = 0, n = 0;
	for (size_t i = 0; i < jobs_count(in); i++) {
		const struct job *j = jobs_at(in, i);
		bool has_run = j->end_ms == TIME_UNKNOWN || j->end_ms > j->start_ms;
		if (!started_in_window(in, j) || !has_run)
			continue;
		started++;
		if (j->submit_ms == TIME_UNKNOWN)
			continue;
		n++;
		sum += wait_ms(j);
	}
	if (!in->f->jobs.n)
		measure_null(m, no_scheduler);
	else if (started && !n)
		measure_null(m, no_submit);
	else
		measure_value(m, measure_ratio(sum, 3600000),
		              started ? (double)n / (double)started : 1);
}

static const struct all_waits *all_waits_of(const struct measure_input *in)
{
	struct all_waits *w = &in->shared->all_waits;
	if (in->shared->has_all_waits)
		return w;
	in->shared->has_all_waits = true;
	auto_arena scratch = ARENA_NULL;
	uint64_t *ms = ARENA_ARRAY(&scratch, uint64_t, jobs_count(in) + 1);
	for (size_t i = 0; i < jobs_count(in); i++) {
		const struct job *j = jobs_at(in, i);
		if (!started_in_window(in, j))
			continue;
		w->started++;
		if (j->submit_ms != TIME_UNKNOWN)
			ms[w->n++] = wait_ms(j);
	}
	size_t at[RANKS];
	for (int i = 0; i < RANKS && w->n; i++)
		at[i] = (w->n * ranks[i] + 99) / 100 - 1;
	if (w->n)
		sort_pick_u64(ms, w->n, at, RANKS, w->at);
	return w;
}

/* "So many per cent of all jobs waited at most this long": a wait that a job had, the nearest rank.
 */
static void wait_rank(const struct measure_input *in, struct measure *m, enum rank rank)
{
	const struct all_waits *w = all_waits_of(in);
	if (!in->f->jobs.n)
		measure_null(m, no_scheduler);
	else if (!w->started)
		measure_null(m, "no job started in the window");
	else if (!w->n)
		measure_null(m, no_submit);
	else
		measure_value(m, (double)w->at[rank] / 1000, (double)w->n / (double)w->started);
}

void measure_wait_all_jobs_p50(const struct measure_input *in, struct measure *m)
{
	wait_rank(in, m, RANK_P50);
}

void measure_wait_all_jobs_p99(const struct measure_input *in, struct measure *m)
{
	wait_rank(in, m, RANK_P99);
}
