/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "account/ignore.h"
#include "account/queue.h"
#include "facts/accelerator.h"

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
	return (struct group){
		.model = p->model, .pool = p->id, .counted = true, .place = p->place
	};
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
			g->left_room = (struct room){ ROOM_ANY, ROOM_ANY };
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

/* What a policy or a job asks for, "H100", covers what a driver says, "NVIDIA H100 80GB HBM3". */
static bool is_model(const struct names *names, sym a, sym b)
{
	if (a == b)
		return true;
	return b && accelerator_covers(names_word(names, a), names_word(names, b));
}

static bool is_in_partition(const struct queue *q, const struct group *g, struct str word)
{
	for (uint32_t i = 0; i < g->partitions_n; i++)
		if (str_eq(q->partitions.v[g->partitions_at + i], word))
			return true;
	return false;
}

/* A Slurm job may only use nodes of its partitions; of a node whose partitions nobody told, it may.
 */
static bool accepts_partition(const struct queue *q, const struct kind *k, const struct group *g)
{
	struct str rest = k->partitions, word;
	if (!k->partitions.n || !g->has_partitions)
		return true;
	while (str_cut(&rest, ',', &word))
		if (is_in_partition(q, g, word))
			return true;
	return false;
}

bool queue_accepts(const struct queue *q, const struct kind *k, const struct group *g)
{
	bool accepts = !k->models_n;
	for (uint32_t i = 0; i < k->models_n && !accepts; i++)
		accepts = is_model(k->names, k->models[i], g->model);
	if (!accepts || !accepts_partition(q, k, g) ||
	    ignore_place(q->m->f, &q->m->out->places.v[g->place]))
		return false;
	accepts = !k->pools_n || (g->pool && is_one_of(g->pool, k->pools, k->pools_n)) ||
	          (g->node && is_one_of(g->node, k->pools, k->pools_n));
	for (uint32_t i = 0; i < k->pools_n && !accepts;
	     i++) /* a policy's pool may be a partition */
		accepts = is_in_partition(q, g, names_word(k->names, k->pools[i]));
	return accepts;
}

/* Which partitions each node is in: of all that the inputs say (sinfo -N has a line for each). */
static void partitions_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	for (uint32_t g = 0; g < q->groups.n; g++) {
		struct group *group = &q->groups.v[g];
		group->partitions_at = (uint32_t)q->partitions.n;
		const uint32_t *first = group->node ? map_get(&q->node_of, group->node) : NULL;
		for (uint32_t i = first ? *first - 1 : NONE; i != NONE; i = q->next_node[i]) {
			struct str rest = names_word(&f->names, f->nodes.v[i].partition), word;
			while (rest.n && str_cut(&rest, ',', &word))
				*vec_push(&q->partitions) = word;
		}
		group->partitions_n = (uint32_t)q->partitions.n - group->partitions_at;
		group->has_partitions = group->partitions_n > 0;
	}
}

/* Entries of one node, chained. */
static void nodes_chain(struct queue *q)
{
	const struct facts *f = q->m->f;
	q->next_node = mem_alloc(mem_times(f->nodes.n, sizeof *q->next_node));
	for (uint32_t i = 0; i < f->nodes.n; i++) {
		uint32_t *head = map_at(&q->node_of, f->nodes.v[i].id);
		q->next_node[i] = *head ? *head - 1 : NONE;
		*head = i + 1;
	}
}

static bool same_words(const sym *a, uint32_t an, const sym *b, uint32_t bn)
{
	return an == bn && (!an || !memcmp(a, b, an * sizeof *a));
}

bool queue_same_kind(const struct kind *a, const struct kind *b)
{
	return same_words(a->models, a->models_n, b->models, b->models_n) &&
	       same_words(a->pools, a->pools_n, b->pools, b->pools_n) &&
	       str_eq(a->partitions, b->partitions);
}

