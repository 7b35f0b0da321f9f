/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "parse/when.h"
#include "read/slurm_json.h"
#include "read/slurm_node.h"

/* The words that are a node's state, joined as scontrol joins them; newer words are left out. */
static void state_add(struct slurm_nodes *n, struct text *t, struct str raw)
{
	struct str words = slurm_json_text(n->a, raw), word;
	enum slurm_node_class class;
	while (str_cut(&words, ',', &word)) {
		if (!slurm_node_state(word, &class)) {
			if (word.n)
				facts_note(n->f, "A node's state has words that are not known; "
				                 "they were left out.");
			continue;
		}
		text_add(t, t->n ? S("+") : STR_NULL);
		text_add(t, word);
	}
}

/* ["IDLE", "DRAIN"]; "idle" with "state_flags" beside it (v0.0.36 to v0.0.38); sinfo --json has it
   one level down. */
static struct str node_state(struct slurm_nodes *n, struct str node)
{
	auto_text t = TEXT_NULL;
	struct str state = json_get(node, S("state"));
	if (json_type(state) == JSON_ABSENT)
		state = json_get(json_get(node, S("node")), S("state"));
	state_add(n, &t, state);
	state_add(n, &t, json_get(node, S("state_flags")));
	return str_dup(n->a, text_str(&t));
}

/* "gpu:h100:4(S:0-1)", or sinfo's {"total": "gpu:4"}, or the node's TRES. */
static struct str node_gres(struct slurm_nodes *n, struct str node)
{
	struct str gres = json_get(node, S("gres"));
	if (json_type(gres) == JSON_OBJECT)
		gres = json_get(gres, S("total"));
	gres = slurm_json_text(n->a, gres);
	if (str_find(gres, S("gpu")) < gres.n)
		return gres;
	struct str tres = slurm_json_tres(n->a, json_get(node, S("tres")));
	return tres.n ? tres : gres;
}

static struct str node_partition(struct slurm_nodes *n, struct str node)
{
	struct str first = STR_NULL, key;
	size_t at = 0;
	if (!json_next(json_get(node, S("partitions")), &at, &key, &first))
		first = json_get(json_get(node, S("partition")), S("name"));
	return slurm_json_text(n->a, first);
}

static void node_add(struct slurm_nodes *n, struct str node, struct str name, uint64_t line)
{
	uint32_t *seen = map_at(&n->seen, facts_word(n->f, name));
	struct str since = slurm_json_number(json_get(node, S("reason_changed_at")));
	struct slurm_node s = { .name = name, .since_ms = TIME_UNKNOWN, .at_ms = TIME_UNKNOWN };
	const char *why = NULL;
	int64_t v;
	if (*seen) /* sinfo lists a node once for each of its partitions */
		return;
	*seen = 1;
	s.partition = node_partition(n, node);
	s.gres = node_gres(n, node);
	s.state = node_state(n, node);
	if (when_parse(since, NULL, &v) == WHEN_OK)
		s.since_ms = v;
	slurm_node_room(
	        &s, (struct slurm_room){
	                    .cpus = slurm_json_number(json_get(node, S("cpus"))),
	                    .cpus_for_jobs = slurm_json_number(json_get(node, S("effective_cpus"))),
	                    .memory = slurm_json_number(json_get(node, S("real_memory"))),
	                    .memory_kept =
	                            slurm_json_number(json_get(node, S("specialized_memory"))) });
	if (!slurm_node_add(n->f, &s, S("slurm"), &why))
		facts_reject(n->f, line, "%.*s: %s", STR_FMT(str_sub(name, 0, 60)), why);
}

void slurm_nodes_read(struct slurm_nodes *n, struct str node, uint64_t line)
{
	struct str name = slurm_json_get(n->a, node, "name");
	struct str names = json_get(json_get(node, S("nodes")), S("nodes")), key, value;
	size_t at = 0;
	if (!name.n)
		name = slurm_json_get(n->a, node, "hostname");
	if (name.n) {
		node_add(n, node, name, line);
		return;
	}
	if (json_type(names) != JSON_LIST) {
		facts_reject(n->f, line, "a node without a name");
		return;
	}
	while (json_next(names, &at, &key, &value)) /* sinfo --json: nodes that are alike */
		if (json_to_text(n->a, value, &name))
			node_add(n, node, name, line);
}

void slurm_nodes_end(struct slurm_nodes *n, int64_t at_ms)
{
	for (size_t i = n->capacity_at; i < n->f->capacity.n; i++)
		n->f->capacity.v[i].at_ms = at_ms;
	map_deinit(&n->seen);
}
