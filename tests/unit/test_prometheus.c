/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/text.h"
#include "lib/dump.h"
#include "lib/pieces.h"
#include "read/exporter.h"

extern const struct reader reader_prometheus;

#define AT "# 2026-10-01T00:00:00Z\n"
#define T0 INT64_C(1790812800000)

static bool has_note(const struct facts *f, const char *part)
{
	for (size_t i = 0; i < f->notes.n; i++) {
		struct str text = names_word(&f->names, f->notes.v[i].text);
		if (str_find(text, str_of(part)) < text.n)
			return true;
	}
	return false;
}

/* Every metric under its old and its new name. */
static void test_metrics(void **state)
{
	static const struct {
		const char *name, *value;
		enum metric_id id;
		int64_t want;
	} cases[] = {
		{ "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "0.156", METRIC_gr, 15600000 },
		{ "DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", "1", METRIC_gr, 100000000 },
		{ "DCGM_FI_PROF_SM_ACTIVE", "0.002", METRIC_sm, 200000 },
		{ "DCGM_FI_PROF_SM_UTIL_RATIO", "0.3", METRIC_sm, 30000000 },
		{ "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "5.8e-03", METRIC_tensor, 580000 },
		{ "DCGM_FI_PROF_PIPE_FP16_ACTIVE", "0.1", METRIC_fp16, 10000000 },
		{ "DCGM_FI_PROF_FP32_UTIL_RATIO", "0.2", METRIC_fp32, 20000000 },
		{ "DCGM_FI_PROF_PIPE_FP64_ACTIVE", "0.3", METRIC_fp64, 30000000 },
		{ "DCGM_FI_PROF_DRAM_ACTIVE", "0.093", METRIC_dram, 9300000 },
		{ "DCGM_FI_DEV_GPU_UTIL", "91", METRIC_gpu_util, 91000000 },
		{ "DCGM_FI_DEV_GPU_UTIL_RATIO", "1", METRIC_gpu_util, 1000000 },
		{ "dcgm_gpu_utilization", "50", METRIC_gpu_util, 50000000 },
		{ "DCGM_FI_DEV_POWER_USAGE", "68.250000", METRIC_power, 68250 },
		{ "DCGM_FI_DEV_BOARD_POWER_WATTS", "68", METRIC_power, 68000 },
		{ "DCGM_FI_DEV_POWER_MGMT_LIMIT", "700", METRIC_power_limit, 700000 },
		{ "DCGM_FI_DEV_FB_RESERVED", "479", METRIC_mem_reserve, 479000 },
		{ "DCGM_FI_DEV_FB_USED", "59", METRIC_mem_used, 59000 },
		{ "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "1", METRIC_idle_reason, 1 },
		{ "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "4", METRIC_idle_reason, 0 },
		{ "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "5", METRIC_throttle, 5 },
		{ "DCGM_FI_PROF_SM_OCCUPANCY", "0.25", METRIC_occupancy, 25000000 },
		{ "DCGM_FI_DEV_MEM_COPY_UTIL", "12", METRIC_mem_util, 12000000 },
		{ "DCGM_FI_DEV_ENC_UTIL", "3", METRIC_encoder, 3000000 },
		{ "DCGM_FI_DEV_DEC_UTIL", "4", METRIC_decoder, 4000000 },
		{ "DCGM_FI_DEV_SM_CLOCK", "1980", METRIC_sm_clock, 1980000 },
		{ "DCGM_FI_DEV_MAX_MEM_CLOCK", "2619", METRIC_mem_clock_max, 2619000 },
		{ "DCGM_FI_DEV_GPU_TEMP", "-3.5", METRIC_temperature, -3500 },
		{ "DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", "41", METRIC_mem_temperature, 41000 },
		{ "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "5551899580", METRIC_energy, 5551899580 },
		{ "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "2147483634", METRIC_energy, 2147483634 },
		{ "DCGM_FI_DEV_POWER_USAGE_INSTANT", "71.5", METRIC_power, 71500 },
		{ "DCGM_FI_DEV_FB_TOTAL", "81559", METRIC_mem_size, 81559000 },
		{ "DCGM_FI_PROF_SM_ACTIVE", "0.84743373693723271099", METRIC_sm, 84743373 },
		{ "DCGM_FI_PROF_SM_ACTIVE", "00000000000000000000.5", METRIC_sm, 50000000 },
		{ "DCGM_FI_PROF_SM_ACTIVE", "1.", METRIC_sm, 100000000 },
		{ "DCGM_FI_PROF_SM_ACTIVE", ".25", METRIC_sm, 25000000 },
		{ "DCGM_FI_PROF_SM_ACTIVE", "9.9e-09", METRIC_sm, 0 },
		{ "DCGM_FI_DEV_POWER_USAGE", "99999.99999999999", METRIC_power, 99999999 },
		{ "nvidia_smi_energy_joules_total", "12345678901234.567", METRIC_energy,
		  12345678901234567 },
		{ "dcgm_sm_clock", "1410", METRIC_sm_clock, 1410000 },
		{ "nvidia_smi_utilization_gpu_ratio", "0.42", METRIC_gpu_util, 42000000 },
		{ "nvidia_smi_power_draw_watts", "28.07", METRIC_power, 28070 },
		{ "nvidia_smi_memory_used_bytes", "7.06740224e+08", METRIC_mem_used, 674000 },
		{ "nvidia_smi_memory_total_bytes", "8589934592", METRIC_mem_size, 8192000 },
		{ "nvidia_smi_clocks_max_sm_clock_hz", "2.28e+09", METRIC_sm_clock_max, 2280000 },
		{ "nvidia_smi_clocks_current_sm_clock_hz", "6000000", METRIC_sm_clock, 6000 },
		{ "nvidia_smi_energy_joules_total", "12.5", METRIC_energy, 12500 },
		{ "nvidia_smi_clocks_event_reasons_gpu_idle", "1", METRIC_idle_reason, 1 },
		{ "gpu_gfx_activity", "88", METRIC_gpu_util, 88000000 },
		{ "amd_GPU_UMC_ACTIVITY", "7", METRIC_dram, 7000000 },
		{ "gpu_package_power", "748", METRIC_power, 748000 },
		{ "gpu_energy_consumed", "1.4e17", METRIC_energy, 140000000000000 },
		{ "gpu_used_vram", "183265", METRIC_mem_used, 183265000 },
		{ "pcie_bandwidth", "8000", METRIC_pcie, 1000000000 },
		{ "gpu_utilization_Percentage", "17", METRIC_gpu_util, 17000000 },
		{ "gpu_memory_total_MiB", "24564", METRIC_mem_size, 24564000 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		struct whole w = whole_read(&reader_prometheus,
		                            str_of(arena_printf(&a, AT "%s{UUID=\"GPU-a\"} %s\n",
		                                                cases[i].name, cases[i].value)));
		if (w.score != 90 || w.f.samples.n != 1 ||
		    !(w.f.samples.v[0].known & metric_bit(cases[i].id)) ||
		    w.f.samples.v[0].v[cases[i].id] != cases[i].want)
			fail_msg("%s: score %d, %zu samples, known %llx, %lld", cases[i].name,
			         w.score, w.f.samples.n,
			         w.f.samples.n ? (unsigned long long)w.f.samples.v[0].known : 0,
			         w.f.samples.n ? (long long)w.f.samples.v[0].v[cases[i].id] : 0);
		whole_drop(&w);
	}
}

/* Case 3: the four blanks in three types and as text are four reasons. */
static void test_blanks(void **state)
{
	static const struct {
		const char *value[6];
		enum why why;
	} cases[] = {
		{ { "2147483632", "9223372036854775792", "140737488355328.0", "<<<NULL>>>",
		    "1.40737488355328e+14", "140737488355328" },
		  WHY_NOT_READY },
		{ { "2147483633", "9223372036854775793", "140737488355329.0", "<<<NOT_FOUND>>>",
		    "1.40737488355329e+14", "9.223372036854776e+18" },
		  WHY_ABSENT },
		{ { "2147483634", "9223372036854775794", "140737488355330.0", "<<<NOT_SUPPORTED>>>",
		    "1.4073748835533e+14", "2.147483634e+09" },
		  WHY_UNSUPPORTED },
		{ { "2147483635", "9223372036854775795", "140737488355331.0", "<<<NOT_PERM>>>",
		    "1.40737488355331e+14", "2147483635.0" },
		  WHY_NO_PERMISSION },
	};
	static const char *const values[] = { "2147483631",
		                              "2147483636",
		                              "9223372036854775791",
		                              "140737488355332",
		                              "140737488355328.5",
		                              "0",
		                              "NaN",
		                              "<<<OTHER>>>",
		                              "" };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t k = 0; k < 6; k++)
			if (exporter_blank(str_of(cases[i].value[k]), false) != cases[i].why)
				fail_msg("%s", cases[i].value[k]);
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (exporter_blank(str_of(values[i]), false) != WHY_KNOWN)
			fail_msg("%s", values[i]);
	struct whole w = whole_read(&reader_prometheus,
	                            S(AT "DCGM_FI_PROF_SM_ACTIVE{gpu=\"0\"} <<<NOT_PERM>>>\n"
	                                 "DCGM_FI_PROF_DRAM_ACTIVE{gpu=\"0\"} 2147483634\n"
	                                 "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 7\n"));
	assert_int_equal(w.f.samples.n, 1);
	assert_int_equal(w.f.samples.v[0].why[METRIC_sm], WHY_NO_PERMISSION);
	assert_int_equal(w.f.samples.v[0].why[METRIC_dram], WHY_UNSUPPORTED);
	assert_int_equal(w.f.samples.v[0].known, metric_bit(METRIC_gpu_util));
	assert_int_equal(w.f.samples.v[0].kind, SAMPLE_POINT);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_true(has_note(&w.f, "CAP_SYS_ADMIN"));
	whole_drop(&w);
}

/* Case 4 */
static void test_out_of_range(void **state)
{
	static const char *const values[] = {
		"4294967295", "125000", "-1", "100.1", "+Inf", "1e40"
	};
	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		auto_arena a = ARENA_NULL;
		struct whole w =
		        whole_read(&reader_prometheus,
		                   str_of(arena_printf(&a,
		                                       AT "DCGM_FI_DEV_GPU_UTIL{UUID=\"a\"} %s\n"
		                                          "DCGM_FI_DEV_POWER_USAGE{UUID=\"a\"} 5\n",
		                                       values[i])));
		assert_int_equal(w.f.inputs.v[0].records, 2);
		assert_int_equal(w.f.inputs.v[0].rejected, 1);
		assert_int_equal(w.f.rejects.v[0].line, 2);
		assert_str(names_word(&w.f.names, w.f.rejects.v[0].reason),
		           "DCGM_FI_DEV_GPU_UTIL: out of range");
		assert_int_equal(w.f.samples.v[0].why[METRIC_gpu_util], WHY_OUT_OF_RANGE);
		assert_int_equal(w.f.samples.v[0].known, metric_bit(METRIC_power));
		whole_drop(&w);
	}
}

/* Case 16: a GPU that four pods share is one GPU at 99 %. */
static void test_shared_gpu(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_prometheus,
	        S(AT "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\",pod=\"p1\",namespace=\"x\"} 99\n"
	             "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\",pod=\"p2\",namespace=\"x\"} 99\n"
	             "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\",exported_pod=\"p3\",pod=\"e\"} 99\n"
	             "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\",pod=\"p4\",vgpu=\"\"} 99\n"
	             "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\",vgpu=\"1\"} 98\n"));
	assert_int_equal(w.f.devices.n, 1);
	assert_int_equal(w.f.samples.n, 1);
	assert_int_equal(w.f.samples.v[0].v[METRIC_gpu_util], 99000000);
	assert_int_equal(w.f.jobs.n, 4);
	assert_int_equal(w.f.allocations.n, 0); /* a moment is no time */
	assert_true(has_note(&w.f, "one moment"));
	whole_drop(&w);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		int64_t want; /* TIME_UNKNOWN: no sample */
	} cases[] = {
		{ "M 5\n", TIME_UNKNOWN },
		{ "M 5 1790812800000\n", T0 },
		{ "M 5 1790812800\n# EOF\n", T0 },
		{ "M 5 1790812800.123\n", T0 + 123 },
		{ "# scraped at: 1790812800\nM 5\n", T0 },
		{ "# time=2026-10-01 00:00:00Z\nM 5\n", T0 },
		{ "# node 12 of 40\nM 5\n", TIME_UNKNOWN },
		{ "# HELP x 2026-10-01T00:00:00Z\nM 5\n", TIME_UNKNOWN },
		{ "# 2026-10-01T00:00:00Z\nM 5 1790812830000\n", T0 + 30000 },
		{ "# 2026-10-01T00:00:00Z\nM 5 12\n", TIME_UNKNOWN },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		for (const char *p = cases[i].text; *p; p++)
			if (*p == 'M')
				text_add(&t, S("DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-a\"}"));
			else
				text_byte(&t, *p);
		struct whole w = whole_read(&reader_prometheus, text_str(&t));
		int64_t got = w.f.samples.n ? w.f.samples.v[0].t_ms : TIME_UNKNOWN;
		if (got != cases[i].want || w.f.devices.n + w.f.rejects.n != 1)
			fail_msg("%s: %lld", cases[i].text, (long long)got);
		whole_drop(&w);
	}
}

/* Case 7: what stands still is a gap; the same time stamp again is the same reading. */
static void test_source_dies(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	for (int i = 0; i < 40; i++) {
		text_printf(&t, "# %lld\n", (long long)(T0 / 1000 + (int64_t)i * 30));
		text_printf(&t,
		            "DCGM_FI_DEV_GPU_UTIL{UUID=\"a\"} 50\n"
		            "DCGM_FI_DEV_POWER_USAGE{UUID=\"a\"} %d.125\n",
		            i < 10 ? 100 + i : 300);
	}
	struct whole w = whole_read(&reader_prometheus, text_str(&t));
	assert_int_equal(w.f.samples.n, 11);
	assert_int_equal(w.f.samples.v[10].t_ms, T0 + 300000);
	assert_true(has_note(&w.f, "not measured again"));
	whole_drop(&w);
	w = whole_read(&reader_prometheus,
	               S("DCGM_FI_DEV_GPU_UTIL{UUID=\"a\"} 50 1790812800000\n"
	                 "DCGM_FI_DEV_GPU_UTIL{UUID=\"a\"} 50 1790812800000\n"
	                 "DCGM_FI_DEV_GPU_UTIL{UUID=\"a\"} 50 1790812800000\n"));
	assert_int_equal(w.f.samples.n, 1);
	whole_drop(&w);
}

static void test_devices(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_prometheus,
	        S(AT "DCGM_FI_PROF_SM_ACTIVE{UUID=\"G\",GPU_I_ID=\"7\",GPU_I_PROFILE=\"1g.10gb\","
	             "Hostname=\"n\",modelName=\"NVIDIA H100\"} 0.5\n"
	             "DCGM_FI_DEV_POWER_USAGE{UUID=\"G\",GPU_I_ID=\"7\",GPU_I_PROFILE=\"1g.10gb\"} "
	             "99\n"
	             "DCGM_FI_PROF_SM_ACTIVE{UUID=\"G\",GPU_I_ID=\"1\",GPU_I_PROFILE=\"1c.3g."
	             "40gb\"} 0\n"
	             "DCGM_FI_DEV_POWER_USAGE{UUID=\"G\",hostname=\"n\"} 99\n"
	             "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",hostname=\"m\"} 9\n"
	             "DCGM_FI_DEV_GPU_UTIL{Hostname=\"m\"} 9\n"
	             "DCGM_FI_DEV_CPU_UTIL_TOTAL{cpu=\"0\"} 9\n"));
	const struct facts *f = &w.f;
	assert_int_equal(f->devices.n, 2);
	assert_true(f->devices.v[0].mig);
	assert_str(names_word(&f->names, f->devices.v[0].model), "NVIDIA H100");
	assert_str(names_word(&f->names, f->devices.v[1].id), "m/0");
	assert_int_equal(f->instances.n, 2);
	assert_str(names_word(&f->names, f->instances.v[0].id), "G/7");
	assert_int_equal(f->instances.v[0].slices, 1);
	assert_int_equal(f->instances.v[1].slices, 3);
	assert_int_equal(f->samples.n, 4);
	assert_int_equal(f->samples.v[0].known, metric_bit(METRIC_sm)); /* not the device's power */
	assert_int_equal(f->inputs.v[0].rejected, 1);
	assert_int_equal(f->rejects.v[0].line, 7);
	whole_drop(&w);
}

/* DCGM's used memory is without the driver's reserve; a sample's is with it (case 11). */
static void test_memory(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_prometheus,
	                            S(AT "DCGM_FI_DEV_FB_USED{UUID=\"a\"} 59\n"
	                                 "DCGM_FI_DEV_FB_RESERVED{UUID=\"a\"} 479\n"
	                                 "DCGM_FI_DEV_ENFORCED_POWER_LIMIT{UUID=\"a\"} 500\n"
	                                 "DCGM_FI_DEV_POWER_MGMT_LIMIT{UUID=\"a\"} 700\n"));
	assert_int_equal(w.f.samples.v[0].v[METRIC_mem_used], 538000);
	assert_int_equal(w.f.samples.v[0].v[METRIC_mem_reserve], 479000);
	assert_int_equal(w.f.samples.v[0].v[METRIC_power_limit], 500000);
	whole_drop(&w);
}

/* Lines in another order, labels in another order: the same samples. */
static struct str shuffled(struct arena *a, struct str text)
{
	auto_text t = TEXT_NULL;
	VEC(struct str) lines = { 0 };
	struct str line;
	struct prom_line *l = ARENA_NEW(a, struct prom_line);
	text_add(&t, S(AT));
	while (str_cut_line(&text, &line))
		*vec_push(&lines) = line;
	for (size_t i = lines.n; i-- > 0;) {
		if (prom_line_read(l, a, lines.v[i]) != PROM_SAMPLE)
			continue;
		text_add(&t, l->name);
		text_byte(&t, '{');
		for (size_t k = l->labels_n; k-- > 0;)
			text_printf(&t, "%.*s=\"%.*s\",", STR_FMT(l->labels[k].name),
			            STR_FMT(l->labels[k].value));
		text_printf(&t, "} %.*s\n", STR_FMT(l->value));
	}
	vec_deinit(&lines);
	return str_dup(a, text_str(&t));
}

static const struct sample *sample_of(const struct facts *f, struct str id)
{
	for (size_t i = 0; i < f->samples.n; i++)
		if (str_eq(names_word(&f->names, f->samples.v[i].device), id))
			return &f->samples.v[i];
	return NULL;
}

static void test_real(void **state)
{
	static const struct {
		const char *file;
		size_t devices;
		enum metric_id id;
		int64_t sum; /* of this metric over the devices */
	} cases[] = {
		{ "aicr-h100x8-one-pod.prom", 8, METRIC_gpu_util, -1 },
		{ "kops-l4-idle.prom", 1, METRIC_power, 16365 },
		{ "upcloud-l40s-idle.prom", 1, METRIC_power, 35686 },
		{ "kops-l4-idle.prom", 1, METRIC_gpu_util, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[1024], name[256];
		auto_arena a = ARENA_NULL;
		snprintf(name, sizeof name, "data/dcgm-exporter/%s", cases[i].file);
		struct str text = run_file(&a, run_shared(path, sizeof path, name));
		struct whole bare = whole_read(&reader_prometheus, text);
		if (bare.f.devices.n != cases[i].devices || bare.f.samples.n || bare.f.rejects.n ||
		    !has_note(&bare.f, "without times"))
			fail_msg("%s: %zu devices", name, bare.f.devices.n);
		whole_drop(&bare);
		struct str timed = str_of(arena_printf(&a, AT "%s", text.p));
		struct whole x = whole_read(&reader_prometheus, timed);
		struct whole y = whole_read(&reader_prometheus, shuffled(&a, text));
		int64_t sum = 0;
		assert_int_equal(x.f.samples.n, cases[i].devices);
		assert_int_equal(y.f.samples.n, cases[i].devices);
		for (size_t k = 0; k < x.f.samples.n; k++) {
			const struct sample *s = &x.f.samples.v[k];
			const struct sample *o = sample_of(&y.f, names_word(&x.f.names, s->device));
			assert_non_null(o);
			assert_memory_equal(s->v, o->v, sizeof s->v);
			assert_int_equal(s->known, o->known);
			sum += s->v[cases[i].id];
		}
		if (cases[i].sum >= 0 && sum != cases[i].sum)
			fail_msg("%s: %lld", name, (long long)sum);
		whole_drop(&x);
		whole_drop(&y);
	}
}

static void test_recognise(void **state)
{
	static const struct {
		const char *text;
		int score;
	} cases[] = {
		{ "# TYPE DCGM_FI_DEV_SM_CLOCK gauge\n", 90 },
		{ "\n# a comment\nup 1\nDCGM_FI_DEV_SM_CLOCK{gpu=\"0\"} 139\n", 90 },
		{ "up 1\n", 0 },
		{ "JobID|User\nDCGM_FI_DEV_SM_CLOCK 1\n", 0 },
		{ "", 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(reader_prometheus.recognise(str_of(cases[i].text), NULL),
		                 cases[i].score);
}

/* Scrapes of four GPUs that pods hold, as one file: IS_STAMPED: each line has its time, family
   after family over all times. */
static void add_line(struct text *t, const char *metric, unsigned gpu, int i, bool is_stamped)
{
	static const char *const pods[] = { "a", "b", "c" };
	int n = gpu == 1 ? 3 : 1;
	for (int k = 0; k < n; k++) {
		text_printf(t, "%s{gpu=\"%u\",UUID=\"GPU-%u\",Hostname=\"n\"", metric, gpu, gpu);
		if (gpu == 1 || (gpu == 2 && i > 3 && i < 9))
			text_printf(t, ",pod=\"%s\",namespace=\"x\"", pods[k]);
		text_printf(t, "} %d", 10 + i + (int)gpu);
		if (is_stamped)
			text_printf(t, " %lld", (long long)(T0 + (int64_t)i * 30000));
		text_byte(t, '\n');
	}
}

static void add_scrapes(struct text *t, bool is_stamped)
{
	static const char *const names[] = { "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_USAGE",
		                             "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE" };
	for (int a = 0; a < (is_stamped ? 4 : 12); a++) {
		if (!is_stamped)
			text_printf(t, "# %lld\n", (long long)(T0 / 1000 + (int64_t)a * 30));
		for (int b = 0; b < (is_stamped ? 12 : 4); b++)
			for (unsigned gpu = 0; gpu < 4; gpu++)
				add_line(t, names[is_stamped ? a : b], gpu, is_stamped ? b : a,
				         is_stamped);
		text_add(t, S("DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} x\nbroken {\n"));
	}
}

static void test_pieces(void **state)
{
	(void)state;
	for (int is_stamped = 0; is_stamped < 2; is_stamped++) {
		auto_text t = TEXT_NULL;
		add_scrapes(&t, is_stamped);
		for (size_t piece = 1; piece < t.n + 300; piece += 97)
			if (!pieces_agree(&reader_prometheus, text_str(&t), piece))
				fail_msg("stamped %d, pieces of %zu", is_stamped, piece);
	}
}

/* The job that labels name holds the device from the reading before the first to the last. */
static void test_holds(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	add_scrapes(&t, false);
	struct whole w = whole_read(&reader_prometheus, text_str(&t));
	const struct facts *f = &w.f;
	assert_int_equal(f->jobs.n, 3);
	assert_int_equal(f->allocations.n, 4);
	assert_int_equal(f->samples.n, 48);
	assert_int_equal(f->capacity.n, 4);
	assert_int_equal(f->scheduler.n, 1);
	assert_true(f->scheduler.v[0].from_ms == T0 - 30000);
	assert_true(f->scheduler.v[0].to_ms == T0 + 330000);
	for (size_t i = 0; i < f->allocations.n; i++) {
		struct allocation_entry a = allocation_entry_of(f, &f->allocations.v[i]);
		bool is_late = str_eq(names_word(&f->names, a.place), S("GPU-2"));
		assert_int_equal(a.on, CLAIM_DEVICE);
		assert_true(a.from_ms == (is_late ? T0 + 90000 : T0 - 30000));
		assert_true(a.to_ms == (is_late ? T0 + 240000 : T0 + 330000));
	}
	for (size_t i = 0; i < f->jobs.n; i++) {
		struct job_entry j = job_entry_of(f, &f->jobs.v[i]);
		assert_true(str_starts(j.id, S("x/")));
		assert_str(names_word(&f->names, j.team), "x");
		assert_int_equal(j.gpus, COUNT_UNKNOWN); /* they share GPU-1 */
		assert_int_equal(j.outcome, OUTCOME_RUNNING);
		assert_true(j.is_seen);
	}
	whole_drop(&w);
}

/* ledger.md 4, rule 1: where readings are missing, nobody says that it was held. */
static void test_hold_gaps(void **state)
{
	static const int at[] = { 0, 1, 2, 3, 6, 7, 20, 21 };
	(void)state;
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		text_printf(&t,
		            "DCGM_FI_DEV_GPU_UTIL{UUID=\"a\",hpc_job=\"%d\"} 7 %lld\n"
		            "DCGM_FI_DEV_GPU_UTIL{UUID=\"b\"} 7 %lld\n",
		            at[i] < 20 ? 11 : 12, (long long)(T0 + at[i] * 30000),
		            (long long)(T0 + at[i] * 30000));
	struct whole w = whole_read(&reader_prometheus, text_str(&t));
	const struct facts *f = &w.f;
	static const int64_t want[][2] = { { -1, 3 }, { 5, 7 }, { 19, 21 } };
	assert_int_equal(f->allocations.n, 3);
	for (size_t i = 0; i < 3; i++) {
		struct allocation_entry a = allocation_entry_of(f, &f->allocations.v[i]);
		assert_true(a.from_ms == T0 + want[i][0] * 30000);
		assert_true(a.to_ms == T0 + want[i][1] * 30000);
		assert_true(f->jobs.v[a.job].is_slurm);
	}
	assert_int_equal(f->jobs.v[0].outcome, OUTCOME_ENDED);
	assert_true(f->jobs.v[0].end_ms == T0 + 210000);
	assert_int_equal(f->jobs.v[1].outcome, OUTCOME_RUNNING);
	assert_int_equal(f->scheduler.n, 3);
	whole_drop(&w);
}

/* Whose the labels say the GPU is. */
static void test_who(void **state)
{
	static const struct {
		const char *labels, *job;
	} cases[] = {
		{ "pod=\"p\",namespace=\"n\"", "n/p" },
		{ "pod=\"\",namespace=\"\",container=\"\"", "" },
		{ "pod=\"exp\",namespace=\"gpu\",exported_pod=\"p\",exported_namespace=\"n\"",
		  "n/p" },
		{ "pod_name=\"p\",pod_namespace=\"n\"", "n/p" },
		{ "pod=\"p\"", "p" },
		{ "pod=\"nvidia-dcgm-exporter-x\",namespace=\"gpu\",instance=\"10.0.0.1:9400\"",
		  "" },
		{ "container=\"dcgm-exporter\",pod=\"q\",instance=\"10.0.0.1:9400\"", "" },
		{ "hpc_job=\"123\"", "123" },
		{ "job_id=\"8\",job_user=\"ann\",job_partition=\"gpu\",pod=\"\"", "8" },
		{ "job_id=\"\",job_user=\"\"", "" },
		{ "pid=\"17\",pod=\"p\"", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		for (int k = 0; k < 3; k++)
			text_printf(&t, "DCGM_FI_DEV_GPU_UTIL{UUID=\"a\",%s} 7 %lld\n",
			            cases[i].labels, (long long)(T0 + k * 30000));
		struct whole w = whole_read(&reader_prometheus, text_str(&t));
		if (w.f.jobs.n != (*cases[i].job ? 1 : 0) ||
		    (w.f.jobs.n && !str_eq(job_id(&w.f, &w.f.jobs.v[0]), str_of(cases[i].job))))
			fail_msg("%s: %zu jobs", cases[i].labels, w.f.jobs.n);
		assert_int_equal(w.f.capacity.n, w.f.jobs.n);
		whole_drop(&w);
	}
}

/* One GPU by the names that exporters give it. */
static void test_names_agree(void **state)
{
	static const struct {
		const char *line, *id;
	} cases[] = {
		{ "DCGM_FI_DEV_GPU_UTIL{UUID=\"GPU-df6e\"}", "GPU-df6e" },
		{ "nvidia_smi_utilization_gpu_ratio{uuid=\"df6e\"}", "GPU-df6e" },
		{ "nvidia_smi_utilization_gpu_ratio{uuid=\"GPU-df6e\"}", "GPU-df6e" },
		{ "gpu_utilization_Percentage{hostname=\"n\",index=\"0\",uuid=\"GPU-df6e\"}",
		  "GPU-df6e" },
		{ "gpu_gfx_activity{gpu_id=\"2\",hostname=\"n\",gpu_partition_id=\"0\"}", "n/2" },
		{ "amd_gpu_gfx_activity{gpu_id=\"2\",gpu_uuid=\"ccff\",hostname=\"n\"}", "ccff" },
		{ "gpu_gfx_activity{gpu_id=\"9\",hostname=\"n\",gpu_partition_id=\"1\"}", "" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		struct whole w = whole_read(&reader_prometheus,
		                            str_of(arena_printf(&a, AT "%s 0.5\n", cases[i].line)));
		assert_int_equal(w.f.devices.n, *cases[i].id ? 1 : 0);
		if (w.f.devices.n)
			assert_str(names_word(&w.f.names, w.f.devices.v[0].id), cases[i].id);
		whole_drop(&w);
	}
}

/* Instances: readings of the whole device under their labels are the device's. */
static void test_instances(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_prometheus,
	        S("nvidia_smi_mig_info{uuid=\"x\",gpu_instance_id=\"1\",profile=\"3g.40gb\"} 1 "
	          "1790812800000\n"
	          "nvidia_smi_mig_sm_activity_ratio{uuid=\"x\",gpu_instance_id=\"1\"} 0.5 "
	          "1790812800000\n"
	          "nvidia_smi_gpu_info{uuid=\"x\",name=\"NVIDIA H100\"} 1 1790812800000\n"
	          "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-x\",GPU_I_ID=\"1\",GPU_I_PROFILE=\"3g."
	          "40gb\"} 300 1790812800000\n"));
	const struct facts *f = &w.f;
	assert_int_equal(f->devices.n, 1);
	assert_true(f->devices.v[0].mig);
	assert_str(names_word(&f->names, f->devices.v[0].model), "NVIDIA H100");
	assert_int_equal(f->instances.n, 1);
	assert_int_equal(f->instances.v[0].slices, 3);
	assert_int_equal(f->samples.n, 2);
	const struct sample *part = sample_of(f, S("GPU-x/1")), *whole = sample_of(f, S("GPU-x"));
	assert_int_equal(part->known, metric_bit(METRIC_sm));
	assert_int_equal(whole->known, metric_bit(METRIC_power));
	whole_drop(&w);
}

/* 3g and 4g for a minute, then 7g: each is there while the device is read and it is too. */
static void test_layouts(void **state)
{
	(void)state;
	const int64_t begin = INT64_C(1790812800000);
	auto_text t = TEXT_NULL;
	for (int i = 0; i < 20; i++)
		for (int gi = i < 10 ? 1 : 0; gi < (i < 10 ? 3 : 1); gi++)
			text_printf(&t,
			            "DCGM_FI_PROF_SM_ACTIVE{UUID=\"G\",GPU_I_ID=\"%d\","
			            "GPU_I_PROFILE=\"%dg.%d0gb\"} 0.5 %lld\n",
			            gi, gi ? gi + 2 : 7, gi, (long long)(begin + 6000 * i));
	struct whole w = whole_read(&reader_prometheus, text_str(&t));
	assert_int_equal(w.f.instances.n, 3);
	const struct instance *in = w.f.instances.v;
	for (int i = 0; i < 2; i++) {
		assert_true(in[i].slices == 3 + (uint32_t)i && in[i].from_ms == TIME_UNKNOWN);
		assert_true(in[i].to_ms == begin + 54000);
	}
	assert_true(in[2].slices == 7 && in[2].from_ms == begin + 54000);
	assert_true(in[2].to_ms == TIME_UNKNOWN);
	whole_drop(&w);
}

/* More series than are kept from piece to piece: what was forgotten is learnt again. */
static void test_many_series(void **state)
{
	static const uint32_t counts[] = { SERIES_KEPT_MAX, SERIES_KEPT_MAX + 1 };
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		auto_text t = TEXT_NULL;
		struct facts f;
		struct exporter *e = exporter_new();
		for (int round = 0; round < 2; round++) {
			facts_init(&f);
			exporter_begin(e, &f);
			for (uint32_t k = 0; k < counts[i]; k++) {
				t.n = 0;
				text_printf(&t, "DCGM_FI_DEV_XID{gpu=\"%u\"}", k % 4);
				text_printf(&t, "%u", k);
				struct exporter_series *s = exporter_find(e, text_str(&t));
				if (k == 0)
					assert_true((s != NULL) == (round && !i));
				struct prom_label gpu = { S("gpu"), S("0") };
				if (!s)
					s = exporter_series(e, text_str(&t),
					                    S("DCGM_FI_DEV_GPU_UTIL"), &gpu, 1, 1);
				if (k % 1000 == 0)
					exporter_take(e, s, T0 + k, S("7"), 1);
			}
			exporter_end(e);
			exporter_join(&f, false);
			assert_int_equal(f.samples.n, (counts[i] + 999) / 1000);
			facts_deinit(&f);
		}
		exporter_free(e);
	}
}

/* And more of their text. */
static void test_long_series(void **state)
{
	(void)state;
	for (int over = 0; over < 2; over++) {
		auto_text t = TEXT_NULL;
		struct facts f;
		struct exporter *e = exporter_new();
		struct prom_label gpu = { S("gpu"), S("0") };
		facts_init(&f);
		exporter_begin(e, &f);
		text_repeat(&t, 'x', LINE_BYTES_MAX);
		/* each takes a block of its own, a little larger */
		size_t n = SERIES_BYTES_MAX / (LINE_BYTES_MAX + 4096) + (over ? 2 : 0);
		for (size_t i = 0; i < n; i++) {
			memcpy(t.p, &i, sizeof i);
			exporter_series(e, text_str(&t), S("DCGM_FI_DEV_GPU_UTIL"), &gpu, 1, 1);
		}
		exporter_end(e);
		exporter_begin(e, &f);
		assert_true((exporter_find(e, text_str(&t)) != NULL) == !over);
		exporter_end(e);
		exporter_free(e);
		facts_deinit(&f);
	}
}

/* Parts that stand in several files, or pieces, make their sums. */
static void test_complete(void **state)
{
	static const struct {
		enum metric_id id;
		int64_t v;
	} parts[] = {
		{ METRIC_mem_taken, 40 }, { METRIC_mem_reserve, 5 }, { METRIC_mem_free, 55 },
		{ METRIC_pcie_tx, 3 },    { METRIC_pcie_rx, 4 },     { METRIC_nvlink_tx, 9 }
	};
	enum { PARTS = sizeof parts / sizeof *parts };
	(void)state;
	for (size_t first = 0; first < PARTS; first++) {
		struct facts f;
		facts_init(&f);
		struct sample *s = facts_sample(&f, 1, 0);
		s->why[METRIC_nvlink_rx] = WHY_NO_PERMISSION;
		for (size_t k = 0; k < PARTS; k++) {
			size_t i = (first + k) % PARTS;
			s->v[parts[i].id] = parts[i].v;
			s->why[parts[i].id] = WHY_KNOWN;
			s->known |= metric_bit(parts[i].id);
			facts_complete(s);
		}
		assert_int_equal(s->v[METRIC_mem_used], 45);
		assert_int_equal(s->v[METRIC_mem_size], 100);
		assert_int_equal(s->v[METRIC_pcie], 7);
		assert_false(s->known & metric_bit(METRIC_nvlink));
		assert_int_equal(s->why[METRIC_nvlink], WHY_NO_PERMISSION);
		facts_deinit(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),      cmocka_unit_test(test_blanks),
		cmocka_unit_test(test_out_of_range), cmocka_unit_test(test_shared_gpu),
		cmocka_unit_test(test_times),        cmocka_unit_test(test_source_dies),
		cmocka_unit_test(test_devices),      cmocka_unit_test(test_memory),
		cmocka_unit_test(test_real),         cmocka_unit_test(test_recognise),
		cmocka_unit_test(test_pieces),       cmocka_unit_test(test_holds),
		cmocka_unit_test(test_hold_gaps),    cmocka_unit_test(test_who),
		cmocka_unit_test(test_names_agree),  cmocka_unit_test(test_instances),
		cmocka_unit_test(test_layouts),      cmocka_unit_test(test_complete),
		cmocka_unit_test(test_many_series),  cmocka_unit_test(test_long_series),
	};
	return RUN_TESTS(tests);
}
