/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Any bytes as a file of a reader of samples, for the fuzzers of each. */
#include <stdlib.h>

#include "facts/document.h"
#include "read/reader.h"

extern const struct reader reader_facts;

static inline void samples_feed(const struct reader *r, struct facts *f, struct str bytes)
{
	auto_arena a = ARENA_NULL;
	struct read_options options = { .input_name = S("fuzz") };
	struct read_run run = { .options = &options, .a = &a };
	struct err err = { 0 };
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("fuzz")) };
	if (!r->open(&run, bytes, &err) &&
	    !r->feed(&run, str_sub(bytes, run.body_at, bytes.n), 1, f, &err) && r->end)
		(void)r->end(&run, f, &err);
}

/* The samples can be exported, and read again without a reject. */
static inline void samples_fuzz(const struct reader *r, struct str bytes)
{
	struct facts f, again;
	auto_text t = TEXT_NULL;
	r->recognise(bytes, NULL);
	samples_feed(r, &f, bytes);
	if (f.inputs.v[0].rejected > f.inputs.v[0].records + 1)
		abort();
	document_write(&t, &f);
	samples_feed(&reader_facts, &again, text_str(&t));
	if (again.rejects.n || again.samples.n != f.samples.n)
		abort();
	for (size_t i = 0; i < f.samples.n; i++)
		if (again.samples.v[i].known != f.samples.v[i].known)
			abort();
	facts_deinit(&f);
	facts_deinit(&again);
}
