/* SPDX-License-Identifier: Apache-2.0 */
/*
 * piece: samples to stretches of known activity (ledger.md 4, rules 1 to 7; 9.2 to 9.5; decisions
 * C). A gap is the absence of a piece; no value is carried further than 2.5 periods.
 *
 * The samples of each device are read twice: once for what they cover, and once when its site is
 * metered. Only that site's pieces exist, and neighbours that say the same are one, so that memory
 * follows changes of state, not samples.
 */
#include <stdlib.h>
#include <string.h>

#include "account/glance.h"
#include "account/meter.h"
#include "base/sort.h"

static uint8_t joined_class(uint8_t a, uint8_t b)
{
	if (a == b)
		return a;
	if (a <= CLASS_LOW || b <= CLASS_LOW)
		return CLASS_NONE;
	return a != CLASS_BUSY && b != CLASS_BUSY ? CLASS_HIGH : CLASS_BUSY;
}

/* C.3 to C.5: what row AT says, whatever time it covers. */
static struct piece piece_of(const struct series_rows *r, const struct glances *g, uint32_t at)
{
	return (struct piece){ .lists = { { r->procs_at[at], r->procs_n[at] },
		                          { r->procs_at[at], r->procs_n[at] } },
		               .kind = g->kind[at],
		               .residency = g->residency[at],
		               .evidence = g->evidence[at],
		               .is_refuting = g->is_refuting[at],
		               .has_procs = r->procs_why[at] == WHY_KNOWN,
		               .has_reading = g->has_reading[at] || r->procs_why[at] == WHY_KNOWN };
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
	p.lists[1] = before->lists[0];
	p.kind = joined_class(before->kind, after->kind);
	p.is_refuting |= before->is_refuting;
	p.has_procs &= before->has_procs;
	if (before->residency != after->residency)
		p.residency = RESIDENCY_UNKNOWN;
	if (before->evidence > p.evidence)
		p.evidence = before->evidence;
	return p;
}

static bool lists(const struct meter *m, const struct procs *l, sym id)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (m->f->syms.v[l->at + i] == id)
			return true;
	return false;
}

enum tri piece_names(const struct meter *m, const struct piece *p, uint32_t job)
{
	if (!p || !p->has_procs)
		return TRI_UNKNOWN;
	sym id = job == NONE ? 0 : names_find(&m->f->names, job_id(m->f, &m->f->jobs.v[job]));
	bool one = id && lists(m, &p->lists[0], id), two = id && lists(m, &p->lists[1], id);
	return one != two ? TRI_UNKNOWN : one ? TRI_YES : TRI_NO;
}

static void piece_finish(struct piece *p)
{
	p->has_class = p->kind != CLASS_NONE;
	p->is_high = p->kind >= CLASS_SPIN;
	/* C.7: a known empty list without activity counts as low (9.4) */
	if (p->has_procs && !p->is_refuting && !p->lists[0].n && !p->lists[1].n)
		p->kind = CLASS_LOW;
}

static bool same_list(const struct meter *m, const struct procs *a, const struct procs *b)
{
	return a->n == b->n && (a->at == b->at || !a->n ||
	                        memcmp(m->f->syms.v + a->at, m->f->syms.v + b->at,
	                               a->n * sizeof *m->f->syms.v) == 0);
}

static bool says_the_same(const struct meter *m, const struct piece *a, const struct piece *b)
{
	return a->kind == b->kind && a->residency == b->residency && a->evidence == b->evidence &&
	       a->is_refuting == b->is_refuting && a->has_reading == b->has_reading &&
	       a->has_class == b->has_class && a->has_procs == b->has_procs &&
	       a->is_high == b->is_high && a->is_point == b->is_point &&
	       same_list(m, &a->lists[0], &b->lists[0]) && same_list(m, &a->lists[1], &b->lists[1]);
}

/* Where a walk over the samples of one device stands. */
struct walk {
	struct meter *m;
	int64_t median_ms;
	struct piece before; /* of the last row, by itself */
	int64_t before_t_ms, before_p_ms;
	bool has_before, before_is_point;
	size_t first;       /* of the walk's pieces */
	int64_t carried_ms; /* rows up to here say where the next one begins, no more */
};

static void walk_push(struct walk *w, struct piece *p)
{
	struct meter *m = w->m;
	piece_finish(p);
	struct piece *last = m->pieces.n > w->first ? &m->pieces.v[m->pieces.n - 1] : NULL;
	if (last && last->to_ms == p->from_ms && says_the_same(m, last, p))
		last->to_ms = p->to_ms;
	else
		*vec_push(&m->pieces) = *p;
}

