/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/mapped.h"

#include <stdio.h>

static int64_t value(const struct facts *f, size_t i, enum metric_id m)
{
	assert_true(i < f->samples.n);
	assert_true(f->samples.v[i].known >> m & 1);
	assert_int_equal(f->samples.v[i].why[m], WHY_KNOWN);
	return f->samples.v[i].v[m];
}

static const char *word(const struct facts *f, sym id)
{
	return names_word(&f->names, id).p;
}

static bool has_note(const struct facts *f, const char *part)
{
	for (size_t i = 0; i < f->notes.n; i++)
		if (strstr(word(f, f->notes.v[i].text), part))
			return true;
	return false;
}

/* Every unit, to the last digit that is kept. */
static void units(void **state)
{
	(void)state;
	static const struct {
		const char *metric, *unit, *text;
		enum metric_id id;
		int64_t want;
	} of[] = {
		{ "gpu_util", "percent", "6.394822", METRIC_gpu_util, 6394822 },
		{ "gpu_util", "ratio", "0.07", METRIC_gpu_util, 7000000 },
		{ "sm", "permille", "999", METRIC_sm, 99900000 },
		{ "power", "W", "71.15", METRIC_power, 71150 },
		{ "power", "mW", "32402", METRIC_power, 32402 },
		{ "power", "kW", "1.5", METRIC_power, 1500000 },
		{ "power", "W", "86.86460850784009", METRIC_power, 86864 },
		{ "power", "W", "113.333333333333333333", METRIC_power, 113333 },
		{ "mem_used", "bytes", "33879490560.0", METRIC_mem_used, 32310000 },
		{ "mem_used", "KiB", "1024", METRIC_mem_used, 1000 },
		{ "mem_used", "MiB", "1", METRIC_mem_used, 1000 },
		{ "mem_used", "GiB", "2", METRIC_mem_used, 2048000 },
		{ "mem_used", "MB", "1048.576", METRIC_mem_used, 1000000 },
		{ "sm_clock", "Hz", "1500000000", METRIC_sm_clock, 1500000 },
		{ "sm_clock", "GHz", "1.5", METRIC_sm_clock, 1500000 },
		{ "energy", "mJ", "1234567", METRIC_energy, 1234567 },
		{ "energy", "kWh", "1", METRIC_energy, 3600000000 },
		{ "energy", "uJ", "1999", METRIC_energy, 1 },
		{ "temperature", "C", "-3.5", METRIC_temperature, -3500 },
		{ "temperature", "mC", "45001", METRIC_temperature, 45001 },
		{ "pcie", "MB/s", "2617", METRIC_pcie, 2617000000 },
		{ "pcie", "GiB/s", "1", METRIC_pcie, 1073741824 },
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		char yaml[256], csv[128];
		struct mapped g;
		snprintf(yaml, sizeof yaml,
		         "map: x\ntime: epoch\nsamples: {time: t, %s: {column: v, unit: %s}}\n",
		         of[i].metric, of[i].unit);
		snprintf(csv, sizeof csv, "t,v\n1,%s\n", of[i].text);
		assert_int_equal(mapped_read(&g, str_of(yaml), str_of(csv), 0), ERR_OK);
		assert_int_equal(g.f.inputs.v[0].rejected, 0);
		assert_int_equal(value(&g.f, 0, of[i].id), of[i].want);
		mapped_drop(&g);
	}
}

#define MAP_WIDE                                                                              \
	"map: x\ntime: epoch\nsamples: {kind: point, time: t, node: n, device: d, model: m, " \
	"gpu_util: u, power: w}\n"

