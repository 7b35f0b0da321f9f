/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/block.h"

#include "codec/wire.h"
#include "lib/blocks.h"
#include "lib/dice.h"
#include "lib/run.h"

#define START INT64_C(1767225600000)

/* A block of ROWS rows with a time each second; the rest is the test's to add. */
static struct block make(struct arena *a, uint32_t rows)
{
	struct block b = { .rows = rows, .t_ms = ARENA_ARRAY(a, int64_t, rows) };
	for (uint32_t i = 0; i < rows; i++)
		b.t_ms[i] = START + i * 1000;
	return b;
}

static int64_t *values(struct arena *a, uint32_t rows)
{
	int64_t *v = ARENA_ARRAY(a, int64_t, rows);
	for (uint32_t i = 0; i < rows; i++)
		v[i] = i % 7 * 1000;
	return v;
}

/* Encodes B, decodes all of it, compares. */
static struct block through(struct arena *a, const struct block *b, struct text *out)
{
	struct block_coder c = { 0 };
	struct block_info info;
	struct block got;
	struct err err = { 0 };
	if (block_put(out, b, &c, &err) || block_peek(text_str(out), &info, &err))
		fail_msg("%s", err.text);
	assert_int_equal(info.bytes, out->n);
	assert_int_equal(info.rows, b->rows);
	assert_true(info.from_ms == b->t_ms[0] && info.to_ms == b->t_ms[b->rows - 1]);
	block_alloc(a, &info, &got);
	if (block_get(text_str(out), &got, a, &c, &err))
		fail_msg("%s", err.text);
	assert_true(blocks_same(b, &got));
	block_coder_deinit(&c);
	return got;
}

static void one_row_and_most_rows(void **state)
{
	(void)state;
	static const uint32_t rows[] = { 1, 2, 511, 512, 513, BLOCK_ROWS_MAX };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_arena a = ARENA_NULL;
		auto_text t = TEXT_NULL;
		struct block b = make(&a, rows[i]);
		through(&a, &b, &t); /* times alone */
		t.n = 0;
		b.v[METRIC_power] = values(&a, rows[i]);
		b.v[METRIC_fan] = values(&a, rows[i]);
		b.period_ms = values(&a, rows[i]);
		through(&a, &b, &t);
	}
}

static void limits_hold(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct block_coder c = { 0 };
	struct err err = { 0 };
	struct block b = make(&a, BLOCK_ROWS_MAX + 1);
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_LIMIT);
	b.rows = 0;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_LIMIT);
	b = make(&a, 2);
	uint32_t at[2] = { 0, 0 }, n[2] = { BLOCK_PROCS_MAX, BLOCK_PROCS_MAX };
	b.procs = ARENA_ARRAY(&a, uint32_t, BLOCK_PROCS_MAX + 1);
	b.procs_at = at;
	b.procs_n = n;
	b.procs_total = BLOCK_PROCS_MAX;
	through(&a, &b, &t); /* both rows share the list */
	n[1]--;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_LIMIT); /* now they are two */
	b.procs_total++;                                          /* the pool may be larger */
	n[1] = 0;
	t.n = 0;
	through(&a, &b, &t);
	n[1] = 1;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_LIMIT);
	n[0]--;
	t.n = 0;
	through(&a, &b, &t);
	b.procs_total = n[0] = n[1] = 1;
	b.words = ARENA_ARRAY(&a, struct str, BLOCK_WORDS_MAX + 1);
	b.words_n = BLOCK_WORDS_MAX;
	t.n = 0;
	through(&a, &b, &t);
	b.words_n++;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_LIMIT);
	b.words_n = 1;
	b.words[0] =
	        (struct str){ arena_alloc(&a, BLOCK_WORDS_BYTES_MAX + 1), BLOCK_WORDS_BYTES_MAX };
	t.n = 0;
	through(&a, &b, &t);
	b.words[0].n++;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_LIMIT);
	block_coder_deinit(&c);
}

