/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * frame: a buffer packed into one zstd frame, and back, in one call each; and the checksum that
 * stands beside packed bytes. For blocks whose length is known; streams are pack.h's.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* What the library keeps from one call to the next. All zero is a new one; not for several threads
 * at once. */
struct framer {
	void *in, *out; /* ZSTD_CCtx, ZSTD_DCtx */
};

void framer_deinit(struct framer *f);

/* The most bytes that N plain ones can become. */
size_t frame_bound(size_t n);
/* Packs PLAIN at zstd's LEVEL into OUT: how many bytes that took, or 0 when CAP is too few. */
size_t frame_pack(struct framer *f, int level, struct str plain, char *out, size_t cap);
/* Unpacks the one frame PACKED into OUT, which it has to fill to the byte. ERR_INPUT: it does not,
   or it is damaged. Never writes past OUT, and asks for no memory that the frame names. */
enum err_code frame_unpack(struct framer *f, struct str packed, char *out, size_t n,
                           struct err *err) NODISCARD;

/* XXH3 of S. The same on every machine; for damage, not against forgers. */
uint64_t frame_checksum(struct str s, uint64_t seed);
