/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * meter: what the passes share. Each pass reads what earlier passes wrote and nothing else:
 *
 *     seen        attempts, scheduler coverage, window, as of a time    seen.c
 *     capacity    slots and pools, when they are paid and up            slot.c capacity.c paint.c
 *     pieces      samples to stretches of known activity                piece.c
 *     energy      what a device drew, as a function of time             cover.c drawn.c
 *     claims      which allocation wants which slot or pool             claim.c
 *     holds       who has how many units of a slot, and when            hold.c frac.c
 *     states      what an allocated second was                          setup.c phase.c site.c
 *     depth       how deeply active time used it; all readings          depth.c readings.c
 *     fates       what it was worth                                     run.c fate.c settle.c
 *     queue       what free time was lost to                            queue.c
 *     cells       the sum of it all                                     cells.c ledger.c sums.c
 *
 * docs/design/001-ledger-decisions.md numbers the rules that comments quote (A.1, B.3, ...).
 */
#include "account/carry.h"
#include "account/cover.h"
#include "account/frac.h"
#include "account/glance.h"
#include "account/ledger.h"
#include "account/span.h"

#define RUN_MS 5000 /* ledger.md 3: "for >= 5 s on end" */

/* An attempt as it was known at as_of (A.2, A.3). */
struct attempt {
	int64_t submit_ms, eligible_ms, start_ms, end_ms; /* end TIME_UNKNOWN: none yet */
	uint8_t outcome, kind;
	bool is_seen;
};

struct cap_span {
	int64_t from_ms, to_ms;
	enum capacity_state state;
	bool gone, is_unseen;
};

enum slot_kind { SLOT_DEVICE, SLOT_INSTANCE, SLOT_REMAINDER, SLOT_UNWEIGHED };

struct procs { /* a list of jobs, in facts.syms */
	uint32_t at, n;
};

/* A process list of a slot named a job. */
struct mention {
	int64_t t_ms;
	sym job;
};

/* A stretch of time that readings speak for (C). */
struct piece {
	int64_t from_ms, to_ms;
	struct procs lists[2]; /* processes at its end, and at the point before (else the same) */
	uint8_t kind;          /* enum piece_class; an empty list without activity counts as low */
	uint8_t residency, evidence;
	bool is_refuting; /* shows activity, whatever its class */
	bool has_reading, has_class, has_procs, is_high, is_point;
};

/* What is metered: a device, a MIG instance, or what the instances leave of a device (B.1). In key
 * order. */
struct slot {
	sym device, instance, node, model;
	enum slot_kind kind;
	uint32_t weight;    /* units of 1/21,000 GPU */
	struct span exists; /* what a layout change ends and starts; else since ever, for ever */
	uint32_t place, site;
	bool has_capacity;
	uint32_t caps_at, caps_n; /* in slot_caps */
	uint32_t series;          /* its samples in the source, never its parent's; or NONE */
	int64_t median_ms;        /* of its gaps, where a sample says no period; 0: none */
	uint32_t mentions_at, mentions_n; /* in mentions, by time */
	uint32_t pieces_at, pieces_n;     /* in pieces, while its site is metered */
	uint32_t draws_at, draws_n;       /* in draw_spans, while its site is metered or kept */
	bool has_energy;                  /* a whole device that reads energy or power */
	struct span cover; /* hull of what samples cover of its device; unknown: nothing */
};

/* Samples of a device that no slot stands for (one in MIG mode). */
struct unplaced {
	uint32_t series;
	int64_t median_ms;
};

/* A stretch of which the energy is known, spread evenly over it (K.2, K.3). */
struct draw_span {
	int64_t from_ms, to_ms, half_microjoules;
	i128 before;                       /* half microjoules of the spans before it */
	int64_t covered_ms, integrated_ms; /* of the spans before it */
	bool is_integrated;
};

/* UNITS per ms of a slot's free time, of which KEY wants the energy. */
struct draw_ask {
	struct cell key;
	uint32_t slot;
	int64_t from_ms, to_ms, units_per_ms;
};

