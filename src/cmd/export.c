/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/inputs.h"
#include "cmd/usage.h"
#include "facts/document.h"
#include "facts/series.h"

static const char *const formats[] = { "facts", NULL };

struct export_options {
	int format;
	struct inputs_options inputs;
};

static const struct option options[] = {
	{ .name = "format",
	  .letter = 'f',
	  .kind = OPTION_CHOICE,
	  .offset = offsetof(struct export_options, format),
	  .choices = formats,
	  .help = "What to write. facts: the JSON document that tare reads again." },
	INPUTS_OPTIONS(struct export_options, inputs),
	{ 0 },
};

static enum err_code export_read(const struct export_options *o, const struct words *inputs,
                                 struct facts *ret_facts, struct err *err)
{
	auto_arena a = ARENA_NULL;
	const struct zone *zone;
	if (!inputs->n)
		return err_set(err, ERR_USAGE, "no input\nhint: 'tare help export' has examples");
	enum err_code code = inputs_zone(&a, &o->inputs, &zone, err);
	return code ? code : inputs_read(&o->inputs, zone, inputs, ret_facts, err);
}

static int export_run(int argc, char **argv)
{
	struct export_options o = { 0 };
	struct facts f;
	auto_words inputs = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	enum err_code code = option_parse(options, argc, argv, &o, &inputs, &err);
	if (!code)
		code = export_read(&o, &inputs, &f, &err);
	if (code) {
		usage_complain("export", &err);
		inputs_options_deinit(&o.inputs);
		return err_exit_status(code);
	}
	code = inputs_hide(&o.inputs, &f, &err);
	if (code) {
		usage_complain("export", &err);
		facts_deinit(&f);
		inputs_options_deinit(&o.inputs);
		return err_exit_status(code);
	}
	document_write(&t, &f);
	if (f.series && f.series->err.code) { /* the spool's file could not be read again */
		usage_complain("export", &f.series->err);
		code = f.series->err.code;
		facts_deinit(&f);
		inputs_options_deinit(&o.inputs);
		return err_exit_status(code);
	}
	int printed = usage_print(&t), status = inputs_status("export", &o.inputs, &f);
	facts_deinit(&f);
	inputs_options_deinit(&o.inputs);
	return printed ? printed : status;
}

static const struct command_example examples[] = {
	{ "tare export examples/cluster-month/sacct.txt --format facts",
	  "Writes what an accounting dump says as a document of facts.", 0 },
	{ "tare export examples/cluster-month --format facts",
	  "The same of every file in a folder, joined.", 0 },
	{ 0 },
};

const struct command command_export = {
	.name = "export",
	.summary = "Writes what the inputs say as one document.",
	.arguments = "INPUT...",
	.help = "Reads the inputs and writes what they say, before anything is decided: devices, "
	        "capacity, jobs, allocations, samples, progress, services, prices and policy.\n\n"
	        "Times are milliseconds since 1970, UTC; what is unknown is left out. The document "
	        "can be read again by every command and gives the same result.",
	.options = options,
	.examples = examples,
	.run = export_run,
};
