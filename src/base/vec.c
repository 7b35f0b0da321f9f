/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

void *vec_grow(void *v, size_t *cap, size_t n, size_t more, size_t size)
{
	if (more <= *cap - n)
		return v;
	size_t want = *cap < 8 ? 8 : *cap + *cap / 2;
	if (want < n + more)
		want = n + more;
	v = mem_resize(v, mem_times(want, size));
	*cap = want;
	return v;
}
