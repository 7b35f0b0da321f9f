/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter_join: what the pieces of an input said of each device, in time, becomes samples.
 *
 * The profiling counters are averages over the exporter's interval (30 s unless it is told
 * otherwise); GPU-Util, power and memory are read at a point. So a sample is an average if it holds
 * a profiling counter and the readings lie no further apart than PROFILE_GAP_MS; else a point,
 * which proves time only with its neighbour (ledger.md 9.3).
 */
#include <stdlib.h>

#include "base/sort.h"
#include "read/exporter.h"

#define PROFILE_GAP_MS 60000 /* two of the exporter's intervals; Prometheus' own default */
#define SAME_MS 600000       /* readings that stand still so long, power too, are no readings */
#define REPEAT_GAP_MS 300000 /* Prometheus hands out a value again for so long */

/* The samples of one device, in time. */
struct stretch {
	struct keyed *v; /* key: the time; with: place in the facts' samples */
	size_t n;
	int64_t period_ms;
	bool has_repeats, is_instance;
};

struct join {
	struct facts *f;
	VEC(struct stretch) stretches;
	VEC(struct exporter_run) runs;
};

static int64_t time_of(const struct stretch *s, size_t i)
{
	return sort_unkey(s->v[i].key);
}

static struct sample *at(const struct facts *f, const struct stretch *s, size_t i)
{
	return &f->samples.v[s->v[i].with];
}

static void join_devices(struct facts *f)
{
	struct map place = MAP_NULL;
	size_t n = 0;
	for (size_t i = 0; i < f->devices.n; i++) {
		struct device d = f->devices.v[i];
		uint32_t *p = map_at(&place, d.id);
		if (!*p) {
			f->devices.v[n++] = d;
			*p = (uint32_t)n;
			continue;
		}
		struct device *first = &f->devices.v[*p - 1];
		first->node = first->node ? first->node : d.node;
		first->model = first->model ? first->model : d.model;
		first->number = first->number ? first->number : d.number;
	}
	f->devices.n = n;
	n = 0;
	for (size_t i = 0; i < f->instances.n; i++) {
		struct instance d = f->instances.v[i];
		uint32_t *p = map_at(&place, (uint64_t)d.id << 32);
		if (!*p) {
			f->instances.v[n++] = d;
			*p = (uint32_t)n;
		} else if (!f->instances.v[*p - 1].slices) {
			f->instances.v[*p - 1].slices = d.slices;
		}
		const uint32_t *whole = map_get(&place, d.device);
		if (whole)
			f->devices.v[*whole - 1].mig = true;
	}
	f->instances.n = n;
	map_deinit(&place);
}

/* Places of samples by device, in the order in which devices came up, and time. */
static struct keyed *order_of(const struct facts *f)
{
	struct map rank = MAP_NULL;
	size_t n = f->samples.n;
	struct keyed *v = mem_alloc(mem_times(n + 1, sizeof *v));
	for (size_t i = 0; i < n; i++)
		v[i] = (struct keyed){ sort_key(f->samples.v[i].t_ms), (int64_t)i };
	sort_keyed(v, n);
	for (size_t i = 0; i < f->devices.n; i++)
		*map_at(&rank, f->devices.v[i].id) = (uint32_t)i;
	for (size_t i = 0; i < f->instances.n; i++)
		*map_at(&rank, f->instances.v[i].id) = (uint32_t)(f->devices.n + i);
	for (size_t i = 0; i < n; i++)
		v[i].key = *map_at(&rank, f->samples.v[v[i].with].device);
	sort_keyed(v, n);
	map_deinit(&rank);
	return v;
}

/* The jobs of both; S's list may be TO's own. */
static void jobs_merge(struct facts *f, struct sample *to, const struct sample *s)
{
	for (uint32_t i = 0; i < s->procs_n; i++) {
		sym word = f->syms.v[s->procs_at + i];
		uint32_t k = 0, at = to->procs_at;
		while (k < to->procs_n && f->syms.v[at + k] != word)
			k++;
		if (k < to->procs_n)
			continue;
		to->procs_at = (uint32_t)f->syms.n;
		vec_reserve(&f->syms, to->procs_n + 1);
		for (k = 0; k < to->procs_n; k++) {
			sym other = f->syms.v[at + k];
			*vec_push(&f->syms) = other;
		}
		*vec_push(&f->syms) = word;
		to->procs_n++;
	}
}

