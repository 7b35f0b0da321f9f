/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of the reader `prices`: no crash, an error or facts that hold together. */
#include <assert.h>

#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_prices;

static void check(const struct facts *f)
{
	for (size_t i = 0; i < f->prices.n; i++) {
		const struct price *p = &f->prices.v[i];
		assert(p->num >= 0 && p->den > 0 && p->currency && p->line);
		assert((int64_t)219 * 1000000000 % p->den == 0); /* so that all have a common one */
	}
	for (size_t i = 0; i < f->other_costs.n; i++) {
		const struct other_cost *c = &f->other_costs.v[i];
		assert(c->num >= 0 && c->den > 0 && c->from_ms < c->to_ms && c->what);
	}
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
	int score = reader_prices.recognise(s, &o);
	assert(score >= 0 && score <= 100);
	assert(reader_prices.open(&run, s, &err) == ERR_OK);
	if (reader_prices.feed(&run, s, 1, &f, &err) == ERR_OK)
		check(&f);
	else
		assert(err.text[0]);
	facts_deinit(&f);
	return 0;
}
