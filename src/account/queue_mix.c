/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what is free the next task could not use (decisions L). One node after the other, in
 * order of time: what is free on it and its room change at the edges of its free parts and at the
 * steps of its room; between two changes every task of the mix is asked once.
 */
#include <stdlib.h>

#include "account/queue.h"
#include "base/sort.h"

struct task {
	struct fragment_task what;
	int64_t count;
	uint32_t kind; /* in mix.kinds */
	uint32_t order;
};

/* A node as it is now. */
struct standing {
	int64_t whole, device_units, spread;
	VEC(int64_t) parts; /* of devices; on instances: behind them */
	VEC(int64_t) instances;
	VEC(int64_t) all; /* as a division asks for it */
	struct room left;
};

struct mix {
	struct queue *q;
	VEC(struct kind) kinds;
	VEC(struct task) tasks;
	VEC(struct task) roomy; /* the same where there is room for each: fewer */
	struct map task_of;     /* hash of what a job is to the mix: 1 + task */
	struct room enough;     /* for any task */
	bool *accepts;          /* by kind, of the group at hand */
	struct standing now;
	i128 classes[FRAGMENT_CLASSES]; /* of the node as it is now */
	struct fragment *out;
};

static uint32_t mix_kind(struct mix *x, const struct kind *k)
{
	for (uint32_t i = 0; i < x->kinds.n; i++)
		if (queue_same_kind(&x->kinds.v[i], k))
			return i;
	*vec_push(&x->kinds) = *k;
	return (uint32_t)x->kinds.n - 1;
}

static bool same_task(const struct task *a, const struct task *b)
{
	return a->kind == b->kind && a->what.gpus == b->what.gpus &&
	       a->what.share == b->what.share &&
	       a->what.wants.cpu_milli == b->what.wants.cpu_milli &&
	       a->what.wants.memory_mib == b->what.wants.memory_mib;
}

static struct task *mix_task(struct mix *x, struct task t)
{
	const int64_t words[] = { t.kind, t.what.gpus, t.what.share, t.what.wants.cpu_milli,
		                  t.what.wants.memory_mib };
	uint32_t *known =
	        map_at(&x->task_of, str_hash((struct str){ (const char *)words, sizeof words }));
	for (size_t i = *known ? *known - 1 : x->tasks.n; i < x->tasks.n; i++)
		if (same_task(&x->tasks.v[i], &t)) /* the first, but for two of one hash */
			return &x->tasks.v[i];
	if (!*known)
		*known = (uint32_t)x->tasks.n + 1;
	t.order = (uint32_t)x->tasks.n;
	*vec_push(&x->tasks) = t;
	return &x->tasks.v[x->tasks.n - 1];
}

/* L.1: jobs that were handed in in the window. */
static bool is_in_mix(const struct meter *m, uint32_t job)
{
	const struct attempt t = attempt_at(m, job);
	int64_t since_ms = t.submit_ms != TIME_UNKNOWN     ? t.submit_ms
	                   : t.eligible_ms != TIME_UNKNOWN ? t.eligible_ms
	                                                   : t.start_ms;
	return since_ms != TIME_UNKNOWN && since_ms >= m->window.from_ms &&
	       since_ms < m->window.to_ms;
}

