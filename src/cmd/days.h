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
/* V, down to a whole number of STEPs. */
int64_t days_floor(int64_t v, int64_t step);
/* The wall clock at an instant, as seconds; the first instant at or after which it shows LOCAL_S.
 */
int64_t days_local(const struct zone *zone, int64_t ms);
int64_t days_instant(const struct zone *zone, int64_t local_s);
