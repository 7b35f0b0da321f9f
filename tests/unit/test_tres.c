/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/tres.h"

#include <stdio.h>

#include "base/limits.h"
#include "lib/run.h"

static void counts_gpus_in_every_spelling(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		uint32_t gpus, instances, slices, shards;
		const char *model;
	} rows[] = {
		{ "gpu:8(S:0-3)", 8, 0, 0, 0, "" },
		{ "gpu:a100:4(S:0-1)", 4, 0, 0, 0, "a100" },
		{ "gpu:(null):4(IDX:0-3)", 4, 0, 0, 0, "" },
		{ "gpu:tesla:2,gpu:kepler:2", 4, 0, 0, 0, "" },
		{ "gpu:tesla:2(IDX:0,3),gpu:kepler:1(S:0-1)", 3, 0, 0, 0, "" },
		{ "gres/gpu=8,gres/gpu:h100=8", 8, 0, 0, 0, "h100" },
		{ "billing=64,cpu=8,gres/gpu:h100=8,gres/gpu=8,mem=1T,node=1", 8, 0, 0, 0, "h100" },
		{ "cpu=1,gres/gpu=8,gres/gpu:h100=8", 8, 0, 0, 0, "h100" },
		{ "gres/gpu:h100=8,cpu=1", 8, 0, 0, 0, "h100" },
		{ "gres/gpu:a100=2,gres/gpu:h100=4", 6, 0, 0, 0, "" },
		{ "gres/gpu=6,gres/gpu:a100=2,gres/gpu:h100=4", 6, 0, 0, 0, "" },
		{ "gres/gpu:a100_1g.10gb=1,cpu=8", 0, 1, 1, 0, "a100" },
		{ "gres/gpu=1,gres/gpu:a100_1g.10gb=1", 0, 1, 1, 0, "a100" },
		{ "gres/gpu=3,gres/gpu:a100_1g.10gb=1,gres/gpu:a100=2", 2, 1, 1, 0, "a100" },
		{ "gpu:a100_1g.10gb:7", 0, 7, 7, 0, "a100" },
		{ "gpu:a100_3g.40gb:2", 0, 2, 6, 0, "a100" },
		{ "gpu:1g.5gb:2", 0, 2, 2, 0, "" },
		{ "shard:16", 0, 0, 0, 16, "" },
		{ "gres/shard=16", 0, 0, 0, 16, "" },
		{ "(null)", 0, 0, 0, 0, "" },
		{ "gpu:2,mps:200", 2, 0, 0, 0, "" },
		{ "gpu:ampere:0(IDX:N/A)", 0, 0, 0, 0, "" },
		{ "PER_NODE:gpu:8", 8, 0, 0, 0, "" },
		{ "gres:gpu:8", 8, 0, 0, 0, "" },
		{ "gres/gpu:8", 8, 0, 0, 0, "" },
		{ "gres/gpu:a100:4", 4, 0, 0, 0, "a100" },
		{ "gpu", 1, 0, 0, 0, "" },
		{ "gpu:8", 8, 0, 0, 0, "" },
		{ "gpu:h100:no_consume:8", 8, 0, 0, 0, "h100" },
		{ "gpu:nvidia_h100_80gb_hbm3:8(S:0-1)", 8, 0, 0, 0, "nvidia_h100_80gb_hbm3" },
		{ "cpu=12,node=1", 0, 0, 0, 0, "" },
		{ "cpu=4,mem=1280.50G,gres/gpumem=80G,gres/gpuutil=50", 0, 0, 0, 0, "" },
		{ "1=20,2=170000,4=1,5=20", 0, 0, 0, 0, "" },
		{ "1=40,2=1,4=1,5=40,1002=2", 2, 0, 0, 0, "" },
		{ "1=40,1001=8,1002=8", 8, 0, 0, 0, "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct tres_counts c;
		assert_int_equal(tres_parse(str_of(rows[i].in), NULL, 0, &c), TRES_OK);
		assert_int_equal(c.gpus, rows[i].gpus);
		assert_int_equal(c.instances, rows[i].instances);
		assert_int_equal(c.slices, rows[i].slices);
		assert_int_equal(c.shards, rows[i].shards);
		assert_str(c.model, rows[i].model);
	}
}

