/* SPDX-License-Identifier: Apache-2.0 */
/*
 * piece: samples to stretches of known activity (ledger.md 4, rules 1 to 7; 9.2 to 9.5; decisions
 * C). A gap is the absence of a piece; no value is carried further than 2.5 periods.
 */
#include <stdlib.h>

#include "account/meter.h"

/* Thresholds of ledger.md 3, in the units of metrics.def. */
#define FIVE_PERCENT 5000000
#define ONE_GIGABYTE_PER_SECOND 1000000000
#define RESIDENT_MEBIBYTES 100000

/* true only if the reading is known and below (at or above) X; the other answer is not its
 * opposite. */
static bool below(const struct sample *s, enum metric_id id, int64_t x)
{
	return (s->known >> id & 1) && s->v[id] < x;
}

static bool at_least(const struct sample *s, enum metric_id id, int64_t x)
{
	return (s->known >> id & 1) && s->v[id] >= x;
}

static bool knows(const struct sample *s, enum metric_id id)
{
	return s->known >> id & 1;
}

/* Power is above half of its limit. */
static bool power_busy(const struct sample *s)
{
	if (!knows(s, METRIC_power) || !knows(s, METRIC_power_limit))
		return false;
	i128 power = s->v[METRIC_power], limit = s->v[METRIC_power_limit];
	return 2 * power > limit;
}

static bool is_profiling(enum metric_id id)
{
	enum metric_role r = metrics[id].role;
	return r == ROLE_PROFILE || r == ROLE_PIPE || r == ROLE_MEMORY;
}

/* 9.5: all profiling counters 0 while GPU-Util and power say busy: a broken source, not an idle
 * GPU. */
static bool is_broken(const struct sample *s)
{
	bool any = false;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (!is_profiling(id) || !knows(s, id))
			continue;
		any = true;
		if (at_least(s, id, 1) || below(s, id, 0))
			return false;
	}
	return any && at_least(s, METRIC_gpu_util, FIVE_PERCENT) && power_busy(s);
}

/* Rule 5: profiling counters, then GPU-Util, then power and the idle reason. */
static enum tri compute_high(const struct sample *s, uint8_t *ret_evidence)
{
	bool any = false, high = false;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		enum metric_role r = metrics[id].role;
		if ((r == ROLE_PROFILE || r == ROLE_PIPE) && knows(s, id)) {
			any = true;
			high |= at_least(s, id, FIVE_PERCENT);
		}
	}
	*ret_evidence = EVIDENCE_PROFILE;
	if (any)
		return high ? TRI_YES : TRI_NO;
	*ret_evidence = EVIDENCE_WEAK;
	if (knows(s, METRIC_gpu_util))
		return at_least(s, METRIC_gpu_util, FIVE_PERCENT) ? TRI_YES : TRI_NO;
	*ret_evidence = EVIDENCE_INFERRED;
	bool low = at_least(s, METRIC_idle_reason, 1);
	if (knows(s, METRIC_power) && knows(s, METRIC_vacant_power)) {
		i128 off = (i128)s->v[METRIC_power] - s->v[METRIC_vacant_power];
		low |= (off < 0 ? -off : off) * 100 <= (i128)s->v[METRIC_vacant_power] * 15;
	}
	high = power_busy(s);
	if (low != high)
		return high ? TRI_YES : TRI_NO;
	*ret_evidence = EVIDENCE_NONE;
	return TRI_UNKNOWN;
}

static bool links_busy(const struct sample *s)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (metrics[id].role == ROLE_LINK && at_least(s, id, ONE_GIGABYTE_PER_SECOND))
			return true;
	return false;
}

/* stalled.spinning: every condition known to be true (9.1). */
static bool is_spinning(const struct sample *s)
{
	bool any_link = false;
	if (!at_least(s, METRIC_sm, FIVE_PERCENT))
		return false;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		enum metric_role r = metrics[id].role;
		if ((r == ROLE_PIPE || r == ROLE_MEMORY) && !below(s, id, FIVE_PERCENT))
			return false;
		any_link |= r == ROLE_LINK && knows(s, id);
	}
	return any_link && !links_busy(s);
}

static enum residency residency_of(const struct sample *s)
{
	if (s->procs_why == WHY_KNOWN)
		return s->procs_n ? RESIDENCY_RESIDENT : RESIDENCY_EMPTY;
	if (!knows(s, METRIC_mem_used) || !knows(s, METRIC_mem_reserve))
		return RESIDENCY_UNKNOWN;
	int64_t taken = s->v[METRIC_mem_used] - s->v[METRIC_mem_reserve];
	return taken >= RESIDENT_MEBIBYTES ? RESIDENCY_RESIDENT : RESIDENCY_EMPTY;
}

