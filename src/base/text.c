/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

void text_deinit(struct text *t)
{
	mem_free(t->p);
	*t = TEXT_NULL;
}

static char *text_room(struct text *t, size_t more)
{
	if (t->cap - t->n < more) {
		t->cap = t->cap + t->cap / 2 + more + 64;
		t->p = mem_resize(t->p, t->cap);
	}
	return t->p + t->n;
}

void text_add(struct text *t, struct str s)
{
	if (!s.n)
		return;
	memcpy(text_room(t, s.n), s.p, s.n);
	t->n += s.n;
}

void text_byte(struct text *t, char c)
{
	*text_room(t, 1) = c;
	t->n++;
}

void text_repeat(struct text *t, char c, size_t n)
{
	if (!n)
		return;
	memset(text_room(t, n), c, n);
	t->n += n;
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(text_room(t, 256), 256, fmt, ap);
	va_end(ap);
	if (n >= 256)
		vsnprintf(text_room(t, (size_t)n + 1), (size_t)n + 1, fmt, again);
	va_end(again);
	t->n += n > 0 ? (size_t)n : 0;
}

/* RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF. */
size_t utf8_length(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	if (!s.n)
		return 0;
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n > s.n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void text_json(struct text *t, struct str s)
{
	text_byte(t, '"');
	while (s.n) {
		unsigned char c = (unsigned char)s.p[0];
		size_t n = utf8_length(s);
		if (!n)
			text_add(t, S("\xef\xbf\xbd"));
		else if (c == '"' || c == '\\')
			text_printf(t, "\\%c", c);
		else if (c == '\n')
			text_add(t, S("\\n"));
		else if (c == '\t')
			text_add(t, S("\\t"));
		else if (c < 0x20 || c == 0x7f)
			text_printf(t, "\\u%04x", c);
		else
			text_add(t, str_sub(s, 0, n));
		s = str_sub(s, n ? n : 1, s.n);
	}
	text_byte(t, '"');
}

void text_plain(struct text *t, struct str s)
{
	while (s.n) {
		unsigned char c = (unsigned char)s.p[0];
		size_t n = utf8_length(s);
		bool c1 =
		        n == 2 && c == 0xc2 &&
		        (unsigned char)s.p[1] < 0xa0; /* U+0080 to U+009F control a terminal too */
		if (!n || c < 0x20 || c == 0x7f || c1)
			text_byte(t, '?');
		else
			text_add(t, str_sub(s, 0, n));
		s = str_sub(s, n ? n : 1, s.n);
	}
}

void text_fixed(struct text *t, i128 value, unsigned decimals)
{
	char z[64];
	size_t at = sizeof z;
	bool negative = value < 0, started = false;
	u128 v = negative ? -(u128)value : (u128)value;
	for (unsigned i = 0; v || i <= decimals; i++) {
		if (i == decimals && started)
			z[--at] = '.';
		started |= v % 10 != 0 || i >= decimals;
		if (started)
			z[--at] = (char)('0' + (int)(v % 10));
		v /= 10;
	}
	if (negative)
		z[--at] = '-';
	text_add(t, (struct str){ z + at, sizeof z - at });
}

struct str text_str(const struct text *t)
{
	return (struct str){ t->p ? t->p : "", t->n };
}