static int by_count(const void *p, const void *q)
{
	const struct task *a = p, *b = q;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Tasks that only differ in the room that they want are one where there is enough. */
static void roomy_build(struct mix *x)
{
	for (size_t i = 0; i < x->tasks.n; i++) {
		struct task t = x->tasks.v[i];
		size_t k = 0;
		t.what.wants = (struct room){ 0, 0 };
		while (k < x->roomy.n && !same_task(&x->roomy.v[k], &t))
			k++;
		if (k < x->roomy.n)
			x->roomy.v[k].count += t.count;
		else
			*vec_push(&x->roomy) = t;
	}
}

static void mix_build(struct mix *x)
{
	const struct facts *f = x->q->m->f;
	struct map kind_of = MAP_NULL; /* a job's kind, by its traits */
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		struct kind k;
		int64_t units, share;
		if (!is_in_mix(x->q->m, i) || !queue_wish(x->q, i, &k, &units, &share))
			continue;
		uint32_t *kind = map_at(&kind_of, (uint64_t)j->traits << 1 | j->is_slurm);
		uint32_t per_node = job_traits(f, j).per_node;
		int64_t each = per_node == COUNT_UNKNOWN || !per_node ? 1 : per_node;
		int64_t gpus = units / share;
		*kind = *kind ? *kind : mix_kind(x, &k) + 1;
		struct task *t = mix_task(
		        x, (struct task){ .what = { each, share, room_wanted(f, j, gpus, each) },
		                          .kind = *kind - 1 });
		t->count += (gpus + each - 1) / each;
	}
	map_deinit(&kind_of);
	vec_sort(&x->tasks, by_count);
	for (size_t i = 0; i < x->tasks.n; i++) {
		struct task *t = &x->tasks.v[i];
		if (i >= FRAGMENT_TASKS_MAX) {
			x->out->left_out += (uint64_t)t->count;
			continue;
		}
		x->out->tasks += (uint64_t)t->count;
		if (t->what.wants.cpu_milli > x->enough.cpu_milli)
			x->enough.cpu_milli = t->what.wants.cpu_milli;
		if (t->what.wants.memory_mib > x->enough.memory_mib)
			x->enough.memory_mib = t->what.wants.memory_mib;
	}
	if (x->tasks.n > FRAGMENT_TASKS_MAX)
		x->tasks.n = FRAGMENT_TASKS_MAX;
	roomy_build(x);
}

#define PARTS_CHANGE(list, value, by)                                           \
	do {                                                                    \
		if ((by) > 0) {                                                 \
			*vec_push(list) = (value);                              \
			break;                                                  \
		}                                                               \
		size_t at = 0;                                                  \
		while ((list)->v[at] != (value)) /* any of this size will do */ \
			at++;                                                   \
		(list)->v[at] = (list)->v[--(list)->n];                         \
	} while (0)

static void part_change(struct mix *x, const struct free_part *p, int by)
{
	const struct meter *m = x->q->m;
	struct standing *s = &x->now;
	if (p->slot != NONE && m->slots.v[p->slot].kind != SLOT_DEVICE) {
		PARTS_CHANGE(&s->instances, p->units_per_ms, by);
		return;
	}
	s->device_units += by * p->units_per_ms;
	s->spread += p->is_spread ? by : 0;
	if (p->is_whole)
		s->whole += by;
	else if (!p->is_spread)
		PARTS_CHANGE(&s->parts, p->units_per_ms, by);
}

/* L.2 */
static void classes_set(struct mix *x)
{
	struct standing *s = &x->now;
	struct fragment_node n = { .whole = s->whole, .unit = GRID, .left = s->left };
	s->all.n = 0;
	if (s->spread) {
		n.whole = s->device_units / GRID;
		if (s->device_units % GRID)
			*vec_push(&s->all) = s->device_units % GRID;
	}
	for (size_t i = 0; !s->spread && i < s->parts.n; i++)
		*vec_push(&s->all) = s->parts.v[i];
	for (size_t i = 0; i < s->instances.n; i++)
		*vec_push(&s->all) = s->instances.v[i];
	n.parts = s->all.v, n.parts_n = s->all.n;
	for (int i = 0; i < FRAGMENT_CLASSES; i++)
		x->classes[i] = 0;
	bool has_room = s->left.cpu_milli >= x->enough.cpu_milli &&
	                s->left.memory_mib >= x->enough.memory_mib;
	const struct task *tasks = has_room ? x->roomy.v : x->tasks.v;
	size_t tasks_n = has_room ? x->roomy.n : x->tasks.n;
	for (size_t i = 0; i < tasks_n; i++) {
		const struct task *t = &tasks[i];
		fragment_add(&n, &t->what, x->accepts[t->kind], t->count, x->classes);
	}
}

static int64_t idle_of(const struct standing *s)
{
	int64_t units = s->device_units;
	for (size_t i = 0; i < s->instances.n; i++)
		units += s->instances.v[i];
	return units;
}

static void time_passes(struct mix *x, int64_t from_ms, int64_t to_ms, bool *is_new)
{
	const struct span w = x->q->m->window;
	int64_t idle = idle_of(&x->now);
	from_ms = from_ms > w.from_ms ? from_ms : w.from_ms;
	to_ms = to_ms < w.to_ms ? to_ms : w.to_ms;
	if (from_ms >= to_ms || !idle)
		return;
	if (*is_new)
		classes_set(x);
	*is_new = false;
	x->out->idle += (i128)idle * (to_ms - from_ms);
	if (x->now.left.cpu_milli != ROOM_ANY)
		x->out->idle_with_cpus += (i128)idle * (to_ms - from_ms);
	for (int i = 0; i < FRAGMENT_CLASSES; i++)
		x->out->classes[i] += x->classes[i] * (to_ms - from_ms);
}

