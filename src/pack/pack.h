/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * pack: packed bytes to plain ones, a piece at a time. The caller brings the packed bytes; memory
 * does not grow with the stream. Streams may be several in a row (gzip members, zstd frames), and
 * zero bytes may follow the last (as tapes and block devices leave them).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum pack_kind { PACK_NONE, PACK_GZIP, PACK_ZLIB, PACK_ZSTD };

/* What HEAD, the first bytes of an input, is packed with. A plain text is never taken for packed:
   zlib, which has no magic number, must also unpack without a fault as far as HEAD goes. */
enum pack_kind pack_recognise(struct str head);
const char *pack_name(enum pack_kind kind);

struct pack {
	enum pack_kind kind;
	void *stream;    /* z_stream or ZSTD_DCtx */
	bool is_between; /* no stream is open: the input may end here */
	bool is_padding; /* only zero bytes may follow */
};

void pack_init(struct pack *p, enum pack_kind kind);
void pack_deinit(struct pack *p);

/*
 * Unpacks from the front of IN, which is advanced, into OUT: as much as fits or as IN gives.
 * IS_LAST: nothing follows IN. RET_N is written also on failure: what came out before the damage is
 * good. ERR_INPUT: damaged, or cut off. With PACK_NONE the bytes are copied.
 */
enum err_code pack_read(struct pack *p, struct str *in, bool is_last, char *out, size_t cap,
                        size_t *ret_n, struct err *err);
