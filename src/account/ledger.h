/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ledger: where every paid GPU-second went (ledger.md). ledger_build runs the passes over the facts
 * and returns cells; everything else (accounts, matrix, layers, groups, money) is a sum of cells.
 *
 * GPU-time is an integer count of units: 1 unit = 1 ms of 1/21,000 GPU. The sum of all cells is
 * what was paid; ledger_build fails with ERR_IDENTITY if it is not.
 */
#include <stdbool.h>
#include <stdint.h>

#include "account/depth.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/wide.h"
#include "facts/facts.h"

#define GRID 21000
#define UNITS_PER_SECOND ((int64_t)GRID * 1000)
#define UNITS_PER_HOUR (UNITS_PER_SECOND * 3600)
#define NONE UINT32_MAX

enum mark { MARK_RETRY = 1, MARK_UNREQUESTED = 2, MARK_HANG = 4, MARK_NEVER_STARTED = 8 };
enum { MARK_COUNT = 4 };
extern const char *const mark_names[MARK_COUNT]; /* by bit */

/* Evidence of a state, strongest first (ledger.md 4, rules 5 to 8). */
enum evidence {
	EVIDENCE_SCHEDULER,
	EVIDENCE_PROFILE,
	EVIDENCE_WEAK,
	EVIDENCE_INFERRED,
	EVIDENCE_NONE,
	EVIDENCE_COUNT
};

/* What is paid for: a named device, or the devices of a pool. */
struct place {
	sym device, node, pool, model, cluster, source;
	bool has_capacity; /* false: no capacity input, so what is allocated is all that is known to
	                      be paid */
	bool free_is_null; /* concurrency above capacity: free and down are not known */
};

/* Cells are cut at bucket edges: days (if asked for), price changes, the window's ends. */
struct cell {
	uint32_t place;
	uint32_t job; /* index into facts.jobs; NONE: nobody's, or the implicit job `unscheduled` */
	uint32_t bucket;
	unsigned state : 8, fate : 8, evidence : 8, marks : 4; /* one word: cells are many */
	bool estimated : 1;        /* shared without per-process activity, points, pools pro rata */
	bool is_successful : 1;    /* counts as successful (ledger.md 3) */
	bool maybe_productive : 1; /* counts in productive.high */
	int64_t units;
};
_Static_assert(sizeof(struct cell) == 24, "small");

/* What was drawn in some stretch of GPU-time (decisions K.4). Energy counts mJ x 1/21,000 GPU. */
struct drawn {
	int64_t energy;
	int64_t metered;    /* units of which the energy is known */
	int64_t integrated; /* of these, from power readings instead of a counter */
};

/* Power of a place while no program was on it (K.7): microjoules / ms; ms 0: not known. */
struct vacancy {
	i128 microjoules;
	int64_t ms;
	bool is_given; /* from readings of vacant_power, not measured here */
};

/* One depth of active time (K.8), in one place, job, bucket, state and evidence. */
struct depth_row {
	uint32_t place, job, bucket;
	uint8_t state, evidence; /* active or an overhead; cells can be grouped by them */
	uint8_t depth;           /* enum depth_id */
	struct depth_sum sum;
};

/* All readings of a metric in the window (K.9), in its units x 10^decimals. */
struct readings_of {
	uint64_t n;
	i128 sum;
	int64_t min, max;
	i128 timed; /* sum of value x ms that it covers */
	int64_t timed_ms;
	uint64_t unknown[WHY_COUNT];
};

struct unmet {
	sym model; /* 0: any */
	i128 units;
};

/* What of the free GPUs the next task could not use (decisions L): in its classes (fragment.h),
   units x ms x tasks of the mix. */
enum { FRAGMENT_SUMS = 7 };
struct fragment {
	uint64_t tasks, left_out; /* in the mix; tasks of kinds that were too many for it */
	i128 idle;           /* units x ms that were asked for, of nodes whose place is known */
	i128 idle_with_cpus; /* of it, where the CPUs that are left are known */
	i128 classes[FRAGMENT_SUMS];
};

struct carry;

#define SKEW_MS 5000 /* ledger.md 4.13 */

