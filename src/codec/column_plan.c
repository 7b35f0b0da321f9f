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

struct cost {
	uint64_t dense, sparse, runs;
	uint64_t most; /* the largest word */
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

/* Of N bytes, HIST of each, of which only so many differ from the one before. */
static uint64_t plane_cost(const uint32_t *hist, uint64_t n, uint64_t changes)
{
	if (!n)
		return 0;
	uint64_t cost = 0, total = log2_256(n);
	for (unsigned b = 0; b < 256; b++)
		if (hist[b])
			cost += hist[b] * (total - less(total, log2_256(hist[b])));
	if (cost < n * BIT)
		cost = n * BIT;
	return less(cost, (changes + 1) * CHANGE_COST);
}

static struct cost cost_zstd(const uint64_t *w, size_t n, uint64_t most, uint64_t runs)
{
	uint32_t hist[PLANES_WIDTH_MAX][256];
	uint64_t changes[PLANES_WIDTH_MAX] = { 0 }, zeros = 0, turns = 0, before = w[0];
	unsigned width = (wire_bits(most) + 7) / 8;
	memset(hist, 0, width * sizeof *hist);
	for (size_t i = 0; i < n; i++) {
		uint64_t x = w[i], differs = x ^ before;
		turns += (x == 0) != (before == 0);
		zeros += x == 0;
		before = x;
		for (unsigned k = 0; k < width; k++, x >>= 8, differs >>= 8) {
			hist[k][x & 255]++;
			changes[k] += (differs & 255) != 0;
		}
	}
	struct cost c = { .most = most };
	for (unsigned k = 0; k < width; k++)
		c.dense += plane_cost(hist[k], n, changes[k]);
	c.sparse = less(n * BIT, (turns + 1) * 14 * BIT);
	for (unsigned k = 0; k < width; k++) {
		hist[k][0] -= (uint32_t)zeros;
		c.sparse += plane_cost(hist[k], n - zeros, changes[k]);
	}
	c.runs = runs * (RUN_COST + wire_bits(most) * (uint64_t)BIT);
	return c;
}

static struct cost cost_alone(const uint64_t *w, size_t n, uint64_t most, uint64_t runs)
{
	uint64_t zeros = 0;
	for (size_t i = 0; i < n; i++)
		zeros += w[i] == 0;
	unsigned bits = wire_bits(most);
	if (bits > BITS_WIDTH_MAX)
		bits = 64;
	return (struct cost){ .dense = n * bits * BIT,
		              .sparse = (n + (n - zeros) * bits) * BIT,
		              .runs = runs * (8 + (bits + 6) / 7 * 8) * BIT,
		              .most = most };
}

static struct cost cost_of(const uint64_t *w, size_t n, enum column_goal goal)
{
	uint64_t most = 0, runs = 1;
	for (size_t i = 0; i < n; i++)
		most |= w[i];
	for (size_t i = 1; i < n; i++)
		runs += w[i] != w[i - 1];
	return goal == GOAL_ZSTD ? cost_zstd(w, n, most, runs) : cost_alone(w, n, most, runs);
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
static uint64_t settle(struct column_plan *p, const struct cost *c, enum column_goal goal)
{
	unsigned bits = wire_bits(c->most);
	p->packing = PACKING_ZERO;
	if (!bits)
		return 0;
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

struct column_plan column_plan(struct column_room *room, size_t n, enum column_goal goal)
{
	const uint64_t *k = room->words[SHAPE_PLAIN];
	struct column_plan best = { .shape = SHAPE_PLAIN };
	struct cost c = cost_of(k, n, goal);
	uint64_t cost = settle(&best, &c, goal);
	if (best.packing == PACKING_ZERO || n < 2)
		return best;
	uint64_t centre = centre_of(k, n);
	take_differences(room, n, centre);
	for (enum column_shape shape = SHAPE_DELTA; shape <= SHAPE_DELTA2; shape++) {
		struct column_plan p = { .shape = shape,
			                 .centre = shape == SHAPE_DELTA ? centre : k[1] - k[0] };
		c = cost_of(room->words[shape], n, goal);
		uint64_t other = settle(&p, &c, goal) + 2 * 16 * BIT; /* two numbers in front */
		if (other + other / 32 < cost) {
			best = p;
			cost = other;
		}
	}
	return best;
}
