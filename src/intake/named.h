/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * named: jobs that are known only because readings of GPUs name them, beside the same jobs as a
 * scheduler tells of them, and from one input to the next.
 *
 * A scheduler's record counts: the readings only say which devices an attempt held, where they name
 * as many as it had. A Slurm job that readings name and no record does goes, if there are records
 * of Slurm's at all: they say what ran (an array's task has another id there). What several inputs
 * name is one job, each device held as long as any of them says.
 */
struct facts;

void named_join(struct facts *f);
