/* SPDX-License-Identifier: Apache-2.0 */
#include "read/table_line.h"

#include "parse/when.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool table_word(struct str *s, struct str *ret)
{
	size_t from = 0, to;
	while (from < s->n && is_blank(s->p[from]))
		from++;
	for (to = from; to < s->n && !is_blank(s->p[to]);)
		to++;
	*ret = str_sub(*s, from, to - from);
	*s = str_sub(*s, to, s->n);
	return ret->n;
}

static bool is_time(struct str s, const struct zone *zone, int64_t *ret_ms)
{
	enum when w = when_parse(s, zone, ret_ms);
	return w == WHEN_OK || w == WHEN_GAP;
}

bool table_time(struct str *s, const struct zone *zone, int64_t *ret_ms)
{
	struct str rest = *s, word, second;
	if (!table_word(&rest, &word))
		return false;
	struct str after = rest;
	if (table_word(&after, &second)) {
		struct str both = { word.p, (size_t)(second.p + second.n - word.p) };
		if (is_time(both, zone, ret_ms)) {
			*s = after;
			return true;
		}
	}
	if (!is_time(word, zone, ret_ms))
		return false;
	*s = rest;
	return true;
}
