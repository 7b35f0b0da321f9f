/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sited: GPUs that readings name and machines whose GPUs a scheduler counts, once all inputs are
 * there.
 *
 * Readings that do not say which machine they are of are of the only one that anybody names. On a
 * node that is known by a count the GPUs that are read take the places of as many counted ones, and
 * what is left of the count gets names of its own: the node is paid for once. A job that holds GPUs
 * by their numbers (Slurm's IDX) holds the devices with those numbers.
 */
#include <stdbool.h>

struct facts;

/* IS_SEVERAL: inputs. What a single one leaves open stays so. */
void sited_join(struct facts *f, bool is_several);
