/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/mapped.h"

#include <stdio.h>

#include "base/text.h"

/* What a map with these lines under `jobs:` says of one row; "" for a good map. */
static void map_error(const char *text, const char *want)
{
	auto_arena a = ARENA_NULL;
	struct csv_map m;
	struct err err = { 0 };
	enum err_code rc = csv_map_parse(&a, str_of(text), S("m.yaml"), &m, &err);
	assert_string_equal(err.text, want);
	assert_int_equal(rc, *want ? ERR_INPUT : ERR_OK);
}

static const struct {
	const char *text, *want;
} wrong_maps[] = {
	{ "map: x\njobs: {id: a}\n", "" },
	{ "[", "m.yaml:2:1: flow sequence without a closing bracket" },
	{ "", "m.yaml:1:1: a map is empty; expected a map" },
	{ "jobs: {id: a}\n", "m.yaml:1:1: a map without 'map', its name" },
	{ "map: x\n", "m.yaml:1:1: a map without jobs, nodes, totals or samples" },
	{ "map: x\njobs: {id: a}\nnodes: {id: a, gpus: b}\n",
	  "m.yaml:3:1: a second kind of fact; one map makes one" },
	{ "map: x\njob: {id: a}\n",
	  "m.yaml:2:1: unknown key 'job' in a map; expected one of: map, help, note, csv, "
	  "recognise, time, jobs, nodes, totals, samples, skip-if" },
	{ "map: x\njobs: {user: a}\n", "m.yaml:2:1: jobs without 'id'" },
	{ "map: x\nnodes: {id: a}\n", "m.yaml:2:1: nodes without 'gpus'" },
	{ "map: x\nnodes: {gpus: a}\n", "m.yaml:2:1: nodes without 'id' or 'pool'" },
	{ "map: x\ncsv: {wide: {name: a, value: b}}\njobs: {id: a}\n",
	  "m.yaml:2:7: wide needs fixed, name and value" },
	{ "map: x\ncsv: {header: false, wide: {name: a}}\njobs: {id: a}\n",
	  "m.yaml:2:22: a wide table without a header" },
	{ "map: x\ntotals: {gpus: a, every: 1m}\n", "m.yaml:2:1: totals without 'time'" },
	{ "map: x\ntotals: {time: a}\n", "m.yaml:2:1: totals without 'every' or 'to'" },
	{ "map: x\ntotals: {time: a, every: 60}\n",
	  "m.yaml:2:19: every is '60'; expected a length of time like 10m" },
	{ "map: x\ntotals: {time: a, every: 1m, counts: jobs}\n",
	  "m.yaml:2:30: counts 'jobs'; expected gpus or nodes" },
	{ "map: x\nnodes: {id: a, gpus: b, ram: c}\n",
	  "m.yaml:2:25: unknown key 'ram' in nodes; expected one of: id, model, pool, "
	  "gpus, "
	  "cpus, cpu_milli, memory_mib, state, from, to, at, every" },
	{ "map: x\nsamples: {time: a}\n",
	  "m.yaml:2:1: samples without a metric (gpu_util, power, ...)" },
	{ "map: x\nsamples: {power: a}\n", "m.yaml:2:1: samples without 'time'" },
	{ "map: x\nsamples: {time: a, metric: b}\n",
	  "m.yaml:2:1: samples need both 'metric' and 'value', or neither" },
	{ "map: x\nsamples: {time: a, power: {column: b, unit: J}}\n",
	  "m.yaml:2:39: unit 'J' of power; expected W, mW, uW or kW" },
	{ "map: x\nsamples: {time: a, power: b, kind: mean}\n",
	  "m.yaml:2:30: kind 'mean'; expected average or point" },
	{ "map: x\nsamples: {time: a, power: {columns: [b]}}\n",
	  "m.yaml:2:28: columns is a list; expected a list of two or more" },
	{ "map: x\nsamples: {time: a, power: {constant: fast}}\n",
	  "m.yaml:2:28: 'fast' is no value of power" },
	{ "map: x\nsamples: {time: a, value: c, metric: {column: b, values: {u: heat}}}\n",
	  "m.yaml:2:59: 'heat' is not a metric (docs/reference/metrics.md)" },
	{ "map: x\nsamples: {time: a, value: c, metric: {column: b, values: {u: power J}}}\n",
	  "m.yaml:2:59: unit 'J' of power; expected W, mW, uW or kW" },
	{ "map: x\nrecognise: {fields: 3, in-order: true}\nsamples: {time: a, power: b}\n",
	  "m.yaml:2:13: for files without a header; expected header" },
	{ "map: x\njobs: {id: {}}\n",
	  "m.yaml:2:8: id needs column, columns or constant, one of them" },
	{ "map: x\njobs: {id: {column: a, constant: b}}\n",
	  "m.yaml:2:8: id needs column, columns or constant, one of them" },
	{ "map: x\njobs: {id: [a]}\n", "m.yaml:2:8: id is a list; expected a map" },
	{ "map: x\njobs: {id: {column: a, colour: b}}\n",
	  "m.yaml:2:24: unknown key 'colour' in id; expected one of: column, columns, "
	  "join, constant, default, unknown, values, else, unit, time, parse, split, round, "
	  "first-word, optional" },
	{ "map: x\njobs: {id: {column: a, unit: s}}\n",
	  "m.yaml:2:24: a unit for id, which is not a number" },
	{ "map: x\njobs: {id: {column: a, split: s}}\n",
	  "m.yaml:2:24: split for id, which is not a list" },
	{ "map: x\njobs: {id: {column: a, time: epoch}}\n",
	  "m.yaml:2:24: a time for id, which is none" },
	{ "map: x\njobs: {id: {column: a, parse: tres}}\n",
	  "m.yaml:2:24: parse 'tres' of id; expected no parse here" },
	{ "map: x\njobs: {id: a, gpus: {column: g, parse: csv}}\n",
	  "m.yaml:2:33: parse 'csv' of gpus; expected tres or gres" },
	{ "map: x\njobs: {id: a, elapsed: {column: g, parse: hms}}\n",
	  "m.yaml:2:36: parse 'hms' of elapsed; expected slurm or units" },
	{ "map: x\njobs: {id: a, elapsed: {column: g, unit: milli}}\n",
	  "m.yaml:2:36: unit 'milli'; expected ns, us, ms, s, min, h or d" },
	{ "map: x\njobs: {id: a, share: {column: g, unit: s}}\n",
	  "m.yaml:2:34: unit 's'; expected one, percent, permille or milli" },
	{ "map: x\njobs: {id: a, gpus: {column: g, round: up}}\n",
	  "m.yaml:2:33: round 'up' of gpus; expected up or down, of a count" },
	{ "map: x\njobs: {id: {column: a, else: b}}\n", "m.yaml:2:24: else without values" },
	{ "map: x\njobs: {id: {column: a, values: [b]}}\n",
	  "m.yaml:2:24: values is a list; expected a map of the file's words" },
	{ "map: x\njobs: {id: a, outcome: {column: o, values: {OK: done}}}\n",
	  "m.yaml:2:45: 'done' is not an outcome" },
	{ "map: x\njobs: {id: a, kind: {constant: serving}}\n",
	  "m.yaml:2:22: 'serving' is not a kind of job" },
	{ "map: x\nnodes: {id: a, gpus: {constant: 1.5}}\n",
	  "m.yaml:2:23: '1.5' is not a whole number" },
	{ "map: x\ntime: iso\njobs: {id: a}\n",
	  "m.yaml:2:1: time 'iso'; expected text, epoch, epoch-ms, or a map with since or "
	  "pattern" },
	{ "map: x\ntime: {since: epoch, pattern: '%Y'}\njobs: {id: a}\n",
	  "m.yaml:2:22: since and pattern; expected one of them" },
	{ "map: x\ntime: {since: noon}\njobs: {id: a}\n",
	  "m.yaml:2:8: since 'noon'; expected epoch or a date and time like "
	  "2026-01-01T00:00:00Z" },
	{ "map: x\ntime: {unit: s}\njobs: {id: a}\n", "m.yaml:2:8: a unit without since" },
	{ "map: x\ntime: {pattern: '%Y-%Q'}\njobs: {id: a}\n",
	  "m.yaml:2:8: pattern '%Y-%Q' at 4; expected one of %Y %y %m %b %d %H %I %M %S %f "
	  "%p %z %%" },
	{ "map: x\ntime: {pattern: '%'}\njobs: {id: a}\n",
	  "m.yaml:2:8: pattern '%' at 1; expected one of %Y %y %m %b %d %H %I %M %S %f %p "
	  "%z "
	  "%%" },
	{ "map: x\ntime: {zone: Europe/Berlin}\njobs: {id: a}\n",
	  "m.yaml:2:8: zone 'Europe/Berlin'; expected UTC or +hh:mm (for a named zone, "
	  "leave "
	  "it out and give @tz=NAME with the file)" },
	{ "map: x\ncsv: {delimiter: ''}\njobs: {id: a}\n",
	  "m.yaml:2:7: a delimiter of 0 bytes; expected 1 to 16, no quote, no newline" },
	{ "map: x\ncsv: {delimiter: aaaaaaaaaaaaaaaa}\njobs: {id: a}\n", "" },
	{ "map: x\ncsv: {delimiter: aaaaaaaaaaaaaaaaa}\njobs: {id: a}\n",
	  "m.yaml:2:7: a delimiter of 17 bytes; expected 1 to 16, no quote, no newline" },
	{ "map: x\ncsv: {quote: double}\njobs: {id: a}\n",
	  "m.yaml:2:7: quote 'double'; expected one byte, or none" },
	{ "map: x\ncsv: {header: no}\njobs: {id: a}\n",
	  "m.yaml:2:7: header is 'no'; expected true or false" },
	{ "map: x\ncsv: {header: false}\njobs: {id: 1}\n",
	  "m.yaml:1:1: a file without a header needs recognise: fields" },
	{ "map: x\ncsv: {header: false}\nrecognise: {fields: 513}\njobs: {id: 1}\n",
	  "m.yaml:3:13: fields: expected a number from 1 to 512" },
	{ "map: x\ncsv: {header: false}\nrecognise: {fields: 512}\njobs: {id: 512}\n", "" },
	{ "map: x\ncsv: {header: false}\nrecognise: {fields: 3}\njobs: {id: 4}\n",
	  "m.yaml:4:8: column '4'; the file has no header: expected a number from 1 to 3" },
	{ "map: x\ncsv: {header: false}\nrecognise: {fields: 3}\njobs: {id: name}\n",
	  "m.yaml:4:8: column 'name'; the file has no header: expected a number from 1 to "
	  "3" },
	{ "map: x\ncsv: {header: false}\nrecognise: {fields: 3, match: {4: a}}\njobs: {id: "
	  "1}\n",
	  "m.yaml:3:32: field '4'; expected a number from 1 to 3" },
	{ "map: x\ncsv: {header: false}\nrecognise: {fields: 3, match: {1: '('}}\njobs: "
	  "{id: 1}\n",
	  "m.yaml:3:32: pattern: at 2: missing closing parenthesis" },
	{ "map: x\nrecognise: {fields: 3}\njobs: {id: a}\n",
	  "m.yaml:2:13: for files without a header; expected header" },
	{ "map: x\njobs: {id: a}\nskip-if: {empty: true}\n",
	  "m.yaml:3:1: skip-if without a column" },
	{ "map: x\njobs: {id: a}\nskip-if: [{column: a}]\n",
	  "m.yaml:3:11: skip-if needs one of empty, equals, not" },
	{ "map: x\njobs: {id: a, labels: [b]}\n",
	  "m.yaml:2:15: labels is a list; expected a map of names to columns" },
	{ "map: x\njobs: {id: a, slurm: 1}\n",
	  "m.yaml:2:15: slurm is '1'; expected true or false" },
};

