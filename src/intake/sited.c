/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/sited.h"

#include <stdlib.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "facts/accelerator.h"
#include "facts/facts.h"

/* A node with devices. */
struct site {
	sym node, pool, model;
	uint32_t count;  /* the most GPUs that it was said to have */
	uint32_t read;   /* devices */
	uint32_t at, n;  /* in devices */
	bool is_counted; /* by one pool of one kind, which its devices may be of */
};

struct sited {
	struct facts *f;
	struct map site_of; /* by node: 1 + place */
	VEC(struct site) sites;
	VEC(sym) devices; /* ids, node by node */
};

static struct site *site_at(struct sited *s, sym node)
{
	const uint32_t *at = node ? map_get(&s->site_of, node) : NULL;
	return at ? &s->sites.v[*at - 1] : NULL;
}

/* Which node names come up: none, one, or several. */
struct only {
	struct facts *f;
	sym node;
	bool is_several;
};

static void only_see(void *context, struct str name)
{
	struct only *o = context;
	sym node = name.n ? facts_word(o->f, name) : 0;
	o->is_several |= node && o->node && node != o->node;
	o->node = node ? node : o->node;
}

static sym only_node(struct facts *f)
{
	struct only o = { .f = f };
	for (size_t i = 0; i < f->nodes.n; i++)
		only_see(&o, names_word(&f->names, f->nodes.v[i].id));
	for (size_t i = 0; i < f->capacity.n; i++)
		only_see(&o, names_word(&f->names, f->capacity.v[i].node));
	for (size_t i = 0; i < f->allocations.n && !o.is_several; i++) {
		const struct allocation *a = &f->allocations.v[i];
		struct str place = names_word(&f->names, a->place);
		uint32_t n;
		if (a->on == CLAIM_GPU)
			only_see(&o, claim_gpu_node(place));
		else if (a->on == CLAIM_NODE)
			only_see(&o, place);
		else if (a->on == CLAIM_NODES && hostlist_count(place, &n) == HOSTLIST_OK)
			n > 1 ? (void)(o.is_several = true)
			      : (void)hostlist_each(place, only_see, &o);
	}
	return o.is_several ? 0 : o.node;
}

/* Devices without a node, if there are no others, and no two with one number (two machines'). */
static void give_only_node(struct facts *f)
{
	struct map numbers = MAP_NULL;
	bool is_one = f->devices.n > 0;
	for (size_t i = 0; i < f->devices.n; i++) {
		const struct device *d = &f->devices.v[i];
		uint32_t *first = d->number ? map_at(&numbers, d->number) : NULL;
		is_one &= !d->node && (!first || !*first || *first == d->id);
		if (first)
			*first = d->id;
	}
	map_deinit(&numbers);
	sym node = is_one ? only_node(f) : 0;
	for (size_t i = 0; i < f->devices.n && node; i++)
		f->devices.v[i].node = node;
	if (node)
		facts_note(f,
		           "The readings do not say which machine they are of: they were taken to "
		           "be of the only one that is named. FILE@node=NAME says another.");
}

static void find_sites(struct sited *s)
{
	struct facts *f = s->f;
	struct map seen = MAP_NULL;
	for (size_t i = 0; i < f->devices.n; i++) {
		const struct device *d = &f->devices.v[i];
		if (!d->node || *map_at(&seen, d->id))
			continue;
		*map_at(&seen, d->id) = 1;
		uint32_t *at = map_at(&s->site_of, d->node);
		if (!*at) {
			*vec_push(&s->sites) = (struct site){ .node = d->node };
			*at = (uint32_t)s->sites.n;
		}
		s->sites.v[*at - 1].read++;
	}
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *c = &f->capacity.v[i];
		struct site *one = site_at(s, c->node ? c->node : c->pool);
		if (!one || !c->pool)
			continue;
		bool is_first = !one->pool;
		one->is_counted = is_first ? !c->is_part : one->is_counted && one->pool == c->pool;
		one->is_counted &= c->count != COUNT_UNKNOWN &&
		                   (!one->model || !c->model || one->model == c->model);
		one->pool = c->pool;
		one->model = c->model ? c->model : one->model;
		one->count = c->count > one->count ? c->count : one->count;
	}
	map_deinit(&seen);
}

/* Sites whose devices somebody pays for already, or are of another kind, stay as they are. */
static void judge_sites(struct sited *s)
{
	struct facts *f = s->f;
	struct map has_own = MAP_NULL;
	for (size_t i = 0; i < f->capacity.n; i++)
		if (f->capacity.v[i].device)
			*map_at(&has_own, f->capacity.v[i].device) = 1;
	for (size_t i = 0; i < f->devices.n; i++) {
		const struct device *d = &f->devices.v[i];
		struct site *one = site_at(s, d->node);
		if (!one)
			continue;
		bool is_kind = !one->model || !d->model || one->model == d->model ||
		               accelerator_covers(names_word(&f->names, one->model),
		                                  names_word(&f->names, d->model));
		one->is_counted &= is_kind && !map_get(&has_own, d->id);
	}
	for (size_t i = 0; i < s->sites.n; i++) {
		struct site *one = &s->sites.v[i];
		if (one->is_counted && one->read > one->count)
			facts_note(f,
			           "More GPUs of a node are read than it is said to have: it was "
			           "counted apart.");
		one->is_counted &= one->pool && one->read <= one->count;
	}
	map_deinit(&has_own);
}

