/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/tres.h"
#include "parse/when.h"
#include "read/slurm_json.h"

/* What the words of a node's state make of its capacity, first match from the top (scontrol(1),
   sinfo(1), NODE STATE CODES). PLANNED is no maintenance: backfill means to use the node. */
static const struct {
	const char *word;
	enum capacity_state state;
	bool gone;
} node_states[] = {
	{ "MAINT", CAPACITY_PLANNED, false },
	{ "MAINTENANCE", CAPACITY_PLANNED, false },
	{ "DOWN", CAPACITY_FAILED, true },
	{ "NOT_RESPONDING", CAPACITY_FAILED, true },
	{ "NO_RESPOND", CAPACITY_FAILED, true },
	{ "ERROR", CAPACITY_FAILED, true },
	{ "POWERED_DOWN", CAPACITY_STARTING, false },
	{ "POWERING_DOWN", CAPACITY_STARTING, false },
	{ "POWER_DOWN", CAPACITY_STARTING, false },
	{ "POWERING_UP", CAPACITY_STARTING, false },
	{ "POWER_UP", CAPACITY_STARTING, false },
	{ "REBOOT", CAPACITY_STARTING, false },
	{ "REBOOT_ISSUED", CAPACITY_STARTING, false },
	{ "REBOOT_REQUESTED", CAPACITY_STARTING, false },
	{ "DRAIN", CAPACITY_DRAINING, false },
	{ "DRAINED", CAPACITY_DRAINING, false },
	{ "DRAINING", CAPACITY_DRAINING, false },
	{ "FAIL", CAPACITY_DRAINING, false },
	{ "FAILING", CAPACITY_DRAINING, false },
	{ "INVALID_REG", CAPACITY_DRAINING, false },
};

/* A node's state; "state_flags" stands beside it in v0.0.36 to v0.0.38. */
struct node_words {
	struct str state, flags;
};

static struct node_words node_states_of(struct str node)
{
	struct node_words s = { json_get(node, S("state")), json_get(node, S("state_flags")) };
	if (json_type(s.state) == JSON_ABSENT) /* sinfo --json */
		s.state = json_get(json_get(node, S("node")), S("state"));
	return s;
}

static bool states_have(struct slurm_nodes *n, const struct node_words *s, const char *word)
{
	return slurm_json_has(n->a, s->state, word) || slurm_json_has(n->a, s->flags, word);
}

static void node_state(struct slurm_nodes *n, const struct node_words *s, struct capacity *c)
{
	for (size_t i = sizeof node_states / sizeof *node_states; i > 0; i--)
		if (states_have(n, s, node_states[i - 1].word)) {
			c->state = node_states[i - 1].state;
			c->gone |= node_states[i - 1].gone;
		}
}

/* "gpu:h100:4(S:0-1)", or sinfo's {"total": "gpu:4"}, or the node's TRES. */
static bool node_gpus(struct slurm_nodes *n, struct str node, struct tres_counts *ret)
{
	struct str gres = json_get(node, S("gres"));
	if (json_type(gres) == JSON_OBJECT)
		gres = json_get(gres, S("total"));
	struct str text = slurm_json_text(n->a, gres);
	if (tres_parse(text, NULL, 0, ret) == TRES_OK && (ret->gpus || ret->instances))
		return true;
	text = slurm_json_tres(n->a, json_get(node, S("tres")));
	return tres_parse(text, NULL, 0, ret) == TRES_OK;
}

static int64_t time_at(struct str node, const char *key)
{
	int64_t ms;
	struct str t = slurm_json_number(json_get(node, str_of(key)));
	return when_parse(t, NULL, &ms) == WHEN_OK ? ms : TIME_UNKNOWN;
}

static void node_capacity(struct slurm_nodes *n, struct str node, const struct node_words *words,
                          const struct node *place)
{
	struct capacity c = { .pool = place->id,
		              .node = place->id,
		              .model = place->model,
		              .source = facts_word(n->f, S("slurm")),
		              .count = place->gpus,
		              .from_ms = TIME_UNKNOWN,
		              .to_ms = TIME_UNKNOWN,
		              .at_ms = TIME_UNKNOWN,
		              .is_snapshot = true };
	node_state(n, words, &c);
	if (c.state != CAPACITY_UP) /* since when */
		c.from_ms = time_at(node, "reason_changed_at");
	*vec_push(&n->f->capacity) = c;
}

static void node_add(struct slurm_nodes *n, struct str node, struct str name)
{
	struct facts *f = n->f;
	struct tres_counts gpus;
	int64_t cpus;
	struct node place = { .id = facts_word(f, name),
		              .gpus = COUNT_UNKNOWN,
		              .cpus = COUNT_UNKNOWN };
	uint32_t *seen = map_at(&n->seen, place.id);
	if (*seen) /* sinfo lists a node once for each of its partitions */
		return;
	*seen = 1;
	struct node_words words = node_states_of(node);
	if (states_have(n, &words, "FUTURE")) {
		facts_note(f, "Nodes in state FUTURE do not exist yet and were left out.");
		return;
	}
	struct str partitions = json_get(node, S("partitions")), key, first = STR_NULL;
	size_t at = 0;
	if (!json_next(partitions, &at, &key, &first))
		first = json_get(json_get(node, S("partition")), S("name"));
	place.partition = facts_word(f, slurm_json_text(n->a, first));
	if (json_to_i64(slurm_json_number(json_get(node, S("cpus"))), &cpus) && cpus >= 0 &&
	    cpus < COUNT_UNKNOWN)
		place.cpus = (uint32_t)cpus;
	if (node_gpus(n, node, &gpus)) {
		place.gpus = gpus.gpus;
		if (gpus.instances && gpus.slices_per_gpu) /* at least so many whole ones */
			place.gpus += (gpus.slices + gpus.slices_per_gpu - 1) / gpus.slices_per_gpu;
		place.model = gpus.has_models ? 0 : facts_word(f, gpus.model);
	}
	*vec_push(&f->nodes) = place;
	if (place.gpus && place.gpus != COUNT_UNKNOWN)
		node_capacity(n, node, &words, &place);
}

void slurm_nodes_read(struct slurm_nodes *n, struct str node, uint64_t line)
{
	struct str name = slurm_json_get(n->a, node, "name");
	struct str names = json_get(json_get(node, S("nodes")), S("nodes")), key, value;
	size_t at = 0;
	if (!name.n)
		name = slurm_json_get(n->a, node, "hostname");
	if (name.n) {
		node_add(n, node, name);
		return;
	}
	if (json_type(names) != JSON_LIST) {
		facts_reject(n->f, line, "a node without a name");
		return;
	}
	while (json_next(names, &at, &key, &value)) /* sinfo --json: nodes that are alike */
		if (json_to_text(n->a, value, &name))
			node_add(n, node, name);
}

void slurm_nodes_end(struct slurm_nodes *n, int64_t at_ms)
{
	for (size_t i = n->capacity_at; i < n->f->capacity.n; i++)
		n->f->capacity.v[i].at_ms = at_ms;
	map_deinit(&n->seen);
}
