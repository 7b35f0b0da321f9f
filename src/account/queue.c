/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue: what free time was lost to (ledger.md 4 rule 11, 9.14, 9.15; decisions H.3 to H.8). Waiting jobs claim what is
 * free of the kinds they accept, in queue order, booked per pool and node shape, never on a chosen device.
 *
 * One sweep over time. At an event only the groups it touched, and those that the queue books, are looked at; jobs that
 * find nothing left of their kinds cost one comparison.
 */
#include <stdlib.h>

#include "account/meter.h"

enum leaf { LEAF_RESERVE, LEAF_STRANDED, LEAF_GANG, LEAF_POLICY, LEAF_SCHEDULER, LEAF_BLOCKED, LEAF_IDLE, LEAF_COUNT };
static const enum state leaf_state[LEAF_COUNT] = {
	STATE_FREE_RESERVE,   STATE_FREE_STRANDED, STATE_FREE_GANG, STATE_FREE_POLICY,
	STATE_FREE_SCHEDULER, STATE_FREE_BLOCKED,  STATE_FREE_IDLE
};

/* Free units that are booked together: of one model on one node, or of one counted pool. */
struct group {
	sym model, pool, node;
	bool counted;
	uint32_t place;
	int64_t left, device_units; /* free now; of devices without MIG */
	uint32_t whole, spread, exhausted;
	int64_t booked[LEAF_COUNT], next[LEAF_COUNT]; /* as of SINCE; what this instant asks for */
	int64_t since_ms;
	bool is_touched;
};

/* Kinds that some waiting job or reserve accepts. */
struct kind {
	const sym *models, *pools;
	uint32_t models_n, pools_n;
	uint32_t *groups; /* in group order */
	uint32_t groups_n;
	uint64_t empty_at; /* the instant at which nothing of it was left */
};

struct waiter {
	int64_t from_ms, to_ms, priority, eligible_ms, submit_ms, wants;
	struct str id;
	uint32_t job, kind, model; /* model: index into models, or NONE */
};

enum event_type { EVENT_FREE, EVENT_WAIT, EVENT_RESERVE, EVENT_EXHAUSTED, EVENT_HELD, EVENT_TICK };

struct event {
	int64_t t_ms;
	uint32_t what;
	int32_t by;
	enum event_type type;
};

struct reserved {
	uint32_t reserve, group;
	int64_t units;
};

struct reserve_state {
	uint32_t kind;
	bool is_on;
	int64_t held; /* by the reservation's own jobs */
};

struct queue {
	struct meter *m;
	VEC(struct group) groups;
	VEC(struct kind) kinds;
	VEC(struct waiter) waiters;     /* in queue order */
	VEC(uint32_t) waiting;          /* sorted indexes of waiters */
	VEC(struct event) events;
	VEC(uint32_t) touched;          /* groups to look at after this instant */
	VEC(struct reserved) reserved; /* set aside in this instant for reservations */
	VEC(struct reserved) held;     /* claims of their own jobs: group is the claim */
	VEC(struct reserve_state) reserves;
	VEC(sym) models;                /* that jobs name */
	VEC(int64_t) unmet;             /* by model: units wanted now */
	VEC(i128) unmet_sum;
	uint32_t *group_of_part;        /* by free part */
	int64_t left;                   /* of all groups */
	uint64_t instant;
};

static int group_order(const struct names *t, const struct group *a, const struct group *b)
{
	int c = str_cmp(names_word(t, a->model), names_word(t, b->model));
	if (!c)
		c = str_cmp(names_word(t, a->pool), names_word(t, b->pool));
	if (!c)
		c = str_cmp(names_word(t, a->node), names_word(t, b->node));
	return c ? c : (int)a->counted - (int)b->counted;
}

struct group_key {
	struct group group;
	const struct names *names;
	uint32_t part;
};

static int group_key_order(const void *x, const void *y)
{
	const struct group_key *a = x, *b = y;
	int c = group_order(a->names, &a->group, &b->group);
	return c ? c : a->part < b->part ? -1 : a->part > b->part;
}

static struct group group_of_slot(const struct slot *s)
{
	return (struct group){ .model = s->model, .node = s->node, .place = s->place };
}

