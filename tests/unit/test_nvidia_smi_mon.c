/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mon.h"

#include "base/text.h"
#include "lib/whole.h"

extern const struct reader reader_nvidia_smi_dmon, reader_nvidia_smi_pmon;

#define T0 INT64_C(1796040000000) /* 2026-11-30T12:00:00Z */
#define HEAD_DT                                                                                 \
	"#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem   mclk   pclk     fb\n" \
	"#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %    MHz    MHz     MB\n"
#define HEAD_PMON                                                             \
	"#Date       Time        gpu         pid   type     sm    command \n" \
	"#YYYYMMDD   HH:MM:SS    Idx           #    C/G      %    name \n"

static const char *reason(const struct whole *w, size_t i)
{
	assert_true(i < w->f.rejects.n);
	return whole_word(w, w->f.rejects.v[i].reason);
}

static bool has_note(const struct whole *w, const char *part)
{
	for (size_t i = 0; i < w->f.notes.n; i++)
		if (strstr(whole_word(w, w->f.notes.v[i].text), part))
			return true;
	return false;
}

static void why_is(const struct whole *w, size_t i, enum metric_id m, enum why want)
{
	assert_true(i < w->f.samples.n);
	assert_string_equal(why_names[w->f.samples.v[i].why[m]], why_names[want]);
}

static void test_rows(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_nvidia_smi_dmon,
	                   S(HEAD_DT " 20261130   12:00:00      0     69     41      -      0"
	                             "      0   2619    345    239 \n"
	                             " 20261130   12:00:00     11    600     61     57     99"
	                             "     10   2619   1980  20000 \n" HEAD_DT "\n"
	                             " 20261130   12:00:01      0     70     41      -      5"
	                             "      1   2619    345    239 \r\n"));
	const struct facts *f = &w.f;
	assert_int_equal(w.score, 94);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(f->inputs.v[0].records, 3);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal(f->devices.n, 2);
	assert_str(names_word(&f->names, f->devices.v[0].id), "in:0");
	assert_str(names_word(&f->names, f->devices.v[1].id), "in:11");
	assert_int_equal(f->samples.n, 3);
	const struct sample *s = f->samples.v;
	assert_true(s[0].t_ms == T0 && s[1].t_ms == T0 && s[2].t_ms == T0 + 1000);
	assert_int_equal(s[0].kind, SAMPLE_POINT);
	assert_int_equal(s[0].procs_why, WHY_ABSENT);
	whole_reads(&w, 1, METRIC_gpu_util, 99000000);
	whole_reads(&w, 1, METRIC_mem_util, 10000000);
	whole_reads(&w, 1, METRIC_power, 600000);
	whole_reads(&w, 1, METRIC_temperature, 61000);
	whole_reads(&w, 1, METRIC_mem_temperature, 57000);
	whole_reads(&w, 1, METRIC_mem_clock, 2619000);
	whole_reads(&w, 1, METRIC_sm_clock, 1980000);
	whole_reads(&w, 1, METRIC_mem_used, 20000000); /* MiB, whatever the head calls them */
	why_is(&w, 0, METRIC_mem_temperature, WHY_UNSUPPORTED);
	why_is(&w, 0, METRIC_encoder, WHY_ABSENT); /* no such column */
	assert_true(has_note(&w, "--tz ZONE"));
	whole_drop(&w);
}

