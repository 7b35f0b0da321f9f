/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * csv_map: a mapping file says what the columns of somebody's CSV mean. No code knows a trace's
 * name: whatever is special about a file stands in its map, a YAML file with a closed list of verbs
 * (docs/reference/maps.md; JSON Schema in docs/reference/schema/map.json).
 *
 * A map is parsed once (csv_map_parse), bound to the header of a file when that is opened (struct
 * csv_plan) and then only read, from any number of threads.
 */
#include "base/text.h"
#include "facts/facts.h"
#include "parse/csv.h"
#include "parse/pattern.h"
#include "read/reader.h"
#include "read/reading.h"

enum csv_fact { CSV_JOBS, CSV_NODES, CSV_TOTALS, CSV_SAMPLES, CSV_FACT_COUNT };
enum csv_type {
	CSV_WORD,
	CSV_WORDS, /* cut at `split` */
	CSV_TIME,
	CSV_DURATION,
	CSV_COUNT,
	CSV_NUMBER, /* a whole number, may be negative */
	CSV_GPUS,   /* whole, or one GPU's share */
	CSV_SHARE,
	CSV_OUTCOME,
	CSV_KIND,
	CSV_STATE,
	CSV_RAW,     /* what a metric's name decides */
	CSV_READING, /* of a metric */
};
enum csv_prop {
#define PROP(id, name, fact, type, help) CSV_##id,
#include "read/csv_map.def"
#undef PROP
#define METRIC(id, name, kind, unit, decimals, role, help) CSV_METRIC_##name,
#include "facts/metrics.def"
#undef METRIC
	CSV_PROP_COUNT
};
#define CSV_METRIC_FIRST (CSV_PROP_COUNT - METRIC_COUNT)
struct csv_prop_info {
	const char *name, *help;
	enum csv_fact fact;
	enum csv_type type;
};
extern const struct csv_prop_info csv_props[CSV_PROP_COUNT];
extern const char *const csv_fact_names[CSV_FACT_COUNT];

enum csv_time_kind { CSV_TIME_TEXT, CSV_TIME_SINCE, CSV_TIME_PATTERN };
struct csv_time {
	enum csv_time_kind kind;
	int64_t origin_ms;  /* SINCE */
	int64_t num, den;   /* SINCE: ms of one unit */
	struct str pattern; /* PATTERN: as strptime writes them */
	bool has_zone;
	int32_t zone_s; /* of times without a zone, seconds east of UTC */
};

/* A column by its header, or by its number from 1. */
struct csv_column {
	struct str name; /* empty: by number */
	uint32_t number;
	uint32_t line, at; /* where the map names it */
};

struct csv_pair {
	struct str from, to;
};

enum csv_else { CSV_ELSE_REJECT, CSV_ELSE_KEEP, CSV_ELSE_UNKNOWN, CSV_ELSE_WORD };
enum csv_round { CSV_EXACT, CSV_UP, CSV_DOWN };
enum csv_parse {
	CSV_PARSE_PLAIN,
	CSV_PARSE_TRES,
	CSV_PARSE_GRES,
	CSV_PARSE_SLURM,
	CSV_PARSE_UNITS
};

/* How one property is made from a row. */
struct csv_value {
	enum csv_prop prop;
	bool is_set, is_constant, is_optional, first_word;
	struct csv_column column;
	const struct csv_column *more; /* columns that are joined to it */
	size_t more_n;
	struct str join; /* between them */
	struct str constant;
	struct str fallback; /* stands for an empty field; empty: unknown */
	const struct str *unknown;
	size_t unknown_n;
	const struct csv_pair *values;
	size_t values_n;
	enum csv_else otherwise;
	struct str else_word;
	int64_t num, den; /* unit */
	enum csv_parse parse;
	enum csv_round round; /* of a count that is not whole */
	struct str split;
	struct csv_time time;
};

/* A row is left out when one of these holds. */
struct csv_skip {
	struct csv_column column;
	bool is_empty, is_not; /* the field is empty; the other way round */
	const struct str *words;
	size_t words_n;
};

struct csv_label {
	struct str name;
	struct csv_column column;
};