/* One moment in two pieces: of two values the larger counts, of two limits the smaller. */
static void merge(struct facts *f, struct sample *to, const struct sample *s)
{
	jobs_merge(f, to, s);
	for (int id = 0; id < METRIC_COUNT; id++) {
		bool is_known = to->known >> id & 1;
		if (!(s->known >> id & 1)) {
			if (!is_known && to->why[id] == WHY_ABSENT)
				to->why[id] = s->why[id];
			continue;
		}
		bool is_more =
		        id == METRIC_power_limit ? s->v[id] < to->v[id] : s->v[id] > to->v[id];
		if (is_known && !is_more)
			continue;
		to->v[id] = s->v[id];
		to->why[id] = WHY_KNOWN;
	}
	to->known |= s->known;
}

/* Gives reading I the place TO of those that stay; what stood there is taken. */
static void keep(struct stretch *s, size_t to, size_t i)
{
	struct keyed taken = s->v[to];
	s->v[to] = s->v[i];
	s->v[i] = taken;
}

static void join_moments(struct facts *f, struct stretch *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->v[n - 1].key == s->v[i].key) {
			merge(f, at(f, s, n - 1), at(f, s, i));
			at(f, s, i)->device = 0; /* taken */
			continue;
		}
		keep(s, n++, i);
	}
	s->n = n;
}

static bool says_same(const struct sample *a, const struct sample *b)
{
	return a->known == b->known && !memcmp(a->v, b->v, sizeof a->v) &&
	       !memcmp(a->why, b->why, sizeof a->why);
}

/* The energy counter never stands still on a device that is read again: an exporter (or its
 * source) that hands out the same count has not measured. */
static bool is_repeat(const struct sample *before, const struct sample *s)
{
	return s->known & metric_bit(METRIC_energy) && s->v[METRIC_energy] && says_same(before, s);
}

/* How many readings from I on say the same, to the last digit of the power. */
static size_t same_run(const struct facts *f, const struct stretch *s, size_t i)
{
	const struct sample *first = at(f, s, i);
	size_t n = 1;
	bool has_power =
	        first->known & (metric_bit(METRIC_power) | metric_bit(METRIC_power_instant));
	if (!has_power || (!first->v[METRIC_power] && !first->v[METRIC_power_instant]))
		return 1;
	while (i + n < s->n && says_same(first, at(f, s, i + n)))
		n++;
	return time_of(s, i + n - 1) - time_of(s, i) >= SAME_MS ? n : 1;
}

/* Takes out what was not measured again: that time is a gap. */
static void drop_repeats(struct facts *f, struct stretch *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n;) {
		size_t same = same_run(f, s, i), n = 1;
		while (i + n < s->n && (n < same || is_repeat(at(f, s, i), at(f, s, i + n)))) {
			at(f, s, i + n)->device = 0;
			n++;
		}
		s->has_repeats |= n > 1;
		keep(s, kept++, i);
		i += n;
	}
	if (kept < s->n)
		facts_note(f, "Readings that came again unchanged, counters of energy or power "
		              "included, were not taken: their source had not measured again.");
	s->n = kept;
}

/* The smallest and the upper median distance in time; 0: there is none. */
static void gaps_of(const struct stretch *s, int64_t *ret_least, int64_t *ret_median)
{
	*ret_least = *ret_median = 0;
	if (s->n < 2)
		return;
	uint64_t *gaps = mem_alloc(mem_times(s->n - 1, sizeof *gaps));
	for (size_t i = 1; i < s->n; i++)
		gaps[i - 1] = (uint64_t)(time_of(s, i) - time_of(s, i - 1));
	*ret_median = (int64_t)sort_median_u64(gaps, s->n - 1);
	*ret_least = (int64_t)gaps[0]; /* sorted now */
	mem_free(gaps);
}

