/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pieces.h"

extern const struct reader reader_sacct_table;

static const char table[] =
        "JobID           JobName      State               Start                 End                "
        "AllocTRES \n"
        "------------ ---------- ---------- ------------------- ------------------- "
        "------------------------ \n"
        "7                 train  COMPLETED 2026-11-01T00:00:00 2026-11-02T00:00:00        "
        "cpu=8,gres/gpu=8 \n"
        "7.batch           batch  COMPLETED 2026-11-01T00:00:00 2026-11-02T00:00:00                "
        "   cpu=8 \n"
        "8            long-name+ CANCELLED+ 2026-11-01T00:00:00 2026-11-02T00:00:00 "
        "billing=96,cpu=8,gres/g+ \n"
        "35248669_12+          x     FAILED 2026-11-01T00:00:00 2026-11-02T00:00:00              "
        "gres/gpu=1 \n"
        "9                 short OUT_OF_ME+ 2026-11-01T00:00:00             Unknown\n"
        "\n";

static void values_cut_off_are_unknown(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_sacct_table, str_of(table));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.f.jobs.n, 3);
	assert_int_equal(w.f.inputs.v[0].records, 5);
	assert_int_equal(w.f.inputs.v[0].rejected, 1); /* a job's number that is cut off is none */
	assert_int_equal(w.f.rejects.v[0].line, 6);
	assert_int_equal(w.f.jobs.v[0].gpus, 8);
	assert_int_equal(w.f.jobs.v[1].gpus, COUNT_UNKNOWN);
	assert_int_equal(w.f.jobs.v[1].outcome, OUTCOME_CANCELLED);
	assert_int_equal(w.f.jobs.v[2].outcome, OUTCOME_OOM);
	assert_int_equal(w.f.jobs.v[2].gpus, COUNT_UNKNOWN);
	assert_true(w.f.notes.n >= 1);
	assert_int_equal(w.f.allocations.n, 1);
	for (size_t piece = 1; piece < sizeof table; piece += 50)
		assert_true(pieces_agree(&reader_sacct_table, str_of(table), piece));
	whole_drop(&w);
}

static void refuses_other_tables(void **state)
{
	(void)state;
	static const char *const others[] = { "", "JobID State\n", "JobID State\n1 FAILED\n",
		                              "a b\n- -\n", "User  State\n----- -----\n" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(reader_sacct_table.recognise(str_of(others[i]), NULL), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(values_cut_off_are_unknown),
		                                   cmocka_unit_test(refuses_other_tables) };
	return RUN_TESTS(tests);
}
