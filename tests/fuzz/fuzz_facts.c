/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "facts/document.h"
#include "read/reader.h"

extern const struct reader reader_facts;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(struct facts *f, struct str bytes)
{
	struct read_options options = { .input_name = S("fuzz") };
	struct read_run run = { .options = &options };
	struct err err = { 0 };
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("fuzz")) };
	if (!reader_facts.open(&run, bytes, &err))
		(void)reader_facts.feed(&run, bytes, 1, f, &err);
}

/* What is read can be written, and read again without a reject. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct facts f, again;
	auto_text first = TEXT_NULL, second = TEXT_NULL;
	reader_facts.recognise(bytes, NULL);
	feed(&f, bytes);
	document_write(&first, &f);
	feed(&again, text_str(&first));
	document_write(&second, &again);
	if (again.rejects.n || again.jobs.n != f.jobs.n ||
	    !str_eq(text_str(&first), text_str(&second)))
		abort();
	facts_deinit(&f);
	facts_deinit(&again);
	return 0;
}
