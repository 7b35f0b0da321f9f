/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * facts_field: the value of one key of a facts document, by the kind that facts/fields.def gives
 * it. Part of the reader `facts`.
 */
#include "facts/facts.h"
#include "facts/fields.h"
#include "parse/json.h"

/* Puts RAW into ENTRY's member. NULL if it is good, else what was expected. */
const char *facts_field_read(const struct field *d, struct str raw, void *entry, struct facts *f,
                             struct arena *a);
/* Text, or a whole number as it is written; false for anything else. */
bool facts_field_id(struct arena *a, struct str raw, struct str *ret);
bool facts_field_time(struct str raw, int64_t *ret);
bool facts_field_count(struct str raw, uint32_t *ret);
/* [from, to], from not after to. */
bool facts_field_span(struct str raw, struct span *ret);
/* A list of ids into facts.syms. */
bool facts_field_words(struct arena *a, struct str raw, struct facts *f, uint32_t *ret_at,
                       uint32_t *ret_n);
