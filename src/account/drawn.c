/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drawn: the energy of every whole device as a function of time (ledger.md 5; decisions K.1 to
 * K.4). The counter where two neighbouring readings agree, else power over what a sample covers;
 * time without either has no energy, never zero.
 */
#include <stdlib.h>

#include "account/meter.h"

#define STILL_MS 1000                   /* no device that is on draws less than 1 mW for so long */
#define WIDTH_MJ ((int64_t)1 << 32)     /* of a counter that goes round */
#define NEAR_WRAP_MJ ((int64_t)1 << 29) /* 537 kJ: minutes of any GPU */
#define POWER_MW_MAX (ENERGY_WATTS_MAX * (int64_t)1000)

/* K.2: what the counter says of [before, s), in RET; false: nothing. RET_STILL: it stands still. */
static bool counter_delta(const struct cover *c, int64_t *ret_mj, bool *ret_still)
{
	*ret_still = false;
	int64_t e0, e1;
	if (!c->is_near || !c->before->has_energy || !cover_reads(c, METRIC_energy, &e1))
		return false;
	e0 = c->before->energy;
	int64_t ms = c->t_ms - c->before->t_ms;
	if (e0 < 0 || e1 < 0)
		return false;
	if (e1 < e0) {
		if (e0 >= WIDTH_MJ || e0 < WIDTH_MJ - NEAR_WRAP_MJ || e1 >= NEAR_WRAP_MJ)
			return false;
		e1 += WIDTH_MJ;
	}
	if (e1 == e0 && ms >= STILL_MS) {
		*ret_still = true;
		return false;
	}
	if (e1 - e0 > (i128)ENERGY_WATTS_MAX * ms)
		return false;
	*ret_mj = e1 - e0;
	return true;
}

static bool is_power(int64_t mw)
{
	return mw >= 0 && mw <= POWER_MW_MAX;
}

/* K.3: half microjoules of what the sample covers; false: not known. */
static bool power_energy(const struct cover *c, i128 *ret_half)
{
	int64_t now;
	if (!cover_reads(c, METRIC_power, &now) || !is_power(now) ||
	    (c->is_far && (!c->is_pair || !c->before->has_power || !is_power(c->before->power))))
		return false;
	*ret_half = ((i128)now + (c->is_far ? c->before->power : now)) * (c->t_ms - c->from_ms);
	return true;
}

static void span_push(struct meter *m, const struct drawn_walk *w, struct draw_span s)
{
	const struct draw_span *last =
	        m->draw_spans.n > w->first ? &m->draw_spans.v[m->draw_spans.n - 1] : NULL;
	if (!last && w->before)
		s.before = w->before->half_microjoules;
	if (last) {
		int64_t ms = last->to_ms - last->from_ms;
		s.before = last->before + last->half_microjoules;
		s.covered_ms = last->covered_ms + ms;
		s.integrated_ms = last->integrated_ms + (last->is_integrated ? ms : 0);
	}
	*vec_push(&m->draw_spans) = s;
}

/* K.3: counter and sensor over the same time. */
static void compare(struct meter *m, const struct cover *c, i128 counter)
{
	i128 power;
	if (!power_energy(c, &power))
		return;
	m->out->both_counter += counter;
	m->out->both_power += power;
	m->out->both_ms += c->t_ms - c->from_ms;
}

static void span_add(struct meter *m, struct drawn_walk *w, const struct cover *c)
{
	struct draw_span s = { .from_ms = c->from_ms, .to_ms = c->t_ms };
	int64_t mj;
	bool still, counted = counter_delta(c, &mj, &still) && !w->was_still;
	i128 half = counted ? (i128)mj * 2000 : 0;
	w->was_still = still;
	s.is_integrated = !counted;
	if (w->before && s.to_ms <= w->before->at_ms)
		return;
	if (s.from_ms == s.to_ms || (!counted && !power_energy(c, &half)))
		return;
	if (half > INT64_MAX) { /* decades under one reading */
		m->overflow = true;
		return;
	}
	if (counted && w->counts)
		compare(m, c, half);
	s.half_microjoules = (int64_t)half;
	span_push(m, w, s);
}

