/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/series.h"

#include <endian.h>
#include <string.h>

#include "base/sort.h"

/* Samples by device, time and place; SERIES[i] are those from STARTS[i] to STARTS[i + 1]. */
struct plain {
	struct series_source base;
	const struct facts *f;
	uint32_t *order;
	VEC(struct series) series;
	VEC(size_t) starts;
	uint64_t doubles;
};

struct series_cursor {
	const struct plain *p;
	size_t at, end;
};

void series_column_begin(struct series_rows *rows, enum metric_id metric, uint32_t at)
{
	memset(rows->why[metric], WHY_ABSENT, at);
	memset(rows->v[metric], 0, at * sizeof *rows->v[metric]);
	rows->any |= metric_bit(metric);
}

#define LOW_SEVEN 0x7f7f7f7f7f7f7f7fu
#define LOW_BIT 0x0101010101010101u
#define GATHER 0x0102040810204080u

/* The metrics that S says a word of. */
static uint64_t said(const struct sample *s)
{
	uint64_t absent, set = 0;
	memset(&absent, WHY_ABSENT, sizeof absent);
	for (unsigned m = 0; m < METRIC_COUNT; m += sizeof absent) {
		uint64_t x = absent;
		memcpy(&x, s->why + m, METRIC_COUNT - m < 8 ? METRIC_COUNT - m : 8);
		/* 0x80 in each byte that is not the same, then these eight bits side by side */
		x = le64toh(x ^ absent);
		x = ((x & LOW_SEVEN) + LOW_SEVEN) | x;
		set |= (x >> 7 & LOW_BIT) * GATHER >> 56 << m;
	}
	return set;
}

void series_row_set(struct series_rows *rows, uint32_t at, const struct sample *s)
{
	if (!at)
		rows->any = 0;
	rows->n = at + 1;
	rows->t_ms[at] = s->t_ms;
	rows->period_ms[at] = s->period_ms;
	rows->kind[at] = (uint8_t)s->kind;
	rows->procs_why[at] = s->procs_why;
	rows->procs_at[at] = s->procs_at;
	rows->procs_n[at] = s->procs_n;
	for (uint64_t left = rows->any | said(s); left;) {
		enum metric_id m = metric_take(&left);
		if (!(rows->any >> m & 1))
			series_column_begin(rows, m, at);
		rows->v[m][at] = s->v[m];
		rows->why[m][at] = s->why[m];
	}
}

bool series_row_join(struct series_rows *rows, uint32_t at, const struct sample *s)
{
	bool twice = false;
	for (uint64_t left = said(s); left;) {
		enum metric_id m = metric_take(&left);
		if (!(rows->any >> m & 1)) {
			series_column_begin(rows, m, at);
			rows->why[m][at] = WHY_ABSENT;
		}
		bool knew = rows->why[m][at] == WHY_KNOWN, knows = s->why[m] == WHY_KNOWN;
		twice |= knew && knows;
		if (knew && !knows)
			continue;
		rows->v[m][at] = s->v[m];
		rows->why[m][at] = s->why[m];
	}
	if (s->kind == SAMPLE_AVERAGE)
		rows->kind[at] = SAMPLE_AVERAGE;
	if (s->period_ms > 0)
		rows->period_ms[at] = s->period_ms;
	if (s->procs_why == WHY_KNOWN || rows->procs_why[at] != WHY_KNOWN) {
		rows->procs_why[at] = s->procs_why;
		rows->procs_at[at] = s->procs_at;
		rows->procs_n[at] = s->procs_n;
	}
	return twice;
}

void series_row_get(const struct series_rows *rows, uint32_t at, sym device,
                    struct sample *ret_sample)
{
	struct sample s = { .device = device,
		            .t_ms = rows->t_ms[at],
		            .period_ms = rows->period_ms[at],
		            .kind = (enum sample_kind)rows->kind[at],
		            .procs_why = rows->procs_why[at],
		            .procs_at = rows->procs_at[at],
		            .procs_n = rows->procs_n[at] };
	memset(s.why, WHY_ABSENT, sizeof s.why);
	for (uint64_t left = rows->any; left;) {
		enum metric_id m = metric_take(&left);
		s.v[m] = rows->v[m][at];
		s.why[m] = rows->why[m][at];
		s.known |= (uint64_t)(s.why[m] == WHY_KNOWN) << m;
	}
	*ret_sample = s;
}

static struct series_cursor *plain_open(const struct series_source *source, size_t at,
                                        uint64_t want)
{
	(void)want; /* a row is one piece of memory */
	const struct plain *p = (const struct plain *)source;
	struct series_cursor *c = mem_alloc(sizeof *c);
	*c = (struct series_cursor){ p, p->starts.v[at], p->starts.v[at + 1] };
	return c;
}

static bool plain_next(struct series_cursor *c, struct series_rows *ret_rows)
{
	const struct sample *all = c->p->f->samples.v;
	uint32_t n = 0;
	for (; c->at < c->end; c->at++) {
		const struct sample *s = &all[c->p->order[c->at]];
		if (n && ret_rows->t_ms[n - 1] == s->t_ms)
			series_row_join(ret_rows, n - 1, s);
		else if (n == SERIES_ROWS)
			break;
		else
			series_row_set(ret_rows, n++, s);
	}
	return n > 0;
}

static void plain_close(struct series_cursor *c)
{
	mem_free(c);
}

static uint64_t plain_doubles(const struct series_source *source)
{
	return ((const struct plain *)source)->doubles;
}

static void plain_drop(struct series_source *source)
{
	struct plain *p = (struct plain *)source;
	mem_free(p->order);
	vec_deinit(&p->series);
	vec_deinit(&p->starts);
	mem_free(p);
}

static void plain_sort(struct plain *p)
{
	const struct facts *f = p->f;
	size_t n = f->samples.n;
	struct keyed *keys = mem_alloc(mem_times(n, sizeof *keys));
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct keyed){ sort_key(f->samples.v[i].t_ms), (int64_t)i };
	sort_keyed(keys, n); /* stable, so equal times stay in the order of the input */
	for (size_t i = 0; i < n; i++)
		keys[i].key = f->samples.v[keys[i].with].device;
	sort_keyed(keys, n);
	p->order = mem_alloc(mem_times(n, sizeof *p->order));
	for (size_t i = 0; i < n; i++)
		p->order[i] = (uint32_t)keys[i].with;
	mem_free(keys);
}

struct series_source *series_of_samples(const struct facts *f)
{
	struct plain *p = mem_alloc(sizeof *p);
	*p = (struct plain){ .f = f };
	plain_sort(p);
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[p->order[i]];
		const struct sample *last = i ? &f->samples.v[p->order[i - 1]] : NULL;
		if (!last || last->device != s->device) {
			*vec_push(&p->starts) = i;
			*vec_push(&p->series) = (struct series){ s->device, { s->t_ms, s->t_ms } };
		} else if (last->t_ms == s->t_ms) {
			p->doubles += (last->known & s->known) != 0;
		}
		p->series.v[p->series.n - 1].hull.to_ms = s->t_ms;
	}
	*vec_push(&p->starts) = f->samples.n;
	p->base = (struct series_source){ .v = p->series.v,
		                          .n = p->series.n,
		                          .open = plain_open,
		                          .next = plain_next,
		                          .close = plain_close,
		                          .doubles = plain_doubles,
		                          .drop = plain_drop };
	return &p->base;
}