static bool has_profile(const struct sample *s)
{
	const uint64_t profile = metric_bit(METRIC_gr) | metric_bit(METRIC_sm) |
	                         metric_bit(METRIC_tensor) | metric_bit(METRIC_fp16) |
	                         metric_bit(METRIC_fp32) | metric_bit(METRIC_fp64) |
	                         metric_bit(METRIC_dram);
	return s->known & profile;
}

/* STEP_MS: of the query's grid; 0: the ledger finds the period itself. */
static void settle(struct facts *f, struct stretch *s, int64_t step_ms)
{
	int64_t least, gap, period = step_ms;
	if (!step_ms && s->n == 1)
		facts_note(f, "A single reading of a device shows one moment: two or more show "
		              "the time between.");
	drop_repeats(f, s);
	gaps_of(s, &least, &gap);
	if (step_ms && s->has_repeats && least > step_ms && least <= REPEAT_GAP_MS)
		period = least;
	int64_t apart = period ? period : gap;
	for (size_t i = 0; i < s->n; i++) {
		struct sample *one = at(f, s, i);
		one->period_ms = period;
		one->kind =
		        has_profile(one) && apart <= PROFILE_GAP_MS ? SAMPLE_AVERAGE : SAMPLE_POINT;
		facts_complete(one);
	}
	s->period_ms = apart;
	if (apart > PROFILE_GAP_MS)
		facts_note(f, "Readings lie over a minute apart, so each is a point: runs that "
		              "are shorter do not show. A step of 30 s or less does it.");
}

static bool says_nothing(const struct sample *s)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		if (s->why[i] != WHY_ABSENT)
			return false;
	return true;
}

static void drop_taken(struct facts *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->samples.n; i++) {
		struct sample *s = &f->samples.v[i];
		if (!s->device || says_nothing(s))
			continue;
		if (n != i)
			f->samples.v[n] = *s;
		n++;
	}
	f->samples.n = n;
}

/* Puts sample FROM[i] into place i, along each cycle of places, with room for one sample. */
static void permute(struct sample *v, size_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (from[i] == i)
			continue;
		struct sample first = v[i];
		size_t at = i;
		while (from[at] != i) {
			size_t next = from[at];
			v[at] = v[next];
			from[at] = at;
			at = next;
		}
		v[at] = first;
		from[at] = at;
	}
}

/* Answers give series after series: readings in time are easier to look at. */
static void sort_samples(struct facts *f, const struct keyed *order)
{
	size_t n = f->samples.n, kept = 0, gone = n;
	size_t *from = mem_alloc(mem_times(n + 1, sizeof *from));
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &f->samples.v[order[i].with];
		from[s->device && !says_nothing(s) ? kept++ : --gone] = (size_t)order[i].with;
	}
	permute(f->samples.v, from, n);
	f->samples.n = kept;
	mem_free(from);
}

/* The step of a query: the least distance in time of any device's readings. */
static int64_t step_of(const struct join *j)
{
	int64_t step = 0;
	for (size_t i = 0; i < j->stretches.n; i++)
		for (size_t k = 1; k < j->stretches.v[i].n; k++) {
			const struct stretch *s = &j->stretches.v[i];
			int64_t gap = time_of(s, k) - time_of(s, k - 1);
			step = !step || gap < step ? gap : step;
		}
	return step;
}

/* When a device was read, in any of its series, and how often. */
struct seen_span {
	int64_t first_ms, last_ms, period_ms;
};

static void span_add(struct seen_span *w, const struct stretch *s)
{
	int64_t first = time_of(s, 0), last = time_of(s, s->n - 1);
	bool is_new = !w->period_ms && !w->first_ms && !w->last_ms;
	w->first_ms = is_new || first < w->first_ms ? first : w->first_ms;
	w->last_ms = is_new || last > w->last_ms ? last : w->last_ms;
	w->period_ms = s->period_ms > w->period_ms ? s->period_ms : w->period_ms;
}

