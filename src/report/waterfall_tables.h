/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * waterfall_tables: the tables of the main report's document.
 */
#include "report/emit.h"
#include "report/waterfall.h"

/* What GPU-time is counted in: GPU-hours; of an instant (a window of a second or less) GPUs. */
const char *waterfall_hours(const struct ledger *l);
/* How many decimals they get, by how many there are. */
unsigned waterfall_decimals(const struct ledger *l, i128 paid_units);
/* Units that the last of DECIMALS of one is. */
i128 waterfall_hour_unit(const struct ledger *l, unsigned decimals);
void waterfall_write_hours(struct text *t, const struct ledger *l, i128 units, unsigned decimals);

/* Columns with the heads that "money" and "GPU-hours" get here. */
const struct doc_column *waterfall_money_columns(struct doc *d, const struct report_input *in,
                                                 const struct doc_column *columns, size_t n);

/* An instant in the zone that was asked for. */
void waterfall_write_time(struct text *t, const struct report_input *in, int64_t ms);
/* waterfall_against.c: the window before, where it was asked for: a table; "changes"; of measures
   whose both ends are known in both windows, the least and the most that the change can be. */
void waterfall_add_against(const struct report_input *in, const struct waterfall *x, struct doc *d);
void waterfall_write_changes(const struct waterfall *x, struct emit *j);
bool waterfall_measure_has_change(const struct measure *before, const struct measure *now);
void waterfall_measure_change(const struct measure *before, const struct measure *now,
                              double ret[2]);
/* The window and the inputs. */
void waterfall_add_title(const struct report_input *in, struct doc *d);
/* What a page has to say of itself when it is found alone: what made it, of which time. */
void waterfall_add_foot(const struct report_input *in, struct doc *d);
void waterfall_add_layers(const struct report_input *in, const struct waterfall *x, struct doc *d);
/* waterfall_chart.c, where the document draws: the layers as a waterfall (LAYERS: of each step, or
   -1; the parts that a step lost are filled in), and the accounts of each step of time. */
void waterfall_add_fall(const struct report_input *in, const struct waterfall *x,
                        struct chart_step *steps, const int *layers, size_t n, struct doc *d);
void waterfall_add_stacks(const struct report_input *in, const struct waterfall *x, struct doc *d);
void waterfall_add_losses(const struct report_input *in, const struct waterfall *x, struct doc *d);
void waterfall_add_measures(const struct report_input *in, const struct waterfall *x,
                            struct doc *d);
/* Why some of the measures of the first screen have no value. */
void waterfall_add_unknown_measures(const struct report_input *in, const struct waterfall *x,
                                    struct doc *d);
void waterfall_add_groups(const struct report_input *in, const struct waterfall *x, struct doc *d);
/* How allocated time ended: as a sentence, and as a table with --explain. */
void waterfall_add_outcomes(const struct report_input *in, const struct waterfall *x,
                            struct doc *d);
void waterfall_add_matrix(const struct report_input *in, const struct waterfall *x, struct doc *d);
void waterfall_add_accounts(const struct report_input *in, const struct waterfall *x,
                            struct doc *d);
/* waterfall_placement.c: where free GPUs are lost: a line; tables; "fragmentation" and
   "queue_times". */
void waterfall_add_free_line(const struct report_input *in, const struct waterfall *x,
                             struct doc *d);
void waterfall_add_placement(const struct report_input *in, const struct waterfall *x,
                             struct doc *d);
void waterfall_write_placement(const struct report_input *in, struct emit *j);
/* "32 nodes, 224 GPUs; 3,918 jobs. "; nothing where nothing is listed. */
void waterfall_census(const struct report_input *in, struct text *t);
/* waterfall_depth.c: energy and depth in a sentence; their tables and the readings' statistics. */
void waterfall_add_depth_line(const struct waterfall *x, struct doc *d);
void waterfall_add_depth(const struct report_input *in, const struct waterfall *x, struct doc *d);
/* waterfall_depth_json.c: units of active time; why a depth is not known; the unit's name. */
i128 waterfall_active(const struct tally *t);
const char *waterfall_why_no_depth(const struct tally *t, enum depth_id id);
const char *waterfall_unit(enum metric_unit unit);
/* Of metrics: a mean says something; 10^decimals; some sample speaks of it. */
bool waterfall_is_number(int id);
double waterfall_scale(int id);
bool waterfall_is_mentioned(const struct readings_of *r);
/* "joules" and its coverage; of a whole tally, also how much of it is integrated power. */
void waterfall_write_energy(struct emit *j, i128 millijoules, i128 metered, i128 units);
void waterfall_write_joules(const struct tally *t, const struct figures *g, struct emit *j);
/* "depth" (ALL: also what is not known), a layer's "depth", "readings". */
void waterfall_write_depth(const struct tally *t, bool all, struct emit *j);
void waterfall_write_layer_depth(const struct tally *t, enum layer layer, struct emit *j);
void waterfall_write_readings(const struct ledger *l, struct emit *j);
/* True: T says that GPU-Util and deeper signals tell different things of active time. */
bool waterfall_depth_differs(const struct waterfall *x, struct text *t);
/* True: T says that energy counters and power readings differ. */
bool waterfall_energy_differs(const struct ledger *l, struct text *t);
/* What readings of one instant say; false: there are others, or none. */
bool waterfall_instant(const struct report_input *in, struct text *t);
/* Every input and what became of it. */
void waterfall_add_inputs(const struct report_input *in, struct doc *d);
/* Power of whole machines, where a meter read it. */
void waterfall_add_node_power(const struct report_input *in, struct doc *d);
void waterfall_write_node_power(const struct report_input *in, struct emit *j);
/* "tare", "window", "as_of". */
void waterfall_write_head(const struct report_input *in, struct emit *j);
/* Money in minor units; null where it is not KNOWN. */
void waterfall_write_cost(const struct report_input *in, struct emit *j, const char *key,
                          bool known, i128 minor);
/* "inputs" and "rejects". */
void waterfall_write_inputs(const struct report_input *in, struct emit *j);
void waterfall_write_census(const struct report_input *in, struct emit *j);
