/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * facts: what readers found out, as plain arrays. Nothing here is decided yet: overlaps, doubles
 * and gaps are as the inputs gave them; account/ settles them.
 *
 * Times are int64 milliseconds since the Unix epoch, UTC, floored once at the edge; TIME_UNKNOWN is
 * not a time. Words are syms of facts.names. A reader fills a struct facts of its own (one for each
 * chunk of input); facts_append joins them in input order.
 */
#include <stdint.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "facts/tables.h"
#include "facts/traits.h"

#define TIME_UNKNOWN INT64_MIN
#define COUNT_UNKNOWN UINT32_MAX

struct span {
	int64_t from_ms, to_ms; /* half open */
};

/* A physical GPU. */
struct device {
	sym id, node, model;
	sym number;      /* on its node, as a scheduler counts: "0"; 0: not known */
	uint32_t slices; /* MIG slices of the whole-GPU profile; 0: not in MIG mode or unknown */
	bool mig;        /* instances are listed, or the mode is on */
};

/* A MIG instance: a claim on slices of its device. A layout change ends and starts instances, and
   an id may come again with another size. Of the device's own id: while it was not in MIG mode. */
struct instance {
	sym id, device;
	uint32_t slices;        /* 0: unknown, and so are all shares of the device */
	int64_t from_ms, to_ms; /* TIME_UNKNOWN: since ever, for ever */
};

enum capacity_state {
	CAPACITY_UP,
	CAPACITY_DRAINING,
	CAPACITY_FAILED,
	CAPACITY_PLANNED,
	CAPACITY_STARTING
};

/* One observation: DEVICE, or COUNT devices of a POOL, is paid for in [from, to). */
struct capacity {
	sym device, pool; /* one of them */
	sym node, model;  /* of a pool, where known */
	sym source;
	uint32_t count;
	int64_t from_ms, to_ms; /* to: may be unknown (still there at as_of) */
	int64_t at_ms;          /* time of observation */
	enum capacity_state state;
	bool gone;        /* the device itself or its node is lost: allocated time is down */
	bool is_unseen;   /* nobody says whether it was allocated, whatever the scheduler covers */
	bool is_part;     /* one of several kinds of GPU of its node */
	bool is_snapshot; /* read at one instant and taken to hold over all the scheduler's time */
};

/* A machine: what it has, and when its CPU or memory was used up. */
struct node {
	sym id, model, partition;
	uint32_t gpus, cpus;           /* COUNT_UNKNOWN */
	int64_t cpu_milli, memory_mib; /* what jobs can have of it; -1: unknown */
	uint32_t part_num, part_den;   /* what its scheduler counts as one device is this part of
	                                  one: a replica, an instance; 0/0: a device. Until it is
	                                  applied to the allocations (intake/parts.h) */
	uint32_t exhausted_at, exhausted_n; /* in facts.spans */
};

/* One attempt: a unit of allocation. Waits while it has no start.

   There are as many of these as a dump has rows, and every pass walks over them: 64 bytes, one line
   of cache, with what the meter asks of each job in it. What many jobs share is in their traits,
   the text of the id in facts.ids; job_entry has all of it side by side. */
struct job {
	int64_t submit_ms, eligible_ms, start_ms, end_ms;
	uint32_t gpus, requested; /* COUNT_UNKNOWN */
	uint32_t id_at;           /* in facts.ids: job_id() */
	uint32_t traits;          /* job_traits(), job_set_traits(); 0: nothing known */
	sym name, node_names;     /* node_names: as the scheduler wrote the list */
	int32_t priority;         /* job_priority(), job_set_priority() */
	uint8_t outcome, kind;
	bool is_policy : 1; /* the scheduler holds it back by quota, limit, reservation */
	bool is_slurm : 1;  /* attempts share a run by job id (account/runs) */
	bool is_seen : 1;   /* no scheduler's record: readings of its GPUs name it */
	bool is_pod : 1;    /* of Kubernetes: id and submit time tell a pod */
	bool kind_known : 1;
};
_Static_assert(sizeof(struct job) == 64, "one line of cache");

#define PRIORITY_WIDE INT32_MIN /* it is in the traits: it has more than 32 bits */

/* All that is said of a job, as documents have it (fields.def). The lists are places in facts.syms
   where an entry is put in, in facts.traits.lists where it is taken out. */
