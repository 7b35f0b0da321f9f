/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube_node: a node to a machine and a pool of its GPUs.
 *
 * What the node counts may be less than a GPU: replicas of time-slicing, instances under MIG
 * strategy `single`. Its labels tell, and pods that hold such a thing hold that part of a GPU
 * (intake/parts.h).
 *
 * Devices that the plugin calls unhealthy are in capacity and not in allocatable. They are a part
 * of the pool that is down by itself, so they stand under a name of their own beside the node's.
 */
#include "base/text.h"
#include "read/kube.h"

/* GPUs that a list of resources comes to, in parts of PARTS. */
struct counted {
	int64_t whole, shared; /* as the plugin counts */
	int64_t instances_num; /* of MIG and of partitions, in 1/840 of a GPU */
};
#define PARTS 840 /* sevenths, quarters, eighths, thirds */

struct node_state {
	enum capacity_state state;
	int64_t since_ms; /* TIME_UNKNOWN: not told */
	bool gone;
};

struct gpus {
	uint32_t all, healthy;
	struct kube_share part; /* num 0: whole devices */
	sym model;
};

static struct counted count_in(struct kube *k, struct str list)
{
	struct counted c = { 0, 0, 0 };
	struct str key, value;
	for (size_t at = 0; json_next(list, &at, &key, &value);) {
		struct kube_share share;
		enum kube_resource_kind kind = kube_resource(json_key_text(&k->a, key), &share);
		int64_t n = kind == KUBE_NONE ? 0 : kube_quantity(k, value);
		if (n <= 0 || n > GPUS_MAX)
			continue;
		if (kind == KUBE_WHOLE)
			c.whole += n;
		else if (kind == KUBE_SHARED)
			c.shared += n;
		else if (share.num)
			c.instances_num += n * PARTS * share.num / share.den;
	}
	return c;
}

static uint32_t up(int64_t num, int64_t den)
{
	int64_t n = num > 0 ? (num + den - 1) / den : 0;
	return n > GPUS_MAX ? GPUS_MAX : (uint32_t)n;
}

static uint32_t gpus_of(const struct counted *c, const struct kube_share *part)
{
	int64_t num = part->num ? part->num : 1, den = part->num ? part->den : 1;
	return up((c->whole + c->shared) * num * PARTS / den + c->instances_num, PARTS);
}

static int64_t label_number(struct kube *k, struct str meta, enum kube_label what)
{
	int64_t v;
	return str_to_i64(kube_label(k, meta, what), &v) && v > 0 && v <= GPUS_MAX ? v : 0;
}

/* How many GPUs there are, how many of them can be used, and what the node counts as one. */
static struct gpus gpus_read(struct kube *k, struct str meta, struct str status)
{
	struct counted all = count_in(k, kube_get(k, status, S("capacity")));
	struct counted left = count_in(k, kube_get(k, status, S("allocatable")));
	struct str profile, product = kube_label(k, meta, KUBE_LABEL_MODEL);
	int64_t replicas = label_number(k, meta, KUBE_LABEL_REPLICAS);
	int64_t listed = label_number(k, meta, KUBE_LABEL_GPUS);
	struct gpus g = { .model = facts_word(k->f, kube_model(k, product, &profile)) };
	bool is_single = profile.n > 0 && kube_profile(profile).num;
	if (is_single)
		g.part = kube_profile(profile);
	if (replicas > 1) {
		g.part.num = g.part.num ? g.part.num : 1;
		g.part.den = (g.part.den ? g.part.den : 1) * replicas;
	}
	g.all = gpus_of(&all, &g.part);
	g.healthy = gpus_of(&left, &g.part);
	/* instances may leave GPUs, or parts of them, that no resource stands for */
	if (!is_single && listed > g.all) {
		bool has_instances = all.instances_num > 0;
		g.healthy += has_instances ? (uint32_t)listed - g.all : 0;
		g.all = (uint32_t)listed;
	}
	if (g.healthy > g.all)
		g.healthy = g.all;
	if (json_type(kube_get(k, status, S("allocatable"))) != JSON_OBJECT)
		g.healthy = g.all;
	return g;
}

static bool has_taint(struct kube *k, struct str node, const char *key, int64_t *ret_since_ms)
{
	struct str list = kube_at(k, node, "spec.taints"), at_key, one;
	for (size_t at = 0; json_next(list, &at, &at_key, &one);)
		if (str_eq(kube_text(k, one, "key"), str_of(key))) {
			*ret_since_ms = kube_time(k, one, "timeAdded");
			return true;
		}
	return false;
}

/* Cordoned, or about to go: what runs goes on. */
static bool is_draining(struct kube *k, struct str node, int64_t *ret_since_ms)
{
	static const char *const taints[] = { "node.kubernetes.io/unschedulable",
		                              "ToBeDeletedByClusterAutoscaler",
		                              "karpenter.sh/disrupted" };
	bool is_cordoned = false;
	*ret_since_ms = TIME_UNKNOWN;
	json_to_bool(kube_at(k, node, "spec.unschedulable"), &is_cordoned);
	for (size_t i = 0; i < sizeof taints / sizeof *taints; i++)
		if (has_taint(k, node, taints[i], ret_since_ms))
			return true;
	return is_cordoned ||
	       json_type(kube_at(k, node, "metadata.deletionTimestamp")) == JSON_STRING;
}

