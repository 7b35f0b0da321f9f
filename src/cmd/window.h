/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * window: the options of every command that builds a ledger: which time, as known when, and how its
 * rules are meant; and the options of what it prints.
 */
#include "account/ledger.h"
#include "base/option.h"
#include "cmd/inputs.h"
#include "parse/zone.h"
#include "report/report.h"

struct window_options {
	const char *since, *until, *as_of;
	struct words counts;
	int kept;
	int64_t setup_max_ms, skew_ms;
};

#define WINDOW_OPTIONS_DEFAULT                                \
	{                                                     \
		.kept = -1, .setup_max_ms = -1, .skew_ms = -1 \
	}

extern const char *const window_kept_words[];
enum err_code window_take_format(void *field, struct str value, struct err *err);

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

#define WINDOW_FORMAT_OPTION(type, member)                                                     \
	{                                                                                      \
		.name = "format", .letter = 'f', .kind = OPTION_TAKE, .argument = "NAME",      \
		.offset = offsetof(type, member), .take = window_take_format,                  \
		.help = "How to write it: text, json ('tare formats' lists all). text if not " \
		        "given."                                                               \
	}

/* Into L: rules and times. ERR_USAGE with the option that is wrong. */
enum err_code window_set(const struct window_options *o, const struct zone *zone,
                         struct ledger_options *l, struct err *err) NODISCARD;
/* The ledger, and the identity once more on the sums that are printed: accounts = paid. */
enum err_code window_ledger(struct arena *a, const struct facts *f, const struct ledger_options *l,
                            struct ledger *ret_ledger, struct cost *ret_cost,
                            struct err *err) NODISCARD;
/* By what stands behind stdout. */
struct format_options window_screen(bool ascii);
/* For report_input.flush: what cannot be written is said once, at the end (usage_print). */
void window_flush(void *arg, struct text *t);
