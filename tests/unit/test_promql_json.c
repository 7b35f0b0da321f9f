/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/text.h"
#include "lib/whole.h"
#include "parse/prom.h"

extern const struct reader reader_promql_json;

#define T0 INT64_C(1790812800000)

/* One matrix of one series of device "GPU-a": VALUES at every STEP seconds, "" for none. */
static void add_series(struct text *t, const char *metric, const char *labels, int step,
                       const char *const *values, size_t n)
{
	text_printf(t, "%s{\"metric\":{\"__name__\":\"%s\",%s},\"values\":[", t->n ? "," : "",
	            metric, labels);
	bool is_first = true;
	for (size_t i = 0; i < n; i++) {
		if (!*values[i])
			continue;
		text_printf(t, "%s[%lld,\"%s\"]", is_first ? "" : ",",
		            (long long)(T0 / 1000 + (int64_t)i * step), values[i]);
		is_first = false;
	}
	text_add(t, S("]}"));
}

static struct whole read_list(struct text *t, struct arena *a)
{
	return whole_read(&reader_promql_json,
	                  str_of(arena_printf(a,
	                                      "{\"status\":\"success\",\"data\":{\"resultType\":"
	                                      "\"matrix\",\"result\":[%.*s]}}",
	                                      (int)t->n, t->p ? t->p : "")));
}

static bool has_note(const struct facts *f, const char *part)
{
	for (size_t i = 0; i < f->notes.n; i++) {
		struct str text = names_word(&f->names, f->notes.v[i].text);
		if (str_find(text, str_of(part)) < text.n)
			return true;
	}
	return false;
}

static const char *const a_labels = "\"UUID\":\"GPU-a\",\"Hostname\":\"n1\",\"modelName\":\"NVIDIA "
                                    "H100 80GB HBM3\"";

static void test_series_are_joined(void **state)
{
	static const char *const sm[] = { "0.9", "0.125", "", "0" },
	                         *const tensor[] = { "0.5", "0", "0", "0" },
	                         *const tx[] = { "1.5e+09", "10", "10", "10" },
	                         *const rx[] = { "500000000", "", "10", "10" };
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	add_series(&t, "DCGM_FI_PROF_SM_ACTIVE", a_labels, 30, sm, 4);
	add_series(&t, "DCGM_FI_PROF_TENSOR_UTIL_RATIO", a_labels, 30, tensor, 4);
	add_series(&t, "DCGM_FI_PROF_PCIE_TX_BYTES", a_labels, 30, tx, 4);
	add_series(&t, "DCGM_FI_PROF_PCIE_RX_BYTES", a_labels, 30, rx, 4);
	struct whole w = read_list(&t, &a);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.devices.n, 1);
	assert_str(names_word(&w.f.names, w.f.devices.v[0].node), "n1");
	assert_int_equal(w.f.samples.n, 4);
	const struct sample *s = w.f.samples.v;
	assert_int_equal(s[0].t_ms, T0);
	assert_int_equal(s[1].t_ms, T0 + 30000);
	assert_int_equal(s[0].kind, SAMPLE_AVERAGE);
	assert_int_equal(s[0].period_ms, 30000);
	assert_int_equal(s[0].v[METRIC_sm], 90000000);
	assert_int_equal(s[1].v[METRIC_sm], 12500000);
	assert_int_equal(s[0].v[METRIC_tensor], 50000000);
	assert_int_equal(s[0].v[METRIC_pcie], 2000000000);
	assert_false(s[1].known >> METRIC_pcie & 1); /* one direction is no sum */
	assert_false(s[2].known >> METRIC_sm & 1);
	assert_int_equal(w.f.inputs.v[0].records, 14);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	whole_drop(&w);
}

/* ledger.md 9.3: GPU-Util alone, or a step far beyond the exporter's interval, is a point. */
static void test_points(void **state)
{
	static const char *const v[] = { "0", "1", "0.5" };
	static const struct {
		const char *metric;
		int step;
		enum sample_kind kind;
	} cases[] = { { "DCGM_FI_DEV_GPU_UTIL", 30, SAMPLE_POINT },
		      { "DCGM_FI_PROF_GR_ENGINE_ACTIVE", 30, SAMPLE_AVERAGE },
		      { "DCGM_FI_PROF_GR_ENGINE_ACTIVE", 60, SAMPLE_AVERAGE },
		      { "DCGM_FI_PROF_GR_ENGINE_ACTIVE", 61, SAMPLE_POINT } };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_arena a = ARENA_NULL;
		auto_text t = TEXT_NULL;
		add_series(&t, cases[i].metric, a_labels, cases[i].step, v, 3);
		struct whole w = read_list(&t, &a);
		assert_int_equal(w.f.samples.n, 3);
		assert_int_equal(w.f.samples.v[1].kind, cases[i].kind);
		assert_int_equal(w.f.samples.v[1].period_ms, cases[i].step * 1000);
		whole_drop(&w);
	}
}