static void map_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong_maps / sizeof *wrong_maps; i++)
		map_error(wrong_maps[i].text, wrong_maps[i].want);
}

/* One value of a job, read by `VERBS`; its time in `start` or the reject. */
static void start_is(const char *verbs, const char *field, int64_t want, const char *reject)
{
	char map[512], csv[256];
	struct mapped g;
	snprintf(map, sizeof map, "map: x\njobs: {id: i, start: {column: s, %s}}\n", verbs);
	snprintf(csv, sizeof csv, "i,s\nj,\"%s\"\n", field);
	mapped_read(&g, str_of(map), str_of(csv), 0);
	assert_string_equal(g.err.text, "");
	assert_int_equal(g.f.jobs.n, reject ? 0 : 1);
	if (reject)
		assert_str(names_word(&g.f.names, g.f.rejects.v[0].reason), reject);
	else
		assert_int_equal(g.f.jobs.v[0].start_ms, want);
	mapped_drop(&g);
}

static void times(void **state)
{
	(void)state;
	const int64_t t = 1577934245000; /* 2020-01-02T03:04:05Z */
	start_is("time: text", "2020-01-02T03:04:05", t, NULL);
	start_is("time: text", "2020-01-02 03:04:05+02:00", t - 7200000, NULL);
	start_is("time: text", "Unknown", TIME_UNKNOWN, NULL);
	start_is("time: text", "", TIME_UNKNOWN, NULL);
	start_is("time: text", "Mon 14:02", 0, "start: 'Mon 14:02' is not a time");
	start_is("time: {zone: '+02:00'}", "2020-01-02T03:04:05", t - 7200000, NULL);
	start_is("time: {zone: '-03:30'}", "2020-01-02T03:04:05", t + 12600000, NULL);
	start_is("time: {zone: '-03:30'}", "2020-01-02T03:04:05Z", t, NULL);
	start_is("time: epoch", "1577934245", t, NULL);
	start_is("time: epoch", "1577934245.6789", t + 678, NULL);
	start_is("time: epoch", "0", 0, NULL);
	start_is("time: epoch", "-0.0001", -1, NULL);
	start_is("time: epoch", "0,5", 0, "start: '0,5' is not a number of time units");
	start_is("time: epoch", "1e30", 0, "start: '1e30' is not a number of time units");
	start_is("time: epoch", "999999999999", 0, "start: '999999999999' is not a time in range");
	start_is("time: epoch-ms", "1577934245678", t + 678, NULL);
	start_is("time: {since: 2020-01-01, unit: h}", "1.5", 1577836800000 + 5400000, NULL);
	start_is("time: {since: 2020-01-01, unit: us}", "-1", 1577836800000 - 1, NULL);
	start_is("unknown: [none, '-']", "-", TIME_UNKNOWN, NULL);
	start_is("default: 2020-01-02T03:04:05Z", "", t, NULL);
	start_is("time: {pattern: '%d/%b/%Y:%H:%M:%S'}", "02/Jan/2020:03:04:05", t, NULL);
	start_is("time: {pattern: '%d/%b/%Y:%H:%M:%S %z'}", "02/jan/2020:03:04:05 +0100",
	         t - 3600000, NULL);
	start_is("time: {pattern: '%m/%d/%y %I:%M:%S %p'}", "1/2/20 3:04:05 PM", t + 43200000,
	         NULL);
	start_is("time: {pattern: '%m/%d/%y %I:%M:%S %p'}", "1/2/20 12:04:05 am", t - 10800000,
	         NULL);
	start_is("time: {pattern: '%Y%m%d%H%M%S.%f'}", "20200102030405.67", t + 670, NULL);
	start_is("time: {pattern: '%Y-%m-%d', zone: '+01:00'}", "2020-01-02", 1577919600000, NULL);
	start_is("time: {pattern: '%Y-%m-%d'}", "2020-02-30", 0,
	         "start: '2020-02-30' is not a time of the map's pattern");
	start_is("time: {pattern: '%Y-%m-%d'}", "2020-02-29", 1582934400000, NULL);
	start_is("time: {pattern: '%Y-%m-%d'}", "2019-02-29", 0,
	         "start: '2019-02-29' is not a time of the map's pattern");
	start_is("time: {pattern: '%Y-%m-%d'}", "2020-01-02 x", 0,
	         "start: '2020-01-02 x' is not a time of the map's pattern");
}

