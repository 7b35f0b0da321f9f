/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter_jobs: the jobs that labels named. A reading speaks of the time since the one before it,
 * so a job holds a device from the reading before the first that names it to the last that does;
 * where readings are missing for longer than a reading lasts (ledger.md 4, rule 1) the hold is cut.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "read/exporter.h"

/* A stretch over which a device was read. */
struct read_span {
	uint32_t rank; /* of the device: numbers of words differ with the pieces */
	sym device;
	struct span span;
};

/* A job holds a device. */
struct said {
	struct allocation_entry a;
	uint32_t run; /* of the device: numbers of words differ with the pieces */
};

struct joined {
	struct facts *f;
	const struct exporter_run *runs;
	struct map job_of; /* by word: place + 1 */
	VEC(struct said) holds;
	bool *shares; /* by job: some of its devices are others' too, so it has parts of GPUs */
	VEC(struct read_span) covered;
	int64_t newest_ms;
};

static int64_t time_of(const struct exporter_run *r, size_t i)
{
	return sort_unkey(r->v[i].key);
}

/* Since when reading I of R speaks. */
static int64_t from_of(const struct exporter_run *r, size_t i)
{
	int64_t t = time_of(r, i), p = r->period_ms;
	int64_t before = i ? time_of(r, i - 1) : TIME_UNKNOWN;
	if (i && 2 * (t - before) <= 5 * p)
		return before;
	int64_t from = i && t - p < before ? before : t - p;
	return from < TIME_MS_MIN ? TIME_MS_MIN : from;
}

/* Pieces name a job each for itself: the first place of its id is the job's. */
static void join_ids(struct joined *j)
{
	struct facts *f = j->f;
	size_t n = 0;
	for (size_t i = 0; i < f->jobs.n; i++) {
		uint32_t *p = map_at(&j->job_of, facts_word(f, job_id(f, &f->jobs.v[i])));
		if (*p)
			continue;
		f->jobs.v[n++] = f->jobs.v[i];
		*p = (uint32_t)n;
	}
	f->jobs.n = n;
}

/* The job holds the device at reading I of run RUN. */
static void hold_add(struct joined *j, uint32_t job, uint32_t run, size_t i, size_t first)
{
	const struct exporter_run *r = &j->runs[run];
	int64_t from = from_of(r, i), to = time_of(r, i);
	struct job *one = &j->f->jobs.v[job];
	if (one->start_ms == TIME_UNKNOWN || to < one->start_ms)
		one->start_ms = to;
	if (from >= to)
		return; /* one moment: no time is known */
	for (size_t k = j->holds.n; k-- > first;) {
		struct said *last = &j->holds.v[k];
		if (last->a.job != job || last->a.to_ms < from)
			continue;
		last->a.to_ms = to;
		return;
	}
	sym device = j->f->samples.v[r->v[i].with].device;
	struct said *s = vec_push(&j->holds);
	*s = (struct said){ .run = run };
	s->a = (struct allocation_entry){ .job = job,
		                          .on = r->is_instance ? CLAIM_INSTANCE : CLAIM_DEVICE,
		                          .place = device,
		                          .count = 1,
		                          .share_num = 1,
		                          .share_den = 1,
		                          .from_ms = from,
		                          .to_ms = to };
}

/* By job, device and time. */
static int said_order(const void *x, const void *y)
{
	const struct said *a = x, *b = y;
	if (a->a.job != b->a.job)
		return a->a.job < b->a.job ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	return a->a.from_ms < b->a.from_ms ? -1 : a->a.from_ms > b->a.from_ms;
}

/* Holds that are still going on stand behind FIRST: none that ended before is looked at again. */
static void run_join(struct joined *j, uint32_t run)
{
	const struct exporter_run *r = &j->runs[run];
	struct facts *f = j->f;
	size_t first = j->holds.n;
	for (size_t i = 0; i < r->n; i++) {
		struct sample *s = &f->samples.v[r->v[i].with];
		while (first < j->holds.n && i && j->holds.v[first].a.to_ms < from_of(r, i))
			first++;
		for (uint32_t k = 0; k < s->procs_n; k++) {
			const uint32_t *job = map_get(&j->job_of, f->syms.v[s->procs_at + k]);
			if (!job)
				continue;
			j->shares[*job - 1] |= s->procs_n > 1 || r->is_instance;
			hold_add(j, *job - 1, run, i, first);
		}
		s->procs_at = s->procs_n = 0;
	}
}

static void holds_join(struct joined *j, size_t n)
{
	struct facts *f = j->f;
	for (size_t i = 0; i < n; i++)
		run_join(j, (uint32_t)i);
	vec_sort(&j->holds, said_order);
	for (size_t i = 0; i < j->holds.n; i++)
		facts_add_allocation(f, &j->holds.v[i].a);
}

/* Start, end and count of each job; one that the newest readings name still runs. */
static void jobs_settle(struct joined *j)
{
	struct facts *f = j->f;
	for (size_t i = 0; i < j->holds.n; i++) {
		const struct said *h = &j->holds.v[i];
		struct job *job = &f->jobs.v[h->a.job];
		const struct exporter_run *r = &j->runs[h->run];
		bool is_new = !i || h[-1].a.job != h->a.job || h[-1].run != h->run;
		if (h->a.from_ms < job->start_ms)
			job->start_ms = h->a.from_ms;
		if (job->end_ms == TIME_UNKNOWN || h->a.to_ms > job->end_ms)
			job->end_ms = h->a.to_ms;
		job->gpus = (job->gpus == COUNT_UNKNOWN ? 0 : job->gpus) + is_new;
		if (h->a.to_ms == time_of(r, r->n - 1) &&
		    2 * (j->newest_ms - h->a.to_ms) <= 5 * r->period_ms)
			job->outcome = OUTCOME_RUNNING;
	}
	for (size_t i = 0; i < f->jobs.n; i++) {
		struct job *job = &f->jobs.v[i];
		if (job->end_ms == TIME_UNKNOWN) /* one moment: it held, and no time is known */
			job->outcome = OUTCOME_RUNNING;
		if (job->outcome == OUTCOME_RUNNING)
			job->end_ms = TIME_UNKNOWN;
		if (j->shares[i]) /* case 16: four pods on one GPU want no four GPUs */
			job->gpus = COUNT_UNKNOWN;
	}
}

