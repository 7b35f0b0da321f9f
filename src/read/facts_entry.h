/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * facts_entry: one entry of a list of a facts document. Part of the reader `facts`.
 */
#include "facts/facts.h"
#include "parse/json.h"

/* An allocation that waits for the jobs to be known. */
struct facts_claim {
	struct allocation_entry allocation;
	uint64_t job; /* key of facts_feed.jobs */
	uint64_t line;
	size_t index;
};

/* A document while it is read. */
struct facts_feed {
	struct facts *f;
	struct arena a;  /* strings with escapes */
	struct map jobs; /* job id (sym) and attempt to its index + 1 */
	VEC(struct facts_claim) claims;
	const char *list; /* the entry that is being read: its list, number and line */
	size_t index;
	uint64_t line;
	size_t keys_noted;
};

/* Reads an entry of LIST (enum field_list) and adds it, or rejects it. */
void facts_entry_read(struct facts_feed *c, int list, struct str raw);
/* The allocations, once every job is known. */
void facts_entry_settle(struct facts_feed *c);
/* Rejects the entry that is being read for what stands at KEY (may be empty). Returns false. */
bool facts_entry_reject(struct facts_feed *c, const char *key, const char *why);
void facts_entry_note_key(struct facts_feed *c, struct str key);
