/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readings: plain statistics of every metric over all readings of the window (decisions K.9), so
 * that a mean of rows stands beside the mean over time.
 */
#include "account/meter.h"

struct counts {
	uint64_t v[METRIC_COUNT][WHY_COUNT];
	bool speaks[METRIC_COUNT]; /* some sample of the device knows it, or says why not */
};

static void reading_add(struct readings_of *r, int64_t v, int64_t ms)
{
	if (!r->n || v < r->min)
		r->min = v;
	if (!r->n || v > r->max)
		r->max = v;
	r->n++;
	r->sum += v;
	r->timed += (i128)v * ms;
	r->timed_ms += ms;
}

static void sample_add(struct ledger *l, const struct cover *c, const struct span *window,
                       struct counts *counts, struct span *hull)
{
	int64_t from = c->from_ms > window->from_ms ? c->from_ms : window->from_ms;
	int64_t to = c->s->t_ms < window->to_ms ? c->s->t_ms : window->to_ms;
	bool is_read = c->s->t_ms > window->from_ms && c->s->t_ms <= window->to_ms;
	int64_t ms = from < to ? to - from : 0;
	if (ms) {
		hull->from_ms = hull->to_ms == TIME_UNKNOWN ? from : hull->from_ms;
		hull->to_ms = to;
	}
	for (int id = 0; id < METRIC_COUNT; id++) {
		struct readings_of *r = &l->readings[id];
		if (c->s->known >> id & 1) {
			counts->speaks[id] = true;
			if (is_read) {
				reading_add(r, c->s->v[id], ms);
			} else if (ms) { /* read after the window's end, of time inside it */
				r->timed += (i128)c->s->v[id] * ms;
				r->timed_ms += ms;
			}
			continue;
		}
		counts->speaks[id] |= c->s->why[id] != WHY_ABSENT;
		counts->v[id][c->s->why[id]] += is_read;
	}
}

void readings_build(struct meter *m)
{
	struct ledger *l = m->out;
	l->readings = ARENA_ARRAY(m->a, struct readings_of, METRIC_COUNT);
	for (size_t i = 0; i < m->series.n; i++) {
		const struct series *se = &m->series.v[i];
		struct counts counts = { 0 };
		struct span hull = { TIME_UNKNOWN, TIME_UNKNOWN };
		for (uint32_t k = 0; k < se->n; k++) {
			struct cover c = piece_cover(m, se, k);
			sample_add(l, &c, &m->window, &counts, &hull);
		}
		if (hull.to_ms != TIME_UNKNOWN)
			l->readings_ms += hull.to_ms - hull.from_ms;
		for (int id = 0; id < METRIC_COUNT; id++)
			for (int why = 0; counts.speaks[id] && why < WHY_COUNT; why++)
				l->readings[id].unknown[why] += counts.v[id][why];
	}
}
