/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth: readings of a slot beside its active time (decisions K.8). The samples of the slot pass
 * once; the stretches that they fall into are those at hand.
 */
#include "account/depth.h"

#include <stdlib.h>

#include "account/depth_terms.h"
#include "facts/accelerator.h"

#define ROWS_GATHER 1000000u /* sort and join when this many have come */

#define UNIT_RATIO UNIT_PERCENT
const struct depth_info depths[DEPTH_COUNT] = {
#define DEPTH(id, kind, a, b, unit, scale, reading, head, help) \
	{ #id, head, help, DEPTH_##kind, METRIC_##a, METRIC_##b, UNIT_##unit, scale, reading },
#include "account/depth.def"
#undef DEPTH
};

void depth_sum_add(struct depth_sum *a, const struct depth_sum *b)
{
	if (!b->units)
		return;
	if (!a->units || b->min < a->min)
		a->min = b->min;
	if (!a->units || b->max > a->max)
		a->max = b->max;
	a->num += b->num;
	a->den += b->den;
	a->units += b->units;
}

double depth_value(enum depth_id id, const struct depth_sum *s)
{
	return (double)((long double)s->num / (long double)s->den / (long double)depths[id].scale);
}

double depth_min(enum depth_id id, const struct depth_sum *s)
{
	return (double)s->min / (double)depths[id].reading_scale;
}

double depth_max(enum depth_id id, const struct depth_sum *s)
{
	return (double)s->max / (double)depths[id].reading_scale;
}

static struct chip chip_of(struct str model)
{
	int i = accelerator_find(model);
	if (i < 0)
		return (struct chip){ 0 };
	const struct accelerator *a = &accelerators[i];
	bool has_tensor = a->tensor_per_clock > 0;
	return (struct chip){ has_tensor ? (int64_t)(a->clock_mhz * 1000 + 0.5) : 0,
		              (int64_t)(a->memory_gbs * 10 + 0.5) };
}

static bool value_of(const struct cover *c, enum metric_id id, int64_t *ret)
{
	return cover_reads(c, id, ret) && *ret >= 0 && *ret <= READING_MAX;
}

/* Metrics of profiling counters. */
static uint64_t profiling(void)
{
	return metrics_with(ROLE_PROFILE) | metrics_with(ROLE_PIPE) | metrics_with(ROLE_MEMORY);
}

/* A broken source: all profiling counters 0 while GPU-Util and power say busy (9.5). */
static bool is_broken(const struct cover *c)
{
	int64_t v, util, power, limit;
	if (!value_of(c, METRIC_gpu_util, &util) || util < 5 * PERCENT ||
	    !value_of(c, METRIC_power, &power) || !value_of(c, METRIC_power_limit, &limit) ||
	    2 * power <= limit)
		return false;
	for (uint64_t left = profiling() & c->rows->any; left;)
		if (cover_reads(c, metric_take(&left), &v) && v)
			return false;
	return true;
}

/* One sample's term of a depth, by unit; false: it does not say. */
static bool term_of(const struct chip *chip, const struct cover *c, enum depth_id id,
                    struct term *t)
{
	int64_t a, b;
	return cover_reads(c, depths[id].a, &a) && cover_reads(c, depths[id].b, &b) &&
	       term_from(chip, &depths[id], a, b, t);
}

/* An active stretch at hand, and its sums so far. */
struct running {
	struct atom atom;
	uint32_t bucket;
	struct depth_sum sums[DEPTH_SUMS];
};

struct sweep {
	struct meter *m;
	const struct atom *active; /* in order of time */
	size_t active_n, next;
	VEC(struct running) on;
};

static int row_order(const void *x, const void *y)
{
	const struct depth_row *a = x, *b = y;
#define BY(field)                 \
	if (a->field != b->field) \
	return a->field < b->field ? -1 : 1
	BY(place);
	BY(job);
	BY(bucket);
	BY(state);
	BY(evidence);
	BY(depth);
#undef BY
	return 0;
}

static void rows_join(struct meter *m)
{
	struct ledger *l = m->out;
	size_t n = 0;
	vec_sort(&l->depths, row_order);
	for (size_t i = 0; i < l->depths.n; i++) {
		struct depth_row *last = n ? &l->depths.v[n - 1] : NULL;
		if (last && row_order(last, &l->depths.v[i]) == 0)
			depth_sum_add(&last->sum, &l->depths.v[i].sum);
		else
			l->depths.v[n++] = l->depths.v[i];
	}
	l->depths.n = n;
	m->depths_gathered = n;
}

static void running_flush(struct meter *m, struct running *r)
{
	for (int i = 0; i < DEPTH_SUMS; i++) {
		if (!r->sums[i].units)
			continue;
		r->sums[i].num *= r->atom.units_per_ms; /* so far by ms */
		r->sums[i].den *= r->atom.units_per_ms;
		r->sums[i].units *= r->atom.units_per_ms;
		*vec_push(&m->out->depths) =
		        (struct depth_row){ .place = r->atom.place,
			                    .job = m->claims.v[r->atom.claim].job,
			                    .bucket = r->bucket,
			                    .state = r->atom.state,
			                    .evidence = r->atom.evidence,
			                    .depth = (uint8_t)i,
			                    .sum = r->sums[i] };
		r->sums[i] = (struct depth_sum){ 0 };
	}
	if (m->out->depths.n >= m->depths_gathered + ROWS_GATHER)
		rows_join(m);
}

/* What a sample says, of the depths that its batch may speak of. */
struct said {
	struct term terms[DEPTH_SUMS];
	uint8_t which[DEPTH_SUMS]; /* ids of the terms, rising */
	unsigned n;
};

/* The sample's terms for the part of the stretch that it covers. */
static void running_add(struct meter *m, struct running *r, const struct cover *c,
                        const struct said *said)
{
	int64_t from = c->from_ms > r->atom.from_ms ? c->from_ms : r->atom.from_ms;
	int64_t to = c->t_ms < r->atom.to_ms ? c->t_ms : r->atom.to_ms, until;
	for (int64_t t = from; t < to; t = until) {
		uint32_t bucket = cells_bucket(m, t, &until);
		until = until < to ? until : to;
		if (bucket == NONE)
			continue;
		if (bucket != r->bucket)
			running_flush(m, r);
		r->bucket = bucket;
		for (unsigned k = 0; k < said->n; k++)
			if (r->atom.state == STATE_ACTIVE || said->which[k] >= DEPTH_HIDDEN)
				term_add(&r->sums[said->which[k]], &said->terms[k], until - t);
	}
}

static int from_order(const void *x, const void *y)
{
	const struct atom *a = x, *b = y;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	return a->claim < b->claim ? -1 : a->claim > b->claim;
}

/* K.8: the part of what a sample covers that may have been stalled, x 10^6. BARRED: metrics of a
   broken source. */
static int64_t hidden_of(const struct cover *c, uint64_t barred)
{
	int64_t most = -1, v;
	bool is_point = c->rows->kind[c->at] == SAMPLE_POINT;
	if (!c->is_far && (is_point || c->t_ms - c->from_ms < RUN_MS))
		return 0;
	uint64_t left =
	        (metrics_with(ROLE_PROFILE) | metrics_with(ROLE_PIPE)) & c->rows->any & ~barred;
	while (left)
		if (value_of(c, metric_take(&left), &v) && v > most)
			most = v;
	if (most < 0 && value_of(c, METRIC_gpu_util, &v))
		most = v;
	if (c->is_far || most < 5 * PERCENT)
		return 1000000;
	return most < 100 * PERCENT ? (100 * PERCENT - most) / 95 : 0;
}

static void sweep_sample(struct sweep *w, const struct cover *c, const struct chip *chip)
{
	struct said said;
	uint64_t barred = is_broken(c) ? profiling() : 0, any = c->rows->any & ~barred;
	int64_t hidden = hidden_of(c, barred);
	said.n = 0;
	for (int i = 0; i < DEPTH_COUNT; i++)
		if ((any >> depths[i].a & any >> depths[i].b & 1) &&
		    term_of(chip, c, (enum depth_id)i, &said.terms[said.n]))
			said.which[said.n++] = (uint8_t)i;
	if (hidden > 0) {
		said.terms[said.n] = (struct term){ hidden, 1, hidden };
		said.which[said.n++] = DEPTH_HIDDEN;
	}
	for (size_t i = 0; said.n && i < w->on.n; i++)
		running_add(w->m, &w->on.v[i], c, &said);
}

/* What ends before C goes, what begins in it comes. */
static void sweep_move(struct sweep *w, const struct cover *c)
{
	size_t kept = 0;
	for (size_t k = 0; k < w->on.n; k++) {
		if (w->on.v[k].atom.to_ms <= c->from_ms) {
			running_flush(w->m, &w->on.v[k]);
			continue;
		}
		if (kept != k)
			w->on.v[kept] = w->on.v[k];
		kept++;
	}
	w->on.n = kept;
	for (; w->next < w->active_n && w->active[w->next].from_ms < c->t_ms; w->next++)
		if (w->active[w->next].to_ms > c->from_ms)
			*vec_push(&w->on) =
			        (struct running){ .atom = w->active[w->next], .bucket = NONE };
}

/* A row that hides nothing and comes from a sound source. */
static bool is_plain(const struct cover *c)
{
	return c->from_ms < c->t_ms && !hidden_of(c, 0) && !is_broken(c);
}

/* How many of the N rows from C on lie whole in the stretches at hand and in one bucket: RET. */
static uint32_t plain_rows(const struct sweep *w, const struct cover *c, uint32_t n,
                           uint32_t *ret_bucket)
{
	int64_t limit_ms = w->next < w->active_n ? w->active[w->next].from_ms : INT64_MAX, until;
	uint32_t count = 0;
	*ret_bucket = cells_bucket(w->m, c->from_ms, &until);
	limit_ms = until < limit_ms ? until : limit_ms;
	for (size_t k = 0; k < w->on.n; k++) {
		const struct atom *a = &w->on.v[k].atom;
		if (c->from_ms < a->from_ms)
			return 0;
		limit_ms = a->to_ms < limit_ms ? a->to_ms : limit_ms;
	}
	if (*ret_bucket == NONE)
		return 0;
	while (count < n && c[count].t_ms <= limit_ms && is_plain(&c[count]))
		count++;
	return count;
}

static void sweep_plain(struct sweep *w, const struct cover *c, uint32_t n, uint32_t bucket,
                        const struct chip *chip)
{
	for (size_t k = 0; k < w->on.n; k++) {
		struct running *r = &w->on.v[k];
		if (r->bucket != bucket)
			running_flush(w->m, r);
		r->bucket = bucket;
		if (r->atom.state == STATE_ACTIVE)
			terms_add(chip, c, n, r->sums);
	}
}

/* The samples of the slot beside the active stretches, in order of time. Rows that lie side by side
   in the same ones are added up column by column. */
static void sweep_series(struct sweep *w, const struct slot *s, const struct chip *chip)
{
	struct cover_walk walk;
	struct cover *covers = mem_alloc(SERIES_ROWS * sizeof *covers);
	cover_begin(&walk, w->m, s->series, s->median_ms);
	while (cover_next_batch(&walk)) {
		for (uint32_t i = 0, n = walk.n; i < n; i++)
			covers[i] = cover_row(&walk);
		for (uint32_t i = 0, n = walk.n, many, bucket; i < n; i += many) {
			many = 1;
			sweep_move(w, &covers[i]);
			if (!w->on.n)
				continue;
			uint32_t plain = plain_rows(w, &covers[i], n - i, &bucket);
			if (plain)
				sweep_plain(w, &covers[i], many = plain, bucket, chip);
			else
				sweep_sample(w, &covers[i], chip);
		}
	}
	cover_end(&walk);
	mem_free(covers);
}

void depth_slot(struct meter *m, uint32_t slot, const struct atom *atoms, size_t n)
{
	const struct slot *s = &m->slots.v[slot];
	struct chip chip = chip_of(names_word(&m->f->names, s->model));
	struct sweep w = { .m = m };
	VEC(struct atom) active = { 0 };
	for (size_t i = 0; s->series != NONE && i < n; i++)
		if (atoms[i].state == STATE_ACTIVE ||
		    states[atoms[i].state].group == GROUP_OVERHEAD)
			*vec_push(&active) = atoms[i];
	vec_sort(&active, from_order);
	w.active = active.v, w.active_n = active.n;
	if (active.n)
		sweep_series(&w, s, &chip);
	for (size_t k = 0; k < w.on.n; k++)
		running_flush(m, &w.on.v[k]);
	vec_deinit(&w.on);
	vec_deinit(&active);
}

void depth_finish(struct meter *m)
{
	rows_join(m);
}
