/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * census: how much the inputs speak of: machines, GPUs, jobs. Counts of facts, whatever their time;
 * what a list without times (an inventory of nodes) has to say.
 */
#include "facts/facts.h"

struct census {
	uint64_t nodes, gpu_nodes, gpus,
	        models; /* machines that are listed; with a GPU; kinds of GPU */
	uint64_t jobs, gpu_jobs,
	        waiting_jobs; /* attempts; that want or hold a GPU; without a start */
	uint64_t untold_jobs; /* of which nobody says whether they have GPUs */
	uint64_t services;    /* different names of service jobs */
};

struct census census_count(const struct facts *f);
