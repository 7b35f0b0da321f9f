/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/usage.h"
#include "facts/document.h"
#include "intake/intake.h"

#define REJECTS_PRINTED_MAX 5

static const char *const formats[] = { "facts", NULL };

struct export_options {
	int format;
	const char *as, *tz, *run_key;
	struct words maps;
	bool strict;
};

static const struct option options[] = {
	{ .name = "format",
	  .letter = 'f',
	  .kind = OPTION_CHOICE,
	  .offset = offsetof(struct export_options, format),
	  .choices = formats,
	  .help = "What to write. facts: the JSON document that tare reads again." },
	OPTION(TEXT, struct export_options, as, "as", 0, "NAME",
	       "Reads every input as this format, recognised or not."),
	OPTION(EACH, struct export_options, maps, "map", 0, "FILE",
	       "A mapping file for CSV inputs, or a folder of them. May be given again."),
	OPTION(TEXT, struct export_options, tz, "tz", 0, "ZONE",
	       "The zone of times that have none (Europe/Berlin). UTC if not given."),
	OPTION(TEXT, struct export_options, run_key, "run-key", 0, "COLUMN",
	       "The column whose value the attempts of one run share."),
	OPTION(FLAG, struct export_options, strict, "strict", 0, NULL,
	       "Exit status 3 if any record was rejected."),
	{ 0 },
};

/* The first rejected records, and how many there were, on stderr. */
static void rejects_print(const struct facts *f)
{
	uint64_t n = 0, records = 0;
	for (size_t i = 0; i < f->inputs.n; i++) {
		n += f->inputs.v[i].rejected;
		records += f->inputs.v[i].records;
	}
	for (size_t i = 0; i < f->rejects.n && i < REJECTS_PRINTED_MAX; i++) {
		const struct reject *r = &f->rejects.v[i];
		auto_text t = TEXT_NULL;
		text_plain(&t, names_word(&f->names, r->input));
		if (r->line)
			text_printf(&t, ":%" PRIu64, r->line);
		text_add(&t, S(": "));
		text_plain(&t, names_word(&f->names, r->reason));
		fprintf(stderr, "tare: export: %.*s\n", (int)t.n, t.p);
	}
	if (n)
		fprintf(stderr, "tare: export: %" PRIu64 " of %" PRIu64 " records rejected\n", n,
		        records);
}

static enum err_code export_read(struct export_options *o, const struct words *inputs,
                                 struct facts *ret_facts, struct err *err)
{
	auto_arena a = ARENA_NULL;
	const char **paths = ARENA_ARRAY(&a, const char *, inputs->n);
	const char **maps = ARENA_ARRAY(&a, const char *, o->maps.n);
	struct intake_options in = { .as = o->as, .maps = maps, .maps_n = o->maps.n };
	for (size_t i = 0; i < inputs->n; i++)
		paths[i] = str_z(&a, inputs->v[i]);
	for (size_t i = 0; i < o->maps.n; i++)
		maps[i] = str_z(&a, o->maps.v[i]);
	in.run_key = str_of(o->run_key);
	enum err_code code = o->tz ? intake_zone(&a, str_of(o->tz), &in.zone, err) : ERR_OK;
	if (!code)
		code = intake_read(&in, paths, inputs->n, ret_facts, err);
	return code;
}

static int export_run(int argc, char **argv)
{
	struct export_options o = { 0 };
	struct facts f;
	auto_words inputs = { 0 };
	auto_text t = TEXT_NULL;
	struct err err = { 0 };
	enum err_code code = option_parse(options, argc, argv, &o, &inputs, &err);
	if (!code && !inputs.n)
		code = err_set(&err, ERR_USAGE, "no input\nhint: 'tare help export' has examples");
	if (!code)
		code = export_read(&o, &inputs, &f, &err);
	words_deinit(&o.maps);
	if (code) {
		usage_complain("export", &err);
		return err_exit_status(code);
	}
	rejects_print(&f);
	document_write(&t, &f);
	code = intake_status(&f, o.strict, &err);
	facts_deinit(&f);
	int printed = usage_print(&t);
	if (code)
		usage_complain("export", &err);
	return code ? err_exit_status(code) : printed;
}

static const struct command_example examples[] = {
	{ "tare export jobs.csv --format facts > facts.json",
	  "Writes what jobs.csv says as a document of facts." },
	{ "tare export . --format facts", "The same of every file in this folder, joined." },
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
