/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * keyed: a hash that nobody makes without the key (HMAC-SHA-256, RFC 2104).
 */
#include <stdint.h>

#include "base/str.h"

#define KEYED_BYTES 32

void keyed_hash(struct str key, struct str message, uint8_t ret[KEYED_BYTES]);