static int read_order(const void *x, const void *y)
{
	const struct read_span *a = x, *b = y;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->span.from_ms < b->span.from_ms ? -1 : a->span.from_ms > b->span.from_ms;
}

static int span_order(const void *x, const void *y)
{
	const struct span *a = x, *b = y;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

static void cover(struct joined *j, const struct exporter_run *r, sym device, uint32_t rank)
{
	struct span s = { TIME_UNKNOWN, TIME_UNKNOWN };
	for (size_t i = 0; i <= r->n; i++) {
		int64_t from = i < r->n ? from_of(r, i) : INT64_MAX;
		if (i && from > s.to_ms && s.from_ms < s.to_ms)
			*vec_push(&j->covered) = (struct read_span){ rank, device, s };
		if (i < r->n && (!i || from > s.to_ms))
			s.from_ms = from;
		if (i < r->n)
			s.to_ms = time_of(r, i);
	}
}

static void capacity_add(struct joined *j, sym device, int64_t from_ms, int64_t to_ms, bool unseen)
{
	*vec_push(&j->f->capacity) = (struct capacity){ .device = device,
		                                        .from_ms = from_ms,
		                                        .to_ms = to_ms,
		                                        .at_ms = j->newest_ms,
		                                        .source = facts_word(j->f, S("readings")),
		                                        .is_unseen = unseen,
		                                        .count = 1 };
}

/* A device is there from its first reading to its last; of the time between two stretches nobody
   says whose it was. */
static void capacity_join(struct joined *j)
{
	const struct read_span *v = j->covered.v;
	int64_t from = 0, to = 0;
	for (size_t i = 0; i < j->covered.n; i++) {
		bool is_first = !i || v[i].device != v[i - 1].device;
		if (!is_first && v[i].span.from_ms > to) {
			capacity_add(j, v[i].device, from, to, false);
			capacity_add(j, v[i].device, to, v[i].span.from_ms, true);
		}
		if (is_first || v[i].span.from_ms > to) {
			from = v[i].span.from_ms;
			to = v[i].span.to_ms;
		}
		to = v[i].span.to_ms > to ? v[i].span.to_ms : to;
		if (i + 1 == j->covered.n || v[i + 1].device != v[i].device)
			capacity_add(j, v[i].device, from, to, false);
	}
}

/* The labels are the scheduler's word also on who does not hold a device, while it is read. */
static void scheduler_join(struct joined *j)
{
	struct facts *f = j->f;
	VEC(struct span) spans = { 0 };
	for (size_t i = 0; i < j->covered.n; i++)
		*vec_push(&spans) = j->covered.v[i].span;
	vec_sort(&spans, span_order);
	for (size_t i = 0; i < spans.n; i++) {
		struct span s = spans.v[i];
		struct span *last = i ? &f->scheduler.v[f->scheduler.n - 1] : NULL;
		if (last && last->to_ms >= s.from_ms)
			last->to_ms = s.to_ms > last->to_ms ? s.to_ms : last->to_ms;
		else
			*vec_push(&f->scheduler) = s;
	}
	vec_deinit(&spans);
}

static void cover_all(struct joined *j, size_t n)
{
	struct facts *f = j->f;
	struct map whole_of = MAP_NULL, rank_of = MAP_NULL;
	for (size_t i = 0; i < f->devices.n; i++)
		*map_at(&rank_of, f->devices.v[i].id) = (uint32_t)i;
	for (size_t i = 0; i < f->instances.n; i++)
		*map_at(&whole_of, f->instances.v[i].id) = f->instances.v[i].device;
	for (size_t i = 0; i < n; i++) {
		if (!j->runs[i].n)
			continue;
		sym device = f->samples.v[j->runs[i].v[0].with].device;
		const uint32_t *whole = map_get(&whole_of, device);
		device = whole ? *whole : device;
		cover(j, &j->runs[i], device, *map_at(&rank_of, device));
	}
	map_deinit(&whole_of);
	map_deinit(&rank_of);
	vec_sort(&j->covered, read_order);
	capacity_join(j);
	scheduler_join(j);
}

void exporter_join_jobs(struct facts *f, const struct exporter_run *runs, size_t n)
{
	struct joined j = { .f = f, .runs = runs, .newest_ms = TIME_UNKNOWN };
	if (!f->jobs.n)
		return;
	join_ids(&j);
	j.shares = mem_alloc(mem_times(f->jobs.n, sizeof *j.shares));
	for (size_t i = 0; i < n; i++) {
		int64_t last = runs[i].n ? time_of(&runs[i], runs[i].n - 1) : TIME_UNKNOWN;
		j.newest_ms = last > j.newest_ms ? last : j.newest_ms;
	}
	holds_join(&j, n);
	jobs_settle(&j);
	cover_all(&j, n);
	f->syms.n = 0; /* nothing else put words there */
	mem_free(j.shares);
	map_deinit(&j.job_of);
	vec_deinit(&j.holds);
	vec_deinit(&j.covered);
}
