/* SPDX-License-Identifier: Apache-2.0 */
#include "read/slurm_node.h"

#include "parse/tres.h"
#include "parse/when.h"

static const struct {
	const char *word, *other;
	enum slurm_node_class class;
} node_states[] = {
#define NODE_STATE(word, other, class, help) { word, other, SLURM_NODE_##class },
#include "read/slurm_node_states.def"
#undef NODE_STATE
};
#define NODE_STATES (sizeof node_states / sizeof *node_states)

/* The marks behind sinfo's words, by sinfo(1), NODE STATE CODES. */
static bool mark_class(char c, enum slurm_node_class *ret)
{
	static const struct {
		char mark;
		enum slurm_node_class class;
	} marks[] = { { '*', SLURM_NODE_GONE },     { '~', SLURM_NODE_STARTING },
		      { '#', SLURM_NODE_STARTING }, { '!', SLURM_NODE_STARTING },
		      { '%', SLURM_NODE_STARTING }, { '^', SLURM_NODE_STARTING },
		      { '$', SLURM_NODE_PLANNED },  { '@', SLURM_NODE_DRAINING },
		      { '-', SLURM_NODE_UP } };
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (marks[i].mark == c) {
			*ret = marks[i].class;
			return true;
		}
	return false;
}

static bool word_class(struct str word, enum slurm_node_class *ret)
{
	for (size_t i = 0; word.n && i < NODE_STATES; i++)
		if (str_eq_nocase(word, str_of(node_states[i].word)) ||
		    str_eq_nocase(word, str_of(node_states[i].other))) {
			*ret = node_states[i].class;
			return true;
		}
	return false;
}

bool slurm_node_state(struct str word, enum slurm_node_class *ret)
{
	enum slurm_node_class all = SLURM_NODE_UP, c;
	bool is_cloud = false, is_off = false;
	struct str part;
	word = str_trim(word);
	if (!word.n)
		return false;
	while (str_cut(&word, '+', &part)) {
		while (part.n && mark_class(part.p[part.n - 1], &c)) {
			is_off |= part.p[part.n - 1] == '~';
			all = c > all ? c : all;
			part.n--;
		}
		if (!word_class(part, &c))
			return false;
		is_cloud |= str_eq_nocase(part, S("CLOUD"));
		is_off |= str_eq_nocase(part, S("POWERED_DOWN"));
		all = c > all ? c : all;
	}
	*ret = is_cloud && is_off ? SLURM_NODE_ABSENT : all;
	return true;
}

int64_t slurm_node_since(struct str reason, const struct zone *zone)
{
	int64_t ms;
	size_t at = reason.n;
	while (at && reason.p[at - 1] != '@')
		at--;
	struct str time = str_sub(reason, at, reason.n);
	time = str_sub(time, 0, str_find_byte(time, ']'));
	return at && when_parse(time, zone, &ms) == WHEN_OK ? ms : TIME_UNKNOWN;
}

void slurm_node_room(struct slurm_node *n, struct slurm_room room)
{
	uint64_t v, kept;
	n->cpus = COUNT_UNKNOWN;
	n->cpu_milli = n->memory_mib = -1;
	if (str_to_u64(room.cpus, &v) && v < COUNT_UNKNOWN)
		n->cpus = (uint32_t)v;
	if (str_to_u64(room.cpus_for_jobs, &v) && v && v < n->cpus)
		n->cpu_milli = (int64_t)v * 1000;
	if (!str_to_u64(room.memory, &v) || v <= 1 || v > INT64_MAX)
		return; /* 1 MiB is what slurm.conf has where nobody said it */
	if (!str_to_u64(room.memory_kept, &kept))
		kept = 0;
	n->memory_mib = (int64_t)(kept < v ? v - kept : v);
}

static enum capacity_state capacity_of(enum slurm_node_class c)
{
	return c == SLURM_NODE_GONE       ? CAPACITY_FAILED
	       : c == SLURM_NODE_STARTING ? CAPACITY_STARTING
	       : c == SLURM_NODE_PLANNED  ? CAPACITY_PLANNED
	       : c == SLURM_NODE_DRAINING ? CAPACITY_DRAINING
	                                  : CAPACITY_UP;
}

/* GPUs of one model in a node. */
struct kind {
	sym model;
	uint32_t gpus, slices, slices_per_gpu;
};
#define KINDS_MAX 16

static bool add_kind(struct kind *kinds, size_t *n, struct kind k)
{
	for (size_t i = 0; i < *n; i++)
		if (kinds[i].model == k.model) {
			kinds[i].gpus += k.gpus;
			kinds[i].slices += k.slices;
			if (k.slices_per_gpu)
				kinds[i].slices_per_gpu = k.slices_per_gpu;
			return kinds[i].gpus <= GPUS_MAX && kinds[i].slices <= GPUS_MAX;
		}
	if (*n == KINDS_MAX)
		return false;
	kinds[(*n)++] = k;
	return true;
}

