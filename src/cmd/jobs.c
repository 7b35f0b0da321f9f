/* SPDX-License-Identifier: Apache-2.0 */
#include "account/job_lines.h"

#include "cmd/inputs.h"
#include "cmd/usage.h"
#include "cmd/window.h"
#include "version.h"

struct jobs_options {
	struct inputs_options in;
	struct window_options window;
	struct words filters;
	const struct format *format;
	int64_t top;
	int sort;
	bool ascii;
};

#define TYPE struct jobs_options
static const struct option options[] = {
	{ .name = "sort",
	  .kind = OPTION_CHOICE,
	  .offset = offsetof(TYPE, sort),
	  .choices = job_order_names,
	  .help = "What the lines are ordered by: amounts largest first (allocated if not "
	          "given)." },
	OPTION(EACH, TYPE, filters, "filter", 0, "KEY=VALUE,...",
	       "Only what has one of these values; KEY is one of report --by. With model, node and "
	       "the like only that part of a job counts. May be given again for other keys: all "
	       "must hold."),
	{ .name = "top",
	  .kind = OPTION_COUNT,
	  .argument = "N",
	  .offset = offsetof(TYPE, top),
	  .min = 0,
	  .max = INT32_MAX,
	  .help = "How many lines (all of them); the rest is one line in text." },
	WINDOW_FORMAT_OPTION(TYPE, format),
	WINDOW_OPTIONS(TYPE, window),
	INPUTS_OPTIONS(TYPE, in),
	OPTION(FLAG, TYPE, ascii, "ascii", 0, NULL,
	       "Draws with ASCII, as in a locale that is not UTF-8."),
	{ 0 },
};
#undef TYPE

static enum err_code jobs_build(const struct jobs_options *o, const struct job_filter *filter,
                                const struct zone *zone, const struct facts *f, struct text *ret,
                                struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct ledger_options lo = LEDGER_OPTIONS_DEFAULT;
	const struct group_by none = { 0 };
	struct ledger l;
	struct cost cost;
	struct job_lines lines;
	enum err_code code = window_set(&o->window, zone, &lo, err);
	if (code || (code = window_ledger(&a, f, &lo, &l, &cost, err)))
		return code;
	job_lines_build(&a, filter, (enum job_order)o->sort, &l, f, &cost, &lines);
	struct report_input in = { .f = f,
		                   .l = &l,
		                   .c = &cost,
		                   .by = &none,
		                   .top = (size_t)o->top,
		                   .lines = &lines,
		                   .zone = o->in.tz ? zone : NULL,
		                   .zone_name = o->in.tz,
		                   .version = TARE_VERSION,
		                   .flush = window_flush };
	struct format_options screen = window_screen(o->ascii);
	report_write(report_find(S("jobs")), o->format, &in, &screen, ret);
	job_lines_deinit(&lines);
	ledger_deinit(&l);
	return ERR_OK;
}

/* What is wrong on the command line is said before hours of reading. */
static enum err_code jobs_make(const struct jobs_options *o, const struct words *inputs,
                               struct text *ret, int *ret_status, struct err *err)
{
	auto_arena a = ARENA_NULL;
	const struct zone *zone;
	struct job_filter filter = { 0 };
	struct ledger_options unused = LEDGER_OPTIONS_DEFAULT;
	struct facts f;
	enum err_code code;
	for (size_t i = 0; i < o->filters.n; i++)
		if ((code = job_filter_add(&filter, o->filters.v[i], err)))
			return err_wrap(err, "--filter: ");
	if ((code = inputs_zone(&a, &o->in, &zone, err)) ||
	    (code = window_set(&o->window, zone, &unused, err)) ||
	    (code = inputs_read(&o->in, zone, inputs, &f, err)))
		return code;
	code = jobs_build(o, &filter, zone, &f, ret, err);
	if (!code)
		*ret_status = inputs_status("jobs", &o->in, &f);
	facts_deinit(&f);
	return code;
}

static int jobs_run(int argc, char **argv)
{
	struct jobs_options o = { .window = WINDOW_OPTIONS_DEFAULT };
	auto_words inputs = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	int status = 0;
	o.format = format_find(S("text"));
	enum err_code code = option_parse(options, argc, argv, &o, &inputs, &err);
	if (!code)
		code = jobs_make(&o, &inputs, &t, &status, &err);
	inputs_options_deinit(&o.in);
	words_deinit(&o.filters);
	words_deinit(&o.window.counts);
	if (code) {
		usage_complain("jobs", &err);
		return err_exit_status(code);
	}
	int printed = usage_print(&t);
	return printed ? printed : status;
}

static const struct command_example examples[] = {
	{ "tare jobs examples/cluster-month --top 20",
	  "The twenty jobs that held the most GPU time, and the rest in one line.", 0 },
	{ "tare jobs examples/cluster-month --filter outcome=failed,node_failed --sort cost "
	  "--format "
	  "json",
	  "What the failed jobs cost, dearest first, for a program.", 0 },
	{ 0 },
};

const struct command command_jobs = {
	.name = "jobs",
	.summary = "One line a job: what it was given, what its GPUs did, cost and outcome.",
	.arguments = "INPUT...",
	.help = "Reads the inputs as 'tare report' does and prints the allocated time of each job: "
	        "how much of it the GPUs were active, how much they were stalled (a program held "
	        "them and did nothing) or vacant (no program), what it cost, and how the job "
	        "ended. Where not all of the time was seen the shares are bands.\n\n"
	        "An attempt is a line. Time of devices that no scheduler spoke of is the line "
	        "'unscheduled'.",
	.options = options,
	.examples = examples,
	.run = jobs_run,
};
