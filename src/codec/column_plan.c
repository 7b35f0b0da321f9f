/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/column.h"
#include "codec/planes.h"
#include "codec/wire.h"

/*
 * Costs are estimates in 1/256 bits. Behind zstd a plane costs its order-0 entropy, but a bit a
 * byte at least (Huffman codes have whole bits), unless it changes so seldom that matches do it.
 */
enum { BIT = 256 };
#define CHANGE_COST (24 * BIT) /* a match: literals, length, offset */
#define RUN_COST (8 * BIT)     /* the length of a run, beside its word */
/* Of fewer words the bytes are not counted: that takes longer than all else, and says little. */
#define COUNTED_MIN 128

struct cost {
	uint64_t dense, sparse, runs;
};

/* What the words of a shape are like. */
struct look {
	uint64_t all;   /* every bit that one of them has */
	uint64_t zeros; /* of the words */
	uint64_t runs;  /* of equal words */
	uint64_t turns; /* from zero to not, and back */
	uint64_t changes[PLANES_WIDTH_MAX];
	uint32_t hist[PLANES_WIDTH_MAX][256];
	unsigned width; /* planes; the rest of changes and hist is not set, nor any of few words */
};

static uint64_t log2_256(uint64_t x)
{
	unsigned e = 63 - (unsigned)__builtin_clzll(x);
	return (uint64_t)e << 8 | ((x << (63 - e) >> 55) & 255);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* x log2(x) */
static uint64_t weight(uint64_t x)
{
	return x ? x * log2_256(x) : 0;
}

/* Of N bytes, whose counts have this sum of weights, and of which only so many differ from the one
   before. */
static uint64_t plane_cost(uint64_t sum, uint64_t n, uint64_t changes)
{
	uint64_t most = weight(n), cost = most - less(most, sum);
	if (cost < n * BIT)
		cost = n * BIT;
	return n ? less(cost, (changes + 1) * CHANGE_COST) : 0;
}

static void look_at(struct look *l, const uint64_t *w, size_t n)
{
	uint64_t all = 0, zeros = 0, runs = 1, turns = 0, before = w[0];
	for (size_t i = 0; i < n; i++) {
		uint64_t x = w[i];
		all |= x;
		zeros += x == 0;
		runs += x != before;
		turns += (x == 0) != (before == 0);
		before = x;
	}
	l->all = all;
	l->zeros = zeros;
	l->runs = runs;
	l->turns = turns;
	l->width = (wire_bits(all) + 7) / 8;
	for (unsigned k = 0; n >= COUNTED_MIN && k < l->width; k++) {
		uint32_t *hist = l->hist[k], changes = 0, last = w[0] >> 8 * k & 255;
		memset(hist, 0, sizeof l->hist[k]);
		for (size_t i = 0; i < n; i++) {
			uint32_t x = w[i] >> 8 * k & 255;
			hist[x]++;
			changes += x != last;
			last = x;
		}
		l->changes[k] = changes;
	}
}

static struct cost cost_zstd(const struct look *l, size_t n)
{
	struct cost c = { .runs = l->runs * (RUN_COST + wire_bits(l->all) * (uint64_t)BIT) };
	if (n < COUNTED_MIN) {
		c.dense = n * l->width * 8 * BIT;
		c.sparse = n * BIT + (n - l->zeros) * l->width * 8 * BIT;
		return c;
	}
	c.sparse = less(n * BIT, (l->turns + 1) * 14 * BIT);
	for (unsigned k = 0; k < l->width; k++) {
		const uint32_t *hist = l->hist[k];
		uint64_t sum = 0;
		for (unsigned b = 0; b < 256; b++)
			sum += weight(hist[b]);
		c.dense += plane_cost(sum, n, l->changes[k]);
		sum -= weight(hist[0]) - weight(hist[0] - l->zeros);
		c.sparse += plane_cost(sum, n - l->zeros, l->changes[k]);
	}
	return c;
}

static struct cost cost_alone(const struct look *l, size_t n)
{
	unsigned bits = wire_bits(l->all);
	if (bits > BITS_WIDTH_MAX)
		bits = 64;
	return (struct cost){ .dense = n * bits * BIT,
		              .sparse = (n + (n - l->zeros) * bits) * BIT,
		              .runs = l->runs * (8 + (bits + 6) / 7 * 8) * BIT };
}

/* The usual distance: none, if that is not rare; one that most have; or the mean. */
static uint64_t centre_of(const uint64_t *k, size_t n)
{
	uint64_t candidate = 0, votes = 0, none = 0, agree = 0;
	for (size_t i = 1; i < n; i++) {
		uint64_t d = k[i] - k[i - 1];
		none += d == 0;
		if (!votes)
			candidate = d;
		votes += d == candidate ? 1 : (uint64_t)-1;
	}
	if (none * 8 >= n)
		return 0;
	for (size_t i = 1; i < n; i++)
		agree += k[i] - k[i - 1] == candidate;
	if (agree * 2 > n - 1)
		return candidate;
	int64_t along = (int64_t)(k[n - 1] - k[0]);
	return (uint64_t)(along / (int64_t)(n - 1));
}

static void take_differences(struct column_room *room, size_t n, uint64_t centre)
{
	const uint64_t *k = room->words[SHAPE_PLAIN];
	uint64_t *d = room->words[SHAPE_DELTA], *dd = room->words[SHAPE_DELTA2];
	d[0] = dd[0] = 0;
	for (size_t i = 1; i < n; i++)
		d[i] = wire_zigzag(k[i] - k[i - 1] - centre);
	if (n > 1)
		dd[1] = 0;
	for (size_t i = 2; i < n; i++)
		dd[i] = wire_zigzag(k[i] - 2 * k[i - 1] + k[i - 2]);
}

/* Names how one shape is best written; its cost. */
static uint64_t settle(struct column_plan *p, unsigned bits, const struct cost *c,
                       enum column_goal goal)
{
	if (!bits)
		return 0; /* PACKING_ZERO */
	bool in_bits = goal == GOAL_ALONE && bits <= BITS_WIDTH_MAX;
	p->packing = in_bits ? PACKING_BITS : PACKING_PLANES;
	p->width = in_bits ? bits : (bits + 7) / 8;
	/* a sparse column takes longer to read: it has to be worth it */
	p->is_sparse = c->sparse + c->sparse / 16 < c->dense;
	uint64_t cost = p->is_sparse ? c->sparse : c->dense;
	if (c->runs < cost) {
		p->packing = PACKING_RUNS;
		p->is_sparse = false;
		p->width = 0;
		cost = c->runs;
	}
	return cost;
}

void column_plan(struct column_room *room, size_t n, struct column_plan ret[GOAL_COUNT])
{
	const uint64_t *k = room->words[SHAPE_PLAIN];
	uint64_t costs[GOAL_COUNT] = { UINT64_MAX, UINT64_MAX }, centre = 0;
	struct look l;
	for (enum column_shape shape = SHAPE_PLAIN; shape < SHAPE_COUNT; shape++) {
		look_at(&l, room->words[shape], n);
		for (enum column_goal goal = GOAL_ZSTD; goal < GOAL_COUNT; goal++) {
			struct column_plan p = { .shape = shape, .packing = PACKING_ZERO };
			struct cost c = goal == GOAL_ZSTD ? cost_zstd(&l, n) : cost_alone(&l, n);
			uint64_t cost = settle(&p, wire_bits(l.all), &c, goal);
			if (shape != SHAPE_PLAIN) {
				p.centre = shape == SHAPE_DELTA ? centre : k[1] - k[0];
				cost += 2 * 16 * BIT; /* two numbers in front */
				cost += cost / 32;
			}
			if (cost < costs[goal]) {
				ret[goal] = p;
				costs[goal] = cost;
			}
		}
		if (n < 2 || !costs[GOAL_ZSTD])
			return;
		if (shape == SHAPE_PLAIN) {
			centre = centre_of(k, n);
			take_differences(room, n, centre);
		}
	}
}

void column_plan_quick(struct column_room *room, size_t n, struct column_plan *ret)
{
	const uint64_t *k = room->words[SHAPE_PLAIN];
	uint64_t *d = room->words[SHAPE_DELTA], centre = n > 1 ? k[1] - k[0] : 0;
	uint64_t all = k[0], far = d[0] = 0;
	for (size_t i = 1; i < n; i++) {
		all |= k[i];
		far |= d[i] = wire_zigzag(k[i] - k[i - 1] - centre);
	}
	bool is_far = wire_bits(far) < wire_bits(all);
	unsigned bits = is_far ? wire_bits(far) : wire_bits(all);
	*ret = (struct column_plan){ .shape = is_far ? SHAPE_DELTA : SHAPE_PLAIN,
		                     .packing = PACKING_ZERO,
		                     .centre = is_far ? centre : 0 };
	if (!bits)
		return;
	ret->packing = bits <= BITS_WIDTH_MAX ? PACKING_BITS : PACKING_PLANES;
	ret->width = bits <= BITS_WIDTH_MAX ? bits : (bits + 7) / 8;
}
