/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlperf_power: readings of a machine's power in MLPerf's log lines (node_0.txt beside the results
 * of training): ":::MLLOG {"time_ms": 1715257324220, ..., "key": "power_reading", "value": 2617}".
 *
 * power_measurement_start and power_measurement_stop are both written with the time of the start in
 * real logs, so they bound nothing; every reading is taken.
 */
#include "parse/json.h"
#include "read/power_meter.h"

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

static void read_line(const struct read_run *run, struct str line, uint64_t number, struct facts *f)
{
	struct str object, raw;
	int64_t t_ms;
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
	/* a text is no number here, whatever stands in it: its quotes say so */
	power_meter_add(run, f, number, t_ms, raw);
}

static enum err_code mlperf_power_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                       struct facts *f, struct err *err)
{
	(void)err;
	power_meter_feed(run, bytes, line, f, read_line);
	return ERR_OK;
}

static enum err_code mlperf_power_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)run, (void)err;
	power_meter_end(f);
	return ERR_OK;
}

const struct reader reader_mlperf_power = {
	.name = "mlperf_power",
	.help = "Power of a whole machine: the power_reading lines of MLPerf's training logs.",
	.cut = CUT_LINES,
	.recognise = mlperf_power_recognise,
	.open = reader_open_plain,
	.feed = mlperf_power_feed,
	.end = mlperf_power_end,
};
