/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * steps: the stretches of time that charts show as one: hours, days, weeks of the user's zone, as
 * many as can be told apart.
 */
#include "parse/zone.h"
#include "report/report.h"

/* Makes the ledger cut its cells where steps begin. In A, which lives as long as O is used. */
void steps_cut(struct arena *a, const struct zone *zone, struct ledger_options *o);
/* Names the steps of L's window for IN. In A. */
void steps_name(struct arena *a, const struct zone *zone, const struct ledger *l,
                struct report_input *in);
