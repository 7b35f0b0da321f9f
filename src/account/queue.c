/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue: what free time was lost to (ledger.md 4 rule 11, 9.14, 9.15; decisions H.3 to H.8).
 * Waiting jobs claim what is free of the kinds they accept, in queue order, booked per pool and
 * node shape, never on a chosen device.
 *
 * One sweep over time. At an event only the components that it touched are divided again, and a
 * waiting job that stands where nothing is left changes nothing. What a group is booked as is added
 * up in the group until the bucket ends.
 */
#include <stdlib.h>
#include <string.h>

#include "account/queue.h"
#include "base/sort.h"

static const enum state leaf_state[LEAF_COUNT] = { STATE_FREE_RESERVE,   STATE_FREE_STRANDED,
	                                           STATE_FREE_GANG,      STATE_FREE_POLICY,
	                                           STATE_FREE_SCHEDULER, STATE_FREE_BLOCKED,
	                                           STATE_FREE_IDLE };

static void component_touch(struct queue *q, uint32_t at)
{
	if (at == NONE || q->components.v[at].is_dirty)
		return;
	q->components.v[at].is_dirty = true;
	*vec_push(&q->dirty) = at;
}

static void waiting_change(struct queue *q, uint32_t waiter, int by)
{
	const struct want *w = &q->wants[waiter];
	struct kind *k = &q->kinds.v[w->kind];
	if (k->model != NONE)
		q->unmet.v[k->model] += by * w->units;
	if (k->component == NONE)
		return;
	struct component *c = &q->components.v[k->component];
	if (by > 0)
		chunk_insert(c, waiter);
	else
		chunk_remove(c, waiter);
	k->waiting += (uint32_t)by;
	if (waiter < k->nothing_at || w->is_entitled) /* else it gets nothing, and got nothing */
		component_touch(q, k->component);
}

/* K.5: free slots in key order beside the accounts in their order; where they meet the account has
   those units of the slot's energy. A convention for sums: it accuses no device. */
static void group_draw(struct queue *q, struct group *g, int64_t t_ms)
{
	int leaf = 0;
	int64_t left = g->booked[0];
	for (size_t i = 0; i < g->on.n && g->drawn_ms < t_ms; i++) {
		const struct free_part *p = &q->m->frees.v[g->on.v[i]];
		for (int64_t units = p->units_per_ms; units;) {
			while (!left && ++leaf < LEAF_COUNT)
				left = g->booked[leaf];
			if (leaf >= LEAF_COUNT)
				break;
			int64_t part = units < left ? units : left;
			struct cell key = cell_nobody(g->place, leaf_state[leaf]);
			drawn_ask(q->m, p->slot, &key, g->drawn_ms, t_ms, part);
			units -= part;
			left -= part;
		}
	}
	g->drawn_ms = t_ms;
}

/* Keeps the list of a group's free parts, in key order of their slots. */
static void parts_change(struct queue *q, struct group *g, uint32_t part, int by, int64_t t_ms)
{
	const struct free_part *frees = q->m->frees.v;
	size_t at = 0;
	if (!(q->m->has_energy || q->has_shares) || frees[part].slot == NONE)
		return;
	group_draw(q, g, t_ms);
	while (at < g->on.n &&
	       (by > 0 ? frees[g->on.v[at]].slot < frees[part].slot : g->on.v[at] != part))
		at++;
	if (by > 0) {
		(void)vec_push(&g->on);
		memmove(g->on.v + at + 1, g->on.v + at, (g->on.n - 1 - at) * sizeof *g->on.v);
		g->on.v[at] = part;
	} else if (at < g->on.n) {
		g->on.n--;
		memmove(g->on.v + at, g->on.v + at + 1, (g->on.n - at) * sizeof *g->on.v);
	}
}

static void group_touch(struct queue *q, uint32_t at)
{
	const struct group *g = &q->groups.v[at];
	if (g->class == NONE || !g->left)
		*vec_push(&q->alone) = at;
	if (g->class != NONE)
		component_touch(q, q->classes.v[g->class].component);
}

