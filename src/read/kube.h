/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kube: what Kubernetes' objects say, one at a time. Part of the reader `kubernetes`.
 *
 * Objects are read side by side (CUT_ITEMS), and what belongs together stands in several of them.
 * What waits for the end of the input is a row of words in the facts (struct kube_row), which
 * kube_end takes out again.
 */
#include "facts/facts.h"
#include "parse/json.h"
#include "read/reader.h"

#define KUBE_INSTANT_MS 1000    /* a list speaks of one second: GPU-seconds are GPUs */
#define KUBE_NEAR_MS 600000     /* lists made within so long speak of the same nodes */
#define KUBE_EVICTION_MS 300000 /* not ready for longer: given up, as pods by default do */

/* What pods without GPUs take of a node. */
struct kube_side {
	sym node;
	int64_t cpu_milli, memory_mib;
};

enum { KUBE_PARTS = 4 }; /* an object, its metadata, spec and status */
struct kube {
	struct facts *f;
	struct arena a; /* of one object */
	const struct read_options *o;
	struct {
		struct str raw;
		struct json_members members; /* found once: they are asked for often */
	} part[KUBE_PARTS];
	int64_t newest_ms; /* time in all objects so far */
	int64_t object_ms; /* newest in this one */
	bool has_pods, has_claims;
	sym spaces[2];      /* of pods: the first, and another */
	struct map side_of; /* node: 1 + place */
	VEC(struct kube_side) sides;
	uint64_t records, others;
};

enum kube_row_kind {
	KUBE_SEEN,
	KUBE_END_OF,
	KUBE_WAIT_OF,
	KUBE_CLAIM,
	KUBE_USES,
	KUBE_NODE_AT,
	KUBE_SIDE,
	KUBE_SPACE /* a namespace, two at most of a piece */
};
struct kube_row {
	sym kind, id, word;
	int64_t number, time_ms;
};
void kube_row_add(struct facts *f, enum kube_row_kind kind, const struct kube_row *r);
/* Row I of F; false: there is none. */
bool kube_row_get(const struct facts *f, size_t i, struct kube_row *ret);

/* The next object. */
void kube_begin(struct kube *k, struct str object);
void kube_deinit(struct kube *k);
/* As json_get. */
struct str kube_get(const struct kube *k, struct str object, struct str key);
/* The member of a path "metadata.labels"; the empty slice. */
struct str kube_at(const struct kube *k, struct str object, const char *path);
/* Its text, escapes resolved; empty: none. */
struct str kube_text(struct kube *k, struct str object, const char *path);
/* Its time. TIME_UNKNOWN: none. It counts for the newest of the object, unless it may lie ahead. */
int64_t kube_time(struct kube *k, struct str object, const char *path);
int64_t kube_time_ahead(struct kube *k, struct str object, const char *path);
/* A quantity ("8", "500m", "2k", "64Gi"), floored; -1: none. */
int64_t kube_quantity(struct kube *k, struct str raw);
int64_t kube_quantity_milli(struct kube *k, struct str raw);
int64_t kube_mebibytes(struct kube *k, struct str raw);
/* "namespace/name" of metadata, or of a reference. */
struct str kube_id(struct kube *k, struct str meta);

/* kube_labels.def */
enum kube_label {
	KUBE_LABEL_QUEUE,
	KUBE_LABEL_USER,
	KUBE_LABEL_JOB,
	KUBE_LABEL_SERVICE,
	KUBE_LABEL_INTERACTIVE,
	KUBE_LABEL_BATCH,
	KUBE_LABEL_CI,
	KUBE_LABEL_INDEX,
	KUBE_LABEL_MODEL,
	KUBE_LABEL_GPUS,
	KUBE_LABEL_REPLICAS
};
/* The first label of that kind in metadata's labels, else annotations; the empty slice: none. */
struct str kube_label(struct kube *k, struct str meta, enum kube_label what);
bool kube_label_is(struct str key, enum kube_label what);
/* A kind of GPU as labels of nodes spell it, to how its driver does. RET_PROFILE: what stands
   behind
   "-MIG-"; may be NULL. */
struct str kube_model(struct kube *k, struct str text, struct str *ret_profile);

/* kube_resource.c */
struct kube_share {
	int64_t num, den; /* of a device; num 0: not known */
};
enum kube_resource_kind { KUBE_NONE, KUBE_WHOLE, KUBE_SHARED, KUBE_MIG, KUBE_PART };
enum kube_resource_kind kube_resource(struct str name, struct kube_share *ret);
/* "1g.10gb", "2g.12gb+me": compute slices ÷ those of the whole chip. num 0: no profile. */
struct kube_share kube_profile(struct str profile);

#define KUBE_WANTS_MAX 8u
struct kube_want {
	enum kube_resource_kind kind;
	struct kube_share share;
	struct str name;
	uint32_t count;
};
struct kube_wants {
	struct kube_want v[KUBE_WANTS_MAX];
	size_t n;
	int64_t cpu_milli, memory_mib; /* -1: not known */
	bool is_too_many;
};
/* What a pod asks for while it runs: containers and sidecars together, or the greatest of its init
   containers if that is more. */
void kube_wants_read(struct kube *k, struct str spec, struct kube_wants *ret);

/* kube_owner.c */
struct kube_owner {
	sym run, name, label; /* name: of the workload; label: its kind */
	enum job_kind kind;
	bool kind_known;
	bool is_shared; /* other pods may have the same run */
};
struct kube_owner kube_owner_of(struct kube *k, struct str pod);

/* kube_reason.c */
enum kube_reason_class { KUBE_POLICY, KUBE_RESOURCES, KUBE_FAULT };
/* Why it waits, by a message of the scheduler. False: it does not say. */
bool kube_reason(struct str message, enum kube_reason_class *ret, struct str *ret_word);
/* How it ended, by a reason. False: the reason is none that is known. */
bool kube_end_reason(struct str reason, struct str message, enum outcome *ret);

/* kube_pod_times.c */
#define KUBE_ATTEMPTS_MAX 3u
struct kube_attempt {
	int64_t start_ms, end_ms; /* TIME_UNKNOWN */
	enum outcome outcome;
};
struct kube_times {
	int64_t created_ms;
	struct kube_attempt v[KUBE_ATTEMPTS_MAX];
	size_t n; /* 0: it waits, or never ran */
	bool has_ended;
	int64_t end_ms; /* of one that never ran */
	enum outcome outcome;
};
void kube_times_read(struct kube *k, struct str pod, bool is_deleted, struct kube_times *ret);

/* One object each; what cannot be used is a reject. IS_DELETED: a watch says that it is no more. */
void kube_pod_read(struct kube *k, struct str pod, bool is_deleted, uint64_t line);
void kube_node_read(struct kube *k, struct str node, bool is_deleted, uint64_t line);
void kube_event_read(struct kube *k, struct str event);
void kube_claim_read(struct kube *k, struct str claim);
/* kube_end.c: what only the whole input says. */
void kube_finish(const struct read_options *o, struct facts *f);
