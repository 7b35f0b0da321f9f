/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * traits: what many jobs share, kept once.
 *
 * A dump has hundreds of thousands of jobs, of a thousand users with their teams and partitions,
 * in some dozen shapes. Whose a job is and its shape are looked up apart: both tables stay in the
 * cache, while that of all pairs that come up would be thirty times as large and be missed at every
 * row. A job holds one number for its pair (struct job in facts.h); two jobs of equal traits have
 * equal numbers. Where every job is of its own kind (a key for each run) this costs what holding it
 * in the job would.
 */
#include "base/map.h"

/* Words, one after the other, in traits.lists. Equal lists are at the same place. */
struct word_list {
	uint32_t at, n;
};

/* Compared as bytes. Counts: COUNT_UNKNOWN. */
#define TRAITS_OF_OWNER                                                      \
	sym run; /* key shared by the attempts of a run; 0: none given */    \
	sym user, team, queue, cluster;                                      \
	sym reason;              /* the scheduler's word for why it waits */ \
	struct word_list labels; /* pairs (name, value): 2 * n words */
#define TRAITS_OF_SHAPE                                                                     \
	struct word_list models, pools; /* kinds that it accepts; none: any */              \
	uint32_t per_node, cpus, node_count, restarts;                                      \
	/* On all its nodes together; -1: unknown. CPUs: job_cpu_milli(). */                \
	int64_t cpu_milli, memory_mib;                                                      \
	int64_t priority;             /* only of jobs whose own is PRIORITY_WIDE; else 0 */ \
	int64_t share_num, share_den; /* of each GPU that it wants; 0/0: all of it */

struct job_owner {
	TRAITS_OF_OWNER
};
struct job_shape {
	TRAITS_OF_SHAPE
};
struct job_traits {
	union {
		struct job_owner owner;
		struct {
			TRAITS_OF_OWNER
		};
	};
	union {
		struct job_shape shape;
		struct {
			TRAITS_OF_SHAPE
		};
	};
};

#define JOB_TRAITS_UNKNOWN                              \
	((struct job_traits){ .per_node = UINT32_MAX,   \
	                      .cpus = UINT32_MAX,       \
	                      .node_count = UINT32_MAX, \
	                      .restarts = UINT32_MAX,   \
	                      .cpu_milli = -1,          \
	                      .memory_mib = -1 })

/* Where elements that were seen before stand. */
struct once {
	struct name_slot *slots; /* a power of two of them */
	size_t slot_count;
};

struct traits_pair {
	uint32_t owner, shape;
};

/* A number holds both, or says which pair it is: a cluster with more shapes than its bits. */
#define TRAITS_SHAPE_BITS 12
#define TRAITS_OWNER_BITS 19
#define TRAITS_WIDE (1u << 31)

struct traits {
	VEC(struct job_owner) owners; /* the first of both: nothing is known */
	VEC(struct job_shape) shapes;
	struct once owner_of, shape_of;
	VEC(struct traits_pair) pairs;
	VEC(sym) lists;
	struct map list_of; /* hash of a list's words and length: 1 + its place */
};

void traits_deinit(struct traits *t);
/* The number of ONE; 0: nothing is known. */
uint32_t traits_add(struct traits *t, const struct job_traits *one);
/* The same in steps. */
uint32_t traits_add_owner(struct traits *t, const struct job_owner *owner);
uint32_t traits_add_shape(struct traits *t, const struct job_shape *shape);
uint32_t traits_number(struct traits *t, struct traits_pair p);
/* Where N words stand; they are added if they are new. */
struct word_list traits_list(struct traits *t, const sym *words, uint32_t n);

static inline struct traits_pair traits_pair(const struct traits *t, uint32_t number)
{
	if (number & TRAITS_WIDE)
		return t->pairs.v[number & ~TRAITS_WIDE];
	return (struct traits_pair){ number >> TRAITS_SHAPE_BITS,
		                     number & ((1u << TRAITS_SHAPE_BITS) - 1) };
}

static inline struct job_traits traits_at(const struct traits *t, uint32_t number)
{
	struct job_traits ret = JOB_TRAITS_UNKNOWN;
	if (number) {
		const struct traits_pair p = traits_pair(t, number);
		ret.owner = t->owners.v[p.owner];
		ret.shape = t->shapes.v[p.shape];
	}
	return ret;
}
