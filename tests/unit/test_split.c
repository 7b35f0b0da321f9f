/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/split.h"

#include "base/arena.h"
#include "lib/run.h"

/* Both ways find what a loop over the bytes finds, at every length and offset, dense and sparse. */
static void finds_every_place(void **state)
{
	(void)state;
	enum { N = 400 };
	char bytes[N];
	uint32_t got[N + SPLIT_SLACK], plain[N + SPLIT_SLACK];
	uint64_t seed = 1;
	for (int round = 0; round < 6; round++) {
		for (size_t i = 0; i < N; i++) {
			static const char alphabet[] = "|\n}{\x80\xfc\x0b|z\0";
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[i] =
			        round == 0 ? '|' : alphabet[(seed >> 40) % (round == 1 ? 2 : 10)];
		}
		for (size_t from = 0; from < 3; from++)
			for (size_t n = 0; from + n <= N; n++) {
				struct str s = { bytes + from, n };
				size_t a = split_find(s, '|', '\n', got);
				size_t b = split_find_plain(s, '|', '\n', plain), want = 0;
				for (size_t i = 0; i < n; i++)
					if (s.p[i] == '|' || s.p[i] == '\n') {
						assert_true(want < a && got[want] == i);
						assert_true(want < b && plain[want] == i);
						want++;
					}
				assert_true(a == want && b == want);
			}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(finds_every_place) };
	return RUN_TESTS(tests);
}
