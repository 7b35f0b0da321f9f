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

static int hold_order(const void *x, const void *y)
{
	const struct allocation_entry *a = x, *b = y;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	return a->to_ms < b->to_ms ? -1 : a->to_ms > b->to_ms;
}

/* The first row of a hold covers the period before it, as its sample does. */
static void widen(struct allocation_entry *v, size_t n, const struct facts *f)
{
	size_t at = 0;
	for (size_t i = 0, to; i < n; i = to) {
		for (to = i; to < n && v[to].place == v[i].place; to++)
			;
		while (at < f->samples.n && f->samples.v[at].device < v[i].place)
			at++;
		size_t end = at;
		bool has_period = false;
		for (; end < f->samples.n && f->samples.v[end].device == v[i].place; end++)
			has_period |= f->samples.v[end].period_ms > 0;
		int64_t gap = has_period ? 0 : gap_of(f->samples.v + at, end - at);
		for (size_t k = i; k < to && gap; k++) {
			int64_t from_ms = v[k].from_ms - gap;
			bool touches = k > i && v[k - 1].to_ms > from_ms;
			v[k].from_ms = touches && v[k - 1].to_ms < v[k].from_ms ? v[k - 1].to_ms
			               : touches                                ? v[k].from_ms
			                                                        : from_ms;
		}
		at = end;
	}
}

static void join_holds(struct facts *f)
{
	struct allocation_entry *v = mem_alloc(mem_times(f->allocations.n, sizeof *v));
	size_t n = 0;
	for (size_t i = 0; i < f->allocations.n; i++)
		v[i] = allocation_entry_of(f, &f->allocations.v[i]);
	if (f->allocations.n)
		qsort(v, f->allocations.n, sizeof *v, hold_order);
	for (size_t i = 0; i < f->allocations.n; i++) {
		struct allocation_entry *last = n ? &v[n - 1] : NULL;
		if (last && last->place == v[i].place && last->job == v[i].job)
			last->to_ms = v[i].to_ms > last->to_ms ? v[i].to_ms : last->to_ms;
		else
			v[n++] = v[i];
	}
	widen(v, n, f);
	f->allocations.n = f->portions.n = 0;
	for (size_t i = 0; i < n; i++)
		facts_add_own(f, &v[i]);
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