/* All that -s can select, under the heads of two ages, with commas or without. */
static void test_columns(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_dmon,
	        S("# 2026-11-30T12:00:00Z\n"
	          "# gpu   pwr  temp    sm   mem   enc   dec  mclk  pclk pviol tviol    fb  bar1 "
	          "sbecc dbecc   pci rxpci txpci\n"
	          "# Idx     W     C     %     %     %     %   MHz   MHz     %  bool    MB    MB  "
	          "errs  errs  errs  MB/s  MB/s\n"
	          "    1    25    43    10     4    40     2  3499  1721     0     0   442     2   "
	          "  -     -     0   577    95\n"
	          "# 2026-11-30T12:00:10Z\n"
	          "#gpu, fb, bar1, ccpm, txpci, rxpci, jpg, ofa\n"
	          "1, 443, 2, 0, 5, 1500, 7, 7\n"));
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.samples.n, 2);
	assert_true(w.f.samples.v[0].t_ms == T0 && w.f.samples.v[1].t_ms == T0 + 10000);
	whole_reads(&w, 0, METRIC_temperature, 43000);
	whole_reads(&w, 0, METRIC_encoder, 40000000);
	whole_reads(&w, 0, METRIC_decoder, 2000000);
	whole_reads(&w, 0, METRIC_mem_used, 442000);
	whole_reads(&w, 0, METRIC_pcie_rx, 577000000);
	whole_reads(&w, 0, METRIC_pcie_tx, 95000000);
	whole_reads(&w, 0, METRIC_pcie, 672000000);
	whole_reads(&w, 1, METRIC_mem_used, 443000);
	whole_reads(&w, 1, METRIC_pcie, 1505000000);
	assert_false(w.f.samples.v[1].known & metric_bit(METRIC_gpu_util));
	assert_false(has_note(&w, "--tz")); /* the times have a zone */
	assert_false(has_note(&w, "not known"));
	whole_drop(&w);
}

/* GPM: averages over the delay, of two samples; what it says of a link counts before NVML's. */
static void test_gpm(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_dmon,
	        S("#Date  Time  gpu  sm rxpci txpci gract smutil smocc intutil mmaact dram fp64 "
	          "fp32 "
	          "fp16 pcitx pcirx nvlrx nvltx mystery\n"
	          "#YYYYMMDD HH:MM:SS Idx % MB/s MB/s GPM:% GPM:% GPM:% GPM:% GPM:% GPM:% GPM:% "
	          "GPM:% GPM:% GPM:MiB/s GPM:MiB/s GPM:MiB/s GPM:MiB/s GPM:%\n"
	          " 20261130 12:00:00 0 90 10 20 - - - - - - - - - - - - - -\n"
	          " 20261130 12:00:01 0 91 10 20 80 70 60 50 40 30 20 10 5 1000 - 2000 3000 1\n"
	          " 20261130 12:00:02 0 92 10 20 - 71 60 50 40 30 - 10 5 1000 500 2000 3000 1\n"));
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.samples.n, 3);
	assert_int_equal(w.f.samples.v[0].kind, SAMPLE_POINT);
	assert_int_equal(w.f.samples.v[1].kind, SAMPLE_AVERAGE);
	why_is(&w, 0, METRIC_sm, WHY_NOT_READY);
	why_is(&w, 0, METRIC_nvlink_rx, WHY_NOT_READY);
	why_is(&w, 2, METRIC_gr, WHY_ABSENT); /* it had one before */
	why_is(&w, 2, METRIC_fp64, WHY_ABSENT);
	whole_reads(&w, 1, METRIC_gpu_util, 91000000);
	whole_reads(&w, 1, METRIC_gr, 80000000);
	whole_reads(&w, 1, METRIC_sm, 70000000);
	whole_reads(&w, 1, METRIC_occupancy, 60000000);
	whole_reads(&w, 1, METRIC_tensor, 40000000);
	whole_reads(&w, 1, METRIC_dram, 30000000);
	whole_reads(&w, 1, METRIC_fp64, 20000000);
	whole_reads(&w, 1, METRIC_fp32, 10000000);
	whole_reads(&w, 1, METRIC_fp16, 5000000);
	whole_reads(&w, 1, METRIC_pcie_tx, 1048576000);
	whole_reads(&w, 1, METRIC_pcie_rx, 10000000); /* GPM had none */
	whole_reads(&w, 2, METRIC_pcie_rx, 524288000);
	whole_reads(&w, 1, METRIC_nvlink, 5242880000);
	assert_true(has_note(&w, "dmon's column 'mystery' is not known: it was left out."));
	whole_drop(&w);
	/* never a value: unsupported once there were two samples */
	w = whole_read(&reader_nvidia_smi_dmon,
	               S("#Date Time gpu sm smutil\n20261130 12:00:00 0 90 -\n"
	                 "20261130 12:00:00 1 90 -\n20261130 12:00:01 0 90 -\n"));
	why_is(&w, 0, METRIC_sm, WHY_UNSUPPORTED);
	why_is(&w, 1, METRIC_sm, WHY_NOT_READY);
	why_is(&w, 2, METRIC_sm, WHY_UNSUPPORTED);
	whole_drop(&w);
}

