/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * spool: where the samples of all inputs go once there are many (design.md 2). Each time that
 * facts.samples holds more than SPOOL_SAMPLES of them they become blocks, one or more for each
 * device; blocks stay in memory up to SPOOL_BYTES, then all go to one file without a name in
 * $TMPDIR (else /tmp). Read as a series_source: the blocks of a device are merged by time, what
 * came later counts.
 *
 * Memory: the samples of one input while it is read, 40 bytes a block, SPOOL_BYTES, and one batch
 * for each block of a device that meets another one in time.
 */
#include "base/err.h"
#include "facts/facts.h"

struct spool;

struct spool_options {
	size_t samples, bytes; /* for tests; 0: SPOOL_SAMPLES, SPOOL_BYTES */
};

/* F outlives the spool; F.samples are taken from it. */
struct spool *spool_new(struct facts *f, const struct spool_options *o);
/* Takes F's samples if they are many; ALL: or if there is anything in the spool already.
   ERR_SYSTEM: the file cannot be written. */
enum err_code spool_take(struct spool *s, bool all, struct err *err) NODISCARD;
/* F.series becomes the spool, which then belongs to F; with nothing in it, it is dropped. */
void spool_end(struct spool *s);
void spool_drop(struct spool *s);
