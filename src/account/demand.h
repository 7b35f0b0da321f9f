/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * demand: how many GPUs were wanted at once, allocated and waiting together: a step function over
 * the jobs. A job wants its GPUs from when it is eligible until it ends.
 */
#include "account/ledger.h"

#define DEMAND_ANY_MODEL NONE

struct demand_events;

struct demand {
	double p50, p95, max; /* GPUs; the quantiles are weighted by time */
	double coverage;      /* share of jobs that say how many GPUs they want, and since when */
};

/* JOBS: indexes of the jobs that count; NULL: all. In A. */
struct demand_events *demand_events(struct arena *a, const struct ledger *l, const struct facts *f,
                                    const uint32_t *jobs, size_t jobs_n);
/* Models in the events, rising, without doubles; 0 stands for "not said". */
const sym *demand_models(const struct demand_events *e, size_t *ret_n);
/* MODEL: a sym, 0 for jobs that name none or several, DEMAND_ANY_MODEL for all. Spans of one model
   that are asked for in order of time cost one walk over the events together. */
void demand_of(struct demand_events *e, sym model, struct span span, struct demand *ret);
