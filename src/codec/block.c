/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/block.h"

#include <assert.h>

#include "codec/wire.h"
#include "facts/facts.h"

_Static_assert(METRIC_COUNT <= 64, "a block names its metrics in 64 bits");

/* From here on a block is too long for bits to beat zstd, and is not packed both ways. */
#define ALONE_ROWS_MAX 2048u
/* Fewer bytes than this are not worth a frame: its head alone is a dozen. */
#define PACKED_BYTES_MIN 128u

void block_coder_deinit(struct block_coder *c)
{
	framer_deinit(&c->framer);
	column_room_deinit(&c->room);
	for (int goal = 0; goal < GOAL_COUNT; goal++) {
		text_deinit(&c->bodies[goal]);
		text_deinit(&c->column[goal]);
	}
	text_deinit(&c->packed);
	text_deinit(&c->head);
	mem_free(c->wide);
	*c = (struct block_coder){ 0 };
}

void block_seal(char *p, size_t n)
{
	assert(n >= BLOCK_FRONT_BYTES);
	struct str rest = { p + BLOCK_FRONT_BYTES, n - BLOCK_FRONT_BYTES };
	wire_store32(p + 4, (uint32_t)frame_checksum(rest, wire_load32(p)));
}

static enum err_code check_bytes(const uint8_t *v, uint32_t n, unsigned count, const char *what,
                                 struct err *err)
{
	unsigned most = 0;
	for (uint32_t i = 0; v && i < n; i++)
		most = v[i] > most ? v[i] : most;
	return most < count
	               ? ERR_OK
	               : err_set(err, ERR_INPUT, "block has the %s %u, which is none", what, most);
}

static bool same_list(const struct block *b, uint32_t i, uint32_t j)
{
	uint32_t n = b->procs_n[i];
	return n == b->procs_n[j] && (!n || b->procs_at[i] == b->procs_at[j] ||
	                              memcmp(b->procs + b->procs_at[i], b->procs + b->procs_at[j],
	                                     n * sizeof *b->procs) == 0);
}

static uint32_t run_end(const struct block *b, uint32_t i)
{
	uint32_t end = i + 1;
	while (end < b->rows && same_list(b, i, end))
		end++;
	return end;
}

static enum err_code check_words(const struct block *b, struct err *err)
{
	size_t bytes = 0;
	if (b->words_n > BLOCK_WORDS_MAX)
		return err_set(err, ERR_LIMIT, "block has %u words, more than %u", b->words_n,
		               BLOCK_WORDS_MAX);
	for (uint32_t i = 0; i < b->words_n; i++)
		bytes += b->words[i].n;
	return bytes <= BLOCK_WORDS_BYTES_MAX
	               ? ERR_OK
	               : err_set(err, ERR_LIMIT,
	                         "the words of a block have %zu bytes, more than %zu", bytes,
	                         BLOCK_WORDS_BYTES_MAX);
}

static enum err_code check_procs(const struct block *b, struct err *err)
{
	if (!b->procs_n)
		return ERR_OK;
	for (uint32_t i = 0; i < b->rows; i++)
		if (b->procs_n[i] > b->procs_total ||
		    b->procs_at[i] > b->procs_total - b->procs_n[i])
			return err_set(err, ERR_INPUT, "row %u of a block has a list past the end",
			               i);
	uint64_t entries = 0;
	for (uint32_t i = 0; i < b->rows; i = run_end(b, i)) {
		entries += b->procs_n[i];
		if (entries > BLOCK_PROCS_MAX)
			return err_set(err, ERR_LIMIT,
			               "the process lists of a block have more than %u entries",
			               BLOCK_PROCS_MAX);
		for (uint32_t j = 0; b->words_n && j < b->procs_n[i]; j++) {
			uint32_t word = b->procs[b->procs_at[i] + j];
			if (word >= b->words_n)
				return err_set(err, ERR_INPUT, "a process list names word %u of %u",
				               word, b->words_n);
		}
	}
	return check_words(b, err);
}

static enum err_code check(const struct block *b, struct err *err)
{
	if (!b->rows || b->rows > BLOCK_ROWS_MAX)
		return err_set(err, ERR_LIMIT, "a block of %u rows; it has 1 to %u", b->rows,
		               BLOCK_ROWS_MAX);
	for (uint32_t i = 1; i < b->rows; i++)
		if (b->t_ms[i] <= b->t_ms[i - 1])
			return err_set(err, ERR_INPUT,
			               "row %u of a block is not after the one before", i);
	enum err_code rc = check_bytes(b->kind, b->rows, SAMPLE_POINT + 1, "sample kind", err);
	if (!rc)
		rc = check_bytes(b->procs_why, b->rows, WHY_COUNT, "reason", err);
	for (unsigned m = 0; m < METRIC_COUNT && !rc; m++)
		if (b->v[m])
			rc = check_bytes(b->why[m], b->rows, WHY_COUNT, "reason", err);
	return rc ? rc : check_procs(b, err);
}

