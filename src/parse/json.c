/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/json.h"

#include <assert.h>

/* A place in the input, and what is wrong there. */
struct cursor {
	const char *p, *end;
	const char *why;
};

static_assert(JSON_DEPTH_MAX <= 64, "the stack of open containers is one 64-bit word");

static bool fail(struct cursor *c, const char *why)
{
	c->why = c->p == c->end ? "ends in the middle of a value" : why;
	return false;
}

static void skip_space(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
		c->p++;
}

static bool is_at(const struct cursor *c, char byte)
{
	return c->p < c->end && *c->p == byte;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

static bool skip_escape(struct cursor *c)
{
	c->p++; /* the backslash */
	if (c->p == c->end || !memchr("\"\\/bfnrtu", *c->p, 9))
		return fail(c, "an unknown escape in a string");
	if (*c->p++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, c->p++)
		if (c->p == c->end || hex_digit(*c->p) < 0)
			return fail(c, "an unknown escape in a string");
	return true;
}

static bool skip_string(struct cursor *c)
{
	if (!is_at(c, '"'))
		return fail(c, "expected a string");
	c->p++;
	while (c->p < c->end && *c->p != '"') {
		if (*c->p == '\\') {
			if (!skip_escape(c))
				return false;
		} else
			c->p++;
	}
	if (c->p == c->end)
		return fail(c, "");
	c->p++;
	return true;
}

static size_t skip_digits(struct cursor *c)
{
	const char *from = c->p;
	while (c->p < c->end && *c->p >= '0' && *c->p <= '9')
		c->p++;
	return (size_t)(c->p - from);
}

static bool skip_number(struct cursor *c)
{
	if (is_at(c, '-'))
		c->p++;
	if (is_at(c, '0'))
		c->p++;
	else if (!skip_digits(c))
		return fail(c, "expected a value");
	if (is_at(c, '.')) {
		c->p++;
		if (!skip_digits(c))
			return fail(c, "expected a digit");
	}
	if (is_at(c, 'e') || is_at(c, 'E')) {
		c->p++;
		if (is_at(c, '+') || is_at(c, '-'))
			c->p++;
		if (!skip_digits(c))
			return fail(c, "expected a digit");
	}
	return true;
}

static bool skip_word(struct cursor *c, struct str word)
{
	for (size_t i = 0; i < word.n; i++, c->p++)
		if (!is_at(c, word.p[i]))
			return fail(c, "expected a value");
	return true;
}

static bool skip_scalar(struct cursor *c)
{
	if (c->p == c->end)
		return fail(c, "");
	switch (*c->p) {
	case '"':
		return skip_string(c);
	case 't':
		return skip_word(c, S("true"));
	case 'f':
		return skip_word(c, S("false"));
	case 'n':
		return skip_word(c, S("null"));
	default:
		return skip_number(c);
	}
}

static bool skip_key(struct cursor *c)
{
	skip_space(c);
	if (!is_at(c, '"'))
		return fail(c, "expected a key in quotes");
	if (!skip_string(c))
		return false;
	skip_space(c);
	if (!is_at(c, ':'))
		return fail(c, "expected ':' after a key");
	c->p++;
	return true;
}

/* After a value: closes what ends here; false if something else stands here. */
static bool skip_after(struct cursor *c, uint64_t *objects, unsigned *depth)
{
	while (*depth) {
		bool is_object = *objects & 1;
		skip_space(c);
		if (is_at(c, is_object ? '}' : ']')) {
			c->p++;
			*objects >>= 1;
			--*depth;
			continue;
		}
		if (!is_at(c, ','))
			return fail(c, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
		c->p++;
		return is_object ? skip_key(c) : true;
	}
	return true;
}

/* Passes one value, checking it. */
static bool skip_value(struct cursor *c)
{
	uint64_t objects = 0; /* the open containers, innermost in the lowest bit: 1 is an object */
	unsigned depth = 0;
	do {
		skip_space(c);
		if (is_at(c, '{') || is_at(c, '[')) {
			if (depth == JSON_DEPTH_MAX)
				return fail(c, "nested too deeply");
			bool is_object = *c->p++ == '{';
			objects = objects << 1 | is_object;
			depth++;
			skip_space(c);
			if (!is_at(c, is_object ? '}' : ']')) {
				if (is_object && !skip_key(c))
					return false;
				continue;
			}
		} else if (!skip_scalar(c))
			return false;
		if (!skip_after(c, &objects, &depth))
			return false;
	} while (depth);
	return true;
}

enum json_type json_type(struct str raw)
{
	if (!raw.n)
		return JSON_ABSENT;
	switch (raw.p[0]) {
	case 'n':
		return JSON_NULL;
	case 't':
	case 'f':
		return JSON_BOOL;
	case '"':
		return JSON_STRING;
	case '[':
		return JSON_LIST;
	case '{':
		return JSON_OBJECT;
	default:
		return JSON_NUMBER;
	}
}

bool json_is_valid(struct str bytes)
{
	struct cursor c = { bytes.p, bytes.p + bytes.n, NULL };
	if (!bytes.n || !skip_value(&c))
		return false;
	skip_space(&c);
	return c.p == c.end;
}

struct json_scan json_scan_of(struct str doc, uint64_t line)
{
	struct json_scan s = { .doc = doc, .line = line };
	if (str_starts(doc, S("\xef\xbb\xbf")))
		s.at = s.counted_at = 3;
	return s;
}

/* Brings the line number up to P. */
static void scan_count(struct json_scan *s, const char *p)
{
	const char *from = s->doc.p + s->counted_at;
	while (from < p && (from = memchr(from, '\n', (size_t)(p - from)))) {
		s->line++;
		from++;
	}
	s->counted_at = (size_t)(p - s->doc.p);
}

/* Passes the value at C and says what it was. */
static bool scan_item(struct json_scan *s, struct cursor *c, bool in_list, struct json_item *ret)
{
	skip_space(c);
	scan_count(s, c->p);
	const char *from = c->p;
	if (!skip_value(c))
		return false;
	size_t n = (size_t)(c->p - from);
	*ret = (struct json_item){ .key = s->key,
		                   .value = { from, n },
		                   .line = s->line,
		                   .index = in_list ? s->index++ : 0,
		                   .in_list = in_list,
		                   .is_too_long = in_list && n > JSON_ITEM_BYTES_MAX };
	return true;
}

static void scan_enter(struct json_scan *s, struct cursor *c, enum json_place place)
{
	c->p++;
	s->place = place;
	s->is_first = true;
	s->index = 0;
}

/* The step that says what is wrong. */
static int scan_fail(struct cursor *c, const char *why)
{
	fail(c, why);
	return -1;
}

/* One step inside the top object: 1 an item, 0 go on, -1 wrong. */
static int scan_member(struct json_scan *s, struct cursor *c, struct json_item *ret)
{
	if (is_at(c, '}')) {
		c->p++;
		s->is_first = false;
		if (s->entered)
			s->entered--;
		else
			s->place = JSON_SCAN_TOP;
		return 0;
	}
	if (!s->is_first) {
		if (!is_at(c, ','))
			return scan_fail(c, "expected ',' or '}'");
		c->p++;
		skip_space(c);
	}
	const char *key = c->p;
	struct cursor end = { key, c->end, NULL };
	if (!skip_key(c))
		return -1;
	skip_string(&end);
	s->key = (struct str){ key + 1, (size_t)(end.p - key) - 2 };
	s->is_first = false;
	skip_space(c);
	if (is_at(c, '{') && s->enter.n && s->entered < JSON_DEPTH_MAX &&
	    json_key_is(s->key, s->enter)) {
		scan_enter(s, c, JSON_SCAN_MEMBER);
		s->entered++;
		return 0;
	}
	struct cursor ahead = *c;
	if (is_at(c, '[')) {
		ahead.p++;
		skip_space(&ahead);
		if (!is_at(&ahead, ']')) {
			scan_enter(s, c, JSON_SCAN_LIST);
			return 0;
		}
	}
	return scan_item(s, c, false, ret) ? 1 : -1;
}

static int scan_element(struct json_scan *s, struct cursor *c, struct json_item *ret)
{
	if (is_at(c, ']')) {
		c->p++;
		s->is_first = false;
		s->place = s->place == JSON_SCAN_LIST ? JSON_SCAN_MEMBER : JSON_SCAN_TOP;
		return 0;
	}
	if (!s->is_first) {
		if (!is_at(c, ','))
			return scan_fail(c, "expected ',' or ']'");
		c->p++;
	}
	s->is_first = false;
	return scan_item(s, c, true, ret) ? 1 : -1;
}

static int scan_top(struct json_scan *s, struct cursor *c)
{
	s->key = STR_NULL;
	if (is_at(c, '{'))
		scan_enter(s, c, JSON_SCAN_MEMBER);
	else if (is_at(c, '['))
		scan_enter(s, c, JSON_SCAN_TOP_LIST);
	else
		return scan_fail(c, "expected an object or a list");
	return 0;
}

bool json_scan_next(struct json_scan *s, struct json_item *ret_item)
{
	struct cursor c = { s->doc.p + s->at, s->doc.p + s->doc.n, NULL };
	int step = s->why || !s->doc.n ? 2 : 0;
	while (!step) {
		skip_space(&c);
		if (s->place == JSON_SCAN_TOP)
			step = c.p == c.end ? 2 : scan_top(s, &c);
		else if (s->place == JSON_SCAN_MEMBER)
			step = scan_member(s, &c, ret_item);
		else
			step = scan_element(s, &c, ret_item);
	}
	if (step < 0) {
		scan_count(s, c.p);
		s->why = c.why;
	}
	s->at = (size_t)(c.p - s->doc.p);
	return step == 1;
}
