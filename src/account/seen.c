/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seen: what is known at as_of (ledger.md 9.18; decisions A). Later facts are not seen; planned
 * ends do not count.
 */
#include <stdlib.h>

#include "account/meter.h"

static void later(int64_t *ret, int64_t t_ms)
{
	if (t_ms != TIME_UNKNOWN && t_ms > *ret)
		*ret = t_ms;
}

/* When a state began says nothing of when a snapshot was taken. */
static int64_t capacity_at(const struct capacity *c)
{
	if (c->is_snapshot)
		return c->at_ms;
	return c->at_ms != TIME_UNKNOWN ? c->at_ms : c->from_ms;
}

/* A.1: the newest observation. */
static int64_t find_as_of(const struct meter *m)
{
	const struct facts *f = m->f;
	int64_t t = TIME_UNKNOWN;
	for (size_t i = 0; i < f->scheduler.n; i++)
		later(&t, f->scheduler.v[i].to_ms);
	for (size_t i = 0; i < m->source->n; i++)
		later(&t, m->source->v[i].hull.to_ms);
	for (size_t i = 0; i < f->node_power.n; i++)
		later(&t, f->node_power.v[i].t_ms);
	for (size_t i = 0; i < f->progress.n; i++)
		later(&t, f->progress.v[i].t_ms), later(&t, f->progress.v[i].to_ms);
	for (size_t i = 0; i < f->services.n; i++)
		later(&t, f->services.v[i].to_ms);
	for (size_t i = 0; i < f->capacity.n; i++)
		later(&t, capacity_at(&f->capacity.v[i]));
	for (size_t i = 0; i < f->totals.n; i++)
		later(&t, f->totals.v[i].to_ms);
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		later(&t, j->submit_ms), later(&t, j->start_ms);
		if (j->outcome != OUTCOME_RUNNING)
			later(&t, j->end_ms);
	}
	return t;
}

static int span_order(const void *x, const void *y)
{
	const struct span *a = x, *b = y;
	return a->from_ms != b->from_ms ? (a->from_ms < b->from_ms ? -1 : 1)
	                                : (a->to_ms > b->to_ms) - (a->to_ms < b->to_ms);
}

/* Sorts, joins what touches, cuts at as_of. */
static void see_coverage(struct meter *m)
{
	const struct facts *f = m->f;
	for (size_t i = 0; i < f->scheduler.n; i++) {
		struct span s = f->scheduler.v[i];
		if (s.to_ms > m->as_of_ms)
			s.to_ms = m->as_of_ms;
		if (s.from_ms < s.to_ms)
			*vec_push(&m->coverage) = s;
	}
	vec_sort(&m->coverage, span_order);
	size_t n = 0;
	for (size_t i = 0; i < m->coverage.n; i++) {
		struct span s = m->coverage.v[i];
		if (n && s.from_ms <= m->coverage.v[n - 1].to_ms)
			later(&m->coverage.v[n - 1].to_ms, s.to_ms);
		else
			m->coverage.v[n++] = s;
	}
	m->coverage.n = n;
}

bool seen_covers(const struct meter *m, int64_t t_ms, int64_t *ret_until_ms)
{
	uint32_t n = (uint32_t)m->coverage.n, at = SPAN_AFTER(m->coverage.v, n, t_ms);
	if (at == n) {
		*ret_until_ms = INT64_MAX;
		return false;
	}
	const struct span *s = &m->coverage.v[at];
	bool in = s->from_ms <= t_ms;
	*ret_until_ms = in ? s->to_ms : s->from_ms;
	return in;
}

uint32_t seen_job(const struct meter *m, sym id, int64_t t_ms)
{
	const uint32_t *first = map_get(&m->job_of, id);
	if (!first)
		return NONE;
	uint32_t best = *first - 1;
	for (uint32_t j = best; j != NONE;) { /* of several attempts the one that runs at T */
		const struct attempt t = attempt_at(m, j);
		if (t.start_ms != TIME_UNKNOWN && t.start_ms <= t_ms &&
		    (t.end_ms == TIME_UNKNOWN || t_ms <= t.end_ms))
			best = j;
		const uint32_t *next = map_get(&m->job_of, (uint64_t)1 << 32 | j);
		j = next ? *next - 1 : NONE;
	}
	return attempt_at(m, best).is_seen ? best : NONE;
}

/* Ids to jobs, only when some fact names a job by its id. */
static void see_ids(struct meter *m)
{
	const struct facts *f = m->f;
	if (!f->progress.n && !f->services.n && !m->source->n && !f->headrooms.n && !f->reserves.n)
		return;
	for (size_t i = 0; i < f->jobs.n; i++) {
		sym id = names_find(&f->names, job_id(f, &f->jobs.v[i]));
		if (!id)
			continue;
		uint32_t *first = map_at(&m->job_of, id);
		uint32_t before = *first;
		*first = (uint32_t)i + 1;
		if (before)
			*map_at(&m->job_of, (uint64_t)1 << 32 | i) = before;
	}
}

