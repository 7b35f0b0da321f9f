/* SPDX-License-Identifier: Apache-2.0 */
#include "account/job_lines.h"

#include "cmd/command.h"
#include "cmd/window.h"

struct jobs_options {
	struct window_options window;
	struct words filters;
	struct job_filter filter; /* what they say */
	int sort;
	struct job_lines lines;
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
	  .offset = offsetof(TYPE, window.top),
	  .min = 0,
	  .max = INT32_MAX,
	  .help = "How many lines (all of them); the rest is one line in text." },
	WINDOW_FORMAT_OPTION(TYPE, window.format),
	WINDOW_OPTIONS(TYPE, window),
	WINDOW_INPUTS_OPTIONS(TYPE, window),
	{ 0 },
};
#undef TYPE

static enum err_code jobs_check(void *options_v, struct err *err)
{
	struct jobs_options *o = options_v;
	for (size_t i = 0; i < o->filters.n; i++)
		if (job_filter_add(&o->filter, o->filters.v[i], err))
			return err_wrap(err, "--filter: ");
	return ERR_OK;
}

static void jobs_fill(struct arena *a, void *options_v, const struct zone *zone,
                      struct report_input *in)
{
	struct jobs_options *o = options_v;
	(void)zone;
	job_lines_build(a, &o->filter, (enum job_order)o->sort, in->l, in->f, in->c, &o->lines);
	in->lines = &o->lines;
}

static void jobs_deinit(void *options_v)
{
	struct jobs_options *o = options_v;
	job_lines_deinit(&o->lines);
	words_deinit(&o->filters);
}

static int jobs_run(int argc, char **argv)
{
	static const struct window_command c = { .name = "jobs",
		                                 .report = "jobs",
		                                 .options = options,
		                                 .check = jobs_check,
		                                 .fill = jobs_fill,
		                                 .deinit = jobs_deinit };
	struct jobs_options o = { .window = WINDOW_OPTIONS_DEFAULT };
	return window_run(&c, argc, argv, &o);
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
