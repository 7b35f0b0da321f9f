/* SPDX-License-Identifier: Apache-2.0 */
#include "account/span.h"

#include <string.h>

uint32_t span_after(const void *spans, size_t size, uint32_t n, int64_t t_ms)
{
	uint32_t lo = 0, hi = n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int64_t to_ms;
		memcpy(&to_ms, (const char *)spans + mid * size + sizeof(int64_t), sizeof to_ms);
		if (to_ms <= t_ms)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int span_time_order(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}
