/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/taken.h"

#include "facts/facts.h"

void taken_join(struct facts *f)
{
	const struct input_info *pods = NULL;
	int64_t newest_ms = 0;
	for (size_t i = 0; i < f->inputs.n; i++) {
		const struct input_info *in = &f->inputs.v[i];
		if (in->has_pods && pods)
			return; /* several instants, each its own */
		if (in->has_pods)
			pods = in;
		else if (in->is_guessed && in->taken_ms > newest_ms)
			newest_ms = in->taken_ms;
	}
	if (!pods || !pods->is_guessed || newest_ms <= pods->taken_ms)
		return;
	for (size_t i = 0; i < f->scheduler.n; i++) {
		struct span *s = &f->scheduler.v[i];
		if (s->to_ms != pods->taken_ms)
			continue;
		*s = (struct span){ newest_ms - (s->to_ms - s->from_ms), newest_ms };
		facts_note(f, "A list of pods and a list of nodes were taken to be made at one "
		              "time, the newest in both.");
		return;
	}
}
