/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * json_ending: what a JSON input that stops being JSON means, the same for every reader of one.
 */
#include "facts/facts.h"
#include "parse/json.h"

/* After the last item. Cut or broken behind some items: one reject, and the input is partial.
   ERR_INPUT: broken before there was any (IS_ANY false). */
enum err_code json_ending(const struct json_scan *scan, bool is_any, struct facts *f,
                          struct err *err);
