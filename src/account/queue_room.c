/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of waiting jobs, and the room that nodes have for them (decisions H.7, H.9). */
#include "account/queue.h"

static uint64_t hash_of(const void *bytes, size_t n)
{
	return str_hash((struct str){ bytes, n });
}

static void most(int64_t *to, int64_t v)
{
	*to = v > *to ? v : *to;
}

static uint32_t base_number(struct queue *q, const struct shape *s)
{
	const int64_t words[] = { s->each, s->share };
	uint32_t *known = map_at(&q->base_of, hash_of(words, sizeof words));
	size_t i = *known ? *known - 1 : q->bases.n;
	for (; i < q->bases.n; i++) /* the first, but for two of one hash */
		if (q->bases.v[i].each == s->each && q->bases.v[i].share == s->share)
			break;
	if (i == q->bases.n)
		*vec_push(&q->bases) = (struct base){ .each = s->each, .share = s->share };
	if (!*known)
		*known = (uint32_t)i + 1;
	most(&q->bases.v[i].most.cpu_milli, s->wants.cpu_milli);
	most(&q->bases.v[i].most.memory_mib, s->wants.memory_mib);
	return (uint32_t)i;
}

uint32_t shape_number(struct queue *q, struct shape s)
{
	const int64_t words[] = { s.each, s.share, s.wants.cpu_milli, s.wants.memory_mib };
	uint32_t *known = map_at(&q->shape_of, hash_of(words, sizeof words));
	for (size_t i = *known ? *known - 1 : q->shapes.n; i < q->shapes.n; i++) {
		const struct shape *o = &q->shapes.v[i];
		if (o->each == s.each && o->share == s.share &&
		    o->wants.cpu_milli == s.wants.cpu_milli &&
		    o->wants.memory_mib == s.wants.memory_mib)
			return (uint32_t)i;
	}
	if (!*known)
		*known = (uint32_t)q->shapes.n + 1;
	s.base = base_number(q, &s);
	*vec_push(&q->shapes) = s;
	q->has_shares |= s.share < GRID;
	return (uint32_t)(q->shapes.n - 1);
}

/* Of each group, the most units that can be free at once, or more. */
static int64_t *units_of_groups(const struct queue *q)
{
	const struct meter *m = q->m;
	size_t n = m->slots.n + m->pools.n;
	int64_t *of_source = mem_alloc(mem_times(n, sizeof *of_source));
	int64_t *of_group = mem_alloc(mem_times(q->groups.n, sizeof *of_group));
	for (size_t i = 0; i < m->frees.n; i++) {
		const struct free_part *p = &m->frees.v[i];
		int64_t *had = &of_source[p->slot != NONE ? p->slot : m->slots.n + p->pool];
		int64_t more = p->units_per_ms > *had ? p->units_per_ms - *had : 0;
		*had += more;
		of_group[q->group_of_part[i]] += more;
	}
	mem_free(of_source);
	return of_group;
}

/* With so much a group of UNITS holds as many of each shape as its GPUs do. */
static struct room enough_of(const struct queue *q, int64_t units)
{
	struct room enough = { 0, 0 };
	for (size_t i = 0; i < q->bases.n; i++) {
		const struct base *b = &q->bases.v[i];
		int64_t times = units / b->share / b->each, v;
		most(&enough.cpu_milli,
		     __builtin_mul_overflow(times, b->most.cpu_milli, &v) ? ROOM_ANY : v);
		most(&enough.memory_mib,
		     __builtin_mul_overflow(times, b->most.memory_mib, &v) ? ROOM_ANY : v);
	}
	return enough;
}

/* The steps of a group's node, where they change what fits. */
static void group_rooms(struct queue *q, uint32_t at, struct room enough)
{
	struct group *g = &q->groups.v[at];
	uint32_t n;
	const struct room_step *steps = rooms_of(&q->rooms, g->node, &n);
	struct room now = g->left_room;
	for (uint32_t i = 0; i < n; i++) {
		struct room left = steps[i].left;
		if (left.cpu_milli >= enough.cpu_milli)
			left.cpu_milli = ROOM_ANY;
		if (left.memory_mib >= enough.memory_mib)
			left.memory_mib = ROOM_ANY;
		if (left.cpu_milli == now.cpu_milli && left.memory_mib == now.memory_mib)
			continue;
		now = left;
		if (!i) {
			g->left_room = left;
			continue;
		}
		*vec_push(&q->events) =
		        (struct event){ steps[i].t_ms, (uint32_t)q->room_changes.n, 0, EVENT_ROOM };
		*vec_push(&q->room_changes) = (struct room_change){ at, left };
	}
}

void queue_rooms(struct queue *q)
{
	for (size_t i = 0; i < q->groups.n; i++)
		if (q->groups.v[i].node && !q->groups.v[i].counted)
			rooms_add(&q->rooms, q->groups.v[i].node);
	rooms_build(&q->rooms, q->m);
	int64_t *units = units_of_groups(q);
	for (uint32_t i = 0; i < q->groups.n; i++)
		if (q->groups.v[i].class != NONE && !q->groups.v[i].counted)
			group_rooms(q, i, enough_of(q, units[i]));
	mem_free(units);
}
