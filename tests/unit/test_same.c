/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/same.h"

#include "facts/facts.h"
#include "lib/run.h"
#include "lib/traits.h"

/* Two inputs: jobs are put into the first until next_input(). */
struct two {
	struct facts f;
	size_t ends[2];
};

static struct job *put(struct two *t, const char *id, int64_t submit, int64_t start, int64_t end)
{
	struct facts *f = &t->f;
	struct job *j = facts_job(f, str_of(id));
	j->submit_ms = submit, j->start_ms = start, j->end_ms = end;
	j->is_slurm = true;
	j->outcome = start == TIME_UNKNOWN ? OUTCOME_WAITING
	             : end == TIME_UNKNOWN ? OUTCOME_RUNNING
	                                   : OUTCOME_COMPLETED;
	facts_add_allocation(f, &(struct allocation_entry){
	                                .job = (uint32_t)f->jobs.n - 1,
	                                .on = CLAIM_POOL,
	                                .place = facts_word(f, S("p")),
	                                .count = (uint32_t)f->jobs.n }); /* tells whose it is */
	t->ends[1] = f->jobs.n;
	return j;
}

static void next_input(struct two *t)
{
	t->ends[0] = t->f.jobs.n;
}

static void start(struct two *t)
{
	facts_init(&t->f);
}

static void finish(struct two *t, size_t want_jobs)
{
	same_join(&t->f, t->ends, 2);
	assert_int_equal(t->f.jobs.n, want_jobs);
	for (size_t i = 0; i < t->f.allocations.n; i++)
		assert_true(t->f.allocations.v[i].job < t->f.jobs.n);
}

#define U TIME_UNKNOWN

static void a_row_in_two_dumps_is_one_attempt(void **state)
{
	(void)state;
	struct two t;
	start(&t);
	put(&t, "1", 10, 20, 30);
	put(&t, "2", 10, 20, U);
	put(&t, "3", 10, U, U);
	put(&t, "4", 10, U, U);
	next_input(&t);
	put(&t, "2", 10, 20, 99);
	put(&t, "1", 10, 20, 30);
	put(&t, "3", 10, 50, U);
	put(&t, "4", 10, U, U);
	finish(&t, 4);
	assert_int_equal(t.f.allocations.n, 4);
	assert_int_equal(t.f.notes.n, 1);
	assert_int_equal(t.f.notes.v[0].count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct job *j = &t.f.jobs.v[i];
		if (str_eq(job_id(&t.f, j), S("2")))
			assert_int_equal(j->end_ms, 99);
		if (str_eq(job_id(&t.f, j), S("3")))
			assert_int_equal(j->start_ms, 50);
	}
	facts_deinit(&t.f);
}

static void the_planned_end_of_a_running_job_is_not_its_end(void **state)
{
	(void)state;
	struct two t;
	start(&t);
	put(&t, "1", 10, 20, 500)->outcome = OUTCOME_RUNNING;
	next_input(&t);
	put(&t, "1", 10, 20, 30);
	finish(&t, 1);
	assert_int_equal(t.f.jobs.v[0].outcome, OUTCOME_COMPLETED);
	assert_int_equal(t.f.jobs.v[0].end_ms, 30);
	facts_deinit(&t.f);
}

static void what_only_one_row_says_is_kept(void **state)
{
	(void)state;
	struct two t;
	start(&t);
	struct job *j = put(&t, "1", 10, 20, U);
	SET_TRAIT(&t.f, j, user, facts_word(&t.f, S("ann")));
	j->requested = 3;
	next_input(&t);
	put(&t, "1", 10, 20, 30)->gpus = 4;
	t.f.allocations.n = 1; /* only the row that goes has a claim */
	finish(&t, 1);
	assert_str(names_word(&t.f.names, job_traits(&t.f, t.f.jobs.v).user), "ann");
	assert_int_equal(t.f.jobs.v[0].requested, 3);
	assert_int_equal(t.f.jobs.v[0].gpus, 4);
	assert_int_equal(t.f.allocations.n, 1);
	assert_int_equal(t.f.allocations.v[0].count, 1);
	facts_deinit(&t.f);
}

static void other_jobs_stay(void **state)
{
	(void)state;
	struct two t;
	struct job *j;
	start(&t);
	j = put(&t, "1", 10, 20, 30);
	SET_TRAIT(&t.f, j, user, facts_word(&t.f, S("ann")));
	put(&t, "2", 10, 20, 30);
	put(&t, "2", 10, 20, 30); /* in one input: not ours to judge */
	put(&t, "3", 10, 20, 30);
	put(&t, "4", 10, 20, 30);
	put(&t, "5", 10, U, 15);
	put(&t, "6", 10, 20, 30)->is_slurm = false;
	put(&t, "7", U, U, U)->is_slurm = false;
	j = put(&t, "8", 10, 20, 30);
	SET_TRAIT(&t.f, j, cluster, facts_word(&t.f, S("east")));
	next_input(&t);
	j = put(&t, "1", 10, 20, 30);
	SET_TRAIT(&t.f, j, user, facts_word(&t.f, S("bob")));
	put(&t, "3", 11, 20, 30); /* handed in again: the next attempt of the id */
	put(&t, "4", 10, 20, 31);
	put(&t, "5", 10, 20, 30); /* one was cancelled while it waited */
	put(&t, "6", 10, 20, 31)->is_slurm = false;
	put(&t, "7", U, U, U)->is_slurm = false;
	j = put(&t, "8", 10, 20, 30);
	SET_TRAIT(&t.f, j, cluster, facts_word(&t.f, S("west")));
	finish(&t, 16);
	assert_int_equal(t.f.notes.n, 0);
	facts_deinit(&t.f);
}

static void a_job_in_many_inputs_is_one(void **state)
{
	(void)state;
	struct two t;
	size_t ends[4];
	start(&t);
	for (size_t i = 0; i < 4; i++) {
		put(&t, "1", 10, i ? 20 : U, i == 3 ? 90 : U);
		put(&t, i & 1 ? "odd" : "even", (int64_t)i, 20, 30);
		ends[i] = t.f.jobs.n;
	}
	same_join(&t.f, ends, 4);
	assert_int_equal(t.f.jobs.n, 5);
	assert_int_equal(t.f.allocations.n, 5);
	for (size_t i = 0; i < 5; i++)
		if (str_eq(job_id(&t.f, &t.f.jobs.v[i]), S("1")))
			assert_int_equal(t.f.jobs.v[i].end_ms, 90);
	facts_deinit(&t.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_in_two_dumps_is_one_attempt),
		cmocka_unit_test(the_planned_end_of_a_running_job_is_not_its_end),
		cmocka_unit_test(what_only_one_row_says_is_kept),
		cmocka_unit_test(other_jobs_stay),
		cmocka_unit_test(a_job_in_many_inputs_is_one),
	};
	return RUN_TESTS(tests);
}
