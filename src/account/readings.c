/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readings: plain statistics of every metric over all readings of the window (decisions K.9), so
 * that a mean of rows stands beside the mean over time.
 */
#include "account/meter.h"

/* Of the rows of a batch: what each covers of the window, and whether it was read in it. */
struct weights {
	int64_t ms[SERIES_ROWS], ms_max, ms_sum;
	uint8_t is_read[SERIES_ROWS];
	uint64_t read; /* how many were */
};

/* Of a column: its readings, by whether they were read in the window. */
struct column_sums {
	uint64_t read, known;
	int64_t min, max, lowest, highest; /* of what was read; of all that is known */
	i128 sum, timed;
	int64_t timed_ms;
};

void readings_begin(struct readings_walk *w)
{
	*w = (struct readings_walk){ .hull = { TIME_UNKNOWN, TIME_UNKNOWN } };
}

static void weigh(struct readings_walk *w, const struct span *window, const struct series_rows *r,
                  const int64_t *from_ms, uint32_t n, struct weights *ret)
{
	ret->read = 0, ret->ms_max = 1, ret->ms_sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t t = r->t_ms[i];
		int64_t from = from_ms[i] > window->from_ms ? from_ms[i] : window->from_ms;
		int64_t to = t < window->to_ms ? t : window->to_ms;
		int64_t ms = ret->ms[i] = from < to ? to - from : 0;
		ret->is_read[i] = t > window->from_ms && t <= window->to_ms;
		ret->read += ret->is_read[i];
		if (!ms)
			continue;
		ret->ms_max = ms > ret->ms_max ? ms : ret->ms_max;
		ret->ms_sum += ms;
		w->hull.from_ms = w->hull.to_ms == TIME_UNKNOWN ? from : w->hull.from_ms;
		w->hull.to_ms = to;
	}
}

/* Range and counts; a column is passed over twice, so that its sums can be as narrow as they may
 * be. */
static inline __attribute__((always_inline)) void column_range(const int64_t *restrict v,
                                                               const uint8_t *restrict why,
                                                               const struct weights *x, uint32_t n,
                                                               struct column_sums *s)
{
	int64_t min = INT64_MAX, max = INT64_MIN, lowest = INT64_MAX, highest = INT64_MIN;
	uint64_t read = 0, all = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool known = why[i] == WHY_KNOWN, is_read = known & x->is_read[i];
		int64_t low = known ? v[i] : INT64_MAX, high = known ? v[i] : INT64_MIN;
		lowest = low < lowest ? low : lowest;
		highest = high > highest ? high : highest;
		low = is_read ? v[i] : INT64_MAX, high = is_read ? v[i] : INT64_MIN;
		min = low < min ? low : min;
		max = high > max ? high : max;
		read += is_read;
		all += known;
	}
	s->min = min, s->max = max, s->lowest = lowest, s->highest = highest;
	s->read = read, s->known = all;
}

static void column_sum_wide(const int64_t *v, const uint8_t *why, const struct weights *x,
                            uint32_t n, struct column_sums *s)
{
	for (uint32_t i = 0; i < n; i++) {
		if (why[i] != WHY_KNOWN)
			continue;
		s->sum += x->is_read[i] ? v[i] : 0;
		s->timed += (i128)v[i] * x->ms[i];
		s->timed_ms += x->ms[i];
	}
}

static inline __attribute__((always_inline)) void column_sum(const int64_t *restrict v,
                                                             const uint8_t *restrict why,
                                                             const struct weights *x, uint32_t n,
                                                             struct column_sums *s)
{
	const int64_t most = INT64_MAX / (SERIES_ROWS * 2) / x->ms_max;
	int64_t sum = 0, timed = 0, timed_ms = 0;
	if (s->lowest < -most || s->highest > most) {
		column_sum_wide(v, why, x, n, s);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		int64_t known = why[i] == WHY_KNOWN, value = known ? v[i] : 0;
		sum += value * x->is_read[i];
		timed += value * x->ms[i];
		timed_ms += known * x->ms[i];
	}
	s->sum = sum, s->timed = timed, s->timed_ms = timed_ms;
}

