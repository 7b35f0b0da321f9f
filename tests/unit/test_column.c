/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/column.h"

#include "codec/wire.h"
#include "lib/dice.h"
#include "lib/run.h"

enum { ROWS = 1000 };

/* V through a column; returns its bytes, its head in RET_HEAD. */
static size_t through(const int64_t *v, size_t n, unsigned decimals, enum column_goal goal,
                      unsigned *ret_head)
{
	struct column_room room = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	struct text *to[GOAL_COUNT] = { NULL, NULL };
	to[goal] = &t;
	column_put(to, v, n, decimals, &room);
	int64_t *got = mem_alloc(n * sizeof *got);
	if (column_get(text_str(&t), got, n, &room, &err))
		fail_msg("%s", err.text);
	assert_memory_equal(got, v, n * sizeof *v);
	mem_free(got);
	column_room_deinit(&room);
	if (ret_head)
		*ret_head = (unsigned char)t.p[0];
	return t.n;
}

static unsigned head(enum column_shape shape, bool is_share, bool is_sparse,
                     enum column_packing packing)
{
	return (unsigned)shape | (unsigned)is_share << 2 | (unsigned)is_sparse << 3 |
	       (unsigned)packing << 4;
}

static void check(const int64_t *v, unsigned decimals, enum column_goal goal, unsigned want,
                  size_t most)
{
	unsigned got;
	size_t n = through(v, ROWS, decimals, goal, &got);
	assert_int_equal(got, want);
	if (n > most)
		fail_msg("%zu bytes, more than %zu", n, most);
}

static void each_shape_is_found(void **state)
{
	(void)state;
	int64_t v[ROWS];
	uint64_t rng = 1;
	for (enum column_goal goal = GOAL_ZSTD; goal <= GOAL_ALONE; goal++) {
		enum column_packing packing = goal == GOAL_ZSTD ? PACKING_PLANES : PACKING_BITS;
		for (int i = 0; i < ROWS; i++)
			v[i] = -7;
		check(v, 6, goal, head(SHAPE_PLAIN, false, false, PACKING_ZERO), 3);
		for (int i = 0; i < ROWS; i++) /* regular times */
			v[i] = 1767225600000 + i * 57000;
		check(v, 0, goal, head(SHAPE_DELTA, false, false, PACKING_ZERO), 16);
		for (int i = 0; i < ROWS; i++) /* a counter whose rate grows evenly */
			v[i] = (int64_t)i * i * 3 + 100;
		check(v, 0, goal, head(SHAPE_DELTA2, false, false, PACKING_RUNS), 16);
		for (int i = 0; i < ROWS; i++) /* whole per cents with six decimals */
			v[i] = (int64_t)dice_below(&rng, 101) * 1000000;
		check(v, 6, goal, head(SHAPE_PLAIN, false, false, packing), ROWS + 16);
		for (int i = 0; i < ROWS; i++) /* rare, and never the same */
			v[i] = dice_below(&rng, 8) ? 0 : (int64_t)dice_below(&rng, 1 << 24);
		check(v, 0, goal, head(SHAPE_PLAIN, false, true, packing), ROWS * 6 / 10);
		for (int i = 0; i < ROWS; i++)
			v[i] = i / 100 % 2 * 77777;
		check(v, 0, goal, head(SHAPE_PLAIN, false, false, PACKING_RUNS), 40);
		for (int i = 0; i < ROWS; i++)
			v[i] = (int64_t)dice_below(&rng, 1500) * 1000000 / 15;
		check(v, 6, goal, head(SHAPE_PLAIN, true, false, packing), 2 * ROWS + 16);
		v[0] = 1000000000000; /* a walk from far away */
		for (int i = 1; i < ROWS; i++)
			v[i] = v[i - 1] + 1000 + (int64_t)dice_below(&rng, 200);
		check(v, 0, goal, head(SHAPE_DELTA, false, false, packing), ROWS + 32);
	}
}

static void extremes_come_back(void **state)
{
	(void)state;
	static const int64_t ends[] = { INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1 };
	int64_t v[64];
	uint64_t rng = 5;
	for (int round = 0; round < 300; round++) {
		size_t n = 1 + dice_below(&rng, 64);
		for (size_t i = 0; i < n; i++)
			v[i] = ends[dice_below(&rng, 2 + dice_below(&rng, 5))];
		for (enum column_goal goal = GOAL_ZSTD; goal <= GOAL_ALONE; goal++)
			through(v, n, (unsigned)dice_below(&rng, 11), goal, NULL);
	}
	for (size_t i = 0; i < 64; i++) /* each 2^57 more: around once */
		v[i] = (int64_t)((uint64_t)i << 58);
	assert_true(through(v, 64, 0, GOAL_ZSTD, NULL) < 64);
}

