/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * text: a growing buffer of bytes that is being written. All zero is an empty one.
 */
#include "base/err.h"
#include "base/str.h"
#include "base/wide.h"

struct text {
	char *p;
	size_t n, cap;
};

#define TEXT_NULL ((struct text){ 0 })
void text_deinit(struct text *t);
#define auto_text __attribute__((cleanup(text_deinit))) struct text
void text_add(struct text *t, struct str s);
void text_byte(struct text *t, char c);
void text_repeat(struct text *t, char c, size_t n);
void text_printf(struct text *t, const char *fmt, ...) PRINTF(2, 3);
/* S as a JSON string with its quotes: escaped; bytes that are not UTF-8 become U+FFFD. */
void text_json(struct text *t, struct str s);
/* S for a terminal: control characters and broken UTF-8 become '?'. */
void text_plain(struct text *t, struct str s);
/* VALUE (a count of 10^-DECIMALS) as a decimal number without trailing zeros: 1500, 3 gives "1.5".
 */
void text_fixed(struct text *t, i128 value, unsigned decimals);
struct str text_str(const struct text *t);
/* Length of the valid UTF-8 sequence at S's start, 0 if there is none. */
size_t utf8_length(struct str s);
