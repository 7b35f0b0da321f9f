/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hold: who has how many units of each slot of one site, instant by instant, beside the piece that
 * speaks for it.
 */
#include "account/meter.h"

struct hold {
	uint32_t claim, weight;
};

/* A stretch of one slot in which nothing of it changes. Only paid time is here. */
struct elem {
	int64_t from_ms, to_ms;
	uint32_t piece, run;        /* NONE: gap */
	uint32_t holds_at, holds_n; /* in holds, in key order */
	uint32_t left;              /* units that nobody claims */
	enum capacity_state state;
	bool gone, is_unseen;
	bool is_shared; /* claimed by two or more different jobs */
	bool has_spread;      /* the site has a spread claim now */
};

/* Pieces of one kind on end, whoever held the slot (E.10). */
struct run {
	int64_t from_ms, to_ms;
	uint8_t kind;
	bool left_known, right_known; /* the neighbour touches and is of another, known class */
};

struct part_of_slot {
	uint32_t slot, elems_at, elems_n;
};

struct holds {
	VEC(struct elem) elems;
	VEC(struct hold) holds;
	VEC(struct run) runs;
	VEC(struct part_of_slot) parts; /* by slot of the site: where its elems are */
};

/* Sorts the site's claims into key order, then fills RET. */
void hold_build(struct meter *m, struct site *st, struct holds *ret);
/* Whether spread claims of the site reach the slot (D.2). */
bool hold_is_member(const struct meter *m, const struct site *st, uint32_t slot);
void hold_reset(struct holds *h); /* keeps the memory */
void hold_deinit(struct holds *h);
