/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/pack.h"

#include <zlib.h>
#include <zstd.h>

#include "base/text.h"
#include "lib/run.h"

/* Text that packs a little, N bytes. */
static struct str make_text(struct arena *a, size_t n)
{
	auto_text t = TEXT_NULL;
	uint32_t x = 1;
	while (t.n < n) {
		x = x * 1664525u + 1013904223u;
		text_printf(&t, "%u|gpu-%u\n", x >> 7, x >> 28);
	}
	return str_dup(a, str_sub(text_str(&t), 0, n));
}

static struct str deflated(struct arena *a, struct str s, int window)
{
	z_stream z = { 0 };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
	size_t cap = deflateBound(&z, s.n) + 64;
	char *out = arena_bytes(a, cap);
	z.next_in = (unsigned char *)(uintptr_t)s.p;
	z.avail_in = (unsigned)s.n;
	z.next_out = (unsigned char *)out;
	z.avail_out = (unsigned)cap;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (struct str){ out, cap - z.avail_out };
}

static struct str packed(struct arena *a, enum pack_kind kind, struct str s)
{
	if (kind == PACK_GZIP)
		return deflated(a, s, 15 + 16);
	if (kind == PACK_ZLIB)
		return deflated(a, s, 15);
	size_t cap = ZSTD_compressBound(s.n);
	char *out = arena_bytes(a, cap);
	size_t n = ZSTD_compress(out, cap, s.p, s.n, 3);
	assert_false(ZSTD_isError(n));
	return (struct str){ out, n };
}

/* Unpacks IN, given IN_STEP bytes at a time, OUT_STEP bytes out at a time; OUT may be freed with
   text_deinit. */
static enum err_code unpack(enum pack_kind kind, struct str in, size_t in_step, size_t out_step,
                            struct text *out, struct err *err)
{
	struct pack p;
	pack_init(&p, kind);
	enum err_code code = ERR_OK;
	size_t at = 0;
	char *buf = mem_alloc(out_step);
	struct str piece = STR_NULL;
	for (;;) {
		size_t n;
		if (!piece.n) {
			piece = str_sub(in, at, in_step);
			at += piece.n;
		}
		code = pack_read(&p, &piece, at == in.n, buf, out_step, &n, err);
		text_add(out, (struct str){ buf, n });
		if (code || (!piece.n && at == in.n && n < out_step))
			break;
	}
	mem_free(buf);
	pack_deinit(&p);
	return code;
}

static const enum pack_kind kinds[] = { PACK_GZIP, PACK_ZLIB, PACK_ZSTD };

static void gives_back_what_was_packed_in_any_steps(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	static const size_t sizes[] = { 1, 100, 70000, 300000 };
	static const size_t steps[] = { 1, 7, 4096, 1 << 20 };
	for (size_t k = 0; k < 3; k++)
		for (size_t s = 0; s < 4; s++) {
			struct str want = make_text(&a, sizes[s]);
			struct str in = packed(&a, kinds[k], want);
			for (size_t i = 0; i < 4; i++)
				for (size_t o = 0; o < 4; o++) {
					auto_text out = TEXT_NULL;
					struct err err;
					assert_int_equal(unpack(kinds[k], in, steps[i], steps[o],
					                        &out, &err),
					                 ERR_OK);
					assert_true(str_eq(text_str(&out), want));
				}
		}
}

static void reads_streams_in_a_row_and_padding_behind(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct str want = make_text(&a, 5000);
	for (size_t k = 0; k < 3; k++) {
		auto_text in = TEXT_NULL;
		text_add(&in, packed(&a, kinds[k], str_sub(want, 0, 1234)));
		text_add(&in, packed(&a, kinds[k], S("")));
		text_add(&in, packed(&a, kinds[k], str_sub(want, 1234, 5000)));
		for (int padded = 0; padded < 2; padded++) {
			auto_text out = TEXT_NULL;
			struct err err;
			assert_int_equal(unpack(kinds[k], text_str(&in), 11, 13, &out, &err),
			                 ERR_OK);
			assert_true(str_eq(text_str(&out), want));
			text_repeat(&in, '\0', 300);
		}
		text_byte(&in, 'x'); /* after padding nothing else may come */
		auto_text out = TEXT_NULL;
		struct err err;
		assert_int_equal(unpack(kinds[k], text_str(&in), 11, 13, &out, &err), ERR_INPUT);
		assert_true(str_eq(text_str(&out), want));
	}
}

