/* SPDX-License-Identifier: Apache-2.0 */
/* The logs of machines' power meters: ptdaemon and mlperf_power. */
#include "lib/whole.h"

#include "parse/zone.h"

extern const struct reader reader_ptdaemon, reader_mlperf_power;

static const char *reject(const struct whole *w, size_t i)
{
	assert_true(i < w->f.rejects.n);
	return names_word(&w->f.names, w->f.rejects.v[i].reason).p;
}

static void reading_is(const struct whole *w, size_t i, int64_t t_ms, int64_t milliwatts)
{
	assert_true(i < w->f.node_power.n);
	assert_int_equal(w->f.node_power.v[i].t_ms, t_ms);
	assert_int_equal(w->f.node_power.v[i].milliwatts, milliwatts);
	assert_string_equal(names_word(&w->f.names, w->f.node_power.v[i].node).p, "in");
}

static void spl(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_ptdaemon,
	        S("\nTime,07-28-2025 08:09:12.507,Watts,2884.000000,Volts,211.026667,Ch1,Watts,976."
	          "0\r\n"
	          "Time,07-28-2025 08:09:13.506,Watts,-2.0,Volts,1\n"
	          "Time,13-28-2025 08:09:13.506,Watts,1,Volts,1\n"
	          "Time,07-28-2025 08:09:14.506,Volts,211.0,Watts,1\n"
	          "Time,07-28-2025 08:09:15.506,Watts\n"
	          "Time,07-28-2025 08:09:16.506,Watts,\"2\n"
	          "Time,07-28-2025 08:09:17,Watts,100000\n"));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.node_power.n, 2);
	reading_is(&w, 0, INT64_C(1753690152507), 2884000);
	reading_is(&w, 1, INT64_C(1753690157000), 100000000);
	assert_int_equal(w.f.samples.n + w.f.devices.n + w.f.jobs.n, 0);
	assert_int_equal(w.f.inputs.v[0].records, 7);
	assert_int_equal(w.f.inputs.v[0].rejected, 5);
	assert_string_equal(reject(&w, 0), "'-2.0' is no power of a machine in watts");
	assert_int_equal(w.f.rejects.v[0].line, 3);
	assert_string_equal(reject(&w, 1),
	                    "'13-28-2025 08:09:13.506' is not a time like 07-28-2025 08:09:12.507");
	assert_string_equal(reject(&w, 2), "the line does not begin with Time,...,Watts,...");
	assert_int_equal(w.f.notes.n, 2);
	whole_drop(&w);
	assert_int_equal(reader_ptdaemon.recognise(S("Time,Power\n1,2\n"), NULL), 0);
	assert_int_equal(reader_ptdaemon.recognise(S("Time,today,Watts,3\n"), NULL), 0);
	assert_int_equal(reader_ptdaemon.recognise(S("\n\n"), NULL), 0);
}

static void in_a_zone(void **state)
{
	(void)state;
	struct zone berlin = { .first_offset_s = 7200 };
	struct read_options o = { .zone = &berlin, .input_name = S("x") };
	struct read_run run = { .options = &o };
	struct err err = { 0 };
	struct facts f;
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ 0 };
	assert_int_equal(
	        reader_ptdaemon.feed(&run, S("Time,07-28-2025 08:09:12.507,Watts,1,"), 1, &f, &err),
	        ERR_OK);
	assert_int_equal(reader_ptdaemon.end(&run, &f, &err), ERR_OK);
	assert_int_equal(f.node_power.v[0].t_ms, INT64_C(1753690152507) - 7200000);
	assert_int_equal(f.notes.n, 1); /* nothing of UTC */
	facts_deinit(&f);
}

/* The stop has the time of the start: a strict reader would find nothing (trap). */
static void mllog(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_mlperf_power,
	        S(":::MLLOG {\"namespace\":\"\",\"time_ms\":1715257320207,\"event_type\":"
	          "\"INTERVAL_START\",\"key\":\"power_measurement_start\",\"value\":\"null\"}\n"
	          ":::MLLOG {\"time_ms\": 1715257324220, \"key\": \"power_reading\", \"value\": "
	          "2617}\n"
	          "0: :::MLLOG {\"time_ms\": 1715257326214, \"key\": \"power_reading\", "
	          "\"value\": 2589.25}\n"
	          ":::MLLOG {\"time_ms\": 1715257328236, \"key\": \"power_reading\", \"value\": "
	          "null}\n"
	          ":::MLLOG {\"time_ms\": \"x\", \"key\": \"power_reading\", \"value\": 1}\n"
	          ":::MLLOG {\"time_ms\": 17152573282\n"
	          "power_reading\n"
	          ":::MLLOG {\"time_ms\":1715257320207,\"event_type\":\"INTERVAL_END\",\"key\":"
	          "\"power_measurement_stop\",\"value\":\"null\"}\n"));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.f.node_power.n, 2);
	reading_is(&w, 0, 1715257324220, 2617000);
	reading_is(&w, 1, 1715257326214, 2589250);
	assert_int_equal(w.f.inputs.v[0].records, 8);
	assert_int_equal(w.f.inputs.v[0].rejected, 4);
	assert_string_equal(reject(&w, 0), "'null' is no power of a machine in watts");
	assert_string_equal(reject(&w, 1), "a reading without time_ms");
	assert_string_equal(reject(&w, 2), "no line of MLPerf's log (:::MLLOG {...})");
	whole_drop(&w);
	assert_int_equal(reader_mlperf_power.recognise(
	                         S(":::MLLOG {\"key\": \"init_start\", \"time_ms\": 1}\n"), NULL),
	                 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(spl),
		cmocka_unit_test(in_a_zone),
		cmocka_unit_test(mllog),
	};
	return RUN_TESTS(tests);
}
