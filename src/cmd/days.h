/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * days: the edges of days and hours in the user's zone, and what they are called.
 */
#include "parse/zone.h"
#include "report/report.h"

/* Adds to O the edges that BY asks for (day, hour) and those of prices and other costs. ERR_LIMIT:
   more than DAYS_EDGES_MAX. In A. */
enum err_code days_edges(struct arena *a, const struct zone *zone, const struct facts *f,
                         const struct group_by *by, struct ledger_options *o,
                         struct err *err) NODISCARD;
/* Names the ledger's buckets for BY, and lists the window's days for IN. In A. */
void days_name(struct arena *a, const struct zone *zone, const struct ledger *l,
               struct group_by *by, struct report_input *in);
