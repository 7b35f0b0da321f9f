/* SPDX-License-Identifier: Apache-2.0 */
/* Archives of GPUs' folders in /sys, and intel_gpu_top: what says no time by itself. */
#include "lib/whole.h"

#include <stdio.h>

#include "base/text.h"

extern const struct reader reader_sysfs_tar, reader_intel_gpu_top, reader_amd_gpu_metrics;

static void add_entry(struct text *t, char type, const char *prefix, const char *name,
                      const char *mtime, struct str bytes)
{
	char block[512] = { 0 };
	snprintf(block, 100, "%s", name);
	snprintf(block + 124, 12, "%011o", (unsigned)bytes.n);
	snprintf(block + 136, 12, "%s", mtime);
	block[156] = type;
	memcpy(block + 257, "ustar", 5);
	snprintf(block + 345, 155, "%s", prefix);
	text_add(t, (struct str){ block, 512 });
	text_add(t, bytes);
	text_repeat(t, '\0', (512 - bytes.n % 512) % 512);
}

static void add(struct text *t, const char *name, const char *bytes)
{
	add_entry(t, '0', "sys/card7", name, "00000001750", str_of(bytes)); /* 1000 s */
}

static void add_amd(struct text *t)
{
	add(t, "device/vendor", "0x1002\n");
	add(t, "device/uevent", "DRIVER=amdgpu\nPCI_SLOT_NAME=0000:0c:00.0\n");
	add(t, "device/gpu_busy_percent", "37\n");
	add(t, "device/mem_info_vram_used", "1048576\n");
	add(t, "device/pp_dpm_sclk", "0: 500Mhz *\n1: 2660Mhz \n");
	add(t, "device/pcie_bw", "1000 3000 256\n");
	add(t, "device/hwmon/hwmon1/name", "nvme\n");
	add(t, "device/hwmon/hwmon1/temp1_input", "99000\n");
	add(t, "device/hwmon/hwmon5/name", "amdgpu\n");
	add(t, "device/hwmon/hwmon5/power1_average", "36500000\n");
	add(t, "device/hwmon/hwmon5/power1_input", "41000000\n");
	add(t, "device/hwmon/hwmon5/temp1_label", "edge\n");
	add(t, "device/hwmon/hwmon5/temp1_input", "56000\n");
	add(t, "device/hwmon/hwmon5/freq2_label", "mclk\n");
	add(t, "device/hwmon/hwmon5/freq2_input", "1000000000\n");
	add(t, "device/hwmon/hwmon5/pwm1", "51\n");
	add(t, "device/hwmon/hwmon5/pwm1_max", "255\n");
	add_entry(t, '0', "sys/card7", "device/mem_busy_percent", "00000002000", S("soon\n"));
}

static void amd(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	add_entry(&t, 'g', "", "pax_global_header", "0", S("52 comment=x\n"));
	add_entry(&t, '5', "", "sys/card7/", "0", STR_NULL);
	add_amd(&t);
	text_repeat(&t, '\0', 1024);
	struct whole g = whole_read_at(&reader_sysfs_tar, text_str(&t), 0);
	assert_int_equal(g.score, 80);
	assert_int_equal(g.code, ERR_OK);
	assert_int_equal(g.f.samples.n, 1);
	assert_int_equal(g.f.samples.v[0].t_ms, 1024000); /* the newest file */
	assert_string_equal(whole_word(&g, g.f.devices.v[0].id), "in:00000000:0C:00.0");
	whole_reads(&g, 0, METRIC_gpu_util, 37000000);
	whole_reads(&g, 0, METRIC_mem_used, 1000);
	whole_reads(&g, 0, METRIC_sm_clock_max, 2660000);
	whole_reads(&g, 0, METRIC_power, 36500);
	whole_reads(&g, 0, METRIC_power_instant, 41000);
	whole_reads(&g, 0, METRIC_temperature, 56000); /* not the disk's */
	whole_reads(&g, 0, METRIC_mem_clock, 1000000);
	whole_reads(&g, 0, METRIC_fan, 20000000);
	whole_reads(&g, 0, METRIC_pcie_rx, 256000);
	whole_reads(&g, 0, METRIC_pcie_tx, 768000);
	whole_reads(&g, 0, METRIC_pcie, 1024000);
	assert_false(g.f.samples.v[0].known >> METRIC_mem_util & 1);
	assert_int_equal(g.f.inputs.v[0].records, 1);
	assert_int_equal(g.f.inputs.v[0].rejected, 1); /* 'soon' */
	whole_drop(&g);
	g = whole_read_at(&reader_sysfs_tar, text_str(&t), 77);
	assert_int_equal(g.f.samples.v[0].t_ms, 77);
	whole_drop(&g);
	for (size_t n = 0; n < t.n; n += 97) { /* cut anywhere */
		g = whole_read_at(&reader_sysfs_tar, (struct str){ t.p, n }, 77);
		whole_drop(&g);
	}
}

