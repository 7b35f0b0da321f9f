/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle: allocated time with its fate and marks to cells (ledger.md 3, 4 rules 12 and
 * 14, 9.10, 9.13, 9.20; decisions E.12, G.6 to G.10). A job with headroom, or with more GPUs than
 * it asked for, is settled as a whole: which of its units are the last ones depends on all its
 * slots at that instant.
 */
#include <stdlib.h>

#include "account/meter.h"

/* What a service's group of intervals has had so far on one claim and slot, by state. */
struct floors {
	uint32_t claim, slot, group;
	i128 units[STATE_COUNT];
	i128 energy[STATE_COUNT], metered[STATE_COUNT], integrated[STATE_COUNT];
};

static int64_t counted(int64_t n)
{
	return n > 0 ? n : 0;
}

/* Tokens decide if any were counted, else requests (9.10). */
static void share_bad(const struct service *s, i128 *ret_bad, i128 *ret_total)
{
	*ret_bad = counted(s->tokens_bad);
	*ret_total = (i128)counted(s->tokens_bad) + counted(s->tokens_ok);
	if (*ret_total == 0) {
		*ret_bad = counted(s->bad);
		*ret_total = (i128)counted(s->bad) + counted(s->ok);
	}
}

/* The service interval at T: its index, or NONE with the fate of time outside all intervals. */
static uint32_t service_at(const struct meter *m, const struct attempt_info *info, bool has_end,
                           int64_t t_ms, uint8_t *ret_fate, int64_t *ret_until_ms)
{
	uint32_t n = info ? info->services.n : 0, lo = 0, hi = n;
	const struct seen_service *s = n ? &m->services.v[info->services.at] : NULL;
	*ret_until_ms = INT64_MAX;
	*ret_fate = FATE_UNJUDGED;
	while (lo < hi) { /* the first that ends after T */
		uint32_t mid = (lo + hi) / 2;
		if (s[mid].s.to_ms <= t_ms)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == n) {
		if (n && !has_end)
			*ret_fate = FATE_PENDING;
		return NONE;
	}
	if (s[lo].s.from_ms > t_ms) {
		*ret_until_ms = s[lo].s.from_ms;
		return NONE;
	}
	*ret_until_ms = s[lo].s.to_ms;
	return info->services.at + lo;
}

static struct cell key_of(const struct meter *m, const struct atom *a, uint8_t fate)
{
	const struct claim *c = &m->claims.v[a->claim];
	uint8_t counts_as = (uint8_t)m->count[fate];
	bool open = counts_as == FATE_PRODUCTIVE || counts_as == FATE_PENDING ||
	            counts_as == FATE_UNJUDGED;
	return (struct cell){ .place = a->place,
		              .job = c->job,
		              .state = a->state,
		              .fate = counts_as,
		              .evidence = a->evidence,
		              .marks = a->marks & 15u,
		              .estimated = a->is_estimated,
		              .maybe_productive = open && (a->state == STATE_ACTIVE ||
		                                           a->state == STATE_UNOBSERVED) };
}

/* 9.10: what of PART is lost, now that HAD has gone before. */
static int64_t lost_of(i128 *had, int64_t part, i128 bad, i128 total)
{
	i128 lost = (*had + part) * bad / total - *had * bad / total;
	*had += part;
	return (int64_t)lost;
}

/* K.5: energy goes the way of its time. */
static struct drawn drawn_lost(struct floors *fl, uint8_t state, const struct drawn *d, i128 bad,
                               i128 total)
{
	return (struct drawn){ lost_of(&fl->energy[state], d->energy, bad, total),
		               lost_of(&fl->metered[state], d->metered, bad, total),
		               lost_of(&fl->integrated[state], d->integrated, bad, total) };
}

