/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pods: what several lists tell of the same pods. A pod that one list has and the next one of its
 * namespace has not ended in between; of attempts, lists know the last two, so what they call one
 * attempt may be several.
 */
#include <stddef.h>

struct facts;

/* ENDS[i]: how many jobs there were after input I. Before same_join. */
void pods_end(struct facts *f, const size_t *ends, size_t n);
/* After it: attempts of one pod do not overlap. */
void pods_clip(struct facts *f);