/* A sleeping GPU is not asked; it rests. Another maker's card, and long names. */
static void others(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	add(&t, "device/vendor", "0x1002\n");
	add(&t, "device/power/runtime_status", "suspended\n");
	add(&t, "device/gpu_busy_percent", "37\n");
	add_entry(&t, '0', "", "card1/device/vendor", "0", S("0x10de\n"));
	add_entry(&t, 'x', "", "PaxHeaders/x", "0", S("32 path=a/card2/device/vendor\n"));
	add_entry(&t, '0', "", "short", "0", S("0x8086\n"));
	add_entry(&t, 'L', "", "././@LongLink", "0", S("a/card2/gt_act_freq_mhz"));
	add_entry(&t, '0', "", "short", "0", S("600\n"));
	struct whole g = whole_read_at(&reader_sysfs_tar, text_str(&t), 77);
	assert_int_equal(g.f.inputs.v[0].records, 3);
	assert_int_equal(g.f.samples.n, 2);
	whole_reads(&g, 0, METRIC_idle_reason, 1);
	assert_true(g.f.samples.v[0].known == metric_bit(METRIC_idle_reason));
	whole_reads(&g, 1, METRIC_sm_clock, 600000);
	whole_drop(&g);
	assert_int_equal(reader_sysfs_tar.recognise(S("a text"), NULL), 0);
	t.n = 0;
	add_entry(&t, '0', "", "notes/card1.txt", "0", S("x"));
	assert_int_equal(reader_sysfs_tar.recognise(text_str(&t), NULL), 0);
}

static void xe(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	add(&t, "device/vendor", "0x8086\n");
	add(&t, "device/hwmon/hwmon4/name", "xe\n");
	add(&t, "device/hwmon/hwmon4/energy1_label", "card\n");
	add(&t, "device/hwmon/hwmon4/energy1_input", "0\n");
	add(&t, "device/hwmon/hwmon4/energy2_label", "pkg\n");
	add(&t, "device/hwmon/hwmon4/energy2_input", "29523753173\n");
	add(&t, "device/hwmon/hwmon4/temp3_label", "vram\n");
	add(&t, "device/hwmon/hwmon4/temp3_input", "48000\n");
	add(&t, "device/tile0/gt0/freq0/act_freq", "400\n");
	add(&t, "device/tile0/gt0/gtidle/idle_status", "gt-c6\n");
	add(&t, "device/tile0/gt1/gtidle/idle_status", "gt-c0\n");
	struct whole g = whole_read_at(&reader_sysfs_tar, text_str(&t), 0);
	whole_reads(&g, 0, METRIC_energy, 29523753);
	whole_reads(&g, 0, METRIC_mem_temperature, 48000);
	whole_reads(&g, 0, METRIC_sm_clock, 400000);
	whole_reads(&g, 0, METRIC_idle_reason, 0);
	whole_drop(&g);
}

