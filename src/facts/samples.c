/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "facts/facts.h"

/* What LATER says of TO's device and time; where both say a metric, LATER's. */
static void take_over(struct sample *to, const struct sample *later)
{
	for (int m = 0; m < METRIC_COUNT; m++)
		if (later->why[m] == WHY_KNOWN || !(to->known >> m & 1)) {
			bool says = later->why[m] != WHY_ABSENT;
			to->v[m] = says ? later->v[m] : to->v[m];
			to->why[m] = says ? later->why[m] : to->why[m];
		}
	to->known |= later->known;
	if (later->kind == SAMPLE_AVERAGE)
		to->kind = SAMPLE_AVERAGE;
	facts_complete(to);
	to->period_ms = later->period_ms ? later->period_ms : to->period_ms;
	if (later->procs_why == WHY_KNOWN) {
		to->procs_why = later->procs_why;
		to->procs_at = later->procs_at;
		to->procs_n = later->procs_n;
	}
}

static bool has_profile(const struct sample *s)
{
	for (int m = 0; m < METRIC_COUNT; m++)
		if (s->known >> m & 1 &&
		    (metrics[m].role == ROLE_PROFILE || metrics[m].role == ROLE_PIPE))
			return true;
	return false;
}

static bool may_join(const struct sample *a, const struct sample *b, bool replaces)
{
	bool same_period = a->period_ms == b->period_ms || !a->period_ms || !b->period_ms;
	bool apart =
	        !(a->known & b->known) && !(a->procs_why == WHY_KNOWN && b->procs_why == WHY_KNOWN);
	/* profiling counters say what the device did; readings at a point beside them need not */
	bool same_kind =
	        a->kind == b->kind || (!replaces && has_profile(a->kind == SAMPLE_AVERAGE ? a : b));
	return same_kind && (replaces || (same_period && apart));
}

/* Returns how many say a metric that was said. */
static size_t join(struct facts *f, bool replaces)
{
	size_t n = f->samples.n, kept = 0, joined = 0, doubles = 0;
	if (n < 2)
		return 0;
	struct keyed *order = mem_alloc(mem_times(n, sizeof *order));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct keyed){ sort_key(f->samples.v[i].t_ms), (int64_t)i };
	sort_keyed(order, n);
	for (size_t i = 0; i < n; i++)
		order[i].key = f->samples.v[order[i].with].device;
	sort_keyed(order, n); /* stable: by device, then time, then place */
	for (size_t i = 0, first = 0; i < n; i++) {
		struct sample *to = &f->samples.v[order[first].with],
		              *s = &f->samples.v[order[i].with];
		bool is_same = i > first && to->device == s->device && to->t_ms == s->t_ms;
		if (!is_same || !may_join(to, s, replaces)) {
			first = i;
			continue;
		}
		doubles += (to->known & s->known) != 0;
		take_over(to, s);
		s->device = 0; /* taken */
		joined++;
	}
	mem_free(order);
	for (size_t i = 0; i < n && joined; i++)
		if (f->samples.v[i].device)
			f->samples.v[kept++] = f->samples.v[i];
	f->samples.n = joined ? kept : n;
	return doubles;
}

void facts_join_samples(struct facts *f, bool replaces)
{
	for (size_t doubles = join(f, replaces); doubles; doubles--)
		facts_note(f,
		           "Rows gave one metric of one GPU at one time twice: the last counts.");
}

void facts_merge_samples(struct facts *f)
{
	(void)join(f, true);
}
