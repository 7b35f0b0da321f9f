/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/pack.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"

/* windowBits of inflateInit2: 15 is the largest window, + 16 asks for the gzip wrapper. */
#define WINDOW_ZLIB 15
#define WINDOW_GZIP (15 + 16)

static z_stream *zlib_open(int window)
{
	z_stream *z = mem_alloc(sizeof *z);
	int rc = inflateInit2(z, window);
	assert(rc == Z_OK); /* else: out of memory, or built against another zlib */
	return z;
}

static void zlib_close(z_stream *z)
{
	inflateEnd(z);
	mem_free(z);
}

static bool is_zlib(struct str head)
{
	const unsigned char *b = (const unsigned char *)head.p;
	/* RFC 1950: method 8, window up to 32 KiB, the two bytes divide by 31; no preset dictionary
	 */
	if (head.n < 8 || (b[0] & 0x0f) != 8 || b[0] >> 4 > 7 || (b[0] * 256u + b[1]) % 31 ||
	    b[1] & 0x20)
		return false;
	z_stream *z = zlib_open(WINDOW_ZLIB);
	unsigned char out[4096];
	z->next_in = (unsigned char *)(uintptr_t)head.p;
	z->avail_in = (unsigned)(head.n > 4096 ? 4096 : head.n);
	int rc = Z_OK;
	while (rc == Z_OK && z->avail_in) {
		z->next_out = out;
		z->avail_out = sizeof out;
		rc = inflate(z, Z_NO_FLUSH);
	}
	zlib_close(z);
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR;
}

enum pack_kind pack_recognise(struct str head)
{
	const unsigned char *b = (const unsigned char *)head.p;
	if (head.n >= 3 && b[0] == 0x1f && b[1] == 0x8b && b[2] == 8) /* RFC 1952 */
		return PACK_GZIP;
	if (head.n >= 4) { /* RFC 8878: a frame, or a skippable frame */
		uint32_t magic =
		        b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
		if (magic == 0xfd2fb528u || (magic & 0xfffffff0u) == 0x184d2a50u)
			return PACK_ZSTD;
	}
	return is_zlib(head) ? PACK_ZLIB : PACK_NONE;
}

const char *pack_name(enum pack_kind kind)
{
	switch (kind) {
	case PACK_GZIP:
		return "gzip";
	case PACK_ZLIB:
		return "zlib";
	case PACK_ZSTD:
		return "zstd";
	case PACK_NONE:
		break;
	}
	return "plain";
}

void pack_init(struct pack *p, enum pack_kind kind)
{
	*p = (struct pack){ .kind = kind };
	if (kind == PACK_GZIP)
		p->stream = zlib_open(WINDOW_GZIP);
	if (kind == PACK_ZLIB)
		p->stream = zlib_open(WINDOW_ZLIB);
	if (kind == PACK_ZSTD) {
		p->stream = ZSTD_createDCtx();
		assert(p->stream);
	}
}

void pack_deinit(struct pack *p)
{
	if (p->kind == PACK_GZIP || p->kind == PACK_ZLIB)
		zlib_close(p->stream);
	if (p->kind == PACK_ZSTD)
		ZSTD_freeDCtx(p->stream);
	*p = (struct pack){ 0 };
}

static enum err_code damaged(const struct pack *p, const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s stream is damaged: %s", pack_name(p->kind), why);
}

/* Between two streams: takes zero bytes off IN. Once one was seen, nothing else may follow. */
static enum err_code skip_padding(struct pack *p, struct str *in, struct err *err)
{
	while (in->n && !in->p[0]) {
		in->p++;
		in->n--;
		p->is_padding = true;
	}
	return p->is_padding && in->n ? damaged(p, "something follows its end", err) : ERR_OK;
}

static enum err_code zlib_read(struct pack *p, struct str *in, char *out, size_t cap, size_t *ret_n,
                               struct err *err)
{
	z_stream *z = p->stream;
	z->next_in = (unsigned char *)(uintptr_t)in->p;
	z->avail_in = in->n > UINT_MAX ? UINT_MAX : (unsigned)in->n;
	z->next_out = (unsigned char *)out + *ret_n;
	z->avail_out = cap - *ret_n > UINT_MAX ? UINT_MAX : (unsigned)(cap - *ret_n);
	int rc = inflate(z, Z_NO_FLUSH);
	*ret_n = (size_t)((char *)z->next_out - out);
	size_t used = (size_t)((const char *)z->next_in - in->p);
	*in = str_sub(*in, used, in->n);
	if (rc == Z_STREAM_END) {
		p->is_between = true;
		inflateReset(z);
	} else if (rc != Z_OK && rc != Z_BUF_ERROR) {
		return damaged(p, z->msg ? z->msg : "needs a dictionary", err);
	}
	return ERR_OK;
}

static enum err_code zstd_read(struct pack *p, struct str *in, char *out, size_t cap, size_t *ret_n,
                               struct err *err)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer to = { out, cap, *ret_n };
	size_t rc = ZSTD_decompressStream(p->stream, &to, &from);
	*ret_n = to.pos;
	*in = str_sub(*in, from.pos, in->n);
	if (ZSTD_isError(rc))
		return damaged(p, ZSTD_getErrorName(rc), err);
	p->is_between = rc == 0;
	return ERR_OK;
}

static void copy(struct str *in, char *out, size_t cap, size_t *ret_n)
{
	size_t n = in->n < cap ? in->n : cap;
	if (n)
		memcpy(out, in->p, n);
	*ret_n = n;
	*in = str_sub(*in, n, in->n);
}

enum err_code pack_read(struct pack *p, struct str *in, bool is_last, char *out, size_t cap,
                        size_t *ret_n, struct err *err)
{
	*ret_n = 0;
	if (p->kind == PACK_NONE) {
		copy(in, out, cap, ret_n);
		return ERR_OK;
	}
	while (*ret_n < cap) {
		size_t in_before = in->n, out_before = *ret_n;
		enum err_code code = ERR_OK;
		if (p->is_between && (code = skip_padding(p, in, err)))
			return code;
		if (p->is_between && !in->n)
			return ERR_OK;
		p->is_between = false;
		code = p->kind == PACK_ZSTD ? zstd_read(p, in, out, cap, ret_n, err)
		                            : zlib_read(p, in, out, cap, ret_n, err);
		if (code)
			return code;
		if (in->n == in_before && *ret_n == out_before) /* wants more than there is */
			break;
	}
	if (is_last && !in->n && *ret_n < cap && !p->is_between)
		return err_set(err, ERR_INPUT, "%s stream ends too early", pack_name(p->kind));
	return ERR_OK;
}
