/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth: readings of a slot beside its active time (decisions K.8). The samples of the slot pass
 * once; the stretches that they fall into are those at hand.
 */
#include "account/depth.h"

#include <stdlib.h>

#include "account/meter.h"
#include "facts/accelerator.h"

#define ROWS_GATHER 1000000u                /* sort and join when this many have come */
#define READING_MAX INT64_C(10000000000000) /* no reading is above, in any unit: sums fit */
#define CLOCK_MAX 100000000                 /* kHz */
#define PERCENT 1000000

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

/* What the chip can do; 0: not known. */
struct chip {
	int64_t peak_clock_khz, tenth_gigabytes; /* tensor peak clock; memory GB/s x 10 */
};

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

struct term {
	i128 num, den;
	int64_t reading;
};

static bool value_of(const struct sample *s, uint64_t known, enum metric_id id, int64_t *ret)
{
	*ret = s->v[id];
	return (known >> id & 1) && *ret >= 0 && *ret <= READING_MAX;
}

/* The metrics that a sample knows, without those of a broken source: all profiling counters 0 while
   GPU-Util and power say busy (9.5). */
static uint64_t known_of(const struct sample *s)
{
	uint64_t profiling = s->known & (metrics_with(ROLE_PROFILE) | metrics_with(ROLE_PIPE) |
	                                 metrics_with(ROLE_MEMORY));
	int64_t util, power, limit;
	for (uint64_t left = profiling; left;)
		if (s->v[metric_take(&left)])
			return s->known;
	bool busy = value_of(s, s->known, METRIC_gpu_util, &util) && util >= 5 * PERCENT &&
	            value_of(s, s->known, METRIC_power, &power) &&
	            value_of(s, s->known, METRIC_power_limit, &limit) && 2 * power > limit;
	return busy ? s->known & ~profiling : s->known;
}

/* One sample's term of a depth, by unit; false: it does not say. */
static bool term_of(const struct chip *chip, const struct sample *s, uint64_t known,
                    enum depth_id id, struct term *t)
{
	const struct depth_info *d = &depths[id];
	int64_t a, b;
	if (!value_of(s, known, d->a, &a) || !value_of(s, known, d->b, &b))
		return false;
	switch (d->kind) {
	case DEPTH_MEAN:
		*t = (struct term){ a, 1, a };
		return true;
	case DEPTH_SHARE:
		if (!b)
			return false;
		*t = (struct term){ a, b, (int64_t)((i128)a * 1000000 / b) };
		return true;
	case DEPTH_BANDWIDTH:
		if (!chip->tenth_gigabytes)
			return false;
		*t = (struct term){ (i128)a * chip->tenth_gigabytes, 1, a * chip->tenth_gigabytes };
		return true;
	case DEPTH_OFU:
		if (!chip->peak_clock_khz || b > CLOCK_MAX)
			return false;
		*t = (struct term){ (i128)a * b, (i128)chip->peak_clock_khz * 100000000,
			            (int64_t)((i128)a * b / (chip->peak_clock_khz * 100)) };
		return true;
	}
	return false;
}

/* An active stretch at hand, and its sums so far. */
struct running {
	struct atom atom;
	uint32_t bucket;
	struct depth_sum sums[DEPTH_SUMS];
};

struct sweep {
	struct meter *m;
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

/* The sample's terms for the part of the stretch that it covers. */
static void running_add(struct meter *m, struct running *r, const struct cover *c,
                        const struct term *terms, uint32_t has)
{
	int64_t from = c->from_ms > r->atom.from_ms ? c->from_ms : r->atom.from_ms;
	int64_t to = c->s->t_ms < r->atom.to_ms ? c->s->t_ms : r->atom.to_ms, until;
	for (int64_t t = from; t < to; t = until) {
		uint32_t bucket = cells_bucket(m, t, &until);
		until = until < to ? until : to;
		if (bucket == NONE)
			continue;
		if (bucket != r->bucket)
			running_flush(m, r);
		r->bucket = bucket;
		i128 units = (i128)(until - t) * r->atom.units_per_ms;
		for (int i = r->atom.state == STATE_ACTIVE ? 0 : DEPTH_HIDDEN; i < DEPTH_SUMS;
		     i++) {
			if (!(has >> i & 1))
				continue;
			const struct term *x = &terms[i];
			struct depth_sum one = { x->num * units, x->den * units, units, x->reading,
				                 x->reading };
			depth_sum_add(&r->sums[i], &one);
		}
	}
}

static int from_order(const void *x, const void *y)
{
	const struct atom *a = x, *b = y;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	return a->claim < b->claim ? -1 : a->claim > b->claim;
}

/* K.8: the part of what a sample covers that may have been stalled, x 10^6. */
static int64_t hidden_of(const struct cover *c, uint64_t known)
{
	int64_t most = -1, v;
	if (!c->is_far && (c->s->kind == SAMPLE_POINT || c->s->t_ms - c->from_ms < RUN_MS))
		return 0;
	for (uint64_t left = known & (metrics_with(ROLE_PROFILE) | metrics_with(ROLE_PIPE)); left;)
		if (value_of(c->s, known, metric_take(&left), &v) && v > most)
			most = v;
	if (most < 0 && value_of(c->s, known, METRIC_gpu_util, &v))
		most = v;
	if (c->is_far || most < 5 * PERCENT)
		return 1000000;
	return most < 100 * PERCENT ? (100 * PERCENT - most) / 95 : 0;
}

static void sweep_sample(struct sweep *w, const struct cover *c, const struct chip *chip)
{
	struct term terms[DEPTH_SUMS];
	uint32_t has = 0;
	uint64_t known = known_of(c->s);
	for (int i = 0; i < DEPTH_COUNT; i++)
		has |= (uint32_t)term_of(chip, c->s, known, (enum depth_id)i, &terms[i]) << i;
	int64_t hidden = hidden_of(c, known);
	terms[DEPTH_HIDDEN] = (struct term){ hidden, 1, hidden };
	has |= (uint32_t)(hidden > 0) << DEPTH_HIDDEN;
	for (size_t i = 0; has && i < w->on.n; i++)
		running_add(w->m, &w->on.v[i], c, terms, has);
}

/* The samples of the slot beside N stretches in order of time. */
static void sweep_series(struct sweep *w, const struct slot *s, const struct atom *active, size_t n,
                         const struct chip *chip)
{
	struct cover_walk walk;
	struct cover c;
	size_t next = 0;
	cover_begin(&walk, w->m, s->series, s->median_ms);
	while (cover_next(&walk, &c)) {
		size_t kept = 0;
		for (size_t k = 0; k < w->on.n; k++) {
			if (w->on.v[k].atom.to_ms <= c.from_ms) {
				running_flush(w->m, &w->on.v[k]);
				continue;
			}
			if (kept != k)
				w->on.v[kept] = w->on.v[k];
			kept++;
		}
		w->on.n = kept;
		for (; next < n && active[next].from_ms < c.s->t_ms; next++)
			if (active[next].to_ms > c.from_ms)
				*vec_push(&w->on) =
				        (struct running){ .atom = active[next], .bucket = NONE };
		if (w->on.n)
			sweep_sample(w, &c, chip);
	}
	cover_end(&walk);
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
	if (active.n)
		sweep_series(&w, s, &active.v[0], active.n, &chip);
	for (size_t k = 0; k < w.on.n; k++)
		running_flush(m, &w.on.v[k]);
	vec_deinit(&w.on);
	vec_deinit(&active);
}

void depth_finish(struct meter *m)
{
	rows_join(m);
}
