/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * number: numbers for people. "1,234.50", "12.3 %", "3 h 20 min". The locale has no say.
 */
#include "account/measures.h"
#include "base/text.h"

/* VALUE x 10^-DECIMALS with all its decimals and a comma between thousands. */
void number_write(struct text *t, i128 value, unsigned decimals);
/* The same of a double, rounded. */
void number_write_double(struct text *t, double v, unsigned decimals);
void number_write_percent(struct text *t, double share); /* one decimal: "12.3 %" */
void number_write_seconds(struct text *t, double s);     /* two units: "3 h 20 min" */
/* A measure's value, or its band, or a dash. CURRENCY may be empty. */
void number_write_measure(struct text *t, const struct measure *m, enum measure_unit unit,
                          struct str currency, unsigned money_decimals);
