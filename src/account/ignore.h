/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * ignore: what a policy leaves out of a report (decision J.11). The passes see it, so that nothing
 * of it looks free or unknown; its cells are taken out at the end, and what was paid is less by
 * them.
 */
#include "account/ledger.h"

bool ignore_place(const struct facts *f, const struct place *p);
bool ignore_job(const struct facts *f, uint32_t job);
/* Takes the cells out; L->ignored_units is what they held. */
void ignore_apply(struct ledger *l, const struct facts *f);