/* A MIG instance that was not read while its device was, was not there: the layout has changed. */
static void instances_settle(struct facts *f, const struct join *j)
{
	struct map span_of = MAP_NULL, stretch_of = MAP_NULL;
	VEC(struct seen_span) spans = { 0 };
	for (size_t i = 0; i < j->stretches.n; i++)
		if (j->stretches.v[i].n)
			*map_at(&stretch_of, at(f, &j->stretches.v[i], 0)->device) =
			        (uint32_t)i + 1;
	for (size_t i = 0; i < f->instances.n; i++) {
		const sym words[] = { f->instances.v[i].device, f->instances.v[i].id };
		for (size_t k = 0; k < 2; k++) {
			const uint32_t *s = map_get(&stretch_of, words[k]);
			uint32_t *span = map_at(&span_of, words[0]);
			if (!s)
				continue;
			if (!*span) {
				*vec_push(&spans) = (struct seen_span){ 0 };
				*span = (uint32_t)spans.n;
			}
			span_add(&spans.v[*span - 1], &j->stretches.v[*s - 1]);
		}
	}
	for (size_t i = 0; i < f->instances.n; i++) {
		struct instance *in = &f->instances.v[i];
		const uint32_t *s = map_get(&stretch_of, in->id);
		if (!s)
			continue;
		const struct stretch *own = &j->stretches.v[*s - 1];
		const struct seen_span *w = &spans.v[*map_get(&span_of, in->device) - 1];
		int64_t first = time_of(own, 0), last = time_of(own, own->n - 1);
		if (2 * (first - w->first_ms) > 5 * w->period_ms)
			in->from_ms = first - w->period_ms;
		if (2 * (w->last_ms - last) > 5 * w->period_ms)
			in->to_ms = last;
	}
	map_deinit(&span_of), map_deinit(&stretch_of);
	vec_deinit(&spans);
}

static void notes_join(struct facts *f)
{
	bool any_sm = false, any_profile = false;
	for (size_t i = 0; i < f->samples.n; i++) {
		any_sm |= f->samples.v[i].why[METRIC_sm] != WHY_ABSENT;
		any_profile |= f->samples.v[i].why[METRIC_gr] != WHY_ABSENT;
	}
	if (any_profile && !any_sm)
		facts_note(f, "dcgm-exporter gives SM activity, the FP16, FP32 and FP64 pipes and "
		              "NVLink only if its list of counters says so: without "
		              "DCGM_FI_PROF_SM_ACTIVE and the pipes waiting in a busy loop looks "
		              "like work.");
	for (size_t i = 0; i < f->notes.n; i++)
		f->notes.v[i].count = 1; /* however many pieces found it */
}

void exporter_join(struct facts *f, bool is_grid)
{
	struct join j = { .f = f };
	join_devices(f);
	struct keyed *order = order_of(f);
	for (size_t i = 0, n; i < f->samples.n; i += n) {
		for (n = 1; i + n < f->samples.n && order[i + n].key == order[i].key;)
			n++;
		struct stretch *s = vec_push(&j.stretches);
		*s = (struct stretch){ .v = order + i,
			               .n = n,
			               .is_instance = order[i].key >= f->devices.n };
		for (size_t k = 0; k < n; k++)
			s->v[k].key = sort_key(f->samples.v[s->v[k].with].t_ms);
		join_moments(f, s);
	}
	int64_t step = is_grid ? step_of(&j) : 0;
	for (size_t i = 0; i < j.stretches.n; i++) {
		struct stretch *s = &j.stretches.v[i];
		settle(f, s, step);
		*vec_push(&j.runs) =
		        (struct exporter_run){ s->v, s->n, s->period_ms, s->is_instance };
	}
	instances_settle(f, &j);
	exporter_join_jobs(f, j.runs.v, j.runs.n);
	if (is_grid)
		sort_samples(f, order);
	else
		drop_taken(f);
	notes_join(f);
	mem_free(order);
	vec_deinit(&j.stretches);
	vec_deinit(&j.runs);
}