static struct group group_of_pool(const struct pool *p)
{
	if (p->node)
		return (struct group){ .model = p->model, .node = p->node, .place = p->place };
	return (struct group){ .model = p->model, .pool = p->id, .counted = true, .place = p->place };
}

/* Groups in order; slots of one node and model share one, with a place that names no device. */
static void groups_build(struct queue *q)
{
	struct meter *m = q->m;
	size_t sources = m->slots.n + m->pools.n;
	struct group_key *keys = mem_alloc(mem_times(sources, sizeof *keys));
	uint32_t *of = mem_alloc(mem_times(sources, sizeof *of));
	for (uint32_t i = 0; i < sources; i++)
		keys[i] = (struct group_key){ i < m->slots.n
			                              ? group_of_slot(&m->slots.v[i])
			                              : group_of_pool(&m->pools.v[i - m->slots.n]),
			                      &m->f->names, i };
	qsort(keys, sources, sizeof *keys, group_key_order);
	for (size_t i = 0; i < sources; i++) {
		struct group *g = &keys[i].group;
		if (!i || group_order(&m->f->names, &keys[i - 1].group, g)) {
			if (keys[i].part < m->slots.n)
				g->place = meter_place(m, (struct place){ .node = g->node,
				                                          .model = g->model,
				                                          .has_capacity = true });
			*vec_push(&q->groups) = *g;
		}
		of[keys[i].part] = (uint32_t)q->groups.n - 1;
	}
	q->group_of_part = mem_alloc(mem_times(m->frees.n, sizeof *q->group_of_part));
	for (size_t i = 0; i < m->frees.n; i++) {
		const struct free_part *p = &m->frees.v[i];
		q->group_of_part[i] = of[p->slot != NONE ? p->slot : m->slots.n + p->pool];
	}
	mem_free(keys);
	mem_free(of);
}

static bool is_one_of(sym word, const sym *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == word)
			return true;
	return false;
}

static bool accepts(const struct kind *k, const struct group *g)
{
	if (k->models_n && !is_one_of(g->model, k->models, k->models_n))
		return false;
	if (!k->pools_n)
		return true;
	return (g->pool && is_one_of(g->pool, k->pools, k->pools_n)) ||
	       (g->node && is_one_of(g->node, k->pools, k->pools_n));
}

static bool same_words(const sym *a, uint32_t an, const sym *b, uint32_t bn)
{
	return an == bn && (!an || !memcmp(a, b, an * sizeof *a));
}

static uint32_t kind_of(struct queue *q, struct kind k)
{
	for (uint32_t i = 0; i < q->kinds.n; i++) {
		const struct kind *o = &q->kinds.v[i];
		if (same_words(o->models, o->models_n, k.models, k.models_n) &&
		    same_words(o->pools, o->pools_n, k.pools, k.pools_n))
			return i;
	}
	k.groups = mem_alloc(mem_times(q->groups.n, sizeof *k.groups));
	for (uint32_t i = 0; i < q->groups.n; i++)
		if (accepts(&k, &q->groups.v[i]))
			k.groups[k.groups_n++] = i;
	*vec_push(&q->kinds) = k;
	return (uint32_t)q->kinds.n - 1;
}

static void event_add(struct queue *q, enum event_type type, uint32_t what, int64_t from_ms,
                      int64_t to_ms)
{
	if (from_ms >= to_ms)
		return;
	*vec_push(&q->events) = (struct event){ from_ms, what, 1, type };
	*vec_push(&q->events) = (struct event){ to_ms, what, -1, type };
}

static uint32_t model_index(struct queue *q, sym model)
{
	for (uint32_t i = 0; i < q->models.n; i++)
		if (q->models.v[i] == model)
			return i;
	*vec_push(&q->models) = model;
	*vec_push(&q->unmet) = 0;
	*vec_push(&q->unmet_sum) = 0;
	return (uint32_t)q->models.n - 1;
}

