/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "codec/block.h"
#include "codec/wire.h"
#include "facts/facts.h"

/* The most bytes that a column of N values takes: eight a word, the map, what stands around. */
static uint64_t column_bytes_max(uint64_t n)
{
	return n * 10 + 64;
}

/* The head of a block, as it is written. */
struct head {
	size_t bytes;
	unsigned flags;
	uint32_t rows;
	int64_t from_ms, to_ms;
	uint64_t metrics, reasons, plain_n;
	struct str body;
};

static uint64_t plain_max(const struct head *h)
{
	uint64_t columns = 4 + (uint64_t)__builtin_popcountll(h->metrics) +
	                   (uint64_t)__builtin_popcountll(h->reasons);
	uint64_t n = columns * column_bytes_max(h->rows);
	if (h->flags & BLOCK_PROCS)
		n += 2 * column_bytes_max(h->rows) + column_bytes_max(BLOCK_PROCS_MAX) +
		     column_bytes_max(BLOCK_WORDS_MAX) + BLOCK_WORDS_BYTES_MAX + 64;
	return n;
}

static enum err_code get_fields(struct str in, struct head *h, struct err *err)
{
	uint64_t rows, from, along;
	if (!wire_take_varint(&in, &rows) || !wire_take_varint(&in, &from) ||
	    !wire_take_varint(&in, &along) || !wire_take_varint(&in, &h->metrics) ||
	    !wire_take_varint(&in, &h->reasons) || !wire_take_varint(&in, &h->plain_n))
		return err_set(err, ERR_INPUT, "block ends within its head");
	if (!rows || rows > BLOCK_ROWS_MAX)
		return err_set(err, ERR_INPUT, "block has %llu rows; it can have 1 to %u",
		               (unsigned long long)rows, BLOCK_ROWS_MAX);
	h->rows = (uint32_t)rows;
	h->from_ms = (int64_t)wire_unzigzag(from);
	if (along > (uint64_t)INT64_MAX - (uint64_t)h->from_ms || (rows == 1) != (along == 0))
		return err_set(err, ERR_INPUT, "block ends at no time that can be");
	h->to_ms = (int64_t)((uint64_t)h->from_ms + along);
	if (h->reasons & ~h->metrics)
		return err_set(err, ERR_INPUT,
		               "block has reasons of a metric that it does not have");
	h->body = in;
	if (!h->plain_n || h->plain_n > plain_max(h) ||
	    (!(h->flags & BLOCK_ZSTD) && h->plain_n != in.n))
		return err_set(err, ERR_INPUT, "block says that its body has %llu bytes",
		               (unsigned long long)h->plain_n);
	return ERR_OK;
}

static enum err_code get_head(struct str in, bool is_peeked, struct head *ret, struct err *err)
{
	struct str all = in, front, rest;
	uint64_t n;
	if (!wire_take(&in, BLOCK_FRONT_BYTES, &front))
		return err_set(err, ERR_INPUT, "block ends within its head");
	if (!str_starts(front, S("TB")))
		return err_set(err, ERR_INPUT, "no block begins here");
	unsigned version = (unsigned char)front.p[2];
	if (version != BLOCK_VERSION)
		return err_set(err, ERR_INPUT, "block has version %u; this build reads version %u",
		               version, BLOCK_VERSION);
	if (!wire_take_varint(&in, &n) || n > in.n)
		return err_set(err, ERR_INPUT, "block is cut off after %zu bytes", all.n);
	rest = str_sub(in, 0, (size_t)n);
	struct head h = { .bytes = all.n - in.n + (size_t)n, .flags = (unsigned char)front.p[3] };
	struct str sealed = str_sub(all, BLOCK_FRONT_BYTES, h.bytes - BLOCK_FRONT_BYTES);
	if (!is_peeked &&
	    (uint32_t)frame_checksum(sealed, wire_load32(front.p)) != wire_load32(front.p + 4))
		return err_set(err, ERR_INPUT, "block is damaged: its checksum is another");
	if (h.flags & ~(unsigned)BLOCK_FLAGS)
		return err_set(err, ERR_INPUT, "block has flags %u, which this build does not know",
		               h.flags);
	enum err_code rc = get_fields(rest, &h, err);
	if (!rc)
		*ret = h;
	return rc;
}