static struct attempt_info *info_of(struct meter *m, uint32_t job)
{
	uint32_t *at = map_at(&m->info_of, job);
	if (!*at) {
		*vec_push(&m->infos) = (struct attempt_info){ .first_step_ms = INT64_MAX,
			                                      .first_answer_ms = INT64_MAX,
			                                      .hang_ms = INT64_MAX };
		*at = (uint32_t)m->infos.n;
	}
	return &m->infos.v[*at - 1];
}

const struct attempt_info *seen_info(const struct meter *m, uint32_t job)
{
	const uint32_t *at = job == NONE ? NULL : map_get(&m->info_of, job);
	return at ? &m->infos.v[*at - 1] : NULL;
}

static int line_order(const void *x, const void *y)
{
	const struct line *a = x, *b = y;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->t_ms != b->t_ms)
		return a->t_ms < b->t_ms ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void see_lines(struct meter *m)
{
	const struct facts *f = m->f;
	for (size_t i = 0; i < f->progress.n; i++) {
		const struct progress *p = &f->progress.v[i];
		uint32_t job = seen_job(m, p->job, p->t_ms);
		if (job == NONE || p->t_ms > m->as_of_ms)
			continue;
		int64_t to_ms = p->to_ms == TIME_UNKNOWN ? p->t_ms : p->to_ms;
		*vec_push(&m->lines) =
		        (struct line){ .job = job,
			               .order = (uint32_t)i,
			               .t_ms = p->t_ms,
			               .to_ms = to_ms < m->as_of_ms ? to_ms : m->as_of_ms,
			               .step = p->step,
			               .type = p->type,
			               .is_done = to_ms <= m->as_of_ms };
	}
	vec_sort(&m->lines, line_order);
	for (uint32_t i = 0; i < m->lines.n;) {
		uint32_t j = i;
		while (j < m->lines.n && m->lines.v[j].job == m->lines.v[i].job)
			j++;
		struct attempt_info *info = info_of(m, m->lines.v[i].job);
		info->lines = (struct job_list){ i, j - i };
		int64_t moved_ms = INT64_MIN; /* the newest step or restore line (G.7) */
		for (uint32_t k = i; k < j; k++) {
			const struct line *l = &m->lines.v[k];
			if ((l->type == PROGRESS_STEP || l->type == PROGRESS_READY) &&
			    l->t_ms < info->first_step_ms)
				info->first_step_ms = l->t_ms;
			if (l->type == PROGRESS_STEP || l->type == PROGRESS_RESTORE)
				moved_ms = l->t_ms;
		}
		for (uint32_t k = i; k < j; k++)
			if (m->lines.v[k].type == PROGRESS_FAILURE &&
			    m->lines.v[k].t_ms >= moved_ms && m->lines.v[k].t_ms < info->hang_ms)
				info->hang_ms = m->lines.v[k].t_ms;
		i = j;
	}
}

bool service_answered(const struct service *s)
{
	return s->ok > 0 || s->bad > 0 || s->tokens_ok > 0 || s->tokens_bad > 0;
}

static int service_order(const void *x, const void *y)
{
	const struct seen_service *a = x, *b = y;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->s.from_ms != b->s.from_ms)
		return a->s.from_ms < b->s.from_ms ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* E.14: in order of from; one that starts before the previous one ended is dropped. */
static void see_services(struct meter *m)
{
	const struct facts *f = m->f;
	for (size_t i = 0; i < f->services.n; i++) {
		const struct service *s = &f->services.v[i];
		uint32_t job = seen_job(m, s->job, s->from_ms);
		if (job != NONE && s->to_ms <= m->as_of_ms)
			*vec_push(&m->services) =
			        (struct seen_service){ job, (uint32_t)i, *s, NONE };
	}
	vec_sort(&m->services, service_order);
	size_t n = 0;
	for (size_t i = 0; i < m->services.n; i++) {
		struct seen_service *s = &m->services.v[i];
		struct attempt_info *info = info_of(m, s->job);
		const struct service *last = info->services.n ? &m->services.v[n - 1].s : NULL;
		info->has_service_facts = true;
		if (s->s.from_ms >= s->s.to_ms || (last && s->s.from_ms < last->to_ms))
			continue;
		if (!info->services.n)
			info->services.at = (uint32_t)n;
		info->services.n++;
		if ((service_answered(&s->s) || s->s.running > 0) &&
		    s->s.from_ms < info->first_answer_ms)
			info->first_answer_ms = s->s.from_ms;
		m->services.v[n++] = *s;
	}
	m->services.n = n;
	for (uint32_t i = (uint32_t)n, closes = NONE; i-- > 0;) {
		if (i + 1 < n && m->services.v[i + 1].job != m->services.v[i].job)
			closes = NONE;
		if (service_answered(&m->services.v[i].s))
			closes = i;
		m->services.v[i].closes = closes;
	}
}

static void hull(struct span *w, int64_t from_ms, int64_t to_ms)
{
	if (w->from_ms == TIME_UNKNOWN || from_ms < w->from_ms)
		w->from_ms = from_ms;
	later(&w->to_ms, to_ms);
}

/* A.6: coverage, else capacity, else allocations; sample cover is asked later, when there are
 * pieces. */
