/* SPDX-License-Identifier: Apache-2.0 */
#include "account/group.h"

#include <stdlib.h>

#include "base/option.h"

const struct group_key_info group_keys[GROUP_KEY_COUNT] = {
#define GROUP_KEY(id, name, help) { name, help },
#include "account/group_keys.def"
#undef GROUP_KEY
};

static const char *const basis_names[] = { "on_demand", "spot", "committed", "owned" };
static const char *const evidence_names[EVIDENCE_COUNT] = { "scheduler", "profile", "weak",
	                                                    "inferred", "none" };

enum err_code group_by_add(struct group_by *by, struct str word, struct err *err)
{
	const char *near = NULL;
	struct str name = word, label = STR_NULL;
	int key = -1;
	if (str_starts(word, S("label:"))) {
		name = S("label");
		label = str_sub(word, 6, word.n);
	}
	for (int i = 0; i < GROUP_KEY_COUNT; i++) {
		if (str_eq(name, str_of(group_keys[i].name)))
			key = i;
		option_nearest(name, group_keys[i].name, &near);
	}
	if (key == GROUP_LABEL && !label.n)
		return err_set(err, ERR_USAGE, "label needs a name: label:NAME");
	if (key < 0)
		return err_set(err, ERR_USAGE, "cannot group by '%.*s'%s%s%s", STR_FMT(word),
		               near ? "\nhint: did you mean '" : "", near ? near : "",
		               near ? "'?" : "");
	for (size_t i = 0; i < by->n; i++)
		if (by->keys[i] == (enum group_key)key && str_eq(by->labels[i], label))
			return err_set(err, ERR_USAGE, "'%.*s' is given twice", STR_FMT(word));
	if (by->n == GROUP_KEYS_MAX)
		return err_set(err, ERR_USAGE, "more than %u keys to group by", GROUP_KEYS_MAX);
	by->keys[by->n] = (enum group_key)key;
	by->labels[by->n++] = label;
	return ERR_OK;
}

bool group_by_has(const struct group_by *by, enum group_key key)
{
	for (size_t i = 0; i < by->n; i++)
		if (by->keys[i] == key)
			return true;
	return false;
}

struct view {
	const struct group_by *by;
	const struct ledger *l;
	const struct facts *f;
	const struct cost *c;
};

static struct str label_value(const struct facts *f, struct word_list labels, struct str name)
{
	const sym *pairs = job_words(f, labels);
	for (uint32_t i = 0; i < labels.n; i++)
		if (str_eq(names_word(&f->names, pairs[2 * i]), name))
			return names_word(&f->names, pairs[2 * i + 1]);
	return STR_NULL;
}

static struct str run_word(const struct view *v, uint32_t job)
{
	uint32_t first = v->l->run_of[job];
	const struct job *j = &v->f->jobs.v[first];
	const struct job_traits t = job_traits(v->f, j);
	return t.run ? names_word(&v->f->names, t.run) : job_id(v->f, j);
}

static struct str job_word(const struct view *v, enum group_key key, uint32_t job, struct str label)
{
	if (job == NONE)
		return STR_NULL;
	const struct job *j = &v->f->jobs.v[job];
	const struct job_traits t = job_traits(v->f, j);
	const struct names *n = &v->f->names;
	switch (key) {
	case GROUP_JOB:
		return job_id(v->f, j);
	case GROUP_RUN:
		return run_word(v, job);
	case GROUP_USER:
		return names_word(n, t.user);
	case GROUP_TEAM:
		return names_word(n, t.team);
	case GROUP_QUEUE:
		return names_word(n, t.queue);
	case GROUP_CLUSTER:
		return names_word(n, t.cluster);
	case GROUP_KIND:
		return str_of(kind_names[j->kind]);
	case GROUP_SERVICE:
		return j->kind != KIND_SERVICE ? STR_NULL
		       : j->name               ? names_word(n, j->name)
		                               : job_id(v->f, j);
	case GROUP_OUTCOME:
		return str_of(outcomes[v->l->outcome_of[job]].name);
	case GROUP_LABEL:
		return label_value(v->f, t.labels, label);
	default:
		return STR_NULL;
	}
}

