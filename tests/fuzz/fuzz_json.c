/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "parse/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Walks what a scan handed out to the second level: all of it lies in the item. */
static size_t walk(struct arena *a, struct str value)
{
	struct str key, inner, k, v, text;
	size_t at = 0, n = 0;
	int64_t number;
	while (json_next(value, &at, &key, &inner)) {
		size_t in = 0;
		n += json_key_text(a, key).n + json_to_i64(inner, &number);
		if (json_to_text(a, inner, &text))
			n += text.n;
		while (json_next(inner, &in, &k, &v))
			n += v.n;
		if (inner.p < value.p || inner.p + inner.n > value.p + value.n)
			abort();
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct json_scan scan = json_scan_of(bytes, 1);
	struct json_item item;
	auto_arena a = ARENA_NULL;
	auto_json_members m = { 0 };
	while (json_scan_next(&scan, &item)) {
		if (!json_is_valid(item.value))
			abort();
		walk(&a, item.value);
		json_members_read(&m, item.value);
		json_member(&m, S("a"));
	}
	if (scan.why && json_is_valid(bytes) && json_type(str_trim(bytes)) >= JSON_LIST)
		abort(); /* one good document must be scanned to its end */
	walk(&a, bytes); /* unchecked bytes: nothing outside is read */
	return 0;
}
