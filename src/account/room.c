/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every job that runs on a node takes its part of it away when it starts and gives it back when it
 * ends: events by node and time, added up. A list of nodes is taken apart once, however many jobs
 * name it.
 */
#include "account/room.h"

#include "base/hostlist.h"
#include "base/sort.h"

#define ROOM_OVER_MS 60000 /* a row may end some seconds late */

struct room_event {
	int64_t t_ms;
	struct room by;    /* more held, or less */
	uint32_t node;     /* in rooms.nodes */
	int8_t unknown[2]; /* jobs more whose CPUs, or memory, nobody knows */
};

struct room_list {
	uint32_t at, n; /* in rooms.hosts: those that were added */
	uint32_t all;
};

void rooms_add(struct rooms *r, sym node)
{
	uint32_t *at = map_at(&r->node_of, node);
	if (*at)
		return;
	(void)vec_push(&r->nodes);
	*at = (uint32_t)r->nodes.n;
}

void rooms_deinit(struct rooms *r)
{
	vec_deinit(&r->steps), vec_deinit(&r->nodes), vec_deinit(&r->events);
	vec_deinit(&r->hosts), vec_deinit(&r->lists);
	map_deinit(&r->node_of), map_deinit(&r->list_of);
}

const struct room_step *rooms_of(const struct rooms *r, sym node, uint32_t *ret_n)
{
	const uint32_t *at = node ? map_get(&r->node_of, node) : NULL;
	*ret_n = at ? r->nodes.v[*at - 1].n : 0;
	return *ret_n ? r->steps.v + r->nodes.v[*at - 1].at : NULL;
}

static int64_t part(int64_t amount, int64_t num, int64_t den)
{
	return amount > 0 ? (int64_t)((i128)amount * num / den) : 0;
}

struct room room_wanted(const struct facts *f, const struct job *j, int64_t gpus, int64_t each)
{
	const struct job_traits t = job_traits(f, j);
	int64_t of = each < gpus ? each : gpus;
	return (struct room){ part(job_cpu_milli(&t), of, gpus), part(t.memory_mib, of, gpus) };
}

/* Whether anybody says how large any of the nodes is. */
static bool sizes_read(struct rooms *r, const struct facts *f)
{
	bool any = false;
	for (size_t i = 0; i < f->nodes.n; i++) {
		const uint32_t *at = map_get(&r->node_of, f->nodes.v[i].id);
		int64_t cpu = node_cpu_milli(&f->nodes.v[i]), memory = f->nodes.v[i].memory_mib;
		if (!at)
			continue;
		struct room *size = &r->nodes.v[*at - 1].size;
		size->cpu_milli = cpu > size->cpu_milli ? cpu : size->cpu_milli;
		size->memory_mib = memory > size->memory_mib ? memory : size->memory_mib;
		any |= size->cpu_milli || size->memory_mib;
	}
	return any;
}

struct taking_apart {
	struct rooms *r;
	const struct names *names;
};

static void host_add(void *context, struct str name)
{
	const struct taking_apart *t = context;
	sym node = names_find(t->names, name);
	const uint32_t *at = node ? map_get(&t->r->node_of, node) : NULL;
	if (at)
		*vec_push(&t->r->hosts) = *at - 1;
}

static struct room_list list_of(struct rooms *r, const struct facts *f, sym words)
{
	uint32_t *at = map_at(&r->list_of, words);
	if (*at)
		return r->lists.v[*at - 1];
	struct taking_apart t = { r, &f->names };
	struct room_list l = { .at = (uint32_t)r->hosts.n };
	struct str text = names_word(&f->names, words);
	if (hostlist_count(text, &l.all) == HOSTLIST_OK)
		(void)hostlist_each(text, host_add, &t);
	l.n = (uint32_t)r->hosts.n - l.at;
	*vec_push(&r->lists) = l;
	*at = (uint32_t)r->lists.n;
	return l;
}

/* A job on one of its nodes, of which there are ALL. */
static void hold(struct rooms *r, const struct meter *m, uint32_t job, uint32_t node, uint32_t all)
{
	const struct attempt t = attempt_at(m, job);
	const struct job_traits traits = job_traits(m->f, &m->f->jobs.v[job]);
	int64_t cpu = job_cpu_milli(&traits), memory = traits.memory_mib;
	int64_t end_ms = t.end_ms != TIME_UNKNOWN ? t.end_ms : m->as_of_ms;
	struct room_event e = { .t_ms = t.start_ms,
		                .by = { part(cpu, 1, all), part(memory, 1, all) },
		                .node = node,
		                .unknown = { cpu < 0, memory < 0 } };
	if (t.start_ms >= end_ms)
		return;
	*vec_push(&r->events) = e;
	e.t_ms = end_ms;
	e.by = (struct room){ -e.by.cpu_milli, -e.by.memory_mib };
	e.unknown[0] = (int8_t)-e.unknown[0], e.unknown[1] = (int8_t)-e.unknown[1];
	*vec_push(&r->events) = e;
}

static bool has_started(const struct meter *m, uint32_t job)
{
	const struct attempt t = attempt_at(m, job);
	return t.is_seen && t.start_ms != TIME_UNKNOWN;
}

static void jobs_with_nodes(struct rooms *r, const struct meter *m)
{
	for (uint32_t i = 0; i < m->f->jobs.n; i++) {
		sym words = m->f->jobs.v[i].node_names;
		if (!words || !has_started(m, i))
			continue;
		const struct room_list l = list_of(r, m->f, words);
		for (uint32_t k = 0; k < l.n; k++)
			hold(r, m, i, r->hosts.v[l.at + k], l.all);
	}
}