static void free_change(struct queue *q, uint32_t part, int by, int64_t t_ms)
{
	const struct free_part *p = &q->m->frees.v[part];
	uint32_t at = q->group_of_part[part];
	struct group *g = &q->groups.v[at];
	parts_change(q, g, part, by, t_ms);
	bool device = p->slot == NONE || q->m->slots.v[p->slot].kind == SLOT_DEVICE;
	class_free(q, at, by * p->units_per_ms);
	g->device_units += device ? by * p->units_per_ms : 0;
	g->whole += p->is_whole ? (uint32_t)by : 0;
	g->spread += p->is_spread ? (uint32_t)by : 0;
	class_set_fits(q, g);
	group_touch(q, at);
}

static void event_apply(struct queue *q, const struct event *e)
{
	switch (e->type) {
	case EVENT_FREE:
		free_change(q, e->what, e->by, e->t_ms);
		break;
	case EVENT_WAIT:
		waiting_change(q, e->what, e->by);
		break;
	case EVENT_RESERVE:
		q->reserves.v[e->what].is_on = e->by > 0;
		component_touch(q, q->kinds.v[q->reserves.v[e->what].kind].component);
		break;
	case EVENT_EXHAUSTED:
		q->groups.v[e->what].exhausted += (uint32_t)e->by;
		class_set_fits(q, &q->groups.v[e->what]);
		group_touch(q, e->what);
		break;
	case EVENT_HELD: {
		const struct reserved *h = &q->held.v[e->what];
		struct reserve_state *r = &q->reserves.v[h->reserve];
		r->held += e->by * claim_units(q->m, &q->m->claims.v[h->group]);
		component_touch(q, q->kinds.v[r->kind].component);
		break;
	}
	case EVENT_ROOM: {
		const struct room_change *r = &q->room_changes.v[e->what];
		q->groups.v[r->group].left_room = r->left;
		if (class_set_fits(q, &q->groups.v[r->group]))
			group_touch(q, r->group);
		break;
	}
	case EVENT_TICK:
		break;
	}
}

/* Time passed with what the group is booked as. */
static void group_sum(struct queue *q, struct group *g, int64_t t_ms)
{
	int first = g->alone < LEAF_COUNT ? g->alone : 0;
	int last = g->alone < LEAF_COUNT ? g->alone : LEAF_COUNT - 1;
	for (int i = first; i <= last && q->bucket != NONE; i++) {
		int64_t units;
		if (!g->booked[i] || g->since_ms == t_ms)
			continue;
		q->m->overflow |= __builtin_mul_overflow(g->booked[i], t_ms - g->since_ms, &units);
		q->m->overflow |= __builtin_add_overflow(g->sums[i], units, &g->sums[i]);
	}
	g->since_ms = t_ms;
}

static void group_book_alone(struct queue *q, struct group *g, enum leaf leaf, int64_t t_ms)
{
	if (g->alone == leaf && g->booked[leaf] == g->left)
		return;
	group_draw(q, g, t_ms);
	group_sum(q, g, t_ms);
	memset(g->booked, 0, sizeof g->booked);
	g->booked[leaf] = g->left;
	g->alone = (uint8_t)leaf;
}

static void group_book(struct queue *q, struct group *g, const int64_t *next, int64_t t_ms)
{
	if (!memcmp(g->booked, next, sizeof g->booked))
		return;
	group_draw(q, g, t_ms);
	group_sum(q, g, t_ms);
	memcpy(g->booked, next, sizeof g->booked);
	g->alone = LEAF_COUNT;
}

/* The stretches of a class laid over its groups. */
static void class_settle(struct queue *q, const struct class *c, int64_t t_ms)
{
	const struct stretch *s = c->stretches.v, *end = c->stretches.n ? s + c->stretches.n : s;
	int64_t at = 0;
	for (uint32_t i = 0; i < c->live_n; i++) {
		struct group *g = &q->groups.v[c->live[i]];
		int64_t to = at + g->left;
		while (s < end && s->end <= at)
			s++;
		if (s == end || s->end >= to) {
			group_book_alone(q, g, s == end ? LEAF_IDLE : s->leaf, t_ms);
			at = to;
			continue;
		}
		int64_t next[LEAF_COUNT] = { 0 };
		for (; s < end && s->end < to; s++) {
			next[s->leaf] += s->end - at;
			at = s->end;
		}
		next[s < end ? s->leaf : LEAF_IDLE] += to - at;
		at = to;
		group_book(q, g, next, t_ms);
	}
}

