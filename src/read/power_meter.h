/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * power_meter: logs of a meter on a whole machine: a reading a line. What the readers of each form
 * share.
 */
#include "read/reader.h"

/* Hands every line that is not blank to READ_LINE, and counts it. */
void power_meter_feed(const struct read_run *run, struct str bytes, uint64_t line, struct facts *f,
                      void (*read_line)(const struct read_run *run, struct str line,
                                        uint64_t number, struct facts *f));
/* WATTS as read at T_MS, of the machine that the input stands for. */
void power_meter_add(const struct read_run *run, struct facts *f, uint64_t number, int64_t t_ms,
                     struct str watts);
/* Says that no GPU's power is in it. */
void power_meter_end(struct facts *f);
