/* SPDX-License-Identifier: Apache-2.0 */
/* cover: the samples of a series in time order, each with what it covers (C.2). */
#include <string.h>

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
static bool next_batch(struct cover_walk *w)
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

static int64_t period_of(const struct sample *s, const struct cover_walk *w)
{
	return s->period_ms > 0 ? s->period_ms : w->median_ms;
}

bool cover_next(struct cover_walk *w, struct cover *ret)
{
	if (w->at == w->n && !next_batch(w))
		return false;
	*ret = cover_row(w);
	return true;
}

/* Values of what is absent are left as they were. */
static void row_read(const struct series_rows *r, uint32_t at, struct sample *s)
{
	s->t_ms = r->t_ms[at];
	s->period_ms = r->period_ms[at];
	s->kind = (enum sample_kind)r->kind[at];
	s->procs_why = r->procs_why[at];
	s->procs_at = r->procs_at[at];
	s->procs_n = r->procs_n[at];
	s->known = 0;
	memset(s->why, WHY_ABSENT, sizeof s->why);
	for (uint64_t left = r->any; left;) {
		enum metric_id m = metric_take(&left);
		s->v[m] = r->v[m][at];
		s->why[m] = r->why[m][at];
		s->known |= (uint64_t)(s->why[m] == WHY_KNOWN) << m;
	}
}

struct cover cover_row(struct cover_walk *w)
{
	struct sample *s = &w->two[w->read % 2];
	const struct sample *before = w->read ? &w->two[(w->read + 1) % 2] : NULL;
	row_read(w->m->rows, w->at++, s);
	w->read++;
	int64_t p = period_of(s, w);
	struct cover c = { .s = s, .before = before, .any = w->m->rows->any };
	c.is_near = p > 0 && before && 2 * (s->t_ms - before->t_ms) <= 5 * p;
	c.is_far = s->kind == SAMPLE_POINT && p > RUN_MS;
	c.is_pair = c.is_near && c.is_far && before->kind == SAMPLE_POINT &&
	            period_of(before, w) > RUN_MS;
	c.from_ms = c.is_near ? before->t_ms : s->t_ms - p;
	if (p <= 0 || (c.is_far && !c.is_near))
		c.from_ms = s->t_ms;
	return c;
}

void cover_end(struct cover_walk *w)
{
	w->m->source->close(w->cursor);
}