/* TRES of the form a=b are one answer; GRES items are looked at one by one, a model each. */
static bool find_kinds(struct facts *f, struct str gres, struct kind *kinds, size_t *ret_n)
{
	struct str item;
	struct tres_counts c;
	bool is_tres = str_find_byte(gres, '=') < gres.n;
	*ret_n = 0;
	while (is_tres ? (item = gres, gres = S(""), item.n > 0) : tres_cut_item(&gres, &item)) {
		enum tres answer = tres_parse(item, NULL, 0, &c);
		if (answer == TRES_BAD)
			return false;
		if (answer == TRES_OK && (c.gpus || c.slices) &&
		    !add_kind(kinds, ret_n,
		              (struct kind){ facts_word(f, c.model), c.gpus, c.slices,
		                             c.slices_per_gpu }))
			return false;
	}
	for (size_t i = 0; i < *ret_n; i++)
		if (kinds[i].slices) {
			facts_note(f, "Nodes list MIG instances only: their GPUs were counted from "
			              "the instances' slices.");
			kinds[i].gpus += (kinds[i].slices + kinds[i].slices_per_gpu - 1) /
			                 kinds[i].slices_per_gpu;
		}
	return true;
}

/* One entry a node: of several with one pool and source a later one would replace the others. */
static void add_capacity(struct facts *f, const struct slurm_node *n, sym pool, sym id, sym model,
                         uint32_t gpus, enum slurm_node_class class, sym source)
{
	struct capacity c = { .pool = pool,
		              .node = id,
		              .is_part = pool != id,
		              .model = model,
		              .source = source,
		              .count = gpus,
		              .from_ms = n->since_ms,
		              .to_ms = TIME_UNKNOWN,
		              .at_ms = n->at_ms,
		              .state = capacity_of(class),
		              .gone = class == SLURM_NODE_GONE,
		              .is_snapshot = true };
	if (class == SLURM_NODE_UP)
		c.from_ms = TIME_UNKNOWN;
	if (c.from_ms != TIME_UNKNOWN) {
		struct capacity before = c;
		before.from_ms = TIME_UNKNOWN;
		before.to_ms = n->since_ms;
		before.state = CAPACITY_UP;
		before.gone = false;
		*vec_push(&f->capacity) = before;
	}
	*vec_push(&f->capacity) = c;
}

/* A pool for the node; of several kinds that all have a name, one for each. */
static void add_kinds(struct facts *f, const struct slurm_node *n, const struct node *node,
                      const struct kind *kinds, size_t kinds_n, enum slurm_node_class class,
                      sym source)
{
	const sym id = node->id;
	bool named = kinds_n > 1;
	for (size_t i = 0; i < kinds_n; i++)
		named &= kinds[i].model != 0;
	if (!named) {
		add_capacity(f, n, id, id, node->model, node->gpus, class, source);
		return;
	}
	for (size_t i = 0; i < kinds_n; i++) {
		auto_text pool = TEXT_NULL;
		struct str name = names_word(&f->names, id),
		           model = names_word(&f->names, kinds[i].model);
		text_printf(&pool, "%.*s:%.*s", STR_FMT(name), STR_FMT(model));
		add_capacity(f, n, facts_word(f, text_str(&pool)), id, kinds[i].model,
		             kinds[i].gpus, class, source);
	}
}

bool slurm_node_add(struct facts *f, const struct slurm_node *n, struct str source,
                    const char **ret_why)
{
	enum slurm_node_class class;
	struct kind kinds[KINDS_MAX];
	size_t kinds_n = 0;
	if (!n->name.n) {
		*ret_why = "no node name";
		return false;
	}
	if (!slurm_node_state(n->state, &class)) {
		*ret_why = "not a node's state";
		return false;
	}
	if (!find_kinds(f, n->gres, kinds, &kinds_n)) {
		*ret_why = "its GRES cannot be read";
		return false;
	}
	struct tres_counts c;
	bool is_known = n->gres.n && tres_parse(n->gres, NULL, 0, &c) == TRES_OK;
	sym id = facts_word(f, n->name), from = facts_word(f, source);
	struct node *node = vec_push(&f->nodes);
	node->id = id;
	node->cpus = n->cpus;
	node->cpu_milli = n->cpu_milli;
	node->memory_mib = n->memory_mib;
	node->gpus = is_known ? 0 : COUNT_UNKNOWN;
	struct str partitions = n->partition;
	if (str_ends(partitions, S("*"))) /* sinfo, which names one a line, marks the default */
		partitions.n--;
	node->partition = facts_word(f, partitions);
	if (kinds_n == 1)
		node->model = kinds[0].model;
	for (size_t i = 0; is_known && i < kinds_n; i++)
		node->gpus += kinds[i].gpus;
	if (is_known && kinds_n && class != SLURM_NODE_ABSENT)
		add_kinds(f, n, node, kinds, kinds_n, class, from);
	if (kinds_n > 1)
		facts_note(f, "A node has several kinds of GPU: they are told apart if all its "
		              "jobs say which they hold (gres/gpu:KIND).");
	if (class == SLURM_NODE_ABSENT)
		facts_note(f,
		           "Nodes that are only defined, or are powered down in a cloud, were not "
		           "counted as paid for.");
	f->has_scheduler = true;
	return true;
}
