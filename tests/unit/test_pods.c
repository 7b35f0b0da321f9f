/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/pods.h"

#include "facts/facts.h"
#include "intake/named.h"
#include "intake/same.h"
#include "intake/taken.h"
#include "lib/run.h"

#define U TIME_UNKNOWN

/* Lists of pods, one input each. */
struct lists {
	struct facts f;
	size_t ends[4], n;
};

static void list(struct lists *l, int64_t taken_ms, bool is_all)
{
	*vec_push(&l->f.inputs) = (struct input_info){
		.name = 1, .has_pods = true, .is_all = is_all, .taken_ms = taken_ms
	};
	l->ends[l->n++] = l->f.jobs.n;
}

static void pod(struct lists *l, const char *id, const char *team, int64_t start, int64_t end,
                enum outcome outcome)
{
	struct facts *f = &l->f;
	struct job_traits t = JOB_TRAITS_UNKNOWN;
	struct job *j = facts_job(f, str_of(id));
	t.team = facts_word(f, str_of(team));
	j->is_pod = true;
	j->submit_ms = 1;
	j->start_ms = start;
	j->end_ms = end;
	j->outcome = (uint8_t)outcome;
	job_set_traits(f, j, &t);
	l->ends[l->n - 1] = f->jobs.n;
}

static void join(struct lists *l)
{
	pods_end(&l->f, l->ends, l->n);
	same_join(&l->f, l->ends, l->n);
	pods_clip(&l->f);
}

static const struct job *find(const struct lists *l, const char *id, int which)
{
	for (size_t i = 0; i < l->f.jobs.n; i++)
		if (str_eq(job_id(&l->f, &l->f.jobs.v[i]), str_of(id)) && !which--)
			return &l->f.jobs.v[i];
	fail_msg("%s is not there", id);
	return NULL;
}

static void a_pod_in_two_lists_is_one(void **state)
{
	(void)state;
	struct lists l = { .n = 0 };
	facts_init(&l.f);
	list(&l, 100, true);
	pod(&l, "a/runs", "a", 10, U, OUTCOME_RUNNING);
	pod(&l, "a/waits", "a", U, U, OUTCOME_WAITING);
	pod(&l, "a/ends", "a", 20, U, OUTCOME_RUNNING);
	pod(&l, "a/gone", "a", 30, U, OUTCOME_RUNNING);
	list(&l, 200, true);
	pod(&l, "a/runs", "a", 10, U, OUTCOME_RUNNING);
	pod(&l, "a/waits", "a", 150, U, OUTCOME_RUNNING);
	pod(&l, "a/ends", "a", 20, 160, OUTCOME_COMPLETED);
	join(&l);
	assert_int_equal(l.f.jobs.n, 4);
	assert_true(find(&l, "a/runs", 0)->end_ms == U);
	assert_true(find(&l, "a/waits", 0)->start_ms == 150);
	assert_int_equal(find(&l, "a/ends", 0)->outcome, OUTCOME_COMPLETED);
	assert_true(find(&l, "a/gone", 0)->end_ms == 100);
	assert_int_equal(find(&l, "a/gone", 0)->outcome, OUTCOME_ENDED);
	facts_deinit(&l.f);
}

/* A list of one namespace says nothing of others. */
static void lists_of_namespaces(void **state)
{
	(void)state;
	for (int is_all = 0; is_all < 2; is_all++) {
		struct lists l = { .n = 0 };
		facts_init(&l.f);
		list(&l, 100, false);
		pod(&l, "a/p", "a", 10, U, OUTCOME_RUNNING);
		list(&l, 200, is_all);
		pod(&l, "b/p", "b", 10, U, OUTCOME_RUNNING);
		join(&l);
		assert_true((find(&l, "a/p", 0)->end_ms == U) == !is_all);
		facts_deinit(&l.f);
	}
}

