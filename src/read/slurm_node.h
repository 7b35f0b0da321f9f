/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * slurm_node: one node of Slurm's, as scontrol or sinfo shows it, to facts: a machine, and one pool
 * of GPUs for each model in it, seen at one instant and taken to hold over all of the scheduler's
 * time; a node that is drained or down since a known time was up before.
 */
#include "facts/facts.h"

struct zone; /* parse/zone.h */

/* Rising: of several words the greatest counts. */
enum slurm_node_class {
	SLURM_NODE_UP,
	SLURM_NODE_DRAINING,
	SLURM_NODE_PLANNED,
	SLURM_NODE_STARTING,
	SLURM_NODE_GONE,
	SLURM_NODE_ABSENT
};

/* "IDLE+DRAIN", "MIXED*", "drained$", "mix-", "down*+DRAIN"; false: not a node's state. */
bool slurm_node_state(struct str word, enum slurm_node_class *ret);

struct slurm_node {
	struct str name, partition; /* partition: all of them, "a,b" */
	struct str gres;            /* or configured TRES; p NULL: not told */
	struct str state;
	uint32_t cpus; /* COUNT_UNKNOWN */
	/* What jobs can have; -1: unknown, of CPUs then as CPUS says. */
	int64_t cpu_milli, memory_mib;
	int64_t since_ms; /* when the state began; TIME_UNKNOWN */
	int64_t at_ms;    /* when this was seen; TIME_UNKNOWN */
};

/* What a node's CPUs and memory (MiB) are said to be, as text; each may be empty. KEPT: of it for
   the system, so jobs cannot have it. */
struct slurm_room {
	struct str cpus, cpus_for_jobs, memory, memory_kept;
};
void slurm_node_room(struct slurm_node *n, struct slurm_room room);
/* False: NAME, STATE or GRES is none; nothing was added, RET_WHY says what. */
bool slurm_node_add(struct facts *f, const struct slurm_node *n, struct str source,
                    const char **ret_why);
/* The time in "Not responding [slurm@2026-11-30T12:00:00]"; TIME_UNKNOWN. */
int64_t slurm_node_since(struct str reason, const struct zone *zone);