static void what_makes_no_sense_is_refused(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct block_coder c = { 0 };
	struct err err = { 0 };
	uint8_t byte[3] = { 0, SAMPLE_POINT + 1, 0 };
	uint32_t at[3] = { 0, 1, 0 }, n[3] = { 1, 1, 1 }, procs[1] = { 1 };
	struct str word[1] = { S("a") };
	struct block b = make(&a, 3);
	b.t_ms[2] = b.t_ms[1];
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_INPUT);
	assert_string_equal(err.text, "row 2 of a block is not after the one before");
	b = make(&a, 3);
	b.kind = byte;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_INPUT);
	assert_string_equal(err.text, "block has the sample kind 2, which is none");
	b.kind = NULL;
	byte[1] = WHY_COUNT;
	b.procs_why = byte;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_INPUT);
	b.procs_why = NULL;
	b.v[METRIC_sm] = values(&a, 3);
	b.why[METRIC_sm] = byte;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_INPUT);
	b = make(&a, 3);
	b.procs_at = at;
	b.procs_n = n;
	b.procs = procs;
	b.procs_total = 1;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_INPUT);
	assert_string_equal(err.text, "row 1 of a block has a list past the end");
	at[1] = 0;
	b.words = word;
	b.words_n = 1;
	assert_int_equal(block_put(&t, &b, &c, &err), ERR_INPUT);
	assert_string_equal(err.text, "a process list names word 1 of 1");
	assert_int_equal(t.n, 0);
	block_coder_deinit(&c);
}

static void every_reason_comes_back(void **state)
{
	(void)state;
	for (int why = WHY_KNOWN; why < WHY_COUNT; why++)
		for (int all = 0; all < 2; all++) {
			auto_arena a = ARENA_NULL;
			auto_text t = TEXT_NULL;
			struct block b = make(&a, 100);
			b.v[METRIC_sm] = values(&a, 100);
			b.why[METRIC_sm] = arena_alloc(&a, 100);
			b.procs_why = arena_alloc(&a, 100);
			b.kind = arena_alloc(&a, 100);
			for (int i = 0; i < 100; i++) {
				bool is_it = all || i % 9 == 0;
				b.why[METRIC_sm][i] = is_it ? (uint8_t)why : WHY_KNOWN;
				b.procs_why[i] = b.why[METRIC_sm][i];
				b.kind[i] = is_it;
			}
			struct block got = through(&a, &b, &t);
			for (int i = 0; i < 100; i++)
				if (b.why[METRIC_sm][i])
					assert_int_equal(got.v[METRIC_sm][i], 0);
			struct block_info info;
			assert_int_equal(block_peek(text_str(&t), &info, NULL), ERR_OK);
			assert_true(info.metrics == metric_bit(METRIC_sm));
			assert_true(info.reasons == (why ? metric_bit(METRIC_sm) : 0));
		}
}

static void times_at_the_ends_come_back(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct block b = make(&a, 3);
	b.t_ms[0] = INT64_MIN;
	b.t_ms[1] = -1;
	b.t_ms[2] = INT64_MAX;
	b.v[METRIC_energy] = b.t_ms;
	through(&a, &b, &t);
	b.rows = 1;
	b.t_ms[0] = INT64_MAX;
	t.n = 0;
	through(&a, &b, &t);
}

static void process_lists_come_back(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	uint32_t procs[] = { 3, 1, 0, 2, 2, UINT32_MAX }, at[] = { 0, 2, 0, 5, 6, 4, 3 },
	         n[] = { 2, 3, 2, 1, 0, 1, 1 };
	struct str words[] = { S("a.1"), S(""), S("job\0with zero"), S("\xff") };
	struct block b = make(&a, 7);
	b.procs = procs;
	b.procs_at = at;
	b.procs_n = n;
	b.procs_total = 6;
	struct block got = through(&a, &b, &t);
	assert_int_equal(got.procs_total, 2 + 3 + 2 + 1 + 1);
	assert_int_equal(got.procs_at[5], got.procs_at[6]); /* both { 2 } */
	procs[5] = 3;
	b.words = words;
	b.words_n = 4;
	t.n = 0;
	got = through(&a, &b, &t);
	assert_int_equal(got.words_n, 4);
	assert_true(str_eq(got.words[2], words[2]));
}

