/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptdaemon: the log of SPEC's power and temperature daemon, as MLPerf keeps it (spl.txt): names and
 * values by turns, "Time,07-28-2025 08:09:12.507,Watts,2884.000000,Volts,...". It is the power of
 * the machine (or of all that hangs on the meter), no GPU's. Channels (Ch1, ...) are its parts.
 */
#include "parse/when.h"
#include "read/power_meter.h"

/* "MM-DD-YYYY HH:MM:SS.mmm" as ISO 8601 has it. */
static bool time_read(struct str s, const struct zone *zone, int64_t *ret)
{
	char iso[40];
	if (s.n < 19 || s.n >= sizeof iso || s.p[2] != '-' || s.p[5] != '-' || s.p[10] != ' ')
		return false;
	memcpy(iso, s.p + 6, 4);
	iso[4] = '-';
	memcpy(iso + 5, s.p, 5);
	memcpy(iso + 10, s.p + 10, s.n - 10);
	iso[10] = 'T';
	enum when w = when_parse((struct str){ iso, s.n }, zone, ret);
	return w == WHEN_OK || w == WHEN_GAP;
}

/* Cuts "Time,...,Watts,..." off LINE. */
static bool line_cut(struct str line, struct str *ret_time, struct str *ret_watts)
{
	struct str name, unit;
	return str_cut(&line, ',', &name) && str_eq(name, S("Time")) &&
	       str_cut(&line, ',', ret_time) && str_cut(&line, ',', &unit) &&
	       str_eq(unit, S("Watts")) && str_cut(&line, ',', ret_watts);
}

static int ptdaemon_recognise(struct str head, const struct read_options *options)
{
	struct str line, when, watts;
	int64_t t_ms;
	(void)options;
	while (str_cut_line(&head, &line))
		if (str_trim(line).n)
			return line_cut(line, &when, &watts) && time_read(when, NULL, &t_ms) ? 95
			                                                                     : 0;
	return 0;
}

static void read_line(const struct read_run *run, struct str line, uint64_t number, struct facts *f)
{
	struct str when = STR_NULL, watts = STR_NULL;
	int64_t t_ms;
	if (!line_cut(line, &when, &watts)) {
		facts_reject(f, number, "the line does not begin with Time,...,Watts,...");
		return;
	}
	if (!time_read(when, run->options ? run->options->zone : NULL, &t_ms)) {
		facts_reject(f, number, "'%.*s' is not a time like 07-28-2025 08:09:12.507",
		             STR_FMT(str_sub(when, 0, 40)));
		return;
	}
	/* the daemon's words for a meter that is over its range, or silent, are negative numbers */
	power_meter_add(run, f, number, t_ms, watts);
}

static enum err_code ptdaemon_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                   struct facts *f, struct err *err)
{
	(void)err;
	power_meter_feed(run, bytes, line, f, read_line);
	return ERR_OK;
}

static enum err_code ptdaemon_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	power_meter_end(f);
	if (!run->options || !run->options->zone)
		facts_note(f, "The meter's times have no zone and were read as UTC: --tz ZONE, or "
		              "FILE@tz=ZONE, says another.");
	return ERR_OK;
}

const struct reader reader_ptdaemon = {
	.name = "ptdaemon",
	.help = "Power of a whole machine: the log (spl.txt) of SPEC's PTDaemon, which MLPerf "
	        "keeps "
	        "beside each run.",
	.cut = CUT_LINES,
	.recognise = ptdaemon_recognise,
	.open = reader_open_plain,
	.feed = ptdaemon_feed,
	.end = ptdaemon_end,
};
