/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot: what is metered (B.1): a device, each MIG instance, and what the instances leave; and the
 * nodes they stand in.
 */
#include <stdlib.h>

#include "account/layout.h"
#include "account/meter.h"
#include "facts/accelerator.h"

struct draft {
	struct slot slot;
	struct str device, instance;
};

static int draft_order(const void *x, const void *y)
{
	const struct draft *a = x, *b = y;
	int c = str_cmp(a->device, b->device);
	if (c)
		return c;
	int rest = (a->slot.kind == SLOT_REMAINDER) - (b->slot.kind == SLOT_REMAINDER);
	c = rest ? rest : str_cmp(a->instance, b->instance);
	if (c)
		return c;
	int64_t x_ms = a->slot.exists.from_ms, y_ms = b->slot.exists.from_ms;
	return x_ms < y_ms ? -1 : x_ms > y_ms;
}

static const struct span always = { INT64_MIN, INT64_MAX };

static struct draft draft_of(const struct meter *m, const struct device *d, enum slot_kind kind,
                             sym instance, uint32_t weight, struct span exists)
{
	const struct names *t = &m->f->names;
	return (struct draft){ .slot = { .device = d->id,
		                         .instance = instance,
		                         .node = d->node,
		                         .model = d->model,
		                         .kind = kind,
		                         .weight = weight,
		                         .exists = exists,
		                         .series = NONE },
		               .device = names_word(t, d->id),
		               .instance = names_word(t, instance) };
}

struct drafts {
	VEC(struct draft) v;
	struct layouts layouts;
	struct layout parts; /* of the device at hand */
};

static void draft_device(struct meter *m, const struct device *d, struct drafts *ds)
{
	const struct facts *f = m->f;
	if (!d->mig) {
		*vec_push(&ds->v) = draft_of(m, d, SLOT_DEVICE, 0, GRID, always);
		return;
	}
	uint32_t slices =
	        d->slices ? d->slices : accelerator_mig_slices(names_word(&f->names, d->model));
	if (!layout_of(&ds->layouts, d->id, slices, &ds->parts)) {
		*vec_push(&ds->v) = draft_of(m, d, SLOT_UNWEIGHED, 0, GRID, always);
		return;
	}
	for (size_t i = 0; i < ds->parts.v.n; i++) {
		const struct layout_part *p = &ds->parts.v.v[i];
		enum slot_kind kind = !p->instance           ? SLOT_REMAINDER
		                      : p->instance == d->id ? SLOT_DEVICE
		                                             : SLOT_INSTANCE;
		*vec_push(&ds->v) = draft_of(m, d, kind, kind == SLOT_INSTANCE ? p->instance : 0,
		                             p->weight, p->exists);
	}
}

/* A device that only capacity, allocations or samples name: no node, no model (D.1). */
static void draft_named(struct meter *m, sym id, struct map *known, struct drafts *ds)
{
	if (!id || map_get(known, id))
		return;
	*map_at(known, id) = 1;
	struct device d = { .id = id };
	draft_device(m, &d, ds);
}

struct listed {
	VEC(struct device) v;
};

/* Each device once: what the first input that lists it does not say, a later one may. */
static void list_devices(const struct facts *f, struct map *known, struct listed *ret)
{
	for (size_t i = 0; i < f->devices.n; i++) {
		const struct device *d = &f->devices.v[i];
		uint32_t *at = map_at(known, d->id);
		if (!*at) {
			*vec_push(&ret->v) = *d;
			*at = (uint32_t)ret->v.n;
			continue;
		}
		struct device *first = &ret->v.v[*at - 1];
		first->node = first->node ? first->node : d->node;
		first->model = first->model ? first->model : d->model;
		first->slices = first->slices ? first->slices : d->slices;
		first->mig |= d->mig;
	}
}

static void draft_all(struct meter *m, struct drafts *ds)
{
	const struct facts *f = m->f;
	struct map known = MAP_NULL;
	struct listed listed = { { 0 } };
	layouts_build(&ds->layouts, f);
	list_devices(f, &known, &listed);
	for (size_t i = 0; i < listed.v.n; i++)
		draft_device(m, &listed.v.v[i], ds);
	for (size_t i = 0; i < f->instances.n; i++)
		*map_at(&known, f->instances.v[i].id) = 1;
	for (size_t i = 0; i < f->capacity.n; i++)
		draft_named(m, f->capacity.v[i].device, &known, ds);
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *al = &f->allocations.v[i];
		if (al->on == CLAIM_DEVICE || al->on == CLAIM_INSTANCE)
			draft_named(m, al->place, &known, ds);
	}
	for (size_t i = 0; i < m->source->n; i++)
		draft_named(m, m->source->v[i].device, &known, ds);
	map_deinit(&known);
	vec_deinit(&listed.v);
	vec_deinit(&ds->parts.v);
	layouts_deinit(&ds->layouts);
}

uint32_t meter_place(struct meter *m, struct place place)
{
	*vec_push(&m->out->places) = place;
	return (uint32_t)m->out->places.n - 1;
}

/* One site a node; slots without a node stand alone. */
static void sites_build(struct meter *m)
{
	struct map at = MAP_NULL;
	for (uint32_t i = 0; i < m->slots.n; i++) {
		struct slot *s = &m->slots.v[i];
		uint32_t *site = s->node ? map_at(&at, s->node) : NULL;
		if (!site || !*site) {
			*vec_push(&m->sites) = (struct site){ .node = s->node };
			if (site)
				*site = (uint32_t)m->sites.n;
		}
		s->site = site ? *site - 1 : (uint32_t)m->sites.n - 1;
		m->sites.v[s->site].slots_n++;
		if (s->node)
			*map_at(&m->site_of, s->node) = s->site + 1;
	}
	uint32_t sum = 0;
	for (size_t i = 0; i < m->sites.n; i++) {
		m->sites.v[i].slots_at = sum;
		sum += m->sites.v[i].slots_n;
		m->sites.v[i].slots_n = 0;
	}
	vec_reserve(&m->site_slots, m->slots.n + 1);
	m->site_slots.n = m->slots.n;
	for (uint32_t i = 0; i < m->slots.n; i++) {
		struct site *site = &m->sites.v[m->slots.v[i].site];
		m->site_slots.v[site->slots_at + site->slots_n++] = i;
	}
	map_deinit(&at);
}

void slot_build(struct meter *m)
{
	struct drafts ds = { .v = { 0 } };
	draft_all(m, &ds);
	vec_sort(&ds.v, draft_order);
	for (size_t i = 0; i < ds.v.n; i++) {
		struct slot s = ds.v.v[i].slot;
		s.series = NONE;
		s.cover = (struct span){ TIME_UNKNOWN, TIME_UNKNOWN };
		s.place =
		        meter_place(m, (struct place){ .device = s.instance ? s.instance : s.device,
		                                       .node = s.node,
		                                       .model = s.model });
		*vec_push(&m->slots) = s;
		uint32_t *first = map_at(&m->slot_of, s.device);
		if (!*first)
			*first = (uint32_t)i + 1;
		if (s.instance && !map_get(&m->slot_of, s.instance))
			*map_at(&m->slot_of, s.instance) = (uint32_t)i + 1;
	}
	vec_deinit(&ds.v);
	sites_build(m);
}
