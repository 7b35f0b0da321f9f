/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * price_amount: what one entry of a price list costs, as an exact fraction of money an hour.
 *
 * A month is 730 hours and a year 8,760, as cloud price lists have it. Fractions stay exact as long
 * as their denominator divides 219 x 10^9 (every hourly, monthly and yearly price of up to eight
 * decimals does, and then any two have a common denominator); else they are floored to 10^-9.
 */
#include "read/yaml_field.h"

/* `per` of an entry: hours of its unit. */
NODISCARD enum err_code price_amount_hours(const struct yaml *entry, const char *what,
                                           int64_t *ret_hours, struct err *err);
/* `amount` and `per`: money an hour. */
NODISCARD enum err_code price_amount_rate(const struct yaml *entry, const char *what,
                                          struct fraction *ret, struct err *err);
/* An owned machine: (purchase - resale) / life + power x PUE x energy price + hosting +
   maintenance. */
NODISCARD enum err_code price_amount_owned(const struct yaml *entry, struct fraction *ret,
                                           struct err *err);
/* Divided by N GPUs and rounded by the rule above. ERR_INPUT: over int64. */
NODISCARD enum err_code price_amount_each(const struct yaml *entry, struct fraction f, uint32_t n,
                                          int64_t *ret_num, int64_t *ret_den, struct err *err);
bool fraction_mul(struct fraction a, struct fraction b, struct fraction *ret);