/* Words that are no value keep their reason; what is no number costs itself, and is counted. */
static void values_that_are_none(void **state)
{
	(void)state;
	static const char csv[] = "t,n,d,m,u,w\n"
	                          "1,a,0,X,[N/A],[Not Supported]\n"
	                          "2,a,0,X,ERR!,Insufficient Permissions\n"
	                          "3,a,0,X,,nan\n"
	                          "4,a,0,X,\"0,5\",12\n"
	                          "5,a,0,X,4294967295,12\n"
	                          "6,a,0,X,-1,1e300\n"
	                          ",a,0,X,5,12\n";
	struct mapped g;
	assert_int_equal(mapped_read(&g, S(MAP_WIDE), str_of(csv), 0), ERR_OK);
	const struct facts *f = &g.f;
	static const uint8_t want[][2] = {
		{ WHY_UNSUPPORTED, WHY_UNSUPPORTED }, { WHY_LOST, WHY_NO_PERMISSION },
		{ WHY_ABSENT, WHY_ABSENT },           { WHY_ABSENT, WHY_KNOWN },
		{ WHY_OUT_OF_RANGE, WHY_KNOWN },      { WHY_OUT_OF_RANGE, WHY_OUT_OF_RANGE },
	};
	assert_int_equal(f->samples.n, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(f->samples.v[i].why[METRIC_gpu_util], want[i][0]);
		assert_int_equal(f->samples.v[i].why[METRIC_power], want[i][1]);
		assert_int_equal(f->samples.v[i].kind, SAMPLE_POINT);
	}
	assert_int_equal(f->inputs.v[0].records, 7);
	assert_int_equal(f->inputs.v[0].rejected, 4); /* rows, not readings */
	assert_string_equal(word(f, f->rejects.v[0].reason),
	                    "gpu_util '0,5' is not a number: this reading was left out");
	assert_int_equal(f->rejects.v[0].line, 5);
	assert_string_equal(word(f, f->rejects.v[1].reason),
	                    "gpu_util '4294967295' is out of range: this reading was left out");
	assert_string_equal(word(f, f->rejects.v[3].reason), "no time");
	assert_int_equal(f->devices.n, 1);
	assert_string_equal(word(f, f->devices.v[0].id), "a:0");
	assert_string_equal(word(f, f->devices.v[0].model), "X");
	assert_string_equal(word(f, f->devices.v[0].node), "a");
	mapped_drop(&g);
}

#define MAP_LONG                                                                               \
	"map: x\ntime: epoch\nsamples:\n  time: t\n  device: d\n  job: {column: j, optional: " \
	"true}\n"                                                                              \
	"  metric: {column: k, values: {util: gpu_util ratio, fb: mem_used bytes}, else: "     \
	"unknown}\n"                                                                           \
	"  value: v\n"

/* One reading a row; cut anywhere, the same samples. */
static void long_form(void **state)
{
	(void)state;
	static const char csv[] = "t,d,k,v\n"
	                          "10,GPU-a,util,0.5\n10,GPU-b,util,1\n10,GPU-a,fb,1048576\n"
	                          "20,GPU-a,util,0.25\n20,GPU-a,heat,7\n20,GPU-a,util,0.75\n";
	for (size_t chunk = 0; chunk < 40; chunk += 13) {
		struct mapped g;
		assert_int_equal(mapped_read(&g, S(MAP_LONG), str_of(csv), chunk), ERR_OK);
		assert_int_equal(g.f.devices.n, 2);
		assert_int_equal(g.f.samples.n, 3);
		assert_string_equal(word(&g.f, g.f.samples.v[0].device), "GPU-a");
		assert_int_equal(value(&g.f, 0, METRIC_gpu_util), 50000000);
		assert_int_equal(value(&g.f, 0, METRIC_mem_used), 1000);
		assert_int_equal(value(&g.f, 1, METRIC_gpu_util), 75000000);
		assert_int_equal(g.f.samples.v[1].why[METRIC_mem_used], WHY_ABSENT);
		assert_int_equal(value(&g.f, 2, METRIC_gpu_util), 100000000);
		assert_true(has_note(&g.f, "twice: the last counts"));
		assert_true(has_note(&g.f, "metrics that the map does not name"));
		mapped_drop(&g);
	}
}

static void hold_is(const struct facts *f, size_t i, const char *device, const char *job,
                    int64_t from_s, int64_t to_s)
{
	assert_true(i < f->allocations.n);
	const struct allocation_entry e = allocation_entry_of(f, &f->allocations.v[i]), *a = &e;
	assert_string_equal(word(f, a->place), device);
	assert_string_equal(job_id(f, &f->jobs.v[a->job]).p, job);
	assert_int_equal(a->from_ms, from_s * 1000);
	assert_int_equal(a->to_ms, to_s * 1000);
	assert_int_equal(a->on, CLAIM_DEVICE);
}

