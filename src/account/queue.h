/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * queue: what the sweep over free time works on (ledger.md 4 rule 11, 9.14, 9.15; decisions H).
 * queue_build.c fills it from the facts, queue.c sweeps it.
 */
#include "account/fragment.h"
#include "account/room.h"

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

enum { BASES_KEPT = 32, SHAPES_KEPT = 1024 };

/* So many GPUs, or portions of SHARE units, on one node (H.7). */
struct base {
	int64_t each, share;
	struct room most; /* that a shape of it wants */
};

/* What a waiting job wants of a node: that, and CPUs and memory beside it (H.9). */
struct shape {
	int64_t each, share;
	struct room wants;
	uint32_t base;
};

/* Free units that are booked together: of one model on one node, or of one counted pool. */
struct group {
	sym model, pool, node;
	uint32_t partitions_at, partitions_n; /* of the node, in queue.partitions */
	bool counted, has_partitions; /* has: the inputs say which partitions the node is in */
	uint32_t place, class;        /* class NONE: no kind accepts it */
	int64_t left, device_units;   /* free now; of devices without MIG */
	int64_t fits[BASES_KEPT];     /* its part of its class's */
	uint32_t *short_of;           /* the same; NULL: there was always room enough */
	bool is_short;                /* some of SHORT_OF is not 0 */
	struct room left_room;        /* now */
	uint32_t whole, spread, exhausted;
	/* What its free units are booked as since SINCE. Mostly one account: then ALONE is it. */
	int64_t booked[LEAF_COUNT];
	int64_t since_ms;
	uint8_t alone;            /* enum leaf; LEAF_COUNT: several, or none */
	int64_t sums[LEAF_COUNT]; /* units x ms of this bucket, up to SINCE */
	VEC(uint32_t)
	on; /* free parts now, by slot: of slots that read energy and their neighbours */
	int64_t drawn_ms; /* energy is booked until here */
};

/* Units of a class from where the stretch before ends to END are booked as LEAF. */
struct stretch {
	int64_t end;
	enum leaf leaf;
};

/* Groups that the same kinds accept. Whoever takes from them takes in group order, so what is taken
   is a stretch from the front, and only how far it goes has to be kept. */
struct class
{
	uint32_t component;
	bool counted;
	int64_t left;             /* free now */
	int64_t fits[BASES_KEPT]; /* how often a base is free, by queue.bases */
	int64_t *short_of;        /* by shape: less often, for want of room; NULL: never */
	uint32_t *groups, groups_n;
	uint32_t *live, live_n; /* of GROUPS, those with something free now, in the same order */
	/* Of the newest division: */
	int64_t taken, front_end;
	uint32_t front; /* of LIVE, where TAKEN is; its last unit is FRONT_END */
	VEC(struct stretch) stretches;
};

/* What some waiting job or reserve accepts. */
struct kind {
	const struct names *names;
	const sym *models, *pools;
	uint32_t models_n, pools_n;
	struct str partitions;      /* a Slurm job's, "a,b"; empty: any */
	uint32_t *groups, groups_n; /* in group order */
	uint32_t *classes, classes_n;
	uint32_t component, model; /* model: index into models, or NONE */
	uint32_t waiting;          /* jobs of it now */
	/* Of the newest division: */
	int64_t met;
	uint32_t todo;       /* waiting jobs of it that were not asked */
	uint32_t nothing_at; /* from this waiter on nothing was left of it; NONE: there was */
};

enum { CHUNK_WAITERS = 32, CHUNK_LIMITS = CHUNK_WAITERS, CHUNK_KINDS = 24 };

/* A few waiting jobs that follow each other, and what they take together where there is enough for
   all of them. That holds if each accepts one class only (PLAIN), and until a shape of theirs fits
   that did not, or no longer. */
struct chunk {
	uint32_t waiters_n, limits_n, sums_n, steps_n, kinds_n;
	bool is_learnt, is_plain, has_entitled;
	uint32_t waiters[CHUNK_WAITERS]; /* sorted */
	struct chunk_limit {
		uint32_t class;
		uint16_t shape, base; /* one that is kept */
		int64_t low, high;    /* LOW <= fits < HIGH */
	} limits[CHUNK_LIMITS];
	struct chunk_sum {
		uint32_t class;
		int64_t units;
	} sums[CHUNK_KINDS];
	struct chunk_step {
		uint32_t class;
		enum leaf reason;
		int64_t units;
	} steps[CHUNK_WAITERS];
	struct chunk_kind {
		uint32_t kind, waiters;
		int64_t units;
	} kinds[CHUNK_KINDS]; /* more: kinds_n is CHUNK_KINDS + 1 */
};

/* Kinds that compete: no group is of two components, so each is divided by itself, and again only
   when something of it changed. */
struct component {
	VEC(uint32_t) kinds;
	VEC(uint32_t) classes;
	VEC(uint32_t) reserves;
	VEC(struct chunk *) waiting; /* in queue order; none is empty */
	bool is_dirty, is_wanted;
};