/* H.5 */
static bool waiter_of(struct queue *q, uint32_t job, struct waiter *ret)
{
	const struct meter *m = q->m;
	const struct attempt *t = &m->attempts[job];
	const struct job *j = &m->f->jobs.v[job];
	if (!t->is_seen || (t->eligible_ms == TIME_UNKNOWN && t->submit_ms == TIME_UNKNOWN))
		return false;
	uint32_t gpus = j->gpus != COUNT_UNKNOWN ? j->gpus : j->requested;
	if (gpus == COUNT_UNKNOWN)
		gpus = j->is_slurm ? 0 : 1; /* a Slurm job of which we do not know that it wants a GPU */
	*ret = (struct waiter){
		.from_ms = t->eligible_ms != TIME_UNKNOWN ? t->eligible_ms : t->submit_ms,
		.to_ms = t->start_ms != TIME_UNKNOWN ? t->start_ms : t->end_ms,
		.priority = j->priority,
		.submit_ms = t->submit_ms != TIME_UNKNOWN ? t->submit_ms : t->eligible_ms,
		.wants = (int64_t)gpus * GRID,
		.id = j->id,
		.job = job,
		.model = NONE,
	};
	ret->eligible_ms = ret->from_ms;
	if (ret->to_ms == TIME_UNKNOWN || ret->to_ms > m->as_of_ms)
		ret->to_ms = m->as_of_ms;
	return gpus && ret->from_ms < ret->to_ms;
}

static int waiter_order(const void *x, const void *y)
{
	const struct waiter *a = x, *b = y;
	if (a->priority != b->priority)
		return a->priority > b->priority ? -1 : 1;
	if (a->eligible_ms != b->eligible_ms)
		return a->eligible_ms < b->eligible_ms ? -1 : 1;
	if (a->submit_ms != b->submit_ms)
		return a->submit_ms < b->submit_ms ? -1 : 1;
	int c = str_cmp(a->id, b->id);
	return c ? c : a->job < b->job ? -1 : a->job > b->job;
}

static void waiters_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		struct waiter w;
		if (!waiter_of(q, i, &w))
			continue;
		const sym *words = f->syms.v;
		struct kind k = { .models = words + j->models_at,
			          .models_n = j->models_n,
			          .pools = words + j->pools_at,
			          .pools_n = j->pools_n };
		w.kind = kind_of(q, k);
		if (j->models_n)
			w.model = model_index(q, words[j->models_at]);
		*vec_push(&q->waiters) = w;
	}
	vec_sort(&q->waiters, waiter_order);
	for (uint32_t i = 0; i < q->waiters.n; i++)
		event_add(q, EVENT_WAIT, i, q->waiters.v[i].from_ms, q->waiters.v[i].to_ms);
}

static bool is_entitled(const struct facts *f, const struct reserve *r, const struct job *j)
{
	sym id = names_find(&f->names, j->id);
	return id && r->jobs_n && is_one_of(id, f->syms.v + r->jobs_at, r->jobs_n);
}

/* 9.15: a reservation is less by what its own jobs hold. */
static void reserves_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	for (uint32_t i = 0; i < f->reserves.n; i++) {
		const struct reserve *r = &f->reserves.v[i];
		struct kind k = { .models = &r->model,
			          .models_n = r->model ? 1 : 0,
			          .pools = &r->pool,
			          .pools_n = r->pool ? 1 : 0 };
		*vec_push(&q->reserves) = (struct reserve_state){ .kind = kind_of(q, k) };
		event_add(q, EVENT_RESERVE, i, r->from_ms == TIME_UNKNOWN ? INT64_MIN : r->from_ms,
		          r->to_ms == TIME_UNKNOWN ? INT64_MAX : r->to_ms);
		for (uint32_t c = 0; r->is_reservation && c < q->m->claims.n; c++) {
			const struct claim *cl = &q->m->claims.v[c];
			if (cl->job != NONE && is_entitled(f, r, &f->jobs.v[cl->job])) {
				*vec_push(&q->held) = (struct reserved){ i, c, 0 };
				event_add(q, EVENT_HELD, (uint32_t)q->held.n - 1, cl->from_ms,
				          cl->to_ms);
			}
		}
	}
}

static void exhausted_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct node *n = &f->nodes.v[i];
		for (uint32_t g = 0; n->exhausted_n && g < q->groups.n; g++)
			for (uint32_t k = 0; q->groups.v[g].node == n->id && k < n->exhausted_n; k++) {
				struct span s = f->spans.v[n->exhausted_at + k];
				int64_t to_ms = s.to_ms < q->m->as_of_ms ? s.to_ms : q->m->as_of_ms;
				event_add(q, EVENT_EXHAUSTED, g, s.from_ms, to_ms);
			}
	}
}