/* The facts of CSV (columns i,a,b,c) read with LINES under jobs, as one line of text. */
static void job_is(const char *lines, const char *row, const char *want)
{
	char map[1024], csv[512];
	struct mapped g;
	auto_text t = TEXT_NULL;
	snprintf(map, sizeof map, "map: x\ntime: epoch\njobs: {id: i, %s}\n", lines);
	snprintf(csv, sizeof csv, "i,a,b,c\n%s\n", row);
	mapped_read(&g, str_of(map), str_of(csv), 0);
	assert_string_equal(g.err.text, "");
	for (size_t i = 0; i < g.f.rejects.n; i++)
		text_printf(&t, "%d: %s", (int)g.f.rejects.v[i].line,
		            names_word(&g.f.names, g.f.rejects.v[i].reason).p);
	for (size_t i = 0; i < g.f.jobs.n; i++) {
		const struct job_entry e = job_entry_of(&g.f, &g.f.jobs.v[i]), *j = &e;
		text_printf(&t, "%s", outcomes[j->outcome].name);
		if (j->gpus != COUNT_UNKNOWN)
			text_printf(&t, " gpus %u", j->gpus);
		if (j->requested != j->gpus)
			text_printf(&t, " of %u", j->requested);
		if (j->cpus != COUNT_UNKNOWN)
			text_printf(&t, " cpus %u", j->cpus);
		if (j->start_ms != TIME_UNKNOWN)
			text_printf(&t, " start %d", (int)(j->start_ms / 1000));
		if (j->end_ms != TIME_UNKNOWN)
			text_printf(&t, " end %d", (int)(j->end_ms / 1000));
	}
	for (size_t i = 0; i < g.f.allocations.n; i++) {
		const struct allocation_entry e = allocation_entry_of(&g.f, &g.f.allocations.v[i]);
		const struct allocation_entry *al = &e;
		static const char *const on[] = { "device", "instance", "node", "nodes", "pool" };
		text_printf(&t, "; %u x %d/%d on %s %s", al->count, (int)al->share_num,
		            (int)al->share_den, on[al->on],
		            al->place ? names_word(&g.f.names, al->place).p : "-");
	}
	assert_str(text_str(&t), want);
	mapped_drop(&g);
}

