/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * formats: which reader takes an input. Decided by content alone; names of files say nothing.
 */
#include "base/err.h"
#include "base/str.h"
#include "read/reader.h"

/* What mapping files there are to recognise with. */
struct formats_maps {
	const struct csv_map *const *own; /* the user's: one that fits wins over every format */
	size_t own_n;
	const struct csv_map *const *all; /* the user's, then the installed ones */
	size_t all_n;
};

/* LIST ends with NULL (the registry readers[], or a test's own). The best score above 0 wins. AS
   names the reader instead; NULL: recognise. Sets O's maps to those that were decided with.
   ERR_USAGE: no reader has that name; ERR_INPUT: nobody or more than one takes it (no file name in
   the text). */
enum err_code formats_find(const struct reader *const *list, struct str head, const char *as,
                           const struct formats_maps *maps, struct read_options *o,
                           const struct reader **ret, struct err *err) NODISCARD;