/* More room than any task wants is all the same; what nobody asks stays told apart. */
static struct room room_seen(const struct mix *x, struct room left)
{
	if (left.cpu_milli != ROOM_ANY && left.cpu_milli > x->enough.cpu_milli)
		left.cpu_milli = x->enough.cpu_milli;
	if (left.memory_mib != ROOM_ANY && left.memory_mib > x->enough.memory_mib)
		left.memory_mib = x->enough.memory_mib;
	return left;
}

/* EDGES: ends of the group's free parts by time: part x 2, + 1 where it ends. */
static void group_mix(struct mix *x, const struct group *g, const struct keyed *edges, size_t n)
{
	const struct free_part *frees = x->q->m->frees.v;
	uint32_t steps_n, at = 0;
	const struct room_step *steps = rooms_of(&x->q->rooms, g->node, &steps_n);
	bool is_new = true;
	int64_t since_ms = n ? sort_unkey(edges[0].key) : 0;
	for (size_t i = 0; i < x->kinds.n; i++)
		x->accepts[i] = queue_accepts(x->q, &x->kinds.v[i], g);
	x->now.left = (struct room){ ROOM_ANY, ROOM_ANY };
	for (size_t i = 0; i < n;) {
		int64_t t_ms = sort_unkey(edges[i].key);
		if (at < steps_n && steps[at].t_ms < t_ms)
			t_ms = steps[at].t_ms > since_ms ? steps[at].t_ms : since_ms;
		time_passes(x, since_ms, t_ms, &is_new);
		since_ms = t_ms;
		for (; at < steps_n && steps[at].t_ms <= t_ms; at++) {
			const struct room left = room_seen(x, steps[at].left);
			is_new |= left.cpu_milli != x->now.left.cpu_milli ||
			          left.memory_mib != x->now.left.memory_mib;
			x->now.left = left;
		}
		for (; i < n && sort_unkey(edges[i].key) == t_ms; i++) {
			part_change(x, &frees[edges[i].with / 2], edges[i].with % 2 ? -1 : 1);
			is_new = true;
		}
	}
}

/* Groups one after the other, each with the edges of its parts. */
static void groups_mix(struct mix *x)
{
	const struct queue *q = x->q;
	const struct meter *m = q->m;
	size_t *at = mem_alloc(mem_times(q->groups.n + 1, sizeof *at));
	struct keyed *edges = mem_alloc(mem_times(2 * m->frees.n, sizeof *edges));
	for (size_t i = 0; i < m->frees.n; i++)
		at[q->group_of_part[i] + 1] += 2;
	for (size_t i = 0; i < q->groups.n; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < m->frees.n; i++) {
		size_t *to = &at[q->group_of_part[i]];
		edges[(*to)++] = (struct keyed){ sort_key(m->frees.v[i].from_ms), (int64_t)i * 2 };
		edges[(*to)++] =
		        (struct keyed){ sort_key(m->frees.v[i].to_ms), (int64_t)i * 2 + 1 };
	}
	for (size_t i = 0, from = 0; i < q->groups.n; from = at[i], i++) {
		const struct group *g = &q->groups.v[i];
		if (!g->node || g->counted)
			continue;
		sort_keyed(edges + from, at[i] - from); /* a part begins before it ends */
		group_mix(x, g, edges + from, at[i] - from);
	}
	mem_free(at), mem_free(edges);
}

void mix_meter(struct queue *q)
{
	struct mix x = { .q = q, .out = &q->m->out->fragment };
	mix_build(&x);
	x.accepts = mem_alloc(x.kinds.n + 1);
	groups_mix(&x);
	mem_free(x.accepts);
	vec_deinit(&x.kinds), vec_deinit(&x.tasks), vec_deinit(&x.roomy);
	vec_deinit(&x.now.parts), vec_deinit(&x.now.instances), vec_deinit(&x.now.all);
	map_deinit(&x.task_of);
}
