/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * items: reads a text through a CUT_ITEMS reader, cut between items as intake does, with PIECE
 * bytes more at a time.
 */
#include "lib/dump.h"
#include "lib/whole.h"
#include "parse/json_cut.h"

static inline struct whole items_read(const struct reader *r, struct str text, size_t piece)
{
	struct whole w = { 0 };
	struct read_options o = { .input_name = S("in") };
	struct read_run run = { .options = &o, .a = &w.a };
	struct json_cut c = JSON_CUT_NULL;
	uint64_t line = 1;
	facts_init(&w.f);
	*vec_push(&w.f.inputs) = (struct input_info){ .name = facts_word(&w.f, S("in")) };
	w.code = r->open(&run, str_sub(text, 0, 65536), &w.err);
	text = str_sub(text, run.body_at, text.n);
	char *bytes = arena_dup(&w.a, text.p, text.n);
	size_t from = 0;
	for (size_t n = piece; !w.code && from < text.n; n += piece) {
		bool is_last = n >= text.n || c.is_broken;
		n = n < text.n ? n : text.n;
		json_cut_pass(&c, bytes + from, n - from);
		is_last |= c.is_broken;
		size_t end = is_last ? n - from : c.end;
		if (!end)
			continue;
		struct str part = { bytes + from, end };
		w.code = r->feed(&run, part, line, &w.f, &w.err);
		for (size_t i = 0; i < end; i++)
			line += part.p[i] == '\n';
		json_cut_shift(&c, end);
		from += end;
		if (is_last)
			break;
	}
	if (!w.code && r->end)
		w.code = r->end(&run, &w.f, &w.err);
	return w;
}

/* The same facts, whatever the pieces. */
static inline bool items_agree(const struct reader *r, struct str text, size_t piece)
{
	struct whole a = whole_read(r, text), b = items_read(r, text, piece);
	auto_text x = TEXT_NULL, y = TEXT_NULL;
	dump_facts(&x, &a.f);
	dump_facts(&y, &b.f);
	bool same = str_eq(text_str(&x), text_str(&y));
	whole_drop(&a);
	whole_drop(&b);
	return same;
}
