/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/keyed.h"

#include "lib/run.h"

static void digest_is(const char *key, const char *message, const char *hex)
{
	uint8_t got[KEYED_BYTES];
	keyed_hash(str_of(key), str_of(message), got);
	for (size_t i = 0; i < KEYED_BYTES; i++) {
		static const char digits[] = "0123456789abcdef";
		assert_int_equal(digits[got[i] >> 4], hex[2 * i]);
		assert_int_equal(digits[got[i] & 15], hex[2 * i + 1]);
	}
}

/* RFC 4231, 4.2 and 4.3. */
static void the_vectors_of_the_standard(void **state)
{
	(void)state;
	digest_is(
	        "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b",
	        "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	digest_is("Jefe", "what do ya want for nothing?",
	          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(the_vectors_of_the_standard) };
	return RUN_TESTS(tests);
}
