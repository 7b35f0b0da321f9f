/* SPDX-License-Identifier: Apache-2.0 */
#include "account/job_lines.h"

#include "lib/cells.h"
#include "lib/run.h"
#include "lib/traits.h"

static struct job_filter filter(const char *const *words)
{
	struct job_filter f = { 0 };
	struct err err = { 0 };
	for (; *words; words++)
		if (job_filter_add(&f, str_of(*words), &err))
			fail_msg("%s", err.text);
	return f;
}
#define FILTER(...) filter((const char *const[]){ __VA_ARGS__, NULL })

struct two {
	struct cells c;
	struct cost cost;
	uint32_t a, b, h100, l4;
};

/* Job a on two models, job b on one, a device nobody scheduled, and free time that is no job's. */
static void two_begin(struct two *t)
{
	cells_begin(&t->c);
	t->cost = (struct cost){ .den = 1 };
	t->h100 = cells_place(&t->c, "H100");
	t->l4 = cells_place(&t->c, "L4");
	t->a = cells_job(&t->c, "a", OUTCOME_COMPLETED);
	t->b = cells_job(&t->c, "b", OUTCOME_FAILED);
	SET_TRAIT(&t->c.f, &t->c.f.jobs.v[t->a], user, facts_word(&t->c.f, S("ann")));
	cells_add(&t->c, t->h100, NONE, 0, STATE_FREE_IDLE, FATE_NONE, 1000);
	cells_add(&t->c, t->h100, t->a, 0, STATE_ACTIVE, FATE_PRODUCTIVE, 10);
	cells_add(&t->c, t->h100, t->a, 0, STATE_SETUP, FATE_PRODUCTIVE, 1);
	cells_add(&t->c, t->h100, t->a, 0, STATE_DOWN_FAILED, FATE_NONE, 500);
	cells_add(&t->c, t->h100, t->b, 0, STATE_STALLED_UNEXPLAINED, FATE_LOST, 7);
	cells_add(&t->c, t->h100, t->b, 0, STATE_STALLED_SPINNING, FATE_LOST, 5);
	cells_add(&t->c, t->l4, t->a, 0, STATE_OVERHEAD_RESTORE, FATE_PRODUCTIVE, 2);
	cells_add(&t->c, t->l4, t->a, 0, STATE_QUIET, FATE_PRODUCTIVE, 3);
	cells_add(&t->c, t->l4, NONE, 0, STATE_ACTIVE, FATE_UNJUDGED, 4);
	cells_add(&t->c, t->l4, NONE, 0, STATE_UNOBSERVED, FATE_UNJUDGED, 6);
	cells_add(&t->c, t->l4, NONE, 0, STATE_UNKNOWN, FATE_NONE, 900);
}

static void build(struct two *t, struct job_filter f, enum job_order order, struct job_lines *ret)
{
	job_lines_build(&t->c.a, &f, order, &t->c.l, &t->c.f, &t->cost, ret);
}

static void lines_add_up_to_what_was_allocated(void **state)
{
	(void)state;
	struct two t;
	struct job_lines x;
	two_begin(&t);
	build(&t, (struct job_filter){ 0 }, JOB_ORDER_ALLOCATED, &x);
	assert_int_equal(x.v.n, 3);
	assert_true(x.allocated == 38);
	const struct job_line *a = &x.v.v[0], *b = &x.v.v[1], *nobody = &x.v.v[2];
	assert_true(a->job == t.a && a->allocated == 16 && a->active == 12 && a->vacant == 3);
	assert_true(a->stalled == 0 && a->unobserved == 0 && a->cells_n == 4);
	assert_true(b->job == t.b && b->allocated == 12 && b->stalled == 12);
	assert_true(nobody->job == NONE && nobody->allocated == 10 && nobody->active == 4);
	assert_true(nobody->unobserved == 6);
	for (size_t i = 0; i < x.v.n; i++)
		for (size_t k = 0; k < x.v.v[i].cells_n; k++)
			assert_int_equal(t.c.l.cells.v[x.cells[x.v.v[i].cells_at + k]].job,
			                 x.v.v[i].job);
	job_lines_deinit(&x);
	cells_end(&t.c);
}

static void orders_by_what_is_asked(void **state)
{
	(void)state;
	struct two t;
	struct job_lines x;
	two_begin(&t);
	t.c.f.jobs.v[t.a].start_ms = 2;
	t.c.f.jobs.v[t.b].start_ms = 1;
	build(&t, (struct job_filter){ 0 }, JOB_ORDER_STALLED, &x);
	assert_true(x.v.v[0].job == t.b && x.v.v[1].job == t.a && x.v.v[2].job == NONE);
	job_lines_deinit(&x);
	build(&t, (struct job_filter){ 0 }, JOB_ORDER_UNOBSERVED, &x);
	assert_true(x.v.v[0].job == NONE);
	job_lines_deinit(&x);
	build(&t, (struct job_filter){ 0 }, JOB_ORDER_START, &x);
	assert_true(x.v.v[0].job == t.b && x.v.v[1].job == t.a && x.v.v[2].job == NONE);
	job_lines_deinit(&x);
	build(&t, (struct job_filter){ 0 }, JOB_ORDER_JOB, &x);
	assert_true(x.v.v[0].job == t.a && x.v.v[1].job == t.b && x.v.v[2].job == NONE);
	job_lines_deinit(&x);
	cells_end(&t.c);
}

static void filters_by_values_of_keys(void **state)
{
	(void)state;
	struct two t;
	struct job_lines x;
	two_begin(&t);
	build(&t, FILTER("model=L4"), JOB_ORDER_ALLOCATED, &x);
	assert_true(x.v.n == 2 && x.allocated == 15); /* of job a only what it had there */
	assert_true(x.v.v[0].job == NONE && x.v.v[1].job == t.a && x.v.v[1].allocated == 5);
	job_lines_deinit(&x);
	build(&t, FILTER("outcome=failed,oom", "model=H100"), JOB_ORDER_ALLOCATED, &x);
	assert_true(x.v.n == 1 && x.v.v[0].job == t.b);
	job_lines_deinit(&x);
	build(&t, FILTER("user="), JOB_ORDER_ALLOCATED, &x); /* that have none */
	assert_true(x.v.n == 2 && x.v.v[0].job == t.b && x.v.v[1].job == NONE);
	job_lines_deinit(&x);
	build(&t, FILTER("user=an"), JOB_ORDER_ALLOCATED, &x);
	assert_true(x.v.n == 0 && x.allocated == 0);
	job_lines_deinit(&x);
	cells_end(&t.c);
}

static void says_what_is_wrong_with_a_filter(void **state)
{
	(void)state;
	struct job_filter f = { 0 };
	struct err err;
	assert_int_equal(job_filter_add(&f, S("user"), &err), ERR_USAGE);
	assert_string_equal(err.text, "'user' has no value: KEY=VALUE,...");
	assert_int_equal(job_filter_add(&f, S("usr=x"), &err), ERR_USAGE);
	assert_int_equal(job_filter_add(&f, S("user=x"), &err), ERR_OK);
	assert_int_equal(job_filter_add(&f, S("user=y"), &err), ERR_USAGE);
	assert_int_equal(f.by.n, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_add_up_to_what_was_allocated),
		cmocka_unit_test(orders_by_what_is_asked),
		cmocka_unit_test(filters_by_values_of_keys),
		cmocka_unit_test(says_what_is_wrong_with_a_filter),
	};
	return RUN_TESTS(tests);
}