/* Every row is known and was read in the window, as most batches are: nothing is masked. */
static inline __attribute__((always_inline)) bool column_plain(const int64_t *restrict v,
                                                               const uint8_t *restrict why,
                                                               const struct weights *x, uint32_t n,
                                                               struct column_sums *s)
{
	int64_t min = INT64_MAX, max = INT64_MIN, sum = 0, timed = 0;
	uint8_t unknown = 0;
	for (uint32_t i = 0; i < n; i++)
		unknown |= why[i];
	if (unknown != WHY_KNOWN || x->read != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
	}
	const int64_t most = INT64_MAX / (SERIES_ROWS * 2) / x->ms_max;
	if (min < -most || max > most)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		sum += v[i];
		timed += v[i] * x->ms[i];
	}
	*s = (struct column_sums){ .read = n,
		                   .known = n,
		                   .min = min,
		                   .max = max,
		                   .sum = sum,
		                   .timed = timed,
		                   .timed_ms = x->ms_sum };
	return true;
}

static inline __attribute__((always_inline)) void column_see(const struct series_rows *rows,
                                                             enum metric_id id,
                                                             const struct weights *x, uint32_t n,
                                                             struct column_sums *ret)
{
	if (column_plain(rows->v[id], rows->why[id], x, n, ret))
		return;
	column_range(rows->v[id], rows->why[id], x, n, ret);
	if (ret->known)
		column_sum(rows->v[id], rows->why[id], x, n, ret);
}

/* Comparing 64 bits side by side needs more than what every x86-64 has. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void column_avx2(const struct series_rows *rows,
                                                        enum metric_id id, const struct weights *x,
                                                        uint32_t n, struct column_sums *ret)
{
	column_see(rows, id, x, n, ret);
}
#endif

static void column(const struct series_rows *rows, enum metric_id id, const struct weights *x,
                   uint32_t n, struct column_sums *ret)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		column_avx2(rows, id, x, n, ret);
		return;
	}
#endif
	column_see(rows, id, x, n, ret);
}

static void column_add(struct readings_of *r, const struct column_sums *s)
{
	if (s->read && (!r->n || s->min < r->min))
		r->min = s->min;
	if (s->read && (!r->n || s->max > r->max))
		r->max = s->max;
	r->n += s->read;
	r->sum += s->sum;
	r->timed += s->timed; /* also of what was read after the window's end */
	r->timed_ms += s->timed_ms;
}

void readings_add(struct meter *m, struct readings_walk *w, const struct series_rows *rows,
                  const int64_t *from_ms, uint32_t n)
{
	struct ledger *l = m->out;
	struct weights x;
	weigh(w, &m->window, rows, from_ms, n, &x);
	w->n += x.read;
	for (uint32_t i = 0; i < n; i++)
		l->lists_unknown[rows->procs_why[i]] += x.is_read[i];
	for (uint64_t left = rows->any; left;) {
		enum metric_id id = metric_take(&left);
		struct column_sums s = { 0 };
		const uint8_t *why = rows->why[id];
		column(rows, id, &x, n, &s);
		if (s.known) {
			column_add(&l->readings[id], &s);
			w->speaks |= metric_bit(id);
		}
		w->said[id][WHY_KNOWN] += s.read;
		for (uint32_t i = 0; i < n && s.known < n; i++) {
			if (why[i] == WHY_KNOWN || why[i] == WHY_ABSENT)
				continue;
			w->speaks |= metric_bit(id);
			w->said[id][why[i]] += x.is_read[i];
		}
	}
}

void readings_end(struct meter *m, const struct readings_walk *w)
{
	struct ledger *l = m->out;
	if (w->hull.to_ms != TIME_UNKNOWN)
		l->readings_ms += w->hull.to_ms - w->hull.from_ms;
	for (uint64_t left = w->speaks; left;) {
		enum metric_id id = metric_take(&left);
		uint64_t absent = w->n;
		for (int why = 0; why < WHY_COUNT; why++) {
			absent -= w->said[id][why];
			if (why != WHY_KNOWN)
				l->readings[id].unknown[why] += w->said[id][why];
		}
		l->readings[id].unknown[WHY_ABSENT] += absent;
	}
}
