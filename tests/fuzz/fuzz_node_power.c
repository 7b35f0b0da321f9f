/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through the readers of machines' power meters: no crash; no more rejects than records;
   every reading has a time and a power that a machine can have. */
#include <assert.h>

#include "account/node_power.h"
#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_ptdaemon, reader_mlperf_power;

static void through(const struct reader *r, struct str text)
{
	auto_arena a = ARENA_NULL;
	struct read_options o = { .input_name = S("in") };
	struct read_run run = { .options = &o, .a = &a };
	struct err err = { 0 };
	struct facts f;
	size_t n;
	int score = r->recognise(text, &o);
	assert(score == 0 || score == 95);
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("in")) };
	assert(r->open(&run, text, &err) == ERR_OK);
	assert(r->feed(&run, text, 1, &f, &err) == ERR_OK && r->end(&run, &f, &err) == ERR_OK);
	assert(f.inputs.v[0].rejected <= f.inputs.v[0].records);
	for (size_t i = 0; i < f.node_power.n; i++) {
		const struct node_power *x = &f.node_power.v[i];
		assert(x->node && x->t_ms >= TIME_MS_MIN && x->t_ms < TIME_MS_MAX);
		assert(x->milliwatts >= 0 && x->milliwatts <= (int64_t)GPU_WATTS_MAX * 1000);
	}
	node_power_sums(&a, &f, (struct span){ 0, TIME_MS_MAX }, &n);
	assert(n == (f.node_power.n > 0));
	facts_deinit(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	through(&reader_ptdaemon, text);
	through(&reader_mlperf_power, text);
	return 0;
}
