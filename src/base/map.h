/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * map: what has been seen before.
 *
 * struct names: words to small numbers (sym) and back; sym 0 is "no word". Comparing two syms of
 * one table is comparing the words. struct map: 64-bit keys to 32-bit values.
 */
#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

typedef uint32_t sym;

struct name_slot {
	sym id; /* 0: free */
	uint32_t hash;
};

struct names {
	struct arena text;
	VEC(struct str) words;   /* by sym */
	struct name_slot *slots; /* a power of two of them */
	size_t slot_count;
};

#define NAMES_NULL ((struct names){ 0 })
void names_deinit(struct names *t);
/* The number of WORD, given now if it is new. The empty word is 0. The bytes are copied. */
sym names_add(struct names *t, struct str word);
/* The number of WORD, or 0 if it was never added. */
sym names_find(const struct names *t, struct str word);
/* The word of a number; the empty slice for 0. Followed by a NUL. */
struct str names_word(const struct names *t, sym id);

struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

struct map {
	struct map_slot *slots;
	size_t slot_count, n;
};

#define MAP_NULL ((struct map){ 0 })
void map_deinit(struct map *m);
/* The place of KEY's value; a new key's value is 0. Good until the next call. */
uint32_t *map_at(struct map *m, uint64_t key);
/* NULL when KEY is not there. */
const uint32_t *map_get(const struct map *m, uint64_t key);