enum err_code block_peek(struct str in, struct block_info *ret, struct err *err)
{
	struct head h;
	enum err_code rc = get_head(in, false, &h, err);
	if (rc)
		return rc;
	uint64_t ours = METRIC_COUNT == 64 ? UINT64_MAX : metric_bit(METRIC_COUNT) - 1;
	*ret = (struct block_info){ .bytes = h.bytes,
		                    .rows = h.rows,
		                    .from_ms = h.from_ms,
		                    .to_ms = h.to_ms,
		                    .metrics = h.metrics & ours,
		                    .reasons = h.reasons & ours,
		                    .has_procs = h.flags & BLOCK_PROCS };
	return ERR_OK;
}

void block_alloc(struct arena *a, const struct block_info *info, struct block *ret)
{
	uint32_t n = info->rows;
	*ret = (struct block){ .rows = n,
		               .t_ms = ARENA_ARRAY(a, int64_t, n),
		               .period_ms = ARENA_ARRAY(a, int64_t, n),
		               .kind = ARENA_ARRAY(a, uint8_t, n),
		               .procs_why = ARENA_ARRAY(a, uint8_t, n) };
	if (info->has_procs) {
		ret->procs_at = ARENA_ARRAY(a, uint32_t, n);
		ret->procs_n = ARENA_ARRAY(a, uint32_t, n);
	}
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (info->metrics & metric_bit(m)) {
			ret->v[m] = ARENA_ARRAY(a, int64_t, n);
			ret->why[m] = ARENA_ARRAY(a, uint8_t, n);
		}
}

/* A block while it is unpacked. */
struct unpack {
	struct str body; /* what of it is left */
	uint32_t rows;
	struct block_coder *c;
};

/* The next column to V, or past it when V is NULL. */
static enum err_code get_column(struct unpack *u, int64_t *v, size_t n, const char *what,
                                struct err *err)
{
	uint64_t bytes;
	struct str column;
	if (!wire_take_varint(&u->body, &bytes) || bytes > u->body.n ||
	    !wire_take(&u->body, (size_t)bytes, &column))
		return err_set(err, ERR_INPUT, "block ends within its %s", what);
	if (!v)
		return ERR_OK;
	enum err_code rc = column_get(column, v, n, &u->c->room, err);
	return rc ? err_wrap(err, "%s of a block: ", what) : ERR_OK;
}

/* A column of numbers below COUNT. */
static enum err_code get_small(struct unpack *u, uint8_t *v, unsigned count, const char *what,
                               struct err *err)
{
	int64_t *w = v ? u->c->wide : NULL;
	enum err_code rc = get_column(u, w, u->rows, what, err);
	if (rc || !v)
		return rc;
	uint64_t all = 0; /* the largest may hide: below 256 it cannot */
	for (uint32_t i = 0; i < u->rows; i++) {
		all |= (uint64_t)w[i] >= count;
		v[i] = (uint8_t)w[i];
	}
	return all ? err_set(err, ERR_INPUT, "%s of a block: one of them is none", what) : ERR_OK;
}

static enum err_code get_times(struct unpack *u, const struct head *h, int64_t *t, struct err *err)
{
	enum err_code rc = get_column(u, t, u->rows, "times", err);
	if (rc || !t)
		return rc;
	bool grows = t[0] == 0;
	uint64_t before = 0;
	for (uint32_t i = 0; i < u->rows; i++) {
		uint64_t since = (uint64_t)t[i];
		grows &= since > before || !i;
		before = since;
		t[i] = (int64_t)(since + (uint64_t)h->from_ms);
	}
	if (!grows || t[u->rows - 1] != h->to_ms)
		return err_set(err, ERR_INPUT, "times of a block: not in order, or not its head's");
	return ERR_OK;
}

