/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/frame.h"

#include <assert.h>
#include <xxhash.h>
#include <zstd.h>

void framer_deinit(struct framer *f)
{
	ZSTD_freeCCtx(f->in);
	ZSTD_freeDCtx(f->out);
	*f = (struct framer){ 0 };
}

size_t frame_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

size_t frame_pack(struct framer *f, int level, struct str plain, char *out, size_t cap)
{
	if (!f->in) {
		f->in = ZSTD_createCCtx();
		assert(f->in); /* else: out of memory */
	}
	size_t n = ZSTD_compressCCtx(f->in, out, cap, plain.p, plain.n, level);
	return ZSTD_isError(n) ? 0 : n;
}

enum err_code frame_unpack(struct framer *f, struct str packed, char *out, size_t n,
                           struct err *err)
{
	if (!f->out) {
		f->out = ZSTD_createDCtx();
		assert(f->out);
	}
	/* the library would go on with a second frame, and take frames of zstd before 0.8 */
	if (packed.n < 4 || memcmp(packed.p, "\x28\xb5\x2f\xfd", 4) != 0 ||
	    ZSTD_findFrameCompressedSize(packed.p, packed.n) != packed.n)
		return err_set(err, ERR_INPUT, "packed bytes are not one zstd frame");
	size_t got = ZSTD_decompressDCtx(f->out, out, n, packed.p, packed.n);
	if (ZSTD_isError(got))
		return err_set(err, ERR_INPUT, "zstd frame is damaged: %s", ZSTD_getErrorName(got));
	if (got != n)
		return err_set(err, ERR_INPUT, "zstd frame gives %zu bytes where %zu were expected",
		               got, n);
	return ERR_OK;
}

uint64_t frame_checksum(struct str s, uint64_t seed)
{
	return XXH3_64bits_withSeed(s.p ? s.p : "", s.n, seed);
}
