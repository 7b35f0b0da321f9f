/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/column.h"

#include <assert.h>

#include "base/arena.h"
#include "codec/planes.h"
#include "codec/wire.h"

/* A column may leave so many values out of a share: one in SHARE_REST_PART. */
#define SHARE_REST_PART 8

void column_room_deinit(struct column_room *r)
{
	for (int i = 0; i <= SHAPE_COUNT; i++)
		mem_free(r->words[i]);
	mem_free(r->rests);
	*r = (struct column_room){ 0 };
}

void column_room_reserve(struct column_room *r, size_t n)
{
	if (r->cap >= n)
		return;
	for (int i = 0; i <= SHAPE_COUNT; i++)
		r->words[i] = mem_resize(r->words[i], mem_times(n + 1, sizeof *r->words[i]));
	r->rests = mem_resize(r->rests, mem_times(n, sizeof *r->rests));
	r->cap = n;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* What all of V but the smallest are a multiple of above it; 0 when all are equal. */
static uint64_t step_of(const int64_t *v, size_t n, int64_t smallest)
{
	uint64_t step = 0;
	for (size_t i = 0; i < n && step != 1; i++) {
		uint64_t x = (uint64_t)v[i] - (uint64_t)smallest;
		if (x)
			step = gcd(x, step); /* one division when x is a multiple */
	}
	return step;
}

/* How a column's values become k. */
struct scale {
	int64_t smallest;
	uint64_t step, span; /* span: the largest k */
	bool is_share;
	struct share share;
	uint64_t share_base;
	size_t rests;
};

/* Takes V for a share if that needs fewer bits. */
static void try_share(struct scale *s, const int64_t *v, size_t n, unsigned decimals,
                      struct column_room *room)
{
	struct share share;
	if (s->smallest < 0 || !share_find(v, n, decimals, &share))
		return;
	size_t rest_max = n / SHARE_REST_PART;
	uint64_t *k = room->words[SHAPE_PLAIN], low = UINT64_MAX, high = 0;
	size_t rests = share_split(&share, v, n, k, room->rests, rest_max);
	if (rests > rest_max)
		return;
	for (size_t i = 0; i < n; i++) {
		low = k[i] < low ? k[i] : low;
		high = k[i] > high ? k[i] : high;
	}
	if (wire_bits(high - low) * n + rests * 32 >= wire_bits(s->span) * n)
		return;
	for (size_t i = 0; i < n; i++)
		k[i] -= low;
	s->is_share = true;
	s->share = share;
	s->share_base = low;
	s->rests = rests;
}

static struct scale scale_of(const int64_t *v, size_t n, unsigned decimals,
                             struct column_room *room)
{
	int64_t smallest = v[0], largest = v[0];
	for (size_t i = 1; i < n; i++) {
		smallest = v[i] < smallest ? v[i] : smallest;
		largest = v[i] > largest ? v[i] : largest;
	}
	struct scale s = { .smallest = smallest,
		           .step = room->is_quick ? 1 : step_of(v, n, smallest) };
	if (!s.step)
		s.step = 1;
	s.span = ((uint64_t)largest - (uint64_t)smallest) / s.step;
	if (s.span && !room->is_quick)
		try_share(&s, v, n, decimals, room);
	if (s.is_share)
		return s;
	uint64_t *k = room->words[SHAPE_PLAIN];
	for (size_t i = 0; i < n; i++)
		k[i] = (uint64_t)v[i] - (uint64_t)smallest;
	for (size_t i = 0; s.step > 1 && i < n; i++)
		k[i] /= s.step;
	return s;
}

static void put_runs(struct text *t, const uint64_t *w, size_t n)
{
	uint64_t runs = 1;
	for (size_t i = 1; i < n; i++)
		runs += w[i] != w[i - 1];
	wire_put_varint(t, runs);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && w[end] == w[i];)
			end++;
		wire_put_varint(t, end - i - 1);
	}
	for (size_t i = 0; i < n; i++)
		if (!i || w[i] != w[i - 1])
			wire_put_varint(t, w[i]);
}

static void put_words(struct text *t, const struct column_plan *p, const uint64_t *w, size_t n,
                      uint64_t *kept)
{
	if (p->packing == PACKING_ZERO)
		return;
	if (p->packing == PACKING_RUNS) {
		put_runs(t, w, n);
		return;
	}
	text_byte(t, (char)p->width);
	if (p->is_sparse) {
		n = sparse_put(t, w, n, kept);
		w = kept;
	}
	if (p->packing == PACKING_PLANES)
		planes_put(t, w, n, p->width);
	else
		bits_put(t, w, n, p->width);
}

static void put(struct text *t, const struct scale *s, const struct column_plan *p, size_t n,
                struct column_room *room)
{
	text_byte(t, (char)((unsigned)p->shape | (unsigned)s->is_share << 2 |
	                    (unsigned)p->is_sparse << 3 | (unsigned)p->packing << 4));
	if (s->is_share) {
		wire_put_varint(t, s->share_base);
		text_byte(t, (char)s->share.decimals);
		text_byte(t, (char)s->share.den);
	} else {
		wire_put_varint(t, wire_zigzag((uint64_t)s->smallest));
		wire_put_varint(t, s->step);
	}
	if (p->shape != SHAPE_PLAIN) {
		wire_put_varint(t, room->words[SHAPE_PLAIN][0]);
		wire_put_varint(t, wire_zigzag(p->centre));
	}
	put_words(t, p, room->words[p->shape], n, room->words[SHAPE_COUNT]);
	if (!s->is_share)
		return;
	wire_put_varint(t, s->rests);
	uint32_t before = 0;
	for (size_t i = 0; i < s->rests; i++) {
		wire_put_varint(t, room->rests[i].at - before);
		wire_put_varint(t, room->rests[i].more);
		before = room->rests[i].at;
	}
}

void column_put(struct text *const to[GOAL_COUNT], const int64_t *v, size_t n, unsigned decimals,
                struct column_room *room)
{
	assert(n);
	column_room_reserve(room, n);
	struct scale s = scale_of(v, n, decimals, room);
	struct column_plan plans[GOAL_COUNT];
	if (room->is_quick) {
		column_plan_quick(room, n, &plans[0]);
		plans[1] = plans[0];
	} else {
		column_plan(room, n, plans);
	}
	for (int goal = 0; goal < GOAL_COUNT; goal++)
		if (to[goal])
			put(to[goal], &s, &plans[goal], n, room);
}
