/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of the reader `policy`: no crash, an error or facts that hold together. */
#include <assert.h>

#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_policy;

static void check(const struct facts *f)
{
	assert(f->has_policy);
	for (size_t i = 0; i < f->reserves.n; i++) {
		const struct reserve *r = &f->reserves.v[i];
		assert(r->gpus && r->jobs_at + r->jobs_n <= f->syms.n);
		assert(r->is_reservation == (r->name != 0));
	}
	for (int i = 0; i < FATE_COUNT; i++)
		assert(f->options.count[i] >= -1 && f->options.count[i] < FATE_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { (const char *)data, size };
	auto_arena a = ARENA_NULL;
	struct read_options o = { .input_name = S("in") };
	struct read_run run = { .options = &o, .a = &a };
	struct err err = { 0 };
	struct facts f;
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("in")) };
	int score = reader_policy.recognise(s, &o);
	assert(score >= 0 && score <= 100);
	assert(reader_policy.open(&run, s, &err) == ERR_OK);
	if (reader_policy.feed(&run, s, 1, &f, &err) == ERR_OK)
		check(&f);
	else
		assert(err.text[0]);
	facts_deinit(&f);
	return 0;
}
