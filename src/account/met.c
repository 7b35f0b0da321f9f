/* SPDX-License-Identifier: Apache-2.0 */
#include "account/met.h"

#include "base/hostlist.h"

struct look {
	const struct facts *f;
	const struct map *nodes;
	bool same;
};

static void look_at(void *context, struct str name)
{
	struct look *l = context;
	sym node = names_find(&l->f->names, name);
	l->same |= node && map_get(l->nodes, node);
}

struct met met_look(const struct facts *f)
{
	struct map nodes = MAP_NULL;
	struct look l = { f, &nodes, false };
	struct met met = { 0 };
	for (size_t i = 0; i < f->devices.n; i++) {
		sym node = f->devices.v[i].node;
		if (node)
			*map_at(&nodes, node) = 1;
		met.read = met.read ? met.read : node;
	}
	for (size_t i = 0; i < f->allocations.n && !l.same; i++) {
		const struct allocation *al = &f->allocations.v[i];
		struct str place = names_word(&f->names, al->place);
		uint32_t n;
		if (al->on != CLAIM_NODE && al->on != CLAIM_NODES)
			continue;
		met.held = met.held ? met.held : al->place;
		if (al->on == CLAIM_NODES && hostlist_count(place, &n) == HOSTLIST_OK)
			(void)hostlist_each(place, look_at, &l);
		else
			look_at(&l, place);
	}
	map_deinit(&nodes);
	met.same = l.same;
	return met;
}
