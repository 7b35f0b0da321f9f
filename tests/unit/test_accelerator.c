/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/accelerator.h"

#include "lib/run.h"

static const char *key_of(const char *name)
{
	int i = accelerator_find(str_of(name));
	return i < 0 ? "" : accelerators[i].key;
}

static void knows_the_names_that_drivers_report(void **state)
{
	(void)state;
	const char *cases[][2] = {
		{ "NVIDIA H100 80GB HBM3", "h100-sxm" },
		{ "nvidia h100 80gb hbm3", "h100-sxm" },
		{ "nvidia_h100_80gb_hbm3", "h100-sxm" }, /* Slurm's AutoDetect=nvml */
		{ "NVIDIA A100-SXM4-40GB", "a100-sxm4-40" },
		{ "A100-SXM4-40GB", "a100-sxm4-40" }, /* drivers before 460 */
		{ "Tesla V100-PCIE-32GB", "v100-pcie" },
		{ "AMD Instinct MI300X", "mi300x" },
		{ "HL-225B", "gaudi2" },
		{ "h100-nvl", "h100-nvl" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(key_of(cases[i][0]), cases[i][1]);
}

static void takes_a_type_word_only_if_it_means_one_chip(void **state)
{
	(void)state;
	const char *cases[][2] = {
		{ "a30", "a30" },
		{ "T4", "t4" },
		{ "l40s", "l40s" },
		{ "gh200", "gh200" },
		{ "a6000", "rtx-a6000" },
		{ "h100", "" },
		{ "a100", "" },
		{ "v100", "" },
		{ "volta", "" },
		{ "tesla", "" },
		{ "gpu", "" },
		{ "h1", "" },
		{ "", "" },
		{ "NVIDIA", "" },
		{ "NVIDIA H100 80GB HBM3 ", "" },
		{ "rtx", "" },
		{ "NVIDIA H100|x", "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(key_of(cases[i][0]), cases[i][1]);
}

static void counts_slices_where_every_chip_of_the_word_agrees(void **state)
{
	(void)state;
	assert_int_equal(accelerator_mig_slices(S("a100")), 7);
	assert_int_equal(accelerator_mig_slices(S("H100")), 7);
	assert_int_equal(accelerator_mig_slices(S("NVIDIA H200")), 7);
	assert_int_equal(accelerator_mig_slices(S("NVIDIA B200")), 7);
	assert_int_equal(accelerator_mig_slices(S("NVIDIA A30")), 4);
	assert_int_equal(accelerator_mig_slices(S("v100")), 0);
	assert_int_equal(accelerator_mig_slices(S("warp9")), 0);
	assert_int_equal(accelerator_mig_slices(S("")), 0);
}

/* Every row has a source, and no two chips have one name. */
static void has_a_source_for_every_row_and_no_name_twice(void **state)
{
	(void)state;
	for (int i = 0; i < ACCELERATOR_COUNT; i++) {
		const struct accelerator *a = &accelerators[i];
		struct str all = str_of(a->names), one;
		assert_true(*a->source && *a->confidence && *a->names && *a->types);
		assert_true(a->memory_gb > 0 && a->memory_gbs > 0 && a->power_w > 0);
		while (str_cut(&all, '|', &one))
			if (accelerator_find(one) != i)
				fail_msg("%.*s is not only %s", STR_FMT(one), a->key);
		/* spec sheets print dense peaks within a per cent of units x rate x clock; some
		   were derived from others */
		double peak = a->bf16_tflops > 0 ? a->bf16_tflops : a->fp16_tflops;
		double made = a->units * a->tensor_per_clock * a->clock_mhz / 1e6;
		if (made > 0 && (made < peak * 0.9 || made > peak * 1.1))
			fail_msg("%s: %g against %g", a->key, made, peak);
	}
}

static void is_the_shared_table(void **state)
{
	(void)state;
	char path[4096];
	auto_arena arena = ARENA_NULL;
	struct str text =
	        run_file(&arena, run_shared(path, sizeof path, "reference/accelerators.csv"));
	struct str line, key;
	int n = 0;
	str_cut_line(&text, &line);
	for (; str_cut_line(&text, &line); n++) {
		assert_true(str_cut(&line, ',', &key) && n < ACCELERATOR_COUNT);
		assert_str(key, accelerators[n].key);
		if (str_find(line, str_of(accelerators[n].names)) == line.n)
			fail_msg("%s: other names", accelerators[n].key);
	}
	assert_int_equal(n, ACCELERATOR_COUNT);
}

static void sizes_instances_by_what_they_have(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t engines, sms;
		unsigned slices;
	} cases[] = {
		{ "NVIDIA A100-SXM4-80GB", 1, 14, 1 },
		{ "NVIDIA A100-SXM4-80GB", 3, 42, 3 },
		{ "NVIDIA A100-SXM4-80GB", 7, 98, 7 },
		{ "a100", 3, 14, 3 }, /* one compute instance of three */
		{ "a100", 0, 42, 3 },
		{ "a100", 2, 0, 2 },
		{ "a100", 2, 42, 0 }, /* more than a 2g has */
		{ "a100", 5, 42, 0 },
		{ "a100", 0, 0, 0 },
		{ "NVIDIA A30", 4, 56, 4 },
		{ "NVIDIA H100 80GB HBM3", 1, 26, 1 },
		{ "NVIDIA H100 80GB HBM3", 0, 60, 3 },
		{ "NVIDIA H100 80GB HBM3", 8, 132, 7 },
		{ "NVIDIA H100 PCIe", 2, 30, 2 },
		{ "NVIDIA H100 PCIe", 0, 30, 0 },
		{ "NVIDIA B200", 8, 72, 4 },
		{ "NVIDIA B200", 16, 148, 7 },
		{ "Tesla T4", 1, 14, 0 },
		{ "NVIDIA H300", 1, 14, 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (accelerator_mig_part(str_of(cases[i].name), cases[i].engines, cases[i].sms) !=
		    cases[i].slices)
			fail_msg("%s, %zu", cases[i].name, i);
}

static void covers_what_can_only_be_meant_by_it(void **state)
{
	(void)state;
	static const struct {
		const char *word, *name;
		bool covers;
	} cases[] = {
		{ "h100", "NVIDIA H100 80GB HBM3", true },
		{ "H100", "NVIDIA H100 PCIe", true },
		{ "H100", "nvidia_h100_80gb_hbm3", true },
		{ "h100", "h100", true },
		{ "h100-sxm", "NVIDIA H100 80GB HBM3", true },
		{ "NVIDIA H100 80GB HBM3", "h100-sxm", true },
		{ "NVIDIA H100 80GB HBM3", "h100", false }, /* it may be another H100 */
		{ "h100-pcie", "NVIDIA H100 80GB HBM3", false },
		{ "a100", "NVIDIA H100 80GB HBM3", false },
		{ "h100", "NVIDIA H200", false },
		{ "Some GPU", "some_gpu", true },
		{ "some", "some gpu", false },
		{ "", "h100", false },
		{ "h100", "", false },
		{ "", "", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (accelerator_covers(str_of(cases[i].word), str_of(cases[i].name)) !=
		    cases[i].covers)
			fail_msg("%s, %s", cases[i].word, cases[i].name);
}

static void completes_names_by_their_memory(void **state)
{
	(void)state;
	static const struct {
		const char *cut;
		uint64_t mebibytes;
		const char *whole; /* NULL: not known */
	} cases[] = {
		{ "NVIDIA A100-SXM", 81920, "NVIDIA A100-SXM4-80GB" },
		{ "NVIDIA A100-SXM", 40536, "NVIDIA A100-SXM4-40GB" },
		{ "NVIDIA A100-SXM", 65536, "NVIDIA A100-SXM-64GB" },
		{ "NVIDIA A100-SXM", 0, NULL },
		{ "NVIDIA A100-SXM", 70000, NULL },
		{ "Tesla V100-SXM2", 32510, "Tesla V100-SXM2-32GB" },
		{ "Tesla V100-PCIE", 16160, "Tesla V100-PCIE-16GB" },
		{ "Tesla P100-PCIE", 12198, "Tesla P100-PCIE-12GB" },
		{ "NVIDIA A100-", 40536, NULL }, /* SXM4 or PCIE */
		{ "NVIDIA H100 80", 81559, NULL },
		{ "NVIDIA GeForce RTX 30", 24576, NULL },
		{ "", 81920, NULL },
		{ "-", 81920, NULL },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str whole = STR_NULL;
		bool known = accelerator_complete(str_of(cases[i].cut), cases[i].mebibytes, &whole);
		if (known != (cases[i].whole != NULL) ||
		    (known && !str_eq(whole, str_of(cases[i].whole))))
			fail_msg("%s, %d MiB", cases[i].cut, (int)cases[i].mebibytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_names_that_drivers_report),
		cmocka_unit_test(takes_a_type_word_only_if_it_means_one_chip),
		cmocka_unit_test(covers_what_can_only_be_meant_by_it),
		cmocka_unit_test(sizes_instances_by_what_they_have),
		cmocka_unit_test(completes_names_by_their_memory),
		cmocka_unit_test(counts_slices_where_every_chip_of_the_word_agrees),
		cmocka_unit_test(has_a_source_for_every_row_and_no_name_twice),
		cmocka_unit_test(is_the_shared_table),
	};
	return RUN_TESTS(tests);
}
