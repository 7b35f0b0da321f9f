/* SPDX-License-Identifier: Apache-2.0 */
/* rocm_smi and amd_smi, in all their forms. */
#include "lib/whole.h"

extern const struct reader reader_rocm_smi, reader_amd_smi;

static void is_not(const struct whole *g, size_t i, enum metric_id m, enum why want)
{
	assert_true(i < g->f.samples.n);
	assert_false(g->f.samples.v[i].known >> m & 1);
	assert_int_equal(g->f.samples.v[i].why[m], want);
}

static void rocm_json(void **state)
{
	(void)state;
	struct str text =
	        S("WARNING: a GPU is in a low-power state\n\n"
	          "{\"card0\": {\"Unique ID\": \"N/A\", \"PCI Bus\": \"0000:1E:00.0\",\n"
	          "\"GPU use (%)\": \"7\", \"GPU memory use (%)\": \"N/A\", \"Card Series\": "
	          "\"MI\",\n"
	          "\"Average Graphics Package Power (W)\": \"39.25\",\n"
	          "\"Max Graphics Package Power (W)\": \"290.0\", \"sclk clock speed:\": "
	          "\"(300Mhz)\",\n"
	          "\"sclk clock level:\": \"0\", \"VRAM Total Used Memory (B)\": \"6782976\",\n"
	          "\"Temperature (Sensor junction) (C)\": \"34.0\", \"Fan speed (%)\": \"13\",\n"
	          "\"Fan speed (level)\": \"33\"},\n"
	          "\"card1\": {\"Unique ID\": \"0x79cc\", \"GPU use (%)\": \"125000\",\n"
	          "\"Average Graphics Package Power (W)\": \"0,5\",\n"
	          "\"Temperature (Sensor junction) (C)\": \"34.0\",\n"
	          "\"Temperature (Sensor edge) (C)\": \"31.0\", \"mclk clock speed:\": "
	          "\"(1.2GHz)\"},\n"
	          "\"card2\": {}, \"card3\": 7,\n"
	          "\"system\": {\"Driver version\": \"6.2.4\"}}\n");
	struct whole g = whole_read_at(&reader_rocm_smi, text, 5000);
	assert_int_equal(g.score, 90);
	assert_int_equal(g.code, ERR_OK);
	assert_int_equal(g.f.devices.n, 3);
	assert_string_equal(whole_word(&g, g.f.devices.v[0].id), "in:00000000:1E:00.0");
	assert_string_equal(whole_word(&g, g.f.devices.v[0].model), "MI");
	assert_string_equal(whole_word(&g, g.f.devices.v[1].id), "0x79cc");
	assert_string_equal(whole_word(&g, g.f.devices.v[2].id), "in:card2");
	whole_reads(&g, 0, METRIC_gpu_util, 7000000);
	whole_reads(&g, 0, METRIC_power, 39250);
	whole_reads(&g, 0, METRIC_power_limit, 290000);
	whole_reads(&g, 0, METRIC_sm_clock, 300000);
	whole_reads(&g, 0, METRIC_mem_used, 6468);
	whole_reads(&g, 0, METRIC_temperature, 34000);
	whole_reads(&g, 0, METRIC_fan, 13000000);
	is_not(&g, 0, METRIC_mem_util, WHY_UNSUPPORTED);
	is_not(&g, 0, METRIC_energy, WHY_ABSENT);
	is_not(&g, 1, METRIC_gpu_util, WHY_OUT_OF_RANGE);
	is_not(&g, 1, METRIC_power, WHY_ABSENT);
	whole_reads(&g, 1, METRIC_temperature, 31000); /* the edge, wherever it stands */
	whole_reads(&g, 1, METRIC_mem_clock, 1200000);
	assert_int_equal(g.f.samples.v[0].t_ms, 5000);
	assert_int_equal(g.f.samples.v[0].kind, SAMPLE_POINT);
	assert_int_equal(g.f.inputs.v[0].records, 4);
	assert_int_equal(g.f.inputs.v[0].rejected, 2);
	whole_drop(&g);
	g = whole_read(&reader_rocm_smi, text);
	assert_int_equal(g.f.devices.n, 3);
	assert_int_equal(g.f.samples.n, 0);
	assert_true(g.f.notes.n > 0);
	whole_drop(&g);
}

