/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * queue: what the sweep over free time works on (ledger.md 4 rule 11, 9.14, 9.15; decisions H).
 * queue_build.c fills it from the facts, queue.c sweeps it.
 */
#include "account/meter.h"

enum leaf {
	LEAF_RESERVE,
	LEAF_STRANDED,
	LEAF_GANG,
	LEAF_POLICY,
	LEAF_SCHEDULER,
	LEAF_BLOCKED,
	LEAF_IDLE,
	LEAF_COUNT
};

/* Free units that are booked together: of one model on one node, or of one counted pool. */
struct group {
	sym model, pool, node;
	uint32_t partitions_at, partitions_n; /* of the node, in queue.partitions */
	bool counted, has_partitions; /* has: the inputs say which partitions the node is in */
	uint32_t place;
	int64_t left, device_units; /* free now; of devices without MIG */
	uint32_t whole, spread, exhausted;
	int64_t booked[LEAF_COUNT], next[LEAF_COUNT]; /* as of SINCE; what this instant asks for */
	int64_t since_ms;
	VEC(uint32_t)
	on; /* free parts now, by slot: of slots that read energy and their neighbours */
	int64_t drawn_ms; /* energy is booked until here */
	bool is_touched;
};

enum { SHAPES_KEPT = 17 };

/* Kinds that some waiting job or reserve accepts. */
struct kind {
	const struct names *names;
	const sym *models, *pools;
	uint32_t models_n, pools_n;
	struct str partitions; /* a Slurm job's, "a,b"; empty: any */
	uint32_t *groups;      /* in group order */
	uint32_t groups_n;
	uint32_t *live; /* of GROUPS, those with something free now, in the same order */
	uint32_t live_n;
	uint64_t empty_at; /* the instant at which nothing of it was left */
	uint64_t left_at;  /* the instant that LEFT and FIRST are of */
	int64_t left;
	uint32_t first; /* of LIVE, the first that may have something left */
	uint64_t fits_at[SHAPES_KEPT];
	int64_t fits[SHAPES_KEPT]; /* by GPUs a node */
};

struct waiter {
	int64_t from_ms, to_ms, priority, eligible_ms, submit_ms, wants;
	struct str id;
	uint32_t job, kind, model; /* model: index into models, or NONE */
};

enum event_type { EVENT_FREE, EVENT_WAIT, EVENT_RESERVE, EVENT_EXHAUSTED, EVENT_HELD, EVENT_TICK };

struct event {
	int64_t t_ms;
	uint32_t what;
	int32_t by;
	enum event_type type;
};

struct reserved {
	uint32_t reserve, group;
	int64_t units;
};

struct reserve_state {
	uint32_t kind;
	bool is_on;
	int64_t held; /* by the reservation's own jobs */
};

struct queue {
	struct meter *m;
	VEC(struct group) groups;
	VEC(struct kind) kinds;
	VEC(struct str) partitions; /* single ones, of all nodes */
	VEC(struct waiter) waiters; /* in queue order */
	VEC(uint32_t) waiting;      /* sorted indexes of waiters */
	VEC(struct event) events;
	VEC(uint32_t) touched;         /* groups to look at after this instant */
	VEC(uint32_t) open;            /* kinds whose LEFT is of this instant */
	VEC(struct reserved) reserved; /* set aside in this instant for reservations */
	VEC(struct reserved) held;     /* claims of their own jobs: group is the claim */
	VEC(struct reserve_state) reserves;
	VEC(sym) models;    /* that jobs name */
	VEC(int64_t) unmet; /* by model: units wanted now */
	VEC(i128) unmet_sum;
	uint32_t *group_of_part; /* by free part */
	struct map node_of;      /* sym of a node: 1 + the last of its entries in facts.nodes */
	uint32_t *next_node;     /* by entry: another of the same node, or NONE */
	int64_t left;            /* of all groups */
	uint64_t instant;
};

/* Groups, waiting jobs, reserves, exhausted nodes and the events of all of them. */
void queue_build(struct queue *q);
void queue_deinit(struct queue *q);
/* Whether a kind accepts what a group has; whether a reservation is the job's own. */
bool queue_accepts(const struct queue *q, const struct kind *k, const struct group *g);
bool queue_entitles(const struct facts *f, const struct reserve *r, const struct job *j);
