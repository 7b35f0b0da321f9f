/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * intake: INPUT... to facts. Opens, unpacks, recognises, cuts into chunks that are read side by
 * side, joins them in input order, takes once what several of them list (same.h), counts what could
 * not be used. Nothing else is decided here.
 *
 * An INPUT is
 *
 *     FILE       plain, gzip, zlib or zstd; what it holds is recognised from content
 *     FOLDER     every regular file in it and in the folders right below it, in name order; hidden
 *                files are left out, what cannot be opened or recognised is skipped, and both
 * counted
 *     -          standard input
 *     ...@tz=Z   any of them, with the zone of its times that have none (Europe/Berlin)
 *
 *     ...@at=T   any of them: when a snapshot that says no time was taken
 *
 * A name that exists is taken as it stands, suffix or not. The facts do not depend on how many
 * threads read them. Memory holds the facts, of which the samples of all but one input are in a
 * spool (spool.h), and a few megabytes a thread, except for formats that are read as one piece
 * (CUT_WHOLE), which hold the unpacked input, up to WHOLE_BYTES_MAX.
 */
#include <stdatomic.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "facts/facts.h"
#include "intake/spool.h"

struct reader;
struct zone;

struct intake_options {
	const struct zone *zone; /* for times without a zone; NULL: UTC */
	const char *const *maps; /* mapping files, or folders of them, most wanted first */
	size_t maps_n;
	const char *as;     /* name of the reader that must take every input; NULL: recognise */
	struct str run_key; /* --run-key COLUMN; empty: none */
	unsigned threads;   /* 0: one for each core that this process may use */
	const atomic_int *interrupted; /* not 0: stop reading, keep what was read; may be NULL */
	/* Called now and then, by one thread at a time. SHARE of all inputs' bytes, -1 where these
	   are not known; INPUT is the one that is being read. May be NULL. */
	void (*on_progress)(void *arg, double share, const char *input);
	void *arg;
	const struct reader *const *readers; /* for tests; NULL: all there are */
	size_t chunk_bytes;                  /* for tests; 0: CHUNK_BYTES */
	size_t whole_bytes_max;              /* for tests; 0: WHOLE_BYTES_MAX */
	struct spool_options spool;          /* for tests; all 0: as it is */
};

/* RET_FACTS is initialised here and, on success, the caller's to deinit. An input that was read in
   part (interrupted, damaged) is no error: facts.inputs says partial. ERR_INPUT: a named input
   cannot be opened or is no known format; ERR_LIMIT, ERR_SYSTEM. */
enum err_code intake_read(const struct intake_options *o, const char *const *inputs, size_t n,
                          struct facts *ret_facts, struct err *err) NODISCARD;

/* How well the inputs could be read, as a code for the exit status: ERR_OK; ERR_REJECTS when one
   per cent or more of an input's records was rejected or an input is damaged; under STRICT
   ERR_INPUT on any reject. ERR says which input in the last two. */
enum err_code intake_status(const struct facts *f, bool strict, struct err *err);

/* The zone of that name (Europe/Berlin) from $TZDIR or the system's zone files, in A; NULL for UTC.
   ERR_USAGE: there is none. */
enum err_code intake_zone(struct arena *a, struct str name, const struct zone **ret_zone,
                          struct err *err) NODISCARD;

/* Whole content of a file that the user names for us (mapping, price list, policy), unpacked, in A.
   "-" is standard input. */
enum err_code intake_slurp(struct arena *a, const char *path, size_t max_bytes, struct str *ret,
                           struct err *err) NODISCARD;