uint64_t piece_known(const struct sample *s)
{
	uint64_t known = s->known;
	if (is_broken(s))
		for (enum metric_id id = 0; id < METRIC_COUNT; id++)
			if (is_profiling(id))
				known &= ~metric_bit(id);
	return known;
}

/* C.3 to C.5: what one sample says, whatever time it covers. */
static struct piece piece_of(const struct sample *raw, uint32_t index)
{
	struct sample s = *raw;
	struct piece p = { .sample = index, .other = index };
	s.known = piece_known(raw);
	enum tri high = compute_high(&s, &p.evidence);
	bool other = at_least(&s, METRIC_dram, FIVE_PERCENT) || links_busy(&s);
	if (high == TRI_YES)
		p.kind = is_spinning(&s) ? CLASS_SPIN : CLASS_HIGH;
	else if (high == TRI_NO)
		p.kind = other ? CLASS_BUSY : CLASS_LOW;
	p.is_refuting = high == TRI_YES || other;
	p.residency = (uint8_t)residency_of(&s);
	p.has_procs = s.procs_why == WHY_KNOWN;
	p.has_reading = raw->known || p.has_procs;
	return p;
}

static uint8_t joined_class(uint8_t a, uint8_t b)
{
	if (a == b)
		return a;
	if (a <= CLASS_LOW || b <= CLASS_LOW)
		return CLASS_NONE;
	return a != CLASS_BUSY && b != CLASS_BUSY ? CLASS_HIGH : CLASS_BUSY;
}

/* 9.3: two neighbouring points prove the time between them if they agree. */
static struct piece piece_join(const struct piece *before, const struct piece *after)
{
	struct piece p = *after;
	p.is_point = true;
	if (!before) {
		p.kind = CLASS_NONE;
		p.residency = RESIDENCY_UNKNOWN;
		p.is_refuting = p.has_procs = false;
		return p;
	}
	p.other = before->sample;
	p.kind = joined_class(before->kind, after->kind);
	p.is_refuting |= before->is_refuting;
	p.has_procs &= before->has_procs;
	if (before->residency != after->residency)
		p.residency = RESIDENCY_UNKNOWN;
	if (before->evidence > p.evidence)
		p.evidence = before->evidence;
	return p;
}

static bool lists(const struct meter *m, uint32_t sample, sym id)
{
	const struct sample *s = &m->f->samples.v[sample];
	for (uint32_t i = 0; i < s->procs_n; i++)
		if (m->f->syms.v[s->procs_at + i] == id)
			return true;
	return false;
}

enum tri piece_names(const struct meter *m, const struct piece *p, uint32_t job)
{
	if (!p || !p->has_procs)
		return TRI_UNKNOWN;
	sym id = job == NONE ? 0 : names_find(&m->f->names, job_id(m->f, &m->f->jobs.v[job]));
	bool one = id && lists(m, p->sample, id);
	bool two = p->other == p->sample ? one : id && lists(m, p->other, id);
	return one != two ? TRI_UNKNOWN : one ? TRI_YES : TRI_NO;
}

static void piece_finish(const struct meter *m, struct piece *p)
{
	p->has_class = p->kind != CLASS_NONE;
	p->is_high = p->kind >= CLASS_SPIN;
	/* C.7: a known empty list without activity counts as low (9.4) */
	if (p->has_procs && !p->is_refuting && !m->f->samples.v[p->sample].procs_n &&
	    !m->f->samples.v[p->other].procs_n)
		p->kind = CLASS_LOW;
}

struct key {
	uint32_t device, index;
	int64_t t_ms;
};

