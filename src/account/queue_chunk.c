/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting jobs in chunks: what a chunk takes is worked out once and holds for many divisions. */
#include <string.h>

#include "account/queue.h"

/* The last chunk that begins at or before WAITER; the first if all begin later. */
static size_t chunk_of(const struct component *c, uint32_t waiter)
{
	size_t lo = 0, hi = c->waiting.n;
	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;
		if (c->waiting.v[mid]->waiters[0] <= waiter)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void list_insert(struct component *c, size_t at, struct chunk *chunk)
{
	(void)vec_push(&c->waiting);
	memmove(c->waiting.v + at + 1, c->waiting.v + at,
	        (c->waiting.n - 1 - at) * sizeof *c->waiting.v);
	c->waiting.v[at] = chunk;
}

static void split(struct component *c, size_t at)
{
	enum { HALF = CHUNK_WAITERS / 2 };
	struct chunk *low = c->waiting.v[at], *high = mem_alloc(sizeof *high);
	*high = (struct chunk){ .waiters_n = low->waiters_n - HALF };
	memcpy(high->waiters, low->waiters + HALF, high->waiters_n * sizeof *high->waiters);
	low->waiters_n = HALF;
	low->is_learnt = false;
	list_insert(c, at + 1, high);
}

void chunk_insert(struct component *c, uint32_t waiter)
{
	if (!c->waiting.n) {
		struct chunk *first = mem_alloc(sizeof *first);
		*first = (struct chunk){ 0 };
		list_insert(c, 0, first);
	}
	size_t at = chunk_of(c, waiter);
	if (c->waiting.v[at]->waiters_n == CHUNK_WAITERS) {
		split(c, at);
		at = chunk_of(c, waiter);
	}
	struct chunk *chunk = c->waiting.v[at];
	uint32_t i = chunk->waiters_n++;
	for (; i && chunk->waiters[i - 1] > waiter; i--)
		chunk->waiters[i] = chunk->waiters[i - 1];
	chunk->waiters[i] = waiter;
	chunk->is_learnt = false;
}

void chunk_remove(struct component *c, uint32_t waiter)
{
	size_t at = chunk_of(c, waiter);
	struct chunk *chunk = c->waiting.v[at];
	uint32_t i = 0;
	while (chunk->waiters[i] != waiter)
		i++;
	chunk->waiters_n--;
	memmove(chunk->waiters + i, chunk->waiters + i + 1,
	        (chunk->waiters_n - i) * sizeof *chunk->waiters);
	chunk->is_learnt = false;
	if (chunk->waiters_n)
		return;
	mem_free(chunk);
	c->waiting.n--;
	memmove(c->waiting.v + at, c->waiting.v + at + 1,
	        (c->waiting.n - at) * sizeof *c->waiting.v);
}

static void learn_kind(struct chunk *x, const struct want *w)
{
	uint32_t i = 0;
	while (i < x->kinds_n && i < CHUNK_KINDS && x->kinds[i].kind != w->kind)
		i++;
	if (i == CHUNK_KINDS) {
		x->kinds_n = CHUNK_KINDS + 1;
		x->is_plain = false;
		return;
	}
	if (i == x->kinds_n)
		x->kinds[x->kinds_n++] = (struct chunk_kind){ .kind = w->kind };
	x->kinds[i].waiters++;
	x->kinds[i].units += w->units;
}

/* Whether the shape fits now, and in which limits that stays so. */
static bool learn_shape(struct chunk *x, const struct want *w, uint32_t class, int64_t fits)
{
	uint32_t i = 0;
	while (i < x->limits_n && (x->limits[i].class != class || x->limits[i].shape != w->shape))
		i++;
	if (i == x->limits_n)
		x->limits[x->limits_n++] = (struct chunk_limit){ class, (uint16_t)w->shape, w->base,
			                                         INT64_MIN, INT64_MAX };
	struct chunk_limit *l = &x->limits[i];
	if (w->need <= fits)
		l->low = w->need > l->low ? w->need : l->low;
	else
		l->high = w->need < l->high ? w->need : l->high;
	return w->need <= fits;
}

/* Classes do not mind each other: only the order within one counts. */
static void learn_step(struct chunk *x, uint32_t class, enum leaf reason, int64_t units)
{
	uint32_t i = x->steps_n, s = 0;
	while (i && x->steps[i - 1].class != class)
		i--;
	if (i && x->steps[i - 1].reason == reason)
		x->steps[i - 1].units += units;
	else
		x->steps[x->steps_n++] = (struct chunk_step){ class, reason, units };
	while (s < x->sums_n && x->sums[s].class != class)
		s++;
	if (s == x->sums_n) /* no more classes than kinds */
		x->sums[x->sums_n++] = (struct chunk_sum){ .class = class };
	x->sums[s].units += units;
}

void chunk_learn(const struct queue *q, struct chunk *x)
{
	x->limits_n = x->sums_n = x->steps_n = x->kinds_n = 0;
	x->is_learnt = x->is_plain = true;
	x->has_entitled = false;
	for (uint32_t i = 0; i < x->waiters_n; i++) {
		const struct want *w = &q->wants[x->waiters[i]];
		const struct kind *k = &q->kinds.v[w->kind];
		x->has_entitled |= w->is_entitled;
		x->is_plain &= !w->is_entitled && k->classes_n == 1 && w->base < BASES_KEPT;
		learn_kind(x, w);
		if (!x->is_plain)
			continue;
		uint32_t class = k->classes[0];
		int64_t fits = class_has(&q->classes.v[class], w->shape, w->base);
		learn_step(x, class,
		           w->is_policy                     ? LEAF_POLICY
		           : learn_shape(x, w, class, fits) ? LEAF_SCHEDULER
		                                            : LEAF_STRANDED,
		           w->units);
	}
}