static enum err_code get_values(struct unpack *u, int64_t *v, uint8_t *why, bool has_reasons,
                                struct err *err)
{
	enum err_code rc = get_column(u, v, u->rows, "values", err);
	if (!rc && has_reasons)
		rc = get_small(u, why, WHY_COUNT, "reasons", err);
	if (rc || !v)
		return rc;
	if (!has_reasons)
		memset(why, WHY_KNOWN, u->rows);
	for (uint32_t i = 0; has_reasons && i < u->rows; i++)
		v[i] = why[i] == WHY_KNOWN ? v[i] : 0;
	return ERR_OK;
}

static enum err_code get_words(struct unpack *u, struct block *b, uint32_t n, uint64_t bytes,
                               struct arena *a, struct err *err)
{
	struct str all;
	int64_t *w = u->c->wide;
	enum err_code rc = n ? get_column(u, w, n, "words", err) : ERR_OK;
	if (rc)
		return rc;
	if (!wire_take(&u->body, (size_t)bytes, &all))
		return err_set(err, ERR_INPUT, "block ends within its words");
	all = str_dup(a, all);
	b->words = ARENA_ARRAY(a, struct str, n);
	b->words_n = n;
	for (uint32_t i = 0; i < n; i++) {
		if (w[i] < 0 || !wire_take(&all, (size_t)w[i], &b->words[i]))
			return err_set(err, ERR_INPUT, "words of a block: longer than they are");
	}
	return all.n ? err_set(err, ERR_INPUT, "words of a block: shorter than they are") : ERR_OK;
}

/* Which list each row has, from the columns of run lengths and list lengths. */
static enum err_code get_places(struct unpack *u, struct block *b, uint32_t runs, uint32_t entries,
                                struct err *err)
{
	int64_t *lengths = u->c->wide, *sizes = lengths + runs;
	enum err_code rc = get_column(u, lengths, runs, "process lists", err);
	if (!rc)
		rc = get_column(u, sizes, runs, "process lists", err);
	if (rc)
		return rc;
	uint32_t row = 0, at = 0;
	for (uint32_t r = 0; r < runs; r++) {
		if (lengths[r] < 1 || lengths[r] > u->rows - row || sizes[r] < 0 ||
		    sizes[r] > entries - at)
			return err_set(err, ERR_INPUT,
			               "process lists of a block: do not fit its rows");
		for (uint32_t end = row + (uint32_t)lengths[r]; row < end; row++) {
			b->procs_at[row] = at;
			b->procs_n[row] = (uint32_t)sizes[r];
		}
		at += (uint32_t)sizes[r];
	}
	if (row != u->rows || at != entries)
		return err_set(err, ERR_INPUT, "process lists of a block: do not fit its rows");
	return ERR_OK;
}

static enum err_code get_lists(struct unpack *u, struct block *b, struct arena *a, struct err *err)
{
	uint64_t runs, entries, words, bytes;
	if (!wire_take_varint(&u->body, &runs) || !wire_take_varint(&u->body, &entries) ||
	    !wire_take_varint(&u->body, &words) || !wire_take_varint(&u->body, &bytes))
		return err_set(err, ERR_INPUT, "block ends within its process lists");
	if (!runs || runs > u->rows || entries > BLOCK_PROCS_MAX || words > BLOCK_WORDS_MAX ||
	    bytes > BLOCK_WORDS_BYTES_MAX)
		return err_set(err, ERR_INPUT,
		               "process lists of a block: more than a block can have");
	if (!b->procs_at) { /* past them */
		struct str skipped;
		for (int i = 0; i < 2 + (entries > 0) + (words > 0); i++)
			if (get_column(u, NULL, 0, "process lists", err))
				return ERR_INPUT;
		return wire_take(&u->body, (size_t)bytes, &skipped)
		               ? ERR_OK
		               : err_set(err, ERR_INPUT, "block ends within its words");
	}
	enum err_code rc = get_places(u, b, (uint32_t)runs, (uint32_t)entries, err);
	int64_t *w = u->c->wide;
	if (!rc && entries)
		rc = get_column(u, w, (size_t)entries, "process lists", err);
	if (rc)
		return rc;
	b->procs_total = (uint32_t)entries;
	b->procs = ARENA_ARRAY(a, uint32_t, entries);
	for (uint64_t i = 0; i < entries; i++) {
		if (w[i] < 0 || w[i] > UINT32_MAX || (words && (uint64_t)w[i] >= words))
			return err_set(err, ERR_INPUT,
			               "process lists of a block: an entry is none");
		b->procs[i] = (uint32_t)w[i];
	}
	return get_words(u, b, (uint32_t)words, bytes, a, err);
}