struct draw { /* energy on its way to a cell */
	struct cell key;
	struct drawn drawn;
};

enum { CAPACITY_UNSEEN = CAPACITY_STARTING + 1, POOL_STATES }; /* unseen: up otherwise */
struct pool_span {                                             /* count: by capacity_state */
	int64_t from_ms, to_ms;
	uint32_t count[POOL_STATES];
};

struct pool {
	sym id, node, model, cluster;
	uint32_t place;
	bool has_capacity, pays_allocations; /* B.6, B.7 */
	uint32_t spans_at, spans_n;          /* in pool_spans */
	uint32_t claims_at, claims_n;        /* in claims */
};

enum claim_target { TARGET_SLOT, TARGET_SITE, TARGET_POOL };

/* One allocation's wish for one slot, for the slots of a site (spread, D.4), or for devices of a
 * pool. */
struct claim {
	int64_t from_ms, to_ms;
	uint32_t job, entry; /* NONE job: the implicit job `unscheduled` */
	uint32_t size;       /* of a slot or a site: in claim_sizes; of a pool: how many devices */
	unsigned at : 29;    /* slot, site or pool */
	unsigned target : 2; /* enum claim_target */
	bool is_open : 1;    /* the end is not known: cut at as_of, or missing */
};
_Static_assert(sizeof(struct claim) == 32, "one for each allocation, and more");

/* The slots of one node; slots without a node stand alone. */
struct site {
	sym node;
	uint32_t slots_at, slots_n;   /* in site_slots */
	uint32_t claims_at, claims_n; /* in claims: those on its slots and on itself */
	bool has_spread;
};

struct job_list { /* what belongs to a job, in time order */
	uint32_t at, n;
};

/* A stretch of time with one fate (G.3 to G.5), of one attempt. */
struct fate_span {
	int64_t from_ms, to_ms;
	uint8_t fate;
	bool is_successful, maybe;
};

/* A progress line as it was known at as_of. */
struct line {
	uint32_t job, order;
	int64_t t_ms, to_ms, step; /* step -1: none */
	enum progress_type type;
	bool is_done; /* it ended at or before as_of */
};

struct seen_service {
	uint32_t job, order;
	struct service s;
	uint32_t closes; /* the interval that its group ends with (9.10), or NONE: still open */
};

struct attempt_info { /* only of jobs that have progress or service facts, or headroom */
	struct job_list lines, services;
	int64_t first_step_ms; /* first step or ready line; INT64_MAX: none */
	int64_t first_answer_ms;
	int64_t hang_ms; /* INT64_MAX: none */
	int64_t headroom_units;
	bool has_headroom, has_service_facts;
	uint32_t fates_at, fates_n;   /* in fate_spans; none: constant */
	uint32_t phases_at, phases_n; /* in phases */
};

/* What a job said it did in a stretch of time (E.12, E.13). STATE_COUNT: nothing. */
struct phase {
	int64_t from_ms, to_ms;
	uint8_t cause, overhead;
	bool is_quiet; /* a service with nothing running and nothing answered */
};

struct meter {
	const struct facts *f;
	struct carry *carry; /* NULL: F is the whole history */
	struct arena *a;
	struct ledger *out;
	int64_t as_of_ms, setup_max_ms, skew_ms;
	struct span window, cover;                /* cover: the hull of what samples cover */
	bool kept_saved, has_scheduler, has_time; /* has_time: some input says when */
	int8_t count[FATE_COUNT];

	VEC(struct span) coverage; /* merged, ends at as_of */
	struct map job_of;         /* sym of a job's id: 1 + index of its first job */
	struct map info_of;        /* job: 1 + index into infos */
	VEC(struct attempt_info) infos;
	VEC(struct line) lines;            /* by job, time */
	VEC(struct seen_service) services; /* by job, time; no overlap */
	VEC(struct fate_span) fate_spans;
	VEC(struct phase) phases;
	uint32_t *run_of, *before; /* by job; before: the attempt before it in its run, or NONE */
	bool *run_lives;           /* by job: its run completed or is going */

