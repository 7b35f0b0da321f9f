/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter: what exporters say of GPUs, whatever form brought it (a scrape, an answer of
 * Prometheus, a table of dcgmi), to samples, and the jobs that its labels name.
 *
 * An exporter holds what labels mean: the same labels come again with each scrape, so a series is
 * parsed once and found by its bytes after that. It may be used for one piece of an input after the
 * other:
 *
 *     struct exporter *e = exporter_new();
 *     exporter_begin(e, f);
 *     s = exporter_find(e, bytes);          or   exporter_series(e, bytes, name, labels, n, line)
 *     exporter_take(e, s, t_ms, value, line);
 *     exporter_end(e);                      F has what this piece says
 *     exporter_free(e);
 *
 * exporter_join then makes one of what the pieces of an input said: readings of a device at one
 * time, in any order, are one sample; several series of one device (one for each pod that shares
 * it) are one device: the largest value counts, never the sum.
 */
#include "facts/facts.h"
#include "parse/prom.h"

enum exporter_family {
	EXPORTER_DCGM,
	EXPORTER_DCGM_FIRST,
	EXPORTER_NVIDIA_SMI,
	EXPORTER_AMD,
	EXPORTER_NVITOP
};

enum exporter_unit {
	EXPORTED_RATIO,
	EXPORTED_PERCENT,
	EXPORTED_BYTES_PER_SECOND,
	EXPORTED_MEBIBYTES_PER_SECOND,
	EXPORTED_MEGABITS_PER_SECOND,
	EXPORTED_WATTS,
	EXPORTED_MEBIBYTES,
	EXPORTED_BYTES,
	EXPORTED_MEGAHERTZ,
	EXPORTED_HERTZ,
	EXPORTED_JOULES,
	EXPORTED_MILLIJOULES,
	EXPORTED_MICROJOULES,
	EXPORTED_CELSIUS,
	EXPORTED_MASK,
	EXPORTED_FLAG
};

struct exporter_metric {
	const char *name, *alias;
	enum exporter_family family;
	enum metric_id id;
	enum exporter_unit unit;
	bool is_part; /* of a MIG instance, where the labels name one */
};

struct exporter;
struct exporter_series;

/* Is this a name that some exporter of GPUs gives? */
bool exporter_is_name(struct str name);
/* NULL: not read. CLOCK: the label clock_type. */
const struct exporter_metric *exporter_metric(struct str name, struct str clock);

struct exporter *exporter_new(void);
void exporter_free(struct exporter *e);
/* What comes now is of another input than what came before, with a number of its own: what series
   were stays known, what devices are is told anew. */
void exporter_input(struct exporter *e, uint32_t input);
void exporter_begin(struct exporter *e, struct facts *f);
/* The series that came after the last one the time before, if TEXT begins with its bytes and a
   blank; else NULL. */
struct exporter_series *exporter_next(struct exporter *e, struct str text, size_t *ret_n);
/* The series whose name and labels were given in just these bytes before; NULL: not seen. */
struct exporter_series *exporter_find(struct exporter *e, struct str bytes);
/* BYTES: to find it by; empty: it will not be asked for again. NULL: nothing to take from it; that
   it names no GPU is a reject. */
struct exporter_series *exporter_series(struct exporter *e, struct str bytes, struct str name,
                                        const struct prom_label *labels, size_t n, uint64_t line);
/* One value; T_MS may be TIME_UNKNOWN. Counts a reject if it is none. */
void exporter_take(struct exporter *e, struct exporter_series *s, int64_t t_ms, struct str value,
                   uint64_t line);
void exporter_end(struct exporter *e);

/* VALUE as a reading of M. WHY_KNOWN: RET has it. RET_BAD: it is not a number at all. */
enum why exporter_value(const struct exporter_metric *m, struct str value, int64_t *ret,
                        bool *ret_bad);
/* Why DCGM says that there is no value; WHY_KNOWN: it is none of DCGM's blanks. IS_COUNT: the
   value is 64 bits wide, so the blanks of 32 bits are numbers. */
enum why exporter_blank(struct str value, bool is_count);

/* F holds what one input said, piece by piece. IS_GRID: the times are steps of one query. */
void exporter_join(struct facts *f, bool is_grid);
/* Of exporter_join: the jobs that labels named. SAMPLES by device and time, as places in F's. */
struct exporter_run {
	const struct keyed *v; /* key: sort_key of the time; with: place of the sample */
	size_t n;
	int64_t period_ms; /* 0: unknown */
	bool is_instance;
};
void exporter_join_jobs(struct facts *f, const struct exporter_run *runs, size_t n);
