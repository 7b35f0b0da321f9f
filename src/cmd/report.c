/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "cmd/days.h"
#include "cmd/inputs.h"
#include "cmd/usage.h"
#include "cmd/window.h"
#include "version.h"

struct report_options {
	struct inputs_options in;
	struct window_options window;
	struct words by;
	const struct format *format;
	int64_t top;
	bool matrix, explain, ascii;
};

#define TYPE struct report_options
static const struct option options[] = {
	WINDOW_OPTIONS(TYPE, window),
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
	WINDOW_FORMAT_OPTION(TYPE, format),
	OPTION(FLAG, TYPE, matrix, "matrix", 0, NULL, "Also the GPU-seconds by state and fate."),
	OPTION(FLAG, TYPE, explain, "explain", 0, NULL,
	       "Also every account in exact units, every measure with its formula, every note."),
	INPUTS_OPTIONS(TYPE, in),
	OPTION(FLAG, TYPE, ascii, "ascii", 0, NULL,
	       "Draws with ASCII, as in a locale that is not UTF-8."),
	{ 0 },
};
#undef TYPE

/* Days or hours are cells' edges where they are asked for, and the names of buckets. */
static enum err_code report_build(struct arena *a, const struct report_options *o,
                                  const struct zone *zone, const struct facts *f,
                                  struct group_by *by, struct text *ret, struct err *err)
{
	struct ledger_options lo = LEDGER_OPTIONS_DEFAULT;
	struct ledger l = { 0 };
	struct cost cost;
	enum err_code code;
	if ((code = window_set(&o->window, zone, &lo, err)) ||
	    (code = days_edges(a, zone, f, by, &lo, err)) ||
	    (code = window_ledger(a, f, &lo, &l, &cost, err)))
		return code;
	struct report_input in = { .f = f,
		                   .l = &l,
		                   .c = &cost,
		                   .by = by,
		                   .top = (size_t)o->top,
		                   .matrix = o->matrix,
		                   .explain = o->explain,
		                   .zone = o->in.tz ? zone : NULL,
		                   .zone_name = o->in.tz,
		                   .version = TARE_VERSION,
		                   .flush = window_flush };
	struct format_options screen = window_screen(o->ascii);
	days_name(a, zone, &l, by, &in);
	report_write(report_find(S("waterfall")), o->format, &in, &screen, ret);
	ledger_deinit(&l);
	return ERR_OK;
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
	    (code = window_set(&o->window, zone, &unused, err)) ||
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
	struct report_options o = { .window = WINDOW_OPTIONS_DEFAULT, .top = 10 };
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
	words_deinit(&o.window.counts);
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
