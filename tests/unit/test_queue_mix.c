/* SPDX-License-Identifier: Apache-2.0 */
#include "account/fragment.h"

#include "lib/placed.h"

/* One node of 2 free GPUs; K different tasks of 1 GPU, and one that comes twice, last. */
static void mix_of(struct placed *w, int64_t different)
{
	placed_begin(w);
	placed_node(w, "n1", 2, 100, -1);
	for (int64_t k = 1; k < different; k++)
		placed_add(w, placed_job(w, NULL, 1, k, -1));
	placed_add(w, placed_job(w, NULL, 1, 1000000, -1));
	placed_add(w, placed_job(w, NULL, 1, 1000000, -1));
	placed_meter(w);
}

static void the_rarest_of_too_many_tasks_are_left_out(void **state)
{
	(void)state;
	const i128 idle = (i128)2 * PLACED_HOURS * UNITS_PER_HOUR;
	struct placed w;
	mix_of(&w, FRAGMENT_TASKS_MAX);
	assert_true(w.l.fragment.left_out == 0);
	assert_true(w.l.fragment.tasks == FRAGMENT_TASKS_MAX + 1);
	assert_true(w.l.fragment.classes[FRAGMENT_USABLE] == 100 * idle); /* 100 of them fit */
	placed_end(&w);
	mix_of(&w, FRAGMENT_TASKS_MAX + 1);
	assert_true(w.l.fragment.left_out == 1); /* of those that come once, the last */
	assert_true(w.l.fragment.tasks == FRAGMENT_TASKS_MAX + 1);
	assert_true(w.l.fragment.classes[FRAGMENT_LACKS_ROOM] ==
	            (FRAGMENT_TASKS_MAX - 1 - 100 + 2) * idle);
	assert_true(w.l.fragment.idle == idle && w.l.fragment.idle_with_cpus == idle);
	placed_end(&w);
}

/* Jobs without GPUs, and those that were handed in before the window, are not in the mix. */
static void the_mix_is_of_the_window(void **state)
{
	(void)state;
	struct placed w;
	placed_begin(&w);
	placed_node(&w, "n1", 2, -1, -1);
	placed_add(&w, placed_job(&w, "n1", 0, 1000, -1));
	struct job_entry e = placed_job(&w, "n1", 1, -1, -1);
	e.submit_ms = e.eligible_ms = -1;
	placed_add(&w, e);
	placed_add(&w, placed_job(&w, NULL, 4, -1, -1));
	placed_meter(&w);
	assert_true(w.l.fragment.tasks == 1);
	assert_true(w.l.fragment.idle_with_cpus == 0);
	/* one GPU is free for ten hours, and the task wants four */
	assert_true(fragment_units(&w.l.fragment) == (double)PLACED_HOURS * UNITS_PER_HOUR);
	placed_end(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rarest_of_too_many_tasks_are_left_out),
		cmocka_unit_test(the_mix_is_of_the_window),
	};
	return RUN_TESTS(tests);
}
