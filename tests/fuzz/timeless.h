/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Any bytes as a snapshot that says no time, with one given. */
#include <assert.h>

#include "read/reader.h"

static inline void timeless_fuzz(const struct reader *r, struct str bytes)
{
	auto_arena a = ARENA_NULL;
	struct read_options o = { .input_name = S("in"), .has_at = true, .at_ms = 1000 };
	struct read_run run = { .options = &o, .a = &a };
	struct err err = { 0 };
	struct facts f;
	int score = r->recognise(str_sub(bytes, 0, 65536), &o);
	assert(score >= 0 && score <= 100);
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("in")) };
	if (!r->open(&run, bytes, &err))
		(void)r->feed(&run, bytes, 1, &f, &err);
	/* a stream that stops being JSON is one reject more */
	assert(f.inputs.v[0].rejected <= f.inputs.v[0].records + 1);
	for (size_t i = 0; i < f.samples.n; i++) {
		const struct sample *s = &f.samples.v[i];
		assert(s->device && s->t_ms != TIME_UNKNOWN && s->period_ms >= 0);
		for (int m = 0; m < METRIC_COUNT; m++)
			assert((s->known >> m & 1) == (s->why[m] == WHY_KNOWN));
		assert(!(s->known >> METRIC_gpu_util & 1) || s->v[METRIC_gpu_util] <= 100000000);
	}
	facts_deinit(&f);
}