#define IGT(ms, render, compute)                                                                 \
	"{\"period\": {\"duration\": " ms ", \"unit\": \"ms\"}, \"frequency\": {\"requested\": " \
	"1449.1, \"actual\": 1253.085184, \"unit\": \"MHz\"}, \"power\": {\"GPU\": 3.233528, "   \
	"\"Package\": 16.6, \"unit\": \"W\"}, \"engines\": {\"Render/3D/0\": {\"busy\": " render \
	", \"unit\": \"%\"}, \"Video/0\": {\"busy\": 99.0, \"unit\": \"%\"}, \"Compute/0\": "    \
	"{\"busy\": " compute ", \"unit\": \"%\"}}}"

static void intel_gpu_top(void **state)
{
	(void)state;
	static const char *const forms[] = {
		IGT("1055.794", "96.092944", "1.0") "\n" IGT("500.5", "2.0", "40.25") "\n",
		"[" IGT("1055.794", "96.092944", "1.0") ",\n" IGT("500.5", "2.0", "40.25") "]",
		"[" IGT("1055.794", "96.092944", "1.0") ",\n" IGT("500.5", "2.0", "40.25"),
	};
	for (size_t i = 0; i < 3; i++) {
		struct whole g = whole_read_at(&reader_intel_gpu_top, str_of(forms[i]), 10000);
		assert_int_equal(g.score, 90);
		assert_int_equal(g.f.samples.n, 2);
		whole_reads(&g, 0, METRIC_gpu_util, 96092944);
		whole_reads(&g, 0, METRIC_power, 3233);
		whole_reads(&g, 0, METRIC_sm_clock, 1253085);
		whole_reads(&g, 1, METRIC_gpu_util, 40250000);
		assert_int_equal(g.f.samples.v[0].t_ms, 10000);
		assert_int_equal(g.f.samples.v[0].period_ms, 1055);
		assert_int_equal(g.f.samples.v[1].t_ms, 10500);
		assert_int_equal(g.f.samples.v[1].kind, SAMPLE_AVERAGE);
		whole_drop(&g);
		g = whole_read_at(&reader_intel_gpu_top, str_of(forms[i]), 0);
		assert_int_equal(g.f.samples.n, 0);
		assert_true(g.f.notes.n > 0);
		whole_drop(&g);
	}
	struct whole g =
	        whole_read_at(&reader_intel_gpu_top,
	                      S("[{\"period\": {\"duration\": 0}, \"engines\": {\"Compute/0\": "
	                        "{\"busy\": 101, \"unit\": \"%\"}}}]"),
	                      10000);
	assert_int_equal(g.f.samples.n, 0);
	assert_int_equal(g.f.inputs.v[0].rejected, 1);
	whole_drop(&g);
	assert_int_equal(
	        reader_intel_gpu_top.recognise(S("{\"period\": 7, \"engines\": {}}"), NULL), 0);
}

static void one_dump(void **state)
{
	(void)state;
	unsigned char v[200] = { 120, 0, 1, 3, 56, 0, 59, 0, 54 };
	struct str bytes = { (const char *)v, sizeof v };
	struct whole g = whole_read_at(&reader_amd_gpu_metrics, bytes, 0);
	assert_int_equal(g.score, 80);
	assert_int_equal(g.code, ERR_INPUT);
	assert_non_null(strstr(g.err.text, "neither which GPU it is of nor when"));
	whole_drop(&g);
	g = whole_read_at(&reader_amd_gpu_metrics, bytes, 77);
	whole_reads(&g, 0, METRIC_temperature, 56000);
	assert_int_equal(g.f.samples.v[0].t_ms, 77);
	whole_drop(&g);
	v[150] = 1; /* something follows */
	assert_int_equal(reader_amd_gpu_metrics.recognise(bytes, NULL), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(amd),           cmocka_unit_test(others),   cmocka_unit_test(xe),
		cmocka_unit_test(intel_gpu_top), cmocka_unit_test(one_dump),
	};
	return RUN_TESTS(tests);
}