/* G.6: one stretch inside one bucket, cumulative floor of what ended badly. */
static void settle_service(struct meter *m, const struct atom *a, uint32_t interval,
                           uint32_t bucket, int64_t units, const struct drawn *d)
{
	uint32_t group = m->services.v[interval].closes;
	if (group == NONE) {
		struct cell key = key_of(m, a, FATE_PENDING);
		if (bucket != NONE) {
			cell_add_units(m, &key, bucket, units);
			cell_draw(m, &key, bucket, d);
		}
		return;
	}
	struct floors *fl = m->floors;
	if (fl->claim != a->claim || fl->slot != a->slot || fl->group != group)
		*fl = (struct floors){ .claim = a->claim, .slot = a->slot, .group = group };
	i128 bad, total;
	share_bad(&m->services.v[group].s, &bad, &total);
	int64_t lost = lost_of(&fl->units[a->state], units, bad, total);
	struct drawn gone = drawn_lost(fl, a->state, d, bad, total);
	if (bucket == NONE)
		return;
	struct cell key = key_of(m, a, FATE_LOST);
	cell_add_units(m, &key, bucket, lost);
	cell_draw(m, &key, bucket, &gone);
	key = key_of(m, a, FATE_PRODUCTIVE);
	key.is_successful = true;
	cell_add_units(m, &key, bucket, units - lost);
	struct drawn rest = { d->energy - gone.energy, d->metered - gone.metered,
		              d->integrated - gone.integrated };
	cell_draw(m, &key, bucket, &rest);
}

/* G.8: setup and restore of an attempt that follows a failed one. */
static bool is_retry(const struct meter *m, uint32_t job, uint8_t state)
{
	if (job == NONE || (state != STATE_SETUP && state != STATE_OVERHEAD_RESTORE) ||
	    m->before[job] == NONE)
		return false;
	uint8_t o = attempt_at(m, m->before[job]).outcome;
	return outcomes[o].fate == FATE_LOST;
}

static void settle_now(struct meter *m, const struct atom *atom)
{
	struct atom a = *atom;
	const struct claim *c = &m->claims.v[a.claim];
	const struct attempt_info *info = seen_info(m, c->job);
	bool is_service = c->job != NONE && m->f->jobs.v[c->job].kind == KIND_SERVICE;
	if (a.state == STATE_UNKNOWN || states[a.state].group == GROUP_DOWN) {
		struct cell key = key_of(m, &a, FATE_NONE);
		key.marks = 0;
		cell_add(m, &key, a.from_ms, a.to_ms, a.units_per_ms);
		drawn_add(m, a.slot, &key, a.from_ms, a.to_ms, a.units_per_ms);
		return;
	}
	if (is_retry(m, c->job, a.state))
		a.marks |= MARK_RETRY;
	if (!info && !is_service && a.slot == NONE) { /* nothing changes while it lasts */
		int64_t never;
		const struct fate_span fs = fate_at(m, c->job, a.from_ms, &never);
		struct cell key = key_of(m, &a, fs.fate);
		key.is_successful = fs.is_successful;
		cell_add(m, &key, a.from_ms, a.to_ms, a.units_per_ms);
		return;
	}
	uint8_t marks = a.marks;
	for (int64_t at = a.from_ms, until; at < a.to_ms; at = until) {
		int64_t fate_until, units;
		uint8_t fate = FATE_NONE;
		uint32_t interval = NONE, bucket = cells_bucket(m, at, &until);
		struct fate_span fs = { 0 };
		if (is_service)
			interval = service_at(m, info, attempt_at(m, c->job).end_ms != TIME_UNKNOWN,
			                      at, &fate, &fate_until);
		else
			fs = fate_at(m, c->job, at, &fate_until);
		until = fate_until < until ? fate_until : until;
		if (info && info->hang_ms > at && info->hang_ms < until)
			until = info->hang_ms;
		until = until < a.to_ms ? until : a.to_ms;
		a.marks = info && info->hang_ms <= at ? marks | MARK_HANG : marks;
		m->overflow |= __builtin_mul_overflow(a.units_per_ms, until - at, &units);
		struct drawn d = drawn_between(m, a.slot, at, until, a.units_per_ms);
		if (interval != NONE) {
			settle_service(m, &a, interval, bucket, units, &d);
			continue;
		}
		if (bucket == NONE)
			continue;
		struct cell key = key_of(m, &a, is_service ? fate : fs.fate);
		key.is_successful = fs.is_successful;
		key.maybe_productive |=
		        fs.maybe && (a.state == STATE_ACTIVE || a.state == STATE_UNOBSERVED);
		cell_add_units(m, &key, bucket, units);
		cell_draw(m, &key, bucket, &d);
	}
}

