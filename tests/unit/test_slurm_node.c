/* SPDX-License-Identifier: Apache-2.0 */
#include "read/slurm_node.h"

#include "lib/whole.h"
#include "parse/when.h"

extern const struct reader reader_scontrol_node, reader_sinfo;

static struct str word(const struct whole *w, sym id)
{
	return names_word(&w->f.names, id);
}

static void states_and_their_marks(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		enum slurm_node_class want;
	} rows[] = {
		{ "IDLE", SLURM_NODE_UP },
		{ "mixed", SLURM_NODE_UP },
		{ "mix-", SLURM_NODE_UP },
		{ "alloc", SLURM_NODE_UP },
		{ "IDLE+PLANNED", SLURM_NODE_UP },
		{ "MIXED+CLOUD", SLURM_NODE_UP },
		{ "IDLE+DRAIN", SLURM_NODE_DRAINING },
		{ "MIXED+DRAIN", SLURM_NODE_DRAINING },
		{ "drained", SLURM_NODE_DRAINING },
		{ "drng", SLURM_NODE_DRAINING },
		{ "FAIL", SLURM_NODE_DRAINING },
		{ "mixed@", SLURM_NODE_DRAINING },
		{ "drained$", SLURM_NODE_PLANNED },
		{ "IDLE+MAINT", SLURM_NODE_PLANNED },
		{ "mixed#", SLURM_NODE_STARTING },
		{ "idle~", SLURM_NODE_STARTING },
		{ "IDLE+POWERED_DOWN", SLURM_NODE_STARTING },
		{ "down", SLURM_NODE_GONE },
		{ "DOWN+DRAIN", SLURM_NODE_GONE },
		{ "DOWN*+DRAIN", SLURM_NODE_GONE },
		{ "idle*", SLURM_NODE_GONE },
		{ "IDLE+NOT_RESPONDING", SLURM_NODE_GONE },
		{ "FUTURE", SLURM_NODE_ABSENT },
		{ "IDLE+CLOUD+POWERED_DOWN", SLURM_NODE_ABSENT },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum slurm_node_class class;
		assert_true(slurm_node_state(str_of(rows[i].in), &class));
		assert_int_equal(class, rows[i].want);
	}
	static const char *const none[] = {
		"", "*", "up", "IDLE+", "+IDLE", "IDLE+HAPPY", "i dle"
	};
	enum slurm_node_class class;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(slurm_node_state(str_of(none[i]), &class));
}

static const char blocks[] = "NodeName=n1 Arch=x86_64 CoresPerSocket=48\n"
                             "   CPUAlloc=0 CPUTot=96 CPULoad=0.01\n"
                             "   Gres=gpu:h100:8(S:0-1)\n"
                             "   OS=Linux 5.15 #132 SMP MyState=NOT_THIS\n"
                             "   State=MIXED ThreadsPerCore=1\n"
                             "   Partitions=gpu,debug\n"
                             "\n"
                             "NodeName=n2 CPUTot=64\n"
                             "   Gres=gpu:tesla:2,gpu:kepler:2\n"
                             "   State=DOWN+DRAIN+NOT_RESPONDING ThreadsPerCore=1\n"
                             "   Partitions=gpu\n"
                             "   Reason=Not responding [slurm@2026-11-30T12:00:00]\n"
                             "NodeName=n3 Gres=(null) State=IDLE CfgTRES=cpu=1\n"
                             "NodeName=n4 Gres=gpu:a100_1g.10gb:7 State=IDLE+DRAIN Reason=bad fan "
                             "[root@Unknown] Comment=x\n"
                             "NodeName=n5 State=IDLE CfgTRES=cpu=4,gres/gpu=4,gres/gpu:l40=4\n"
                             "NodeName=n6 State=HAPPY Gres=gpu:1\n"
                             "NodeName=n7 State=IDLE\n";