	VEC(struct slot) slots;
	VEC(struct cap_span) slot_caps;
	VEC(uint32_t) site_slots;
	VEC(struct site) sites;
	VEC(struct pool) pools;
	VEC(struct pool_span) pool_spans;
	VEC(struct claim) claims;
	VEC(struct frac) claim_sizes; /* of a device; spread: count x share */
	const struct series_source *source;
	struct series_rows *rows;      /* the batch at hand */
	struct glances *glances;       /* what it says */
	VEC(struct unplaced) unplaced; /* series that no slot has */
	VEC(struct mention) mentions;
	VEC(struct piece) pieces;         /* of the site at hand, by slot, time; no overlap */
	VEC(struct draw_span) draw_spans; /* kept ones, and those of the site at hand, by slot */
	size_t draws_kept;                /* of draw_spans */
	VEC(struct draw_ask) draw_asks;
	VEC(struct draw) draws;
	struct map slot_of;    /* sym of a device or instance: 1 + first slot */
	struct map pool_of;    /* sym: 1 + pool */
	struct map anonymous;  /* hash of a pool's words: 1 + the first of that hash (claim.c) */
	struct map mixed;      /* sym of a node with several kinds: enum mixed */
	struct map part_of;    /* such a node and a kind: 1 + pool (mixed.c) */
	struct map site_of;    /* sym of a node: 1 + site */
	struct span scheduled; /* hull of coverage, else of attempts */

	VEC(struct atom) atoms; /* of jobs that are settled as a whole (settle.c) */
	VEC(struct free_part) frees;
	i128 paid_units; /* counted apart from the cells, for the identity */
	size_t gathered, draws_gathered, depths_gathered; /* cells.c's and depth.c's */
	struct floors *floors;                            /* settle.c's */
	bool *has_more;       /* by job: its claims together may hold more than it asked for */
	uint32_t total_place; /* of the newest total */
	bool total_place_known, has_totals, overflow, has_energy;
};

/* The attempt of a job (A.2, A.3): made when asked for, since it is a glance at the job. */
static inline struct attempt attempt_at(const struct meter *m, uint32_t job)
{
	const struct job *j = &m->f->jobs.v[job];
	const int64_t as_of_ms = m->as_of_ms;
	struct attempt t = { j->submit_ms, j->eligible_ms, j->start_ms, j->end_ms,
		             j->outcome,   j->kind,        false };
	int64_t first = t.submit_ms != TIME_UNKNOWN     ? t.submit_ms
	                : t.eligible_ms != TIME_UNKNOWN ? t.eligible_ms
	                                                : t.start_ms;
	t.is_seen = first == TIME_UNKNOWN || first <= as_of_ms;
	if (t.start_ms != TIME_UNKNOWN && t.start_ms > as_of_ms) {
		t.start_ms = TIME_UNKNOWN;
		t.outcome = OUTCOME_WAITING;
	}
	if (t.outcome == OUTCOME_RUNNING)
		t.end_ms = TIME_UNKNOWN;
	if (t.end_ms != TIME_UNKNOWN && t.end_ms > as_of_ms) {
		t.end_ms = TIME_UNKNOWN;
		t.outcome = t.start_ms == TIME_UNKNOWN ? OUTCOME_WAITING : OUTCOME_RUNNING;
	}
	if (t.start_ms != TIME_UNKNOWN && t.outcome == OUTCOME_WAITING)
		t.outcome = t.end_ms == TIME_UNKNOWN ? OUTCOME_RUNNING : OUTCOME_ENDED;
	return t;
}

/* A stretch of allocated time of one claim, with everything but its fate. */
struct atom {
	int64_t from_ms, to_ms, units_per_ms;
	uint32_t claim; /* index into claims */
	uint32_t slot;  /* NONE: a pool's */
	uint32_t place;
	uint8_t state, evidence, marks;
	bool is_stalled; /* STATE is the cause that is left when the headroom is used up (E.12) */
	bool is_estimated;
};