struct ledger_options {
	struct span window;            /* TIME_UNKNOWN: default window */
	int64_t as_of_ms;              /* TIME_UNKNOWN: newest fact */
	int64_t setup_max_ms, skew_ms; /* -1: the facts' own, else 600,000 and 5,000 */
	int kept_saved;                /* -1: the facts' own, else restored */
	int8_t count[FATE_COUNT]; /* what this fate counts as; -1: the facts' own, else itself */
	const int64_t *edges_ms;  /* further bucket edges (days in the user's zone), sorted */
	size_t edges_n;
	struct carry *carry; /* account/carry.h; NULL: the facts are the whole history */
	/* More edges once it is known what the window is; how many. May be NULL. */
	size_t (*edges_of)(void *arg, struct span window, const int64_t **ret_edges_ms);
	void *edges_arg;
};

struct ledger {
	struct span window; /* TIME_UNKNOWN, as_of too: no input says any time */
	int64_t as_of_ms;
	VEC(struct span) buckets;
	VEC(struct place) places;
	VEC(struct cell)
	cells; /* sorted by place, job, bucket, state, fate; never two with the same key */
	VEC(struct drawn) drawn;       /* by cell; empty: no reading speaks of energy */
	VEC(struct vacancy) vacancies; /* by place, of slots; may be shorter than places */
	VEC(struct depth_row) depths;  /* sorted by place, job, bucket, state, evidence, depth */
	struct readings_of *readings;  /* by metric, in A */
	int64_t readings_ms;           /* from the first to the last ms covered, of all devices */
	/* Half microjoules by counter and by power over the same BOTH_MS (K.3). */
	i128 both_counter, both_power;
	int64_t both_ms;
	int64_t mig_millijoules, mig_ms; /* what MIG devices read of themselves (K.1) */
	VEC(struct unmet) unmets;
	struct fragment fragment;
	i128 paid_units, ignored_units; /* ignored: left out by the policy, not in paid */
	/* what the inputs spoke of */
	bool has_capacity, has_scheduler, has_queue, has_samples;
	bool capacity_is_snapshot;
	/* time that the queue was seen beside known capacity; of it, with free GPUs that some
	   waiting job claimed */
	int64_t queue_ms, wanted_ms;
	uint32_t concurrency_max; /* peak of GPUs allocated at once (where no capacity is known: "at
	                             least") */
	uint32_t jobs_split;      /* rows of one id that overlap or belong to different users */
	uint32_t attempts_missing; /* restarts said by the scheduler whose rows were not seen */
	bool free_is_null; /* nothing of the capacity has a known free: free and down are null, not
	                      0 */
	uint64_t lists_unknown[WHY_COUNT]; /* process lists of the window that are not known */
	uint64_t doubles; /* one metric of one device at one time, read more than once */
	/* in A, by job */
	const uint32_t *run_of;    /* index of the first job of its run */
	const uint8_t *outcome_of; /* as it was known at as_of */
};

#define LEDGER_OPTIONS_DEFAULT                                              \
	((struct ledger_options){ .window = { TIME_UNKNOWN, TIME_UNKNOWN }, \
	                          .as_of_ms = TIME_UNKNOWN,                 \
	                          .setup_max_ms = -1,                       \
	                          .skew_ms = -1,                            \
	                          .kept_saved = -1,                         \
	                          .count = { -1, -1, -1, -1, -1, -1, -1, -1 } })

/* The whole meter. F is only read. What the result points to besides its vecs lives in A. */
enum err_code ledger_build(struct arena *a, const struct facts *f, const struct ledger_options *o,
                           struct ledger *ret_ledger, struct err *err);
void ledger_deinit(struct ledger *l);

/* Sums of cells: one table, or one row of a grouping. */
struct sums {
	i128 paid;
	i128 accounts[ACCOUNT_COUNT];
	i128 matrix[STATE_COUNT][FATE_COUNT];
	i128 marks[MARK_COUNT];
	i128 successful;
	i128 outcome[OUTCOME_COUNT]; /* allocated time (down keyed by a job left out) by outcome;
	                                unscheduled left out */
	i128 low[LAYER_COUNT], high[LAYER_COUNT];
	i128 recoverable_low, recoverable_high;
	i128 estimated, maybe_productive;
	i128 energy[ACCOUNT_COUNT], metered[ACCOUNT_COUNT], integrated[ACCOUNT_COUNT];
	bool free_is_null; /* free and down are not known: no capacity anywhere in it */
};

void sums_add(struct sums *s, const struct ledger *l, const struct facts *f, const struct cell *c);
/* All cells, layers included. */
void sums_of_ledger(struct sums *s, const struct ledger *l, const struct facts *f);
/* Fills the layers and the recoverable part from the accounts (after the last sums_add). */
void sums_finish(struct sums *s);
