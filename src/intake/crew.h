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

struct crew; /* what threads work in, kept from input to input */

struct crew *crew_new(unsigned threads); /* 1 to THREADS_MAX */
void crew_free(struct crew *c);          /* NULL: nothing */

struct crew_input {
	struct cut *cut;
	/* After each piece; by one thread at a time. May be NULL. */
	void (*on_piece)(void *arg, const struct stream *s);
	void *arg;
};

/* Reads every piece of IN into F, whose last input is the one that is read. The first error in the
   order of the input is returned; F then holds what came before it. */
enum err_code crew_read(struct crew *c, const struct crew_input *in, struct facts *f,
                        struct err *err) NODISCARD;

/* Makes FROM, which holds one input, part of the input that F is reading: its counts are added, its
   rejects are kept up to the limit. */
void crew_join(struct facts *f, struct facts *from, struct facts_words *w);