static void only_what_is_wanted_is_written(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct block_coder c = { 0 };
	uint32_t procs[] = { 0 }, at[10] = { 0 }, n[10] = { 0, 1 };
	struct str words[] = { S("job") };
	struct block b = make(&a, 10), got = { 0 };
	b.procs = procs;
	b.procs_at = at;
	b.procs_n = n;
	b.procs_total = 1;
	b.words = words;
	b.words_n = 1;
	b.v[METRIC_sm] = values(&a, 10);
	b.v[METRIC_power] = values(&a, 10);
	assert_int_equal(block_put(&t, &b, &c, NULL), ERR_OK);
	int64_t power[10], fan[10];
	uint8_t power_why[10], fan_why[10];
	got.v[METRIC_power] = power;
	got.why[METRIC_power] = power_why;
	got.v[METRIC_fan] = fan; /* is not there */
	got.why[METRIC_fan] = fan_why;
	assert_int_equal(block_get(text_str(&t), &got, &a, &c, NULL), ERR_OK);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(power[i], b.v[METRIC_power][i]);
		assert_int_equal(power_why[i], WHY_KNOWN);
		assert_int_equal(fan_why[i], WHY_ABSENT);
		assert_int_equal(fan[i], 0);
	}
	assert_null(got.procs);
	block_coder_deinit(&c);
}

static void blocks_stand_one_after_the_other(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct block_coder c = { 0 };
	for (uint32_t rows = 1; rows <= 600; rows += 100) {
		struct block b = make(&a, rows);
		b.v[METRIC_power] = values(&a, rows);
		assert_int_equal(block_put(&t, &b, &c, NULL), ERR_OK);
	}
	struct str in = text_str(&t);
	for (uint32_t rows = 1; rows <= 600; rows += 100) {
		struct block_info info;
		assert_int_equal(block_peek(in, &info, NULL), ERR_OK);
		assert_int_equal(info.rows, rows);
		in = str_sub(in, info.bytes, in.n);
	}
	assert_int_equal(in.n, 0);
	block_coder_deinit(&c);
}

/* Whether a decoder takes IN; an error has words. */
static bool reads(struct str in, struct block_coder *c, struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct block_info info;
	struct block b;
	err->text[0] = 0;
	enum err_code rc = block_peek(in, &info, err);
	if (!rc) {
		block_alloc(&a, &info, &b);
		rc = block_get(in, &b, &a, c, err);
	}
	assert_true(rc == ERR_OK || (rc == ERR_INPUT && err->text[0]));
	return rc == ERR_OK;
}

static void every_flipped_bit_and_cut_is_seen(void **state)
{
	(void)state;
	static const uint32_t rows[] = { 20, 600 }; /* in bits, behind zstd */
	for (size_t r = 0; r < 2; r++) {
		auto_arena a = ARENA_NULL;
		auto_text t = TEXT_NULL;
		struct err err;
		struct block_coder c = { 0 };
		struct block b = make(&a, rows[r]);
		b.v[METRIC_power] = values(&a, rows[r]);
		assert_int_equal(block_put(&t, &b, &c, NULL), ERR_OK);
		for (size_t n = 0; n < t.n; n++)
			assert_false(reads(str_sub(text_str(&t), 0, n), &c, &err));
		for (size_t i = 0; i < 8 * t.n; i++) {
			t.p[i / 8] = (char)(t.p[i / 8] ^ 1 << i % 8);
			assert_false(reads(text_str(&t), &c, &err));
			t.p[i / 8] = (char)(t.p[i / 8] ^ 1 << i % 8);
		}
		assert_true(reads(text_str(&t), &c, &err));
		block_coder_deinit(&c);
	}
}

