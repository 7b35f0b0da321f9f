/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/whole.h"
#include "read/exporter.h"

extern const struct reader reader_dcgmi_dmon;

#define T0 INT64_C(1790812800000)
#define HEAD "#Entity   SMACT   TENSO   SMCLK   POWER\nID                            W\n"

static void test_rows(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_dcgmi_dmon,
	                   S(HEAD "2026-10-01T00:00:00Z GPU 0     0.912   0.521   1980   612.4\n"
	                          "2026-10-01T00:00:00Z GPU 1     N/A     N/A     210    68.25\n"
	                          "2026-10-01 00:00:01 GPU 0     0.5     0.1     1980   600.0  \n"
	                          "\n"
	                          "1790812802 GPU 0     0.25    0.1     1980   601\n"));
	const struct facts *f = &w.f;
	assert_int_equal(w.score, 90);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(f->inputs.v[0].records, 4);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal(f->devices.n, 2);
	assert_str(names_word(&f->names, f->devices.v[0].id), "gpu 0");
	assert_int_equal(f->samples.n, 4);
	const struct sample *s = f->samples.v;
	assert_true(s[0].t_ms == T0 && s[2].t_ms == T0 + 1000 && s[3].t_ms == T0 + 2000);
	assert_int_equal(s[0].v[METRIC_sm], 91200000);
	assert_int_equal(s[0].v[METRIC_power], 612400);
	assert_int_equal(s[0].kind, SAMPLE_AVERAGE);
	assert_false(s[1].known & metric_bit(METRIC_sm));
	assert_int_equal(s[1].v[METRIC_sm_clock], 210000);
	assert_int_equal(s[1].kind, SAMPLE_POINT);
	whole_drop(&w);
}

/* A head may come again with other columns, with a time before it, with numbers of fields. */
static void test_heads(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_dcgmi_dmon,
	                   S("2026-10-01T00:00:00Z # Entity  203  DVNAM  UUID#\n"
	                     "2026-10-01T00:00:00Z       Id\n"
	                     "2026-10-01T00:00:00Z     GPU 0  97  NVIDIA H100 80GB HBM3  GPU-a\n"
	                     "# 2026-10-01T00:00:01Z\n"
	                     "#Entity FBUSD XXXXX DCGM_FI_DEV_GPU_UTIL\n"
	                     "GPU 0  40000  7  98\n"
	                     "GPU-I 3  40000  7  98\n"
	                     "Switch 0  40000  7  98\n"));
	const struct facts *f = &w.f;
	assert_int_equal(w.score, 90);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(f->inputs.v[0].records, 4);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal(f->devices.n, 2); /* a UUID, and an index that nothing ties to it */
	assert_str(names_word(&f->names, f->devices.v[0].id), "GPU-a");
	assert_str(names_word(&f->names, f->devices.v[0].model), "NVIDIA H100 80GB HBM3");
	assert_int_equal(f->samples.v[0].v[METRIC_gpu_util], 97000000);
	assert_int_equal(f->samples.v[1].v[METRIC_gpu_util], 98000000);
	assert_int_equal(f->samples.v[1].v[METRIC_mem_used], 40000000);
	whole_drop(&w);
}

static void test_rejects(void **state)
{
	static const struct {
		const char *row, *why;
	} cases[] = {
		{ "2026-10-01T00:00:05Z GPU 0 0.1 0.1 1980", "expected 4 values, as the head has" },
		{ "2026-10-01T00:00:05Z GPU 0 0.1 0.1 1980 5 5",
		  "expected 4 values, as the head has" },
		{ "2026-10-01T00:00:05Z GPU x 0.1 0.1 1980 5",
		  "expected an entity: GPU and a number" },
		{ "Error: connection refused", "expected an entity: GPU and a number" },
		{ "GPU 0 0.1 0.1 1980 5", "no time stands before the row" },
		{ "2026-10-01T00:00:05Z GPU 0 1.1 0.1 1980 5",
		  "DCGM_FI_PROF_SM_ACTIVE: out of range" },
		{ "2026-10-01T00:00:05Z GPU 0 no 0.1 1980 5",
		  "DCGM_FI_PROF_SM_ACTIVE: the value is not a number" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		struct whole w = whole_read(
		        &reader_dcgmi_dmon,
		        str_of(arena_printf(&a, HEAD "2026-10-01T00:00:00Z GPU 0 0 0 1980 90\n%s\n",
		                            cases[i].row)));
		assert_int_equal(w.code, ERR_OK);
		assert_int_equal(w.f.inputs.v[0].rejected, 1);
		assert_int_equal(w.f.rejects.v[0].line, 4);
		assert_str(names_word(&w.f.names, w.f.rejects.v[0].reason), cases[i].why);
		assert_true(w.f.samples.n >= 1);
		whole_drop(&w);
	}
}

static void test_without_times(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_dcgmi_dmon, S(HEAD "GPU 0 0.1 0.1 1980 5\n"));
	assert_int_equal(w.score, 90);
	assert_int_equal(w.code, ERR_INPUT);
	assert_true(strstr(w.err.text, "date -u"));
	whole_drop(&w);
	w = whole_read(&reader_dcgmi_dmon, S(HEAD));
	assert_int_equal(w.code, ERR_OK);
	whole_drop(&w);
	w = whole_read(&reader_dcgmi_dmon, S("# gpu   sm   mem\n# Idx  %  %\n 0  5  6\n"));
	assert_int_equal(w.score, 0); /* nvidia-smi dmon */
	whole_drop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_rejects),
		cmocka_unit_test(test_without_times),
	};
	return RUN_TESTS(tests);
}
