/* SPDX-License-Identifier: Apache-2.0 */
#include "account/depth_terms.h"

/* Means are most of them: numbers that are added up as they are. False: too wide for 64 bits. */
static bool means_add(const struct cover *c, uint32_t n, const int64_t *v, const uint8_t *why,
                      struct depth_sum *sum)
{
	int64_t num = 0, ms_sum = 0, min = INT64_MAX, max = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		int64_t ms = c[i].t_ms - c[i].from_ms, a = v[i];
		bool counts = why[i] == WHY_KNOWN && a >= 0 && a <= READING_MAX;
		if (!counts)
			continue;
		if (a >= INT64_C(1) << 40 || ms >= 1 << 12)
			return false;
		min = a < min ? a : min;
		max = a > max ? a : max;
		num += a * ms;
		ms_sum += ms;
	}
	if (!ms_sum)
		return true;
	sum->min = !sum->units || min < sum->min ? min : sum->min;
	sum->max = !sum->units || max > sum->max ? max : sum->max;
	sum->num += num, sum->den += ms_sum, sum->units += ms_sum;
	return true;
}

static void term_rows_add(const struct chip *chip, const struct cover *c, uint32_t n,
                          const struct depth_info *d, struct depth_sum *sum)
{
	const struct series_rows *r = c->rows;
	uint32_t at = c->at;
	const int64_t *a = r->v[d->a] + at, *b = r->v[d->b] + at;
	const uint8_t *why_a = r->why[d->a] + at, *why_b = r->why[d->b] + at;
	struct term t;
	if (d->kind == DEPTH_MEAN && means_add(c, n, a, why_a, sum))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (why_a[i] == WHY_KNOWN && why_b[i] == WHY_KNOWN &&
		    term_from(chip, d, a[i], b[i], &t))
			term_add(sum, &t, c[i].t_ms - c[i].from_ms);
}

void terms_add(const struct chip *chip, const struct cover *c, uint32_t n, struct depth_sum *sums)
{
	uint64_t any = c->rows->any;
	for (int i = 0; i < DEPTH_COUNT; i++)
		if (any >> depths[i].a & any >> depths[i].b & 1)
			term_rows_add(chip, c, n, &depths[i], &sums[i]);
}