/* Time at which nothing was measured again is a gap. */
static void test_repeats(void **state)
{
	static const char *const sm[] = { "0.9", "0.9", "0.8", "0.8", "0.8", "0.8" },
	                         *const energy[] = { "100", "100", "200", "200", "200", "200" };
	(void)state;
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	add_series(&t, "DCGM_FI_PROF_SM_ACTIVE", a_labels, 15, sm, 6);
	struct whole w = read_list(&t, &a);
	assert_int_equal(w.f.samples.n, 6); /* nothing tells repeats from rest */
	whole_drop(&w);
	add_series(&t, "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", a_labels, 15, energy, 6);
	w = read_list(&t, &a);
	assert_int_equal(w.f.samples.n, 2);
	assert_int_equal(w.f.samples.v[0].t_ms, T0);
	assert_int_equal(w.f.samples.v[1].t_ms, T0 + 30000);
	assert_int_equal(w.f.samples.v[1].period_ms, 30000);
	assert_true(has_note(&w.f, "not measured again"));
	whole_drop(&w);
}

static void test_bad(void **state)
{
	static const struct {
		const char *text;
		uint64_t records, rejected;
		const char *note;
	} cases[] = {
		{ "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[]}}", 0,
		  0, "no data" },
		{ "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{"
		  "\"metric\":{\"__name__\":\"up\"},\"value\":[1790812800,\"1\"]}]}}",
		  1, 0, "no metric of a GPU exporter" },
		{ "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{"
		  "\"metric\":{\"UUID\":\"a\"},\"values\":[[1790812800,\"1\"]]},7]}}",
		  2, 2, NULL },
		{ "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{"
		  "\"metric\":{\"__name__\":\"DCGM_FI_DEV_GPU_UTIL\",\"UUID\":\"a\"},\"values\":[["
		  "1790812800,\"1\"],[\"x\",\"1\"],[1790812830],5,[1790812860,\"many\"],["
		  "1790812890,"
		  "\"101\"],[1790812920,\"NaN\"],[1790812950,true]]}]}}",
		  8, 6, NULL },
		{ "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{"
		  "\"metric\":{\"__name__\":\"DCGM_FI_DEV_GPU_UTIL\"},\"values\":[]}]}}",
		  0, 1, NULL },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct whole w = whole_read(&reader_promql_json, str_of(cases[i].text));
		if (w.code || w.f.inputs.v[0].records != cases[i].records ||
		    w.f.inputs.v[0].rejected != cases[i].rejected)
			fail_msg("case %zu: %llu records, %llu rejected", i,
			         (unsigned long long)w.f.inputs.v[0].records,
			         (unsigned long long)w.f.inputs.v[0].rejected);
		if (cases[i].note && !has_note(&w.f, cases[i].note))
			fail_msg("case %zu: no note", i);
		whole_drop(&w);
	}
}

static void test_errors(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_promql_json,
	                            S("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":"
	                              "\"parse error\"}"));
	assert_int_equal(w.score, 90);
	assert_int_equal(w.code, ERR_INPUT);
	whole_drop(&w);
	w = whole_read(&reader_promql_json, S("{\"jobs\":[]}"));
	assert_int_equal(w.score, 0);
	whole_drop(&w);
	/* cut off: what came before counts */
	w = whole_read(
	        &reader_promql_json,
	        S("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{"
	          "\"metric\":{\"__name__\":\"DCGM_FI_DEV_GPU_UTIL\",\"UUID\":\"a\"},"
	          "\"values\":[[1790812800,\"1\"],[1790812830,\"1\"]]},{\"metric\":{\"__na"));
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.samples.n, 2);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_true(w.f.inputs.v[0].partial);
	whole_drop(&w);
}

static void test_labels_limit(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		auto_arena a = ARENA_NULL;
		auto_text t = TEXT_NULL, labels = TEXT_NULL;
		static const char *const v[] = { "1", "1" };
		text_add(&labels, S("\"UUID\":\"a\""));
		for (unsigned i = 1; i < PROM_LABELS_MAX + more; i++)
			text_printf(&labels, ",\"l%u\":\"\"", i);
		text_byte(&labels, '\0');
		add_series(&t, "DCGM_FI_DEV_GPU_UTIL", labels.p, 30, v, 2);
		struct whole w = read_list(&t, &a);
		assert_int_equal(w.f.samples.n, more ? 0 : 2);
		assert_int_equal(w.f.inputs.v[0].rejected, more);
		whole_drop(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_series_are_joined),
		cmocka_unit_test(test_points),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_labels_limit),
	};
	return RUN_TESTS(tests);
}
