/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reading: values as files write them, as readings of facts/metrics.def: units, words that are no
 * value, and what no device can read. For readers of any source.
 */
#include "base/text.h"
#include "facts/facts.h"

/* How much of a metric's own unit one of a file's is: num / den. */
struct reading_unit {
	int64_t num, den;
};
/* NAME (%, W, mW, bytes, GiB, Wh...) for metric ID; empty: the metric's own. False: not a unit of
   it. */
bool reading_unit_find(enum metric_id id, struct str name, struct reading_unit *ret);
/* Adds the names that are, for messages: "percent, ratio or permille"; "no unit". */
void reading_unit_names(struct text *t, enum metric_id id);

/* What a device may read, in whole units: below and above there is none. */
void reading_range(enum metric_unit unit, int64_t *ret_min, int64_t *ret_max);
/* Sets reading ID of S to NUM / DEN of its unit, floored to its decimals, or to out_of_range. */
enum why reading_put(struct sample *s, enum metric_id id, int64_t num, int64_t den,
                     struct reading_unit unit);
/* The same of a text. A word that stands for "no value" sets its reason. RET_BAD: it is neither a
   number nor such a word (absent). */
enum why reading_put_text(struct sample *s, enum metric_id id, struct str text,
                          struct reading_unit unit, bool *ret_bad);
/* Says why there is none, unless there is one. */
void reading_miss(struct sample *s, enum metric_id id, enum why why);
/* As reading_put_text; what is bad or out of range is said with the metric's name, and the record
   is counted as rejected once (IS_REJECTED, false at first). */
void reading_take(struct facts *f, uint64_t line, bool *is_rejected, struct sample *s,
                  enum metric_id id, struct str text, struct reading_unit unit);
