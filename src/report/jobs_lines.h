/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * jobs_lines: what the lines of the jobs report hold in every format for programs.
 */
#include "report/figures.h"
#include "report/report.h"

struct jobs_line {
	struct tally tally;
	struct figures figures;
	i128 active_ms, stalled_ms, unseen_ms; /* sums of the accounts as printed */
};

/* Each line's allocated time and cost (NULL without a price), rounded so that they add up; in A. */
void jobs_round_lines(struct arena *a, const struct report_input *in, i128 **ret_ms,
                      i128 **ret_costs);
void jobs_build_line(const struct report_input *in, const struct job_line *x, i128 ms, i128 cost,
                     struct jobs_line *ret_line);
/* When JOB ended: the planned end of one that runs is none. */
int64_t jobs_end_ms(const struct report_input *in, uint32_t job);
/* jobs_csv.c */
void jobs_write_csv(const struct report_input *in, struct text *t);