static void touch(struct queue *q, uint32_t g)
{
	if (q->groups.v[g].is_touched)
		return;
	q->groups.v[g].is_touched = true;
	*vec_push(&q->touched) = g;
}

static void waiting_change(struct queue *q, uint32_t waiter, int by)
{
	size_t lo = 0, hi = q->waiting.n;
	const struct waiter *w = &q->waiters.v[waiter];
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (q->waiting.v[mid] < waiter)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (by > 0) {
		vec_reserve(&q->waiting, 1);
		memmove(q->waiting.v + lo + 1, q->waiting.v + lo, (q->waiting.n - lo) * sizeof *q->waiting.v);
		q->waiting.v[lo] = waiter;
		q->waiting.n++;
	} else {
		q->waiting.n--;
		memmove(q->waiting.v + lo, q->waiting.v + lo + 1, (q->waiting.n - lo) * sizeof *q->waiting.v);
	}
	if (w->model != NONE)
		q->unmet.v[w->model] += by * w->wants;
}

static void free_change(struct queue *q, uint32_t part, int by)
{
	const struct free_part *p = &q->m->frees.v[part];
	struct group *g = &q->groups.v[q->group_of_part[part]];
	bool device = p->slot == NONE || q->m->slots.v[p->slot].kind == SLOT_DEVICE;
	g->left += by * p->units_per_ms;
	q->left += by * p->units_per_ms;
	g->device_units += device ? by * p->units_per_ms : 0;
	g->whole += p->is_whole ? (uint32_t)by : 0;
	g->spread += p->is_spread ? (uint32_t)by : 0;
	touch(q, q->group_of_part[part]);
}

static void event_apply(struct queue *q, const struct event *e)
{
	switch (e->type) {
	case EVENT_FREE:
		free_change(q, e->what, e->by);
		break;
	case EVENT_WAIT:
		waiting_change(q, e->what, e->by);
		break;
	case EVENT_RESERVE:
		q->reserves.v[e->what].is_on = e->by > 0;
		break;
	case EVENT_EXHAUSTED:
		q->groups.v[e->what].exhausted += (uint32_t)e->by;
		break;
	case EVENT_HELD: {
		const struct reserved *h = &q->held.v[e->what];
		const struct claim *c = &q->m->claims.v[h->group];
		int64_t units = c->target == TARGET_POOL
		                        ? c->pool_units
		                        : frac_floor(frac_mul(c->size, (struct frac){ GRID, 1 }));
		q->reserves.v[h->reserve].held += e->by * units;
		break;
	}
	case EVENT_TICK:
		break;
	}
}

/* Units of a group that nobody has taken in this instant. */
static int64_t group_left(const struct group *g)
{
	int64_t left = g->left;
	for (int i = 0; i < LEAF_IDLE; i++)
		left -= g->next[i];
	return left;
}

static int64_t take(struct queue *q, uint32_t group, enum leaf leaf, int64_t wants)
{
	struct group *g = &q->groups.v[group];
	int64_t left = group_left(g), part = wants < left ? wants : left;
	if (part > 0) {
		g->next[leaf] += part;
		touch(q, group);
	}
	return part > 0 ? part : 0;
}

static void reserves_take(struct queue *q)
{
	q->reserved.n = 0;
	for (uint32_t i = 0; i < q->reserves.n; i++) {
		const struct reserve_state *r = &q->reserves.v[i];
		const struct kind *k = &q->kinds.v[r->kind];
		int64_t wants = (int64_t)q->m->f->reserves.v[i].gpus * GRID - r->held;
		for (uint32_t g = 0; r->is_on && wants > 0 && g < k->groups_n; g++) {
			int64_t part = take(q, k->groups[g], LEAF_RESERVE, wants);
			wants -= part;
			if (part && q->m->f->reserves.v[i].is_reservation)
				*vec_push(&q->reserved) = (struct reserved){ i, k->groups[g], part };
		}
	}
}