/* Units that the head's own line gives; those of no metric leave the column out. */
static void test_units(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_nvidia_smi_dmon,
	                            S("#Date, Time, gpu, pwr, fb, rxpci, mclk\n"
	                              "#YYYYMMDD, HH:MM:SS, Idx, mW, GiB, KB/s, furlongs\n"
	                              "20261130, 12:00:00, 0, 69500, 2, 1234, 5\n"));
	assert_int_equal(w.code, ERR_OK);
	whole_reads(&w, 0, METRIC_power, 69500);
	whole_reads(&w, 0, METRIC_mem_used, 2048000);
	whole_reads(&w, 0, METRIC_pcie_rx, 1234000);
	assert_false(w.f.samples.v[0].known & metric_bit(METRIC_mem_clock));
	assert_true(has_note(&w, "has a unit that is none of its metric"));
	whole_drop(&w);
}

/* noheader leaves the line of units, which tells dmon's groups of columns apart. */
static void test_without_head(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_nvidia_smi_dmon, S("#YYYYMMDD, HH:MM:SS, Idx, MB, MB, MB, %, %, "
	                                              "%, %, %, %, %, bool, MB/s, MB/s, W, C, "
	                                              "C, errs, errs, errs, MHz, MHz, GPM:%\n"
	                                              "20261130, 12:00:00, 3, 442, 2, 0, 10, 20, "
	                                              "1, 2, 3, 4, 0, 0, 100, 200, 69, 41, 47, "
	                                              "0, 0, 0, 2619, 345, 50\n"
	                                              "# Idx %  bool % % % %\n"
	                                              "# 2026-11-30T12:00:05Z\n"
	                                              "    3 0  0    30 0 0 0\n"));
	assert_int_equal(w.score, 94);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.samples.n, 2);
	whole_reads(&w, 0, METRIC_mem_used, 442000);
	whole_reads(&w, 0, METRIC_gpu_util, 10000000);
	whole_reads(&w, 0, METRIC_decoder, 2000000);
	whole_reads(&w, 0, METRIC_pcie, 300000000);
	whole_reads(&w, 0, METRIC_power, 69000);
	whole_reads(&w, 0, METRIC_mem_temperature, 47000);
	whole_reads(&w, 0, METRIC_sm_clock, 345000);
	assert_false(w.f.samples.v[0].known & metric_bit(METRIC_sm));
	whole_reads(&w, 1, METRIC_gpu_util, 30000000);
	whole_drop(&w);
	/* five per cents are no group */
	w = whole_read(&reader_nvidia_smi_dmon, S("# Idx % % % % %\n 0 1 2 3 4 5\n"));
	assert_int_equal(w.score, 94);
	assert_str(str_of(reason(&w, 0)), "no head stands before the row");
	assert_true(has_note(&w, "does not tell what the columns are"));
	whole_drop(&w);
}