static uint32_t kind_of(struct queue *q, struct kind k)
{
	for (uint32_t i = 0; i < q->kinds.n; i++)
		if (queue_same_kind(&q->kinds.v[i], &k))
			return i;
	k.groups = mem_alloc(mem_times(q->groups.n, sizeof *k.groups));
	for (uint32_t i = 0; i < q->groups.n; i++)
		if (queue_accepts(q, &k, &q->groups.v[i]))
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

/* H.5: of each GPU, on the grid. */
static int64_t share_units(const struct facts *f, const struct job *j)
{
	const struct job_traits t = job_traits(f, j);
	i128 twice = t.share_den ? 2 * (i128)t.share_num * GRID + t.share_den : 0;
	return t.share_den ? (int64_t)(twice / (2 * (i128)t.share_den)) : GRID;
}

bool queue_wish(const struct queue *q, uint32_t job, struct kind *ret, int64_t *ret_units,
                int64_t *ret_share)
{
	const struct facts *f = q->m->f;
	const struct job *j = &f->jobs.v[job];
	const struct job_traits t = job_traits(f, j);
	uint32_t gpus = j->gpus != COUNT_UNKNOWN ? j->gpus : j->requested;
	if (gpus == COUNT_UNKNOWN)
		gpus = !j->is_slurm; /* of a Slurm job we do not know that it wants a GPU */
	*ret = (struct kind){ .names = &f->names,
		              .models = t.models.n ? job_words(f, t.models) : NULL,
		              .models_n = t.models.n,
		              .pools = t.pools.n ? job_words(f, t.pools) : NULL,
		              .pools_n = t.pools.n,
		              .model = NONE };
	if (j->is_slurm)
		ret->partitions = names_word(&f->names, t.queue);
	*ret_share = share_units(f, j);
	*ret_units = (int64_t)gpus * *ret_share;
	return *ret_units > 0 && attempt_at(q->m, job).is_seen && !ignore_job(f, job);
}

/* H.5 */
static bool waiter_of(const struct queue *q, uint32_t job, struct waiter *ret,
                      struct kind *ret_kind)
{
	const struct meter *m = q->m;
	const struct attempt t = attempt_at(m, job);
	int64_t share;
	if (t.eligible_ms == TIME_UNKNOWN && t.submit_ms == TIME_UNKNOWN)
		return false;
	*ret = (struct waiter){
		.from_ms = t.eligible_ms != TIME_UNKNOWN ? t.eligible_ms : t.submit_ms,
		.to_ms = t.start_ms != TIME_UNKNOWN ? t.start_ms : t.end_ms,
		.priority = job_priority(m->f, &m->f->jobs.v[job]),
		.submit_ms = t.submit_ms != TIME_UNKNOWN ? t.submit_ms : t.eligible_ms,
		.id = job_id(m->f, &m->f->jobs.v[job]),
		.job = job,
	};
	ret->eligible_ms = ret->from_ms;
	if (ret->to_ms == TIME_UNKNOWN || ret->to_ms > m->as_of_ms)
		ret->to_ms = m->as_of_ms;
	return ret->from_ms < ret->to_ms && queue_wish(q, job, ret_kind, &ret->units, &share);
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

static bool is_entitled(const struct facts *f, const struct job *j)
{
	for (size_t i = 0; i < f->reserves.n; i++)
		if (f->reserves.v[i].is_reservation && queue_entitles(f, &f->reserves.v[i], j))
			return true;
	return false;
}

static void wants_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	q->wants = mem_alloc(mem_times(q->waiters.n, sizeof *q->wants));
	for (uint32_t i = 0; i < q->waiters.n; i++) {
		const struct waiter *w = &q->waiters.v[i];
		const struct job *j = &f->jobs.v[w->job];
		uint32_t per_node = job_traits(f, j).per_node;
		int64_t each = per_node == COUNT_UNKNOWN || !per_node ? 1 : per_node;
		int64_t share = share_units(f, j), gpus = w->units / share;
		const struct shape shape = { .each = each,
			                     .share = share,
			                     .wants = room_wanted(f, j, gpus, each) };
		uint32_t at = shape_number(q, shape), base = q->shapes.v[at].base;
		q->wants[i] = (struct want){ .units = w->units,
			                     .kind = w->kind,
			                     .need = (uint32_t)((gpus + each - 1) / each),
			                     .shape = at,
			                     .base = at < SHAPES_KEPT && base < BASES_KEPT
			                                     ? (uint16_t)base
			                                     : BASES_KEPT,
			                     .is_policy = j->is_policy,
			                     .is_entitled = is_entitled(f, j) };
	}
}

static void waiters_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		struct waiter w;
		struct kind k;
		if (!waiter_of(q, i, &w, &k))
			continue;
		uint32_t *kind = map_at(&q->kind_of, (uint64_t)j->traits << 1 | j->is_slurm);
		if (!*kind) {
			if (k.models_n)
				k.model = model_index(q, k.models[0]);
			*kind = kind_of(q, k) + 1;
		}
		w.kind = *kind - 1;
		*vec_push(&q->waiters) = w;
	}
	vec_sort(&q->waiters, waiter_order);
	wants_build(q);
	for (uint32_t i = 0; i < q->waiters.n; i++)
		event_add(q, EVENT_WAIT, i, q->waiters.v[i].from_ms, q->waiters.v[i].to_ms);
}

