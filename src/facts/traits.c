/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/traits.h"

#include <string.h>

/* Compared and hashed as bytes. */
_Static_assert(sizeof(struct job_traits) == 6 * sizeof(sym) + 3 * sizeof(struct word_list) +
                                                    4 * sizeof(uint32_t) + sizeof(int64_t),
               "no padding");

void traits_deinit(struct traits *t)
{
	vec_deinit(&t->v);
	vec_deinit(&t->lists);
	mem_free(t->slots);
	map_deinit(&t->list_of);
	*t = (struct traits){ 0 };
}

static void traits_rehash(struct traits *t)
{
	size_t count = t->slot_count ? t->slot_count * 2 : 64;
	struct name_slot *slots = mem_alloc(mem_times(count, sizeof *slots));
	for (size_t i = 0; i < t->slot_count; i++) {
		if (!t->slots[i].id)
			continue;
		size_t at = t->slots[i].hash & (count - 1);
		while (slots[at].id)
			at = (at + 1) & (count - 1);
		slots[at] = t->slots[i];
	}
	mem_free(t->slots);
	t->slots = slots;
	t->slot_count = count;
}

uint32_t traits_add(struct traits *t, const struct job_traits *one)
{
	if (t->v.n * 2 >= t->slot_count)
		traits_rehash(t);
	uint32_t hash = (uint32_t)str_hash((struct str){ (const char *)one, sizeof *one });
	size_t at = hash & (t->slot_count - 1);
	for (; t->slots[at].id; at = (at + 1) & (t->slot_count - 1))
		if (t->slots[at].hash == hash &&
		    memcmp(&t->v.v[t->slots[at].id - 1], one, sizeof *one) == 0)
			return t->slots[at].id;
	*vec_push(&t->v) = *one;
	t->slots[at] = (struct name_slot){ (uint32_t)t->v.n, hash };
	return (uint32_t)t->v.n;
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

const struct job_traits *traits_at(const struct traits *t, uint32_t number)
{
	static const struct job_traits unknown = { .per_node = UINT32_MAX,
		                                   .cpus = UINT32_MAX,
		                                   .node_count = UINT32_MAX,
		                                   .restarts = UINT32_MAX };
	return number ? &t->v.v[number - 1] : &unknown;
}