struct csv_match {
	uint32_t number; /* field, from 1; 0: the column NAME */
	struct str name;
	const struct pattern *pattern;
};

struct csv_map {
	struct str name, file_name, help, note;
	struct csv_dialect dialect;
	bool has_header;
	struct str comment; /* lines that begin with it are left out; empty: none */
	/* A wide table: each column but these makes a row of its own, with two more columns, one
	   for its name and one for its value. */
	const struct str *fixed;
	size_t fixed_n;
	struct str wide_name, wide_value; /* empty: not a wide table */
	const struct str *marks;          /* names that a header must have */
	size_t marks_n;
	bool marks_in_order;
	uint32_t fields; /* without a header */
	const struct csv_match *matches;
	size_t matches_n;
	enum csv_fact fact;
	struct csv_value values[CSV_PROP_COUNT];
	const struct csv_label *labels;
	size_t labels_n;
	const struct csv_skip *skips;
	size_t skips_n;
	int64_t every_ms;  /* totals, nodes: length of an interval; 0: from `to` */
	bool is_slurm;     /* jobs: attempts share a run by job id */
	bool is_sample;    /* jobs: not all of the scheduler's jobs */
	bool counts_nodes; /* totals: what is counted are nodes */
	bool is_arbitrary; /* times count from an origin that means nothing */
	bool is_point;     /* samples: read at one instant, not averages */
};

/* A map bound to a file. */
struct csv_plan {
	const struct csv_map *map;
	uint32_t width; /* fields of a row */
	const struct str
	        *names; /* of a wide table: the names of its columns, empty for fixed ones */
	uint32_t values[CSV_PROP_COUNT]; /* field of a property; CSV_NO_FIELD */
	const uint32_t *more[CSV_PROP_COUNT];
	uint8_t used[CSV_PROP_COUNT]; /* the properties that the map sets */
	uint32_t used_n;
	const uint32_t *labels, *skips;
};
#define CSV_NO_FIELD UINT32_MAX

/* FILE_NAME stands in front of every error: "FILE:LINE:COLUMN: what, and what was expected". */
NODISCARD enum err_code csv_map_parse(struct arena *a, struct str yaml, struct str file_name,
                                      struct csv_map *ret, struct err *err);

/* One field as a property's value. */
struct csv_cell {
	struct str text;  /* after the words were looked up; empty: unknown */
	int64_t num, den; /* times: num is ms; unknown: den is 0 */
};
/* False: it cannot be read; WHY (at least 128 bytes) says why. ZONE: of times without one. */
bool csv_value_read(const struct csv_value *v, struct str text, const struct zone *zone,
                    struct csv_cell *ret, char *why);

/* The devices and jobs that the samples of one piece were of. */
struct csv_seen {
	struct map devices, jobs; /* sym: 1 + index in facts */
	struct map held;          /* device: 1 + index of the allocation that is going on */
	struct text key;
};
void csv_seen_deinit(struct csv_seen *seen);

/* One row as facts of F; what cannot be used is rejected there. */
struct csv_row {
	const struct csv_plan *plan;
	const struct csv_record *record;
	const struct zone *zone;
	struct arena *scratch;
	uint64_t line;
	sym source;
	struct csv_cell *cells; /* CSV_PROP_COUNT, zero at first: of properties that the map sets */
	sym *last;              /* CSV_PROP_COUNT, zero at first: the words of the row before */
	struct csv_seen *seen;
};
sym csv_row_word(const struct csv_row *row, struct facts *f, enum csv_prop p);
/* A row that is a sample, or, by its metric's name, a part of one. */
void csv_sample_facts(const struct csv_row *row, struct facts *f);
/* Joins what the pieces of one input say of the same device, job and time. */
void csv_samples_end(struct facts *f);
/* "power mW" as a metric and its unit; false: WHY (at least 128 bytes) says what was expected. */
bool csv_metric_read(struct str text, enum metric_id *ret_id, struct reading_unit *ret_unit,
                     char *why);
void csv_row_facts(const struct csv_row *row, struct facts *f);
/* Adds up the capacity of nodes that are in one pool. F holds the rows of one input. */
void csv_pools_sum(struct facts *f);
