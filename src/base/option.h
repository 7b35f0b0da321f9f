/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * option: the command line of one command, from a table.
 *
 *     struct top_options { bool once; const char *sort; int format; int64_t rows; };
 *     static const struct option options[] = {
 *             OPTION(FLAG, struct top_options, once, "once", 0, NULL, "Print one screen and end."),
 *             { .name = "rows", ..., .kind = OPTION_COUNT, .min = 1, .max = 1000 },
 *             { 0 },
 *     };
 *     struct top_options o = { .rows = 20 };                    the defaults
 *     struct words inputs = { 0 };
 *     if (option_parse(options, argc, argv, &o, &inputs, &err)) ...   exit 2
 *
 * Options and words in any order, `--opt=value` or `--opt value`, `-x value`, `-xvalue`, flags
 * together (`-ab`); after `--` everything is a word; `-` is a word. The same table feeds help, man
 * page and completion (cmd/usage.h). Texts are those of argv, not copies.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"
#include "base/vec.h"

enum option_kind {
	OPTION_FLAG,   /* bool */
	OPTION_TEXT,   /* const char *; the last one given holds */
	OPTION_LIST,   /* struct words; may be given again; commas separate */
	OPTION_EACH,   /* struct words; may be given again; taken whole */
	OPTION_CHOICE, /* int: index into choices */
	OPTION_COUNT,  /* int64_t in [min, max] */
	OPTION_TAKE,   /* whatever take() writes (durations, times: parse/ is above this room) */
};

/* Pieces of argv, or commas' parts of them: slices, since a part has no NUL of its own. */
struct words {
	struct str *v;
	size_t n, cap;
};

struct option {
	const char *name; /* without the dashes; NULL ends a table */
	char letter;      /* 0: none */
	enum option_kind kind;
	const char
	        *argument; /* "F", "KEY,..."; NULL for a flag and for a choice (shows its words) */
	size_t offset;     /* of the field in the command's struct */
	const char *help;  /* one or two full sentences */
	const char *const *choices; /* ends with NULL */
	int64_t min, max;
	enum err_code (*take)(void *field, struct str value, struct err *err);
};

#define OPTION(KIND, type, field, long_name, short_letter, argument_name, sentence)              \
	{                                                                                        \
		.name = (long_name), .letter = (short_letter), .kind = OPTION_##KIND,            \
		.argument = (argument_name), .offset = offsetof(type, field), .help = (sentence) \
	}

/* ARGV[0] is the command's name and is not looked at. ERR_USAGE with what is wrong, and a hint
   where a near name exists. RET_WORDS: what is no option; the caller owns both it and the words in
   OPTIONS' fields (words_deinit). */
enum err_code option_parse(const struct option *table, int argc, char **argv, void *options,
                           struct words *ret_words, struct err *err) NODISCARD;
void words_deinit(struct words *w);
#define auto_words __attribute__((cleanup(words_deinit))) struct words

/* How the option is written: "-f, --format text|json". */
void option_write_usage(struct text *t, const struct option *o);
/* Edits (insert, delete, replace, swap of neighbours) between two words; more than 32 bytes: many.
 */
unsigned option_distance(struct str a, struct str b);
/* Remembers in *BEST the NAME nearest to WORD; start with *BEST = NULL. Only names near enough to
   be a slip count: at most 1 edit up to 4 letters, else 2, or WORD is the beginning of NAME. */
void option_nearest(struct str word, const char *name, const char **best);