static void says_that_it_ends_too_early_wherever_it_is_cut(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct str want = make_text(&a, 3000);
	for (size_t k = 0; k < 3; k++) {
		struct str in = packed(&a, kinds[k], want);
		for (size_t n = 0; n < in.n; n++) {
			auto_text out = TEXT_NULL;
			struct err err = { 0 };
			assert_int_equal(unpack(kinds[k], str_sub(in, 0, n), 512, 512, &out, &err),
			                 ERR_INPUT);
			assert_true(str_ends(str_of(err.text), S(" stream ends too early")));
			assert_true(str_starts(want, text_str(&out))); /* what came out is good */
		}
	}
}

static void says_that_it_is_damaged(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct str want = make_text(&a, 3000);
	for (size_t k = 0; k < 2; k++) { /* both end in a checksum */
		struct str in = packed(&a, kinds[k], want);
		char *bytes = str_z(&a, in);
		bytes[in.n - 3] = (char)(bytes[in.n - 3] ^ 0x10);
		auto_text out = TEXT_NULL;
		struct err err;
		assert_int_equal(
		        unpack(kinds[k], (struct str){ bytes, in.n }, 512, 512, &out, &err),
		        ERR_INPUT);
		assert_true(str_find(str_of(err.text), S(" stream is damaged: ")) <
		            str_of(err.text).n);
	}
	auto_text out = TEXT_NULL;
	struct err err;
	assert_int_equal(unpack(PACK_ZSTD, S("\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff\xff\xff\xff"),
	                        99, 99, &out, &err),
	                 ERR_INPUT);
}

static void tells_packed_from_plain(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct str want = make_text(&a, 3000);
	for (size_t k = 0; k < 3; k++) {
		struct str in = packed(&a, kinds[k], want);
		assert_int_equal(pack_recognise(in), kinds[k]);
		assert_int_equal(pack_recognise(str_sub(in, 0, 200)), kinds[k]);
	}
	assert_int_equal(pack_recognise(S("\x50\x2a\x4d\x18____")), PACK_ZSTD); /* skippable */
	/* texts whose first two bytes could begin a zlib stream */
	static const char *const plain[] = {
		"",
		"x",
		"x^2 + y^2 = z^2",
		"x\x01 is not zlib",
		"JobID|User\n",
		"{\"jobs\": []}",
		("h\x05"
		 "ello, world"),
		"\x1f\x8b",
		"\x1f\x8b\x07 method 7",
		"8Op|User|State\n12|ann|R\n",
		"(\xb5/",
		"HGpu,ns\n1,2\n3,4\n",
	};
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		assert_int_equal(pack_recognise(str_of(plain[i])), PACK_NONE);
}

static void copies_what_is_not_packed(void **state)
{
	(void)state;
	auto_text out = TEXT_NULL;
	struct err err;
	assert_int_equal(unpack(PACK_NONE, S("plain text"), 3, 4, &out, &err), ERR_OK);
	assert_str(text_str(&out), "plain text");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_back_what_was_packed_in_any_steps),
		cmocka_unit_test(reads_streams_in_a_row_and_padding_behind),
		cmocka_unit_test(says_that_it_ends_too_early_wherever_it_is_cut),
		cmocka_unit_test(says_that_it_is_damaged),
		cmocka_unit_test(tells_packed_from_plain),
		cmocka_unit_test(copies_what_is_not_packed),
	};
	return RUN_TESTS(tests);
}
