/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a resource string, a length of time, a time, a time zone file, a row to be split. */
#include <assert.h>

#include "base/limits.h"
#include "parse/duration.h"
#include "parse/split.h"
#include "parse/tres.h"
#include "parse/when.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_words(struct str s)
{
	struct tres_counts c;
	int64_t ms = 0;
	if (tres_parse(s, NULL, 0, &c) == TRES_OK)
		assert(c.gpus <= GPUS_MAX && c.instances <= GPUS_MAX);
	if (duration_parse(s, &ms) == DURATION_OK)
		assert(ms >= 0);
	if (duration_parse_slurm(s, &ms) == DURATION_OK)
		assert(ms >= 0);
}

/* What is read as a time prints as one that reads the same. */
static void fuzz_when(struct str s)
{
	int64_t ms, again;
	if (when_parse(s, NULL, &ms) != WHEN_OK)
		return;
	auto_text t = TEXT_NULL;
	when_print(&t, ms);
	enum when w = when_parse(text_str(&t), NULL, &again);
	assert(w == WHEN_UNKNOWN || (w == WHEN_OK && again == ms) || when_civil(ms).year < 1 ||
	       when_civil(ms).year > 9999);
}

static void fuzz_zone(struct str s)
{
	auto_arena a = ARENA_NULL;
	struct zone z;
	struct err err;
	if (zone_parse(&a, s, &z, &err))
		return;
	for (int64_t t = -5000000000; t < 8000000000; t += 400000000) {
		int64_t utc;
		int32_t offset = zone_offset(&z, t);
		assert(offset > -200000 && offset < 200000);
		enum zone_answer answer = zone_to_utc(&z, t, &utc);
		assert(answer == ZONE_GAP || utc + zone_offset(&z, utc) == t);
	}
}

static void fuzz_split(struct str s)
{
	if (s.n > 4096)
		return;
	uint32_t a[4096 + SPLIT_SLACK], b[4096 + SPLIT_SLACK];
	size_t n = split_find(s, '|', '\n', a);
	assert(n == split_find_plain(s, '|', '\n', b));
	assert(!n || memcmp(a, b, n * sizeof *a) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { (const char *)data, size };
	if (size > 1 << 16)
		return 0;
	fuzz_words(s);
	fuzz_when(s);
	fuzz_zone(s);
	fuzz_split(s);
	return 0;
}
