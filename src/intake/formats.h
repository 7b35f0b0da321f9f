/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * formats: which reader takes an input. Decided by content alone; names of files say nothing.
 */
#include "base/err.h"
#include "base/str.h"
#include "read/reader.h"

/* LIST ends with NULL (the registry readers[], or a test's own). The best score above 0 wins. AS
   names the reader instead; NULL: recognise. ERR_USAGE: no reader has that name; ERR_INPUT: nobody
   or more than one takes it (no file name in the text). */
enum err_code formats_find(const struct reader *const *list, struct str head, const char *as,
                           const struct read_options *o, const struct reader **ret,
                           struct err *err) NODISCARD;
