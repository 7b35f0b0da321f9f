/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * traits: one trait of a job, changed. Not for readers: they give all of them at once.
 */
#include "facts/facts.h"

#define SET_TRAIT(f, j, field, ...)                       \
	do {                                              \
		struct job_traits t_ = job_traits(f, j); \
		t_.field = __VA_ARGS__;                   \
		job_set_traits(f, j, &t_);                \
	} while (0)

/* A list of one word. */
static inline struct word_list list_of_one(struct facts *f, const char *word)
{
	const sym one = facts_word(f, str_of(word));
	return traits_list(&f->traits, &one, 1);
}
