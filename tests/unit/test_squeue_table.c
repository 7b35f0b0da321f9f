/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pieces.h"

extern const struct reader reader_squeue_table;

#define HEADER \
	"             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"

static const char rows[] =
        "             12345       gpu train-ll    alice  R 1-02:03:04      2 gpu[01-02]\n"
        "             12346       gpu   my job      bob PD       0:00      1 (Resources)\n"
        "      12347_[1-3]       gpu    PD 1       bob PD       0:00      1 (QOSMaxGRESPerUser)\n"
        "             12348     debug             carol  R       5:12      1 gpu03\n"
        "             12349       gpu     eval    carol CG      10:02      1 (Nodes required for "
        "job are DOWN)\n"
        "\n";

static void reads_rows_with_and_without_a_header(void **state)
{
	(void)state;
	static const struct {
		const char *head;
		int score;
	} cases[] = { { "", 60 }, { HEADER, 90 } };
	for (size_t i = 0; i < 2; i++) {
		auto_arena a = ARENA_NULL;
		struct str text = str_of(arena_printf(&a, "%s%s", cases[i].head, rows));
		struct whole w = whole_read(&reader_squeue_table, text);
		assert_int_equal(w.score, cases[i].score);
		assert_int_equal(w.code, ERR_OK);
		assert_int_equal(w.f.inputs.v[0].records, 5);
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.jobs.n, 7); /* three tasks of an array */
		assert_int_equal(w.f.jobs.v[0].outcome, OUTCOME_RUNNING);
		assert_int_equal(w.f.jobs.v[0].start_ms, TIME_UNKNOWN);
		assert_str(names_word(&w.f.names, job_traits(&w.f, &w.f.jobs.v[1]).user), "bob");
		assert_str(names_word(&w.f.names, w.f.jobs.v[1].name), "my job");
		assert_int_equal(w.f.jobs.v[1].outcome, OUTCOME_WAITING);
		assert_int_equal(w.f.jobs.v[1].gpus, COUNT_UNKNOWN);
		assert_true(w.f.jobs.v[2].is_policy && !w.f.jobs.v[1].is_policy);
		assert_str(names_word(&w.f.names, job_traits(&w.f, &w.f.jobs.v[5]).user), "carol");
		assert_int_equal(w.f.jobs.v[5].name, 0);
		assert_true(pieces_agree(&reader_squeue_table, text, 40));
		whole_drop(&w);
	}
}

static void takes_nothing_else_for_it(void **state)
{
	(void)state;
	static const char *const others[] = {
		"",
		"12345 gpu train alice R\n",                        /* no time */
		"12345 gpu train alice RUNNING 5:12 1 gpu03\n",     /* no code */
		"12345 gpu train alice R 512 1 gpu03\n",            /* no time */
		"12345 gpu train alice R 5:12 gpu03\n",             /* no count */
		"job1 gpu train alice R 5:12 1 gpu03\n",            /* no number */
		"12345 gpu train alice R 5:12 1 gpu03\nand so on\n" /* only the first */
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(reader_squeue_table.recognise(str_of(others[i]), NULL), 0);
}

static void rejects_a_row_that_is_none(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_squeue_table,
	                            S(HEADER "1 gpu a bob R 0:01 1 n1\nslurm_load_jobs error\n"));
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_int_equal(w.f.rejects.v[0].line, 3);
	assert_int_equal(w.f.jobs.n, 1);
	whole_drop(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rows_with_and_without_a_header),
		cmocka_unit_test(takes_nothing_else_for_it),
		cmocka_unit_test(rejects_a_row_that_is_none),
	};
	return RUN_TESTS(tests);
}