/* The devices of each counted node, in their order, with room for those that nobody reads. */
static void list_devices(struct sited *s)
{
	struct facts *f = s->f;
	struct map seen = MAP_NULL;
	uint32_t at = 0;
	for (size_t i = 0; i < s->sites.n; i++) {
		struct site *one = &s->sites.v[i];
		one->at = at;
		at += one->is_counted ? one->count : 0;
	}
	vec_reserve(&s->devices, at);
	s->devices.n = at;
	for (size_t i = 0; i < f->devices.n; i++) {
		struct device *d = &f->devices.v[i];
		struct site *one = site_at(s, d->node);
		if (!one || !one->is_counted || *map_at(&seen, d->id))
			continue;
		*map_at(&seen, d->id) = 1;
		d->model = d->model ? d->model : one->model;
		s->devices.v[one->at + one->n++] = d->id;
	}
	map_deinit(&seen);
}

static sym word_of(struct facts *f, struct str before, uint32_t number)
{
	auto_text t = TEXT_NULL;
	text_printf(&t, "%.*s%u", STR_FMT(before), number);
	return facts_word(f, text_str(&t));
}

/* The devices of ONE that nobody reads get the numbers that are left. */
static void name_unread(struct sited *s, struct site *one, const struct map *numbers)
{
	struct facts *f = s->f;
	auto_text t = TEXT_NULL;
	text_add(&t, names_word(&f->names, one->node));
	text_add(&t, S("/unread "));
	for (uint32_t number = 0; one->n < one->count; number++) {
		sym word = word_of(f, STR_NULL, number);
		if (map_get(numbers, (uint64_t)one->node << 32 | word))
			continue;
		sym id = word_of(f, text_str(&t), number);
		*vec_push(&f->devices) = (struct device){
			.id = id, .node = one->node, .model = one->model, .number = word
		};
		s->devices.v[one->at + one->n++] = id;
	}
}

static void name_devices(struct sited *s)
{
	struct facts *f = s->f;
	struct map numbers = MAP_NULL;
	list_devices(s);
	for (size_t i = 0; i < f->devices.n; i++)
		*map_at(&numbers, (uint64_t)f->devices.v[i].node << 32 | f->devices.v[i].number) =
		        1;
	for (size_t i = 0; i < s->sites.n; i++)
		if (s->sites.v[i].is_counted)
			name_unread(s, &s->sites.v[i], &numbers);
	map_deinit(&numbers);
}

/* What was said of the count is said of each. */
static void give_capacity(struct sited *s)
{
	struct facts *f = s->f;
	size_t n = f->capacity.n, kept = 0;
	name_devices(s);
	for (size_t i = 0; i < n; i++) {
		struct capacity c = f->capacity.v[i];
		const struct site *one = c.pool ? site_at(s, c.node ? c.node : c.pool) : NULL;
		if (!one || !one->is_counted) {
			f->capacity.v[kept++] = c;
			continue;
		}
		uint32_t count = c.count;
		c.pool = c.node = c.model = 0;
		c.count = 1;
		for (uint32_t d = 0; d < count; d++) {
			c.device = s->devices.v[one->at + d];
			*vec_push(&f->capacity) = c;
		}
	}
	for (size_t i = n; i < f->capacity.n; i++)
		f->capacity.v[kept++] = f->capacity.v[i];
	f->capacity.n = kept;
}

/* The devices that claims by number mean. */
static void settle_numbers(struct facts *f)
{
	struct map device_of = MAP_NULL; /* by "node/number"; 0: two have it */
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < f->devices.n; i++) {
		const struct device *d = &f->devices.v[i];
		if (!d->node || !d->number)
			continue;
		t.n = 0;
		text_add(&t, names_word(&f->names, d->node));
		text_byte(&t, '/');
		text_add(&t, names_word(&f->names, d->number));
		sym word = names_find(&f->names, text_str(&t));
		if (!word)
			continue; /* nobody claims it */
		const uint32_t *known = map_get(&device_of, word);
		*map_at(&device_of, word) = known && *known != d->id ? 0 : d->id;
	}
	for (size_t i = 0; i < f->allocations.n; i++) {
		struct allocation *a = &f->allocations.v[i];
		const uint32_t *device = a->on == CLAIM_GPU ? map_get(&device_of, a->place) : NULL;
		if (!device || !*device)
			continue;
		a->on = CLAIM_DEVICE;
		a->place = *device;
	}
	map_deinit(&device_of);
}

void sited_join(struct facts *f, bool is_several)
{
	struct sited s = { .f = f };
	if (is_several) {
		give_only_node(f);
		find_sites(&s);
		judge_sites(&s);
		give_capacity(&s);
	}
	settle_numbers(f);
	map_deinit(&s.site_of);
	vec_deinit(&s.sites);
	vec_deinit(&s.devices);
}