static struct str cell_word(const struct view *v, size_t key, size_t at)
{
	const struct cell *c = &v->l->cells.v[at];
	const struct place *p = &v->l->places.v[c->place];
	const struct names *n = &v->f->names;
	switch (v->by->keys[key]) {
	case GROUP_CLUSTER:
		return p->cluster ? names_word(n, p->cluster)
		                  : job_word(v, GROUP_CLUSTER, c->job, STR_NULL);
	case GROUP_NODE:
		return names_word(n, p->node);
	case GROUP_POOL:
		return names_word(n, p->pool);
	case GROUP_MODEL:
		return names_word(n, p->model);
	case GROUP_UUID:
		return names_word(n, p->device);
	case GROUP_BASIS:
		return !v->c->price_of || v->c->price_of[at] == NONE
		               ? STR_NULL
		               : str_of(basis_names[v->f->prices.v[v->c->price_of[at]].basis]);
	case GROUP_DAY:
		return str_of(v->by->bucket_days ? v->by->bucket_days[c->bucket] : "");
	case GROUP_HOUR:
		return str_of(v->by->bucket_hours ? v->by->bucket_hours[c->bucket] : "");
	case GROUP_ACCOUNT:
		return str_of(accounts[account_of(c->state, c->fate)].name);
	case GROUP_STATE:
		return str_of(states[c->state].name);
	case GROUP_FATE:
		return str_of(fates[c->fate].name);
	case GROUP_EVIDENCE:
		return str_of(evidence_names[c->evidence]);
	case GROUP_JOB:
	case GROUP_RUN:
		if (c->job == NONE && c->state >= STATE_SETUP && c->state != STATE_UNKNOWN)
			return S("unscheduled"); /* ledger.md 4, rule 9: one implicit job */
		break;
	default:
		break;
	}
	return job_word(v, v->by->keys[key], c->job, v->by->labels[key]);
}

struct str group_word(const struct group_by *by, size_t key, const struct ledger *l,
                      const struct facts *f, const struct cost *c, size_t cell)
{
	const struct view v = { by, l, f, c };
	return cell_word(&v, key, cell);
}

/* Keys one after the other become one number: (number so far, word) -> number. */
static uint32_t chain(struct map *m, uint32_t *n, uint32_t head, sym word)
{
	uint32_t *at = map_at(m, (uint64_t)head << 32 | word);
	if (!*at)
		*at = ++*n;
	return *at;
}

struct order {
	const struct groups *g;
	size_t keys;
};

static int group_compare(const void *x, const void *y, void *arg)
{
	const struct order *o = arg;
	const struct group *a = x, *b = y;
	for (size_t i = 0; i < o->keys; i++) {
		if (a->keys[i] == b->keys[i])
			continue;
		if (!a->keys[i] || !b->keys[i])
			return a->keys[i] ? -1 : 1;
		return str_cmp_natural(names_word(&o->g->names, a->keys[i]),
		                       names_word(&o->g->names, b->keys[i]));
	}
	return 0;
}

/* Sorts the groups, and puts each cell's index behind those of its group. */
static void place_cells(struct arena *a, struct groups *g, const uint32_t *group_of, size_t n,
                        size_t keys)
{
	auto_arena scratch = ARENA_NULL;
	size_t at = 0;
	for (size_t i = 0; i < n; i++)
		g->v.v[group_of[i]].cells_n++;
	for (size_t i = 0; i < g->v.n; at += g->v.v[i++].cells_n)
		g->v.v[i].cells_at = at;
	size_t *next = ARENA_ARRAY(&scratch, size_t, g->v.n + 1);
	for (size_t i = 0; i < g->v.n; i++)
		next[i] = g->v.v[i].cells_at;
	g->cells = ARENA_ARRAY(a, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++)
		g->cells[next[group_of[i]]++] = (uint32_t)i;
	struct order o = { g, keys };
	if (g->v.n > 1)
		qsort_r(g->v.v, g->v.n, sizeof *g->v.v, group_compare, &o);
}

void group_build(struct arena *a, const struct group_by *by, const struct ledger *l,
                 const struct facts *f, const struct cost *c, struct groups *ret_groups)
{
	const struct view v = { by, l, f, c };
	auto_arena scratch = ARENA_NULL;
	struct groups g = { 0 };
	struct map seen = MAP_NULL, index = MAP_NULL;
	uint32_t *group_of = ARENA_ARRAY(&scratch, uint32_t, l->cells.n + 1);
	uint32_t numbers = 0;
	for (size_t i = 0; i < l->cells.n; i++) {
		struct group now = { 0 };
		uint32_t id = 0;
		for (size_t k = 0; k < by->n; k++) {
			now.keys[k] = names_add(&g.names, cell_word(&v, k, i));
			id = chain(&seen, &numbers, id, now.keys[k]);
		}
		uint32_t *at = map_at(&index, id);
		if (!*at) {
			*vec_push(&g.v) = now;
			*at = (uint32_t)g.v.n;
		}
		group_of[i] = *at - 1;
		g.v.v[group_of[i]].units += l->cells.v[i].units;
	}
	place_cells(a, &g, group_of, l->cells.n, by->n);
	map_deinit(&seen);
	map_deinit(&index);
	*ret_groups = g;
}

void groups_deinit(struct groups *g)
{
	names_deinit(&g->names);
	vec_deinit(&g->v);
}
