/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * fragment: FGD's fragmentation of one node for one kind of task: how much of what is free on it
 * the task could not use (science.md 8.1 and A10; decisions L). Any unit of GPU does, the same
 * everywhere: thousandths, or 1/21,000.
 */
#include "account/room.h"

enum fragment_class {
	FRAGMENT_LACKS_BOTH, /* q1: GPUs, and CPUs or memory */
	FRAGMENT_LACKS_GPU,  /* q2 */
	FRAGMENT_USABLE,     /* q3: the only one that is no fragment */
	FRAGMENT_LACKS_ROOM, /* q4: CPUs or memory */
	FRAGMENT_NO_ACCESS,  /* na: a kind that the task does not accept */
	FRAGMENT_CPU_FITS,   /* xl: a task without GPUs, which fits */
	FRAGMENT_CPU_LACKS,  /* xr: one that does not */
	FRAGMENT_CLASSES
};
_Static_assert((int)FRAGMENT_CLASSES == (int)FRAGMENT_SUMS, "ledger.h counts them too");
extern const char *const fragment_names[FRAGMENT_CLASSES]; /* as FGD writes them */

/* What is free on a node: WHOLE devices of UNIT, and PARTS of others. */
struct fragment_node {
	int64_t whole, unit;
	const int64_t *parts;
	size_t parts_n;
	struct room left;
};

/* GPUS devices with SHARE free on each; none of either: a task without GPUs. */
struct fragment_task {
	int64_t gpus, share;
	struct room wants;
};

/* Of a whole ledger, in units x ms: what the next task could not use. */
double fragment_units(const struct fragment *x);
/* Adds WEIGHT times what is free on N to the classes. ACCEPTS: the task may use GPUs of its kind.
 */
void fragment_add(const struct fragment_node *n, const struct fragment_task *t, bool accepts,
                  int64_t weight, i128 classes[FRAGMENT_CLASSES]);
