/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlperf_power: readings of a machine's power in MLPerf's log lines (node_0.txt beside the results
 * of training): ":::MLLOG {"time_ms": 1715257324220, ..., "key": "power_reading", "value": 2617}".
 *
 * power_measurement_start and power_measurement_stop are both written with the time of the start in
 * real logs, so they bound nothing; every reading is taken.
 */
#include "parse/json.h"
#include "read/reader.h"
#include "read/reading.h"

static bool line_object(struct str line, struct str *ret)
{
	size_t at = str_find(line, S(":::MLLOG "));
	*ret = str_trim(str_sub(line, at + 9, line.n));
	return at < line.n && ret->n && ret->p[0] == '{';
}

static bool key_is(struct str object, struct str want)
{
	struct str raw = json_get(object, S("key"));
	return raw.n >= 2 && str_eq(str_sub(raw, 1, raw.n - 2), want);
}

static int mlperf_power_recognise(struct str head, const struct read_options *options)
{
	struct str line, object;
	(void)options;
	for (int i = 0; i < 8 && str_cut_line(&head, &line); i++)
		if (line_object(line, &object) && json_is_valid(object) &&
		    (key_is(object, S("power_reading")) ||
		     key_is(object, S("power_measurement_start"))))
			return 95;
	return 0;
}

static enum err_code mlperf_power_open(struct read_run *run, struct str head, struct err *err)
{
	(void)head, (void)err;
	run->body_line = 1;
	return ERR_OK;
}

static void read_line(struct str line, uint64_t number, sym node, struct facts *f)
{
	struct str object, raw;
	struct sample s = { 0 };
	int64_t t_ms;
	bool is_bad;
	if (!line_object(line, &object) || !json_is_valid(object)) {
		facts_reject(f, number, "no line of MLPerf's log (:::MLLOG {...})");
		return;
	}
	if (!key_is(object, S("power_reading")))
		return;
	if (!json_to_i64(json_get(object, S("time_ms")), &t_ms) || t_ms < 0 ||
	    t_ms >= TIME_MS_MAX) {
		facts_reject(f, number, "a reading without time_ms");
		return;
	}
	raw = json_get(object, S("value"));
	if (json_type(raw) != JSON_NUMBER ||
	    reading_put_text(&s, METRIC_power, raw, (struct reading_unit){ 1, 1 }, &is_bad)) {
		facts_reject(f, number, "'%.*s' is no power of a machine in watts",
		             STR_FMT(str_sub(raw, 0, 40)));
		return;
	}
	*vec_push(&f->node_power) =
	        (struct node_power){ .node = node, .t_ms = t_ms, .milliwatts = s.v[METRIC_power] };
}

static enum err_code mlperf_power_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                       struct facts *f, struct err *err)
{
	const struct read_options *o = run->options;
	sym node = facts_word(f, o ? o->input_name : S("node"));
	struct str row;
	(void)err;
	for (; str_cut_line(&bytes, &row); line++) {
		if (!str_trim(row).n)
			continue;
		f->inputs.v[f->inputs.n - 1].records++;
		read_line(row, line, node, f);
	}
	return ERR_OK;
}

static enum err_code mlperf_power_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)run, (void)err;
	facts_note(f, "A power meter's log speaks of a whole machine: no GPU's power or time is "
	              "taken from it.");
	return ERR_OK;
}

const struct reader reader_mlperf_power = {
	.name = "mlperf_power",
	.help = "Power of a whole machine: the power_reading lines of MLPerf's training logs.",
	.cut = CUT_LINES,
	.recognise = mlperf_power_recognise,
	.open = mlperf_power_open,
	.feed = mlperf_power_feed,
	.end = mlperf_power_end,
};