/* What was divided anew is booked so from now on. */
static void settle(struct queue *q, int64_t t_ms)
{
	for (size_t i = 0; i < q->alone.n; i++)
		group_book_alone(q, &q->groups.v[q->alone.v[i]], LEAF_IDLE, t_ms);
	q->alone.n = 0;
	for (size_t i = 0; i < q->dirty.n; i++) {
		struct component *c = &q->components.v[q->dirty.v[i]];
		take_divide(q, c);
		for (size_t k = 0; k < c->classes.n; k++)
			class_settle(q, &q->classes.v[c->classes.v[k]], t_ms);
		for (size_t k = 0; k < q->moved.n; k++) {
			const struct moved *m = &q->moved.v[k];
			struct group *g = &q->groups.v[m->group];
			int64_t next[LEAF_COUNT];
			memcpy(next, g->booked, sizeof next);
			next[LEAF_RESERVE] -= m->units;
			next[m->leaf] += m->units;
			group_book(q, g, next, t_ms);
		}
		c->is_dirty = false;
	}
	q->dirty.n = 0;
}

static void bucket_open(struct queue *q, int64_t t_ms)
{
	q->bucket = cells_bucket(q->m, t_ms, &q->bucket_end_ms);
}

static void bucket_close(struct queue *q, int64_t t_ms)
{
	for (size_t i = 0; i < q->groups.n; i++) {
		struct group *g = &q->groups.v[i];
		group_sum(q, g, t_ms);
		for (int k = 0; k < LEAF_COUNT; k++) {
			struct cell key = cell_nobody(g->place, leaf_state[k]);
			if (g->sums[k])
				cell_add_units(q->m, &key, q->bucket, g->sums[k]);
			g->sums[k] = 0;
		}
	}
}

/* Time that passed with one division: demand that found nothing, and whether free GPUs were wanted.
 */
static void time_passes(struct queue *q, struct span at)
{
	const struct span *w = &q->m->window;
	int64_t until;
	at.from_ms = at.from_ms > w->from_ms ? at.from_ms : w->from_ms;
	at.to_ms = at.to_ms < w->to_ms ? at.to_ms : w->to_ms;
	if (at.from_ms >= at.to_ms || !seen_covers(q->m, at.from_ms, &until))
		return;
	q->m->out->queue_ms += at.to_ms - at.from_ms;
	q->m->out->wanted_ms += q->wanted ? at.to_ms - at.from_ms : 0;
	for (size_t i = 0; i < q->models.n; i++)
		q->unmet_sum.v[i] += (i128)q->unmet.v[i] * (at.to_ms - at.from_ms);
}

static void queue_sweep(struct queue *q)
{
	size_t n = q->events.n;
	struct keyed *order = mem_alloc(mem_times(n, sizeof *order));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct keyed){ sort_key(q->events.v[i].t_ms), (int64_t)i };
	sort_keyed_loose(order, n);
	int64_t t_ms = n ? sort_unkey(order[0].key) : 0;
	bucket_open(q, t_ms);
	for (size_t i = 0, j; i < n; i = j) {
		t_ms = sort_unkey(order[i].key);
		while (q->bucket_end_ms <= t_ms && q->bucket_end_ms != INT64_MAX) {
			int64_t edge_ms = q->bucket_end_ms;
			bucket_close(q, edge_ms);
			bucket_open(q, edge_ms);
		}
		for (j = i; j < n && order[j].key == order[i].key; j++)
			event_apply(q, &q->events.v[order[j].with]);
		settle(q, t_ms);
		if (j < n)
			time_passes(q, (struct span){ t_ms, sort_unkey(order[j].key) });
	}
	bucket_close(q, t_ms);
	mem_free(order);
}

void queue_meter(struct meter *m)
{
	struct queue q = { .m = m };
	for (uint32_t i = 0; i < m->f->jobs.n && !m->out->has_queue; i++) {
		const struct attempt t = attempt_at(m, i);
		m->out->has_queue =
		        t.is_seen && (t.submit_ms != TIME_UNKNOWN || t.eligible_ms != TIME_UNKNOWN);
	}
	if (!m->out->has_capacity) /* nothing is known to be free, and demand is not unmet by what
	                              is not known */
		return;
	queue_build(&q);
	queue_sweep(&q);
	mix_meter(&q);
	for (size_t i = 0; i < q.models.n; i++)
		if (q.unmet_sum.v[i])
			*vec_push(&m->out->unmets) =
			        (struct unmet){ q.models.v[i], q.unmet_sum.v[i] };
	queue_deinit(&q);
}
