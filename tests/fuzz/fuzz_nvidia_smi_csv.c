/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through the reader of nvidia-smi's CSV: no crash; no more rejects than records; every
   reading that is known is in range, and what is not known says why. */
#include <assert.h>

#include "base/limits.h"
#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_nvidia_smi_csv;

static void check(const struct facts *f)
{
	assert(f->inputs.v[0].rejected <= f->inputs.v[0].records);
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[i];
		assert(s->device && s->t_ms != TIME_UNKNOWN);
		for (int m = 0; m < METRIC_COUNT; m++) {
			assert((s->known >> m & 1) == (s->why[m] == WHY_KNOWN));
			assert(!(s->known >> m & 1) || s->v[m] >= 0);
		}
		assert(!(s->known >> METRIC_gpu_util & 1) || s->v[METRIC_gpu_util] <= 100000000);
		assert(s->v[METRIC_power] <= (int64_t)GPU_WATTS_MAX * 1000);
		assert(!(s->known >> METRIC_idle_reason & 1) || s->v[METRIC_idle_reason] <= 1);
	}
	for (size_t i = 0; i < f->capacity.n; i++)
		assert(f->capacity.v[i].device && f->capacity.v[i].from_ms != TIME_UNKNOWN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 1 << 16)
		return 0;
	struct str text = { (const char *)data, size };
	auto_arena a = ARENA_NULL;
	struct read_options o = { .input_name = S("in") };
	struct read_run run = { .options = &o, .a = &a, .body_line = 1 };
	struct err err = { 0 };
	struct facts f;
	int score = reader_nvidia_smi_csv.recognise(text, &o);
	assert(score >= 0 && score <= 100);
	if (reader_nvidia_smi_csv.open(&run, text, &err)) {
		assert(err.code != ERR_OK && err.text[0]);
		return 0;
	}
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("in")) };
	assert(reader_nvidia_smi_csv.feed(&run, text, 1, &f, &err) == ERR_OK);
	check(&f);
	facts_deinit(&f);
	return 0;
}
