/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <string.h>

#include "base/limits.h"

void names_deinit(struct names *t)
{
	arena_deinit(&t->text);
	vec_deinit(&t->words);
	mem_free(t->slots);
	*t = NAMES_NULL;
}

/* The low half of the hash stands in the slot, so that a word is looked at only where it is most
   likely the same, and never to make the table larger. */
static void names_rehash(struct names *t)
{
	size_t count = t->slot_count ? t->slot_count * 2 : 256;
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

static struct name_slot *names_slot(const struct names *t, struct str word, uint32_t hash)
{
	size_t at = hash & (t->slot_count - 1);
	while (t->slots[at].id &&
	       (t->slots[at].hash != hash || !str_same(t->words.v[t->slots[at].id], word)))
		at = (at + 1) & (t->slot_count - 1);
	return &t->slots[at];
}

sym names_add(struct names *t, struct str word)
{
	if (!word.n)
		return 0;
	if (word.n > NAME_BYTES_MAX)
		word.n = NAME_BYTES_MAX;
	if (!t->words.n)
		*vec_push(&t->words) = STR_NULL;
	if (t->words.n * 2 >= t->slot_count)
		names_rehash(t);
	uint32_t hash = (uint32_t)str_hash(word);
	struct name_slot *slot = names_slot(t, word, hash);
	if (!slot->id) {
		*slot = (struct name_slot){ (sym)t->words.n, hash };
		*vec_push(&t->words) = str_dup(&t->text, word);
	}
	return slot->id;
}

sym names_find(const struct names *t, struct str word)
{
	if (word.n > NAME_BYTES_MAX)
		word.n = NAME_BYTES_MAX;
	return word.n && t->slot_count ? names_slot(t, word, (uint32_t)str_hash(word))->id : 0;
}

struct str names_word(const struct names *t, sym id)
{
	return id && id < t->words.n ? t->words.v[id] : S("");
}

void map_deinit(struct map *m)
{
	mem_free(m->slots);
	*m = MAP_NULL;
}

static uint64_t mix(uint64_t k)
{
	k ^= k >> 32;
	k *= 0xd6e8feb86659fd93u;
	return k ^ k >> 32;
}

static struct map_slot *map_slot(const struct map *m, uint64_t key)
{
	size_t at = mix(key) & (m->slot_count - 1);
	while (m->slots[at].used && m->slots[at].key != key)
		at = (at + 1) & (m->slot_count - 1);
	return &m->slots[at];
}

static void map_rehash(struct map *m)
{
	struct map old = *m;
	m->slot_count = old.slot_count ? old.slot_count * 2 : 64;
	m->slots = mem_alloc(mem_times(m->slot_count, sizeof *m->slots));
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].used)
			*map_slot(m, old.slots[i].key) = old.slots[i];
	mem_free(old.slots);
}

uint32_t *map_at(struct map *m, uint64_t key)
{
	if (m->n * 2 >= m->slot_count)
		map_rehash(m);
	struct map_slot *s = map_slot(m, key);
	if (!s->used) {
		*s = (struct map_slot){ .key = key, .used = true };
		m->n++;
	}
	return &s->value;
}

const uint32_t *map_get(const struct map *m, uint64_t key)
{
	if (!m->slot_count)
		return NULL;
	const struct map_slot *s = map_slot(m, key);
	return s->used ? &s->value : NULL;
}
