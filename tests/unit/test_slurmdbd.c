/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pieces.h"

extern const struct reader reader_slurmdbd;

static struct str word(const struct whole *w, sym id)
{
	return names_word(&w->f.names, id);
}

static const char tabs[] =
        "job_db_inx\tid_job\tid_array_job\tid_array_task\tarray_task_str\tstate\texit_code\ttime_"
        "submit\t"
        "time_eligible\ttime_start\ttime_end\ttres_alloc\ttres_req\tnodelist\tpartition\taccount\t"
        "job_name\tid_user\ttimelimit\n"
        "1\t70\t0\t4294967294\tNULL\t3\t0\t1761955200\t1761955200\t1761955300\t1761958900\t"
        "1=8,2=1,4=1,1001=2\t1=8,1001=1\tn1\tgpu\tbio\ttrain\t1001\t4294967295\n"
        "2\t72\t71\t4\tNULL\t5\t256\t1761955200\t1761955200\t1761955300\t1761958900\t"
        "1=8,1001=4\t1=8,1001=4\tn[1-2]\tgpu\tbio\ta\\tb\t1001\t60\n"
        "3\t71\t71\t4294967294\t6-8%1\t0\t0\t1761955200\t1761955200\t0\t0\t\t"
        "1=8,1001=4\tNone assigned\tgpu\tbio\tx\t1001\t60\n"
        "4\t73\t0\t4294967294\tNULL\t32769\t0\t1761955200\t1761955200\t1761955300\t0\t"
        "1=8\t1=8\tn1\tgpu\tbio\tx\t1001\t60\n"
        "5\t74\t0\t4294967294\tNULL\t99\t0\t1761955200\t0\t0\t0\t\t\t\tgpu\tbio\tx\t1001\t60\n"
        "6\t75\t0\n";

static void reads_what_mysql_prints(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_slurmdbd, str_of(tabs));
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.jobs.n, 6);
	assert_int_equal(w.f.inputs.v[0].records, 6);
	assert_int_equal(w.f.inputs.v[0].rejected, 2);
	const struct job *j = w.f.jobs.v;
	assert_str(job_id(&w.f, &j[0]), "70");
	assert_int_equal(j[0].gpus, 2);
	assert_int_equal(j[0].requested, 1);
	assert_int_equal(j[0].outcome, OUTCOME_COMPLETED);
	assert_true(j[0].is_slurm && j[0].start_ms == 1761955300000);
	assert_str(job_id(&w.f, &j[1]), "71_4");
	assert_int_equal(j[1].outcome, OUTCOME_FAILED);
	assert_str(word(&w, j[1].node_names), "n[1-2]");
	assert_str(job_id(&w.f, &j[2]), "71_6");
	assert_str(job_id(&w.f, &j[4]), "71_8");
	assert_int_equal(j[4].outcome, OUTCOME_WAITING);
	assert_true(j[4].start_ms == TIME_UNKNOWN && j[4].requested == 4);
	assert_int_equal(j[5].outcome, OUTCOME_RUNNING); /* 32769: completing */
	assert_int_equal(j[5].gpus, 0);
	for (size_t piece = 1; piece < sizeof tabs; piece += 60)
		assert_true(pieces_agree(&reader_slurmdbd, str_of(tabs), piece));
	whole_drop(&w);
}

static void a_number_that_is_no_integer_is_no_run(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_slurmdbd,
	        S("id_job,id_array_job,state,time_start,time_end,nodelist,tres_alloc,job_type\n"
	          "16051200000000.0,749.0,3,1761955300,1761958900,\"['a-1', "
	          "'b-2']\",\"1=2,1002=2\","
	          "LLSUB:INTERACTIVE\n"));
	assert_int_equal(w.f.jobs.n, 1);
	const struct job *j = w.f.jobs.v;
	assert_str(job_id(&w.f, j), "16051200000000.0");
	assert_true(!j->is_slurm && job_traits(&w.f, j).run == 0);
	assert_str(word(&w, j->node_names), "a-1,b-2");
	assert_int_equal(j->gpus, 2);
	assert_true(j->kind == KIND_INTERACTIVE && j->kind_known);
	assert_true(w.f.notes.n == 1); /* 1002 was taken for GPUs */
	whole_drop(&w);
}

static void reads_a_published_month(void **state)
{
	(void)state;
	char path[4096];
	auto_arena a = ARENA_NULL;
	struct str text =
	        run_file(&a, run_shared(path, sizeof path,
	                                "data/slurm-mit-supercloud/slurm-log-queueing-clean.csv"));
	struct whole w = whole_read(&reader_slurmdbd, text);
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.jobs.n, 9628);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.allocations.n, 2059 + 342); /* rows that name 1002 */
	size_t by_outcome[OUTCOME_COUNT] = { 0 };
	for (size_t i = 0; i < w.f.jobs.n; i++) {
		by_outcome[w.f.jobs.v[i].outcome]++;
		assert_false(w.f.jobs.v[i].is_slurm);
	}
	assert_int_equal(by_outcome[OUTCOME_COMPLETED], 5784);
	assert_int_equal(by_outcome[OUTCOME_CANCELLED], 1893);
	assert_int_equal(by_outcome[OUTCOME_FAILED], 1077);
	assert_int_equal(by_outcome[OUTCOME_TIMEOUT], 841);
	assert_int_equal(by_outcome[OUTCOME_OOM], 21);
	assert_int_equal(by_outcome[OUTCOME_NODE_FAILED], 12);
	assert_true(pieces_agree(&reader_slurmdbd, text, 100000));
	whole_drop(&w);
}

static void refuses_other_tables(void **state)
{
	(void)state;
	static const char *const others[] = { "", "id_job", "id_job,state\n",
		                              "JobID,State,Start,End\n",
		                              "id_job\tstate\ttime_start\n" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(reader_slurmdbd.recognise(str_of(others[i]), NULL), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_mysql_prints),
		cmocka_unit_test(a_number_that_is_no_integer_is_no_run),
		cmocka_unit_test(reads_a_published_month),
		cmocka_unit_test(refuses_other_tables),
	};
	return RUN_TESTS(tests);
}