static void test_pmon(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_pmon,
	        S(HEAD_PMON " 20261130   12:00:00      0          -     -      -    -\n"
	                    " 20261130   12:00:00      1       1234     C     99    python3\n"
	                    " 20261130   12:00:00      1       1240   C+G      -    a b, c --d\n"
	                    " 20261130   12:00:00      1       1234     G      -    python3\n"
	                    " 20261130   12:00:01      0      [N/A]     C      -    -\n"
	                    " 20261130   12:00:01      1          -     -      -    -\n"
	                    " 20261130   12:00:01      1        abc     C      1    -\n"));
	const struct facts *f = &w.f;
	assert_int_equal(w.score, 94);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(f->inputs.v[0].records, 7);
	assert_int_equal(f->inputs.v[0].rejected, 1);
	assert_str(str_of(reason(&w, 0)), "'abc' is not the id of a process");
	assert_int_equal(f->rejects.v[0].line, 9);
	assert_int_equal(f->devices.n, 2);
	assert_int_equal(f->samples.n, 4);
	const struct sample *s = f->samples.v;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(s[i].procs_why, WHY_KNOWN);
		assert_int_equal(s[i].known, 0);
		assert_true(s[i].t_ms == T0 + i / 2 * 1000);
	}
	assert_int_equal(s[0].procs_n, 0);
	assert_int_equal(s[1].procs_n, 2);
	assert_string_equal(whole_word(&w, f->syms.v[s[1].procs_at]), "pid 1234");
	assert_string_equal(whole_word(&w, f->syms.v[s[1].procs_at + 1]), "pid 1240");
	assert_int_equal(s[2].procs_n, 1); /* there is one, of which we may not know the id */
	assert_int_equal(s[3].procs_n, 0);
	assert_true(has_note(&w, "what a single process did is not read"));
	whole_drop(&w);
}

/* Both tables in one text: readings and list of one GPU and time are one sample. */
static void test_both(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_dmon,
	        S("#Date Time gpu sm\n20261130 12:00:00 0 0\n20261130 12:00:01 0 0\n" HEAD_PMON
	          "20261130 12:00:00 0 - - - -\n20261130 12:00:01 0 7 C 3 x\n"));
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.devices.n, 1);
	assert_int_equal(w.f.samples.n, 2);
	whole_reads(&w, 0, METRIC_gpu_util, 0);
	assert_int_equal(w.f.samples.v[0].procs_why, WHY_KNOWN);
	assert_int_equal(w.f.samples.v[1].procs_n, 1);
	assert_false(has_note(&w, "set back")); /* each table has its own clock */
	whole_drop(&w);
}