static void jobs(void **state)
{
	(void)state;
	/* outcomes out of what is known */
	job_is("start: a, end: b", "j,5,9,", "ended start 5 end 9");
	job_is("start: a, end: b", "j,5,,", "running start 5");
	job_is("start: a, end: b", "j,,,", "waiting");
	job_is("start: a, end: b", ",5,9,", "2: no job id");
	job_is("start: a, end: b", "j,9,5,", "2: ends before it starts");
	job_is("start: a, end: b", "j,5,5,", "ended start 5 end 5");
	job_is("start: a, end: b", "j,5,9", "2: 3 fields; expected 4");
	job_is("start: a, end: b", "j,5,9,,", "2: 5 fields; expected 4");
	job_is("start: a, end: b", "j,5,\"9", "2: a quote without its end");
	job_is("start: a, end: b", "j,5,\"9\"x,", "2: text after a closing quote");
	const char *said =
	        "start: a, end: b, outcome: {column: c, values: {R: running, C: completed, "
	        "Q: waiting}, else: unknown}";
	job_is(said, "j,5,9,C", "completed start 5 end 9");
	job_is(said, "j,5,9,R", "ended start 5 end 9");
	job_is(said, "j,5,,R", "running start 5");
	job_is(said, "j,5,,Q", "running start 5");
	job_is(said, "j,,,Q", "waiting");
	job_is(said, "j,5,9,what", "ended start 5 end 9");
	job_is("outcome: {column: c, values: {C: completed}}", "j,,,D",
	       "2: outcome: 'D' is not among the map's values");
	job_is("outcome: {column: c, values: {C: completed}, else: failed}", "j,,,D", "failed");
	job_is("outcome: {column: c, values: {C: completed}, else: keep}", "j,,,timeout",
	       "timeout");
	job_is("outcome: {column: c, first-word: true, values: {CANCELLED: cancelled}}",
	       "j,,,CANCELLED by 7", "cancelled");
	/* lengths of time */
	job_is("start: a, elapsed: b", "j,5,4,", "ended start 5 end 9");
	job_is("start: a, elapsed: {column: b, unit: min}", "j,0,1.5,", "ended start 0 end 90");
	job_is("start: a, elapsed: {column: b, parse: slurm}", "j,0,1-00:00:01,",
	       "ended start 0 end 86401");
	job_is("start: a, elapsed: {column: b, parse: units}", "j,0,1h30m,",
	       "ended start 0 end 5400");
	job_is("start: a, elapsed: b", "j,0,-1,", "2: elapsed: '-1' is not a length of time");
	job_is("start: a, elapsed: {column: b, parse: slurm}", "j,0,soon,",
	       "2: elapsed: 'soon' is not a length of time");
	job_is("start: a, elapsed: b, outcome: {constant: running}", "j,5,4,", "running start 5");
}

