/* SPDX-License-Identifier: Apache-2.0 */
/* Walking inside values, and what strings and numbers mean. json.c checks; this trusts, but never
   leaves the slice. */
#include "parse/json.h"

static const char *pass_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* Past the string that starts at P, without checking it. */
static const char *pass_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p + 1 : end;
}

/* Past the value that starts at P, without checking it. */
static const char *pass_value(const char *p, const char *end)
{
	size_t depth = 0;
	if (p < end && *p == '"')
		return pass_string(p, end);
	if (p < end && *p != '{' && *p != '[') {
		while (p < end && !memchr(",]} \n\r\t", *p, 7))
			p++;
		return p;
	}
	while (p < end) {
		if (*p == '"') {
			p = pass_string(p, end);
			continue;
		}
		if (*p == '{' || *p == '[')
			depth++;
		else if ((*p == '}' || *p == ']') && --depth == 0)
			return p + 1;
		p++;
	}
	return end;
}

/* Past the key and its colon; NULL if they are not there. */
static const char *pass_key(const char *p, const char *end, struct str *ret_key)
{
	const char *from = p;
	if (p == end || *p != '"')
		return NULL;
	p = pass_string(p, end);
	if (p - from < 2)
		return NULL;
	*ret_key = (struct str){ from + 1, (size_t)(p - from) - 2 };
	p = pass_space(p, end);
	return p < end && *p == ':' ? pass_space(p + 1, end) : NULL;
}

bool json_next(struct str container, size_t *at, struct str *ret_key, struct str *ret_value)
{
	enum json_type type = json_type(container);
	if (type != JSON_LIST && type != JSON_OBJECT)
		return false;
	const char *end = container.p + container.n;
	const char *p = pass_space(container.p + (*at ? *at : 1), end);
	if (*at && p < end && *p == ',')
		p = pass_space(p + 1, end);
	struct str key = STR_NULL;
	if (type == JSON_OBJECT)
		p = pass_key(p, end, &key);
	if (!p)
		return false;
	const char *from = p;
	p = pass_value(p, end);
	if (p == from)
		return false;
	*ret_key = key;
	*ret_value = (struct str){ from, (size_t)(p - from) };
	*at = (size_t)(p - container.p);
	return true;
}

struct str json_get(struct str object, struct str key)
{
	struct str found = STR_NULL, k, v;
	size_t at = 0;
	if (json_type(object) != JSON_OBJECT)
		return found;
	while (json_next(object, &at, &k, &v))
		if (json_key_is(k, key))
			found = v;
	return found;
}

void json_members_deinit(struct json_members *m)
{
	vec_deinit(&m->list);
}

void json_members_read(struct json_members *m, struct str object)
{
	struct str k, v;
	size_t at = 0;
	m->list.n = 0;
	if (json_type(object) != JSON_OBJECT)
		return;
	while (json_next(object, &at, &k, &v))
		*vec_push(&m->list) = (struct json_member){ k, v };
}

struct str json_member(const struct json_members *m, struct str key)
{
	for (size_t i = m->list.n; i > 0; i--)
		if (json_key_is(m->list.v[i - 1].key, key))
			return m->list.v[i - 1].value;
	return STR_NULL;
}

/* The four hex digits at AT as a number, -1 if they are not there. */
static int32_t hex4(struct str s, size_t at)
{
	int32_t v = 0;
	if (s.n < at + 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		int d = hex_digit(s.p[i]);
		if (d < 0)
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static size_t utf8_put(uint32_t u, char *out)
{
	if (u < 0x80) {
		out[0] = (char)u;
		return 1;
	}
	if (u < 0x800) {
		out[0] = (char)(0xc0 | u >> 6);
		out[1] = (char)(0x80 | (u & 63));
		return 2;
	}
	if (u < 0x10000) {
		out[0] = (char)(0xe0 | u >> 12);
		out[1] = (char)(0x80 | (u >> 6 & 63));
		out[2] = (char)(0x80 | (u & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | u >> 18);
	out[1] = (char)(0x80 | (u >> 12 & 63));
	out[2] = (char)(0x80 | (u >> 6 & 63));
	out[3] = (char)(0x80 | (u & 63));
	return 4;
}

static size_t decode_unicode(struct str s, size_t *at, char *out)
{
	int32_t u = hex4(s, *at + 2);
	*at += 6;
	if (u >= 0xd800 && u < 0xdc00 && *at + 1 < s.n && s.p[*at] == '\\' && s.p[*at + 1] == 'u') {
		int32_t low = hex4(s, *at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			*at += 6;
			return utf8_put(0x10000u + ((uint32_t)(u - 0xd800) << 10) +
			                        (uint32_t)(low - 0xdc00),
			                out);
		}
	}
	return utf8_put(u < 0 || (u >= 0xd800 && u < 0xe000) ? 0xfffd : (uint32_t)u, out);
}

/* The bytes (1 to 4) that the character at *AT of a string's inside stands for. */
static size_t decode(struct str s, size_t *at, char out[4])
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	if (s.p[*at] != '\\' || *at + 1 >= s.n) {
		out[0] = s.p[(*at)++];
		return 1;
	}
	char c = s.p[*at + 1];
	if (c == 'u')
		return decode_unicode(s, at, out);
	*at += 2;
	const char *found = c ? strchr(from, c) : NULL;
	out[0] = found ? to[found - from] : c;
	return 1;
}

bool json_key_is(struct str raw, struct str key)
{
	/* an escape is longer than what it stands for */
	if (raw.n <= key.n || str_find_byte(raw, '\\') == raw.n)
		return str_eq(raw, key) && str_find_byte(raw, '\\') == raw.n;
	size_t done = 0;
	for (size_t at = 0; at < raw.n;) {
		char out[4];
		size_t n = decode(raw, &at, out);
		if (!str_eq(str_sub(key, done, n), (struct str){ out, n }))
			return false;
		done += n;
	}
	return done == key.n;
}

struct str json_key_text(struct arena *a, struct str raw)
{
	if (str_find_byte(raw, '\\') == raw.n)
		return raw;
	char *p =
	        arena_bytes(a, raw.n + 4); /* an escape is never shorter than what it stands for */
	size_t n = 0;
	for (size_t at = 0; at < raw.n;)
		n += decode(raw, &at, p + n);
	return (struct str){ p, n };
}

bool json_to_text(struct arena *a, struct str raw, struct str *ret)
{
	if (raw.n < 2 || raw.p[0] != '"')
		return false;
	*ret = json_key_text(a, str_sub(raw, 1, raw.n - 2));
	return true;
}

bool json_to_bool(struct str raw, bool *ret)
{
	if (json_type(raw) != JSON_BOOL)
		return false;
	*ret = raw.p[0] == 't';
	return true;
}

bool json_to_i64(struct str raw, int64_t *ret)
{
	int64_t num, den;
	if (json_type(raw) != JSON_NUMBER)
		return false;
	if (str_to_i64(raw, ret))
		return true;
	if (str_find_byte(raw, '/') < raw.n || !str_to_fraction(raw, &num, &den) || den != 1)
		return false;
	*ret = num;
	return true;
}
