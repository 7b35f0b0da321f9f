/* SPDX-License-Identifier: Apache-2.0 */
#include "report/html.h"

#include <math.h>

/* What an attacker, or a copied name, could turn the rest of a line around with, and what is no
   character: the bidirectional controls (UAX 9), the ends of lines and paragraphs of Unicode. */
static bool is_hostile(struct str c)
{
	static const struct {
		const char *from, *to;
	} ranges[] = {
		{ "\u061c", "\u061c" }, { "\u200e", "\u200f" }, { "\u2028", "\u202e" },
		{ "\u2066", "\u2069" }, { "\ufeff", "\ufeff" }, { "\ufffe", "\uffff" },
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (str_cmp(c, str_of(ranges[i].from)) >= 0 &&
		    str_cmp(c, str_of(ranges[i].to)) <= 0)
			return true;
	return c.n == 2 && (unsigned char)c.p[0] == 0xc2 && (unsigned char)c.p[1] < 0xa0;
}

static struct str entity(char c)
{
	switch (c) {
	case '&':
		return S("&amp;");
	case '<':
		return S("&lt;");
	case '>':
		return S("&gt;");
	case '"':
		return S("&quot;");
	case '\'':
		return S("&#39;");
	case '\n':
	case '\t':
		return S(" ");
	default:
		return (unsigned char)c < 0x20 || c == 0x7f ? S("\ufffd") : STR_NULL;
	}
}

void html_word(struct text *t, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		size_t n = utf8_length(str_sub(s, i, s.n));
		struct str c = str_sub(s, i, n ? n : 1), as = n == 1 ? entity(s.p[i]) : STR_NULL;
		if (!n || (n > 1 && is_hostile(c)))
			as = S("\ufffd");
		else if (str_starts(str_sub(s, i, s.n), S(" %")))
			as = S("\u00a0"); /* a number and its sign stay together */
		text_add(t, as.n ? as : c);
		i += c.n;
	}
}

static long long hundredths(double share)
{
	return llround(fmin(fmax(share, 0), 1) * 10000);
}

void html_share(struct text *t, double share)
{
	text_fixed(t, (i128)hundredths(share), 2);
	text_byte(t, '%');
}

double html_rounded(double share)
{
	return (double)hundredths(share) / 10000;
}