static void gpus(void **state)
{
	(void)state;
	const char *plain = "start: a, gpus: b, pool: {constant: p}";
	job_is(plain, "j,0,2,", "running gpus 2 start 0; 2 x 1/1 on pool p");
	job_is(plain, "j,0,2.0,", "running gpus 2 start 0; 2 x 1/1 on pool p");
	job_is(plain, "j,0,0.25,", "running gpus 1 start 0; 1 x 1/4 on pool p");
	job_is(plain, "j,0,1/3,", "running gpus 1 start 0; 1 x 1/3 on pool p");
	job_is(plain, "j,0,1.5,",
	       "2: gpus: '1.5' is not a count of GPUs: whole ones, or a share of one");
	job_is(plain, "j,0,\"0,5\",", "2: gpus: '0,5' is not a number");
	job_is(plain, "j,0,-1,", "2: gpus: '-1' is not a count: it is negative");
	job_is(plain, "j,0,100000000,",
	       "running gpus 100000000 start 0; 100000000 x 1/1 on pool p");
	job_is(plain, "j,0,100000001,", "2: gpus: '100000001' is not a count in range");
	job_is(plain, "j,0,0,", "running gpus 0 start 0");
	job_is(plain, "j,0,,", "running start 0");
	job_is(plain, "j,,2,", "waiting gpus 2");
	job_is("start: a, gpus: {column: b, unit: percent}", "j,0,50,",
	       "running gpus 1 start 0; 1 x 1/2 on pool -");
	job_is("start: a, gpus: {column: b, unit: percent}", "j,0,800,",
	       "running gpus 8 start 0; 8 x 1/1 on pool -");
	const char *share =
	        "start: a, gpus: b, share: {column: c, unit: milli}, queue: {constant: q}";
	job_is(share, "j,0,1,460", "running gpus 1 start 0; 1 x 23/50 on pool q");
	job_is(share, "j,0,2,1000", "running gpus 2 start 0; 2 x 1/1 on pool q");
	job_is(share, "j,0,2,1001", "2: share: '1001' is not a share: it is over 1");
	job_is(share, "j,0,1,0", "running gpus 1 start 0");
	job_is(share, "j,0,1,", "running gpus 1 start 0; 1 x 1/1 on pool q");
	job_is("start: a, node: b, gpus: {constant: 4}, requested: c", "j,0,n1,3",
	       "running gpus 4 of 3 start 0; 4 x 1/1 on node n1");
	job_is("start: a, node_list: b, gpus: {constant: 4}", "j,0,\"n[1-2,4]\",3",
	       "running gpus 4 start 0; 4 x 1/1 on nodes n[1-2,4]");
	const char *tres = "start: a, gpus: {column: b, parse: tres}";
	job_is(tres, "j,0,\"cpu=4,gres/gpu=8,gres/gpu:h100=8\",",
	       "running gpus 8 start 0; 8 x 1/1 on pool -");
	job_is(tres, "j,0,gres/gpu:a100_1g.10gb=1,", "running gpus 1 start 0; 1 x 1/7 on pool -");
	job_is(tres, "j,0,cpu=4,", "running gpus 0 start 0");
	job_is(tres, "j,0,N/A,", "running start 0");
	job_is("start: a, gpus: {column: b, parse: gres}", "j,0,\"gpu:tesla:2,gpu:kepler:2\",",
	       "running gpus 4 start 0; 4 x 1/1 on pool -");
	job_is("cpus: b", "j,,1.5,", "2: cpus: '1.5' is not a whole number");
	job_is("cpus: {column: b, round: up}", "j,,1.5,", "waiting cpus 2");
	job_is("cpus: {column: b, round: down}", "j,,1.5,", "waiting cpus 1");
	job_is("cpus: {column: b, unit: milli}", "j,,3000,", "waiting cpus 3");
}

