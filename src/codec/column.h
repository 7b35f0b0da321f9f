/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * column: N whole numbers as bytes. What a column is made of, each step undone by the reader:
 *
 *     value -> k      less the smallest, divided by a common step; or the numerator of an average
 *                     (share.h)
 *     k -> word       k itself; how far each is from the one before, less the usual distance; or
 * how much that distance changed. Differences of either sign as zigzag words           all zero
 * (nothing is written), byte planes, bits, or runs of equal words; planes and bits also sparse: a
 * map of the zeros, and the others
 *
 * All arithmetic is modulo 2^64, so any int64 comes back, the extremes too.
 *
 * Bytes: HEAD = shape | is_share << 2 | is_sparse << 3 | packing << 4, then
 *     varint zigzag(smallest), varint step            or, of a share:
 *     varint smallest k, byte decimals, byte den
 *     of a shape with differences: varint k[0], varint zigzag(usual distance; DELTA2: k[1] - k[0])
 *     ZERO nothing | PLANES, BITS: byte width, map if sparse, words | RUNS: varint number of runs,
 *     for each varint length - 1, then for each varint word
 *     of a share: varint number of rests, for each varint rows since the last, varint rest
 */
#include "base/err.h"
#include "base/text.h"
#include "codec/share.h"

enum column_shape { SHAPE_PLAIN, SHAPE_DELTA, SHAPE_DELTA2, SHAPE_COUNT };
enum column_packing { PACKING_ZERO, PACKING_PLANES, PACKING_BITS, PACKING_RUNS };

/* What comes after: zstd over all columns, which planes suit, or nothing, where bits are fewer. */
enum column_goal { GOAL_ZSTD, GOAL_ALONE, GOAL_COUNT };

/* Room to work in, kept from one column to the next. All zero is a new one. */
struct column_room {
	uint64_t *words[SHAPE_COUNT + 1];
	struct share_rest *rests;
	size_t cap;
	bool is_quick; /* both texts are alone, and little is tried */
};

void column_room_deinit(struct column_room *r);
void column_room_reserve(struct column_room *r, size_t n);

/* Appends V[0, N) to each of the two texts, by its goal; NULL: not wanted. DECIMALS: V is in units
   of 10^-DECIMALS; 0 when that means nothing. */
void column_put(struct text *const to[GOAL_COUNT], const int64_t *v, size_t n, unsigned decimals,
                struct column_room *room);
/* All of IN to V[0, N), N at least 1. ERR_INPUT: IN is no column of N; V is then anything. */
enum err_code column_get(struct str in, int64_t *v, size_t n, struct column_room *room,
                         struct err *err) NODISCARD;

/* How the words of a column are written (column_plan.c). */
struct column_plan {
	enum column_shape shape;
	enum column_packing packing;
	bool is_sparse;
	unsigned width;  /* bytes of PLANES, bits of BITS */
	uint64_t centre; /* the usual distance of DELTA; k[1] - k[0] of DELTA2 */
};

/* ROOM->words[SHAPE_PLAIN] holds the column's k; the words of the other shapes are made beside it,
   and the cheapest is named for each goal. */
void column_plan(struct column_room *room, size_t n, struct column_plan ret[GOAL_COUNT]);
/* The same of a column that is read again soon: k itself or its distances, in bits. */
void column_plan_quick(struct column_room *room, size_t n, struct column_plan *ret);
