/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/block_rows.h"

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

uint32_t block_to_rows(const struct block *b, uint32_t from, uint32_t pool_at,
                       struct series_rows *ret)
{
	uint32_t n = from < b->rows ? b->rows - from : 0;
	if (n > SERIES_ROWS)
		n = SERIES_ROWS;
	ret->n = n;
	ret->any = 0;
	if (!n)
		return 0;
	memcpy(ret->t_ms, b->t_ms + from, n * sizeof *b->t_ms);
	memcpy(ret->period_ms, b->period_ms + from, n * sizeof *b->period_ms);
	memcpy(ret->kind, b->kind + from, n);
	memcpy(ret->procs_why, b->procs_why + from, n);
	for (uint32_t i = 0; i < n; i++) {
		ret->procs_n[i] = b->procs_n ? b->procs_n[from + i] : 0;
		ret->procs_at[i] = ret->procs_n[i] ? b->procs_at[from + i] + pool_at : 0;
	}
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (b->v[m]) {
			ret->any |= metric_bit(m);
			memcpy(ret->v[m], b->v[m] + from, n * sizeof *b->v[m]);
			memcpy(ret->why[m], b->why[m] + from, n);
		}
	return n;
}
