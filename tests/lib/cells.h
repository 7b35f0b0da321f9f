/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cells: a ledger made by hand, for the tests of what is computed from one.
 *
 *     struct cells c;
 *     cells_begin(&c);
 *     cells_add(&c, cells_place(&c, "H100"), cells_job(&c, "j", OUTCOME_COMPLETED), 0,
 *               STATE_ACTIVE, FATE_PRODUCTIVE, 2 * UNITS_PER_HOUR);
 *     ... c.l, c.f ...
 *     cells_end(&c);
 */
#include "account/tally.h"

struct cells {
	struct arena a;
	struct facts f;
	struct ledger l;
	uint32_t run_of[64];
	uint8_t outcome_of[64];
};

/* Window: two hours, two buckets of one hour, everything known. */
void cells_begin(struct cells *c);
void cells_end(struct cells *c);
uint32_t cells_place(struct cells *c, const char *model);
/* A job of 1 GPU that started and ended in the window; its own run. */
uint32_t cells_job(struct cells *c, const char *id, enum outcome outcome);
struct cell *cells_add(struct cells *c, uint32_t place, uint32_t job, uint32_t bucket,
                       enum state state, enum fate fate, int64_t units);
struct price *cells_price(struct cells *c, const char *model, int64_t num, int64_t den);
