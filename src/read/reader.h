/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * reader: one input format. A new format is one new file in this folder that defines
 * `const struct reader reader_NAME`; the build writes the registry from the folder listing.
 *
 * Readers are pure: bytes in, facts out. They open nothing, keep no global, ask no clock.
 *
 *     recognise(head)              how sure it is that this is its format
 *     open(run, head)              once: reads the header or the mapping, keeps what it needs in
 * run->state feed(run, bytes, line, f)    whole records; F belongs to this call alone end(run, f)
 * once, after everything was joined into F: what only the whole can say (coverage)
 *
 * A record that cannot be used is counted with facts_reject and loses nothing else. Only a file
 * that cannot be used at all is an error. Unknown is never zero: a field that says nothing stays
 * TIME_UNKNOWN / COUNT_UNKNOWN.
 */
#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"
#include "facts/facts.h"

struct zone; /* parse/zone.h */
struct csv_map;

enum reader_cut {
	CUT_LINES, /* may be cut at any newline into parts that are fed side by side; header lines
	              only in open's head */
	CUT_ITEMS, /* JSON: cut between items (parse/json_cut.h) into parts that are fed side by
	              side: documents that follow one another, without the lists around them */
	CUT_WHOLE, /* fed once, with the whole input */
};

/* What the user said about how to read this input. */
struct read_options {
	const struct zone *zone; /* for times without a zone; NULL: UTC */
	const struct csv_map *const
	        *maps; /* mapping files that may be tried (read/csv_map.h), most wanted first */
	size_t maps_n;
	struct str run_key;    /* --run-key COLUMN; empty: none */
	struct str input_name; /* for messages and as source */
	struct str node;       /* FILE@node=NAME: the machine, where the file names none; empty: not
	                          said */
	bool has_at;           /* FILE@at=TIME: when a snapshot without a time was taken */
	int64_t at_ms;
};

/* What threads learnt of the form of an input (what a series' labels mean), never what it says, for
   later pieces of this or any later input of one call. Facts are the same without. */
struct read_kept {
	_Atomic(void *) free[THREADS_MAX]; /* those that no thread is using; NULL: none */
	uint32_t inputs;                   /* that were opened with it */
};

static inline void read_kept_drop(struct read_kept *k, void (*forget)(void *one))
{
	for (unsigned i = 0; i < THREADS_MAX; i++) {
		void *one = atomic_exchange(&k->free[i], NULL);
		if (one)
			forget(one);
	}
}

struct read_run {
	const struct read_options *options;
	struct arena *a;        /* lives until after end() */
	struct read_kept *kept; /* of this reader, of its kind in KEPT; NULL: nothing is kept */
	void *state;    /* open's; read-only in feed, which may run on several threads at once */
	size_t body_at; /* set by open: bytes of the input that feed must not see again (header,
	                   BOM) */
	uint64_t body_line; /* set by open: line number of the first fed line, from 1 */
};

struct reader {
	const char *name, *help; /* help: one sentence, says how to make such a file */
	enum reader_cut cut;
	/* 0: not this format; 100: certain. HEAD is the first 64 KiB of the unpacked input, cut
	   anywhere. What a generic reader may also take (any CSV) scores low. */
	int (*recognise)(struct str head, const struct read_options *options);
	enum err_code (*open)(struct read_run *run, struct str head, struct err *err);
	/* BYTES starts at a record's start; LINE is the number of its first line in the input.
	   Adds to f->inputs' last entry: records. */
	enum err_code (*feed)(const struct read_run *run, struct str bytes, uint64_t line,
	                      struct facts *f, struct err *err);
	enum err_code (*end)(const struct read_run *run, struct facts *f,
	                     struct err *err); /* may be NULL */
	/* CUT_LINES only, may be NULL: where at or before AT (the start of a line) a record starts,
	   when records may span lines. */
	size_t (*record_start)(const struct read_run *run, struct str bytes, size_t at);
	void (*forget)(void *one); /* drops one of what is kept; NULL: it keeps nothing */
};

/* The open of readers that want nothing of the head. */
static inline enum err_code reader_open_plain(struct read_run *run, struct str head,
                                              struct err *err)
{
	(void)head, (void)err;
	run->body_line = 1;
	return ERR_OK;
}

/* Written by the build from this folder's listing, in name order; ends with NULL. */
extern const struct reader *const readers[];
