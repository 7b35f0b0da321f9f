/* SPDX-License-Identifier: Apache-2.0 */
#include "read/power_meter.h"

#include "read/reading.h"

void power_meter_feed(const struct read_run *run, struct str bytes, uint64_t line, struct facts *f,
                      void (*read_line)(const struct read_run *run, struct str line,
                                        uint64_t number, struct facts *f))
{
	struct str row;
	for (; str_cut_line(&bytes, &row); line++) {
		if (!str_trim(row).n)
			continue;
		f->inputs.v[f->inputs.n - 1].records++;
		read_line(run, row, line, f);
	}
}

void power_meter_add(const struct read_run *run, struct facts *f, uint64_t number, int64_t t_ms,
                     struct str watts)
{
	const struct read_options *o = run->options;
	struct sample s = { 0 };
	bool is_bad;
	if (reading_put_text(&s, METRIC_power, watts, (struct reading_unit){ 1, 1 }, &is_bad)) {
		facts_reject(f, number, "'%.*s' is no power of a machine in watts",
		             STR_FMT(str_sub(watts, 0, 40)));
		return;
	}
	*vec_push(&f->node_power) =
	        (struct node_power){ .node = facts_word(f, o ? o->input_name : S("node")),
		                     .t_ms = t_ms,
		                     .milliwatts = s.v[METRIC_power] };
}

void power_meter_end(struct facts *f)
{
	facts_note(f, "A power meter's log speaks of a whole machine: no GPU's power or time is "
	              "taken from it.");
}