static void rocm_csv(void **state)
{
	(void)state;
	struct whole g =
	        whole_read_at(&reader_rocm_smi,
	                      S("device,Temperature (Sensor edge) (C),GPU use (%),Current Socket "
	                        "Graphics Package Power (W),sclk clock speed:,Card series\n"
	                        "card0,42.0,99,133.0,(131Mhz),\"AMD, Instinct\"\n\n"
	                        "card1,N/A,,ERR!,(900Mhz)\n"),
	                      5000);
	assert_int_equal(g.score, 90);
	assert_int_equal(g.f.samples.n, 1);
	assert_string_equal(whole_word(&g, g.f.devices.v[0].id), "in:card0");
	assert_string_equal(whole_word(&g, g.f.devices.v[0].model), "AMD, Instinct");
	whole_reads(&g, 0, METRIC_power, 133000);
	whole_reads(&g, 0, METRIC_gpu_util, 99000000);
	whole_reads(&g, 0, METRIC_sm_clock, 131000);
	assert_int_equal(g.f.inputs.v[0].records, 2);
	assert_int_equal(g.f.inputs.v[0].rejected, 1);
	assert_int_equal(g.f.rejects.v[0].line, 4);
	whole_drop(&g);
}

/* Trap 16: lists of Python's in quotes, a blank line between ticks, N/A everywhere. */
static void amd_csv(void **state)
{
	(void)state;
	struct whole g = whole_read_at(
	        &reader_amd_smi,
	        S("timestamp,gpu,gfx_activity,umc_activity,vcn_activity,socket_power,gfx_0_clk,"
	          "gfx_0_max_clk,mem_0_clk,edge,hotspot,mem,total_energy_consumption,total_vram,"
	          "used_vram\r\n"
	          "1772939616,0,95,80,\"['N/A', 'N/A', "
	          "0]\",350,1980,2100,901,N/A,72,65,12.5,196592,"
	          "283\r\n"
	          "1772939616,1,N/A,N/A,N/A,N/A,65535,N/A,N/A,38,N/A,N/A,N/A,N/A,N/A\r\n"
	          "\r\n"
	          "timestamp,gpu,gfx_activity,umc_activity,vcn_activity,socket_power,gfx_0_clk,"
	          "gfx_0_max_clk,mem_0_clk,edge,hotspot,mem,total_energy_consumption,total_vram,"
	          "used_vram\r\n"
	          "1772939617,0,\"[1, 2]\",101,0,350,1980,2100,901,40,72,65,13,196592,283\r\n"
	          "1772939617,1,95,80,\"['N/A', 0,350\r\n"
	          "never,0,95,80,0,350,1980,2100,901,40,72,65,13,196592,283\r\n"),
	        5000);
	assert_int_equal(g.score, 90);
	assert_int_equal(g.f.samples.n, 3);
	assert_int_equal(g.f.samples.v[0].t_ms, INT64_C(1772939616000));
	assert_int_equal(g.f.samples.v[2].t_ms, INT64_C(1772939617000));
	assert_string_equal(whole_word(&g, g.f.devices.v[1].id), "in:1");
	whole_reads(&g, 0, METRIC_gpu_util, 95000000);
	whole_reads(&g, 0, METRIC_mem_util, 80000000);
	whole_reads(&g, 0, METRIC_power, 350000);
	whole_reads(&g, 0, METRIC_sm_clock, 1980000);
	whole_reads(&g, 0, METRIC_sm_clock_max, 2100000);
	whole_reads(&g, 0, METRIC_temperature, 72000); /* no edge on this one */
	whole_reads(&g, 0, METRIC_mem_temperature, 65000);
	whole_reads(&g, 0, METRIC_energy, 12500);
	whole_reads(&g, 0, METRIC_mem_size, 196592000);
	whole_reads(&g, 0, METRIC_mem_used, 283000);
	whole_reads(&g, 1, METRIC_temperature, 38000);
	is_not(&g, 1, METRIC_gpu_util, WHY_UNSUPPORTED);
	is_not(&g, 1, METRIC_sm_clock, WHY_UNSUPPORTED); /* all ones */
	is_not(&g, 2, METRIC_gpu_util, WHY_ABSENT);
	is_not(&g, 2, METRIC_mem_util, WHY_OUT_OF_RANGE);
	whole_reads(&g, 2, METRIC_temperature, 40000);
	assert_int_equal(g.f.inputs.v[0].records, 5);
	assert_int_equal(g.f.inputs.v[0].rejected, 3);
	whole_drop(&g);
}