/* The condition Ready: true, false, unknown; not there: not known. */
static struct str ready(struct kube *k, struct str node, int64_t *ret_since_ms)
{
	struct str list = kube_at(k, node, "status.conditions"), key, one, found = STR_NULL;
	for (size_t at = 0; json_next(list, &at, &key, &one);) {
		int64_t since = kube_time(k, one, "lastTransitionTime");
		kube_time(k, one, "lastHeartbeatTime");
		if (!str_eq(kube_text(k, one, "type"), S("Ready")))
			continue;
		*ret_since_ms = since;
		found = kube_text(k, one, "status");
	}
	return found;
}

static struct node_state state_read(struct kube *k, struct str node, int64_t created_ms)
{
	struct str meta = kube_get(k, node, S("metadata")), config = STR_NULL;
	struct node_state s = { CAPACITY_UP, TIME_UNKNOWN, false };
	int64_t since = TIME_UNKNOWN;
	struct str is = ready(k, node, &since);
	json_to_text(&k->a,
	             kube_get(k, kube_get(k, meta, S("labels")), S("nvidia.com/mig.config.state")),
	             &config);
	if (is.n && !str_eq(is, S("True"))) {
		/* it never was ready: it is still on its way up */
		bool is_young = since != TIME_UNKNOWN && created_ms != TIME_UNKNOWN &&
		                since <= created_ms + 60000;
		return (struct node_state){ is_young ? CAPACITY_STARTING : CAPACITY_FAILED, since,
			                    !is_young };
	}
	if (has_taint(k, node, "node.cloudprovider.kubernetes.io/uninitialized", &since))
		return (struct node_state){ CAPACITY_STARTING, created_ms, false };
	if (str_eq(config, S("pending")) || str_eq(config, S("rebooting")))
		return (struct node_state){ CAPACITY_PLANNED, TIME_UNKNOWN, false };
	if (is_draining(k, node, &s.since_ms))
		s.state = CAPACITY_DRAINING;
	return s;
}

/* Times that only the end of the input knows are left out: kube_end puts them in. */
static void capacity_add(struct kube *k, sym id, const struct gpus *g, const struct node_state *s,
                         int64_t created_ms, int64_t gone_ms)
{
	struct capacity c = { .pool = id,
		              .node = id,
		              .model = g->model,
		              .source = facts_word(k->f, S("kubernetes")),
		              .at_ms = k->object_ms,
		              .from_ms = created_ms,
		              .to_ms = gone_ms != TIME_UNKNOWN ? gone_ms : s->since_ms };
	if (created_ms != TIME_UNKNOWN) { /* before its present state began it was up */
		c.is_unseen = true;
		c.count = g->all;
		*vec_push(&k->f->capacity) = c;
	}
	if (gone_ms != TIME_UNKNOWN)
		return;
	c.is_unseen = false;
	c.from_ms = s->since_ms;
	c.to_ms = TIME_UNKNOWN;
	c.state = s->state;
	c.gone = s->gone;
	c.count = s->gone ? g->all : g->healthy;
	*vec_push(&k->f->capacity) = c;
	if (c.count == g->all)
		return;
	struct str name = names_word(&k->f->names, id);
	auto_text t = TEXT_NULL;
	text_printf(&t, "%.*s (unhealthy)", STR_FMT(name));
	c.node = facts_word(k->f, text_str(&t));
	c.count = g->all - g->healthy;
	c.state = s->state == CAPACITY_STARTING ? s->state : CAPACITY_FAILED;
	c.from_ms = TIME_UNKNOWN;
	c.gone = false;
	*vec_push(&k->f->capacity) = c;
}

void kube_node_read(struct kube *k, struct str node, bool is_deleted, uint64_t line)
{
	struct facts *f = k->f;
	struct str meta = kube_get(k, node, S("metadata")), status = kube_get(k, node, S("status"));
	struct str name = kube_text(k, meta, "name");
	int64_t created = kube_time(k, meta, "creationTimestamp"), gone = TIME_UNKNOWN;
	if (!name.n) {
		facts_reject(f, line, "a node without a name");
		return;
	}
	struct node_state s = state_read(k, node, created);
	struct gpus g = gpus_read(k, meta, status);
	if (!g.all)
		return;
	if (is_deleted) {
		gone = kube_time_ahead(k, meta, "deletionTimestamp");
		gone = gone != TIME_UNKNOWN ? gone : k->object_ms;
	}
	struct node *n = vec_push(&f->nodes);
	*n = (struct node){ .id = facts_word(f, name),
		            .model = g.model,
		            .gpus = g.all,
		            .cpus = COUNT_UNKNOWN,
		            .cpu_milli =
		                    kube_quantity_milli(k, kube_at(k, status, "allocatable.cpu")),
		            .memory_mib =
		                    kube_mebibytes(k, kube_at(k, status, "allocatable.memory")),
		            .part_num = (uint32_t)g.part.num,
		            .part_den = (uint32_t)g.part.den };
	sym id = n->id;
	capacity_add(k, id, &g, &s, created, gone);
}
