/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a list of hosts: as many names are made as were counted, none of them empty. */
#include <assert.h>

#include "base/hostlist.h"
#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *context, struct str name)
{
	uint32_t *n = context;
	assert(name.n && name.n <= NAME_BYTES_MAX);
	(*n)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { (const char *)data, size };
	uint32_t n = 0, made = 0;
	enum hostlist answer = hostlist_count(s, &n);
	assert(n <= HOSTLIST_MAX);
	if (answer != HOSTLIST_OK || n > 10000)
		return 0;
	if (hostlist_each(s, count, &made) == HOSTLIST_OK)
		assert(made == n);
	return 0;
}
