/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * split: where two bytes (a delimiter and the newline) stand, 32 bytes at a time.
 *
 * The hot loop of every line format: readers ask for the places in one block at once and walk them.
 */
#include "base/str.h"

#define SPLIT_SLACK 8 /* further entries that may be written */

/* Writes the position of every A and every B in S, rising, and returns how many. RET_AT has room
   for s.n + SPLIT_SLACK. S is shorter than 4 GiB. */
size_t split_find(struct str s, char a, char b, uint32_t *ret_at);
/* The same without vector instructions. */
size_t split_find_plain(struct str s, char a, char b, uint32_t *ret_at);
