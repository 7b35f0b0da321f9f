/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The division of what is free at one instant: reserves first, then the waiting jobs in queue order
 * (decisions H.4 to H.7). A job costs a few comparisons: classes are taken from the front, so
 * nothing is looked for; a job whose kind has nothing left is passed over; when all kinds are so,
 * nobody else is asked.
 */
#include "account/queue.h"

static int64_t class_left(const struct class *c)
{
	return c->left - c->taken;
}

int64_t take_left(const struct queue *q, const struct kind *k)
{
	int64_t left = 0;
	for (uint32_t i = 0; i < k->classes_n; i++)
		left += class_left(&q->classes.v[k->classes[i]]);
	return left;
}

/* The same, but no further than to see that it is ENOUGH. */
static int64_t left_upto(const struct queue *q, const struct kind *k, int64_t enough)
{
	int64_t left = 0;
	for (uint32_t i = 0; i < k->classes_n && left < enough; i++)
		left += class_left(&q->classes.v[k->classes[i]]);
	return left;
}

static void class_take(struct class *c, int64_t part, enum leaf reason)
{
	enum leaf leaf = c->counted && reason != LEAF_RESERVE ? LEAF_BLOCKED : reason;
	size_t n = c->stretches.n;
	c->taken += part;
	if (n && c->stretches.v[n - 1].leaf == leaf)
		c->stretches.v[n - 1].end = c->taken;
	else
		*vec_push(&c->stretches) = (struct stretch){ c->taken, leaf };
}

/* The group that is next in a class that has something left. */
static uint32_t class_front(const struct queue *q, struct class *c)
{
	while (c->front_end <= c->taken)
		c->front_end += q->groups.v[c->live[++c->front]].left;
	return c->live[c->front];
}

/* Of a kind's classes that have something left, the one with the first group in order, or NULL. */
static struct class *class_next(const struct queue *q, const struct kind *k)
{
	struct class *next = NULL;
	uint32_t first = NONE;
	for (uint32_t i = 0; i < k->classes_n; i++) {
		struct class *c = &q->classes.v[k->classes[i]];
		if (!class_left(c))
			continue;
		uint32_t front = class_front(q, c);
		if (front < first)
			first = front, next = c;
	}
	return next;
}

/* Takes up to WANTS, in group order; returns what is still wanted. RESERVE: for which reservation,
   or NONE. */
static int64_t take(struct queue *q, const struct kind *k, int64_t wants, enum leaf reason,
                    uint32_t reserve)
{
	if (k->classes_n == 1 && reserve == NONE) {
		struct class *c = &q->classes.v[k->classes[0]];
		int64_t part = wants < class_left(c) ? wants : class_left(c);
		if (part > 0)
			class_take(c, part, reason);
		return wants - part;
	}
	for (struct class *c; wants > 0 && (c = class_next(q, k));) {
		uint32_t group = class_front(q, c);
		int64_t part = c->front_end - c->taken;
		part = wants < part ? wants : part;
		if (reserve != NONE)
			*vec_push(&q->reserved) = (struct reserved){ reserve, group, part };
		class_take(c, part, reason);
		wants -= part;
	}
	return wants;
}

static void reserves_take(struct queue *q, const struct component *c)
{
	q->reserved.n = 0;
	for (size_t i = 0; i < c->reserves.n; i++) {
		uint32_t at = c->reserves.v[i];
		const struct reserve_state *r = &q->reserves.v[at];
		const struct reserve *reserve = &q->m->f->reserves.v[at];
		int64_t wants = (int64_t)reserve->gpus * GRID - r->held;
		if (r->is_on && wants > 0)
			take(q, &q->kinds.v[r->kind], wants, LEAF_RESERVE,
			     reserve->is_reservation ? at : NONE);
	}
}

static bool is_for(const struct queue *q, const struct reserved *r, const struct waiter *w)
{
	const struct facts *f = q->m->f;
	return r->units && queue_entitles(f, &f->reserves.v[r->reserve], &f->jobs.v[w->job]) &&
	       queue_accepts(q, &q->kinds.v[w->kind], &q->groups.v[r->group]);
}

static int64_t reserved_left(const struct queue *q, const struct waiter *w)
{
	int64_t left = 0;
	for (size_t i = 0; i < q->reserved.n; i++)
		left += is_for(q, &q->reserved.v[i], w) ? q->reserved.v[i].units : 0;
	return left;
}

/* What the reservation of an entitled job has set aside in groups it accepts becomes the job's. */
static int64_t take_reserved(struct queue *q, const struct waiter *w, enum leaf reason,
                             int64_t need)
{
	for (size_t i = 0; i < q->reserved.n && need > 0; i++) {
		struct reserved *r = &q->reserved.v[i];
		if (!is_for(q, r, w))
			continue;
		int64_t part = need < r->units ? need : r->units;
		*vec_push(&q->moved) = (struct moved){
			r->group, q->groups.v[r->group].counted ? LEAF_BLOCKED : reason, part
		};
		r->units -= part;
		need -= part;
	}
	return need;
}

/* H.7: whether the true free devices of each node hold it, before anybody took any. */
static bool has_shape(const struct queue *q, const struct kind *k, const struct want *w)
{
	int64_t fits = 0;
	for (uint32_t i = 0; i < k->classes_n && fits < w->need; i++) {
		const struct class *c = &q->classes.v[k->classes[i]];
		if (w->base < BASES_KEPT) {
			fits += class_has(c, w->shape, w->base);
			continue;
		}
		for (uint32_t g = 0; g < c->live_n; g++)
			fits += class_fits(q, &q->groups.v[c->live[g]], &q->shapes.v[w->shape]);
	}
	return fits >= w->need;
}

