/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/limits.h"
#include "cmd/days.h"
#include "cmd/inputs.h"
#include "cmd/usage.h"
#include "version.h"

struct report_options {
	struct inputs_options in;
	const char *since, *until, *as_of;
	struct words by, counts;
	const struct format *format;
	int kept;
	int64_t setup_max_ms, skew_ms, top;
	bool matrix, explain, ascii;
};

static const char *const kept_words[] = { "restored", "saved", NULL };

static enum err_code take_format(void *field, struct str value, struct err *err)
{
	const char *near = NULL;
	const struct format *f = format_find(value);
	if (f) {
		*(const struct format **)field = f;
		return ERR_OK;
	}
	for (size_t i = 0; formats[i]; i++)
		option_nearest(value, formats[i]->name, &near);
	return err_set(err, ERR_USAGE, "there is no format '%.*s'%s%s%s", STR_FMT(value),
	               near ? "\nhint: did you mean '" : "\nhint: 'tare formats' lists them",
	               near ? near : "", near ? "'?" : "");
}

#define TYPE struct report_options
static const struct option options[] = {
	OPTION(TEXT, TYPE, since, "since", 0, "T",
	       "The window's start: a date, RFC 3339, or back from now: -7d."),
	OPTION(TEXT, TYPE, until, "until", 0, "T", "The window's end, which is not part of it."),
	OPTION(TEXT, TYPE, as_of, "as-of", 0, "T",
	       "What was known then; facts after it are not seen. The newest fact if not given."),
	OPTION(LIST, TYPE, by, "by", 0, "KEY,...",
	       "Also groups: cluster node pool model uuid job run user team queue kind service "
	       "outcome "
	       "basis day hour account state fate evidence label:NAME."),
	{ .name = "top",
	  .kind = OPTION_COUNT,
	  .argument = "N",
	  .offset = offsetof(TYPE, top),
	  .min = 0,
	  .max = 1000000,
	  .help = "Groups shown in text, largest first (10); 0: all of them." },
	{ .name = "format",
	  .letter = 'f',
	  .kind = OPTION_TAKE,
	  .argument = "NAME",
	  .offset = offsetof(TYPE, format),
	  .take = take_format,
	  .help = "How to write it: text, json ('tare formats' lists all). text if not given." },
	OPTION(FLAG, TYPE, matrix, "matrix", 0, NULL, "Also the GPU-seconds by state and fate."),
	OPTION(FLAG, TYPE, explain, "explain", 0, NULL,
	       "Also every account in exact units, every measure with its formula, every note."),
	INPUTS_OPTIONS(TYPE, in),
	{ .name = "kept",
	  .kind = OPTION_CHOICE,
	  .offset = offsetof(TYPE, kept),
	  .choices = kept_words,
	  .help = "Which checkpoints keep the work of an attempt that did not complete." },
	OPTION(EACH, TYPE, counts, "count", 0, "FATE=FATE",
	       "Counts one fate as another: timeout=lost. May be given again."),
	{ .name = "skew",
	  .kind = OPTION_TAKE,
	  .argument = "S",
	  .offset = offsetof(TYPE, skew_ms),
	  .take = inputs_take_duration,
	  .help = "How far clocks may differ at an allocation's edges (5s)." },
	{ .name = "setup-max",
	  .kind = OPTION_TAKE,
	  .argument = "D",
	  .offset = offsetof(TYPE, setup_max_ms),
	  .take = inputs_take_duration,
	  .help = "How long an allocation may be in setup (10m)." },
	OPTION(FLAG, TYPE, ascii, "ascii", 0, NULL,
	       "Draws with ASCII, as in a locale that is not UTF-8."),
	{ 0 },
};
#undef TYPE

static enum err_code set_counts(const struct words *counts, struct ledger_options *l,
                                struct err *err)
{
	for (size_t i = 0; i < counts->n; i++) {
		struct str to = counts->v[i], from;
		str_cut(&to, '=', &from);
		int a = fate_find(from), b = fate_find(to);
		if (a <= FATE_NONE || b <= FATE_NONE)
			return err_set(err, ERR_USAGE,
			               "--count takes FATE=FATE (timeout=lost), not '%.*s'",
			               STR_FMT(counts->v[i]));
		l->count[a] = (int8_t)b;
	}
	return ERR_OK;
}

static enum err_code set_times(const struct report_options *o, const struct zone *zone,
                               struct ledger_options *l, struct err *err)
{
	enum err_code code;
	if ((code = inputs_time("since", o->since, zone, &l->window.from_ms, err)) ||
	    (code = inputs_time("until", o->until, zone, &l->window.to_ms, err)) ||
	    (code = inputs_time("as-of", o->as_of, zone, &l->as_of_ms, err)))
		return code;
	if (l->window.from_ms != TIME_UNKNOWN && l->window.to_ms != TIME_UNKNOWN &&
	    l->window.from_ms >= l->window.to_ms)
		return err_set(err, ERR_USAGE, "--since is not before --until");
	return ERR_OK;
}

static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *z = getenv(names[i]);
		if (!z || !*z)
			continue;
		struct str s = str_of(z);
		for (size_t k = 0; k < s.n; k++)
			if (str_starts_nocase(str_sub(s, k, s.n), S("utf-8")) ||
			    str_starts_nocase(str_sub(s, k, s.n), S("utf8")))
				return true;
		return false; /* the first that is set decides */
	}
	return false;
}

