/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/block_rows.h"

#include "lib/run.h"

enum { ROWS = 2500 };

/* Sample I, with a list of processes in every third. */
static struct sample sample_of(uint32_t i)
{
	struct sample s = { .device = 1,
		            .t_ms = 1000000 + i * 1000,
		            .period_ms = 1000,
		            .kind = i % 5 ? SAMPLE_AVERAGE : SAMPLE_POINT,
		            .procs_why = i % 3 ? WHY_ABSENT : WHY_KNOWN,
		            .procs_at = i % 3 ? 0 : i % 4,
		            .procs_n = i % 3 ? 0 : 2 };
	memset(s.why, WHY_ABSENT, sizeof s.why);
	s.v[METRIC_power] = 300000 + i % 100;
	s.why[METRIC_power] = i % 7 ? WHY_KNOWN : WHY_LOST;
	s.known = i % 7 ? metric_bit(METRIC_power) : 0;
	if (i >= 1024) { /* not in the first batch */
		s.v[METRIC_sm] = i;
		s.why[METRIC_sm] = WHY_KNOWN;
		s.known |= metric_bit(METRIC_sm);
	}
	return s;
}

static struct series_rows filled;

static void rows_of(uint32_t first, uint32_t n)
{
	filled.n = 0;
	filled.any = 0;
	for (uint32_t at = 0; at < n; at++) {
		struct sample s = sample_of(first + at);
		series_row_set(&filled, at, &s);
	}
}

/* Batches of samples to blocks. */
static void encode(struct text *out, uint32_t *pool, struct block_coder *c)
{
	for (uint32_t i = 0; i < ROWS; i += filled.n) {
		rows_of(i, ROWS - i < SERIES_ROWS ? ROWS - i : SERIES_ROWS);
		struct block b = block_of_rows(&filled, pool, 5);
		assert_int_equal(block_put(out, &b, c, NULL), ERR_OK);
	}
}

/* Row AT of ROWS is sample I, whose list stands in B. */
static void same_row(const struct series_rows *rows, uint32_t at, uint32_t i, const struct block *b,
                     const uint32_t *pool, uint64_t wanted)
{
	struct sample got, want = sample_of(i);
	series_row_get(rows, at, 1, &got);
	assert_true(got.t_ms == want.t_ms && got.period_ms == want.period_ms);
	assert_int_equal(got.kind, want.kind);
	assert_int_equal(got.procs_why, want.procs_why);
	assert_int_equal(got.procs_n, want.procs_n);
	for (uint32_t p = 0; b && p < got.procs_n; p++)
		assert_int_equal(b->procs[got.procs_at + p], pool[want.procs_at + p]);
	for (int m = 0; m < METRIC_COUNT; m++) {
		bool asked = wanted >> m & 1;
		assert_int_equal(got.why[m], asked ? want.why[m] : WHY_ABSENT);
		if (asked && want.why[m] == WHY_KNOWN)
			assert_true(got.v[m] == want.v[m]);
	}
}

static void batches_come_back(void **state)
{
	(void)state;
	static struct series_rows rows;
	uint32_t pool[5] = { 10, 11, 12, 13, 14 };
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		struct block_coder c = { .is_quick = is_quick };
		auto_text t = TEXT_NULL;
		uint32_t at = 0;
		encode(&t, pool, &c);
		for (struct str in = text_str(&t); in.n;) {
			auto_arena a = ARENA_NULL;
			struct block_info info;
			assert_int_equal(block_peek(in, &info, NULL), ERR_OK);
			struct block b = block_into_rows(&info, SERIES_ALL, 0, &rows);
			assert_int_equal(block_get(in, &b, &a, &c, NULL), ERR_OK);
			assert_int_equal(rows.n, info.rows);
			for (uint32_t i = 0; i < rows.n; i++, at++)
				same_row(&rows, i, at, &b, pool, SERIES_ALL);
			in = str_sub(in, info.bytes, in.n);
		}
		assert_int_equal(at, ROWS);
		block_coder_deinit(&c);
	}
}

/* The second half of the samples, whose block has a metric more, behind the first 300; and only
   what is asked for. */
static void blocks_stand_behind_each_other(void **state)
{
	(void)state;
	static struct series_rows rows;
	uint64_t wants[] = { SERIES_ALL, metric_bit(METRIC_power), metric_bit(METRIC_sm), 0 };
	for (size_t w = 0; w < sizeof wants / sizeof *wants; w++) {
		auto_arena a = ARENA_NULL;
		struct block_coder c = { .is_quick = true };
		uint32_t starts[] = { 800, 1100 }, at = 0;
		for (int k = 0; k < 2; k++) {
			auto_text t = TEXT_NULL;
			struct block_info info;
			rows_of(starts[k], 300);
			struct block one = block_of_rows(&filled, NULL, 0);
			assert_int_equal(block_put(&t, &one, &c, NULL), ERR_OK);
			assert_int_equal(block_peek(text_str(&t), &info, NULL), ERR_OK);
			struct block b = block_into_rows(&info, wants[w], at, &rows);
			assert_int_equal(block_get(text_str(&t), &b, &a, &c, NULL), ERR_OK);
			at += info.rows;
		}
		assert_int_equal(rows.n, 600);
		uint64_t both = metric_bit(METRIC_power) | metric_bit(METRIC_sm);
		assert_true(rows.any == (both & wants[w]));
		for (uint32_t i = 0; i < 600; i++) {
			rows.procs_n[i] = sample_of(starts[i / 300] + i % 300).procs_n;
			same_row(&rows, i, starts[i / 300] + i % 300, NULL, NULL, wants[w]);
		}
		block_coder_deinit(&c);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_come_back),
		cmocka_unit_test(blocks_stand_behind_each_other),
	};
	return RUN_TESTS(tests);
}
