/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * window: what every command that builds a ledger shares: its options (the inputs; which time, as
 * known when, and how the rules are meant; what is printed), and the way from them to the report.
 */
#include "account/ledger.h"
#include "base/option.h"
#include "cmd/inputs.h"
#include "parse/zone.h"
#include "report/report.h"

struct window_options {
	struct inputs_options in;
	const char *since, *until, *as_of;
	struct words counts;
	int kept, format; /* format: index into formats; -1: text */
	int against;      /* -1: not asked for */
	int64_t setup_max_ms, skew_ms, top;
	bool ascii;
};

#define WINDOW_OPTIONS_DEFAULT                                                             \
	{                                                                                  \
		.kept = -1, .format = -1, .against = -1, .setup_max_ms = -1, .skew_ms = -1 \
	}

extern const char *const window_kept_words[], *const window_against_words[];

/* Of commands whose report compares windows. */
#define WINDOW_AGAINST_OPTION(type, member)                                                  \
	{                                                                                    \
		.name = "against", .kind = OPTION_CHOICE,                                    \
		.offset = offsetof(type, member.against), .choices = window_against_words,   \
		.help = "Also the window of the same length right before: what it was, and " \
		        "where the difference went."                                         \
	}

#define WINDOW_OPTIONS(type, member)                                                           \
	OPTION(TEXT, type, member.since, "since", 0, "T",                                      \
	       "The window's start: a date, RFC 3339, or back from now: -7d."),                \
	        OPTION(TEXT, type, member.until, "until", 0, "T",                              \
	               "The window's end, which is not part of it."),                          \
	        OPTION(TEXT, type, member.as_of, "as-of", 0, "T",                              \
	               "What was known then; facts after it are not seen. The newest fact if " \
	               "not given."),                                                          \
	        { .name = "kept",                                                              \
		  .kind = OPTION_CHOICE,                                                       \
		  .offset = offsetof(type, member.kept),                                       \
		  .choices = window_kept_words,                                                \
		  .help = "Which checkpoints keep the work of an attempt that did not "        \
		          "complete." },                                                       \
	        OPTION(EACH, type, member.counts, "count", 0, "FATE=FATE",                     \
	               "Counts one fate as another: timeout=lost. May be given again."),       \
	        { .name = "skew",                                                              \
		  .kind = OPTION_TAKE,                                                         \
		  .argument = "S",                                                             \
		  .offset = offsetof(type, member.skew_ms),                                    \
		  .take = inputs_take_duration,                                                \
		  .help = "How far clocks may differ at an allocation's edges (5s)." },        \
	{                                                                                      \
		.name = "setup-max", .kind = OPTION_TAKE, .argument = "D",                     \
		.offset = offsetof(type, member.setup_max_ms), .take = inputs_take_duration,   \
		.help = "How long an allocation may be in setup (10m)."                        \
	}

#define WINDOW_FORMAT_OPTION(type, member)                                                   \
	{                                                                                    \
		.name = "format", .letter = 'f', .kind = OPTION_CHOICE,                      \
		.offset = offsetof(type, member), .choices = format_names,                   \
		.help = "How to write it ('tare formats' tells of each). text if not given." \
	}

#define WINDOW_INPUTS_OPTIONS(type, member)                        \
	INPUTS_OPTIONS(type, member.in),                           \
	        OPTION(FLAG, type, member.ascii, "ascii", 0, NULL, \
	               "Draws with ASCII, as in a locale that is not UTF-8.")

/* What a command adds. O is its struct of options, whose first member is its window_options. */
struct window_command {
	const char *name, *report; /* report: by its name (report/report.h) */
	const struct option *options;
	/* Words to what they mean; what is wrong is said before hours of reading. */
	enum err_code (*check)(void *o, struct err *err);
	/* Further edges of the ledger's buckets; may be NULL. */
	enum err_code (*edges)(struct arena *a, void *o, const struct zone *zone,
	                       const struct facts *f, struct ledger_options *l, struct err *err);
	/* What the report needs beside the ledger. */
	void (*fill)(struct arena *a, void *o, const struct zone *zone, struct report_input *in);
	void (*deinit)(void *o);
};
/* Parses, reads, builds the ledger, and prints the report; the exit status. */
int window_run(const struct window_command *c, int argc, char **argv, void *o);