static void words(void **state)
{
	(void)state;
	struct mapped g;
	mapped_read(
	        &g,
	        S("map: x\nnote: A word of its own.\n"
	          "jobs: {id: i, models: {column: m, split: '|'}, labels: {role: r, none: i2},\n"
	          "  user: {column: u, default: nobody}, team: {constant: t}, slurm: true,\n"
	          "  kind: {column: k, values: {svc: service, run: batch}}}\n"
	          "skip-if:\n- {column: i, equals: [x, y]}\n- {column: r, empty: true}\n"),
	        S("\xef\xbb\xbfr,u,m,i,i2,k\r\n"
	          "\"a \"\"b\"\"\", ann ,A10| T4||,j1,,svc\r\n"
	          "\r\n"
	          "b,,A10,\"j\n2\",z,\r\n"
	          "c,u,,x,,\n"
	          ",u,,j4,,\n"),
	        1);
	const struct facts *f = &g.f;
	assert_string_equal(g.err.text, "");
	assert_int_equal(f->jobs.n, 2);
	assert_int_equal(f->inputs.v[0].records, 4);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	const struct job_entry j[] = { job_entry_of(f, &f->jobs.v[0]),
		                       job_entry_of(f, &f->jobs.v[1]) };
	const sym *lists = f->traits.lists.v;
	assert_str(j[0].id, "j1");
	assert_str(j[1].id, "j\n2");
	assert_str(names_word(&f->names, j[0].user), "ann");
	assert_str(names_word(&f->names, j[1].user), "nobody");
	assert_str(names_word(&f->names, j[0].team), "t");
	assert_int_equal(j[0].kind, KIND_SERVICE);
	assert_true(j[0].kind_known);
	assert_false(j[1].kind_known);
	assert_int_equal(j[0].models_n, 2);
	assert_str(names_word(&f->names, lists[j[0].models_at + 1]), "T4");
	assert_int_equal(j[0].labels_n, 1);
	assert_str(names_word(&f->names, lists[j[0].labels_at]), "role");
	assert_str(names_word(&f->names, lists[j[0].labels_at + 1]), "a \"b\"");
	assert_int_equal(j[1].labels_n, 2);
	assert_true(j[0].is_slurm && f->has_scheduler);
	assert_int_equal(f->notes.n, 2);
	assert_str(names_word(&f->names, f->notes.v[0].text),
	           "Rows were left out as the map says (skip-if).");
	assert_int_equal(f->notes.v[0].count, 2);
	assert_str(names_word(&f->names, f->notes.v[1].text), "A word of its own.");
	mapped_drop(&g);
}

static void lost_starts(void **state)
{
	(void)state;
	struct mapped g;
	mapped_read(&g,
	            S("map: x\ntime: epoch\njobs: {id: i, start: s, end: e, gpus: g,\n"
	              "  outcome: {column: o, values: {R: running, X: cancelled, Q: waiting}}}\n"),
	            S("i,s,e,g,o\na,,,1,R\nb,,9,1,R\nc,,9,1,X\nd,,,1,Q\ne,,9,0,R\nf,5,9,1,R\n"), 0);
	assert_string_equal(g.err.text, "");
	assert_int_equal(g.f.jobs.n, 6);
	assert_int_equal(g.f.allocations.n, 1);
	assert_int_equal(g.f.notes.n, 1);
	assert_int_equal(g.f.notes.v[0].count, 2);
	mapped_drop(&g);
}