static int gap_order(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

/* 9.5: the median of an even number of gaps is the upper one. 0: no gap. */
static int64_t median_gap(const struct meter *m, const uint32_t *order, uint32_t n)
{
	if (n < 2)
		return 0;
	int64_t *gaps = mem_alloc(mem_times(n - 1, sizeof *gaps));
	for (uint32_t i = 1; i < n; i++)
		gaps[i - 1] = m->f->samples.v[order[i]].t_ms - m->f->samples.v[order[i - 1]].t_ms;
	qsort(gaps, n - 1, sizeof *gaps, gap_order);
	int64_t median = gaps[(n - 1) / 2];
	mem_free(gaps);
	return median;
}

/* C.1: the same time twice: the later entry replaces the earlier whole. */
static struct series series_unique(struct meter *m, const struct key *keys, uint32_t n)
{
	struct series se = { .device = keys->device, .at = (uint32_t)m->unique_order.n };
	for (uint32_t i = 0; i < n; i++) {
		if (i && keys[i - 1].t_ms == keys[i].t_ms)
			m->unique_order.n--;
		*vec_push(&m->unique_order) = keys[i].index;
	}
	se.n = (uint32_t)m->unique_order.n - se.at;
	se.median_ms = median_gap(m, &m->unique_order.v[se.at], se.n);
	return se;
}

static int64_t period_of(const struct sample *s, const struct series *se)
{
	return s->period_ms > 0 ? s->period_ms : se->median_ms;
}

struct cover piece_cover(const struct meter *m, const struct series *se, uint32_t i)
{
	const uint32_t *order = &m->unique_order.v[se->at];
	struct cover c = { .s = &m->f->samples.v[order[i]] };
	int64_t p = period_of(c.s, se);
	c.before = i ? &m->f->samples.v[order[i - 1]] : NULL;
	c.is_near = p > 0 && c.before && 2 * (c.s->t_ms - c.before->t_ms) <= 5 * p;
	c.is_far = c.s->kind == SAMPLE_POINT && p > RUN_MS;
	c.is_pair = c.is_near && c.is_far && c.before->kind == SAMPLE_POINT &&
	            period_of(c.before, se) > RUN_MS;
	c.from_ms = c.is_near ? c.before->t_ms : c.s->t_ms - p;
	if (p <= 0 || (c.is_far && !c.is_near))
		c.from_ms = c.s->t_ms;
	return c;
}

static void series_pieces(struct meter *m, const struct series *se)
{
	struct piece before = { 0 };
	for (uint32_t i = 0; i < se->n; i++) {
		struct cover c = piece_cover(m, se, i);
		struct piece one = piece_of(c.s, m->unique_order.v[se->at + i]), all = one;
		if (c.is_far)
			all = piece_join(c.is_pair ? &before : NULL, &one);
		all.from_ms = c.from_ms;
		all.to_ms = c.s->t_ms;
		if (all.from_ms < all.to_ms) {
			piece_finish(m, &all);
			*vec_push(&m->pieces) = all;
		}
		before = one;
	}
}

static void cover_add(struct span *w, const struct span *by)
{
	if (by->from_ms == TIME_UNKNOWN)
		return;
	if (w->from_ms == TIME_UNKNOWN || by->from_ms < w->from_ms)
		w->from_ms = by->from_ms;
	if (w->to_ms == TIME_UNKNOWN || by->to_ms > w->to_ms)
		w->to_ms = by->to_ms;
}

/* The pieces of one series belong to its slot; what they cover counts for the whole device (B.6).
 */
static void series_build(struct meter *m, const struct series *se, uint32_t order_at,
                         uint32_t order_n)
{
	uint32_t at = (uint32_t)m->pieces.n;
	series_pieces(m, se);
	uint32_t n = (uint32_t)m->pieces.n - at;
	const uint32_t *first = map_get(&m->slot_of, se->device);
	struct span cover = { TIME_UNKNOWN, TIME_UNKNOWN };
	if (n)
		cover = (struct span){ m->pieces.v[at].from_ms, m->pieces.v[at + n - 1].to_ms };
	cover_add(&m->cover, &cover);
	if (!first)
		return;
	sym device = m->slots.v[*first - 1].device;
	for (uint32_t i = *map_get(&m->slot_of, device) - 1;
	     i < m->slots.n && m->slots.v[i].device == device; i++) {
		struct slot *s = &m->slots.v[i];
		cover_add(&s->cover, &cover);
		bool own = s->kind == SLOT_INSTANCE
		                   ? s->instance == se->device
		                   : s->kind != SLOT_REMAINDER && s->device == se->device;
		if (own) {
			s->samples_at = order_at, s->samples_n = order_n;
			s->pieces_at = at, s->pieces_n = n;
			s->series = (uint32_t)(se - m->series.v);
		}
	}
}

static int key_order(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->t_ms != b->t_ms)
		return a->t_ms < b->t_ms ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

void piece_build(struct meter *m)
{
	const struct facts *f = m->f;
	VEC(struct key) keys = { 0 };
	for (uint32_t i = 0; i < f->samples.n; i++)
		if (f->samples.v[i].t_ms <= m->as_of_ms)
			*vec_push(&keys) =
			        (struct key){ f->samples.v[i].device, i, f->samples.v[i].t_ms };
	vec_sort(&keys, key_order);
	for (size_t i = 0; i < keys.n; i++)
		*vec_push(&m->sample_order) = keys.v[i].index;
	for (uint32_t i = 0, j; i < keys.n; i = j) {
		for (j = i; j < keys.n && keys.v[j].device == keys.v[i].device;)
			j++;
		*vec_push(&m->series) = series_unique(m, &keys.v[i], j - i);
		series_build(m, &m->series.v[m->series.n - 1], i, j - i);
	}
	m->out->has_samples = keys.n > 0;
	vec_deinit(&keys);
}