static int64_t *wide(struct block_coder *c, size_t n)
{
	if (c->wide_cap < n) {
		c->wide = mem_resize(c->wide, mem_times(n, sizeof *c->wide));
		c->wide_cap = n;
	}
	return c->wide;
}

/* Goals that are made: both, or zstd's alone. */
static int goals(const struct block_coder *c)
{
	return c->is_short ? GOAL_COUNT : GOAL_ZSTD + 1;
}

/* A column with its length in front, to each body. Nothing of nothing. */
static void put_column(struct block_coder *c, const int64_t *v, size_t n, unsigned decimals)
{
	if (!n)
		return;
	struct text *const to[GOAL_COUNT] = { &c->column[GOAL_ZSTD],
		                              c->is_short ? &c->column[GOAL_ALONE] : NULL };
	for (int goal = 0; goal < goals(c); goal++)
		to[goal]->n = 0;
	column_put(to, v, n, decimals, &c->room);
	for (int goal = 0; goal < goals(c); goal++) {
		wire_put_varint(&c->bodies[goal], to[goal]->n);
		text_add(&c->bodies[goal], text_str(to[goal]));
	}
}

static void put_number(struct block_coder *c, uint64_t x)
{
	for (int goal = 0; goal < goals(c); goal++)
		wire_put_varint(&c->bodies[goal], x);
}

static void put_bytes(struct block_coder *c, const uint8_t *v, uint32_t n)
{
	int64_t *w = wide(c, n);
	for (uint32_t i = 0; i < n; i++)
		w[i] = v[i];
	put_column(c, w, n, 0);
}

/* Entries of all runs: each run has its own, so there may be more than b->procs_total. */
static uint64_t count_lists(const struct block *b, uint32_t *ret_runs)
{
	uint64_t entries = 0;
	*ret_runs = 0;
	for (uint32_t i = 0; i < b->rows; i = run_end(b, i)) {
		entries += b->procs_n[i];
		++*ret_runs;
	}
	return entries;
}

static void put_lists(struct block_coder *c, const struct block *b)
{
	uint32_t runs, at = 0;
	uint64_t entries = count_lists(b, &runs);
	int64_t *w = wide(c, entries > BLOCK_ROWS_MAX ? (size_t)entries : BLOCK_ROWS_MAX);
	put_number(c, runs);
	put_number(c, entries);
	put_number(c, b->words_n);
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < b->words_n; i++)
		bytes += b->words[i].n;
	put_number(c, bytes);
	for (uint32_t i = 0; i < b->rows; i = run_end(b, i))
		w[at++] = run_end(b, i) - i;
	put_column(c, w, at, 0);
	at = 0;
	for (uint32_t i = 0; i < b->rows; i = run_end(b, i))
		w[at++] = b->procs_n[i];
	put_column(c, w, at, 0);
	at = 0;
	for (uint32_t i = 0; i < b->rows; i = run_end(b, i))
		for (uint32_t j = 0; j < b->procs_n[i]; j++)
			w[at++] = b->procs[b->procs_at[i] + j];
	put_column(c, w, at, 0);
	w = wide(c, b->words_n);
	for (uint32_t i = 0; i < b->words_n; i++)
		w[i] = (int64_t)b->words[i].n;
	put_column(c, w, b->words_n, 0);
	for (uint32_t i = 0; i < b->words_n; i++)
		for (int goal = 0; goal < goals(c); goal++)
			text_add(&c->bodies[goal], b->words[i]);
}

static bool all_known(const uint8_t *why, uint32_t n)
{
	unsigned any = WHY_KNOWN;
	for (uint32_t i = 0; why && i < n; i++)
		any |= why[i];
	return any == WHY_KNOWN;
}

/* Values without reasons as they are; else unknown ones as the known one before (after, in front of
   the first), which costs least. */
static void put_values(struct block_coder *c, const struct block *b, unsigned m)
{
	const int64_t *v = b->v[m];
	const uint8_t *why = b->why[m];
	if (!all_known(why, b->rows)) {
		int64_t *w = wide(c, b->rows), held = 0;
		for (uint32_t i = 0; i < b->rows; i++)
			if (why[i] == WHY_KNOWN) {
				held = v[i];
				break;
			}
		for (uint32_t i = 0; i < b->rows; i++)
			w[i] = held = why[i] == WHY_KNOWN ? v[i] : held;
		v = w;
	}
	put_column(c, v, b->rows, metrics[m].decimals);
	if (v == c->wide)
		put_bytes(c, why, b->rows);
}

