/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through every unpacker: the first byte says in what steps. Unpacking in other steps
   must give the same bytes. */
#include "pack/pack.h"

#include <stdlib.h>

#include "base/text.h"

#define OUT_BYTES_MAX ((size_t)1 << 20) /* a small file may unpack to gigabytes */

static enum err_code unpack(enum pack_kind kind, struct str in, size_t step, struct text *out)
{
	struct pack p;
	pack_init(&p, kind);
	char buf[4096];
	enum err_code code = ERR_OK;
	size_t at = 0, n;
	struct str piece = STR_NULL;
	do {
		if (!piece.n) {
			piece = str_sub(in, at, step);
			at += piece.n;
		}
		code = pack_read(&p, &piece, at == in.n, buf, step, &n, NULL);
		text_add(out, (struct str){ buf, n });
	} while (!code && out->n < OUT_BYTES_MAX && (piece.n || at < in.n || n == step));
	pack_deinit(&p);
	return code;
}

/* Frames of zstd before 0.8, which the library reads by other code: how much of a broken one comes
   out depends on the steps. */
static bool has_old_frame(struct str in)
{
	for (size_t i = 0; i + 4 <= in.n; i++)
		if (memcmp(in.p + i + 1, "\xb5\x2f\xfd", 3) == 0 && in.p[i] >= 0x1e &&
		    in.p[i] <= 0x27)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	struct str in = { (const char *)data + 1, size - 1 };
	pack_recognise(in);
	for (enum pack_kind kind = PACK_NONE; kind <= PACK_ZSTD; kind++) {
		auto_text whole = TEXT_NULL, parts = TEXT_NULL;
		enum err_code a = unpack(kind, in, 4096, &whole);
		enum err_code b = unpack(kind, in, 1 + data[0] % 64, &parts);
		if (kind == PACK_ZSTD && has_old_frame(in))
			continue;
		if (whole.n >= OUT_BYTES_MAX || parts.n >= OUT_BYTES_MAX)
			continue;
		if (a != b || !(a ? str_starts(text_str(&whole), text_str(&parts)) ||
		                                str_starts(text_str(&parts), text_str(&whole))
		                  : str_eq(text_str(&whole), text_str(&parts))))
			abort();
	}
	return 0;
}
