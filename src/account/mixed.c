/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mixed: nodes with several kinds of GPU (decision J.10). Each kind is a pool of its own, if every
 * allocation on the node names a kind that it has; else nobody can say which kind was held, and the
 * node stays one pool of a kind that is not known.
 */
#include "account/mixed.h"

#include "base/hostlist.h"

static uint64_t key_of(sym node, sym model)
{
	return (uint64_t)node << 32 | model;
}

struct look {
	struct meter *m;
	sym model;
};

static void judge(struct meter *m, sym node, sym model)
{
	uint32_t *mixed = node ? map_at(&m->mixed, node) : NULL;
	if (mixed && *mixed && !map_get(&m->part_of, key_of(node, model)))
		*mixed = MIXED_AS_ONE;
}

static void judge_host(void *context, struct str name)
{
	const struct look *l = context;
	judge(l->m, names_find(&l->m->f->names, name), l->model);
}

void mixed_build(struct meter *m)
{
	const struct facts *f = m->f;
	bool any = false;
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *c = &f->capacity.v[i];
		if (!c->is_part)
			continue;
		*map_at(&m->mixed, c->node) = MIXED_APART;
		*map_at(&m->part_of, key_of(c->node, c->model)) = NONE; /* its pool comes later */
		any = true;
	}
	for (size_t i = 0; i < f->allocations.n && any; i++) {
		const struct allocation *al = &f->allocations.v[i];
		struct look l = { m, al->model };
		uint32_t n;
		struct str list = names_word(&f->names, al->place);
		if (al->on == CLAIM_NODES && hostlist_count(list, &n) == HOSTLIST_OK)
			(void)hostlist_each(list, judge_host, &l);
		else if (al->on == CLAIM_GPU)
			judge_host(&l, claim_gpu_node(list));
		else if (al->on != CLAIM_DEVICE && al->on != CLAIM_INSTANCE)
			judge(m, al->place, al->model);
	}
}

bool mixed_as_one(const struct meter *m, sym node)
{
	const uint32_t *mixed = map_get(&m->mixed, node);
	return mixed && *mixed == MIXED_AS_ONE;
}

const uint32_t *mixed_pool(const struct meter *m, sym node, sym model)
{
	const uint32_t *pool = map_get(&m->part_of, key_of(node, model));
	return pool && *pool != NONE ? pool : NULL;
}
