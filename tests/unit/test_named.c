/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/named.h"

#include "facts/facts.h"
#include "lib/run.h"

#define U TIME_UNKNOWN

static void hold(struct facts *f, enum claim_on on, const char *place, uint32_t count, int64_t from,
                 int64_t to)
{
	struct allocation_entry a = { .job = (uint32_t)f->jobs.n - 1,
		                      .on = on,
		                      .place = facts_word(f, str_of(place)),
		                      .count = count,
		                      .share_num = 1,
		                      .share_den = 1,
		                      .from_ms = from,
		                      .to_ms = to };
	facts_add_allocation(f, &a);
}

static void named(struct facts *f, const char *id, const char *place, int64_t from, int64_t to,
                  bool is_slurm)
{
	struct job *j = facts_job(f, str_of(id));
	j->is_seen = true;
	j->is_slurm = is_slurm;
	j->start_ms = from;
	j->end_ms = to;
	j->gpus = 1;
	j->outcome = OUTCOME_ENDED;
	hold(f, CLAIM_DEVICE, place, 1, from, to);
}

static void record(struct facts *f, const char *id, int64_t start, int64_t end, uint32_t gpus)
{
	struct job *j = facts_job(f, str_of(id));
	j->is_slurm = true;
	j->start_ms = start;
	j->end_ms = end;
	j->outcome = end == U ? OUTCOME_RUNNING : OUTCOME_COMPLETED;
	hold(f, CLAIM_NODES, "n1", gpus, U, U);
}

static size_t claims_of(const struct facts *f, uint32_t job, enum claim_on on)
{
	size_t n = 0;
	for (size_t i = 0; i < f->allocations.n; i++)
		n += f->allocations.v[i].job == job && f->allocations.v[i].on == on;
	return n;
}

/* Files of one metric each, or of one day each. */
static void inputs_that_name_a_job_are_joined(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	named(&f, "ml/a", "g0", 0, 100, false);
	named(&f, "ml/a", "g0", 0, 100, false);
	named(&f, "ml/a", "g1", 100, 200, false);
	named(&f, "ml/a", "g0", 90, 150, false);
	named(&f, "ml/a", "g0", 500, 600, false);
	named(&f, "ml/b", "g0", 0, 100, false);
	named_join(&f);
	assert_int_equal(f.jobs.n, 2);
	assert_int_equal(f.jobs.v[0].start_ms, 0);
	assert_int_equal(f.jobs.v[0].end_ms, 600);
	assert_int_equal(f.jobs.v[0].gpus, 2);
	assert_int_equal(f.allocations.n, 4);
	assert_int_equal(allocation_portion(&f, &f.allocations.v[0])->to_ms, 150);
	assert_int_equal(allocation_portion(&f, &f.allocations.v[1])->from_ms, 500);
	facts_deinit(&f);
}

static void a_later_input_knows_how_it_went_on(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct facts f;
		facts_init(&f);
		for (int k = 0; k < 2; k++) {
			bool is_first_day = (k == 0) == (order == 0);
			named(&f, "ml/a", "g0", is_first_day ? 0 : 100, is_first_day ? 100 : 150,
			      false);
			if (is_first_day)
				f.jobs.v[f.jobs.n - 1].outcome = OUTCOME_RUNNING,
				                    f.jobs.v[f.jobs.n - 1].end_ms = U;
		}
		named_join(&f);
		assert_int_equal(f.jobs.n, 1);
		assert_int_equal(f.jobs.v[0].outcome, OUTCOME_ENDED);
		assert_int_equal(f.jobs.v[0].start_ms, 0);
		assert_int_equal(f.jobs.v[0].end_ms, 150);
		assert_int_equal(f.allocations.n, 1);
		facts_deinit(&f);
	}
}

static void readings_name_the_devices_of_a_record(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	named(&f, "7", "g0", 10, 90, true);
	named(&f, "7", "g1", 10, 40, true);
	named(&f, "7", "g1", 60, 90, true);
	named(&f, "8", "g2", 10, 90, true);
	record(&f, "7", 5, 95, 2);
	record(&f, "8", 5, 95, 2); /* one device of two: which is the other is not known */
	named_join(&f);
	assert_int_equal(f.jobs.n, 2);
	assert_false(f.jobs.v[0].is_seen);
	assert_int_equal(claims_of(&f, 0, CLAIM_DEVICE), 2);
	assert_int_equal(claims_of(&f, 0, CLAIM_NODES), 0);
	assert_int_equal(claims_of(&f, 1, CLAIM_DEVICE), 0);
	assert_int_equal(claims_of(&f, 1, CLAIM_NODES), 1);
	for (size_t i = 0; i < f.allocations.n; i++)
		assert_int_equal(f.allocations.v[i].portion, 0);
	facts_deinit(&f);
}

/* Each attempt of an id gets what was named while it ran. */
static void attempts_of_an_id_are_told_apart(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	record(&f, "7", 0, 100, 1);
	record(&f, "7", 200, U, 1);
	named(&f, "7", "g0", 10, 90, true);
	named(&f, "7", "g1", 210, 290, true);
	named(&f, "7", "g9", 110, 190, true); /* no attempt ran */
	named_join(&f);
	assert_int_equal(f.jobs.n, 2);
	assert_int_equal(f.allocations.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(str_eq(names_word(&f.names, f.allocations.v[i].place),
		                   f.allocations.v[i].job ? S("g1") : S("g0")));
	facts_deinit(&f);
}

static void slurm_jobs_without_a_record_go(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	named(&f, "104", "g0", 10, 90, true); /* sacct has it as 100_4 */
	named(&f, "ml/pod", "g1", 10, 90, false);
	record(&f, "100_4", 0, 100, 1);
	named_join(&f);
	assert_int_equal(f.jobs.n, 2);
	assert_int_equal(f.allocations.n, 2);
	assert_int_equal(f.notes.n, 1);
	facts_deinit(&f);
	facts_init(&f);
	named(&f, "104", "g0", 10, 90, true);
	named_join(&f);
	assert_int_equal(f.jobs.n, 1);
	assert_int_equal(f.allocations.n, 1);
	assert_int_equal(f.notes.n, 0);
	facts_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_that_name_a_job_are_joined),
		cmocka_unit_test(a_later_input_knows_how_it_went_on),
		cmocka_unit_test(readings_name_the_devices_of_a_record),
		cmocka_unit_test(attempts_of_an_id_are_told_apart),
		cmocka_unit_test(slurm_jobs_without_a_record_go),
	};
	return RUN_TESTS(tests);
}
