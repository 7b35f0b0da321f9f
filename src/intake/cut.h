/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * cut: a stream in pieces that start and end between records, each with the number of its first
 * line. A line of more than LINE_BYTES_MAX, or an item of more than JSON_ITEM_BYTES_MAX, is a piece
 * of its own, without its bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"
#include "intake/stream.h"
#include "parse/json_cut.h"
#include "read/reader.h"

struct cut {
	struct stream *stream;
	const struct reader *reader;
	const struct read_run *run;
	size_t chunk_bytes; /* grows with records that span lines, so that a piece has several */
	size_t chunk_bytes_max;
	VEC(char) carry;       /* read, and not given out yet */
	uint64_t line;         /* number of the carry's first line */
	struct json_cut items; /* CUT_ITEMS: where the carry stands */
	bool has_ended;        /* what followed is no JSON */
};

struct piece {
	VEC(char) bytes; /* kept from piece to piece */
	uint64_t line;
	uint64_t long_line_bytes; /* not 0: a line that is too long stood here, or an item */
};

/* HEAD: what was read already and is not header. LINE: of its first byte. CHUNK_BYTES: of a piece;
   of records longer than that, four to a piece, as long as it has no more than CHUNK_BYTES_MAX. */
void cut_init(struct cut *c, struct stream *s, const struct reader *r, const struct read_run *run,
              size_t chunk_bytes, size_t chunk_bytes_max, struct str head, uint64_t line);
void cut_deinit(struct cut *c);
/* False at the end. */
bool cut_next(struct cut *c, struct piece *ret_piece);

/* Newlines in S. */
uint64_t cut_count_lines(struct str s);
