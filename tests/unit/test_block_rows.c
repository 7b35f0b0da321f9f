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

/* Batches of samples to blocks. */
static void encode(struct text *out, uint32_t *pool, struct block_coder *c)
{
	static struct series_rows rows;
	for (uint32_t i = 0, at; i < ROWS; i += at) {
		rows.n = 0;
		rows.any = 0;
		for (at = 0; at < SERIES_ROWS && i + at < ROWS; at++) {
			struct sample s = sample_of(i + at);
			series_row_set(&rows, at, &s);
			rows.n = at + 1;
		}
		struct block b = block_of_rows(&rows, pool, 5);
		assert_int_equal(block_put(out, &b, c, NULL), ERR_OK);
	}
}

static void batches_come_back(void **state)
{
	(void)state;
	static struct series_rows rows;
	uint32_t pool[5] = { 10, 11, 12, 13, 14 }, at = 0;
	struct block_coder c = { 0 };
	auto_text t = TEXT_NULL;
	encode(&t, pool, &c);
	for (struct str in = text_str(&t); in.n;) {
		auto_arena a = ARENA_NULL;
		struct block_info info;
		struct block b;
		assert_int_equal(block_peek(in, &info, NULL), ERR_OK);
		block_alloc(&a, &info, &b);
		assert_int_equal(block_get(in, &b, &a, &c, NULL), ERR_OK);
		for (uint32_t from = 0, n; (n = block_to_rows(&b, from, 100, &rows)); from += n)
			for (uint32_t i = 0; i < n; i++, at++) {
				struct sample got, want = sample_of(at);
				series_row_get(&rows, i, 1, &got);
				assert_true(got.t_ms == want.t_ms &&
				            got.period_ms == want.period_ms);
				assert_int_equal(got.kind, want.kind);
				assert_int_equal(got.procs_why, want.procs_why);
				assert_int_equal(got.procs_n, want.procs_n);
				for (uint32_t p = 0; p < got.procs_n; p++)
					assert_int_equal(b.procs[got.procs_at - 100 + p],
					                 pool[want.procs_at + p]);
				assert_memory_equal(got.why, want.why, sizeof got.why);
				if (want.known & metric_bit(METRIC_power))
					assert_true(got.v[METRIC_power] == want.v[METRIC_power]);
				assert_true(got.v[METRIC_sm] == want.v[METRIC_sm]);
			}
		in = str_sub(in, info.bytes, in.n);
	}
	assert_int_equal(at, ROWS);
	block_coder_deinit(&c);
}

/* A block of 8,192 rows is more than a batch. */
static void long_blocks_are_several_batches(void **state)
{
	(void)state;
	static struct series_rows rows;
	auto_arena a = ARENA_NULL;
	struct block_info info = { .rows = BLOCK_ROWS_MAX - 1,
		                   .metrics = metric_bit(METRIC_power) };
	struct block b;
	block_alloc(&a, &info, &b);
	for (uint32_t i = 0; i < b.rows; i++)
		b.v[METRIC_power][i] = b.t_ms[i] = i;
	uint32_t from = 0;
	for (uint32_t n; (n = block_to_rows(&b, from, 0, &rows)); from += n) {
		assert_int_equal(n, from + SERIES_ROWS < b.rows ? SERIES_ROWS : SERIES_ROWS - 1);
		assert_int_equal(rows.t_ms[n - 1], from + n - 1);
		assert_int_equal(rows.v[METRIC_power][0], from);
		assert_true(rows.any == metric_bit(METRIC_power));
	}
	assert_int_equal(from, b.rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_come_back),
		cmocka_unit_test(long_blocks_are_several_batches),
	};
	return RUN_TESTS(tests);
}
