/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/json_cut.h"

#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void blank(char *bytes, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (bytes[i] != '\n')
			bytes[i] = ' ';
}

/* The string that begins at S, its first quote passed: where it ends, behind its last quote; 0: not
   here. */
static size_t string_end(const char *bytes, size_t at, size_t n, bool *is_escaped)
{
	for (; at < n; at++) {
		if (*is_escaped)
			*is_escaped = false;
		else if (bytes[at] == '\\')
			*is_escaped = true;
		else if (bytes[at] == '"')
			return at + 1;
	}
	return 0;
}

static void item_begin(struct json_cut *c, bool is_top)
{
	c->item_at = c->at;
	c->place = JSON_CUT_ITEM;
	c->is_top_item = is_top;
	c->is_items = c->is_key = false;
	c->depth = 1;
}

static void item_end(struct json_cut *c, char *bytes)
{
	c->place = c->is_top_item ? JSON_CUT_TOP : JSON_CUT_LIST;
	if (c->is_dropping)
		blank(bytes, c->item_at, c->at + 1);
	c->is_dropping = false;
	c->end = c->at + 1;
}

/* One byte of an item outside of strings. */
static void item_byte(struct json_cut *c, char *bytes)
{
	char b = bytes[c->at];
	bool at_member = c->is_top_item && c->depth == 1;
	if (at_member && b == '[' && c->is_key) { /* the object around a list */
		blank(bytes, c->item_at, c->at + 1);
		c->place = JSON_CUT_LIST;
		c->in_top_list = c->is_dropping = false;
		c->end = c->at + 1;
		return;
	}
	if (at_member && !is_space(b)) {
		c->is_key = b == ':' && c->is_items;
		c->is_items = false;
	}
	if (b == '{' || b == '[')
		c->depth++;
	else if ((b == '}' || b == ']') && !--c->depth)
		item_end(c, bytes);
}

static void list_byte(struct json_cut *c, char *bytes)
{
	char b = bytes[c->at];
	if (b == '{' || b == '[') {
		item_begin(c, false);
	} else if (b == ',' || b == ']') {
		bytes[c->at] = ' ';
		c->end = c->at + 1;
		if (b == ']')
			c->place = c->in_top_list ? JSON_CUT_TOP : JSON_CUT_TAIL;
		c->depth = 1;
	}
}

static void tail_byte(struct json_cut *c, char *bytes)
{
	char b = bytes[c->at];
	blank(bytes, c->at, c->at + 1);
	if (b == '{' || b == '[')
		c->depth++;
	else if ((b == '}' || b == ']') && !--c->depth)
		c->place = JSON_CUT_TOP;
	c->end = c->at + 1;
}

static void top_byte(struct json_cut *c, char *bytes)
{
	char b = bytes[c->at];
	if (b == '{') {
		item_begin(c, true);
	} else if (b == '[') {
		bytes[c->at] = ' ';
		c->place = JSON_CUT_LIST;
		c->in_top_list = true;
		c->end = c->at + 1;
	} else if (!is_space(b)) {
		c->is_broken = true;
	}
}

/* Passes what is there of a string; false: its end is not. */
static bool string_pass(struct json_cut *c, char *bytes, size_t n)
{
	size_t from = c->at, end = string_end(bytes, c->at, n, &c->is_escaped);
	c->at = end ? end : n;
	c->in_string = !end;
	if (c->place == JSON_CUT_TAIL)
		blank(bytes, from, c->at);
	else if (end && c->place == JSON_CUT_ITEM && c->is_top_item && c->depth == 1)
		c->is_items =
		        end - c->string_at == 7 && !memcmp(bytes + c->string_at, "\"items\"", 7);
	return end > 0;
}

void json_cut_pass(struct json_cut *c, char *bytes, size_t n)
{
	bool was_dropping = c->is_dropping;
	while (c->at < n && !c->is_broken && was_dropping == c->is_dropping) {
		if (c->in_string && !string_pass(c, bytes, n))
			break;
		if (c->at == n)
			break;
		if (bytes[c->at] == '"' && c->place != JSON_CUT_TOP) {
			c->string_at = c->at;
			if (c->place == JSON_CUT_TAIL)
				bytes[c->at] = ' ';
			c->in_string = true;
			c->at++;
			continue;
		}
		if (c->place == JSON_CUT_ITEM)
			item_byte(c, bytes);
		else if (c->place == JSON_CUT_LIST)
			list_byte(c, bytes);
		else if (c->place == JSON_CUT_TAIL)
			tail_byte(c, bytes);
		else
			top_byte(c, bytes);
		c->at += !c->is_broken;
	}
	if (c->is_dropping)
		json_cut_drop(c, bytes);
}

void json_cut_drop(struct json_cut *c, char *bytes)
{
	c->is_dropping = true;
	blank(bytes, c->item_at, c->at);
	c->end = c->item_at = c->at;
}

void json_cut_shift(struct json_cut *c, size_t by)
{
	c->at -= by;
	c->end -= by;
	c->item_at = c->item_at > by ? c->item_at - by : 0;
	c->string_at = c->string_at > by ? c->string_at - by : 0;
}

bool json_cut_next(struct str *s, struct str *ret, bool *ret_is_whole)
{
	size_t at = 0, depth = 0;
	while (at < s->n && is_space(s->p[at]))
		at++;
	*s = str_sub(*s, at, s->n);
	*ret_is_whole = false;
	if (!s->n)
		return false;
	for (at = 0; at < s->n; at++) {
		char b = s->p[at];
		bool is_escaped = false;
		if (b == '"') {
			size_t end = string_end(s->p, at + 1, s->n, &is_escaped);
			at = end ? end - 1 : s->n;
		} else if (b == '{' || b == '[') {
			depth++;
		} else if ((b == '}' || b == ']') && depth && !--depth) {
			at++;
			*ret_is_whole = true;
			break;
		} else if (!depth && is_space(b)) { /* a scalar, or no JSON */
			break;
		}
	}
	*ret = str_sub(*s, 0, at);
	*s = str_sub(*s, at, s->n);
	return true;
}
