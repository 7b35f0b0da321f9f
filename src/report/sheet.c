/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sheet.h"

#include <assert.h>
#include <math.h>

#include "facts/facts.h"
#include "parse/when.h"

void sheet_begin(struct sheet *s, struct text *t, size_t columns)
{
	*s = (struct sheet){ .t = t, .columns = columns };
}

void sheet_go(struct sheet *s, size_t column)
{
	assert(column < s->columns && (!s->at || column >= s->at));
	text_repeat(s->t, ',', s->at ? column + 1 - s->at : column);
	s->at = column + 1;
}

void sheet_end_row(struct sheet *s)
{
	if (s->at < s->columns)
		sheet_go(s, s->columns - 1);
	text_add(s->t, S("\r\n"));
	s->at = 0;
}

/* What Excel, LibreOffice and Google Sheets begin a formula with; also after a tab or a line's
   end, and in full width. */
static bool is_formula(struct str word)
{
	static const char starts[] = "=+-@\t\r\n";
	if (!word.n)
		return false;
	return memchr(starts, word.p[0], sizeof starts - 1) || str_starts(word, S("\uff1d")) ||
	       str_starts(word, S("\uff0b")) || str_starts(word, S("\uff0d")) ||
	       str_starts(word, S("\uff20"));
}

/* Steers a terminal; a cell may have lines and tabs. */
static bool is_control(struct str c)
{
	unsigned char b = (unsigned char)c.p[0];
	if (c.n == 2)
		return b == 0xc2 && (unsigned char)c.p[1] < 0xa0;
	return b == 0x7f || (b < 0x20 && b != '\t' && b != '\n' && b != '\r');
}

static void write_word(struct sheet *s, struct str word, bool guarded)
{
	bool quoted = word.n && (word.p[0] == ' ' || word.p[word.n - 1] == ' ');
	for (size_t i = 0; i < word.n && !quoted; i++)
		quoted = word.p[i] == ',' || word.p[i] == '"' || word.p[i] == '\r' ||
		         word.p[i] == '\n';
	if (quoted)
		text_byte(s->t, '"');
	if (guarded && is_formula(word))
		text_byte(s->t, '\'');
	for (size_t i = 0; i < word.n;) {
		size_t n = utf8_length(str_sub(word, i, word.n));
		if (word.p[i] == '"')
			text_add(s->t, S("\"\""));
		else if (!n || is_control(str_sub(word, i, n)))
			text_add(s->t, S("\ufffd"));
		else
			text_add(s->t, str_sub(word, i, n));
		i += n ? n : 1;
	}
	if (quoted)
		text_byte(s->t, '"');
}

void sheet_word(struct sheet *s, struct str word)
{
	write_word(s, word, true);
}

void sheet_name(struct sheet *s, const char *z)
{
	write_word(s, str_of(z), false);
}

void sheet_fixed(struct sheet *s, i128 v, unsigned decimals)
{
	text_fixed(s->t, v, decimals);
}

void sheet_double(struct sheet *s, double v)
{
	if (isfinite(v))
		text_printf(s->t, "%.12g", v == 0 ? 0.0 : v); /* no -0 */
}

void sheet_time(struct sheet *s, int64_t ms)
{
	if (ms != TIME_UNKNOWN)
		when_print(s->t, ms);
}
