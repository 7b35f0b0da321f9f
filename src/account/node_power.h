/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * node_power: what meters of whole machines say over a window. Energy follows the rule of samples:
 * a reading covers the time since the one before, if that is at most 2.5 periods (the upper median
 * of the distances) back; what nothing covers is not in it.
 */
#include "base/arena.h"
#include "base/wide.h"
#include "facts/facts.h"

struct node_power_sum {
	sym node;
	size_t readings;  /* from the window's begin to its end, both included */
	i128 milliwatts;  /* their plain sum */
	i128 microjoules; /* of the time in the window that readings cover */
	int64_t covered_ms, window_ms;
};

/* One entry a node, in the order of its first reading. In A. */
const struct node_power_sum *node_power_sums(struct arena *a, const struct facts *f,
                                             struct span window, size_t *ret_n);