bool queue_entitles(const struct facts *f, const struct reserve *r, const struct job *j)
{
	sym id = names_find(&f->names, job_id(f, j));
	return id && r->jobs_n && is_one_of(id, f->syms.v + r->jobs_at, r->jobs_n);
}

/* 9.15: a reservation is less by what its own jobs hold. */
static void reserves_build(struct queue *q)
{
	const struct facts *f = q->m->f;
	for (uint32_t i = 0; i < f->reserves.n; i++) {
		const struct reserve *r = &f->reserves.v[i];
		struct kind k = { .names = &f->names,
			          .models = &r->model,
			          .models_n = r->model ? 1 : 0,
			          .pools = &r->pool,
			          .pools_n = r->pool ? 1 : 0,
			          .model = NONE };
		*vec_push(&q->reserves) = (struct reserve_state){ .kind = kind_of(q, k) };
		event_add(q, EVENT_RESERVE, i, r->from_ms == TIME_UNKNOWN ? INT64_MIN : r->from_ms,
		          r->to_ms == TIME_UNKNOWN ? INT64_MAX : r->to_ms);
		for (uint32_t c = 0; r->is_reservation && c < q->m->claims.n; c++) {
			const struct claim *cl = &q->m->claims.v[c];
			if (cl->job != NONE && queue_entitles(f, r, &f->jobs.v[cl->job])) {
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
			for (uint32_t k = 0; q->groups.v[g].node == n->id && k < n->exhausted_n;
			     k++) {
				struct span s = f->spans.v[n->exhausted_at + k];
				int64_t to_ms = s.to_ms < q->m->as_of_ms ? s.to_ms : q->m->as_of_ms;
				event_add(q, EVENT_EXHAUSTED, g, s.from_ms, to_ms);
			}
	}
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

void queue_build(struct queue *q)
{
	groups_build(q);
	nodes_chain(q);
	partitions_build(q);
	waiters_build(q);
	reserves_build(q);
	exhausted_build(q);
	class_build(q);
	queue_rooms(q);
	queue_events(q);
}

void queue_deinit(struct queue *q)
{
	for (size_t i = 0; i < q->kinds.n; i++)
		mem_free(q->kinds.v[i].groups), mem_free(q->kinds.v[i].classes);
	for (size_t i = 0; i < q->classes.n; i++) {
		struct class *c = &q->classes.v[i];
		mem_free(c->groups), mem_free(c->live), mem_free(c->short_of);
		vec_deinit(&c->stretches);
	}
	for (size_t i = 0; i < q->components.n; i++) {
		struct component *c = &q->components.v[i];
		vec_deinit(&c->kinds), vec_deinit(&c->classes), vec_deinit(&c->reserves);
		for (size_t k = 0; k < c->waiting.n; k++)
			mem_free(c->waiting.v[k]);
		vec_deinit(&c->waiting);
	}
	for (size_t i = 0; i < q->groups.n; i++)
		vec_deinit(&q->groups.v[i].on), mem_free(q->groups.v[i].short_of);
	mem_free(q->group_of_part), mem_free(q->next_node), mem_free(q->wants);
	map_deinit(&q->node_of), map_deinit(&q->kind_of);
	map_deinit(&q->base_of), map_deinit(&q->shape_of);
	rooms_deinit(&q->rooms);
	vec_deinit(&q->bases), vec_deinit(&q->room_changes);
	vec_deinit(&q->partitions), vec_deinit(&q->shapes), vec_deinit(&q->events);
	vec_deinit(&q->groups), vec_deinit(&q->kinds), vec_deinit(&q->waiters);
	vec_deinit(&q->classes), vec_deinit(&q->components);
	vec_deinit(&q->alone), vec_deinit(&q->dirty), vec_deinit(&q->moved);
	vec_deinit(&q->reserved), vec_deinit(&q->held), vec_deinit(&q->reserves);
	vec_deinit(&q->models), vec_deinit(&q->unmet), vec_deinit(&q->unmet_sum);
}