/* Row AT, an average, follows the one before it and says the same: what that became goes on. */
static bool walk_goes_on(struct walk *w, const struct series_rows *r, const struct glances *g,
                         uint32_t at)
{
	struct meter *m = w->m;
	int64_t t = r->t_ms[at], p = r->period_ms[at] > 0 ? r->period_ms[at] : w->median_ms;
	uint32_t last = at - 1;
	if (!at || m->pieces.n == w->first || r->kind[at] != SAMPLE_AVERAGE ||
	    r->kind[last] != SAMPLE_AVERAGE || p <= 0 || 2 * (t - r->t_ms[last]) > 5 * p ||
	    m->pieces.v[m->pieces.n - 1].to_ms != r->t_ms[last])
		return false;
	if (g->kind[at] != g->kind[last] || g->residency[at] != g->residency[last] ||
	    g->evidence[at] != g->evidence[last] || g->is_refuting[at] != g->is_refuting[last] ||
	    g->has_reading[at] != g->has_reading[last] || r->procs_why[at] != r->procs_why[last] ||
	    r->procs_n[at] != r->procs_n[last] ||
	    (r->procs_n[at] && r->procs_at[at] != r->procs_at[last]))
		return false;
	m->pieces.v[m->pieces.n - 1].to_ms = t;
	w->before_t_ms = t;
	w->before_p_ms = p;
	return true;
}

/* C.2 */
static void walk_row(struct walk *w, const struct series_rows *r, const struct glances *g,
                     uint32_t at)
{
	int64_t t = r->t_ms[at], p = r->period_ms[at] > 0 ? r->period_ms[at] : w->median_ms;
	bool is_point = r->kind[at] == SAMPLE_POINT;
	bool near = p > 0 && w->has_before && 2 * (t - w->before_t_ms) <= 5 * p;
	bool point = is_point && p > RUN_MS;
	struct piece one = piece_of(r, g, at), all = one;
	if (point) {
		bool pair = near && w->before_is_point && w->before_p_ms > RUN_MS;
		all = piece_join(pair ? &w->before : NULL, &one);
	}
	all.from_ms = near ? w->before_t_ms : t - p;
	all.to_ms = t;
	if (p > 0 && (!point || near) && t > w->carried_ms)
		walk_push(w, &all);
	w->before = one;
	w->before_t_ms = t;
	w->before_p_ms = p;
	w->before_is_point = is_point;
	w->has_before = true;
}

/* Rows of R that were known at as_of. */
static uint32_t rows_seen(const struct meter *m, const struct series_rows *r)
{
	uint32_t n = r->n;
	while (n && r->t_ms[n - 1] > m->as_of_ms)
		n--;
	return n;
}

/* Appends the pieces of a series. DRAWN, if not NULL, sees the same rows. */
static void series_walk(struct meter *m, uint32_t series, int64_t median_ms,
                        struct drawn_walk *drawn)
{
	struct walk w = { .m = m, .median_ms = median_ms, .first = m->pieces.n };
	struct glances *g = m->glances;
	const struct carried_energy *carried = carry_energy(m, m->source->v[series].device);
	w.carried_ms = carried ? carried->at_ms : INT64_MIN;
	struct series_cursor *c = m->source->open(m->source, series, SERIES_ALL);
	while (m->source->next(c, m->rows)) {
		uint32_t n = rows_seen(m, m->rows);
		glance_rows(m->rows, n, g);
		for (uint32_t i = 0; i < n; i++)
			if (!walk_goes_on(&w, m->rows, g, i))
				walk_row(&w, m->rows, g, i);
		if (drawn)
			drawn_batch(drawn, n);
		if (n < m->rows->n)
			break;
	}
	m->source->close(c);
}

struct scan {
	VEC(uint64_t) gaps;
	int64_t first_ms, last_ms, first_p_ms;
	bool has_point, has_missing;
	uint64_t n;
};

/* Process lists that name a job, for D.2. */
static void scan_mentions(struct meter *m, const struct series_rows *r, uint32_t at)
{
	for (uint32_t i = 0; i < r->procs_n[at]; i++) {
		sym id = m->f->syms.v[r->procs_at[at] + i];
		if (map_get(&m->job_of, id))
			*vec_push(&m->mentions) = (struct mention){ r->t_ms[at], id };
	}
}

