/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pseudonyms: facts whose names tell nobody who or where. Everything else stays: what is counted,
 * kinds of GPU, and teams, queues, pools, labels unless one of them is the same word as a name.
 *
 *     users             user-3kq9x0v7m2ab
 *     machines          node-...       (each name of a host list by itself)
 *     GPUs, instances   gpu-...        (one that is called NODE/NUMBER: node-.../NUMBER)
 *     jobs and runs     job-...        (ids, names, run keys, and wherever facts speak of them)
 *     inputs            input-...      (their paths)
 *
 * A pseudonym is 60 bits of HMAC-SHA-256 of the name: the same for the same key, in every report;
 * two of a million names are the same once in two million keys. In remarks and reasons of rejected
 * records, names become their pseudonyms and what stands in quotes is left out.
 */
#include "facts/facts.h"

#define PSEUDONYM_KEY_MIN 16 /* bytes */

/* After everything was computed that goes by names. KEY: PSEUDONYM_KEY_MIN bytes at least. */
void pseudonyms_apply(struct facts *f, struct str key);
