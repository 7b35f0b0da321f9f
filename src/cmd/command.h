/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * command: one command of the program. A new command is one new file in this folder that defines
 * `const struct command command_NAME`; help, man page, completion and the examples' tests come from
 * this table.
 */
#include "base/err.h"
#include "base/option.h"

struct command_example {
	const char *line, *says; /* the command line as typed in the source tree, and what it does;
	                            run as a test (tests/unit/test_command.c) */
	int exit;                /* its exit status */
};

struct command {
	const char *name, *summary;
	const char *arguments;                  /* "INPUT..." or "" */
	const char *help;                       /* paragraphs, separated by blank lines */
	const struct option *options;           /* ends with a NULL name */
	const struct command_example *examples; /* at least two; ends with a NULL line */
	int (*run)(int argc,
	           char **argv); /* argv[0] is the command's name; returns the exit status */
	bool hidden;             /* not in the list of commands: for packagers and tests */
};

/* Written by the build from this folder's listing, in name order; ends with NULL. */
extern const struct command *const commands[];
