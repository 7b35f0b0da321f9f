/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * block_rows: a batch of a series as a block, and blocks as a batch. A spool makes blocks of what
 * it has gathered of a device and gives them out again through a series_source.
 */
#include "codec/block.h"
#include "facts/series.h"

/* ROWS as a block to encode, which lends its arrays. Process lists name places in POOL
   (facts.syms), of TOTAL entries; a row whose list is not known has none. NULL: no lists. */
struct block block_of_rows(struct series_rows *rows, uint32_t *pool, uint32_t total);
/* Rows AT and on of RET, where those before are filled, as a block to get the one of INFO into; of
   its metrics those in WANT. The rows' lists are then places in that block's procs. The rows of
   both fit a batch. */
struct block block_into_rows(const struct block_info *info, uint64_t want, uint32_t at,
                             struct series_rows *ret);
