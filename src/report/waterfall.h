/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * waterfall: the main report, paid down to productive. What its text (waterfall.c) and its JSON
 * (waterfall_json.c) share.
 */
#include "account/measures.h"
#include "report/figures.h"
#include "report/report.h"

/* A remark on what the numbers rest on. WEIGHS: it changes what a number means. */
struct waterfall_note {
	struct str text;
	bool weighs;
};

struct waterfall {
	struct tally tally;
	struct figures figures;
	struct measure measures[MEASURE_COUNT];
	struct demand_events *demand; /* of all jobs */
	VEC(struct waterfall_note) notes;
	struct waterfall *before; /* the window before; NULL: not asked for */
};

extern const char *const waterfall_evidence_names[EVIDENCE_COUNT];

/* What it points to lives in A. */
void waterfall_build(struct arena *a, const struct report_input *in, struct waterfall *ret);
void waterfall_deinit(struct waterfall *x);
void waterfall_write_json(const struct report_input *in, struct text *t);
/* "user", "label:project". */
struct str waterfall_key_name(struct arena *a, const struct group_by *by, size_t key);
/* The groups' paid time, cost and millijoules, rounded so that they add up to the whole's; COSTS is
   NULL without a price. */
struct waterfall_parts {
	i128 *ms, *costs, *joules_milli;
};
void waterfall_round_groups(struct arena *a, const struct report_input *in, const struct groups *g,
                            const struct figures *total, struct waterfall_parts *ret_parts);
/* All of the I-th group; in A. */
void waterfall_build_group(struct arena *a, const struct report_input *in, const struct groups *g,
                           const struct waterfall_parts *parts, size_t i, struct tally *ret_tally,
                           struct figures *ret_figures, struct measure ret_measures[MEASURE_COUNT]);
void waterfall_write_csv(const struct report_input *in, struct text *t);
/* Why free and down are null. */
extern const char waterfall_no_capacity[];
/* "money/gpu_h" with the currency's name for money; in A. */
struct str waterfall_measure_unit(struct arena *a, const struct report_input *in,
                                  enum measure_unit unit);
/* waterfall_notes.c */
void waterfall_add_notes(struct arena *a, const struct report_input *in, struct waterfall *x);