struct job_entry {
	struct str id; /* NUL-terminated */
	sym run, user, team, queue, cluster, name, node_names, reason;
	int64_t submit_ms, eligible_ms, start_ms, end_ms;
	int64_t priority; /* higher first */
	uint32_t gpus, requested, per_node, cpus, node_count, restarts;
	int64_t cpu_milli, memory_mib; /* on all its nodes together; -1: unknown */
	int64_t share_num, share_den;  /* of each of them; 1/1 */
	uint32_t models_at, models_n, pools_at, pools_n;
	uint32_t labels_at, labels_n; /* pairs */
	uint8_t outcome, kind;
	bool is_policy, is_slurm, is_seen, is_pod, kind_known;
};

enum claim_on { CLAIM_DEVICE, CLAIM_INSTANCE, CLAIM_NODE, CLAIM_NODES, CLAIM_POOL, CLAIM_GPU };
/* The node of a CLAIM_GPU's place, "n1/0": the GPU of a node by its number. */
static inline struct str claim_gpu_node(struct str gpu)
{
	size_t n = gpu.n;
	while (n && gpu.p[n - 1] != '/')
		n--;
	return str_sub(gpu, 0, n ? n - 1 : 0);
}

/* JOB holds COUNT devices, or a share of one, of the place ON names. Most hold whole devices as
   long as the job runs: what else there is stands in facts.portions. */
struct allocation {
	uint32_t job; /* index into jobs */
	sym place;    /* device, instance, node, list of nodes (one text), pool, GPU of a node */
	sym model;    /* kind of GPU that was allocated, where known */
	uint32_t count;
	unsigned portion : 29; /* allocation_portion(); 0: all of it */
	unsigned on : 3;       /* enum claim_on */
};

#define PORTIONS_MAX ((1u << 29) - 1)

/* A share, a time of its own, or both. An allocation has 1 + its index. */
struct portion {
	int64_t share_num, share_den; /* of each device; 1/1 */
	int64_t from_ms, to_ms;       /* TIME_UNKNOWN: the job's */
};

/* All that is said of an allocation, as documents have it (fields.def). */
struct allocation_entry {
	uint32_t job;
	enum claim_on on;
	sym place, model;
	uint32_t count;
	int64_t share_num, share_den, from_ms, to_ms;
};

struct reading {
	int64_t v; /* value x 10^decimals of its metric */
	uint8_t why;
};

enum sample_kind { SAMPLE_AVERAGE, SAMPLE_POINT };

/* Readings of one device over (previous sample, t]. */
struct sample {
	sym device;
	int64_t t_ms, period_ms; /* period: stated by the source; 0: unknown */
	enum sample_kind kind;
	uint8_t procs_why;          /* WHY_KNOWN: the list is complete */
	uint32_t procs_at, procs_n; /* ids of jobs with a process on it, in facts.syms */
	uint64_t known;             /* metric_bit of each that is known */
	int64_t v[METRIC_COUNT];
	uint8_t why[METRIC_COUNT];
};

/* What a meter of a whole machine read: over (the reading before, t]. It is no GPU's: nothing is
   claimed by it (docs/design/004-node-power.md). */
struct node_power {
	sym node; /* the machine, or whatever names the meter */
	int64_t t_ms, milliwatts;
};

struct progress {
	sym job; /* id */
	int64_t t_ms, to_ms;
	int64_t step; /* -1: none given */
	enum progress_type type;
};

struct service {
	sym job;
	int64_t from_ms, to_ms;
	int64_t ok, bad, tokens_ok, tokens_bad; /* -1: not counted */
	int64_t running;                        /* -1: unknown */
};

enum price_basis { BASIS_ON_DEMAND, BASIS_SPOT, BASIS_COMMITTED, BASIS_OWNED };

/* num / den money for a GPU-hour of what it matches (0: anything). */
struct price {
	sym model, node, pool;
	int64_t from_ms, to_ms; /* TIME_UNKNOWN: open */
	int64_t num, den;       /* per GPU-hour, in whole currency units */
	sym currency;
	enum price_basis basis;
	sym source;
	uint32_t line;
};

/* Money that is not per GPU: storage, network, platform (or a credit, negative) over a stretch of
 * time. */