static void test_rejects(void **state)
{
	static const struct {
		const char *row, *why;
	} cases[] = {
		{ "20261130 12:00:05 0 69 41 47 1 2 2619 345", "10 values, the head has 11" },
		{ "20261130 12:00:05 0 69 41 47 1 2 2619 345 5 5", "12 values, the head has 11" },
		{ "20261130 12:00:05 x 69 41 47 1 2 2619 345 5", "'x' is not the index of a GPU" },
		{ "20261130 12:00:05 99999999999 69 41 47 1 2 2619 345 5",
		  "'99999999999' is not the index of a GPU" },
		{ "20261131 12:00:05 0 69 41 47 1 2 2619 345 5",
		  "the row's date and time are none" },
		{ "20261130 25:00:05 0 69 41 47 1 2 2619 345 5",
		  "the row's date and time are none" },
		{ "2026113 12:00:05 0 69 41 47 1 2 2619 345 5",
		  "the row's date and time are none" },
		{ "20261130 12:00:05 0 69 41 47 101 2 2619 345 5",
		  "gpu_util '101' is out of range: this reading was left out" },
		{ "20261130 12:00:05 0 abc 41 47 1 2 2619 345 def",
		  "power 'abc' is not a number: this reading was left out" },
		{ "Segmentation fault", "neither a head nor a row of dmon or pmon" },
		{ "Failed to initialize NVML: Driver/library version mismatch",
		  "nvidia-smi failed: 'Failed to initialize NVML: Driver/library version "
		  "mismatch'" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		struct whole w = whole_read(
		        &reader_nvidia_smi_dmon,
		        str_of(arena_printf(&a,
		                            "%s20261130 12:00:00 0 69 41 47 1 2 2619 345 5\n%s\n",
		                            HEAD_DT, cases[i].row)));
		assert_int_equal(w.code, ERR_OK);
		assert_int_equal(w.f.inputs.v[0].records, 2);
		assert_int_equal(w.f.inputs.v[0].rejected, 1);
		assert_int_equal(w.f.rejects.v[0].line, 4);
		assert_str(str_of(reason(&w, 0)), cases[i].why);
		assert_true(w.f.samples.n >= 1);
		whole_drop(&w);
	}
	struct whole w = whole_read(&reader_nvidia_smi_dmon, S("20261130 12:00:00 0 69\n" HEAD_DT));
	assert_str(str_of(reason(&w, 0)), "no head stands before the row");
	whole_drop(&w);
}

/* A log that stops within a line: what is left of its last value is none. */
static void test_cut_short(void **state)
{
	(void)state;
#define ROWS "# gpu sm pclk \n2026-11-30T12:00:00Z 0 5 1980 \n2026-11-30T12:00:01Z 0 5 19"
	struct whole w = whole_read(&reader_nvidia_smi_dmon, S(ROWS));
	assert_int_equal(w.f.samples.n, 1);
	assert_str(str_of(reason(&w, 0)), "the line was cut short");
	whole_drop(&w);
	w = whole_read(&reader_nvidia_smi_dmon, S(ROWS "\n")); /* it ends, so it is whole */
	assert_int_equal(w.f.samples.n, 2);
	whole_drop(&w);
	w = whole_read(&reader_nvidia_smi_dmon, S(ROWS " "));
	assert_int_equal(w.f.samples.n, 2);
	whole_drop(&w);
	/* where no line ends with a blank, nothing can be told */
	w = whole_read(&reader_nvidia_smi_dmon,
	               S("# gpu sm\n2026-11-30T12:00:00Z 0 5\n2026-11-30T12:00:01Z 0 5"));
	assert_int_equal(w.f.samples.n, 2);
	whole_drop(&w);
}

static void test_utf16(void **state)
{
	static const char text[] = HEAD_DT "20261130 12:00:00 0 69 41 47 1 2 2619 345 5\r\n";
	auto_text t = TEXT_NULL;
	(void)state;
	for (int is_big = 0; is_big < 2; is_big++) {
		t.n = 0;
		text_add(&t, is_big ? S("\xfe\xff") : S("\xff\xfe"));
		for (size_t i = 0; i + 1 < sizeof text; i++) {
			text_byte(&t, is_big ? '\0' : text[i]);
			text_byte(&t, is_big ? text[i] : '\0');
		}
		struct whole w = whole_read(&reader_nvidia_smi_dmon, text_str(&t));
		assert_int_equal(w.score, 94);
		assert_int_equal(w.f.samples.n, 1);
		whole_reads(&w, 0, METRIC_power, 69000);
		whole_drop(&w);
	}
}

/* A GPU that the driver lost is down; a row of a part of a GPU is none of the GPU. */
static void test_lost_and_parts(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_dmon,
	        S("# gpu gi sm\n2026-11-30T12:00:00Z 0 - 5\n2026-11-30T12:00:00Z 0 1 6\n"
	          "2026-11-30T12:00:00Z 1 - 7\n2026-11-30T12:00:01Z 0 - 5\n"
	          "2026-11-30T12:00:01Z 1 - 5\n"
	          "2026-11-30T12:00:02Z 0 - 5\n"
	          "Unable to determine the device handle for GPU 0000:1A:00.0: GPU is lost.\n"
	          "2026-11-30T12:00:03Z 0 - 5\n"));
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.samples.n, 6);
	assert_true(has_note(&w, "MIG instances were left out"));
	assert_int_equal(w.f.capacity.n, 3);
	assert_int_equal(w.f.capacity.v[2].state, CAPACITY_FAILED);
	assert_int_equal(w.f.capacity.v[2].count, 1); /* else an export could not be read again */
	assert_str(names_word(&w.f.names, w.f.capacity.v[2].device), "in:1");
	whole_drop(&w);
}

static uint32_t by_uuid(void *arg, struct facts *f, uint64_t gpu)
{
	(void)f;
	return gpu < 2 ? ((const uint32_t *)arg)[gpu] : 0;
}

