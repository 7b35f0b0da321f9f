/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a block, as they are and with a checksum that fits: an error, or a block that comes
   back the same through the encoder. Any bytes as a column. And numbers made of any bytes, which
   have to come back. */
#include <stdlib.h>

#include "codec/block.h"
#include "codec/wire.h"
#include "lib/blocks.h"

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void through(struct arena *a, struct block_coder *c, const struct block *b)
{
	auto_text t = TEXT_NULL;
	struct block_info info;
	struct block got;
	enum err_code rc = block_put(&t, b, c, NULL);
	if (rc == ERR_LIMIT) /* shared lists that are written apart */
		return;
	must(rc == ERR_OK && block_peek(text_str(&t), &info, NULL) == ERR_OK);
	must(info.bytes == t.n && info.rows == b->rows);
	block_alloc(a, &info, &got);
	must(block_get(text_str(&t), &got, a, c, NULL) == ERR_OK);
	must(blocks_same(b, &got));
}

static void decode(struct str in, struct block_coder *c)
{
	auto_arena a = ARENA_NULL;
	struct block_info info;
	struct block b;
	struct err err;
	if (block_peek(in, &info, &err))
		return;
	must(info.bytes <= in.n && info.rows && info.rows <= BLOCK_ROWS_MAX);
	block_alloc(&a, &info, &b);
	if (block_get(in, &b, &a, c, &err) == ERR_OK)
		through(&a, c, &b);
}

/* The bytes as they are, then as a block from its varints on, in one piece and sealed. */
static void forged(const uint8_t *data, size_t size, struct block_coder *c)
{
	decode((struct str){ (const char *)data, size }, c);
	if (size < 4)
		return;
	auto_text t = TEXT_NULL;
	text_add(&t, (struct str){ (const char *)data, 4 });
	text_repeat(&t, 0, 4);
	wire_put_varint(&t, size - 4);
	text_add(&t, (struct str){ (const char *)data + 4, size - 4 });
	block_seal(t.p, t.n);
	decode(text_str(&t), c);
}

static void as_column(const uint8_t *data, size_t size, struct block_coder *c)
{
	if (!size)
		return;
	size_t n = 1 + data[0] * (size_t)4;
	auto_arena a = ARENA_NULL;
	int64_t *v = ARENA_ARRAY(&a, int64_t, n), *again = ARENA_ARRAY(&a, int64_t, n);
	struct str in = { (const char *)data + 1, size - 1 };
	if (column_get(in, v, n, &c->room, NULL))
		return;
	for (enum column_goal goal = GOAL_ZSTD; goal <= GOAL_ALONE; goal++) {
		auto_text t = TEXT_NULL;
		struct text *to[GOAL_COUNT] = { NULL, NULL };
		to[goal] = &t;
		column_put(to, v, n, 6, &c->room);
		must(column_get(text_str(&t), again, n, &c->room, NULL) == ERR_OK);
		must(memcmp(v, again, n * sizeof *v) == 0);
	}
}

/* Eight bytes, or as many as are left. */
static uint64_t take(struct str *in, size_t n)
{
	uint64_t x = 0;
	struct str part;
	if (wire_take(in, n < in->n ? n : in->n, &part))
		for (size_t i = 0; i < part.n; i++)
			x |= (uint64_t)(unsigned char)part.p[i] << 8 * i;
	return x;
}

/* First bytes: how wide the numbers are; then a row after the other. */
static void as_numbers(const uint8_t *data, size_t size, struct block_coder *c)
{
	struct str in = { (const char *)data, size };
	auto_arena a = ARENA_NULL;
	size_t width = 1 + take(&in, 1) % 8, rows = 1 + in.n / (2 * width + 2);
	uint64_t scale = take(&in, 4) + 1;
	if (rows > BLOCK_ROWS_MAX)
		rows = BLOCK_ROWS_MAX;
	struct block b = { .rows = (uint32_t)rows,
		           .t_ms = ARENA_ARRAY(&a, int64_t, rows),
		           .kind = ARENA_ARRAY(&a, uint8_t, rows) };
	int64_t *v = b.v[METRIC_sm] = ARENA_ARRAY(&a, int64_t, rows);
	int64_t *w = b.v[METRIC_energy] = ARENA_ARRAY(&a, int64_t, rows);
	b.why[METRIC_sm] = ARENA_ARRAY(&a, uint8_t, rows);
	uint64_t t = take(&in, 8);
	for (size_t i = 0; i < rows; i++) {
		uint64_t bits = take(&in, 2);
		v[i] = (int64_t)(take(&in, width) * scale);
		w[i] = (int64_t)((i ? (uint64_t)w[i - 1] : 0) + take(&in, width));
		b.why[METRIC_sm][i] = (uint8_t)((bits & 7) % WHY_COUNT);
		b.kind[i] = bits >> 3 & 1;
		t += (bits >> 4) + 1;
		b.t_ms[i] = (int64_t)t;
		if (i && b.t_ms[i] <= b.t_ms[i - 1]) { /* past the end of time */
			b.rows = (uint32_t)i;
			break;
		}
	}
	through(&a, c, &b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct block_coder c = { 0 };
	forged(data, size, &c);
	as_column(data, size, &c);
	as_numbers(data, size, &c);
	block_coder_deinit(&c);
	return 0;
}