/* Whether V says anything but OTHERWISE. */
static bool says(const uint8_t *v, uint32_t n, uint8_t otherwise)
{
	unsigned differs = 0;
	for (uint32_t i = 0; v && i < n; i++)
		differs |= v[i] ^ otherwise;
	return differs;
}

static unsigned flags_of(const struct block *b)
{
	bool has_periods = false;
	for (uint32_t i = 0; b->period_ms && i < b->rows; i++)
		has_periods |= b->period_ms[i] != 0;
	return (has_periods ? BLOCK_PERIODS : 0) | (b->procs_n ? BLOCK_PROCS : 0) |
	       (says(b->kind, b->rows, SAMPLE_AVERAGE) ? BLOCK_KINDS : 0) |
	       (says(b->procs_why, b->rows, WHY_ABSENT) ? BLOCK_PROCS_WHY : 0);
}

static void put_body(struct block_coder *c, const struct block *b, unsigned flags)
{
	c->is_short = b->rows <= ALONE_ROWS_MAX && !c->is_quick;
	c->room.is_quick = c->is_quick;
	for (int goal = 0; goal < GOAL_COUNT; goal++)
		c->bodies[goal].n = 0;
	int64_t *since = wide(c, b->rows);
	for (uint32_t i = 0; i < b->rows; i++)
		since[i] = (int64_t)((uint64_t)b->t_ms[i] - (uint64_t)b->t_ms[0]);
	put_column(c, since, b->rows, 0);
	if (flags & BLOCK_PERIODS)
		put_column(c, b->period_ms, b->rows, 0);
	if (flags & BLOCK_KINDS)
		put_bytes(c, b->kind, b->rows);
	if (flags & BLOCK_PROCS_WHY)
		put_bytes(c, b->procs_why, b->rows);
	if (flags & BLOCK_PROCS)
		put_lists(c, b);
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (b->v[m])
			put_values(c, b, m);
}

/* The body in its shortest form. RET_PLAIN_N: its bytes before zstd. */
static const struct text *make_body(struct block_coder *c, const struct block *b, unsigned flags,
                                    size_t *ret_plain_n)
{
	put_body(c, b, flags);
	const struct text *plain = &c->bodies[GOAL_ZSTD], *alone = &c->bodies[GOAL_ALONE];
	const struct text *best = c->is_short && alone->n <= plain->n ? alone : plain;
	*ret_plain_n = best->n;
	if (best->n < PACKED_BYTES_MIN || c->is_quick)
		return best;
	struct text *packed = &c->packed;
	size_t cap = frame_bound(plain->n);
	packed->n = 0;
	text_repeat(packed, 0, cap);
	packed->n = frame_pack(&c->framer, c->level ? c->level : BLOCK_LEVEL, text_str(plain),
	                       packed->p, cap);
	if (!packed->n || packed->n >= best->n)
		return best;
	*ret_plain_n = plain->n;
	return packed;
}

enum err_code block_put(struct text *t, const struct block *b, struct block_coder *c,
                        struct err *err)
{
	enum err_code rc = check(b, err);
	if (rc)
		return rc;
	size_t plain_n;
	unsigned flags = flags_of(b);
	const struct text *body = make_body(c, b, flags, &plain_n);
	uint64_t with = 0, reasons = 0;
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (b->v[m]) {
			with |= metric_bit(m);
			if (!all_known(b->why[m], b->rows))
				reasons |= metric_bit(m);
		}
	struct text *h = &c->head;
	h->n = 0;
	wire_put_varint(h, b->rows);
	wire_put_varint(h, wire_zigzag((uint64_t)b->t_ms[0]));
	wire_put_varint(h, (uint64_t)b->t_ms[b->rows - 1] - (uint64_t)b->t_ms[0]);
	wire_put_varint(h, with);
	wire_put_varint(h, reasons);
	wire_put_varint(h, plain_n);
	size_t start = t->n;
	text_add(t, S("TB"));
	text_byte(t, (char)BLOCK_VERSION);
	text_byte(t, (char)(flags | (body == &c->packed ? BLOCK_ZSTD : 0)));
	text_repeat(t, 0, 4);
	wire_put_varint(t, h->n + body->n);
	text_add(t, text_str(h));
	text_add(t, text_str(body));
	block_seal(t->p + start, t->n - start);
	return ERR_OK;
}
