/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/fields.h"

#include <string.h>

#include "facts/facts.h"

static struct str word_at(const char *const *words, int n, int i)
{
	return i >= 0 && i < n ? str_of(words[i]) : STR_NULL;
}

static struct str capacity_word(int i)
{
	static const char *const words[] = { "up", "draining", "down.failed", "down.planned",
		                             "down.starting" };
	return word_at(words, 5, i);
}

static struct str sample_word(int i)
{
	static const char *const words[] = { "average", "point" };
	return word_at(words, 2, i);
}

static struct str basis_word(int i)
{
	static const char *const words[] = { "on_demand", "spot", "committed", "owned" };
	return word_at(words, 4, i);
}

static struct str kind_word(int i)
{
	return word_at(kind_names, KIND_COUNT, i);
}

static struct str outcome_word(int i)
{
	return i >= 0 && i < OUTCOME_COUNT ? str_of(outcomes[i].name) : STR_NULL;
}

static struct str progress_word(int i)
{
	return i >= 0 && i < PROGRESS_COUNT ? str_of(progress_types[i].name) : STR_NULL;
}

#define MUST true
#define MAY false
#define SECOND(type, member) offsetof(struct type, member)

/* All lists one after another; an entry without a key stands in front of each and at the end. */
static const struct field all[] = {
#define LIST(id, name, type) { NULL, FIELD_OTHER, MAY, 0, 0, 0, NULL },
#define FIELD(list, type, key, kind, must, member, at2, word, help) \
	{ key,  FIELD_##kind,                                       \
	  must, offsetof(struct type, member),                      \
	  at2,  sizeof(((struct type *)NULL)->member),              \
	  word },
#include "facts/fields.def"
#undef LIST
#undef FIELD
	{ NULL, FIELD_OTHER, MAY, 0, 0, 0, NULL },
};

/* Where each list begins in it: lines of the table, counted by an enumeration. */
#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
enum {
#define LIST(id, name, type) BEGIN_##id,
#define FIELD(...) NAMED(LINE_, __LINE__),
#include "facts/fields.def"
#undef LIST
#undef FIELD
};

const struct fields fields[FIELDS_COUNT] = {
#define LIST(id, name, type) { name, &all[BEGIN_##id + 1], sizeof(struct type) },
#define FIELD(...)
#include "facts/fields.def"
#undef LIST
#undef FIELD
};

int fields_enum(const struct field *d, const void *entry)
{
	const char *p = (const char *)entry + d->at;
	int v = 0;
	if (d->size == 1)
		return *(const uint8_t *)p;
	memcpy(&v, p, sizeof v);
	return v;
}

void fields_set_enum(const struct field *d, void *entry, int value)
{
	char *p = (char *)entry + d->at;
	if (d->size == 1)
		*(uint8_t *)p = (uint8_t)value;
	else
		memcpy(p, &value, sizeof value);
}

static void put(void *entry, size_t at, const void *value, size_t n)
{
	memcpy((char *)entry + at, value, n);
}

void fields_clear(const struct fields *list, void *entry)
{
	static const int64_t no_time = TIME_UNKNOWN, no_amount = -1, one = 1;
	static const uint32_t no_count = COUNT_UNKNOWN;
	memset(entry, 0, list->size);
	for (const struct field *d = list->v; d->key; d++) {
		if (d->kind == FIELD_TIME)
			put(entry, d->at, &no_time, sizeof no_time);
		else if (d->kind == FIELD_AMOUNT)
			put(entry, d->at, &no_amount, sizeof no_amount);
		else if (d->kind == FIELD_COUNT)
			put(entry, d->at, &no_count, sizeof no_count);
		else if (d->kind == FIELD_SHARE || d->kind == FIELD_MONEY)
			put(entry, d->at2, &one, sizeof one);
		if (d->kind == FIELD_SHARE)
			put(entry, d->at, &one, sizeof one);
	}
}