static void opening(void **state)
{
	(void)state;
	static const struct {
		const char *map, *csv, *want;
	} rows[] = {
		{ "map: x\njobs: {id: a}\n", "b\n1\n", "not recognised" },
		{ "map: x\njobs: {id: a}\n", "", "not recognised" },
		{ "map: x\njobs: {id: a}\n", "a,b,a\n1,2,3\n", "two columns are called 'a'" },
		{ "map: x\njobs: {id: a, user: {column: u, optional: true}}\n", "a\n1\n", "" },
		{ "map: x\nrecognise: {header: [b]}\njobs: {id: a}\n", "a\n1\n", "not recognised" },
		{ "map: x\ncsv: {comment: '#'}\njobs: {id: a}\n", "# hello\n\na\n1\n#2\n", "" },
		{ "map: x\ncsv: {delimiter: '::'}\njobs: {id: a}\n", "b::a\n1::2\n", "" },
		{ "map: x\ncsv: {header: false}\nrecognise: {fields: 2, match: {2: '^\\d'}}\n"
		  "jobs: {id: 1}\n",
		  "a,1\nb,x\n", "not recognised" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct mapped g;
		mapped_read(&g, str_of(rows[i].map), str_of(rows[i].csv), 0);
		assert_string_equal(g.err.text, rows[i].want);
		if (!*rows[i].want)
			assert_int_equal(g.f.jobs.n, 1);
		mapped_drop(&g);
	}
}

/* One record of N bytes between two others. */
static void long_record(size_t n, size_t jobs)
{
	struct mapped g;
	auto_text t = TEXT_NULL;
	text_add(&t, S("a,b\n1,x\n2,"));
	text_repeat(&t, 'y', n - 3);
	text_add(&t, S("\n3,z\n"));
	mapped_read(&g, S("map: x\njobs: {id: a}\n"), text_str(&t), 0);
	assert_string_equal(g.err.text, "");
	assert_int_equal(g.f.jobs.n, jobs);
	if (jobs == 2)
		assert_str(names_word(&g.f.names, g.f.rejects.v[0].reason),
		           "a record of 1048577 bytes; at most 1048576 are read");
	mapped_drop(&g);
}

static void long_records(void **state)
{
	(void)state;
	long_record(LINE_BYTES_MAX, 3);
	long_record(LINE_BYTES_MAX + 1, 2);
}

static void nodes_and_totals(void **state)
{
	(void)state;
	struct mapped g;
	mapped_read(&g,
	            S("map: x\nnodes: {id: n, gpus: g, pool: p, model: m, from: f, to: t,\n"
	              "  state: {column: s, values: {ok: up, broken: failed}}}\n"),
	            S("n,g,p,m,f,t,s\n"
	              "a,8,main,H100,2026-01-01,2026-01-02,ok\n"
	              "b,4,,T4,,,broken\n"
	              "c,0,,,,,\n"
	              ",1,,,,,\n"
	              "d,1,,,2026-01-02,2026-01-01,\n"),
	            0);
	const struct facts *f = &g.f;
	assert_string_equal(g.err.text, "");
	assert_int_equal(f->nodes.n, 3);
	assert_int_equal(f->capacity.n, 2);
	assert_int_equal(f->inputs.v[0].rejected, 2);
	assert_int_equal(f->capacity.v[0].count, 8);
	assert_str(names_word(&f->names, f->capacity.v[0].pool), "main");
	assert_false(f->capacity.v[0].is_snapshot);
	assert_int_equal(f->capacity.v[0].to_ms - f->capacity.v[0].from_ms, 86400000);
	assert_str(names_word(&f->names, f->capacity.v[1].pool), "b");
	assert_str(names_word(&f->names, f->capacity.v[1].node), "b");
	assert_int_equal(f->capacity.v[1].state, CAPACITY_FAILED);
	assert_true(f->capacity.v[1].is_snapshot);
	mapped_drop(&g);
	mapped_read(&g, S("map: x\ntime: epoch\ntotals: {time: t, to: u, gpus: g, running: r}\n"),
	            S("t,u,g,r\n0,60,8,4\n60,60,8,4\n60,,8,4\n,120,8,4\n120,180,8,9\n180,240,,\n"),
	            0);
	assert_int_equal(f->totals.n, 2);
	assert_int_equal(f->totals.v[0].running, 4);
	assert_int_equal(f->totals.v[1].gpus, COUNT_UNKNOWN);
	assert_int_equal(f->totals.v[1].idle, COUNT_UNKNOWN);
	assert_int_equal(f->inputs.v[0].rejected, 4);
	assert_str(names_word(&f->names, f->rejects.v[0].reason), "an interval without a length");
	assert_str(names_word(&f->names, f->rejects.v[2].reason), "no time");
	assert_str(names_word(&f->names, f->rejects.v[3].reason),
	           "more GPUs run (9) than there are (8)");
	mapped_drop(&g);
}

/* Nodes of one pool are one count, which changes when a node comes or goes. */
static void pools(void **state)
{
	(void)state;
	struct mapped g;
	mapped_read(&g,
	            S("map: x\ntime: epoch\n"
	              "nodes: {id: n, gpus: g, pool: p, model: m, from: f, to: t}\n"),
	            S("n,g,p,m,f,t\n"
	              "a,8,x,H100,10,40\n"
	              "b,4,x,H100,20,\n"
	              "c,2,x,H100,40,50\n"
	              "d,2,y,T4,10,20\n"
	              "e,2,y,L4,30,40\n"
	              "f,1,z,T4,,\n"
	              "g,2,z,T4,,\n"
	              "h,3,z,T4,,60\n"),
	            0);
	static const struct {
		const char *pool, *model;
		int64_t from_s, to_s;
		uint32_t count;
	} want[] = {
		{ "x", "H100", 10, 20, 8 }, { "x", "H100", 20, 40, 12 }, { "x", "H100", 40, 50, 6 },
		{ "x", "H100", 50, -1, 4 }, { "y", "", 10, 20, 2 },      { "y", "", 30, 40, 2 },
		{ "z", "T4", -1, 60, 6 },   { "z", "T4", 60, -1, 3 },
	};
	const struct facts *f = &g.f;
	assert_string_equal(g.err.text, "");
	assert_int_equal(f->capacity.n, sizeof want / sizeof *want);
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *c = &f->capacity.v[i];
		assert_str(names_word(&f->names, c->pool), want[i].pool);
		assert_str(names_word(&f->names, c->model), want[i].model);
		assert_int_equal(c->count, want[i].count);
		assert_int_equal(c->from_ms,
		                 want[i].from_s < 0 ? TIME_UNKNOWN : want[i].from_s * 1000);
		assert_int_equal(c->to_ms, want[i].to_s < 0 ? TIME_UNKNOWN : want[i].to_s * 1000);
		assert_int_equal(c->is_snapshot, want[i].from_s < 0);
		assert_int_equal(c->node, 0);
	}
	mapped_drop(&g);
}

