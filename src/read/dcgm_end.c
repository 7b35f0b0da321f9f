/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcgm_end: what was read of each device, in time, becomes samples.
 *
 * The profiling counters are averages over the exporter's interval (30 s unless it is told
 * otherwise); GPU-Util, power and memory are read at a point. So a sample is an average if it holds
 * a profiling counter and the readings lie no further apart than PROFILE_GAP_MS; else a point,
 * which proves time only with its neighbour (ledger.md 9.3).
 */
#include <stdlib.h>

#include "read/dcgm.h"

#define PROFILE_GAP_MS 60000 /* two of the exporter's intervals; Prometheus' own default */
#define SAME_MS 600000       /* readings that stand still so long, power too, are no readings */
#define REPEAT_GAP_MS 300000 /* Prometheus hands out a value again for so long */

struct stretch {
	struct dcgm_row *v;
	size_t n;
	bool has_repeats;
};

static int row_order(const void *x, const void *y)
{
	const struct dcgm_row *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

static bool knows(const struct dcgm_row *r, enum dcgm_part part)
{
	return r->why[part] == WHY_KNOWN;
}

/* The energy counter never stands still on a device that is read again: an exporter (or its
 * source) that hands out the same count has not measured. */
static bool is_repeat(const struct dcgm_row *before, const struct dcgm_row *r)
{
	return knows(before, DCGM_ENERGY) && knows(r, DCGM_ENERGY) && r->v[DCGM_ENERGY] > 0 &&
	       before->v[DCGM_ENERGY] == r->v[DCGM_ENERGY] && before->all == r->all;
}

/* How many rows from AT on say the same, to the last digit of the power. */
static size_t same_run(const struct stretch *s, size_t at)
{
	size_t n = 1;
	if (!knows(&s->v[at], DCGM_POWER) || s->v[at].v[DCGM_POWER] == 0)
		return 1;
	while (at + n < s->n && s->v[at + n].all == s->v[at].all)
		n++;
	return s->v[at + n - 1].t_ms - s->v[at].t_ms >= SAME_MS ? n : 1;
}

/* Takes out what was not measured again: that time is a gap. */
static void drop_repeats(struct facts *f, struct stretch *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n;) {
		size_t same = same_run(s, i), n = 1;
		while (i + n < s->n && (n < same || is_repeat(&s->v[i], &s->v[i + n])))
			n++;
		s->has_repeats |= n > 1;
		s->v[kept++] = s->v[i];
		i += n;
	}
	if (kept < s->n)
		facts_note(f, "Readings that came again unchanged, counters of energy or power "
		              "included, were not taken: their source had not measured again.");
	s->n = kept;
}

static int gap_order(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

/* The smallest and the median distance in time; 0: there is none. */
static void gaps_of(const struct stretch *s, int64_t *ret_least, int64_t *ret_median)
{
	*ret_least = *ret_median = 0;
	if (s->n < 2)
		return;
	int64_t *gaps = mem_alloc(mem_times(s->n - 1, sizeof *gaps));
	for (size_t i = 1; i < s->n; i++)
		gaps[i - 1] = s->v[i].t_ms - s->v[i - 1].t_ms;
	qsort(gaps, s->n - 1, sizeof *gaps, gap_order);
	*ret_least = gaps[0];
	*ret_median = gaps[(s->n - 1) / 2];
	mem_free(gaps);
}

static void put(struct sample *s, enum metric_id id, const struct dcgm_row *r, enum dcgm_part part)
{
	s->why[id] = r->why[part];
	s->v[id] = knows(r, part) ? r->v[part] : 0;
	s->known |= (uint64_t)knows(r, part) << id;
}

/* Both parts together; without one of them there is no sum. */
static void put_sum(struct sample *s, enum metric_id id, const struct dcgm_row *r, enum dcgm_part a,
                    enum dcgm_part b)
{
	int64_t sum;
	if (knows(r, a) && knows(r, b) && !__builtin_add_overflow(r->v[a], r->v[b], &sum)) {
		s->v[id] = sum;
		s->why[id] = WHY_KNOWN;
		s->known |= metric_bit((enum metric_id)id);
		return;
	}
	s->why[id] = knows(r, a) ? r->why[b] : r->why[a];
	if (s->why[id] == WHY_KNOWN)
		s->why[id] = WHY_OUT_OF_RANGE;
}

static bool put_profile(struct sample *s, const struct dcgm_row *r)
{
	static const struct {
		enum metric_id id;
		enum dcgm_part part;
	} parts[] = { { METRIC_gr, DCGM_GR },         { METRIC_sm, DCGM_SM },
		      { METRIC_tensor, DCGM_TENSOR }, { METRIC_fp16, DCGM_FP16 },
		      { METRIC_fp32, DCGM_FP32 },     { METRIC_fp64, DCGM_FP64 },
		      { METRIC_dram, DCGM_DRAM } };
	bool any = false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		put(s, parts[i].id, r, parts[i].part);
		any |= knows(r, parts[i].part);
	}
	put_sum(s, METRIC_pcie, r, DCGM_PCIE_TX, DCGM_PCIE_RX);
	put_sum(s, METRIC_nvlink, r, DCGM_NVLINK_TX, DCGM_NVLINK_RX);
	return any;
}

