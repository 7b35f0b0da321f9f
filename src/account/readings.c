/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readings: plain statistics of every metric over all readings of the window (decisions K.9), so
 * that a mean of rows stands beside the mean over time.
 */
#include "account/meter.h"

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

void readings_begin(struct readings_walk *w)
{
	*w = (struct readings_walk){ .hull = { TIME_UNKNOWN, TIME_UNKNOWN } };
}

void readings_add(struct meter *m, struct readings_walk *w, const struct cover *c)
{
	struct ledger *l = m->out;
	const struct span *window = &m->window;
	int64_t from = c->from_ms > window->from_ms ? c->from_ms : window->from_ms;
	int64_t to = c->s->t_ms < window->to_ms ? c->s->t_ms : window->to_ms;
	bool is_read = c->s->t_ms > window->from_ms && c->s->t_ms <= window->to_ms;
	int64_t ms = from < to ? to - from : 0;
	if (ms) {
		w->hull.from_ms = w->hull.to_ms == TIME_UNKNOWN ? from : w->hull.from_ms;
		w->hull.to_ms = to;
	}
	l->lists_unknown[c->s->procs_why] += is_read;
	w->n += is_read;
	for (uint64_t left = c->any; left;) {
		enum metric_id id = metric_take(&left);
		struct readings_of *r = &l->readings[id];
		enum why why = (enum why)c->s->why[id];
		if (why == WHY_ABSENT)
			continue;
		w->speaks |= metric_bit(id);
		w->said[id][why] += is_read;
		if (why != WHY_KNOWN)
			continue;
		if (is_read) {
			reading_add(r, c->s->v[id], ms);
		} else if (ms) { /* read after the window's end, of time inside it */
			r->timed += (i128)c->s->v[id] * ms;
			r->timed_ms += ms;
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