/* Two restarts between two lists: the first list's last attempt ended where the second's began. */
static void attempts_do_not_overlap(void **state)
{
	(void)state;
	struct lists l = { .n = 0 };
	facts_init(&l.f);
	list(&l, 100, true);
	pod(&l, "a/p", "a", 10, 50, OUTCOME_FAILED);
	pod(&l, "a/p", "a", 50, U, OUTCOME_RUNNING);
	list(&l, 300, true);
	pod(&l, "a/p", "a", 10, 200, OUTCOME_ENDED);
	pod(&l, "a/p", "a", 200, 250, OUTCOME_OOM);
	pod(&l, "a/p", "a", 250, U, OUTCOME_RUNNING);
	join(&l);
	int64_t held = 0;
	for (size_t i = 0; i < l.f.jobs.n; i++) {
		const struct job *j = &l.f.jobs.v[i];
		held += (j->end_ms == U ? 300 : j->end_ms) - j->start_ms;
		assert_true(j->end_ms == U || j->end_ms >= j->start_ms);
	}
	assert_int_equal(held, 290);
	assert_true(find(&l, "a/p", 0)->end_ms == 50);
	assert_int_equal(find(&l, "a/p", 0)->outcome, OUTCOME_FAILED);
	facts_deinit(&l.f);
}

/* One list of pods is as new as the lists of nodes beside it; of several each has its own time. */
static void lists_given_together(void **state)
{
	(void)state;
	for (int guessed = 0; guessed < 2; guessed++) {
		struct lists l = { .n = 0 };
		facts_init(&l.f);
		list(&l, 1000, true);
		*vec_push(&l.f.scheduler) = (struct span){ 0, 1000 };
		l.f.inputs.v[0].is_guessed = guessed;
		*vec_push(&l.f.inputs) =
		        (struct input_info){ .taken_ms = 5000, .is_guessed = true };
		taken_join(&l.f);
		assert_int_equal(l.f.scheduler.v[0].to_ms, guessed ? 5000 : 1000);
		assert_int_equal(l.f.scheduler.v[0].from_ms, guessed ? 4000 : 0);
		list(&l, 2000, true);
		taken_join(&l.f);
		assert_int_equal(l.f.scheduler.v[0].to_ms, guessed ? 5000 : 1000);
		facts_deinit(&l.f);
	}
}

/* A reading's labels name the device of a pod that a list has, in each of its attempts, with the
   share that the node's labels told. */
static void readings_name_devices(void **state)
{
	(void)state;
	struct lists l = { .n = 0 };
	struct facts *f = &l.f;
	facts_init(f);
	list(&l, 300, true);
	pod(&l, "a/p", "a", 10, 200, OUTCOME_FAILED);
	pod(&l, "a/p", "a", 200, U, OUTCOME_RUNNING);
	for (uint32_t i = 0; i < 2; i++)
		facts_add_allocation(f, &(struct allocation_entry){ .job = i,
		                                                    .on = CLAIM_NODE,
		                                                    .place = facts_word(f, S("n1")),
		                                                    .count = 1,
		                                                    .share_num = 1,
		                                                    .share_den = 4,
		                                                    .from_ms = U,
		                                                    .to_ms = U });
	struct job *j = facts_job(f, S("a/p"));
	j->is_seen = true;
	j->start_ms = 20;
	j->outcome = OUTCOME_RUNNING;
	facts_add_allocation(f, &(struct allocation_entry){ .job = 2,
	                                                    .on = CLAIM_DEVICE,
	                                                    .place = facts_word(f, S("g1")),
	                                                    .count = 1,
	                                                    .share_num = 1,
	                                                    .share_den = 1,
	                                                    .from_ms = 20,
	                                                    .to_ms = 290 });
	named_join(f);
	assert_int_equal(f->jobs.n, 2);
	assert_int_equal(f->allocations.n, 2);
	for (size_t i = 0; i < 2; i++) {
		struct allocation_entry a = allocation_entry_of(f, &f->allocations.v[i]);
		assert_true(a.on == CLAIM_DEVICE && a.share_num == 1 && a.share_den == 4);
		assert_true(a.from_ms == U && a.to_ms == U);
	}
	facts_deinit(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pod_in_two_lists_is_one), cmocka_unit_test(lists_of_namespaces),
		cmocka_unit_test(attempts_do_not_overlap),   cmocka_unit_test(lists_given_together),
		cmocka_unit_test(readings_name_devices),
	};
	return RUN_TESTS(tests);
}
