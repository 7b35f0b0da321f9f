/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and text from any bytes: no crash, and a few laws that hold for all of them. */
#include <assert.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void numbers(struct str s)
{
	int64_t i, j, num, den;
	double d;
	if (str_to_i64(s, &i))
		assert(str_to_fixed(s, 0, &j) ? i == j : i == INT64_MAX || i == INT64_MIN);
	for (unsigned decimals = 0; decimals < 10; decimals += 3)
		str_to_fixed(s, decimals, &i);
	if (str_to_fraction(s, &num, &den))
		assert(den > 0);
	if (str_to_double(s, &d))
		assert(d - d == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { (const char *)data, size }, rest = s, head;
	auto_text t = TEXT_NULL;
	numbers(s);
	while (str_cut_line(&rest, &head))
		numbers(str_trim(head));
	size_t half = size / 2;
	struct str a = str_sub(s, 0, half), b = str_sub(s, half, size);
	int order = str_cmp_natural(a, b), back = str_cmp_natural(b, a);
	assert((order < 0) == (back > 0) && (order == 0) == str_eq(a, b));
	text_json(&t, s);
	text_plain(&t, s);
	for (rest = text_str(&t); rest.n; rest = str_sub(rest, utf8_length(rest), rest.n))
		assert(utf8_length(rest) > 0);
	return 0;
}
