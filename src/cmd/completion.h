/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * completion: one writer a shell, all from the command tables, and what they share.
 */
#include "base/text.h"
#include "cmd/command.h"

void completion_write_bash(struct text *t);
void completion_write_zsh(struct text *t);
void completion_write_fish(struct text *t);

/* The names of the commands that are not hidden, with spaces between. */
void completion_write_commands(struct text *t);
/* The words that may follow O, with spaces between; false: any text, or a file. */
bool completion_write_words(struct text *t, const struct option *o);
/* O's value is the name of a file. */
bool completion_takes_file(const struct option *o);
/* C's arguments are names of commands; else they are files, or there are none. */
bool completion_takes_command(const struct command *c);