/* A stretch of free time of a slot or of a pool's devices. */
struct free_part {
	int64_t from_ms, to_ms;
	int64_t units_per_ms;
	uint32_t slot; /* or NONE: of the pool */
	uint32_t pool;
	bool is_whole;  /* a whole device, not in MIG mode */
	bool is_spread; /* its node has a spread claim now: which device is free is not known */
};

/* seen.c: as_of, attempts, coverage, window, lines, services. */
void seen_init(struct meter *m, const struct ledger_options *o);
/* The window, once claims and pieces are there (A.6). */
void seen_window(struct meter *m, const struct ledger_options *o);
bool service_answered(const struct service *s);
/* The job that an id names at time T (attempts of one id are told apart by time), or NONE. */
uint32_t seen_job(const struct meter *m, sym id, int64_t t_ms);
/* NULL: nothing is known of the job beyond the scheduler's word. */
const struct attempt_info *seen_info(const struct meter *m, uint32_t job);
/* Whether the scheduler's facts cover T, and until when that stays so. */
bool seen_covers(const struct meter *m, int64_t t_ms, int64_t *ret_until_ms);

/* slot.c: slots and sites. */
void slot_build(struct meter *m);
uint32_t meter_place(struct meter *m, struct place place);

/* piece.c: what samples cover, and whom they name. */
void piece_build(struct meter *m);
/* The pieces of a site's slots, in place of those of the one before. */
void piece_site(struct meter *m, const struct site *st);

enum tri { TRI_NO, TRI_YES, TRI_UNKNOWN };
/* Whether the process list of a piece names the job (C.6, E.2). */
enum tri piece_names(const struct meter *m, const struct piece *p, uint32_t job);

/* readings.c: statistics of the readings of one series. */
struct readings_walk {
	uint64_t said[METRIC_COUNT][WHY_COUNT], n; /* absent ones only in n, of all */
	uint64_t speaks; /* metrics that some sample knows, or says why not */
	struct span hull;
};
void readings_begin(struct readings_walk *w);
/* N rows of a batch, which cover [from_ms, t_ms) each. */
void readings_add(struct meter *m, struct readings_walk *w, const struct series_rows *rows,
                  const int64_t *from_ms, uint32_t n);
void readings_end(struct meter *m, const struct readings_walk *w);

/* drawn.c: energy and statistics of one series, batch by batch, beside the walk that makes pieces.
   After the site is metered its spans go, unless some of its jobs are settled as a whole. */
struct drawn_walk {
	struct cover_walk covers;
	struct readings_walk readings;
	struct vacancy given;
	uint32_t first;                      /* of its spans */
	const struct carried_energy *before; /* or NULL */
	bool was_still, counts;
};
void drawn_site(struct meter *m);
void drawn_begin(struct drawn_walk *w, struct meter *m, sym device, int64_t median_ms);
void drawn_batch(struct drawn_walk *w, uint32_t n);
void drawn_end(struct drawn_walk *w, struct slot *s);
void drawn_site_end(struct meter *m, const struct site *st);
/* After the last site: samples that no slot has. After the queue: what was asked for. */
void drawn_rest(struct meter *m);
void drawn_answer(struct meter *m);
void drawn_ask(struct meter *m, uint32_t slot, const struct cell *key, int64_t from_ms,
               int64_t to_ms, int64_t units_per_ms);
/* What UNITS per ms of a slot drew over [from, to). */
struct drawn drawn_between(struct meter *m, uint32_t slot, int64_t from_ms, int64_t to_ms,
                           int64_t units_per_ms);
/* The same, to the cell KEY, cut as cell_add cuts time. */
void drawn_add(struct meter *m, uint32_t slot, const struct cell *key, int64_t from_ms,
               int64_t to_ms, int64_t units_per_ms);

