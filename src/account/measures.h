/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * measures: what managers ask for, computed from a tally and the facts (ledger.md 8). Ratios of
 * sums. What cannot be computed is not known, with a sentence that says which input would give it;
 * what is only bounded has low and high and no value.
 */
#include "account/tally.h"

enum measure_unit {
	MEASURE_RATIO,
	MEASURE_SECONDS,
	MEASURE_HOURS,
	MEASURE_CPU_HOURS,
	MEASURE_GPU_HOURS,
	MEASURE_GPUS,
	MEASURE_MONEY,
	MEASURE_MONEY_PER_GPU_HOUR,
	MEASURE_MONEY_PER_RUN,
	MEASURE_MONEY_PER_REQUEST,
	MEASURE_MONEY_PER_MILLION_TOKENS,
	MEASURE_PER_GPU_HOUR,
	MEASURE_PER_MONEY,
	MEASURE_JOULES,
	MEASURE_UNIT_COUNT
};
extern const char *const measure_units[MEASURE_UNIT_COUNT];

enum measure_id {
#define MEASURE(id, unit, head, formula) MEASURE_##id,
#include "account/measures.def"
#undef MEASURE
	MEASURE_COUNT
};

struct measure {
	bool has_value, has_low, has_high;
	double value, low, high;
	double coverage;      /* share of the time (or of the jobs) that it speaks for */
	const char *why_null; /* a sentence, when there is no value; in the input's arena */
};

struct measure_shared;
struct demand_events;

struct measure_input {
	struct arena *a;
	const struct ledger *l;
	const struct facts *f;
	const struct cost *c;
	const struct tally *t;
	const uint32_t *jobs; /* rising; the jobs that are counted; NULL: all */
	size_t jobs_n;
	struct demand_events *demand;  /* of these jobs, where the caller has it; else NULL */
	struct measure_shared *shared; /* set by measures_compute */
};

struct measure_info {
	const char *name, *head, *formula;
	enum measure_unit unit;
	void (*compute)(const struct measure_input *in, struct measure *ret);
};
extern const struct measure_info measures[MEASURE_COUNT];

#define MEASURE(id, unit, head, formula) \
	void measure_##id(const struct measure_input *in, struct measure *ret);
#include "account/measures.def"
#undef MEASURE

void measures_compute(const struct measure_input *in, struct measure ret[MEASURE_COUNT]);
bool measure_is_money(enum measure_unit unit);

/* For the files that compute them. */
extern const char measure_hidden[]; /* why a share of stalled time is a band (K.8) */
/* What several measures need, computed when first asked for: waits, demand. Lives in A. */
struct measure_shared *measure_shared_new(struct arena *a);
void measure_value(struct measure *m, double value, double coverage);
/* A band: no value unless both ends are the same. */
void measure_band(struct measure *m, double low, double high, double coverage);
void measure_null(struct measure *m, const char *why);
double measure_ratio(i128 num, i128 den);
/* Linear interpolation between the two nearest of N sorted values (numpy's default); N > 0. */
double measure_quantile(const double *sorted, size_t n, double q);
double measure_money(const struct measure_input *in, i128 num);
/* True, and RET says so, when not all of LINE's time has a price. */
bool measure_price_is_missing(const struct measure_input *in, const struct money *line,
                              struct measure *ret);