static void reads_blocks_and_lines(void **state)
{
	(void)state;
	int64_t since;
	when_parse(S("2026-11-30T12:00:00"), NULL, &since);
	struct whole w = whole_read(&reader_scontrol_node, str_of(blocks));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.f.inputs.v[0].records, 7);
	assert_int_equal(w.f.inputs.v[0].rejected, 1); /* n6 */
	const struct node *n = w.f.nodes.v;
	assert_int_equal(w.f.nodes.n, 6);
	assert_int_equal(n[0].gpus, 8);
	assert_int_equal(n[0].cpus, 96);
	assert_str(word(&w, n[0].model), "h100");
	assert_str(word(&w, n[0].partition), "gpu,debug");
	assert_int_equal(n[1].gpus, 4);
	assert_int_equal(n[2].gpus, 0);
	assert_int_equal(n[3].gpus, 1);
	assert_int_equal(n[4].gpus, 4);
	assert_int_equal(n[5].gpus, COUNT_UNKNOWN); /* neither Gres nor CfgTRES */
	/* n1; n2 up before and failed since, a pool for each of its two models; n4; n5 */
	assert_int_equal(w.f.capacity.n, 7);
	const struct capacity *c = w.f.capacity.v;
	assert_true(c[0].count == 8 && c[0].state == CAPACITY_UP && c[0].is_snapshot);
	assert_true(c[0].from_ms == TIME_UNKNOWN && c[0].pool == c[0].node && !c[0].gone);
	assert_true(c[1].to_ms == since && c[1].state == CAPACITY_UP && !c[1].gone);
	assert_true(c[2].from_ms == since && c[2].state == CAPACITY_FAILED && c[2].gone);
	assert_true(c[1].count == 2 && c[2].count == 2 && c[2].is_part && !c[0].is_part);
	assert_str(word(&w, c[2].model), "tesla");
	assert_str(word(&w, c[2].pool), "n2:tesla");
	assert_str(word(&w, c[4].model), "kepler");
	assert_true(c[3].node == c[2].node && c[4].count == 2);
	assert_true(c[5].state == CAPACITY_DRAINING && !c[5].gone && c[5].count == 1);
	assert_str(word(&w, c[5].model), "a100");
	assert_true(w.f.has_scheduler && w.f.scheduler.n == 0);
	whole_drop(&w);
}

static void tells_what_jobs_can_have_of_a_node(void **state)
{
	(void)state;
	static const char text[] =
	        "NodeName=a CPUTot=64 CPUEfctv=60 RealMemory=512000 MemSpecLimit=12000 "
	        "State=IDLE Gres=gpu:1\n"
	        "NodeName=b CPUTot=64 CPUEfctv=64 RealMemory=1 State=IDLE Gres=gpu:1\n"
	        "NodeName=c State=IDLE Gres=gpu:1\n";
	struct whole w = whole_read(&reader_scontrol_node, str_of(text));
	const struct node *n = w.f.nodes.v;
	assert_int_equal(w.f.nodes.n, 3);
	assert_true(n[0].cpus == 64 && n[0].cpu_milli == 60000 && n[0].memory_mib == 500000);
	/* all 64: CPUS says it; 1 MiB is slurm.conf's default and says nothing */
	assert_true(node_cpu_milli(&n[1]) == 64000 && n[1].cpu_milli == -1 &&
	            n[1].memory_mib == -1);
	assert_true(node_cpu_milli(&n[2]) == -1 && n[2].memory_mib == -1);
	whole_drop(&w);
	w = whole_read(&reader_sinfo,
	               S("NODELIST|GRES|STATE|CPUS|MEMORY\nn1|gpu:8|idle|96|773000+\n"
	                 "n2|gpu:8|idle|96|N/A\n"));
	n = w.f.nodes.v;
	assert_true(node_cpu_milli(&n[0]) == 96000 && n[0].memory_mib == 773000);
	assert_true(n[1].memory_mib == -1);
	whole_drop(&w);
}