/* depth.c: the readings of a slot beside N stretches of its allocated time; the sums of all. */
void depth_slot(struct meter *m, uint32_t slot, const struct atom *atoms, size_t n);
void depth_finish(struct meter *m);

/* capacity.c: slot_caps, pools, pool_spans. */
void capacity_build(struct meter *m);
/* A pool that is not in the capacity facts, or one that is; returns its index. */
uint32_t pool_add(struct meter *m, struct pool pool);
/* Takes N devices off COUNT (by capacity_state) in the order of use (B.8); returns how many were
 * too many. */
uint32_t pool_take(uint32_t count[], uint32_t n);

/* claim.c: claims, side by side for each site and pool. */
void claim_build(struct meter *m);
/* What a claim on a slot or a site wants, in devices. */
static inline struct frac claim_size(const struct meter *m, const struct claim *c)
{
	return m->claim_sizes.v[c->size];
}
/* What a claim wants, in units per ms. */
int64_t claim_units(const struct meter *m, const struct claim *c);
/* D.2: how many slots of a site count-claims in TIME can have; true: they are MIG instances. */
bool site_members(const struct meter *m, const struct site *st, struct span time, uint32_t *ret_n);

/* concurrency.c: the most GPUs that were allocated at once, in the window. */
uint32_t concurrency_most(const struct meter *m);

/* phase.c: phases of the jobs that speak. */
void phase_build(struct meter *m);
/* The phase of a job at T, or NULL, and until when that stays so. INFO may be NULL. */
const struct phase *phase_at(const struct meter *m, const struct attempt_info *info, int64_t t_ms,
                             int64_t *ret_until_ms);

/* site.c: states of the allocated time of every slot; what nobody claims goes to cells or frees. */
void site_meter(struct meter *m);
/* pool.c: the same for pools. */
void pool_meter(struct meter *m);

/* settle.c */
void settle_init(struct meter *m);                       /* after claim_build */
void settle_atom(struct meter *m, const struct atom *a); /* in time order for each claim and slot */
/* More GPUs at some instant than the job asked for, or headroom that the policy lets it hold? */
bool settle_is_whole(const struct meter *m, uint32_t job);
void settle_end(struct meter *m); /* jobs that are settled as a whole */

/* run.c: run_of, before, run_lives. fate.c: fate_spans. */
void run_build(struct meter *m);
void fate_build(struct meter *m);
/* The fate of a second of an attempt that is not a service's, and until when it stays. */
struct fate_span fate_at(const struct meter *m, uint32_t job, int64_t t_ms, int64_t *ret_until_ms);

/* queue.c: frees to cells, unmet demand. */
void queue_meter(struct meter *m);

/* cells.c: KEY's units over [from, to), cut by the window and at bucket edges. */
void cells_init(struct meter *m, const struct ledger_options *o);
void cell_add(struct meter *m, const struct cell *key, int64_t from_ms, int64_t to_ms,
              int64_t units_per_ms);
/* The same with a count of units that lie in one bucket (cells_bucket). */
void cell_add_units(struct meter *m, const struct cell *key, uint32_t bucket, int64_t units);
/* The bucket of T and its end; NONE outside the window (then the end is where the window begins, or
 * never). */
uint32_t cells_bucket(const struct meter *m, int64_t t_ms, int64_t *ret_until_ms);
/* Counts paid time apart from the cells. */
void cells_pay(struct meter *m, int64_t from_ms, int64_t to_ms, int64_t units_per_ms);
/* What KEY drew, in one bucket. */
void cell_draw(struct meter *m, const struct cell *key, uint32_t bucket, const struct drawn *d);
void cells_finish(struct meter *m);
/* The key of a cell that is nobody's. */
struct cell cell_nobody(uint32_t place, enum state state);
/* A cell that is nobody's. */
void cell_plain(struct meter *m, uint32_t place, enum state state, int64_t from_ms, int64_t to_ms,
                int64_t units_per_ms);
