/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * mapped: a CSV read through one mapping file, whole or in pieces, as intake does.
 */
#include "lib/run.h"

#include "read/csv_map.h"

extern const struct reader reader_csv_map;

/* A file read through one map. */
struct mapped {
	struct arena a;
	struct csv_map map;
	struct facts f;
	struct err err;
};

static inline enum err_code mapped_read(struct mapped *g, struct str yaml, struct str csv,
                                        size_t chunk)
{
	*g = (struct mapped){ 0 };
	facts_init(&g->f);
	enum err_code rc = csv_map_parse(&g->a, yaml, S("test.yaml"), &g->map, &g->err);
	if (rc)
		return rc;
	const struct csv_map *maps[] = { &g->map };
	struct read_options o = { .maps = maps, .maps_n = 1, .input_name = S("in.csv") };
	struct read_run run = { .options = &o, .a = &g->a };
	struct str head = str_sub(csv, 0, 65536);
	if (!reader_csv_map.recognise(head, &o))
		return err_set(&g->err, ERR_INPUT, "not recognised");
	rc = reader_csv_map.open(&run, head, &g->err);
	if (rc)
		return rc;
	*vec_push(&g->f.inputs) = (struct input_info){ .name = facts_word(&g->f, S("in.csv")) };
	struct str body = str_sub(csv, run.body_at, csv.n);
	uint64_t line = run.body_line;
	while (body.n) {
		size_t n = chunk && chunk < body.n ? chunk : body.n;
		while (n < body.n && body.p[n - 1] != '\n')
			n++;
		size_t start = n < body.n ? reader_csv_map.record_start(&run, body, n) : n;
		while (start == 0) { /* one record is longer than the chunk */
			n++;
			while (n < body.n && body.p[n - 1] != '\n')
				n++;
			start = n < body.n ? reader_csv_map.record_start(&run, body, n) : n;
		}
		struct str part = str_sub(body, 0, start);
		rc = reader_csv_map.feed(&run, part, line, &g->f, &g->err);
		if (rc)
			return rc;
		for (size_t i = 0; i < part.n; i++)
			line += part.p[i] == '\n';
		body = str_sub(body, start, body.n);
	}
	return reader_csv_map.end(&run, &g->f, &g->err);
}

static inline void mapped_drop(struct mapped *g)
{
	facts_deinit(&g->f);
	arena_deinit(&g->a);
}
