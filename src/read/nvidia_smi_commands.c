/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_commands.h"

#include "base/text.h"

#define NAMED_BYTES_MAX 48u /* of a command in a note */

bool smi_command_of(struct str line, struct str *ret_arguments)
{
	static const char *const prompts[] = { "$", "#", ">", "%", "+" };
	size_t at = str_find(line, S("nvidia-smi"));
	struct str rest = str_sub(line, at, line.n);
	struct str before = str_trim(str_sub(line, 0, at));
	if (at == line.n || (rest.n > 10 && rest.p[10] != ' '))
		return false;
	*ret_arguments = str_trim(str_sub(rest, 10, rest.n));
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
		if (str_ends(before, str_of(prompts[i])))
			return true;
	return false;
}

void smi_command_end(struct smi_commands *c)
{
	if (c->is_open && !c->has_output) {
		struct str name = str_sub(c->now, 0, str_find_byte(c->now, '='));
		size_t i = 0;
		while (i < c->skipped_n && !str_eq(c->skipped[i], name))
			i++;
		if (i == c->skipped_n && i < SMI_COMMANDS_NAMED_MAX)
			c->skipped[c->skipped_n++] = name;
	}
	c->is_open = c->has_output = false;
}

void smi_command_begin(struct smi_commands *c, struct str arguments)
{
	smi_command_end(c);
	c->now = arguments;
	c->is_open = true;
}

void smi_commands_say(const struct smi_commands *c, struct facts *f)
{
	auto_text t = TEXT_NULL;
	if (!c->skipped_n)
		return;
	text_add(&t, S("These commands' outputs hold no reading of a GPU at a known time and were "
	               "passed over: nvidia-smi "));
	for (size_t i = 0; i < c->skipped_n; i++) {
		text_add(&t, i ? S(", ") : S(""));
		text_plain(&t, str_sub(c->skipped[i], 0, NAMED_BYTES_MAX));
	}
	text_add(&t, S("."));
	text_byte(&t, '\0');
	facts_note(f, t.p);
}