struct total_of {
	int64_t millijoules, covered_ms, integrated_ms;
};

/* C(t) and the ms before T that it covers (K.4). */
static struct total_of until(const struct draw_span *s, uint32_t n, int64_t t_ms)
{
	uint32_t lo = 0, hi = n;
	while (lo < hi) { /* the first that begins at T or later */
		uint32_t mid = (lo + hi) / 2;
		if (s[mid].from_ms < t_ms)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo) /* before all of them: what is carried */
		return (struct total_of){ n ? (int64_t)(s->before / 2000) : 0, 0, 0 };
	s += lo - 1;
	int64_t ms = (t_ms < s->to_ms ? t_ms : s->to_ms) - s->from_ms;
	i128 half = s->before + (i128)s->half_microjoules * ms / (s->to_ms - s->from_ms);
	return (struct total_of){ (int64_t)(half / 2000), s->covered_ms + ms,
		                  s->integrated_ms + (s->is_integrated ? ms : 0) };
}

static struct total_of between(const struct draw_span *s, uint32_t n, int64_t from_ms,
                               int64_t to_ms)
{
	struct total_of a = until(s, n, from_ms), b = until(s, n, to_ms);
	return (struct total_of){ b.millijoules - a.millijoules, b.covered_ms - a.covered_ms,
		                  b.integrated_ms - a.integrated_ms };
}

struct drawn drawn_between(struct meter *m, uint32_t slot, int64_t from_ms, int64_t to_ms,
                           int64_t units_per_ms)
{
	const struct slot *s = slot == NONE ? NULL : &m->slots.v[slot];
	struct drawn d = { 0 };
	if (!s || !s->draws_n)
		return d;
	struct total_of t = between(&m->draw_spans.v[s->draws_at], s->draws_n, from_ms, to_ms);
	m->overflow |= __builtin_mul_overflow(t.millijoules, units_per_ms, &d.energy);
	m->overflow |= __builtin_mul_overflow(t.covered_ms, units_per_ms, &d.metered);
	m->overflow |= __builtin_mul_overflow(t.integrated_ms, units_per_ms, &d.integrated);
	return d;
}

void drawn_add(struct meter *m, uint32_t slot, const struct cell *key, int64_t from_ms,
               int64_t to_ms, int64_t units_per_ms)
{
	if (slot == NONE || !m->slots.v[slot].draws_n)
		return;
	for (int64_t t = from_ms, next; t < to_ms; t = next) {
		uint32_t bucket = cells_bucket(m, t, &next);
		next = next < to_ms ? next : to_ms;
		if (bucket == NONE)
			continue;
		struct drawn d = drawn_between(m, slot, t, next, units_per_ms);
		cell_draw(m, key, bucket, &d);
	}
}

/* K.1: a MIG device speaks of itself, and no instance can be told its part. */
static void mig_add(struct meter *m, const struct draw_span *s, uint32_t n)
{
	struct total_of t = between(s, n, m->window.from_ms, m->window.to_ms);
	struct ledger *l = m->out;
	m->overflow |=
	        __builtin_add_overflow(l->mig_millijoules, t.millijoules, &l->mig_millijoules);
	l->mig_ms += t.covered_ms;
}

/* K.7: vacant_power over what the samples cover. */
static void vacancy_add(struct vacancy *v, const struct cover *c)
{
	int64_t mw, ms = c->t_ms - c->from_ms;
	if (!ms || !cover_reads(c, METRIC_vacant_power, &mw) || !is_power(mw))
		return;
	v->microjoules += (i128)mw * ms;
	v->ms += ms;
}

void drawn_begin(struct drawn_walk *w, struct meter *m, sym device, int64_t median_ms)
{
	w->before = carry_energy(m, device);
	w->given = (struct vacancy){ .is_given = true };
	w->first = (uint32_t)m->draw_spans.n;
	w->was_still = false;
	w->counts = true;
	readings_begin(&w->readings);
	cover_join(&w->covers, m, median_ms);
}