struct waiter {
	int64_t from_ms, to_ms, priority, eligible_ms, submit_ms, units;
	struct str id;
	uint32_t job, kind;
};

/* What a division asks of a waiter; apart from the rest, since it asks a thousand times. */
struct want {
	int64_t units;
	uint32_t kind;
	uint32_t need;               /* so many times its shape */
	uint32_t shape;              /* index into shapes */
	uint16_t base;               /* its base, of a shape that is kept; else BASES_KEPT */
	bool is_policy, is_entitled; /* entitled to some reservation */
};

enum event_type {
	EVENT_FREE,
	EVENT_WAIT,
	EVENT_RESERVE,
	EVENT_EXHAUSTED,
	EVENT_HELD,
	EVENT_ROOM,
	EVENT_TICK
};

struct event {
	int64_t t_ms;
	uint32_t what;
	int32_t by;
	enum event_type type;
};

struct room_change { /* what is left in a group from then on */
	uint32_t group;
	struct room left;
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

struct moved { /* of a group, from reserve to what an entitled job got it as */
	uint32_t group;
	enum leaf leaf;
	int64_t units;
};

struct queue {
	struct meter *m;
	VEC(struct group) groups;
	VEC(struct kind) kinds;
	VEC(struct class) classes;
	VEC(struct component) components;
	VEC(struct str) partitions; /* single ones, of all nodes */
	VEC(struct waiter) waiters; /* in queue order */
	struct want *wants;         /* by waiter */
	VEC(struct base) bases;     /* the first BASES_KEPT are counted all the time */
	VEC(struct shape) shapes;   /* of these bases, the first SHAPES_KEPT too */
	struct map base_of, shape_of;
	struct map kind_of; /* traits of a job: 1 + its kind */
	struct rooms rooms;
	VEC(struct room_change) room_changes;
	VEC(struct event) events;
	VEC(uint32_t) alone;           /* touched groups that no division reaches */
	VEC(uint32_t) dirty;           /* components */
	VEC(struct reserved) reserved; /* set aside in this division for reservations */
	VEC(struct moved) moved;
	VEC(struct reserved) held; /* claims of their own jobs: group is the claim */
	VEC(struct reserve_state) reserves;
	VEC(sym) models;    /* that jobs name */
	VEC(int64_t) unmet; /* by model: units wanted now and not found */
	VEC(i128) unmet_sum;
	bool has_shares;         /* some job wants less than whole devices */
	uint32_t wanted;         /* components in which something free is wanted */
	uint32_t *group_of_part; /* by free part */
	struct map node_of;      /* sym of a node: 1 + the last of its entries in facts.nodes */
	uint32_t *next_node;     /* by entry: another of the same node, or NONE */
	uint32_t bucket;         /* of now, or NONE outside of the window */
	int64_t bucket_end_ms;
};

/* queue_build.c: groups, waiting jobs, reserves, exhausted nodes and the events of all of them. */
void queue_build(struct queue *q);
void queue_deinit(struct queue *q);
/* What a job accepts, without its groups. False: of a job that is not seen, or wants no GPU; then
   UNITS, of all its GPUs, and SHARE, of each, say nothing. */
bool queue_wish(const struct queue *q, uint32_t job, struct kind *ret, int64_t *ret_units,
                int64_t *ret_share);
bool queue_same_kind(const struct kind *a, const struct kind *b);
/* Whether a kind accepts what a group has; whether a reservation is the job's own. */
bool queue_accepts(const struct queue *q, const struct kind *k, const struct group *g);
bool queue_entitles(const struct facts *f, const struct reserve *r, const struct job *j);

/* queue_class.c: classes and components of the kinds. */
void class_build(struct queue *q);
/* How often each shape that is kept fits into group G; a change is told to its class. True: there
   was one. */
bool class_set_fits(struct queue *q, struct group *g);
/* Of a shape that is kept, with its base. */
static inline int64_t class_has(const struct class *c, uint32_t shape, uint32_t base)
{
	return c->fits[base] - (c->short_of ? c->short_of[shape] : 0);
}
int64_t class_fits(const struct queue *q, const struct group *g, const struct shape *shape);
/* Group G has BY more units free. */
void class_free(struct queue *q, uint32_t g, int64_t by);

/* queue_room.c: the number of a shape; the changes of room in groups, as events. */
uint32_t shape_number(struct queue *q, struct shape shape);
void queue_rooms(struct queue *q);

/* queue_mix.c: fragmentation of what is free, under the mix of the window's tasks. */
void mix_meter(struct queue *q);

/* queue_chunk.c: a waiter more, or one less. */
void chunk_insert(struct component *c, uint32_t waiter);
void chunk_remove(struct component *c, uint32_t waiter);
/* What the waiters of CHUNK take, if there is enough; again only if it may have changed. */
void chunk_learn(const struct queue *q, struct chunk *chunk);

/* queue_take.c: one component's free units among its reserves and its waiting jobs. Leaves the
   stretches of its classes, and in q->moved what of them is another's. */
void take_divide(struct queue *q, struct component *c);
int64_t take_left(const struct queue *q, const struct kind *k);
