/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * yaml: a small read-only tree of one YAML document, for files that people write (maps, prices,
 * policies). Scalars stay text: what a number or a time is, the caller decides.
 *
 * Refused, each with line and column: aliases, tags, a second document, keys that are not scalars,
 * a key twice in one map, nesting over YAML_DEPTH_MAX, documents over YAML_BYTES_MAX, bytes that
 * are not UTF-8. Nothing is printed; the library's own messages end up in the error.
 *
 * Errors read "LINE:COLUMN: text", so that "FILE:" in front makes a place an editor can jump to.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml {
	enum yaml_kind kind;
	bool is_null;                    /* nothing, "~" or "null", not quoted */
	bool is_quoted;                  /* a scalar in quotes or a block */
	struct str text;                 /* of a scalar; followed by a NUL */
	struct str key;                  /* of a member of a map; followed by a NUL */
	uint32_t line, column;           /* from 1; of a member of a map: where its key stands */
	const struct yaml *first, *next; /* members, in the order of the file */
	size_t n;                        /* how many members */
};

/* The document in TEXT; an empty one is a null scalar. */
NODISCARD enum err_code yaml_parse(struct arena *a, struct str text, const struct yaml **ret,
                                   struct err *err);
/* The member of a map with this key, or NULL (also when MAP is no map, or NULL). */
const struct yaml *yaml_get(const struct yaml *map, const char *key);
/* ERR_INPUT with the place of AT in front of the text. */
enum err_code yaml_fail(const struct yaml *at, struct err *err, const char *fmt, ...) PRINTF(3, 4);
/* Fails unless MAP is a map whose keys are all in KEYS (ends with NULL). WHAT names it in the
   error: "a price". */
NODISCARD enum err_code yaml_check_keys(const struct yaml *map, const char *what,
                                        const char *const *keys, struct err *err);
/* A word for the kind of a node: "a map". */
const char *yaml_kind_name(const struct yaml *y);
