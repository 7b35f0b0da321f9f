/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * yaml_field: values in the files that people write (maps, prices, policies). Every error says
 * where, what stands there, and what was expected. WHAT names the field in the error.
 */
#include "base/wide.h"
#include "parse/yaml.h"
#include "parse/zone.h"

/* A scalar; null gives the empty slice. */
NODISCARD enum err_code yaml_field_text(const struct yaml *y, const char *what, struct str *ret,
                                        struct err *err);
/* A scalar that is not empty. */
NODISCARD enum err_code yaml_field_word(const struct yaml *y, const char *what, struct str *ret,
                                        struct err *err);
/* true or false. */
NODISCARD enum err_code yaml_field_bool(const struct yaml *y, const char *what, bool *ret,
                                        struct err *err);
/* A word, or a list of words. */
NODISCARD enum err_code yaml_field_words(struct arena *a, const struct yaml *y, const char *what,
                                         const struct str **ret, size_t *ret_n, struct err *err);
/* A whole number from MIN to GPUS_MAX. */
NODISCARD enum err_code yaml_field_count(const struct yaml *y, const char *what, uint32_t min,
                                         uint32_t *ret, struct err *err);
/* A date or a time, in ZONE if it has none itself. */
NODISCARD enum err_code yaml_field_time(const struct yaml *y, const char *what,
                                        const struct zone *zone, int64_t *ret_ms, struct err *err);
/* A length of time with its unit: 10m. */
NODISCARD enum err_code yaml_field_duration(const struct yaml *y, const char *what, int64_t *ret_ms,
                                            struct err *err);

/* An exact number, den > 0. */
struct fraction {
	i128 num, den;
};

/* A decimal number from 0 to 10^12 with at most 9 decimals: "2.50". */
NODISCARD enum err_code yaml_field_decimal(const struct yaml *y, const char *what,
                                           struct fraction *ret, struct err *err);

/* How sure it is that HEAD begins a YAML file with one of MARKS among its outermost keys: 90, or 50
   when there are keys that are neither in MARKS nor in KEYS; 0: it is no such file. Lists end with
   NULL. */
int yaml_head_score(struct str head, const char *const *marks, const char *const *keys);
