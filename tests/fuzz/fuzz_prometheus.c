/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/samples.h"

extern const struct reader reader_prometheus;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What two pieces come to. */
static void feed_cut(struct facts *f, struct str bytes)
{
	auto_arena a = ARENA_NULL;
	struct read_options options = { .input_name = S("fuzz") };
	struct read_run run = { .options = &options, .a = &a };
	struct err err = { 0 };
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("fuzz")) };
	reader_prometheus.open(&run, bytes, &err);
	bytes = str_sub(bytes, run.body_at, bytes.n);
	const char *newline =
	        bytes.n ? memchr(bytes.p + bytes.n / 2, '\n', bytes.n - bytes.n / 2) : NULL;
	size_t at = newline ? (size_t)(newline - bytes.p) + 1 : bytes.n;
	if (newline && at < bytes.n)
		at = reader_prometheus.record_start(&run, bytes, at);
	if (at)
		reader_prometheus.feed(&run, str_sub(bytes, 0, at), 1, f, &err);
	if (at < bytes.n)
		reader_prometheus.feed(&run, str_sub(bytes, at, bytes.n), 1, f, &err);
	reader_prometheus.end(&run, f, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct facts whole, cut;
	samples_fuzz(&reader_prometheus, bytes);
	samples_feed(&reader_prometheus, &whole, bytes);
	feed_cut(&cut, bytes);
	if (whole.samples.n != cut.samples.n || whole.jobs.n != cut.jobs.n ||
	    whole.allocations.n != cut.allocations.n || whole.devices.n != cut.devices.n ||
	    whole.capacity.n != cut.capacity.n ||
	    whole.inputs.v[0].records != cut.inputs.v[0].records ||
	    whole.inputs.v[0].rejected != cut.inputs.v[0].rejected)
		abort();
	facts_deinit(&whole);
	facts_deinit(&cut);
	return 0;
}