/* H.7: the true free devices of each node, before anybody took any. */
static bool has_shape(const struct queue *q, const struct kind *k, int64_t wants, uint32_t per_node)
{
	int64_t each = per_node == COUNT_UNKNOWN || !per_node ? 1 : per_node, fits = 0;
	for (uint32_t i = 0; i < k->groups_n; i++) {
		const struct group *g = &q->groups.v[k->groups[i]];
		int64_t units = g->counted ? g->left : g->device_units;
		int64_t devices = g->counted || g->spread ? units / GRID : g->whole;
		if (!g->exhausted)
			fits += devices / each;
	}
	int64_t per = each * GRID;
	return fits >= (wants + per - 1) / per;
}

/* What the reservation of an entitled job has set aside in groups it accepts becomes the job's. */
static int64_t take_reserved(struct queue *q, const struct waiter *w, enum leaf reason, int64_t need)
{
	const struct facts *f = q->m->f;
	for (size_t i = 0; i < q->reserved.n && need > 0; i++) {
		struct reserved *r = &q->reserved.v[i];
		struct group *g = &q->groups.v[r->group];
		if (!is_entitled(f, &f->reserves.v[r->reserve], &f->jobs.v[w->job]) ||
		    !accepts(&q->kinds.v[w->kind], g))
			continue;
		int64_t part = need < r->units ? need : r->units;
		g->next[LEAF_RESERVE] -= part;
		g->next[g->counted ? LEAF_BLOCKED : reason] += part;
		r->units -= part;
		need -= part;
	}
	return need;
}

static int64_t left_for(const struct queue *q, const struct waiter *w)
{
	const struct kind *k = &q->kinds.v[w->kind];
	const struct facts *f = q->m->f;
	int64_t left = 0;
	for (uint32_t i = 0; i < k->groups_n; i++)
		left += group_left(&q->groups.v[k->groups[i]]);
	for (size_t i = 0; i < q->reserved.n; i++)
		if (is_entitled(f, &f->reserves.v[q->reserved.v[i].reserve], &f->jobs.v[w->job]) &&
		    accepts(k, &q->groups.v[q->reserved.v[i].group]))
			left += q->reserved.v[i].units;
	return left;
}

/* H.6. Returns what the job got. */
static int64_t waiter_take(struct queue *q, const struct waiter *w)
{
	struct kind *k = &q->kinds.v[w->kind];
	const struct job *j = &q->m->f->jobs.v[w->job];
	int64_t left = left_for(q, w);
	if (!left) {
		if (!q->reserved.n)
			k->empty_at = q->instant;
		return 0;
	}
	enum leaf reason = j->is_policy                                        ? LEAF_POLICY
	                   : w->wants > left                                   ? LEAF_GANG
	                   : !has_shape(q, k, w->wants, j->per_node)           ? LEAF_STRANDED
	                                                                       : LEAF_SCHEDULER;
	int64_t need = take_reserved(q, w, reason, w->wants);
	for (uint32_t i = 0; i < k->groups_n && need; i++) {
		bool counted = q->groups.v[k->groups[i]].counted;
		need -= take(q, k->groups[i], counted ? LEAF_BLOCKED : reason, need);
	}
	return w->wants - need;
}

/* The whole queue at one instant. Q->unmet holds what is wanted; RET_MET: what of it was found, by model. */
static void queue_take(struct queue *q, int64_t *ret_met)
{
	int64_t left = q->left;
	q->instant++;
	reserves_take(q);
	for (size_t i = 0; i < q->waiting.n && left > 0; i++) {
		const struct waiter *w = &q->waiters.v[q->waiting.v[i]];
		if (q->kinds.v[w->kind].empty_at == q->instant)
			continue;
		int64_t got = waiter_take(q, w);
		left -= got;
		if (w->model != NONE)
			ret_met[w->model] += got;
	}
}

static void group_flush(struct queue *q, struct group *g, int64_t t_ms)
{
	for (int i = 0; i < LEAF_COUNT && g->since_ms < t_ms; i++)
		if (g->booked[i])
			cell_plain(q->m, g->place, leaf_state[i], g->since_ms, t_ms, g->booked[i]);
	g->since_ms = t_ms;
}

