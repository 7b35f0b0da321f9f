/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * whole: reads a text through one reader, as intake does for formats that are read as one piece.
 */
#include "lib/run.h"

#include "read/reader.h"

struct whole {
	struct arena a;
	struct facts f;
	struct err err;
	int score; /* of recognise */
	enum err_code code;
};

static inline struct whole whole_read(const struct reader *r, struct str text)
{
	struct whole w = { 0 };
	struct read_options o = { .input_name = S("in") };
	struct read_run run = { .options = &o, .a = &w.a };
	facts_init(&w.f);
	*vec_push(&w.f.inputs) = (struct input_info){ .name = facts_word(&w.f, S("in")) };
	w.score = r->recognise(str_sub(text, 0, 65536), &o);
	w.code = r->open(&run, str_sub(text, 0, 65536), &w.err);
	if (!w.code)
		w.code = r->feed(&run, str_sub(text, run.body_at, text.n), run.body_line, &w.f,
		                 &w.err);
	if (!w.code && r->end)
		w.code = r->end(&run, &w.f, &w.err);
	return w;
}

static inline void whole_drop(struct whole *w)
{
	facts_deinit(&w->f);
	arena_deinit(&w->a);
}