/* The same, sealed anew each time: whatever stands there, nothing worse than an error. */
static void forged_blocks_do_no_harm(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct err err;
	struct block_coder c = { 0 };
	uint32_t procs[] = { 0, 1 }, at[30] = { 0 }, n[30] = { 0, 1, 2 };
	struct str words[] = { S("job"), S("other") };
	struct block b = make(&a, 30);
	b.v[METRIC_power] = values(&a, 30);
	b.why[METRIC_power] = arena_alloc(&a, 30);
	b.why[METRIC_power][3] = WHY_LOST;
	b.procs = procs;
	b.procs_at = at;
	b.procs_n = n;
	b.procs_total = b.words_n = 2;
	b.words = words;
	assert_int_equal(block_put(&t, &b, &c, NULL), ERR_OK);
	size_t taken = 0;
	for (size_t i = BLOCK_FRONT_BYTES; i < t.n; i++) {
		char before = t.p[i];
		for (int x = 0; x < 256; x++) {
			t.p[i] = (char)x;
			block_seal(t.p, t.n);
			taken += reads(text_str(&t), &c, &err);
		}
		t.p[i] = before;
	}
	assert_true(taken > t.n); /* values may be anything */
	assert_true(taken < 200 * t.n);
	block_coder_deinit(&c);
}

static void says_what_is_wrong(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct err err;
	struct block_coder c = { 0 };
	struct block b = make(&a, 4);
	assert_int_equal(block_put(&t, &b, &c, NULL), ERR_OK);
	reads(S("TB"), &c, &err);
	assert_string_equal(err.text, "block ends within its head");
	reads(S("nothing of ours"), &c, &err);
	assert_string_equal(err.text, "no block begins here");
	reads(str_sub(text_str(&t), 0, t.n - 1), &c, &err);
	assert_non_null(strstr(err.text, "block is cut off after"));
	t.p[t.n - 1]++;
	reads(text_str(&t), &c, &err);
	assert_string_equal(err.text, "block is damaged: its checksum is another");
	t.p[3] = 32;
	block_seal(t.p, t.n);
	reads(text_str(&t), &c, &err);
	assert_string_equal(err.text, "block has flags 32, which this build does not know");
	static const char bomb[] = "TB\1\1....\x09\1\0\0\0\0\xff\xff\xff\x01";
	t.n = 0; /* a body of four megabytes for one time */
	text_add(&t, (struct str){ bomb, sizeof bomb - 1 });
	block_seal(t.p, t.n);
	reads(text_str(&t), &c, &err);
	assert_string_equal(err.text, "block says that its body has 4194303 bytes");
	t.p[2] = 2;
	reads(text_str(&t), &c, &err);
	assert_string_equal(err.text, "block has version 2; this build reads version 1");
	block_coder_deinit(&c);
}

/* A block of a later build, whose metric 63 this one does not know. */
static void metrics_that_are_not_known_are_left_out(void **state)
{
	(void)state;
	_Static_assert(METRIC_COUNT <= 63, "name another metric that there is not");
	static const char later[] = "TB\1\0....\x1b"
	                            "\1\4\0\x80\x88\x80\x80\x80\x80\x80\x80\x80\1\0\x0c"
	                            "\3\0\0\1\3\0\x0a\1\3\0\x0c\1";
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	struct block_coder c = { 0 };
	struct block_info info;
	struct block b;
	text_add(&t, (struct str){ later, sizeof later - 1 });
	t.p[8] = (char)(t.n - 9);
	block_seal(t.p, t.n);
	assert_int_equal(block_peek(text_str(&t), &info, NULL), ERR_OK);
	assert_true(info.metrics == metric_bit(METRIC_power));
	block_alloc(&a, &info, &b);
	assert_int_equal(block_get(text_str(&t), &b, &a, &c, NULL), ERR_OK);
	assert_int_equal(b.t_ms[0], 2);
	assert_int_equal(b.v[METRIC_power][0], 5);
	block_coder_deinit(&c);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_row_and_most_rows),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(every_reason_comes_back),
		cmocka_unit_test(times_at_the_ends_come_back),
		cmocka_unit_test(process_lists_come_back),
		cmocka_unit_test(only_what_is_wanted_is_written),
		cmocka_unit_test(blocks_stand_one_after_the_other),
		cmocka_unit_test(every_flipped_bit_and_cut_is_seen),
		cmocka_unit_test(forged_blocks_do_no_harm),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(metrics_that_are_not_known_are_left_out),
	};
	return RUN_TESTS(tests);
}
