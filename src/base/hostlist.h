/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * hostlist: the names that a bracket expression stands for.
 *
 *     node[0201-0272,0281],gpu-[1-2]-[03-04],x
 *
 * Empty, "None assigned", "(null)", "None", "n/a" stand for no name. A number keeps the width that
 * its range is written with.
 */
#include "base/str.h"

enum hostlist {
	HOSTLIST_OK,
	HOSTLIST_BAD,      /* not such an expression */
	HOSTLIST_TOO_MANY, /* more than HOSTLIST_MAX names */
};

/* How many names, without making them. */
enum hostlist hostlist_count(struct str s, uint32_t *ret_n);
/* Calls EACH for every name, in order; NAME is good during the call. */
enum hostlist hostlist_each(struct str s, void (*each)(void *context, struct str name),
                            void *context);
