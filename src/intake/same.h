/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * same: an attempt that several inputs tell of is one. Lists of jobs overlap: a job that runs over
 * the end of a month is in both months' dumps, one that runs now is in squeue and in sacct.
 *
 * Rows of *different* inputs are the same attempt where id, submit time, user and cluster agree (as
 * far as both say them), and start and end are equal or one row does not know them yet. For jobs
 * that are not Slurm's and no pods, start, end and GPUs must be known and equal. The row that knows
 * more stays. Rows of one input are never joined.
 */
#include <stddef.h>
#include <stdint.h>

struct facts;

/* ENDS[i]: how many jobs there were after input I. Says so in a note. */
void same_join(struct facts *f, const size_t *ends, size_t n);
/* The same. RET_TO, with room for as many as there are jobs before: where each of them goes on. */
void same_join_to(struct facts *f, const size_t *ends, size_t n, uint32_t *ret_to);
