/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * job_lines: the allocated time of each job, in one line: what `tare jobs` sorts and shows.
 *
 * A line is an attempt, as the scheduler lists it; the time of devices that no scheduler spoke of
 * is the implicit job `unscheduled` (ledger.md 4, rule 9), with job NONE. Lines add up to what was
 * allocated. One pass over the cells and one sort: O(cells + lines log lines).
 */
#include "account/group.h"

struct job_line {
	uint32_t job;             /* index into facts.jobs; NONE: unscheduled */
	size_t cells_at, cells_n; /* in job_lines.cells */
	i128 allocated, active, stalled, vacant, unobserved, successful; /* units; active: with
	                                                                    overhead; vacant: with
	                                                                    quiet */
	i128 cost_num, priced; /* money, and the units that have a price */
};

enum job_order {
	JOB_ORDER_ALLOCATED,
	JOB_ORDER_ACTIVE,
	JOB_ORDER_STALLED,
	JOB_ORDER_VACANT,
	JOB_ORDER_UNOBSERVED,
	JOB_ORDER_COST,
	JOB_ORDER_START,
	JOB_ORDER_JOB,
	JOB_ORDER_COUNT
};
extern const char *const job_order_names[JOB_ORDER_COUNT + 1]; /* ends with NULL */

/* Cells that count: under each of BY's keys, one of its comma-separated VALUES. */
struct job_filter {
	struct group_by by;
	struct str values[GROUP_KEYS_MAX];
};

struct job_lines {
	VEC(struct job_line) v;
	uint32_t *cells; /* indexes of the ledger's cells, by line; in A */
	i128 allocated, cost_num, priced;
};

/* WORD is "KEY=VALUE,...". ERR_USAGE. */
enum err_code job_filter_add(struct job_filter *filter, struct str word, struct err *err) NODISCARD;
/* Amounts: largest first; START and JOB: rising. Equal ones in the order of the job list. */
void job_lines_build(struct arena *a, const struct job_filter *filter, enum job_order order,
                     const struct ledger *l, const struct facts *f, const struct cost *c,
                     struct job_lines *ret_lines);
void job_lines_deinit(struct job_lines *x);