/* `monitor` has other columns, and gives `gfx` and `mem` another meaning. */
static void amd_monitor(void **state)
{
	(void)state;
	struct whole g =
	        whole_read(&reader_amd_smi,
	                   S("timestamp,gpu,xcp,power_usage,max_power,hotspot_temperature,"
	                     "memory_temperature,gfx_clk,gfx,mem,mem_clock,vram_used,vram_total\n"
	                     "1772939616,3,0,142,750,61,58,132,7,3,900,0.28 GB,191.98 GB\n"));
	assert_int_equal(g.score, 90);
	whole_reads(&g, 0, METRIC_gpu_util, 7000000);
	whole_reads(&g, 0, METRIC_mem_util, 3000000);
	whole_reads(&g, 0, METRIC_power, 142000);
	whole_reads(&g, 0, METRIC_power_limit, 750000);
	whole_reads(&g, 0, METRIC_temperature, 61000);
	whole_reads(&g, 0, METRIC_mem_temperature, 58000);
	whole_reads(&g, 0, METRIC_mem_clock, 900000);
	whole_reads(&g, 0, METRIC_mem_used, 286720);
	assert_int_equal(g.f.inputs.v[0].rejected, 0);
	whole_drop(&g);
}

static void amd_json(void **state)
{
	(void)state;
	static const char gpus[] =
	        "[{\"gpu\": 1, \"uuid\": \"7eff74a0\", \"asic\": {\"market_name\": \"MI300X\"},"
	        " \"usage\": {\"gfx_activity\": {\"value\": 73, \"unit\": \"%\"}, \"umc_activity\":"
	        " \"N/A\", \"vcn_activity\": [\"N/A\", 0]},"
	        " \"mem_usage\": {\"total_vram\": {\"value\": 196592, \"unit\": \"MB\"},"
	        " \"used_vram\": {\"value\": 48, \"unit\": \"GB\"}},"
	        " \"clock\": {\"gfx_0\": {\"clk\": {\"value\": 132, \"unit\": \"MHz\"}}},"
	        " \"temperature\": {\"edge\": \"N/A\", \"hotspot\": {\"value\": 61, \"unit\": "
	        "\"C\"}},"
	        " \"energy\": {\"total_energy_consumption\": {\"value\": 1.5, \"unit\": \"J\"}},"
	        " \"power\": {\"socket_power\": {\"value\": 142, \"unit\": \"W\"}}},"
	        " {\"gpu\": 0, \"usage\": {\"gfx_activity\": 50}, \"power\": {\"socket_power\":"
	        " {\"value\": 5, \"unit\": \"hp\"}, \"average_socket_power\": null}}, 7]";
	auto_arena a = ARENA_NULL;
	const char *forms[] = { gpus, arena_printf(&a, "WARNING: x\n{\"gpu_data\": %s}", gpus) };
	for (size_t i = 0; i < 2; i++) {
		struct whole g = whole_read_at(&reader_amd_smi, str_of(forms[i]), 5000);
		assert_int_equal(g.score, 90);
		assert_int_equal(g.f.samples.n, 2);
		assert_string_equal(whole_word(&g, g.f.devices.v[0].id), "7eff74a0");
		assert_string_equal(whole_word(&g, g.f.devices.v[0].model), "MI300X");
		assert_string_equal(whole_word(&g, g.f.devices.v[1].id), "in:0");
		whole_reads(&g, 0, METRIC_gpu_util, 73000000);
		whole_reads(&g, 0, METRIC_mem_size, 196592000);
		whole_reads(&g, 0, METRIC_mem_used, 48 * 1024000);
		whole_reads(&g, 0, METRIC_sm_clock, 132000);
		whole_reads(&g, 0, METRIC_temperature, 61000);
		whole_reads(&g, 0, METRIC_energy, 1500);
		whole_reads(&g, 0, METRIC_power, 142000);
		is_not(&g, 0, METRIC_mem_util, WHY_UNSUPPORTED);
		whole_reads(&g, 1, METRIC_gpu_util, 50000000);
		is_not(&g, 1, METRIC_power, WHY_ABSENT);
		assert_int_equal(g.f.inputs.v[0].records, 3);
		assert_int_equal(g.f.inputs.v[0].rejected, 2);
		whole_drop(&g);
	}
}

/* Neither takes the other's, or anybody's. */
static void strangers(void **state)
{
	(void)state;
	static const char *const others[] = {
		"",
		"{}",
		"[]",
		"[{\"gpu\": 1}]",
		"{\"gpus\": [{\"gpu\": 1}]}",
		"device,host\n",
		"gpu,time\n0,1\n",
		"timestamp, index, utilization.gpu [%]\n",
		"{\"card0\": 1}",
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_int_equal(reader_rocm_smi.recognise(str_of(others[i]), NULL), 0);
		assert_int_equal(reader_amd_smi.recognise(str_of(others[i]), NULL), 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rocm_json), cmocka_unit_test(rocm_csv),
		cmocka_unit_test(amd_csv),   cmocka_unit_test(amd_monitor),
		cmocka_unit_test(amd_json),  cmocka_unit_test(strangers),
	};
	return RUN_TESTS(tests);
}
