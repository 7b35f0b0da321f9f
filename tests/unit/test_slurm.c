/* SPDX-License-Identifier: Apache-2.0 */
#include "read/slurm.h"

#include "lib/run.h"

static void finds_states_by_every_name(void **state)
{
	(void)state;
	static const struct {
		const char *in, *want;
	} rows[] = {
		{ "RUNNING", "RUNNING" },    { "R", "RUNNING" },
		{ "PD", "PENDING" },         { "CANCELLED by 1000", "CANCELLED" },
		{ "CANCELED", "CANCELLED" }, { "CANCELLED+", "CANCELLED" },
		{ "CA+", "CANCELLED" },      { "OUT_OF_ME+", "OUT_OF_MEMORY" },
		{ "NODE_F+", "NODE_FAIL" },  { "COMPLETI+", "COMPLETING" },
		{ "OOM", "OUT_OF_MEMORY" },  { "CG", "COMPLETING" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct slurm_state *s = slurm_state_find(str_of(rows[i].in));
		assert_non_null(s);
		assert_string_equal(s->name, rows[i].want);
	}
	static const char *const none[] = { "", "+", "COMPLE+", "RE+", "running", "X", " RUNNING" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_null(slurm_state_find(str_of(none[i])));
}

static void numbers_carry_flags(void **state)
{
	(void)state;
	assert_string_equal(slurm_state_number(3)->name, "COMPLETED");
	assert_string_equal(slurm_state_number(11)->name, "OUT_OF_MEMORY");
	assert_string_equal(slurm_state_number(0x8001)->name, "RUNNING"); /* COMPLETING */
	assert_string_equal(slurm_state_number(0x4001)->name, "RUNNING"); /* CONFIGURING */
	assert_null(slurm_state_number(12));
	assert_null(slurm_state_number(-1));
}

static void reasons_have_a_class(void **state)
{
	(void)state;
	static const struct {
		const char *in;
		enum slurm_reason_class want;
	} rows[] = {
		{ "QOSMaxGRESPerUser", SLURM_REASON_POLICY },
		{ "QOSGrpGRES", SLURM_REASON_POLICY },
		{ "AssocGrpGRES", SLURM_REASON_POLICY },
		{ "AssocMaxJobsLimit", SLURM_REASON_POLICY },
		{ "MaxGRESPerAccount", SLURM_REASON_POLICY },
		{ "JobArrayTaskLimit", SLURM_REASON_POLICY },
		{ "JobHeldUser", SLURM_REASON_POLICY },
		{ "JobHeldAdmin", SLURM_REASON_POLICY },
		{ "(JobHeldAdmin)", SLURM_REASON_POLICY },
		{ "Reservation", SLURM_REASON_POLICY },
		{ "PartitionTimeLimit", SLURM_REASON_POLICY },
		{ "SomeNewLimit", SLURM_REASON_POLICY },
		{ "ReqNodeNotAvail, Reserved for maintenance", SLURM_REASON_POLICY },
		{ "ReqNodeNotAvail, UnavailableNodes:n1", SLURM_REASON_FAULT },
		{ "Resources", SLURM_REASON_RESOURCES },
		{ "Priority", SLURM_REASON_RESOURCES },
		{ "Dependency", SLURM_REASON_NOT_ELIGIBLE },
		{ "DependencyNeverSatisfied", SLURM_REASON_NOT_ELIGIBLE },
		{ "BeginTime", SLURM_REASON_NOT_ELIGIBLE },
		{ "None", SLURM_REASON_NOTHING },
		{ "(null)", SLURM_REASON_NOTHING },
		{ "", SLURM_REASON_NOTHING },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(slurm_reason_class(str_of(rows[i].in)), rows[i].want);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(finds_states_by_every_name),
		                                   cmocka_unit_test(numbers_carry_flags),
		                                   cmocka_unit_test(reasons_have_a_class) };
	return RUN_TESTS(tests);
}