/* H.6. Returns what the job got. */
static int64_t ask(struct queue *q, uint32_t waiter, int64_t left)
{
	const struct want *w = &q->wants[waiter];
	const struct waiter *full = &q->waiters.v[waiter];
	const struct kind *k = &q->kinds.v[w->kind];
	bool is_entitled = w->is_entitled && q->reserved.n;
	if (is_entitled)
		left += reserved_left(q, full);
	if (!left)
		return 0;
	enum leaf reason = w->is_policy          ? LEAF_POLICY
	                   : w->units > left     ? LEAF_GANG
	                   : !has_shape(q, k, w) ? LEAF_STRANDED
	                                         : LEAF_SCHEDULER;
	int64_t need = is_entitled ? take_reserved(q, full, reason, w->units) : w->units;
	return w->units - (need ? take(q, k, need, reason, NONE) : 0);
}

/* Returns how many kinds have both something left and somebody waiting. */
static uint32_t divide_begin(struct queue *q, const struct component *c)
{
	uint32_t alive = 0;
	for (size_t i = 0; i < c->classes.n; i++) {
		struct class *class = &q->classes.v[c->classes.v[i]];
		class->taken = 0;
		class->front = 0;
		class->front_end = class->live_n ? q->groups.v[class->live[0]].left : 0;
		class->stretches.n = 0;
	}
	q->moved.n = 0;
	reserves_take(q, c);
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct kind *k = &q->kinds.v[c->kinds.v[i]];
		if (k->model != NONE)
			q->unmet.v[k->model] += k->met;
		k->met = 0;
		k->todo = k->waiting;
		k->nothing_at = left_upto(q, k, 1) ? NONE : 0;
		alive += k->todo && k->nothing_at == NONE;
	}
	return alive;
}

static bool chunk_is_current(const struct queue *q, const struct chunk *x)
{
	for (uint32_t i = 0; i < x->limits_n && x->is_learnt && x->is_plain; i++) {
		const struct chunk_limit *l = &x->limits[i];
		int64_t fits = class_has(&q->classes.v[l->class], l->shape, l->base);
		if (fits < l->low || fits >= l->high)
			return false;
	}
	return x->is_learnt;
}

static bool chunk_has_enough(const struct queue *q, const struct chunk *x)
{
	for (uint32_t i = 0; i < x->sums_n; i++)
		if (class_left(&q->classes.v[x->sums[i].class]) < x->sums[i].units)
			return false;
	return x->is_plain;
}

/* Nothing is left for any of them. */
static bool chunk_is_late(const struct queue *q, const struct chunk *x)
{
	if (x->kinds_n > CHUNK_KINDS || (x->has_entitled && q->reserved.n))
		return false;
	for (uint32_t i = 0; i < x->kinds_n; i++)
		if (q->kinds.v[x->kinds[i].kind].nothing_at == NONE)
			return false;
	return true;
}

/* All of them get what they want. */
static void chunk_take(struct queue *q, const struct chunk *x, uint32_t *alive)
{
	for (uint32_t i = 0; i < x->steps_n; i++)
		class_take(&q->classes.v[x->steps[i].class], x->steps[i].units, x->steps[i].reason);
	for (uint32_t i = 0; i < x->kinds_n; i++) {
		struct kind *k = &q->kinds.v[x->kinds[i].kind];
		k->met += x->kinds[i].units;
		k->todo -= x->kinds[i].waiters;
		*alive -= !k->todo;
	}
}

static bool chunk_ask(struct queue *q, const struct chunk *x, uint32_t *alive)
{
	bool is_wanted = false;
	for (uint32_t i = 0; i < x->waiters_n && (*alive || q->reserved.n); i++) {
		uint32_t waiter = x->waiters[i];
		const struct want *w = &q->wants[waiter];
		struct kind *k = &q->kinds.v[w->kind];
		int64_t left = 0;
		k->todo--;
		if (k->nothing_at == NONE) {
			left = left_upto(q, k, w->units);
			k->nothing_at = left ? NONE : waiter;
			*alive -= !left || !k->todo;
		}
		if (!left && !w->is_entitled)
			continue;
		int64_t got = ask(q, waiter, left);
		is_wanted |= got > 0;
		k->met += got;
	}
	return is_wanted;
}

void take_divide(struct queue *q, struct component *c)
{
	uint32_t alive = divide_begin(q, c);
	bool is_wanted = false;
	for (size_t i = 0; i < c->waiting.n && (alive || q->reserved.n); i++) {
		struct chunk *x = c->waiting.v[i];
		if (x->is_learnt && chunk_is_late(q, x))
			continue; /* TODO counts what is still to come only of kinds that live */
		if (!chunk_is_current(q, x))
			chunk_learn(q, x);
		if (chunk_has_enough(q, x)) {
			chunk_take(q, x, &alive);
			is_wanted = true;
			continue;
		}
		is_wanted |= chunk_ask(q, x, &alive);
	}
	for (size_t i = 0; i < c->kinds.n; i++) {
		const struct kind *k = &q->kinds.v[c->kinds.v[i]];
		if (k->model != NONE)
			q->unmet.v[k->model] -= k->met;
	}
	q->wanted += (uint32_t)is_wanted - (uint32_t)c->is_wanted;
	c->is_wanted = is_wanted;
}