static enum err_code get_body(struct unpack *u, const struct head *h, struct block *b,
                              struct arena *a, struct err *err)
{
	enum err_code rc = get_times(u, h, b->t_ms, err);
	if (!rc && h->flags & BLOCK_PERIODS)
		rc = get_column(u, b->period_ms, u->rows, "periods", err);
	if (!rc && h->flags & BLOCK_KINDS)
		rc = get_small(u, b->kind, SAMPLE_POINT + 1, "kinds", err);
	if (!rc && h->flags & BLOCK_PROCS_WHY)
		rc = get_small(u, b->procs_why, WHY_COUNT, "reasons of process lists", err);
	if (!rc && h->flags & BLOCK_PROCS)
		rc = get_lists(u, b, a, err);
	for (unsigned m = 0; m < 64 && !rc; m++) {
		if (!(h->metrics & metric_bit(m)))
			continue;
		bool is_ours = m < METRIC_COUNT;
		rc = get_values(u, is_ours ? b->v[m] : NULL, is_ours ? b->why[m] : NULL,
		                h->reasons & metric_bit(m), err);
	}
	if (!rc && u->body.n)
		return err_set(err, ERR_INPUT, "block has %zu bytes after its last column",
		               u->body.n);
	return rc;
}

/* What was asked for and is not in the block. */
static void fill_absent(struct block *b, const struct head *h)
{
	if (b->period_ms && !(h->flags & BLOCK_PERIODS))
		memset(b->period_ms, 0, h->rows * sizeof *b->period_ms);
	if (b->kind && !(h->flags & BLOCK_KINDS))
		memset(b->kind, SAMPLE_AVERAGE, h->rows);
	if (b->procs_why && !(h->flags & BLOCK_PROCS_WHY))
		memset(b->procs_why, WHY_ABSENT, h->rows);
	if (b->procs_at && !(h->flags & BLOCK_PROCS)) {
		memset(b->procs_at, 0, h->rows * sizeof *b->procs_at);
		memset(b->procs_n, 0, h->rows * sizeof *b->procs_n);
	}
	for (unsigned m = 0; m < METRIC_COUNT; m++) {
		assert(!b->v[m] == !b->why[m]);
		if (b->v[m] && !(h->metrics & metric_bit(m))) {
			memset(b->v[m], 0, h->rows * sizeof *b->v[m]);
			memset(b->why[m], WHY_ABSENT, h->rows);
		}
	}
}

enum err_code block_get(struct str in, struct block *b, struct arena *a, struct block_coder *c,
                        struct err *err)
{
	struct head h;
	enum err_code rc = get_head(in, c->is_peeked, &h, err);
	if (rc)
		return rc;
	assert(!b->procs_at == !b->procs_n);
	size_t most = h.flags & BLOCK_PROCS ? BLOCK_PROCS_MAX : BLOCK_ROWS_MAX;
	if (c->wide_cap < most) {
		c->wide = mem_resize(c->wide, mem_times(most, sizeof *c->wide));
		c->wide_cap = most;
	}
	struct unpack u = { .body = h.body, .rows = h.rows, .c = c };
	if (h.flags & BLOCK_ZSTD) {
		c->packed.n = 0;
		text_repeat(&c->packed, 0, (size_t)h.plain_n);
		rc = frame_unpack(&c->framer, h.body, c->packed.p, c->packed.n, err);
		if (rc)
			return rc;
		u.body = text_str(&c->packed);
	}
	b->rows = h.rows;
	b->procs_total = b->words_n = 0;
	b->procs = NULL;
	b->words = NULL;
	fill_absent(b, &h);
	return get_body(&u, &h, b, a, err);
}
