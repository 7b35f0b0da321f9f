/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * dump: facts as text, one line each, words written out: two facts are equal if their dumps are.
 * Numbers of words, places in pools and addresses do not show.
 */
#include "base/text.h"
#include "facts/facts.h"

void dump_facts(struct text *t, const struct facts *f);