/* A job holds a GPU while its rows last: not over another's rows, and not over long gaps. */
static void jobs_hold(void **state)
{
	(void)state;
	static const char csv[] = "t,d,j,k,v\n"
	                          "100,a,one,util,1\n110,a,one,util,1\n100,b,one,util,0\n"
	                          "120,a,two,util,1\n130,a,,util,1\n140,a,two,util,1\n"
	                          "110,b,one,util,0\n900,b,one,util,0\n150,a,one,util,0\n";
	for (size_t chunk = 0; chunk < 40; chunk += 13) {
		struct mapped g;
		assert_int_equal(mapped_read(&g, S(MAP_LONG), str_of(csv), chunk), ERR_OK);
		const struct facts *f = &g.f;
		assert_int_equal(f->jobs.n, 2);
		assert_int_equal(f->allocations.n, 5);
		hold_is(f, 0, "a", "one", 90, 110);
		hold_is(f, 1, "a", "two", 110, 120);
		hold_is(f, 2, "a", "two", 130, 140); /* at 130 it was nobody's */
		hold_is(f, 3, "a", "one", 140, 150);
		hold_is(f, 4, "b", "one", 100 - 790, 900);
		assert_int_equal(f->jobs.v[0].gpus, 2);
		assert_int_equal(f->jobs.v[0].start_ms, -690000);
		assert_int_equal(f->jobs.v[0].end_ms, 900000);
		assert_int_equal(f->jobs.v[0].outcome, OUTCOME_ENDED);
		assert_false(f->has_scheduler);
		mapped_drop(&g);
	}
}

/* Rows that fail for more than 2.5 periods cut the hold; it goes on a period before the next. */
static void a_gap_cuts_what_a_job_holds(void **state)
{
	(void)state;
	static const char csv[] = "t,d,j,k,v\n"
	                          "100,a,one,util,1\n110,a,one,util,1\n120,a,one,util,1\n"
	                          "145,a,one,util,1\n171,a,one,util,1\n181,a,one,util,1\n"
	                          "191,a,one,util,1\n100,b,one,util,1\n"
	                          "900,a,one,util,1\n910,a,two,util,1\n";
	for (size_t chunk = 0; chunk < 40; chunk += 13) {
		struct mapped g;
		assert_int_equal(mapped_read(&g, S(MAP_LONG), str_of(csv), chunk), ERR_OK);
		const struct facts *f = &g.f;
		assert_int_equal(f->allocations.n, 5);
		hold_is(f, 0, "a", "one", 90, 145); /* 25 s are 2.5 periods, 26 are more */
		hold_is(f, 1, "a", "one", 161, 191);
		hold_is(f, 2, "a", "one", 890, 900);
		hold_is(f, 3, "a", "two", 900, 910);
		hold_is(f, 4, "b", "one", 100, 100); /* one moment */
		assert_int_equal(f->jobs.v[0].gpus, 2);
		assert_int_equal(f->jobs.v[0].start_ms, 90000);
		assert_int_equal(f->jobs.v[0].end_ms, 900000);
		mapped_drop(&g);
	}
}

static void a_gap_is_one_of_stated_periods(void **state)
{
	(void)state;
	static const char csv[] = "t,p,d,j,u\n"
	                          "100,10,a,one,1\n110,10,a,one,1\n200,60,a,one,1\n"
	                          "400,60,a,one,1\n";
	struct mapped g;
	assert_int_equal(
	        mapped_read(&g,
	                    S("map: x\ntime: epoch\nsamples:\n  time: t\n  period: p\n  device: d\n"
	                      "  job: j\n  gpu_util: {column: u, unit: ratio}\n"),
	                    str_of(csv), 0),
	        ERR_OK);
	assert_int_equal(g.f.allocations.n, 2);
	hold_is(&g.f, 0, "a", "one", 90, 200); /* 90 s are 1.5 periods of the newer row */
	hold_is(&g.f, 1, "a", "one", 340, 400);
	mapped_drop(&g);
}

