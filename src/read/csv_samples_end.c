/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_samples_end: an input is read in pieces, side by side; here what they say of the same device,
 * job and time becomes one.
 */
#include <stdlib.h>

#include "base/sort.h"
#include "read/csv_map.h"

static void join_devices(struct facts *f)
{
	struct map at = MAP_NULL;
	size_t n = 0;
	for (size_t i = 0; i < f->devices.n; i++) {
		struct device d = f->devices.v[i];
		uint32_t *slot = map_at(&at, d.id);
		if (!*slot) {
			f->devices.v[n++] = d;
			*slot = (uint32_t)n;
			continue;
		}
		struct device *first = &f->devices.v[*slot - 1];
		first->node = first->node ? first->node : d.node;
		first->model = first->model ? first->model : d.model;
	}
	f->devices.n = n;
	map_deinit(&at);
}

static void join_jobs(struct facts *f)
{
	struct map at = MAP_NULL;
	size_t n = 0;
	uint32_t *now = mem_alloc(mem_times(f->jobs.n + 1, sizeof *now));
	for (size_t i = 0; i < f->jobs.n; i++) {
		uint32_t *slot = map_at(&at, facts_word(f, job_id(f, &f->jobs.v[i])));
		if (!*slot) {
			f->jobs.v[n++] = f->jobs.v[i];
			*slot = (uint32_t)n;
		}
		now[i] = *slot - 1;
	}
	f->jobs.n = n;
	for (size_t i = 0; i < f->allocations.n; i++)
		f->allocations.v[i].job = now[f->allocations.v[i].job];
	mem_free(now);
	map_deinit(&at);
}

static int time_order(const void *x, const void *y)
{
	const struct sample *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

/* The upper median of the distances of N samples in time order; 0: there is none. */
static int64_t gap_of(const struct sample *v, size_t n)
{
	if (n < 2)
		return 0;
	uint64_t *gaps = mem_alloc(mem_times(n - 1, sizeof *gaps));
	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = (uint64_t)(v[i].t_ms - v[i - 1].t_ms);
	int64_t median = (int64_t)sort_median_u64(gaps, n - 1);
	mem_free(gaps);
	return median;
}

/* By device, time and job. */
static int hold_order(const void *x, const void *y)
{
	const struct allocation_entry *a = x, *b = y;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->to_ms != b->to_ms)
		return a->to_ms < b->to_ms ? -1 : 1;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

struct entries {
	VEC(struct allocation_entry) v;
};

/* The samples of a device, and who holds it. */
struct device_holds {
	const struct sample *v; /* in time */
	size_t n;
	int64_t gap_ms; /* between them; 0: they state their periods, or there is one */
	struct entries *out;
	size_t open; /* in OUT: none before it goes on */
};

static int64_t period_of(const struct device_holds *d, size_t i)
{
	return d->v[i].period_ms > 0 ? d->v[i].period_ms : d->gap_ms;
}

/* Sample I speaks of the time since the one before it; no row is carried further than 2.5 periods
   (ledger.md 4, rule 1). */
static bool is_near(const struct device_holds *d, size_t i)
{
	int64_t p = period_of(d, i);
	return i && (!p || 2 * (d->v[i].t_ms - d->v[i - 1].t_ms) <= 5 * p);
}

/* Since when sample I speaks, where a job is new. */
static int64_t from_of(const struct device_holds *d, size_t i)
{
	int64_t t_ms = d->v[i].t_ms, before = i ? d->v[i - 1].t_ms : 0;
	if (d->v[i].period_ms > 0)
		return t_ms - d->v[i].period_ms;
	if (is_near(d, i))
		return before;
	return i && t_ms - d->gap_ms < before ? before : t_ms - d->gap_ms;
}

/* A row at sample I names the job of HOLD. */
static void hold_add(struct device_holds *d, struct allocation_entry hold, size_t i)
{
	struct entries *out = d->out;
	int64_t before = is_near(d, i) ? d->v[i - 1].t_ms : INT64_MIN;
	while (d->open < out->v.n && out->v.v[d->open].to_ms < before)
		d->open++;
	for (size_t k = out->v.n; k-- > d->open;) {
		struct allocation_entry *last = &out->v.v[k];
		if (last->job != hold.job || (last->to_ms != before && last->to_ms != hold.to_ms))
			continue;
		last->to_ms = hold.to_ms;
		return;
	}
	int64_t from_ms = from_of(d, i);
	hold.from_ms = from_ms < hold.from_ms ? from_ms : hold.from_ms;
	*vec_push(&out->v) = hold;
}

/* The N rows of one device that name jobs. AT: where its samples begin, and then end. */
static void device_holds(const struct facts *f, const struct allocation_entry *v, size_t n,
                         size_t *at, struct entries *out)
{
	bool has_period = false;
	while (*at < f->samples.n && f->samples.v[*at].device < v->place)
		++*at;
	struct device_holds d = { .v = f->samples.v + *at, .out = out, .open = out->v.n };
	for (; *at < f->samples.n && f->samples.v[*at].device == v->place; ++*at, d.n++)
		has_period |= f->samples.v[*at].period_ms > 0;
	d.gap_ms = has_period ? 0 : gap_of(d.v, d.n);
	for (size_t i = 0, k = 0; k < n; k++) {
		while (i < d.n && d.v[i].t_ms < v[k].to_ms)
			i++;
		if (i < d.n) /* each row is a sample */
			hold_add(&d, v[k], i);
	}
}

/* Start, end and count of each job. */
static void settle_jobs(struct facts *f, const struct allocation_entry *v, size_t n)
{
	struct map counted = MAP_NULL;
	for (size_t i = 0; i < n; i++) {
		struct job *j = &f->jobs.v[v[i].job];
		j->start_ms = j->start_ms == TIME_UNKNOWN || v[i].from_ms < j->start_ms
		                      ? v[i].from_ms
		                      : j->start_ms;
		j->end_ms = j->end_ms == TIME_UNKNOWN || v[i].to_ms > j->end_ms ? v[i].to_ms
		                                                                : j->end_ms;
		j->gpus = j->gpus == COUNT_UNKNOWN ? 0 : j->gpus;
		uint32_t *again = map_at(&counted, (uint64_t)v[i].job << 32 | v[i].place);
		j->gpus += !*again;
		*again = 1;
	}
	map_deinit(&counted);
}

/* From rows that name jobs to what they hold. */
static void join_holds(struct facts *f)
{
	struct allocation_entry *v = mem_alloc(mem_times(f->allocations.n, sizeof *v));
	struct entries holds = { { 0 } };
	size_t n = f->allocations.n, at = 0;
	for (size_t i = 0; i < n; i++)
		v[i] = allocation_entry_of(f, &f->allocations.v[i]);
	if (n)
		qsort(v, n, sizeof *v, hold_order);
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i; to < n && v[to].place == v[i].place; to++)
			;
		device_holds(f, v + i, to - i, &at, &holds);
	}
	f->allocations.n = f->portions.n = 0;
	for (size_t i = 0; i < holds.v.n; i++)
		facts_add_own(f, &holds.v.v[i]);
	settle_jobs(f, holds.v.v, holds.v.n);
	vec_deinit(&holds.v);
	mem_free(v);
}

void csv_samples_end(struct facts *f)
{
	join_devices(f);
	join_jobs(f);
	facts_join_samples(f, true);
	if (f->samples.n)
		qsort(f->samples.v, f->samples.n, sizeof *f->samples.v, time_order);
	join_holds(f);
}