/* A wide table: one row for each column that is not fixed. */
static void wide(void **state)
{
	(void)state;
	struct mapped g;
	struct str map =
	        S("map: x\ntime: epoch\ncsv: {wide: {fixed: [t, sum], name: p, value: v}}\n"
	          "nodes: {pool: p, gpus: v, from: t, every: 10s}\n");
	mapped_read(&g, map, S("t,a,\"b\"\"\",sum\n0,8,\"1\",9\n10,8,x,8\n20,9\n"), 0);
	const struct facts *f = &g.f;
	assert_string_equal(g.err.text, "");
	assert_int_equal(f->inputs.v[0].records, 5);
	assert_int_equal(f->inputs.v[0].rejected, 2);
	assert_str(names_word(&f->names, f->rejects.v[0].reason), "gpus: 'x' is not a number");
	assert_int_equal(f->nodes.n, 0);
	assert_int_equal(f->capacity.n, 3);
	assert_int_equal(f->capacity.v[1].from_ms, 10000);
	assert_int_equal(f->capacity.v[1].to_ms, 20000);
	assert_int_equal(f->capacity.v[1].count, 8);
	assert_int_equal(f->capacity.v[2].count, 1);
	mapped_drop(&g);
	for (unsigned n = FIELDS_MAX - 2; n < FIELDS_MAX; n++) {
		auto_text t = TEXT_NULL;
		text_add(&t, S("t,sum"));
		for (unsigned i = 2; i < n; i++)
			text_printf(&t, ",c%u", i);
		text_add(&t, S("\n"));
		mapped_read(&g, map, text_str(&t), 0);
		assert_string_equal(g.err.text, n == FIELDS_MAX - 2 ? "" : "not recognised");
		mapped_drop(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_errors),   cmocka_unit_test(times),
		cmocka_unit_test(jobs),         cmocka_unit_test(gpus),
		cmocka_unit_test(words),        cmocka_unit_test(opening),
		cmocka_unit_test(long_records), cmocka_unit_test(nodes_and_totals),
		cmocka_unit_test(pools),        cmocka_unit_test(wide),
		cmocka_unit_test(lost_starts),
	};
	return RUN_TESTS(tests);
}
