/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * crew: threads that read the pieces of one input side by side. Each piece is read into facts of
 * its own, and these are joined in the order of the input, so the result does not depend on the
 * number of threads.
 */
#include "base/err.h"
#include "facts/facts.h"
#include "intake/cut.h"
#include "read/reader.h"

struct crew_options {
	unsigned threads; /* 1 or more */
	/* After each piece; by one thread at a time. May be NULL. */
	void (*on_piece)(void *arg, const struct stream *s);
	void *arg;
};

/* Reads every piece of C into F, whose last input is the one that is read. The first error in the
   order of the input is returned; F then holds what came before it. */
enum err_code crew_read(const struct crew_options *o, struct cut *c, struct facts *f,
                        struct err *err) NODISCARD;

/* Makes FROM, which holds one input, part of the input that F is reading: its counts are added, its
   rejects are kept up to the limit. */
void crew_join(struct facts *f, struct facts *from, struct facts_words *w);