static void refuses_partitions_with_the_reason(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_scontrol_node, S("PartitionName=a Nodes=n[1-2]\n"));
	assert_true(w.score > 0 && w.code == ERR_INPUT);
	assert_non_null(strstr(w.err.text, "scontrol show node"));
	whole_drop(&w);
	assert_int_equal(reader_scontrol_node.recognise(S("JobId=7 JobName=x\n"), NULL), 0);
}

static void reads_sinfo_in_every_form(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t nodes, capacity;
		uint32_t gpus;
	} rows[] = {
		{ "NODELIST|GRES|STATE|PARTITION|REASON\nn1|gpu:h100:8|idle|gpu*|none\n"
		  "n1|gpu:h100:8|idle|debug|none\n",
		  1, 1, 8 },
		{ "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\ngpu* up 1-00:00:00 3 idle "
		  "n[1-3]\n",
		  3, 0, COUNT_UNKNOWN },
		{ "Mon Nov 30 12:00:00 2026\nNODELIST   NODES PARTITION       STATE CPUS REASON    "
		  "GRES\n"
		  "n1             1      gpu        idle 96   bad fan x gpu:8(S:0-1)\n",
		  1, 1, 8 },
		{ "n1 |gpu:ampere:8 |gpu:ampere:0(IDX:N/A) |256 |0/256/0/256 |idle |learn\n", 1, 1,
		  8 },
		{ "n1,idle\nn2,down*\n", 2, 0, COUNT_UNKNOWN },
		{ "a048      163840      193000     16/0/0/16   mixed\n", 1, 0, COUNT_UNKNOWN },
		{ "NODELIST,STATE\nn1,idle\n", 1, 0, COUNT_UNKNOWN },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct whole w = whole_read(&reader_sinfo, str_of(rows[i].text));
		assert_true(w.score > 0 && w.code == ERR_OK);
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.nodes.n, rows[i].nodes);
		assert_int_equal(w.f.capacity.n, rows[i].capacity);
		assert_int_equal(w.f.nodes.v[0].gpus, rows[i].gpus);
		if (i == 2)
			assert_true(w.f.capacity.v[0].at_ms == 1796040000000);
		whole_drop(&w);
	}
	static const char *const others[] = { "",
		                              "5725/877/34/6636",
		                              "15451729,RUNNING\n",
		                              "*****\nsdiag output at Wed Apr 12 11:04:01 2017\n",
		                              "163485|163485|idle|x\n",
		                              "a,b\n1,2\n" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(reader_sinfo.recognise(str_of(others[i]), NULL), 0);
	struct whole w = whole_read(&reader_sinfo, S("NODELIST|STATE|GRES\nn1|idle|gpu:8\nn2|idle\n"
	                                             "n[|idle|gpu:8\nn3|odd|gpu:8\n"));
	assert_int_equal(w.f.inputs.v[0].rejected, 3);
	assert_int_equal(w.f.nodes.n, 1);
	whole_drop(&w);
}

static void reads_what_others_have(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		size_t nodes, capacity;
	} rows[] = { { "data/slurm-live/gcm/sinfo-output-for-structured.txt", 10, 10 },
		     { "data/slurm-live/vpenso/sinfo_mem.txt", 8, 0 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char path[4096];
		auto_arena a = ARENA_NULL;
		struct whole w = whole_read(
		        &reader_sinfo, run_file(&a, run_shared(path, sizeof path, rows[i].path)));
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.nodes.n, rows[i].nodes);
		assert_int_equal(w.f.capacity.n, rows[i].capacity);
		whole_drop(&w);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_and_their_marks),
		cmocka_unit_test(reads_blocks_and_lines),
		cmocka_unit_test(tells_what_jobs_can_have_of_a_node),
		cmocka_unit_test(refuses_partitions_with_the_reason),
		cmocka_unit_test(reads_sinfo_in_every_form),
		cmocka_unit_test(reads_what_others_have),
	};
	return RUN_TESTS(tests);
}
