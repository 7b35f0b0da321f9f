/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pattern: Perl-compatible regular expressions that people write into files, with limits, so that
 * none of them can hold the program up. A match that runs into a limit is no match.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct pattern;

/* In A. Errors say where in the expression: "at 3: missing )". */
NODISCARD enum err_code pattern_compile(struct arena *a, struct str text,
                                        const struct pattern **ret, struct err *err);
/* Whether TEXT has a match anywhere. TEXT need not be UTF-8. */
bool pattern_matches(const struct pattern *p, struct str text);
