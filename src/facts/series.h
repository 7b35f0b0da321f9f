/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * series: the samples of one device after the other, as columns in time order, by pull. What the
 * meter reads; where they are kept is the source's business (facts.samples here, blocks in memory
 * or in a file elsewhere), so that memory follows devices, not samples.
 *
 * Of a device no two rows have the same time: where inputs gave several samples of one time, they
 * are one row, and of a metric that more than one of them knows the later one counts (decision
 * C.1).
 */
#include "base/err.h"
#include "facts/facts.h"

#define SERIES_ROWS 1024u /* in one batch: 30 columns of it stay in a core's cache */

/* A batch of rows. Columns of metrics that are not in ANY hold nothing: no row says a word of
   them (WHY_ABSENT). In the others a value counts where its reason is WHY_KNOWN. */
struct series_rows {
	uint32_t n;
	uint64_t any; /* metric_bit of each */
	int64_t t_ms[SERIES_ROWS], period_ms[SERIES_ROWS];
	uint8_t kind[SERIES_ROWS], procs_why[SERIES_ROWS];    /* enum sample_kind, enum why */
	uint32_t procs_at[SERIES_ROWS], procs_n[SERIES_ROWS]; /* in facts.syms */
	int64_t v[METRIC_COUNT][SERIES_ROWS];
	uint8_t why[METRIC_COUNT][SERIES_ROWS];
};

struct series {
	sym device;
	struct span hull; /* times of the first and the last sample */
};

struct series_cursor;

#define SERIES_ALL UINT64_MAX /* metrics */

/* V: the devices that have samples, by sym. One cursor reads one device; any number may be open.
   WANT: metric_bit of those that are asked for; the others may be left out. NEXT: false after the
   last batch; a batch is never empty. */
struct series_source {
	const struct series *v;
	size_t n;
	struct series_cursor *(*open)(const struct series_source *source, size_t at, uint64_t want);
	bool (*next)(struct series_cursor *c, struct series_rows *ret_rows);
	void (*close)(struct series_cursor *c);
	/* Samples that were read twice: the same metric of the same device at the same time. */
	uint64_t (*doubles)(const struct series_source *source);
	void (*drop)(struct series_source *source);
	struct err err; /* what could not be read, once a cursor has ended early; else ERR_OK */
};

/* The samples in F.SAMPLES, which must stay as they are until it is dropped. */
struct series_source *series_of_samples(const struct facts *f);
/* A column that gets its first word at row AT: the rows before it said nothing. */
void series_column_begin(struct series_rows *rows, enum metric_id metric, uint32_t at);
/* Puts S at row AT of ROWS, as its first sample. */
void series_row_set(struct series_rows *rows, uint32_t at, const struct sample *s);
/* Adds what S, of the same device and time, says to row AT; true: a metric was known already. */
bool series_row_join(struct series_rows *rows, uint32_t at, const struct sample *s);
/* Row AT as a sample of DEVICE. */
void series_row_get(const struct series_rows *rows, uint32_t at, sym device,
                    struct sample *ret_sample);