/* Rows that each cover their own period, and what runs on the GPU. */
static void periods_and_processes(void **state)
{
	(void)state;
	static const char yaml[] =
	        "map: x\ntime: {since: 2000-01-01, unit: s, arbitrary: true}\n"
	        "samples: {time: l, period: l, device: {columns: [n, g], join: /}, job: j, "
	        "job_kind: {constant: service}, user: u, "
	        "process: {column: p, split: ' ', default: none}, sm: s}\n";
	static const char csv[] = "n,g,j,u,p,l,s\nr1,0,7,ann,7 8,4452.47,11.0\nr1,1,7,ann,,60,0\n";
	struct mapped g;
	assert_int_equal(mapped_read(&g, str_of(yaml), str_of(csv), 0), ERR_OK);
	const struct facts *f = &g.f;
	assert_int_equal(f->samples.n, 2);
	assert_int_equal(f->samples.v[0].period_ms, 4452470);
	assert_int_equal(f->samples.v[0].t_ms, 946684800000 + 4452470);
	assert_int_equal(f->samples.v[0].kind, SAMPLE_AVERAGE);
	assert_int_equal(f->samples.v[0].procs_why, WHY_KNOWN);
	assert_int_equal(f->samples.v[0].procs_n, 2);
	assert_string_equal(word(f, f->syms.v[f->samples.v[0].procs_at + 1]), "8");
	assert_int_equal(f->samples.v[1].procs_why, WHY_KNOWN);
	assert_int_equal(f->samples.v[1].procs_n, 0);
	assert_int_equal(allocation_portion(f, &f->allocations.v[0])->from_ms, 946684800000);
	assert_int_equal(allocation_portion(f, &f->allocations.v[0])->to_ms,
	                 946684800000 + 4452470);
	assert_int_equal(allocation_portion(f, &f->allocations.v[1])->to_ms, 946684860000);
	assert_int_equal(f->jobs.v[0].kind, KIND_SERVICE);
	assert_string_equal(word(f, job_traits(f, f->jobs.v).user), "ann");
	assert_true(has_note(f, "dates mean nothing"));
	mapped_drop(&g);
}

/* The same columns in another order, or with other values, are another file. */
static void recognised_by_order_and_rows(void **state)
{
	(void)state;
	static const char yaml[] =
	        "map: x\nrecognise: {header: [v, t], in-order: true, match: {v: '^\\d{3}$'}}\n"
	        "time: epoch\nsamples: {time: t, mem_used: v}\n";
	struct mapped g;
	assert_int_equal(mapped_read(&g, str_of(yaml), S("v,t\n123,1\n"), 0), ERR_OK);
	mapped_drop(&g);
	assert_int_equal(mapped_read(&g, str_of(yaml), S("t,v\n1,123\n"), 0), ERR_INPUT);
	mapped_drop(&g);
	assert_int_equal(mapped_read(&g, str_of(yaml), S("v,t\n12,1\n"), 0), ERR_INPUT);
	mapped_drop(&g);
}

static struct sample *sample_at(struct facts *f, int64_t t_ms, enum metric_id id, int64_t v)
{
	struct sample *s = facts_sample(f, facts_word(f, S("d")), t_ms);
	s->v[id] = v;
	s->why[id] = WHY_KNOWN;
	s->known = metric_bit(id);
	return s;
}

/* Two files, each with a metric: one sample. The same metric twice: two, unless asked. */
static void joined(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	sample_at(&f, 5, METRIC_power, 1);
	sample_at(&f, 4, METRIC_power, 2);
	sample_at(&f, 5, METRIC_gpu_util, 3)->why[METRIC_sm] = WHY_NO_PERMISSION;
	sample_at(&f, 4, METRIC_power, 9);
	sample_at(&f, 4, METRIC_sm, 9)->kind = SAMPLE_POINT;
	facts_join_samples(&f, false);
	assert_int_equal(f.samples.n, 4);
	assert_int_equal(f.samples.v[0].known,
	                 metric_bit(METRIC_power) | metric_bit(METRIC_gpu_util));
	assert_int_equal(f.samples.v[0].why[METRIC_sm], WHY_NO_PERMISSION);
	facts_join_samples(&f, true);
	assert_int_equal(f.samples.n, 3);
	assert_int_equal(f.samples.v[1].v[METRIC_power], 9);
	assert_int_equal(f.notes.n, 1);
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(values_that_are_none),
		cmocka_unit_test(long_form),
		cmocka_unit_test(jobs_hold),
		cmocka_unit_test(a_gap_cuts_what_a_job_holds),
		cmocka_unit_test(a_gap_is_one_of_stated_periods),
		cmocka_unit_test(periods_and_processes),
		cmocka_unit_test(recognised_by_order_and_rows),
		cmocka_unit_test(joined),
	};
	return RUN_TESTS(tests);
}