static void tells_nothing_from_zero_and_from_wrong(void **state)
{
	(void)state;
	static const char *const unknown[] = { "", "N/A", "n/a", "Unknown", " " };
	static const char *const bad[] = { "hello",       "gpu:8x=",      "gres/gpu=many",
		                           "gres/gpu=-1", "gres/gpu=1.5", "=8",
		                           "gpu tesla:2", "960-00:37:20", "gres/gpu=100000001" };
	struct tres_counts c;
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		assert_int_equal(tres_parse(str_of(unknown[i]), NULL, 0, &c), TRES_UNKNOWN);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(tres_parse(str_of(bad[i]), NULL, 0, &c), TRES_BAD);
	assert_int_equal(tres_parse(S("gres/gpu=100000000"), NULL, 0, &c), TRES_OK);
	assert_int_equal(c.gpus, GPUS_MAX);
}

static void a_sites_table_names_the_numbers(void **state)
{
	(void)state;
	static const struct tres_name names[] = { { 1001, { "gres/gpu", 8 } },
		                                  { 1002, { "gres/gpu:volta", 14 } },
		                                  { 1003, { "license/matlab", 14 } } };
	struct tres_counts c;
	assert_int_equal(tres_parse(S("1=4,1001=2,1002=2,1003=50"), names, 3, &c), TRES_OK);
	assert_int_equal(c.gpus, 2);
	assert_str(c.model, "volta");
	assert_false(c.is_assumed);
	assert_int_equal(c.cpus, 4);
	assert_int_equal(tres_parse(S("1=4,1001=2"), NULL, 0, &c), TRES_OK);
	assert_true(c.is_assumed);
}

static void reads_memory_in_mebibytes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t mib;
	} rows[] = { { "cpu=4,mem=64G,node=1", 65536 },
		     { "cpu=4,mem=1280.50G,node=1", 1311232 },
		     { "mem=512000M", 512000 },
		     { "mem=500K", 0 },
		     { "mem=2048K", 2 },
		     { "mem=4T", 4194304 },
		     { "mem=1P", 1073741824 },
		     { "mem=7.9M", 7 },
		     { "mem=170000", 170000 },
		     { "1=20,2=170000,4=1,1001=2", 170000 },
		     { "mem=0", 0 },
		     { "cpu=4,gres/gpu=1", -1 },
		     { "mem=many", -1 },
		     { "mem=-5G", -1 },
		     { "mem=", -1 },
		     { "mem=9223372036854775807E", -1 } };
	struct tres_counts c;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(tres_parse(str_of(rows[i].text), NULL, 0, &c), TRES_OK);
		assert_int_equal(c.memory_mib, rows[i].mib);
	}
}

static void keeps_indexes_and_chips(void **state)
{
	(void)state;
	struct tres_counts c;
	assert_int_equal(tres_parse(S("gpu:a100:3(IDX:0,2-3)"), NULL, 0, &c), TRES_OK);
	assert_true(c.has_indexes && c.indexes == 0xd);
	assert_int_equal(tres_parse(S("gpu:8(IDX:0-63)"), NULL, 0, &c), TRES_OK);
	assert_true(c.has_indexes && c.indexes == UINT64_MAX);
	assert_int_equal(tres_parse(S("gpu:8(IDX:N/A)"), NULL, 0, &c), TRES_OK);
	assert_false(c.has_indexes);
	assert_int_equal(tres_parse(S("gpu:a30_1g.6gb:4"), NULL, 0, &c), TRES_OK);
	assert_int_equal(c.slices_per_gpu, 4);
	assert_int_equal(tres_parse(S("gpu:h100_1g.10gb:7"), NULL, 0, &c), TRES_OK);
	assert_int_equal(c.slices_per_gpu, 7);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_gpus_in_every_spelling),
		cmocka_unit_test(tells_nothing_from_zero_and_from_wrong),
		cmocka_unit_test(a_sites_table_names_the_numbers),
		cmocka_unit_test(reads_memory_in_mebibytes),
		cmocka_unit_test(keeps_indexes_and_chips),
	};
	return RUN_TESTS(tests);
}
