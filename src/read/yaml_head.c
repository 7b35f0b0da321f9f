/* SPDX-License-Identifier: Apache-2.0 */
#include "read/yaml_field.h"

/* "key:" at a line's start; the empty slice when the line begins otherwise. */
static struct str line_key(struct str line)
{
	size_t n = 0;
	while (n < line.n &&
	       (line.p[n] == '_' || line.p[n] == '-' || (line.p[n] >= 'a' && line.p[n] <= 'z')))
		n++;
	bool is_key = n && n < line.n && line.p[n] == ':' &&
	              (n + 1 == line.n || line.p[n + 1] == ' ' || line.p[n + 1] == '\t');
	return is_key ? str_sub(line, 0, n) : STR_NULL;
}

static bool is_among(struct str key, const char *const *keys)
{
	for (size_t i = 0; keys[i]; i++)
		if (str_eq(key, str_of(keys[i])))
			return true;
	return false;
}

int yaml_head_score(struct str head, const char *const *marks, const char *const *keys)
{
	size_t marked = 0, strange = 0;
	struct str line;
	if (str_starts(head, S("\xef\xbb\xbf")))
		head = str_sub(head, 3, head.n);
	while (str_cut_line(&head, &line)) {
		bool is_inner = !line.n || line.p[0] == ' ' || line.p[0] == '#' ||
		                line.p[0] == '-' || line.p[0] == '\t' || line.p[0] == ']' ||
		                line.p[0] == '}';
		if (is_inner)
			continue;
		struct str key = line_key(line);
		if (!key.n)
			return 0;
		marked += is_among(key, marks);

		strange += !is_among(key, keys) && !is_among(key, marks);
	}
	if (!marked)
		return 0;
	return strange ? 50 : 90;
}
