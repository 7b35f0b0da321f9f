/* SPDX-License-Identifier: Apache-2.0 */
/* cover: the samples of a series in time order, each with what it covers (C.2). */
#include "account/meter.h"

void cover_begin(struct cover_walk *w, struct meter *m, uint32_t series, int64_t median_ms)
{
	cover_join(w, m, median_ms);
	w->cursor = m->source->open(m->source, series, SERIES_ALL);
}

void cover_join(struct cover_walk *w, struct meter *m, int64_t median_ms)
{
	*w = (struct cover_walk){ .m = m, .median_ms = median_ms };
}

void cover_batch(struct cover_walk *w, uint32_t n)
{
	w->at = 0;
	w->n = n;
}

/* Rows of the next batch that were known at as_of. */
bool cover_next_batch(struct cover_walk *w)
{
	const struct series_rows *r = w->m->rows;
	if (w->is_last || !w->m->source->next(w->cursor, w->m->rows))
		return false;
	w->at = 0;
	w->n = r->n;
	while (w->n && r->t_ms[w->n - 1] > w->m->as_of_ms)
		w->n--;
	w->is_last = w->n < r->n;
	return w->n > 0;
}

struct cover cover_row(struct cover_walk *w)
{
	const struct series_rows *r = w->m->rows;
	struct cover_past *now = &w->two[w->read % 2];
	const struct cover_past *before = w->read ? &w->two[(w->read + 1) % 2] : NULL;
	struct cover c = { .rows = r, .at = w->at++, .before = before };
	int64_t t = c.t_ms = r->t_ms[c.at];
	int64_t p = r->period_ms[c.at] > 0 ? r->period_ms[c.at] : w->median_ms;
	w->read++;
	now->t_ms = t, now->period_ms = p;
	now->is_point = r->kind[c.at] == SAMPLE_POINT;
	now->has_energy = cover_reads(&c, METRIC_energy, &now->energy);
	now->has_power = cover_reads(&c, METRIC_power, &now->power);
	c.is_near = p > 0 && before && 2 * (t - before->t_ms) <= 5 * p;
	c.is_far = now->is_point && p > RUN_MS;
	c.is_pair = c.is_near && c.is_far && before->is_point && before->period_ms > RUN_MS;
	c.from_ms = c.is_near ? before->t_ms : t - p;
	if (p <= 0 || (c.is_far && !c.is_near))
		c.from_ms = t;
	return c;
}

void cover_end(struct cover_walk *w)
{
	w->m->source->close(w->cursor);
}
