/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * slurm: what Slurm's words mean, and one job row of sacct, squeue or slurmdbd to facts. Shared by
 * the readers of Slurm's texts, tables and JSON.
 */
#include "facts/facts.h"
#include "parse/tres.h"
#include "read/reader.h"

enum slurm_phase { SLURM_WAITS, SLURM_RUNS, SLURM_ENDED };
enum slurm_reason_class {
	SLURM_REASON_POLICY,
	SLURM_REASON_RESOURCES,
	SLURM_REASON_NOT_ELIGIBLE,
	SLURM_REASON_FAULT,
	SLURM_REASON_NOTHING
};
struct slurm_state {
	const char *name, *help;
	int number;
	enum outcome outcome;
	enum slurm_phase phase;
};

/* "COMPLETED", "CANCELLED by 1000", "CANCELLED+", "OUT_OF_ME+", squeue's "PD", "R", "CG"; NULL:
   not a state. */
const struct slurm_state *slurm_state_find(struct str word);
/* slurmdbd's number with its flags (only state & 0xff counts); NULL: not a state. */
const struct slurm_state *slurm_state_number(int64_t number);
enum slurm_reason_class slurm_reason_class(struct str reason);
/* salloc, `srun --pty`, an interactive shell or desktop as the job's name. RET_KNOWN: the submit
   line said it. */
bool slurm_is_interactive(struct str name, struct str submit_line, bool *ret_known);

enum slurm_column {
#define SLURM_COLUMN(id, name, other, is_text) SLURM_##id,
#include "read/slurm_columns.def"
#undef SLURM_COLUMN
	SLURM_COLUMNS
};
/* -1: not a column that is read. */
int slurm_column_find(struct str head);
bool slurm_column_is_text(int column);

/* Which field holds which column. */
struct slurm_layout {
	size_t fields;                  /* in a record */
	int8_t column[FIELDS_MAX];      /* by field; -1: skipped */
	int16_t field[SLURM_COLUMNS];   /* by column; -1: not there */
	uint16_t wanted[SLURM_COLUMNS]; /* fields that are read */
	uint8_t wanted_as[SLURM_COLUMNS];
	size_t wanted_n;
};

/* Takes the field at L's end. HEAD: the name in the header. */
void slurm_layout_add(struct slurm_layout *l, struct str head, struct str run_key);
/* The same for a table with heads of its own. COLUMN: -1 skips the field. */
void slurm_layout_add_as(struct slurm_layout *l, int column);

/* A word that came again. */
struct slurm_word {
	struct str text;
	sym id;
	uint8_t interactive;    /* as a job's name: 0 not asked yet, 1 no, 2 yes */
	uint8_t reason;         /* as a reason: 1 + its class; 0: not asked yet */
	struct word_list label; /* as a QOS: the job's label; empty: not asked yet */
};
struct slurm_tres {
	struct str text;
	bool is_filled;
	enum tres answer;
	struct tres_counts counts;
	sym model;
	struct word_list models; /* the same as a list */
};
#define SLURM_WORD_SLOTS 2048u /* powers of two */
#define SLURM_TRES_SLOTS 256u
#define SLURM_SLOTS 64u

/* One feed: what is kept from row to row. */
struct slurm_feed {
	const struct slurm_layout *layout;
	const struct read_options *options;
	struct facts *f;
	struct str value[SLURM_COLUMNS]; /* of the present row; p NULL: no such column */
	bool is_cut[SLURM_COLUMNS];      /* fixed width: the value was longer */
	bool has_cuts;
	bool is_loose_id; /* the row's id is not a number as written: no run key */
	uint64_t records, steps;
	struct span seen; /* earliest start, newest time */
	sym qos_label;
	struct slurm_word words[SLURM_WORD_SLOTS];
	struct slurm_tres tres[SLURM_TRES_SLOTS];
	struct {
		struct str text;
		const struct slurm_state *state;
	} states[SLURM_SLOTS];
	char date[12]; /* the last one read, and its midnight */
	int64_t date_ms;
};

/* F's last input is the one that is read. */
struct slurm_feed *slurm_feed_begin(struct arena *a, const struct slurm_layout *l,
                                    const struct read_options *o, struct facts *f);
/* The row in VALUE: a job becomes facts, a step is counted, anything else is rejected. */
void slurm_feed_row(struct slurm_feed *s, uint64_t line);
/* The present row has a job's number, a state and times where they belong: for rows that had to be
   put together from parts. */
bool slurm_feed_fits(const struct slurm_feed *s);
/* Records and coverage into F. */
void slurm_feed_end(struct slurm_feed *s);
/* Joins the coverage of all feeds; the scheduler has spoken. For a reader's end(). */
void slurm_join_coverage(struct facts *f);
/* --run-key names a column that the input does not have. */
void slurm_note_run_key(const struct read_options *o, const struct slurm_layout *l,
                        struct facts *f);
/* Slurm prints times without a zone: says so where the user gave none. */
void slurm_note_zone(const struct read_options *o, struct facts *f);