static void series_scan(struct meter *m, uint32_t series, struct scan *s)
{
	struct series_cursor *c = m->source->open(m->source, series, 0);
	while (m->source->next(c, m->rows)) {
		const struct series_rows *r = m->rows;
		uint32_t n = rows_seen(m, r);
		for (uint32_t i = 0; i < n; i++) {
			if (s->n++)
				*vec_push(&s->gaps) = (uint64_t)(r->t_ms[i] - s->last_ms);
			else
				s->first_ms = r->t_ms[i], s->first_p_ms = r->period_ms[i];
			s->last_ms = r->t_ms[i];
			s->has_point |= r->kind[i] == SAMPLE_POINT;
			s->has_missing |= r->period_ms[i] <= 0;
			if (r->procs_why[i] == WHY_KNOWN && r->procs_n[i])
				scan_mentions(m, r, i);
		}
		if (n < r->n)
			break;
	}
	m->source->close(c);
}

/* What the samples cover: averages all of the time behind the first; points as they prove it. */
static struct span scan_cover(struct meter *m, uint32_t series, const struct scan *s,
                              int64_t median_ms)
{
	struct span cover = { TIME_UNKNOWN, TIME_UNKNOWN };
	int64_t p = s->first_p_ms > 0 ? s->first_p_ms : median_ms;
	if (!s->has_point) {
		if (p > 0)
			cover = (struct span){ s->first_ms - p, s->last_ms };
		return cover;
	}
	size_t at = m->pieces.n;
	series_walk(m, series, median_ms, NULL);
	if (m->pieces.n > at)
		cover = (struct span){ m->pieces.v[at].from_ms,
			               m->pieces.v[m->pieces.n - 1].to_ms };
	m->pieces.n = at;
	return cover;
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

/* A series belongs to its slot; what it covers counts for the whole device (B.6). False: no slot
   has it (a device in MIG mode). */
static bool series_place(struct meter *m, uint32_t series, const struct span *cover,
                         int64_t median_ms, uint32_t mentions_at)
{
	bool is_placed = false;
	sym id = m->source->v[series].device;
	const uint32_t *first = map_get(&m->slot_of, id);
	cover_add(&m->cover, cover);
	if (!first)
		return false;
	sym device = m->slots.v[*first - 1].device;
	for (uint32_t i = *map_get(&m->slot_of, device) - 1;
	     i < m->slots.n && m->slots.v[i].device == device; i++) {
		struct slot *s = &m->slots.v[i];
		cover_add(&s->cover, cover);
		bool own = s->kind == SLOT_INSTANCE ? s->instance == id
		                                    : s->kind != SLOT_REMAINDER && s->device == id;
		if (own) {
			s->series = series;
			s->median_ms = median_ms;
			s->mentions_at = mentions_at;
			s->mentions_n = (uint32_t)m->mentions.n - mentions_at;
			is_placed = true;
		}
	}
	return is_placed;
}

void piece_build(struct meter *m)
{
	struct scan s = { 0 };
	m->rows = mem_alloc(sizeof *m->rows);
	m->glances = mem_alloc(sizeof *m->glances);
	for (uint32_t i = 0; i < m->source->n; i++) {
		uint32_t mentions_at = (uint32_t)m->mentions.n;
		s = (struct scan){ .gaps = { s.gaps.v, 0, s.gaps.cap } };
		series_scan(m, i, &s);
		m->out->has_samples |= s.n > 0;
		int64_t median_ms =
		        s.has_missing ? (int64_t)sort_median_u64(s.gaps.v, s.gaps.n) : 0;
		struct span cover = { TIME_UNKNOWN, TIME_UNKNOWN };
		if (s.n)
			cover = scan_cover(m, i, &s, median_ms);
		if (!series_place(m, i, &cover, median_ms, mentions_at))
			*vec_push(&m->unplaced) = (struct unplaced){ i, median_ms };
	}
	m->out->doubles = m->source->doubles(m->source);
	vec_deinit(&s.gaps);
}

void piece_site(struct meter *m, const struct site *st)
{
	struct drawn_walk drawn;
	m->pieces.n = 0;
	for (uint32_t i = 0; i < st->slots_n; i++) {
		struct slot *s = &m->slots.v[m->site_slots.v[st->slots_at + i]];
		s->pieces_at = (uint32_t)m->pieces.n;
		if (s->series != NONE) {
			drawn_begin(&drawn, m, s->device, s->median_ms);
			series_walk(m, s->series, s->median_ms, &drawn);
			drawn_end(&drawn, s);
		}
		s->pieces_n = (uint32_t)m->pieces.n - s->pieces_at;
	}
}
