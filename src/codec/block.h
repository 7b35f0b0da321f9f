/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * block: samples of one device as bytes, and back. What comes out is what went in, to the unit;
 * bytes that are no block, or are damaged, are an error and nothing worse.
 *
 *     struct block b = { .rows = n, .t_ms = t, .v[METRIC_power] = watts };    encode
 *     rc = block_put(&text, &b, &coder, &err);
 *
 *     rc = block_peek(bytes, &info, &err);                                    decode
 *     block_alloc(&arena, &info, &b);        or the caller's own arrays, NULL for what is not
 * wanted rc = block_get(bytes, &b, &arena, &coder, &err);
 *
 * Shapes: every array has a place for each row; t_ms is strictly increasing; v[m] is in units of
 * 10^-decimals of its metric (metrics.def), and where why[m] is not WHY_KNOWN it is 0. Limits:
 * BLOCK_ROWS_MAX rows, BLOCK_PROCS_MAX entries in the process lists of its runs, BLOCK_WORDS_MAX
 * words of BLOCK_WORDS_BYTES_MAX bytes together: ERR_LIMIT, and the caller makes two blocks.
 *
 * Bytes, all little-endian: "TB", version, flags; u32 of XXH3 over what follows, seeded with the
 * four bytes before; varint bytes that follow; varints rows, zigzag(first time), last time - first,
 * metrics (a bit each, by id), those of them with a stream of reasons; bytes of the body, plain.
 * Then the body, as it is or as one zstd frame: columns (column.h), each after its varint length:
 * times since the first, [periods, kinds, reasons of process lists, process lists: where a flag
 * says so,] for each metric by id its values [and reasons]. Process lists: varints runs of rows
 * with the same list, entries, words, bytes of words; columns of run lengths, list lengths,
 * entries, word lengths; the bytes of the words.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "base/text.h"
#include "codec/column.h"
#include "facts/tables.h"
#include "pack/frame.h"

struct block {
	uint32_t rows;      /* 1 to BLOCK_ROWS_MAX */
	int64_t *t_ms;      /* never NULL to encode */
	int64_t *period_ms; /* NULL: 0, unknown, in every row */
	uint8_t *kind;      /* enum sample_kind; NULL: average */
	uint8_t *procs_why; /* enum why; NULL: absent */
	/* Row i has procs[procs_at[i]] to procs[procs_at[i] + procs_n[i] - 1]; rows may share a
	   list, and decoded rows with the same list in a row do. NULL, all three: no lists. With
	   words an entry is an index into them; without, any number. */
	uint32_t *procs_at, *procs_n, *procs;
	uint32_t procs_total; /* entries of procs: a pool of which rows name parts, of any size */
	struct str *words;
	uint32_t words_n;
	int64_t *v[METRIC_COUNT];   /* NULL: not in the block, or not wanted */
	uint8_t *why[METRIC_COUNT]; /* NULL: all known. To decode, as v */
};

/* What a block holds, without unpacking it. */
struct block_info {
	size_t bytes; /* of the whole block; others may follow */
	uint32_t rows;
	int64_t from_ms, to_ms; /* times of the first and the last row */
	uint64_t metrics; /* metric_bit of each; ids that this build does not know are left out */
	uint64_t reasons; /* those of which not all is known */
	bool has_procs;
};

/* What is kept from one block to the next: memory and zstd's state. All zero is a new one; one for
 * each thread. */
struct block_coder {
	int level;      /* of zstd; 0: BLOCK_LEVEL */
	bool is_quick;  /* blocks that are read again soon: each column in bits, no zstd */
	bool is_peeked; /* block_peek has just checked what block_get is given */
	struct framer framer;
	struct column_room room;
	struct text bodies[GOAL_COUNT], column[GOAL_COUNT], packed, head;
	bool is_short; /* both bodies are made */
	int64_t *wide;
	size_t wide_cap;
};
#define BLOCK_LEVEL 3

void block_coder_deinit(struct block_coder *c);

/* Appends B to T. ERR_INPUT: times do not increase, or a kind, reason or list is none. ERR_LIMIT.
 */
enum err_code block_put(struct text *t, const struct block *b, struct block_coder *c,
                        struct err *err) NODISCARD;
/* The head of the block at the start of IN, after the checksum of all of it. */
enum err_code block_peek(struct str in, struct block_info *ret, struct err *err) NODISCARD;
/* Arrays for all that INFO says is there. Procs, words: block_get makes them. */
void block_alloc(struct arena *a, const struct block_info *info, struct block *ret);
/*
 * The block at the start of IN into the arrays of B, which have room for the rows that block_peek
 * gave; arrays that are NULL are skipped (a metric's two together, the two of the lists together).
 * A metric that is not in the block is absent in every row. procs and words, where procs_at is
 * asked for, are made in A; nothing else is. After an error the arrays hold anything.
 */
enum err_code block_get(struct str in, struct block *b, struct arena *a, struct block_coder *c,
                        struct err *err) NODISCARD;

/* Writes the checksum of the block P[0, N) anew: for tests that damage one on purpose. */
void block_seal(char *p, size_t n);

#define BLOCK_VERSION 1u
#define BLOCK_FRONT_BYTES 8 /* up to the checksum */
/* Flags. What has none is as its NULL array says: unknown, average, absent. */
enum {
	BLOCK_ZSTD = 1,
	BLOCK_PROCS = 2,
	BLOCK_PERIODS = 4,
	BLOCK_KINDS = 8,
	BLOCK_PROCS_WHY = 16,
	BLOCK_FLAGS = 31
};
