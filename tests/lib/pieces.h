/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pieces: reads a text through a CUT_LINES reader in pieces, as intake does with a crew of one.
 */
#include "lib/dump.h"
#include "lib/whole.h"

static inline struct whole pieces_read_zone(const struct reader *r, struct str text, size_t piece,
                                            const struct zone *zone)
{
	struct whole w = { 0 };
	struct read_options o = { .input_name = S("in"), .zone = zone };
	struct read_run run = { .options = &o, .a = &w.a };
	facts_init(&w.f);
	*vec_push(&w.f.inputs) = (struct input_info){ .name = facts_word(&w.f, S("in")) };
	w.score = r->recognise(str_sub(text, 0, 65536), &o);
	w.code = r->open(&run, str_sub(text, 0, 65536), &w.err);
	struct str body = str_sub(text, run.body_at, text.n);
	uint64_t line = run.body_line;
	while (!w.code && body.n) {
		size_t n = 0, want = piece;
		while (!n) {
			size_t at = want < body.n ? want : body.n;
			while (at < body.n && body.p[at - 1] != '\n')
				at++;
			n = at == body.n      ? at
			    : r->record_start ? r->record_start(&run, body, at)
			                      : at;
			want = at + 1;
		}
		w.code = r->feed(&run, str_sub(body, 0, n), line, &w.f, &w.err);
		for (size_t i = 0; i < n; i++)
			line += body.p[i] == '\n';
		body = str_sub(body, n, body.n);
	}
	if (!w.code && r->end)
		w.code = r->end(&run, &w.f, &w.err);
	return w;
}

static inline struct whole pieces_read(const struct reader *r, struct str text, size_t piece)
{
	return pieces_read_zone(r, text, piece, NULL);
}

/* The same facts, whatever the pieces. */
static inline bool pieces_agree(const struct reader *r, struct str text, size_t piece)
{
	struct whole a = whole_read(r, text), b = pieces_read(r, text, piece);
	auto_text x = TEXT_NULL, y = TEXT_NULL;
	dump_facts(&x, &a.f);
	dump_facts(&y, &b.f);
	bool same = str_eq(text_str(&x), text_str(&y));
	whole_drop(&a);
	whole_drop(&b);
	return same;
}
