/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * emit: writes one JSON document into a text. Commas, line breaks and escapes are its business;
 * nesting is the caller's. The outer LINES levels get a line for each member, inner ones stay
 * on one line.
 */
#include "base/text.h"

#define EMIT_LEVELS_MAX 16u

struct emit {
	struct text *t;
	unsigned depth, lines; /* lines: how many levels are laid out in lines */
	bool has_member[EMIT_LEVELS_MAX];
	bool after_key;
};

void emit_begin(struct emit *j, struct text *t, unsigned lines);
void emit_open(struct emit *j, char bracket); /* '{' or '[' */
void emit_close(struct emit *j, char bracket);
void emit_key(struct emit *j, const char *key);
void emit_key_str(struct emit *j, struct str key);
void emit_str(struct emit *j, struct str s);
void emit_word(struct emit *j, const char *z); /* NULL: null */
void emit_int(struct emit *j, i128 v);
void emit_fixed(struct emit *j, i128 v, unsigned decimals);
void emit_double(struct emit *j, double v); /* 12 digits; what is not finite is null */
void emit_bool(struct emit *j, bool v);
void emit_null(struct emit *j);
void emit_time(struct emit *j, int64_t ms); /* RFC 3339; TIME_UNKNOWN: null */