struct other_cost {
	sym what, currency;
	int64_t from_ms, to_ms, num, den;
	bool is_credit;
};

/* Policy: hold GPUS ready. jobs_n > 0 or name: a reservation, whose own jobs may claim it. */
struct reserve {
	sym model, pool, name;
	uint32_t gpus;
	int64_t from_ms, to_ms;
	bool is_reservation;
	uint32_t jobs_at, jobs_n; /* ids of the entitled jobs, in facts.syms */
};

/* What a report leaves out: neither paid nor asked for. The words of a policy, in this order. */
enum ignore_what {
	IGNORE_NODES,
	IGNORE_POOLS,
	IGNORE_ACCELERATORS,
	IGNORE_JOBS,
	IGNORE_USERS,
	IGNORE_TEAMS,
	IGNORE_QUEUES,
	IGNORE_COUNT
};
extern const char *const ignore_names[]; /* ends with NULL */
struct ignore {
	sym word;
	uint8_t what; /* enum ignore_what */
};

struct headroom {
	sym job;
	uint32_t gpus;
	int64_t part_num, part_den; /* part_den > 0: a part of a GPU more, part_num / part_den */
};

/* Counts that somebody else already added up over [from, to): how many GPUs there were, ran, were
   wanted. They enter the ledger as cells of a pool, never the meter. COUNT_UNKNOWN: not given. */
struct total {
	sym pool, source, cluster;
	int64_t from_ms, to_ms;
	uint32_t gpus, running, pending, idle;
	uint32_t gpu_jobs_pending;
};

struct reject {
	sym input, reason;
	uint64_t line;
	uint64_t count;
};

/* One input as it was read. */
struct input_info {
	sym name, format;
	uint64_t records, rejected, bytes; /* records: all of them, also those that were rejected */
	bool partial;                      /* reading was interrupted */
	/* A list of what there is in a cluster at one instant: pods, of all namespaces or some. */
	bool has_pods, is_all, is_guessed; /* guessed: by its newest time */
	int64_t taken_ms;                  /* when it was made; 0: it is no such list */
};

/* What the facts say of themselves. */
struct note {
	sym text;
	uint64_t count;
};

struct series_source;

struct facts_options {
	int64_t setup_max_ms, skew_ms; /* -1: not given */
	int kept_saved;                /* -1: not given, 0 restored, 1 saved */
	int8_t count[FATE_COUNT];      /* what this fate counts as; -1: itself */
};

struct facts {
	struct names names;
	struct traits traits;
	VEC(struct device) devices;
	VEC(struct instance) instances;
	VEC(struct capacity) capacity;
	VEC(struct span) scheduler; /* times that the scheduler's facts cover */
	VEC(struct node) nodes;
	VEC(struct job) jobs;
	VEC(char) ids; /* of jobs: length, text, NUL each */
	VEC(struct allocation) allocations;
	VEC(struct portion) portions;
	VEC(struct sample) samples;
	VEC(struct node_power) node_power;
	VEC(struct progress) progress;
	VEC(struct service) services;
	VEC(struct price) prices;
	VEC(struct other_cost) other_costs;
	VEC(struct reserve) reserves;
	VEC(struct headroom) headrooms;
	VEC(struct ignore) ignores;
	VEC(struct total) totals;
	VEC(sym) syms;          /* pool of word lists */
	VEC(struct span) spans; /* pool of span lists */
	VEC(struct reject)
	rejects; /* the first REJECTS_SHOWN_MAX of each input; the counts are in inputs */
	VEC(struct input_info) inputs;
	VEC(struct note) notes;
	struct span window; /* TIME_UNKNOWN: not given */
	int64_t as_of_ms;   /* TIME_UNKNOWN: not given */
	bool has_scheduler; /* some input was a scheduler's word, even if it covers no time */
	bool has_policy;
	struct facts_options options;
	/* Where the samples are kept if not in SAMPLES (facts/series.h). Dropped with the facts. */
	struct series_source *series;
};

void facts_init(struct facts *f);
void facts_deinit(struct facts *f);
/* Moves everything of FROM to the end of F; FROM is empty afterwards. */
void facts_append(struct facts *f, struct facts *from);
/* Where the words of a facts that is joined again and again stand in the one that it is joined to:
   they are looked up once. All zero before the first time. */