/* Columns put together by chance from what real ones are made of. */
static void columns_by_chance_come_back(void **state)
{
	(void)state;
	uint64_t rng = 6;
	int64_t v[ROWS];
	for (int round = 0; round < 1500; round++) {
		size_t n = 1 + dice_below(&rng, round % 10 ? 80 : ROWS);
		uint64_t step = dice_below(&rng, 3) ? 1 : 1 + dice_below(&rng, 1000000);
		unsigned bits = 1 + (unsigned)dice_below(&rng, 63),
		         keep = (unsigned)dice_below(&rng, 9);
		uint64_t x = dice_next(&rng) >> dice_below(&rng, 64),
		         den = 1 + dice_below(&rng, 64);
		unsigned kind = (unsigned)dice_below(&rng, 4);
		for (size_t i = 0; i < n; i++) {
			uint64_t r = dice_next(&rng) >> bits;
			if (dice_below(&rng, 8) >= keep)
				x = kind == 0 ? r : kind == 1 ? x + r : kind == 2 ? x - r : 0;
			v[i] = (int64_t)(x * step);
			if (kind == 3)
				v[i] = (int64_t)((r & 0xffff) * 1000000 / den);
		}
		for (enum column_goal goal = GOAL_ZSTD; goal <= GOAL_ALONE; goal++)
			through(v, n, (unsigned)dice_below(&rng, 10), goal, NULL);
	}
}

static void bad(struct str in, size_t n, const char *why)
{
	struct column_room room = { 0 };
	struct err err = { 0 };
	int64_t v[64];
	assert_true(n <= 64);
	assert_int_equal(column_get(in, v, n, &room, &err), ERR_INPUT);
	if (!strstr(err.text, why))
		fail_msg("'%s' is not in '%s'", why, err.text);
	column_room_deinit(&room);
}

static void what_is_no_column_says_so(void **state)
{
	(void)state;
	bad(STR_NULL, 1, "ends within its head");
	bad(S("\x40"), 1, "head 64");
	bad(S("\x03\0\1"), 1, "head 3");
	bad(S("\x08\0\1"), 1, "head 8");  /* all zero, sparse */
	bad(S("\x38\0\1"), 1, "head 56"); /* runs, sparse */
	bad(S("\0"), 1, "ends within its head");
	bad(S("\1\0\1\5"), 2, "ends within its head");
	bad(S("\0\0\1x"), 1, "followed by 1 bytes");
	bad(S("\4\0\0\2\0"), 1, "10^0 / 2");
	bad(S("\4\0\x0a\2\0"), 1, "10^10 / 2");
	bad(S("\4\0\6\1\0"), 1, "10^6 / 1");
	bad(S("\4\0\6\x41\0"), 1, "10^6 / 65");
	bad(S("\4\0\6\2"), 1, "ends within its rests");
	bad(S("\4\0\6\2\1\2\1"), 2, "past its end");
	bad(S("\x10\0\1"), 1, "ends within its words");
	bad(S("\x10\0\1\0"), 1, "width 0");
	bad(S("\x10\0\1\x09"), 1, "width 9");
	bad(S("\x20\0\1\x39"), 1, "width 57");
	bad(S("\x10\0\1\2xxx"), 2, "ends within its words");
	bad(S("\x18\0\1\1\1"), 9, "ends within its map");
	bad(S("\x18\0\1\1\3x"), 2, "ends within its words");
	bad(S("\x30\0\1\0"), 2, "has 0 runs");
	bad(S("\x30\0\1\3\0\0\0"), 2, "has 3 runs");
	bad(S("\x30\0\1\1\2\5"), 2, "more values than it has");
	bad(S("\x30\0\1\1\0\5"), 2, "have 1 values, not 2");
	bad(S("\x30\0\1\1\1"), 2, "ends within its runs");
}

static void what_is_one_is_read(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		size_t size;
		int64_t v[3];
	} rows[] = {
		{ "\0\1\1", 3, { -1, -1, -1 } },
		{ "\1\0\2\1\4", 5, { 2, 6, 10 } },          /* 2 (1 + 2 i) */
		{ "\x12\0\1\1\4\1\0\0\1", 9, { 1, 3, 4 } }, /* 1, + 2, + 2 - 1 */
		{ "\x10\0\1\1\1\2\3", 7, { 1, 2, 3 } },
		{ "\x20\0\1\2\x39", 5, { 1, 2, 3 } },
		{ "\x18\0\1\1\5\7\x09", 7, { 7, 0, 9 } },
		{ "\x30\0\1\2\0\1\6\4", 8, { 6, 4, 4 } },
		{ "\x14\0\1\3\1\1\2\3\1\1\4", 11, { 3, 10, 10 } }, /* 10 / 3, 20 / 3 + 4, 30 / 3 */
	};
	struct column_room room = { 0 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t v[3];
		struct err err = { 0 };
		if (column_get((struct str){ rows[i].in, rows[i].size }, v, 3, &room, &err))
			fail_msg("row %zu: %s", i, err.text);
		assert_memory_equal(v, rows[i].v, sizeof v);
	}
	column_room_deinit(&room);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shape_is_found),
		cmocka_unit_test(extremes_come_back),
		cmocka_unit_test(columns_by_chance_come_back),
		cmocka_unit_test(what_is_no_column_says_so),
		cmocka_unit_test(what_is_one_is_read),
	};
	return RUN_TESTS(tests);
}
