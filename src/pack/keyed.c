/* SPDX-License-Identifier: Apache-2.0 */
#include "pack/keyed.h"

#include <nettle/hmac.h>

_Static_assert(KEYED_BYTES == SHA256_DIGEST_SIZE, "one digest");

void keyed_hash(struct str key, struct str message, uint8_t ret[KEYED_BYTES])
{
	struct hmac_sha256_ctx h;
	hmac_sha256_set_key(&h, key.n, (const uint8_t *)key.p);
	hmac_sha256_update(&h, message.n, (const uint8_t *)message.p);
	hmac_sha256_digest(&h, KEYED_BYTES, ret);
}
