/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * usage: what the command tables say of themselves: help, man pages, completion.
 */
#include "base/text.h"
#include "cmd/command.h"

/* NULL: there is none. */
const struct command *usage_find(struct str name);
/* The page of the whole program: every command that is not hidden. */
void usage_write_all(struct text *t);
void usage_write_command(struct text *t, const struct command *c);
/* HEAD and, in a second column, what it SAYS, wrapped. */
void usage_write_row(struct text *t, struct str head, struct str says);
/* Words for stderr: "tare: COMMAND: text", and the hint on its own line. */
void usage_complain(const char *command, const struct err *err);
/* Writes T to stdout; the exit status: 0, or 3 when stdout cannot be written. */
int usage_print(const struct text *t);
