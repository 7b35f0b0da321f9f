/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds to classes of groups, and to components that have no group in common. */
#include <string.h>

#include "account/queue.h"

/* Splits what is there by who accepts it: OF, the class of each group; returns how many there are.
   Class 0 is what no kind accepts. */
static uint32_t classes_split(const struct queue *q, uint32_t *of)
{
	VEC(uint32_t) to = { 0 }, stamp = { 0 };
	uint32_t n = 1;
	*vec_push(&to) = 0, *vec_push(&stamp) = NONE;
	memset(of, 0, q->groups.n * sizeof *of);
	for (uint32_t k = 0; k < q->kinds.n; k++)
		for (uint32_t i = 0; i < q->kinds.v[k].groups_n; i++) {
			uint32_t *class = &of[q->kinds.v[k].groups[i]];
			if (stamp.v[*class] != k) {
				stamp.v[*class] = k;
				to.v[*class] = n++;
				*vec_push(&to) = 0, *vec_push(&stamp) = NONE;
			}
			*class = to.v[*class];
		}
	vec_deinit(&to);
	vec_deinit(&stamp);
	return n;
}

/* The classes that have groups, in order of their first one. */
static void classes_build(struct queue *q)
{
	uint32_t *of = mem_alloc(mem_times(q->groups.n, sizeof *of));
	uint32_t n = 2 * classes_split(q, of);
	for (uint32_t g = 0; g < q->groups.n; g++) /* what comes from a count is booked apart */
		of[g] = of[g] ? 2 * of[g] + q->groups.v[g].counted : 0;
	uint32_t *at = mem_alloc(mem_times(n, sizeof *at)), *sizes = mem_alloc(mem_times(n, 4));
	memset(at, 0xff, n * sizeof *at);
	memset(sizes, 0, n * sizeof *sizes);
	for (uint32_t g = 0; g < q->groups.n; g++)
		sizes[of[g]]++;
	for (uint32_t g = 0; g < q->groups.n; g++) {
		struct group *group = &q->groups.v[g];
		group->class = NONE;
		group->alone = LEAF_COUNT;
		if (!of[g])
			continue;
		if (at[of[g]] == NONE) {
			at[of[g]] = (uint32_t)q->classes.n;
			struct class *c = vec_push(&q->classes);
			c->groups = mem_alloc(mem_times(sizes[of[g]], sizeof *c->groups));
			c->live = mem_alloc(mem_times(sizes[of[g]], sizeof *c->live));
			c->counted = group->counted;
		}
		group->class = at[of[g]];
		struct class *c = &q->classes.v[group->class];
		c->groups[c->groups_n++] = g;
	}
	mem_free(of), mem_free(at), mem_free(sizes);
}

/* The classes of each kind; the kind's groups are no longer needed. */
static void kinds_join(struct queue *q)
{
	uint32_t *stamp = mem_alloc(mem_times(q->classes.n, sizeof *stamp));
	memset(stamp, 0xff, q->classes.n * sizeof *stamp);
	for (uint32_t k = 0; k < q->kinds.n; k++) {
		struct kind *kind = &q->kinds.v[k];
		VEC(uint32_t) classes = { 0 };
		for (uint32_t i = 0; i < kind->groups_n; i++) {
			uint32_t class = q->groups.v[kind->groups[i]].class;
			if (stamp[class] != k)
				*vec_push(&classes) = class;
			stamp[class] = k;
		}
		mem_free(kind->groups);
		kind->groups = NULL;
		kind->classes = classes.v;
		kind->classes_n = (uint32_t)classes.n;
	}
	mem_free(stamp);
}

static uint32_t root_of(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

static void components_build(struct queue *q)
{
	uint32_t n = (uint32_t)q->classes.n;
	uint32_t *up = mem_alloc(mem_times(n, sizeof *up)), *of = mem_alloc(mem_times(n, 4));
	for (uint32_t i = 0; i < n; i++)
		up[i] = i, of[i] = NONE;
	for (uint32_t k = 0; k < q->kinds.n; k++)
		for (uint32_t i = 1; i < q->kinds.v[k].classes_n; i++)
			up[root_of(up, q->kinds.v[k].classes[i])] =
			        root_of(up, q->kinds.v[k].classes[0]);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = root_of(up, i);
		if (of[root] == NONE) {
			of[root] = (uint32_t)q->components.n;
			(void)vec_push(&q->components);
		}
		q->classes.v[i].component = of[root];
		*vec_push(&q->components.v[of[root]].classes) = i;
	}
	for (uint32_t k = 0; k < q->kinds.n; k++) {
		struct kind *kind = &q->kinds.v[k];
		kind->component = kind->classes_n ? q->classes.v[kind->classes[0]].component : NONE;
		kind->nothing_at = NONE;
		if (kind->component != NONE)
			*vec_push(&q->components.v[kind->component].kinds) = k;
	}
	for (uint32_t i = 0; i < q->reserves.n; i++) {
		uint32_t c = q->kinds.v[q->reserves.v[i].kind].component;
		if (c != NONE)
			*vec_push(&q->components.v[c].reserves) = i;
	}
	mem_free(up), mem_free(of);
}