/* Groups whose division changed are written up to now; from now on the new one holds. */
static void groups_settle(struct queue *q, int64_t t_ms)
{
	size_t n = 0;
	for (size_t i = 0; i < q->touched.n; i++) {
		struct group *g = &q->groups.v[q->touched.v[i]];
		g->next[LEAF_IDLE] = group_left(g);
		bool again = false;
		for (int k = 0; k < LEAF_IDLE; k++)
			again |= g->next[k] != 0;
		if (memcmp(g->booked, g->next, sizeof g->next)) {
			group_flush(q, g, t_ms);
			memcpy(g->booked, g->next, sizeof g->next);
		}
		memset(g->next, 0, sizeof g->next);
		g->is_touched = again; /* what was booked now must be asked again next time */
		if (again)
			q->touched.v[n++] = q->touched.v[i];
	}
	q->touched.n = n;
}

static void unmet_add(struct queue *q, const int64_t *met, int64_t from_ms, int64_t to_ms)
{
	const struct span *w = &q->m->window;
	int64_t until;
	from_ms = from_ms > w->from_ms ? from_ms : w->from_ms;
	to_ms = to_ms < w->to_ms ? to_ms : w->to_ms;
	if (from_ms >= to_ms || !seen_covers(q->m, from_ms, &until))
		return;
	for (size_t i = 0; i < q->models.n; i++)
		q->unmet_sum.v[i] += (i128)(q->unmet.v[i] - met[i]) * (to_ms - from_ms);
}

static int event_order(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

static void queue_sweep(struct queue *q)
{
	int64_t *met = mem_alloc(mem_times(q->models.n, sizeof *met));
	vec_sort(&q->events, event_order);
	for (size_t i = 0, j; i < q->events.n; i = j) {
		int64_t t_ms = q->events.v[i].t_ms;
		for (j = i; j < q->events.n && q->events.v[j].t_ms == t_ms; j++)
			event_apply(q, &q->events.v[j]);
		memset(met, 0, q->models.n * sizeof *met);
		queue_take(q, met);
		groups_settle(q, t_ms);
		if (j < q->events.n)
			unmet_add(q, met, t_ms, q->events.v[j].t_ms);
	}
	mem_free(met);
}

static void queue_events(struct queue *q)
{
	const struct meter *m = q->m;
	for (uint32_t i = 0; i < m->frees.n; i++)
		event_add(q, EVENT_FREE, i, m->frees.v[i].from_ms, m->frees.v[i].to_ms);
	for (size_t i = 0; i < m->coverage.n; i++)
		event_add(q, EVENT_TICK, 0, m->coverage.v[i].from_ms, m->coverage.v[i].to_ms);
	event_add(q, EVENT_TICK, 0, m->window.from_ms, m->window.to_ms);
}

void queue_meter(struct meter *m)
{
	struct queue q = { .m = m };
	for (size_t i = 0; i < m->f->jobs.n && !m->out->has_queue; i++)
		m->out->has_queue = m->attempts[i].is_seen &&
		                    (m->attempts[i].submit_ms != TIME_UNKNOWN ||
		                     m->attempts[i].eligible_ms != TIME_UNKNOWN);
	if (!m->out->has_capacity) /* nothing is known to be free, and demand is not unmet by what is not known */
		return;
	groups_build(&q);
	waiters_build(&q);
	reserves_build(&q);
	exhausted_build(&q);
	queue_events(&q);
	queue_sweep(&q);
	for (size_t i = 0; i < q.models.n; i++)
		if (q.unmet_sum.v[i])
			*vec_push(&m->out->unmets) = (struct unmet){ q.models.v[i], q.unmet_sum.v[i] };
	for (size_t i = 0; i < q.kinds.n; i++)
		mem_free(q.kinds.v[i].groups);
	mem_free(q.group_of_part);
	vec_deinit(&q.groups), vec_deinit(&q.kinds), vec_deinit(&q.waiters), vec_deinit(&q.waiting);
	vec_deinit(&q.events), vec_deinit(&q.touched), vec_deinit(&q.reserved), vec_deinit(&q.held);
	vec_deinit(&q.reserves), vec_deinit(&q.models), vec_deinit(&q.unmet), vec_deinit(&q.unmet_sum);
}