/* A part of a longer text, whose GPUs have names already. */
static void test_part(void **state)
{
	(void)state;
	struct facts f;
	struct smi_mon_result r;
	struct read_options o = { .input_name = S("in"), .has_at = true, .at_ms = T0 };
	const uint32_t places[2] = { 1, 0 };
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("in")) };
	*vec_push(&f.devices) = (struct device){ .id = facts_word(&f, S("GPU-b")) };
	*vec_push(&f.devices) = (struct device){ .id = facts_word(&f, S("GPU-a")) };
	struct smi_mon_text t = {
		.o = &o,
		.line = 100,
		.device_at = by_uuid,
		.arg = (void *)(uintptr_t)places,
		.bytes = S("# load :: dmon (per-device monitor, incl. PCIe rx/tx)\n"
		           "# $ nvidia-smi dmon -c 5\n#####\n# gpu sm\n# Idx %\n 0 50 \n 1 60 \n"
		           " 0 51 \n 1 x \n"),
	};
	smi_mon_read(&f, &t, &r);
	assert_int_equal(r.rows, 4);
	assert_int_equal(r.placed, 4);
	assert_int_equal(f.devices.n, 2);
	assert_int_equal(f.samples.n, 4);
	assert_str(names_word(&f.names, f.samples.v[0].device), "GPU-a");
	assert_str(names_word(&f.names, f.samples.v[1].device), "GPU-b");
	assert_true(f.samples.v[2].t_ms == T0 + 1000);
	assert_int_equal(f.rejects.v[0].line, 108);
	facts_deinit(&f);
}

/* Neither table is another tool's, nor the other way round. */
static void test_recognised(void **state)
{
	static const struct {
		const char *text;
		int dmon, pmon;
	} cases[] = {
		{ "# gpu   sm   mem\n", 94, 0 },
		{ "gpu,pwr,sm\n0,5,6\n", 94, 0 },
		{ "$ nvidia-smi dmon\n# gpu   sm   mem\n", 94, 0 },
		{ "$ nvidia-smi dmon\n# gpu   sm   mem\n$ nvidia-smi pmon\n", 94, 0 },
		{ "$ nvidia-smi dmon\n# gpu   sm   mem\n$ nvidia-smi -q\n", 90, 0 },
		{ "2026-11-30T12:00:00Z # gpu   sm   mem\n", 94, 0 },
		{ "# gpu pid type sm mem command\n", 0, 94 },
		{ "# Idx # C/G % % % % name\n", 0, 94 },
		{ "#Entity   SMACT   TENSO\nGPU 0  0.1 0.2\n", 0, 0 },
		{ "timestamp, index, utilization.gpu [%]\n", 0, 0 },
		{ "gpu\n", 0, 0 },
		{ "gpu,host,what\n", 0, 0 },
		{ "", 0, 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str head = str_of(cases[i].text);
		assert_int_equal(reader_nvidia_smi_dmon.recognise(head, NULL), cases[i].dmon);
		assert_int_equal(reader_nvidia_smi_pmon.recognise(head, NULL), cases[i].pmon);
	}
}

static void test_long_line(void **state)
{
	auto_text t = TEXT_NULL;
	(void)state;
	text_add(&t, S("# gpu sm\n2026-11-30T12:00:00Z 0 5\n2026-11-30T12:00:01Z 0 5"));
	text_repeat(&t, ' ', LINE_BYTES_MAX - strlen("2026-11-30T12:00:01Z 0 5"));
	struct whole w = whole_read(&reader_nvidia_smi_dmon, text_str(&t));
	assert_int_equal(w.f.samples.n, 2);
	whole_drop(&w);
	text_byte(&t, ' ');
	w = whole_read(&reader_nvidia_smi_dmon, text_str(&t));
	assert_int_equal(w.f.samples.n, 1);
	assert_non_null(strstr(reason(&w, 0), "line is longer than"));
	whole_drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_gpm),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_without_head),
		cmocka_unit_test(test_pmon),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_rejects),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_utf16),
		cmocka_unit_test(test_lost_and_parts),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_recognised),
		cmocka_unit_test(test_long_line),
	};
	return RUN_TESTS(tests);
}
