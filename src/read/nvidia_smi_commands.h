/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_commands: which of nvidia-smi's commands printed what, in a text that has the outputs
 * of several. Part of the reader nvidia_smi_text.
 */
#include "facts/facts.h"

#define SMI_COMMANDS_NAMED_MAX 24u /* in the note */

struct smi_commands {
	struct str now; /* the arguments of the one whose output is being read */
	bool is_open, has_output;
	struct str skipped[SMI_COMMANDS_NAMED_MAX]; /* those that gave nothing */
	size_t skipped_n;
};

/* What stands behind "$ nvidia-smi" or another prompt; false: LINE gives no command. */
bool smi_command_of(struct str line, struct str *ret_arguments);
void smi_command_begin(struct smi_commands *c, struct str arguments);
void smi_command_end(struct smi_commands *c);
/* Names those that gave nothing, once. */
void smi_commands_say(const struct smi_commands *c, struct facts *f);
