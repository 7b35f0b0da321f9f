/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * entry: the keys and values of one entry of a facts document that is being written. What is in the
 * document and in which order is document.c's.
 */
#include "base/text.h"
#include "facts/facts.h"
#include "facts/fields.h"

/* A document that is being written. */
struct writer {
	struct text *t;
	const struct facts *f;
	const sym *lists;         /* where an entry's lists of words stand */
	uint32_t job;             /* the one that is written, or whose allocation is */
	const uint32_t *attempts; /* by job: how many jobs of its id stand before it */
	struct map instances;     /* device (sym) to its first instance + 1; 0: none, or written */
	const uint32_t *next;     /* by instance: the next one of its device + 1; 0: the last */
	bool has_keys;            /* the document has a key already */
	bool has_entry_keys;
};

/* Begins the value of an entry's KEY. */
void entry_key(struct writer *w, const char *key);
void entry_word(struct writer *w, sym id);
void entry_span(struct writer *w, struct span s);
/* N words of w->lists. */
void entry_words(struct writer *w, uint32_t at, uint32_t n);
/* The keys of an entry that need nothing but their field. */
void entry_fields(struct writer *w, const struct fields *list, const void *entry);
