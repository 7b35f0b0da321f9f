/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fields: how the entries of a facts document (docs/reference) stand in the structs of facts.h. One
 * line of fields.def a key; reader (read/facts.c) and writer (facts/document.c) both follow it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum field_kind {
	FIELD_WORD,     /* text; sym */
	FIELD_ID,       /* text, or a whole number taken as it is written; sym */
	FIELD_TEXT,     /* as FIELD_ID; struct str in facts.text */
	FIELD_TIME,     /* whole ms; absent TIME_UNKNOWN */
	FIELD_COUNT,    /* 0 to GPUS_MAX, uint32; absent COUNT_UNKNOWN */
	FIELD_ZERO,     /* the same; absent 0 */
	FIELD_AMOUNT,   /* 0 or more, int64; absent -1 */
	FIELD_WHOLE,    /* any whole number, int64; absent 0 */
	FIELD_DURATION, /* ms, 0 or more, int64; absent 0 */
	FIELD_FLAG,     /* true or false; absent false */
	FIELD_ENUM,     /* one of .word's; absent the first */
	FIELD_SHARE,    /* fraction over 0, at most 1: number or text; absent 1/1 */
	FIELD_MONEY,    /* fraction, number or text; absent 0/1 */
	FIELD_WORDS,    /* list of text; a place in facts.syms */
	FIELD_PAIRS,    /* object of texts; a place in facts.syms */
	FIELD_SPANS,    /* list of [from, to]; a place in facts.spans */
	FIELD_OTHER,    /* the reader's and the writer's own business */
};

struct field {
	const char *key;
	enum field_kind kind;
	bool must;               /* an entry without it is rejected */
	size_t at;               /* in the struct */
	size_t at2;              /* second member: how many, denominator, "was given" (0: none) */
	size_t size;             /* FIELD_ENUM: of the member */
	struct str (*word)(int); /* FIELD_ENUM: the names in order, STR_NULL past the end */
};

/* Lists of entries, in the order in which documents are written. */
enum field_list {
#define LIST(id, name, type) FIELDS_##id,
#define FIELD(...)
#include "facts/fields.def"
#undef LIST
#undef FIELD
	FIELDS_COUNT
};

struct fields {
	const char *name;      /* key of the list */
	const struct field *v; /* ends with a NULL key */
	size_t size;           /* of an entry */
};
extern const struct fields fields[FIELDS_COUNT];

/* Every member as if no key were given. */
void fields_clear(const struct fields *list, void *entry);
/* The value of a FIELD_ENUM member, and setting it. */
int fields_enum(const struct field *d, const void *entry);
void fields_set_enum(const struct field *d, void *entry, int value);
