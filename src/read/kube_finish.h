/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * kube_finish: what kube_end and kube_join share.
 */
#include "read/kube.h"

struct finish {
	struct facts *f;
	const struct read_options *o;
	int64_t at_ms, from_ms; /* what it covers; TIME_UNKNOWN: no time is in it */
	bool has_pods, has_claims, has_others, is_watch, is_all;
	bool *is_gone;                 /* by job */
	VEC(struct capacity) capacity; /* settled */
};

/* kube_join.c: events and resource claims. */
void kube_join_rows(struct finish *w);
