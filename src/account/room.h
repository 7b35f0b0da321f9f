/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * room: what CPUs and memory the running jobs leave on nodes, as steps over time (decisions H.9).
 */
#include "account/meter.h"

#define ROOM_ANY INT64_MAX /* nobody asks: not known, or not what limits jobs there */

/* CPUs in thousandths, memory in MiB: held, wanted or left. */
struct room {
	int64_t cpu_milli, memory_mib;
};

struct room_step { /* holds until the next one */
	int64_t t_ms;
	struct room left;
};

struct room_node {
	struct room size; /* 0: not known */
	uint32_t at, n;   /* in steps; the first holds since ever */
};

struct rooms {
	VEC(struct room_step) steps;
	VEC(struct room_node) nodes;
	struct map node_of; /* sym: 1 + index into nodes */
	VEC(struct room_event) events;
	VEC(uint32_t) hosts; /* nodes of lists that were seen */
	VEC(struct room_list) lists;
	struct map list_of; /* sym of a list: 1 + index into lists */
};

/* First the nodes that are asked for, then all at once. */
void rooms_add(struct rooms *r, sym node);
void rooms_build(struct rooms *r, const struct meter *m);
void rooms_deinit(struct rooms *r);
/* The steps of a node; of one that was not added, none. */
const struct room_step *rooms_of(const struct rooms *r, sym node, uint32_t *ret_n);
/* What a job wants for each EACH of its GPUS; 0: nothing, or not known. */
struct room room_wanted(const struct facts *f, const struct job *j, int64_t gpus, int64_t each);
/* How often WANTED fits into LEFT, but at most MOST times. */
static inline int64_t room_times(struct room left, struct room wanted, int64_t most)
{
	if (wanted.cpu_milli && left.cpu_milli != ROOM_ANY &&
	    left.cpu_milli / wanted.cpu_milli < most)
		most = left.cpu_milli / wanted.cpu_milli;
	if (wanted.memory_mib && left.memory_mib != ROOM_ANY &&
	    left.memory_mib / wanted.memory_mib < most)
		most = left.memory_mib / wanted.memory_mib;
	return most;
}
