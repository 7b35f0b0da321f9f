/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * setup: when each allocation began to work (ledger.md 3, 9.6; decisions F). One group is one
 * setup: a job on a named slot; all spread claims of a job on a node; all claims of a job on a
 * pool.
 */
#include "account/hold.h"

/* A compute-high stretch under 5 s that touches a gap or an open end: unobserved if it falls into
 * possible setup. */
struct short_high {
	int64_t from_ms, to_ms;
	uint32_t slot, group, next; /* next: of the same group, or NONE */
};

struct setup_group {
	uint32_t job;
	sym place;                /* a slot's device or instance, or a node: IS_NODE */
	int64_t exists_ms;        /* the slot, since then */
	int64_t start_ms, end_ms; /* possible setup is [start, end) */
	uint32_t shorts;          /* first, or NONE */
	bool is_node, is_started, is_heard, is_alone, has_open_end, is_blind;
};

struct setups {
	VEC(struct setup_group) groups;
	VEC(struct short_high) shorts;
	VEC(uint32_t) group_of; /* by claim of the site: index into groups, or NONE */
};

void setup_build(struct meter *m, const struct site *st, const struct holds *h, struct setups *ret);
void setup_reset(struct setups *s);
void setup_deinit(struct setups *s);
/* E.2: a claimant of a shared slot that is known to have no process on it. */
bool setup_is_absent(const struct meter *m, const struct holds *h, const struct elem *e,
                     uint32_t claim);
/* What the group's setup makes of a second: SETUP, UNOBSERVED, or ACTIVE when setup is over. RET:
 * until when. */
enum state setup_state(const struct meter *m, const struct setups *s, uint32_t group,
                       const struct holds *h, const struct elem *e, uint32_t claim, uint32_t slot,
                       int64_t t_ms, int64_t *ret_until_ms);
/* A group of a pool: no readings, so progress or service facts alone decide. */
struct setup_group setup_of_pool(const struct meter *m, uint32_t job, int64_t start_ms);