void drawn_batch(struct drawn_walk *w, uint32_t n)
{
	struct meter *m = w->covers.m;
	int64_t from_ms[SERIES_ROWS];
	cover_batch(&w->covers, n);
	for (uint32_t i = 0; i < n; i++) {
		struct cover c = cover_row(&w->covers);
		from_ms[i] = c.from_ms;
		span_add(m, w, &c);
		if (w->counts)
			vacancy_add(&w->given, &c);
	}
	if (w->counts)
		readings_add(m, &w->readings, m->rows, from_ms, n);
}

/* K.1: a slot that is a whole device. */
static bool is_whole(const struct slot *s)
{
	return s->kind == SLOT_DEVICE || s->kind == SLOT_UNWEIGHED;
}

void drawn_end(struct drawn_walk *w, struct slot *s)
{
	struct meter *m = w->covers.m;
	readings_end(m, &w->readings);
	s->draws_at = w->first;
	if (!is_whole(s)) {
		m->draw_spans.n = w->first;
		return;
	}
	s->draws_n = (uint32_t)m->draw_spans.n - s->draws_at;
	s->has_energy = s->draws_n > 0;
	m->has_energy |= s->has_energy;
	carry_keep_energy(m, s);
	while (m->out->vacancies.n <= s->place)
		(void)vec_push(&m->out->vacancies);
	m->out->vacancies.v[s->place] = w->given;
}

/* A walk by itself: the spans of a series at the end of all; its statistics too if COUNTS. */
static void series_read(struct meter *m, uint32_t series, int64_t median_ms, bool counts)
{
	struct drawn_walk w;
	struct cover_walk rows; /* of which only the batches are asked for */
	drawn_begin(&w, m, m->source->v[series].device, median_ms);
	w.counts = counts;
	cover_begin(&rows, m, series, median_ms);
	while (cover_next_batch(&rows))
		drawn_batch(&w, rows.n);
	cover_end(&rows);
	if (counts)
		readings_end(m, &w.readings);
}

void drawn_site(struct meter *m)
{
	m->draw_spans.n = m->draws_kept;
}

void drawn_site_end(struct meter *m, const struct site *st)
{
	for (uint32_t i = 0; i < st->claims_n; i++)
		if (settle_is_whole(m, m->claims.v[st->claims_at + i].job)) {
			m->draws_kept = m->draw_spans.n;
			return;
		}
	for (uint32_t i = 0; i < st->slots_n; i++)
		m->slots.v[m->site_slots.v[st->slots_at + i]].draws_n = 0;
}

void drawn_rest(struct meter *m)
{
	for (size_t i = 0; i < m->unplaced.n; i++) {
		const struct unplaced *u = &m->unplaced.v[i];
		const uint32_t *first = map_get(&m->slot_of, m->source->v[u->series].device);
		m->draw_spans.n = m->draws_kept;
		series_read(m, u->series, u->median_ms, true);
		uint32_t n = (uint32_t)(m->draw_spans.n - m->draws_kept);
		if (n && first && m->slots.v[*first - 1].device == m->source->v[u->series].device)
			mig_add(m, &m->draw_spans.v[m->draws_kept], n);
	}
	m->draw_spans.n = m->draws_kept;
}

void drawn_ask(struct meter *m, uint32_t slot, const struct cell *key, int64_t from_ms,
               int64_t to_ms, int64_t units_per_ms)
{
	if (slot != NONE && m->slots.v[slot].has_energy)
		*vec_push(&m->draw_asks) =
		        (struct draw_ask){ *key, slot, from_ms, to_ms, units_per_ms };
}

static int ask_order(const void *x, const void *y)
{
	const struct draw_ask *a = x, *b = y;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

void drawn_answer(struct meter *m)
{
	vec_sort(&m->draw_asks, ask_order);
	for (size_t i = 0; i < m->draw_asks.n; i++) {
		const struct draw_ask *a = &m->draw_asks.v[i];
		struct slot *s = &m->slots.v[a->slot];
		if (!i || a->slot != m->draw_asks.v[i - 1].slot) {
			m->draw_spans.n = 0;
			series_read(m, s->series, s->median_ms, false);
			s->draws_at = 0;
			s->draws_n = (uint32_t)m->draw_spans.n;
		}
		drawn_add(m, a->slot, &a->key, a->from_ms, a->to_ms, a->units_per_ms);
	}
}
