/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/traits.h"

#include <string.h>

_Static_assert(sizeof(struct job_owner) == 32 && sizeof(struct job_shape) == 72, "no padding");

void traits_deinit(struct traits *t)
{
	vec_deinit(&t->owners), vec_deinit(&t->shapes);
	vec_deinit(&t->pairs), vec_deinit(&t->lists);
	mem_free(t->owner_of.slots), mem_free(t->shape_of.slots);
	map_deinit(&t->list_of);
	*t = (struct traits){ 0 };
}

static void once_rehash(struct once *o)
{
	size_t count = o->slot_count ? o->slot_count * 2 : 64;
	struct name_slot *slots = mem_alloc(mem_times(count, sizeof *slots));
	for (size_t i = 0; i < o->slot_count; i++) {
		if (!o->slots[i].id)
			continue;
		size_t at = o->slots[i].hash & (count - 1);
		while (slots[at].id)
			at = (at + 1) & (count - 1);
		slots[at] = o->slots[i];
	}
	mem_free(o->slots);
	o->slots = slots;
	o->slot_count = count;
}

static inline uint64_t word_at(const void *p, size_t i)
{
	uint64_t w;
	memcpy(&w, (const char *)p + i, sizeof w);
	return w;
}

static inline bool is_same(const void *a, const void *b, size_t size)
{
	uint64_t differ = 0;
	for (size_t i = 0; i < size; i += 8)
		differ |= word_at(a, i) ^ word_at(b, i);
	return !differ;
}

/* The slot of ONE, whose id is 0 if it is none of the N elements of V yet. */
static inline struct name_slot *once_slot(struct once *o, const void *v, size_t n, const void *one,
                                          size_t size)
{
	uint64_t h = 0;
	if (n * 2 >= o->slot_count)
		once_rehash(o);
	for (size_t i = 0; i < size; i += 8) {
		h = (h ^ word_at(one, i)) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	const uint32_t hash = (uint32_t)h;
	size_t at = hash & (o->slot_count - 1);
	for (; o->slots[at].id; at = (at + 1) & (o->slot_count - 1))
		if (o->slots[at].hash == hash &&
		    is_same((const char *)v + (o->slots[at].id - 1) * size, one, size))
			break;
	o->slots[at].hash = hash;
	return &o->slots[at];
}

/* ONE's place in VEC, given now if it is new. */
#define ADD_ONCE(vec, once, one)                                                        \
	do {                                                                            \
		struct name_slot *slot =                                                \
		        once_slot((once), (vec)->v, (vec)->n, (one), sizeof *(vec)->v); \
		if (!slot->id) {                                                        \
			*vec_push(vec) = *(one);                                        \
			slot->id = (uint32_t)(vec)->n;                                  \
		}                                                                       \
		return slot->id - 1;                                                    \
	} while (0)

static uint32_t owner_put(struct traits *t, const struct job_owner *owner)
{
	ADD_ONCE(&t->owners, &t->owner_of, owner);
}

static uint32_t shape_put(struct traits *t, const struct job_shape *shape)
{
	ADD_ONCE(&t->shapes, &t->shape_of, shape);
}

uint32_t traits_add_owner(struct traits *t, const struct job_owner *owner)
{
	static const struct job_owner unknown;
	if (!t->owners.n)
		owner_put(t, &unknown);
	return owner_put(t, owner);
}

uint32_t traits_add_shape(struct traits *t, const struct job_shape *shape)
{
	static const struct job_shape unknown = { .per_node = UINT32_MAX,
		                                  .cpus = UINT32_MAX,
		                                  .node_count = UINT32_MAX,
		                                  .restarts = UINT32_MAX,
		                                  .cpu_milli = -1,
		                                  .memory_mib = -1 };
	if (!t->shapes.n)
		shape_put(t, &unknown);
	return shape_put(t, shape);
}

/* Wide ones are not looked for: equal traits may have several numbers then. */
uint32_t traits_number(struct traits *t, struct traits_pair p)
{
	if (p.owner < 1u << TRAITS_OWNER_BITS && p.shape < 1u << TRAITS_SHAPE_BITS)
		return p.owner << TRAITS_SHAPE_BITS | p.shape;
	*vec_push(&t->pairs) = p;
	return TRAITS_WIDE | (uint32_t)(t->pairs.n - 1);
}

uint32_t traits_add(struct traits *t, const struct job_traits *one)
{
	uint32_t owner = traits_add_owner(t, &one->owner);
	return traits_number(t, (struct traits_pair){ owner, traits_add_shape(t, &one->shape) });
}

static bool is_list(const struct traits *t, size_t at, const sym *words, uint32_t n)
{
	return t->lists.n - at >= n && memcmp(t->lists.v + at, words, n * sizeof *words) == 0;
}

struct word_list traits_list(struct traits *t, const sym *words, uint32_t n)
{
	if (!n)
		return (struct word_list){ 0 };
	uint64_t key = str_hash((struct str){ (const char *)words, n * sizeof *words }) + n;
	uint32_t *at = map_at(&t->list_of, key);
	while (*at && !is_list(t, *at - 1, words, n))
		at = map_at(&t->list_of, ++key); /* another list of the same hash */
	if (!*at) {
		*at = (uint32_t)t->lists.n + 1;
		vec_reserve(&t->lists, n);
		memcpy(t->lists.v + t->lists.n, words, n * sizeof *words);
		t->lists.n += n;
	}
	return (struct word_list){ *at - 1, n };
}