bool settle_is_whole(const struct meter *m, uint32_t job)
{
	if (job == NONE)
		return false;
	const struct attempt_info *info = seen_info(m, job);
	return (info && info->has_headroom) || m->has_more[job];
}

void settle_atom(struct meter *m, const struct atom *a)
{
	if (settle_is_whole(m, m->claims.v[a->claim].job))
		*vec_push(&m->atoms) = *a;
	else
		settle_now(m, a);
}

/* Key order of a job's units: slots, then pools; then place in the input (E.12, G.9). */
static int key_order(const struct meter *m, const struct atom *a, const struct atom *b)
{
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	if (a->slot == NONE) {
		const struct pool *p = &m->pools.v[m->claims.v[a->claim].at];
		const struct pool *q = &m->pools.v[m->claims.v[b->claim].at];
		int c = str_cmp(names_word(&m->f->names, p->id), names_word(&m->f->names, q->id));
		if (c)
			return c;
	}
	uint32_t x = m->claims.v[a->claim].entry, y = m->claims.v[b->claim].entry;
	return x != y ? (x < y ? -1 : 1) : a->claim < b->claim ? -1 : a->claim > b->claim;
}

struct ranked {
	struct atom atom;
	const struct meter *m;
	uint32_t job;
};

static int ranked_order(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	int c = key_order(a->m, &a->atom, &b->atom);
	return c ? c : a->atom.from_ms < b->atom.from_ms ? -1 : a->atom.from_ms > b->atom.from_ms;
}

struct parts {
	VEC(struct ranked) v;
};

static void part_add(struct parts *ps, const struct ranked *r, struct span at, int64_t units_per_ms,
                     uint8_t state, uint8_t marks)
{
	if (units_per_ms <= 0)
		return;
	struct ranked p = *r;
	p.atom.from_ms = at.from_ms;
	p.atom.to_ms = at.to_ms;
	p.atom.units_per_ms = units_per_ms;
	p.atom.state = state;
	p.atom.marks |= marks;
	*vec_push(&ps->v) = p;
}

/* One instant of one job: R's atoms that cover it, in key order. */
static void split_instant(const struct meter *m, const struct ranked *r, const uint32_t *on,
                          size_t n, struct span at, struct parts *ps)
{
	const struct job *j = &m->f->jobs.v[r->job];
	const struct attempt_info *info = seen_info(m, r->job);
	i128 reserve = info && info->has_headroom ? info->headroom_units : 0, sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += r[on[i]].atom.units_per_ms;
	i128 asked = j->requested == COUNT_UNKNOWN ? sum : (i128)j->requested * GRID, before = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ranked *x = &r[on[i]];
		int64_t units = x->atom.units_per_ms, held = 0;
		if (x->atom.is_stalled) {
			held = reserve < units ? (int64_t)reserve : units;
			reserve -= held;
		}
		/* the last units in key order are the ones that nobody asked for */
		i128 within = asked - before;
		int64_t fine = within >= units ? units : within > 0 ? (int64_t)within : 0;
		before += units;
		int64_t both = held < fine ? held : fine; /* of the held ones, those asked for */
		part_add(ps, x, at, both, STATE_STALLED_RESERVE, 0);
		part_add(ps, x, at, held - both, STATE_STALLED_RESERVE, MARK_UNREQUESTED);
		part_add(ps, x, at, fine - both, x->atom.state, 0);
		part_add(ps, x, at, units - held - (fine - both), x->atom.state, MARK_UNREQUESTED);
	}
}