static struct format_options screen_options(const struct report_options *o)
{
	struct format_options f = { .width = 100, .ascii = o->ascii || !locale_is_utf8() };
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;
	if (isatty(STDOUT_FILENO) != 1)
		return f;
	f.colour = !(no_color && *no_color) && !(term && str_eq(str_of(term), S("dumb")));
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		f.width = size.ws_col < 80 ? 80 : size.ws_col > 120 ? 120 : size.ws_col;
	return f;
}

/* The identity, once more and on the sums that are printed: accounts = paid. */
static enum err_code check_identity(const struct ledger *l, const struct facts *f, struct err *err)
{
	struct sums s = { 0 };
	i128 sum = 0;
	sums_of_ledger(&s, l, f);
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		sum += s.accounts[i];
	if (sum != s.paid || s.paid != l->paid_units)
		return err_set(err, ERR_IDENTITY, "the accounts do not add up to what was paid");
	return ERR_OK;
}

/* What cannot be written is said once, at the end (usage_print looks at the stream's error). */
static void flush_text(void *arg, struct text *t)
{
	(void)arg;
	if (!ferror(stdout))
		fwrite(t->p, 1, t->n, stdout);
	t->n = 0;
}

/* Days or hours are cells' edges where they are asked for, and the names of buckets. */
static enum err_code report_build(struct arena *a, const struct report_options *o,
                                  const struct zone *zone, const struct facts *f,
                                  struct group_by *by, struct text *ret, struct err *err)
{
	struct ledger_options lo = LEDGER_OPTIONS_DEFAULT;
	struct ledger l = { 0 };
	struct cost cost;
	enum err_code code;
	lo.setup_max_ms = o->setup_max_ms;
	lo.skew_ms = o->skew_ms;
	lo.kept_saved = o->kept;
	if ((code = set_counts(&o->counts, &lo, err)) || (code = set_times(o, zone, &lo, err)) ||
	    (code = days_edges(a, zone, f, by, &lo, err)) ||
	    (code = ledger_build(a, f, &lo, &l, err)))
		return code;
	code = check_identity(&l, f, err);
	if (!code)
		code = cost_build(a, &l, f, &cost, err);
	if (!code) {
		struct report_input in = { .f = f,
			                   .l = &l,
			                   .c = &cost,
			                   .by = by,
			                   .top = (size_t)o->top,
			                   .matrix = o->matrix,
			                   .explain = o->explain,
			                   .version = TARE_VERSION,
			                   .flush = flush_text };
		struct format_options screen = screen_options(o);
		days_name(a, zone, &l, by, &in);
		report_write(report_find(S("waterfall")), o->format, &in, &screen, ret);
	}
	ledger_deinit(&l);
	return code;
}

static enum err_code report_make(const struct report_options *o, const struct words *inputs,
                                 struct text *ret, int *ret_status, struct err *err)
{
	auto_arena a = ARENA_NULL;
	const struct zone *zone;
	struct group_by by = { 0 };
	struct ledger_options unused = LEDGER_OPTIONS_DEFAULT;
	struct facts f;
	enum err_code code;
	for (size_t i = 0; i < o->by.n; i++)
		if ((code = group_by_add(&by, o->by.v[i], err)))
			return err_wrap(err, "--by: ");
	/* What is wrong on the command line is said before hours of reading. */
	if ((code = inputs_zone(&a, &o->in, &zone, err)) ||
	    (code = set_counts(&o->counts, &unused, err)) ||
	    (code = set_times(o, zone, &unused, err)) ||
	    (code = inputs_read(&o->in, zone, inputs, &f, err)))
		return code;
	code = report_build(&a, o, zone, &f, &by, ret, err);
	if (!code)
		*ret_status = inputs_status("report", &o->in, &f);
	facts_deinit(&f);
	return code;
}

static int report_run(int argc, char **argv)
{
	struct report_options o = { .kept = -1, .setup_max_ms = -1, .skew_ms = -1, .top = 10 };
	auto_words inputs = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	int status = 0;
	o.format = format_find(S("text"));
	enum err_code code = option_parse(options, argc, argv, &o, &inputs, &err);
	if (!code)
		code = report_make(&o, &inputs, &t, &status, &err);
	inputs_options_deinit(&o.in);
	words_deinit(&o.by);
	words_deinit(&o.counts);
	if (code) {
		usage_complain("report", &err);
		return err_exit_status(code);
	}
	int printed = usage_print(&t);
	return printed ? printed : status;
}

static const struct command_example examples[] = {
	{ "tare report examples/cluster-month/sacct.txt examples/cluster-month/nodes.txt",
	  "Where the GPU time of a cluster went, by its accounting dump and its nodes.", 0 },
	{ "tare report examples/cluster-month --price examples/cluster-month/prices.yaml --by team",
	  "The same of everything in a folder, with what it cost, also by team.", 0 },
	{ "zcat -f examples/cluster-month/sacct.txt | tare report - --since 2026-10-12 --until "
	  "2026-10-19 --by user,outcome --format json",
	  "One week of what comes in on standard input, for a program.", 0 },
	{ "tare report tests/fixtures/report/training.json --matrix --explain",
	  "Every number with its formula, its exact units, and what it rests on.", 0 },
	{ 0 },
};

const struct command command_report = {
	.name = "report",
	.summary = "Where every paid GPU-second went: from paid down to productive, with what it "
	           "cost.",
	.arguments = "INPUT...",
	.help = "Reads the inputs (files, plain or compressed; folders; - for standard input; the "
	        "format is recognised), books every GPU-second that is paid for into exactly one "
	        "account, and prints the accounts, their cost, and what would shrink them. Time "
	        "that "
	        "nobody observed makes bands, never zeros.",
	.options = options,
	.examples = examples,
	.run = report_run,
};
