/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * table_line: lines of tables that tools print for people: words with blanks between, and maybe a
 * time that somebody put before them. For readers of such tables.
 */
#include "base/str.h"

struct zone;

/* The next word of S, which becomes what follows. False: there is none. */
bool table_word(struct str *s, struct str *ret);
/* A time at the start of S, of one word or two; S becomes what follows. False: there is none, and
   RET_MS and S are as they were. */
bool table_time(struct str *s, const struct zone *zone, int64_t *ret_ms);