/* R: the atoms of one job, by key, time. */
static void split_job(const struct meter *m, const struct ranked *r, size_t n, struct parts *ps)
{
	VEC(int64_t) cuts = { 0 };
	VEC(uint32_t) on = { 0 };
	for (size_t i = 0; i < n; i++) {
		*vec_push(&cuts) = r[i].atom.from_ms;
		*vec_push(&cuts) = r[i].atom.to_ms;
	}
	const struct attempt_info *info = seen_info(m, r->job);
	for (uint32_t i = 0; info && i < info->services.n; i++) /* a floor belongs to one group */
		*vec_push(&cuts) = m->services.v[info->services.at + i].s.to_ms;
	vec_sort(&cuts, span_time_order);
	uint32_t *next = mem_alloc(
	        mem_times(n, sizeof *next)); /* heads of the lists of one claim and slot */
	size_t heads = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || r[i].atom.claim != r[i - 1].atom.claim ||
		    r[i].atom.slot != r[i - 1].atom.slot)
			next[heads++] = (uint32_t)i;
	for (size_t k = 0; k + 1 < cuts.n; k++) {
		struct span at = { cuts.v[k], cuts.v[k + 1] };
		if (at.from_ms == at.to_ms)
			continue;
		on.n = 0;
		for (size_t h = 0; h < heads; h++) {
			uint32_t i = next[h];
			while (i + 1 < n && r[i].atom.to_ms <= at.from_ms &&
			       r[i + 1].atom.claim == r[i].atom.claim &&
			       r[i + 1].atom.slot == r[i].atom.slot)
				i++;
			next[h] = i;
			if (r[i].atom.from_ms <= at.from_ms && at.from_ms < r[i].atom.to_ms)
				*vec_push(&on) = i;
		}
		split_instant(m, r, on.v, on.n, at, ps);
	}
	mem_free(next);
	vec_deinit(&cuts);
	vec_deinit(&on);
}

void settle_end(struct meter *m)
{
	VEC(struct ranked) all = { 0 };
	struct parts ps = { { 0 } };
	for (size_t i = 0; i < m->atoms.n; i++)
		*vec_push(&all) =
		        (struct ranked){ m->atoms.v[i], m, m->claims.v[m->atoms.v[i].claim].job };
	vec_sort(&all, ranked_order);
	for (size_t i = 0, j; i < all.n; i = j) {
		for (j = i; j < all.n && all.v[j].job == all.v[i].job;)
			j++;
		split_job(m, &all.v[i], j - i, &ps);
		vec_sort(&ps.v, ranked_order);
		for (size_t k = 0; k < ps.v.n; k++)
			settle_now(m, &ps.v.v[k].atom);
		ps.v.n = 0;
	}
	vec_deinit(&ps.v);
	vec_deinit(&all);
}

void settle_init(struct meter *m)
{
	m->floors = ARENA_NEW(m->a, struct floors);
	m->floors->claim = NONE;
	const struct facts *f = m->f;
	int64_t *claimed = mem_alloc(mem_times(f->jobs.n, sizeof *claimed));
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct claim *c = &m->claims.v[i];
		if (c->job == NONE)
			continue;
		int64_t units = claim_units(m, c); /* and what rounding may add */
		if (c->target == TARGET_SITE)
			units += m->sites.v[c->at].slots_n;
		else if (c->target == TARGET_SLOT)
			units += m->slots.v[c->at].weight % claim_size(m, c).den != 0;
		claimed[c->job] += units;
	}
	m->has_more = mem_alloc(mem_times(f->jobs.n, sizeof *m->has_more));
	for (size_t i = 0; i < f->jobs.n; i++) {
		uint32_t asked = f->jobs.v[i].requested;
		m->has_more[i] = asked != COUNT_UNKNOWN && claimed[i] > (int64_t)asked * GRID;
	}
	mem_free(claimed);
}
