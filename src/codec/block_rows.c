/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/block_rows.h"

#include <assert.h>

_Static_assert(SERIES_ROWS <= BLOCK_ROWS_MAX, "a batch fits a block");

struct block block_of_rows(struct series_rows *rows, uint32_t *pool, uint32_t total)
{
	struct block b = { .rows = rows->n,
		           .t_ms = rows->t_ms,
		           .period_ms = rows->period_ms,
		           .kind = rows->kind,
		           .procs_why = rows->procs_why };
	uint32_t named = 0;
	for (uint32_t i = 0; pool && i < rows->n; i++)
		named |= rows->procs_n[i];
	if (named) {
		b.procs = pool;
		b.procs_total = total;
		b.procs_at = rows->procs_at;
		b.procs_n = rows->procs_n;
	}
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (rows->any & metric_bit(m)) {
			b.v[m] = rows->v[m];
			b.why[m] = rows->why[m];
		}
	return b;
}

struct block block_into_rows(const struct block_info *info, uint64_t want, uint32_t at,
                             struct series_rows *ret)
{
	assert(info->rows <= SERIES_ROWS - at);
	if (!at)
		ret->any = 0;
	ret->n = at + info->rows;
	for (uint64_t left = info->metrics & want & ~ret->any; left;)
		series_column_begin(ret, metric_take(&left), at);
	struct block b = { .rows = info->rows,
		           .t_ms = ret->t_ms + at,
		           .period_ms = ret->period_ms + at,
		           .kind = ret->kind + at,
		           .procs_why = ret->procs_why + at,
		           .procs_at = ret->procs_at + at,
		           .procs_n = ret->procs_n + at };
	for (uint64_t left = ret->any; left;) {
		enum metric_id m = metric_take(&left);
		b.v[m] = ret->v[m] + at;
		b.why[m] = ret->why[m] + at;
	}
	return b;
}