static sym claim_node_of(const struct meter *m, const struct claim *c)
{
	if (c->job == NONE || m->f->jobs.v[c->job].node_names ||
	    m->f->allocations.v[c->entry].on == CLAIM_POOL || !has_started(m, c->job))
		return 0;
	return c->target == TARGET_SLOT   ? m->slots.v[c->at].node
	       : c->target == TARGET_SITE ? m->sites.v[c->at].node
	                                  : m->pools.v[c->at].node;
}

/* Jobs that only their allocations place. */
static void jobs_with_claims(struct rooms *r, const struct meter *m)
{
	VEC(uint64_t) on = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct claim *c = &m->claims.v[i];
		sym node = claim_node_of(m, c);
		if (node)
			*vec_push(&on) = (uint64_t)c->job << 32 | node;
	}
	sort_u64(on.v, on.n);
	for (size_t i = 0; i < on.n; i++)
		if (!i || on.v[i] != on.v[i - 1])
			on.v[n++] = on.v[i];
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && on.v[end] >> 32 == on.v[i] >> 32; end++)
			;
		for (size_t k = i; k < end; k++) {
			const uint32_t *node = map_get(&r->node_of, on.v[k] & UINT32_MAX);
			if (node)
				hold(r, m, (uint32_t)(on.v[k] >> 32), *node - 1,
				     (uint32_t)(end - i));
		}
	}
	vec_deinit(&on);
}

struct held {
	i128 cpu_milli, memory_mib;
	int64_t unknown[2];
};

/* The events of one time. */
static size_t held_at(const struct rooms *r, const struct keyed *order, size_t i, size_t n,
                      struct held *h)
{
	size_t end = i;
	for (; end < n && order[end].key == order[i].key; end++) {
		const struct room_event *e = &r->events.v[order[end].with];
		h->cpu_milli += e->by.cpu_milli;
		h->memory_mib += e->by.memory_mib;
		h->unknown[0] += e->unknown[0];
		h->unknown[1] += e->unknown[1];
	}
	return end;
}

static int64_t left_of(int64_t size, i128 held, int64_t unknown)
{
	return !size || unknown ? ROOM_ANY : held < size ? (int64_t)(size - held) : 0;
}

static void step_add(struct rooms *r, struct room_node *node, int64_t t_ms, struct room left)
{
	const struct room_step *last = node->n ? &r->steps.v[r->steps.n - 1] : NULL;
	if (last && last->left.cpu_milli == left.cpu_milli &&
	    last->left.memory_mib == left.memory_mib)
		return;
	*vec_push(&r->steps) = (struct room_step){ t_ms, left };
	node->n++;
}

/* Whether more is held than there is, from SINCE on, until T, which may be too long. */
static bool is_over(i128 held, int64_t size, int64_t t_ms, int64_t next_ms, int64_t *since_ms)
{
	if (held <= size) {
		*since_ms = TIME_UNKNOWN;
		return false;
	}
	if (*since_ms == TIME_UNKNOWN)
		*since_ms = t_ms;
	return next_ms - *since_ms > ROOM_OVER_MS;
}

/* The node's size, 0 of what is not what limits jobs there. */
static struct room size_asked(const struct rooms *r, const struct room_node *node,
                              const struct keyed *order, size_t n)
{
	struct room size = node->size;
	struct held h = { 0 };
	int64_t since[2] = { TIME_UNKNOWN, TIME_UNKNOWN };
	for (size_t i = 0; i < n;) {
		int64_t t_ms = sort_unkey(order[i].key);
		i = held_at(r, order, i, n, &h);
		int64_t next_ms = i < n ? sort_unkey(order[i].key) : t_ms;
		if (is_over(h.cpu_milli, node->size.cpu_milli, t_ms, next_ms, &since[0]))
			size.cpu_milli = 0;
		if (is_over(h.memory_mib, node->size.memory_mib, t_ms, next_ms, &since[1]))
			size.memory_mib = 0;
	}
	return size;
}

/* ORDER: the node's events by time. */
static void steps_of_node(struct rooms *r, struct room_node *node, const struct keyed *order,
                          size_t n)
{
	struct room size = size_asked(r, node, order, n);
	struct held h = { 0 };
	node->at = (uint32_t)r->steps.n;
	step_add(r, node, INT64_MIN,
	         (struct room){ left_of(size.cpu_milli, 0, 0), left_of(size.memory_mib, 0, 0) });
	for (size_t i = 0; i < n;) {
		int64_t t_ms = sort_unkey(order[i].key);
		i = held_at(r, order, i, n, &h);
		step_add(r, node, t_ms,
		         (struct room){ left_of(size.cpu_milli, h.cpu_milli, h.unknown[0]),
		                        left_of(size.memory_mib, h.memory_mib, h.unknown[1]) });
	}
}

void rooms_build(struct rooms *r, const struct meter *m)
{
	if (!sizes_read(r, m->f))
		return;
	jobs_with_nodes(r, m);
	jobs_with_claims(r, m);
	uint32_t *at = mem_alloc(mem_times(r->nodes.n + 1, sizeof *at));
	for (size_t i = 0; i < r->events.n; i++)
		at[r->events.v[i].node + 1]++;
	for (size_t i = 0; i < r->nodes.n; i++)
		at[i + 1] += at[i];
	struct keyed *order = mem_alloc(mem_times(r->events.n, sizeof *order));
	for (size_t i = 0; i < r->events.n; i++)
		order[at[r->events.v[i].node]++] =
		        (struct keyed){ sort_key(r->events.v[i].t_ms), (int64_t)i };
	for (size_t i = 0, from = 0; i < r->nodes.n; from = at[i], i++) {
		sort_keyed_loose(order + from, at[i] - from);
		steps_of_node(r, &r->nodes.v[i], order + from, at[i] - from);
	}
	vec_deinit(&r->events);
	mem_free(at), mem_free(order);
}
