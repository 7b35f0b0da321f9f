/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * mixed: nodes with several kinds of GPU, and whether they can be told apart (decision J.10).
 */
#include "account/meter.h"

enum mixed { MIXED_NOT, MIXED_APART, MIXED_AS_ONE };
/* mixed.c: which nodes with several kinds of GPU can be told apart; before capacity_build. */
void mixed_build(struct meter *m);
bool mixed_as_one(const struct meter *m, sym node);
/* 1 + the pool of one kind of a node, or NULL. */
const uint32_t *mixed_pool(const struct meter *m, sym node, sym model);
