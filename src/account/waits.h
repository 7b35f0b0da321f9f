/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * waits: how long jobs with GPUs waited, by how many they asked for and by team (ledger.md 8).
 * start - eligible (submit where that is not known) of jobs that started in the window. Sizes are
 * those of the Philly traces: 1, 2 to 4, 5 to 8, more.
 */
#include "account/ledger.h"

enum wait_size { WAIT_1, WAIT_2_TO_4, WAIT_5_TO_8, WAIT_9_UP, WAIT_SIZES };
extern const char *const wait_size_names[WAIT_SIZES];

struct wait_row {
	sym team;                   /* 0: none is known; of sizes: 0 */
	enum wait_size size;        /* of teams: 0 */
	size_t started;             /* in the window */
	size_t known;               /* of them, since when they waited */
	size_t waiting;             /* still, at as_of */
	double p50, p95, max, mean; /* seconds; only if KNOWN */
};

enum wait_size wait_size_of(uint32_t gpus); /* at least 1 */
/* By size, all of them; in A. */
const struct wait_row *waits_by_size(struct arena *a, const struct ledger *l,
                                     const struct facts *f);
/* By team, those with most jobs first, then by name; in A. */
const struct wait_row *waits_by_team(struct arena *a, const struct ledger *l, const struct facts *f,
                                     size_t *ret_n);
