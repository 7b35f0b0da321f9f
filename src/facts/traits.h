/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * traits: what many jobs share, kept once.
 *
 * A dump has hundreds of thousands of jobs and a few thousand kinds of them: the same user of the
 * same team sends the same shape to the same partition again and again. So a job holds one number
 * for all of it (struct job in facts.h), and two jobs of equal traits have equal numbers. Where
 * every job is of its own kind (a key for each run) this costs what holding it in the job would.
 * The lists of words that traits name (kinds of GPU, pools, labels) are kept once too.
 */
#include "base/map.h"

/* Words, one after the other, in traits.lists. Equal lists are at the same place. */
struct word_list {
	uint32_t at, n;
};

struct job_traits {
	sym run; /* key shared by the attempts of a run; 0: none given */
	sym user, team, queue, cluster;
	sym reason;                                    /* the scheduler's word for why it waits */
	struct word_list models, pools;                /* kinds that it accepts; none: any */
	struct word_list labels;                       /* pairs (name, value): 2 * n words */
	uint32_t per_node, cpus, node_count, restarts; /* COUNT_UNKNOWN */
	int64_t priority; /* only of jobs whose own is PRIORITY_WIDE; else 0 */
};

#define JOB_TRAITS_UNKNOWN                              \
	((struct job_traits){ .per_node = UINT32_MAX,   \
	                      .cpus = UINT32_MAX,       \
	                      .node_count = UINT32_MAX, \
	                      .restarts = UINT32_MAX })

struct traits {
	VEC(struct job_traits) v; /* number 1 is the first; 0 is that nothing is known */
	VEC(sym) lists;
	struct name_slot *slots; /* of v, a power of two of them */
	size_t slot_count;
	struct map list_of; /* hash of a list's words and length: 1 + its place */
};

void traits_deinit(struct traits *t);
/* The number of ONE, given now if it is new. */
uint32_t traits_add(struct traits *t, const struct job_traits *one);
/* Where N words stand; they are added if they are new. */
struct word_list traits_list(struct traits *t, const sym *words, uint32_t n);
/* Good until the next traits_add. */
const struct job_traits *traits_at(const struct traits *t, uint32_t number);