static struct span default_window(const struct meter *m)
{
	const struct facts *f = m->f;
	struct span w = { TIME_UNKNOWN, TIME_UNKNOWN };
	for (size_t i = 0; i < m->coverage.n; i++)
		hull(&w, m->coverage.v[i].from_ms, m->coverage.v[i].to_ms);
	if (w.from_ms != TIME_UNKNOWN)
		return w;
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *c = &f->capacity.v[i];
		if (!c->is_snapshot && c->from_ms != TIME_UNKNOWN && capacity_at(c) <= m->as_of_ms)
			hull(&w, c->from_ms, c->to_ms == TIME_UNKNOWN ? m->as_of_ms : c->to_ms);
	}
	for (size_t i = 0; i < f->totals.n; i++)
		hull(&w, f->totals.v[i].from_ms, f->totals.v[i].to_ms);
	if (w.from_ms != TIME_UNKNOWN)
		return w;
	for (size_t i = 0; i < m->claims.n; i++)
		if (m->claims.v[i].job != NONE)
			hull(&w, m->claims.v[i].from_ms, m->claims.v[i].to_ms);
	return w;
}

void seen_window(struct meter *m, const struct ledger_options *o)
{
	struct span w = m->f->window;
	if (o->window.from_ms != TIME_UNKNOWN || o->window.to_ms != TIME_UNKNOWN)
		w = o->window;
	struct span d = default_window(m), w_power = { TIME_UNKNOWN, TIME_UNKNOWN };
	if (d.from_ms == TIME_UNKNOWN)
		d = m->cover;
	for (size_t i = 0; d.from_ms == TIME_UNKNOWN && i < m->f->node_power.n; i++)
		hull(&w_power, m->f->node_power.v[i].t_ms, m->f->node_power.v[i].t_ms);
	if (d.from_ms == TIME_UNKNOWN)
		d = w_power;
	m->window.from_ms = w.from_ms != TIME_UNKNOWN ? w.from_ms : d.from_ms;
	m->window.to_ms = w.to_ms != TIME_UNKNOWN ? w.to_ms : d.to_ms;
	if (m->window.from_ms == TIME_UNKNOWN || m->window.to_ms < m->window.from_ms)
		m->window = (struct span){ m->as_of_ms, m->as_of_ms };
}

/* Over what time a snapshot of nodes is taken to hold. */
static struct span schedule_hull(const struct meter *m)
{
	struct span w = { TIME_UNKNOWN, TIME_UNKNOWN };
	for (size_t i = 0; i < m->coverage.n; i++)
		hull(&w, m->coverage.v[i].from_ms, m->coverage.v[i].to_ms);
	for (uint32_t i = 0; i < m->f->jobs.n && !m->coverage.n; i++) {
		const struct attempt t = attempt_at(m, i);
		if (t.is_seen && t.start_ms != TIME_UNKNOWN)
			hull(&w, t.start_ms, t.end_ms != TIME_UNKNOWN ? t.end_ms : m->as_of_ms);
	}
	return w;
}

void seen_init(struct meter *m, const struct ledger_options *o)
{
	const struct facts *f = m->f;
	int64_t as_of_ms = o->as_of_ms != TIME_UNKNOWN ? o->as_of_ms : f->as_of_ms;
	m->as_of_ms = as_of_ms != TIME_UNKNOWN ? as_of_ms : find_as_of(m);
	m->has_time = m->as_of_ms != TIME_UNKNOWN;
	if (!m->has_time)
		m->as_of_ms = 0;
	const struct facts_options *fo = &f->options;
	m->setup_max_ms = o->setup_max_ms >= 0    ? o->setup_max_ms
	                  : fo->setup_max_ms >= 0 ? fo->setup_max_ms
	                                          : 600000;
	m->skew_ms = o->skew_ms >= 0 ? o->skew_ms : fo->skew_ms >= 0 ? fo->skew_ms : SKEW_MS;
	m->kept_saved = (o->kept_saved >= 0 ? o->kept_saved : fo->kept_saved) == 1;
	for (int i = 0; i < FATE_COUNT; i++)
		m->count[i] = o->count[i] >= 0    ? o->count[i]
		              : fo->count[i] >= 0 ? fo->count[i]
		                                  : (int8_t)i;
	bool any = false;
	for (uint32_t i = 0; i < f->jobs.n && !any; i++)
		any = attempt_at(m, i).is_seen;
	see_coverage(m);
	m->scheduled = schedule_hull(m);
	m->has_scheduler = any || m->coverage.n; /* A.7 */
	see_ids(m);
	see_lines(m);
	see_services(m);
	for (size_t i = 0; i < f->headrooms.n; i++) {
		const struct headroom *h = &f->headrooms.v[i];
		uint32_t job = seen_job(m, h->job, m->as_of_ms);
		if (job == NONE)
			continue;
		struct attempt_info *info = info_of(m, job);
		info->has_headroom = true;
		info->headroom_units = (int64_t)h->gpus * GRID;
		if (h->part_den > 0)
			info->headroom_units += (int64_t)((i128)h->part_num * GRID / h->part_den);
	}
}