void class_build(struct queue *q)
{
	classes_build(q);
	kinds_join(q);
	components_build(q);
}

/* Where GROUP stands, or would stand, in a sorted list. */
static uint32_t place_in(const uint32_t *list, uint32_t n, uint32_t group)
{
	uint32_t lo = 0, hi = n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (list[mid] < group)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void class_free(struct queue *q, uint32_t g, int64_t by)
{
	struct group *group = &q->groups.v[g];
	bool was_live = group->left > 0, is_live = group->left + by > 0;
	group->left += by;
	if (group->class == NONE)
		return;
	struct class *c = &q->classes.v[group->class];
	c->left += by;
	if (was_live == is_live)
		return;
	uint32_t at = place_in(c->live, c->live_n, g);
	size_t behind = (c->live_n - at - !is_live) * sizeof *c->live;
	if (is_live) {
		memmove(c->live + at + 1, c->live + at, behind);
		c->live[at] = g;
		c->live_n++;
	} else {
		memmove(c->live + at, c->live + at + 1, behind);
		c->live_n--;
	}
}

/* Portions of free devices, each on one of them: whole ones, if a portion is all of a device. */
static int64_t portions(const struct queue *q, const struct group *g, int64_t share)
{
	int64_t n = 0;
	if (g->counted || g->spread)
		return (g->counted ? g->left : g->device_units) / share;
	if (share == GRID)
		return g->whole;
	for (size_t i = 0; i < g->on.n; i++) {
		const struct free_part *p = &q->m->frees.v[g->on.v[i]];
		if (q->m->slots.v[p->slot].kind == SLOT_DEVICE)
			n += p->units_per_ms / share;
	}
	return n;
}

int64_t class_fits(const struct queue *q, const struct group *g, const struct shape *shape)
{
	if (g->exhausted)
		return 0;
	return room_times(g->left_room, shape->wants, portions(q, g, shape->share) / shape->each);
}

/* Whether some shape of a base would fit FITS times but for the room. */
static bool lacks_room(const struct group *g, const struct base *b, int64_t fits)
{
	return room_times(g->left_room, b->most, fits) < fits;
}

static bool shorts_set(struct queue *q, struct group *g, struct class *c, bool is_short)
{
	size_t n = q->shapes.n < SHAPES_KEPT ? q->shapes.n : SHAPES_KEPT;
	bool changed = false;
	if (!g->short_of)
		g->short_of = mem_alloc(mem_times(n, sizeof *g->short_of));
	if (!c->short_of)
		c->short_of = mem_alloc(mem_times(n, sizeof *c->short_of));
	for (size_t i = 0; i < n; i++) {
		const struct shape *s = &q->shapes.v[i];
		if (s->base >= BASES_KEPT)
			continue;
		int64_t fits = g->fits[s->base];
		int64_t lacks = is_short ? fits - room_times(g->left_room, s->wants, fits) : 0;
		changed |= lacks != g->short_of[i];
		c->short_of[i] += lacks - (int64_t)g->short_of[i];
		g->short_of[i] = (uint32_t)lacks;
	}
	g->is_short = is_short;
	return changed;
}

bool class_set_fits(struct queue *q, struct group *g)
{
	struct class *c = g->class != NONE ? &q->classes.v[g->class] : NULL;
	bool changed = false, is_short = false;
	for (size_t i = 0; c && i < q->bases.n && i < BASES_KEPT; i++) {
		const struct base *b = &q->bases.v[i];
		int64_t fits = g->exhausted ? 0 : portions(q, g, b->share) / b->each;
		changed |= fits != g->fits[i];
		c->fits[i] += fits - g->fits[i];
		g->fits[i] = fits;
		is_short |= fits && lacks_room(g, b, fits);
	}
	if (c && (is_short || g->is_short)) /* what it was short of may be less now */
		changed |= shorts_set(q, g, c, is_short);
	return changed;
}
