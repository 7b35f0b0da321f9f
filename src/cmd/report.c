/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/command.h"
#include "cmd/days.h"
#include "cmd/steps.h"
#include "cmd/window.h"

struct report_options {
	struct window_options window;
	struct words words;
	struct group_by by; /* what they say */
	bool matrix, explain;
};

#define TYPE struct report_options
static const struct option options[] = {
	WINDOW_OPTIONS(TYPE, window),
	OPTION(LIST, TYPE, words, "by", 0, "KEY,...",
	       "Also groups: cluster node pool model uuid job run user team queue kind service "
	       "outcome "
	       "basis day hour account state fate evidence label:NAME."),
	{ .name = "top",
	  .kind = OPTION_COUNT,
	  .argument = "N",
	  .offset = offsetof(TYPE, window.top),
	  .min = 0,
	  .max = 1000000,
	  .help = "Groups shown to people, largest first (10); 0: all of them." },
	WINDOW_FORMAT_OPTION(TYPE, window.format),
	WINDOW_AGAINST_OPTION(TYPE, window),
	OPTION(FLAG, TYPE, matrix, "matrix", 0, NULL, "Also the GPU-seconds by state and fate."),
	OPTION(FLAG, TYPE, explain, "explain", 0, NULL,
	       "Also every account in exact units, every measure with its formula, every note."),
	WINDOW_INPUTS_OPTIONS(TYPE, window),
	{ 0 },
};
#undef TYPE

static enum err_code report_check(void *options_v, struct err *err)
{
	struct report_options *o = options_v;
	for (size_t i = 0; i < o->words.n; i++)
		if (group_by_add(&o->by, o->words.v[i], err))
			return err_wrap(err, "--by: ");
	return ERR_OK;
}

static bool draws(const struct report_options *o)
{
	return o->window.format >= 0 && formats[o->window.format]->draws;
}

/* Days or hours are cells' edges where they are asked for, and the names of buckets. */
static enum err_code report_edges(struct arena *a, void *options_v, const struct zone *zone,
                                  const struct facts *f, struct ledger_options *l, struct err *err)
{
	struct report_options *o = options_v;
	if (draws(o))
		steps_cut(a, zone, l);
	return days_edges(a, zone, f, &o->by, l, err);
}

static void report_fill(struct arena *a, void *options_v, const struct zone *zone,
                        struct report_input *in)
{
	struct report_options *o = options_v;
	in->by = &o->by;
	in->matrix = o->matrix;
	in->explain = o->explain;
	days_name(a, zone, in->l, &o->by, in);
	if (draws(o))
		steps_name(a, zone, in->l, in);
}

static void report_deinit(void *options_v)
{
	struct report_options *o = options_v;
	words_deinit(&o->words);
}

static int report_run(int argc, char **argv)
{
	static const struct window_command c = { .name = "report",
		                                 .report = "waterfall",
		                                 .options = options,
		                                 .check = report_check,
		                                 .edges = report_edges,
		                                 .fill = report_fill,
		                                 .deinit = report_deinit };
	struct report_options o = { .window = WINDOW_OPTIONS_DEFAULT };
	o.window.top = 10;
	return window_run(&c, argc, argv, &o);
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
