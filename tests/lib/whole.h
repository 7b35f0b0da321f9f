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

/* AT_MS: when a snapshot was taken, as FILE@at=TIME says; 0: not said. */
static inline struct whole whole_read_at(const struct reader *r, struct str text, int64_t at_ms)
{
	struct whole w = { 0 };
	struct read_options o = { .input_name = S("in"), .has_at = at_ms != 0, .at_ms = at_ms };
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

static inline struct whole whole_read(const struct reader *r, struct str text)
{
	return whole_read_at(r, text, 0);
}

static inline const char *whole_word(const struct whole *w, sym id)
{
	return names_word(&w->f.names, id).p;
}

/* Reading M of sample I is known, and what it is. */
static inline void whole_reads(const struct whole *w, size_t i, enum metric_id m, int64_t want)
{
	assert_true(i < w->f.samples.n);
	const struct sample *s = &w->f.samples.v[i];
	if (!(s->known >> m & 1))
		fail_msg("%s is not known (%s)", metrics[m].name, why_names[s->why[m]]);
	assert_int_equal(s->v[m], want);
}

static inline void whole_drop(struct whole *w)
{
	facts_deinit(&w->f);
	arena_deinit(&w->a);
}
