/* SPDX-License-Identifier: Apache-2.0 */
#include "account/paint.h"

#include <stdlib.h>

static int stroke_order(const void *x, const void *y)
{
	const struct stroke *a = x, *b = y;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

static void swap(uint32_t *heap, size_t i, size_t j)
{
	uint32_t t = heap[i];
	heap[i] = heap[j];
	heap[j] = t;
}

/* A binary heap of indexes of strokes, the greatest rank on top. */
static void heap_push(uint32_t *heap, size_t *n, const struct stroke *s, uint32_t item)
{
	size_t i = (*n)++;
	heap[i] = item;
	for (; i && s[heap[i]].rank > s[heap[(i - 1) / 2]].rank; i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

static void heap_pop(uint32_t *heap, size_t *n, const struct stroke *s)
{
	heap[0] = heap[--*n];
	for (size_t i = 0;;) {
		size_t best = i, l = 2 * i + 1, r = l + 1;
		if (l < *n && s[heap[l]].rank > s[heap[best]].rank)
			best = l;
		if (r < *n && s[heap[r]].rank > s[heap[best]].rank)
			best = r;
		if (best == i)
			return;
		swap(heap, i, best);
		i = best;
	}
}

static void add(struct painted *p, int64_t from_ms, int64_t to_ms, uint32_t what)
{
	struct stroke *last = p->v.n ? &p->v.v[p->v.n - 1] : NULL;
	if (last && last->to_ms == from_ms && last->what == what)
		last->to_ms = to_ms;
	else
		*vec_push(&p->v) = (struct stroke){ from_ms, to_ms, 0, what };
}

void paint_build(struct stroke *s, size_t n, struct painted *ret)
{
	qsort(s, n, sizeof *s, stroke_order);
	uint32_t *heap = mem_alloc(mem_times(n, sizeof *heap));
	size_t in = 0, next = 0;
	int64_t t = 0;
	while (next < n || in) {
		while (in && s[heap[0]].to_ms <= t)
			heap_pop(heap, &in, s);
		if (!in && next < n)
			t = s[next].from_ms;
		while (next < n && s[next].from_ms <= t) {
			if (s[next].from_ms < s[next].to_ms)
				heap_push(heap, &in, s, (uint32_t)next);
			next++;
		}
		if (!in)
			continue;
		const struct stroke *top = &s[heap[0]];
		if (top->to_ms <= t)
			continue;
		int64_t until = top->to_ms;
		if (next < n && s[next].from_ms < until)
			until = s[next].from_ms;
		add(ret, t, until, top->what);
		t = until;
	}
	mem_free(heap);
}

void paint_deinit(struct painted *p)
{
	vec_deinit(&p->v);
}
