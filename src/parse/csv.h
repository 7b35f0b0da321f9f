/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * csv: cuts delimited text into records and fields, in place. A record ends at a newline outside
 * quotes; a quote opens only at a field's start, and a doubled one inside stands for itself. "\r"
 * before the newline is not part of the last field. What a field means, the caller decides.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

struct csv_dialect {
	struct str delimiter; /* one byte or more */
	char quote;           /* '\0': quotes are ordinary bytes */
};

struct csv_record {
	uint32_t n;                    /* fields, also those over FIELDS_MAX (which are not kept) */
	uint32_t lines;                /* newlines inside the record and the one after it */
	bool is_open;                  /* the input ended inside quotes */
	bool is_blank;                 /* nothing on the line */
	bool is_bad;                   /* bytes follow a closing quote */
	struct str fields[FIELDS_MAX]; /* without the quotes; `doubled` still holds "" pairs */
	uint64_t doubled[FIELDS_MAX / 64];
};

/* Cuts the next record off BYTES. False at the end. */
bool csv_cut_record(const struct csv_dialect *d, struct str *bytes, struct csv_record *ret);
/* The field's text; doubled quotes made single, in A if there are any. */
struct str csv_field(struct arena *a, const struct csv_dialect *d, const struct csv_record *r,
                     size_t i);
/* Where in BYTES (which starts with a record) the record begins that holds or follows AT: AT itself
   when it is a record's start. */
size_t csv_record_start(const struct csv_dialect *d, struct str bytes, size_t at);