struct facts_words {
	sym *v;
	size_t n, cap;
	VEC(uint32_t) owners, shapes; /* the same of traits */
};
void facts_words_deinit(struct facts_words *w);
/* As facts_append, but FROM keeps its words and its room, to be filled again. W belongs to the
   pair. */
void facts_append_again(struct facts *f, struct facts *from, struct facts_words *w);
/* More words or traits than are worth keeping from one join to the next. */
bool facts_has_many_words(const struct facts *f);
/* Of the arrays, whatever is in them. */
size_t facts_room_bytes(const struct facts *f);
sym facts_word(struct facts *f, struct str word);
/* Adds one to the count of the note with this text. Notes are for people: one full sentence. */
void facts_note(struct facts *f, const char *text);
/* Counts a rejected record of the input that is being read (the last of F's inputs). LINE 0: no
 * line. */
void facts_reject(struct facts *f, uint64_t line, const char *fmt, ...) PRINTF(3, 4);
/* A job with every count and time unknown, kind batch, priority 0. ID is copied. Good until the
   next one. */
struct job *facts_job(struct facts *f, struct str id);
/* Forgets words and traits, of facts that hold no other. For facts that are joined again and again.
 */
void facts_forget(struct facts *f, struct facts_words *w);

/* job.c: jobs and allocations in their two forms. */
struct str job_id(const struct facts *f, const struct job *j); /* NUL-terminated */
static inline struct job_traits job_traits(const struct facts *f, const struct job *j)
{
	return traits_at(&f->traits, j->traits);
}
void job_set_traits(struct facts *f, struct job *j, const struct job_traits *t);
int64_t job_priority(const struct facts *f, const struct job *j);
/* After job_set_traits: the traits may hold it. */
void job_set_priority(struct facts *f, struct job *j, int64_t priority);
/* The words of a list that traits name. */
/* What a job holds or wants of CPUs on all its nodes, in thousandths; -1: unknown. */
static inline int64_t job_cpu_milli(const struct job_traits *t)
{
	return t->cpu_milli >= 0 || t->cpus == COUNT_UNKNOWN ? t->cpu_milli
	                                                     : (int64_t)t->cpus * 1000;
}
/* What jobs can have of a node's CPUs, in thousandths; -1: unknown. */
static inline int64_t node_cpu_milli(const struct node *n)
{
	return n->cpu_milli >= 0 || n->cpus == COUNT_UNKNOWN ? n->cpu_milli
	                                                     : (int64_t)n->cpus * 1000;
}
static inline const sym *job_words(const struct facts *f, struct word_list l)
{
	return f->traits.lists.v + l.at;
}
/* As facts_job leaves one, without an id. */
struct job_entry job_entry_unknown(void);
struct job_entry job_entry_of(const struct facts *f, const struct job *j);
/* Writes over all of J but its id. */
void job_set(struct facts *f, struct job *j, const struct job_entry *e);
/* A new job; returns its index. */
uint32_t facts_add_job(struct facts *f, const struct job_entry *e);
const struct portion *allocation_portion(const struct facts *f, const struct allocation *a);
struct allocation_entry allocation_entry_of(const struct facts *f, const struct allocation *a);
void facts_add_allocation(struct facts *f, const struct allocation_entry *e);
/* The same with a portion of its own, which the caller may change. Not to be mixed with the other:
   that one may give the newest portion to a further allocation. */
void facts_add_own(struct facts *f, const struct allocation_entry *e);
/* Reading ID of S is known, and is V. */
static inline void sample_know(struct sample *s, enum metric_id id, int64_t v)
{
	s->v[id] = v;
	s->why[id] = WHY_KNOWN;
	s->known |= metric_bit(id);
}
/* A sample with no reading. */
struct sample *facts_sample(struct facts *f, sym device, int64_t t_ms);
/* Samples of one device and time that say different things become one. REPLACES: also those that
   say the same metric, the later one's value (counted in a note); else these stay apart. */
void facts_join_samples(struct facts *f, bool replaces);
/* As with REPLACES, of outputs that all have a right to say what they say: without a note. */
void facts_merge_samples(struct facts *f);
/* Readings that follow from others of S: sums of both directions, of parts of the memory. What is
   known by itself stays. Again after more of S has become known: the same as at once. */
void facts_complete(struct sample *s);