/* A device's power and clocks under an instance's labels say nothing of the instance. */
static void put_device(struct sample *s, const struct dcgm_row *r, bool is_instance)
{
	/* DCGM's used leaves the driver's reserve out; the sample's has it in */
	put(s, METRIC_mem_reserve, r, DCGM_RESERVED);
	put_sum(s, METRIC_mem_used, r, DCGM_USED, DCGM_RESERVED);
	if (!knows(r, DCGM_RESERVED))
		put(s, METRIC_mem_used, r, DCGM_USED);
	if (is_instance)
		return;
	put(s, METRIC_gpu_util, r, DCGM_UTIL);
	put(s, METRIC_power, r, DCGM_POWER);
	put(s, METRIC_power_limit, r, DCGM_LIMIT);
	put(s, METRIC_idle_reason, r, DCGM_IDLE);
}

static bool says_nothing(const struct sample *s)
{
	for (int i = 0; i < METRIC_COUNT; i++)
		if (s->why[i] != WHY_ABSENT)
			return false;
	return true;
}

/* STEP_MS: of the query's grid; 0: the ledger finds the period itself. */
static void stretch_write(struct dcgm *c, struct stretch *s, int64_t step_ms)
{
	const struct dcgm_device *d = &c->devices.v[s->v[0].device];
	int64_t least, gap, period = step_ms;
	if (!step_ms && s->n == 1)
		facts_note(c->f, "A single reading of a device shows one moment: two or more show "
		                 "the time between.");
	drop_repeats(c->f, s);
	gaps_of(s, &least, &gap);
	if (step_ms && s->has_repeats && least > step_ms && least <= REPEAT_GAP_MS)
		period = least;
	int64_t apart = period ? period : gap;
	for (size_t i = 0; i < s->n; i++) {
		struct sample *one = facts_sample(c->f, d->id, s->v[i].t_ms);
		one->period_ms = period;
		one->kind = put_profile(one, &s->v[i]) && apart <= PROFILE_GAP_MS ? SAMPLE_AVERAGE
		                                                                  : SAMPLE_POINT;
		put_device(one, &s->v[i], d->is_instance);
		if (says_nothing(one))
			c->f->samples.n--;
	}
	if (apart > PROFILE_GAP_MS)
		facts_note(c->f, "Readings lie over a minute apart, so each is a point: runs that "
		                 "are shorter do not show. A step of 30 s or less does it.");
}

/* The step of a query: the least distance in time of any device's readings. */
static int64_t step_of(const struct dcgm *c)
{
	int64_t step = 0;
	for (size_t i = 1; i < c->rows.n; i++) {
		const struct dcgm_row *a = &c->rows.v[i - 1], *b = &c->rows.v[i];
		if (a->device == b->device && (!step || b->t_ms - a->t_ms < step))
			step = b->t_ms - a->t_ms;
	}
	return step;
}

static unsigned parts_seen(const struct dcgm *c)
{
	unsigned n = 0;
	for (int i = 0; i < DCGM_PARTS; i++)
		n += c->seen[i] != 0;
	return n;
}

static void notes_write(const struct dcgm *c, bool is_grid)
{
	if (is_grid && parts_seen(c) == 1)
		facts_note(c->f, "An answer holds one metric only: readings of one device and time "
		                 "must stand in one file (cat a.json b.json), or the last file's "
		                 "count alone.");
	if (c->untimed)
		facts_note(c->f, "A scrape without times says which devices there are, and nothing "
		                 "of when: `while sleep 30; do date -u +'# %FT%TZ'; curl -s "
		                 "HOST:9400/metrics; done >> scrapes.prom` keeps them, or ask "
		                 "Prometheus for a range (query_range).");
	if (c->rows.n && !c->seen[DCGM_SM])
		facts_note(c->f,
		           "dcgm-exporter gives SM activity, the FP16, FP32 and FP64 pipes and "
		           "NVLink only if its list of counters says so: without "
		           "DCGM_FI_PROF_SM_ACTIVE and the pipes waiting in a busy loop looks "
		           "like work.");
}

void dcgm_end(struct dcgm *c, bool is_grid)
{
	vec_sort(&c->rows, row_order);
	int64_t step = is_grid ? step_of(c) : 0;
	for (size_t i = 0, n; i < c->rows.n; i += n) {
		for (n = 1; i + n < c->rows.n && c->rows.v[i + n].device == c->rows.v[i].device;)
			n++;
		struct stretch s = { .v = &c->rows.v[i], .n = n };
		stretch_write(c, &s, step);
	}
	notes_write(c, is_grid);
	for (size_t i = 0; i < c->devices.n; i++)
		map_deinit(&c->devices.v[i].rows);
	map_deinit(&c->device_of);
	map_deinit(&c->whole_of);
	vec_deinit(&c->devices);
	vec_deinit(&c->rows);
}
