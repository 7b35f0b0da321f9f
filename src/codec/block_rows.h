/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * block_rows: a batch of a series as a block, and a block as batches. A spool makes blocks of what
 * it has gathered of a device and gives them out again through a series_source.
 */
#include "codec/block.h"
#include "facts/series.h"

/* ROWS as a block to encode, which lends its arrays. Process lists name places in POOL
   (facts.syms), of TOTAL entries; a row whose list is not known has none. NULL: no lists. */
struct block block_of_rows(struct series_rows *rows, uint32_t *pool, uint32_t total);
/* The rows of the decoded B from FROM on, as many as a batch holds: how many, 0 at the end. B has
   all its arrays (block_alloc). POOL_AT: where b->procs stands in the pool that the rows name. */
uint32_t block_to_rows(const struct block *b, uint32_t from, uint32_t pool_at,
                       struct series_rows *ret);
