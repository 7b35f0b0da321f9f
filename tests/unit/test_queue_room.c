/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs and memory beside free GPUs; the oracle judges the rule, this its edges and limits. */
#include "account/queue.h"

#include "lib/placed.h"

enum { GIB = 1024 };

static void what_fits_exactly_fits(void **state)
{
	(void)state;
	for (int64_t wanted = 4000; wanted <= 4001; wanted++) {
		struct placed w;
		placed_begin(&w);
		placed_node(&w, "n1", 4, 16000, 64 * GIB);
		placed_add(&w, placed_job(&w, "n1", 2, 12000, 60 * GIB));
		placed_add(&w, placed_job(&w, NULL, 2, wanted, 4 * GIB));
		placed_meter(&w);
		placed_is(&w, ACCOUNT_FREE_SCHEDULER, wanted == 4000 ? 20 : 0);
		placed_is(&w, ACCOUNT_FREE_STRANDED, wanted == 4000 ? 0 : 20);
		placed_end(&w);
	}
}

/* "n[1-3]", of which one is no node that we know: a third of its CPUs is on each. */
static void a_list_of_nodes_shares_what_its_job_holds(void **state)
{
	(void)state;
	struct placed w;
	placed_begin(&w);
	placed_node(&w, "n1", 1, 16000, -1);
	placed_node(&w, "n2", 1, 16000, -1);
	placed_add(&w, placed_job(&w, "n[1-3]", 0, 30000, -1));
	placed_add(&w, placed_job(&w, NULL, 1, 6000, -1));
	struct job_entry more = placed_job(&w, NULL, 1, 6001, -1);
	more.priority = -1;
	placed_add(&w, more);
	placed_meter(&w);
	placed_is(&w, ACCOUNT_FREE_SCHEDULER, 10);
	placed_is(&w, ACCOUNT_FREE_STRANDED, 10);
	placed_end(&w);
}

static void what_nobody_knows_is_not_asked(void **state)
{
	(void)state;
	static const struct {
		int64_t size, held, wanted;
	} rows[] = { { -1, 9000, 9000 },
		     { 0, 9000, 9000 },
		     { 8000, -1, 9000 },
		     { 8000, 7000, -1 },
		     { 8000, 8001, 9000 } }; /* more than there is: CPUs are shared there */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct placed w;
		placed_begin(&w);
		placed_node(&w, "n1", 1, rows[i].size, -1);
		placed_add(&w, placed_job(&w, "n1", 0, rows[i].held, -1));
		placed_add(&w, placed_job(&w, NULL, 1, rows[i].wanted, -1));
		placed_meter(&w);
		placed_is(&w, ACCOUNT_FREE_SCHEDULER, 10);
		placed_end(&w);
	}
}

/* A row that ends late is no reason to stop asking; a minute of it is. */
static void a_minute_over_the_size_is_borne(void **state)
{
	(void)state;
	for (int64_t ms = 60000; ms <= 60001; ms++) {
		struct placed w;
		placed_begin(&w);
		placed_node(&w, "n1", 1, 8000, -1);
		placed_add(&w, placed_job(&w, "n1", 0, 5000, -1));
		struct job_entry e = placed_job(&w, "n1", 0, 5000, -1);
		e.outcome = OUTCOME_COMPLETED;
		e.end_ms = ms;
		placed_add(&w, e);
		placed_add(&w, placed_job(&w, NULL, 1, 4000, -1));
		placed_meter(&w);
		placed_is(&w, ms == 60000 ? ACCOUNT_FREE_STRANDED : ACCOUNT_FREE_SCHEDULER, 10);
		placed_end(&w);
	}
}

/* Without a list of nodes, a job is where its allocations are, on each node once. */
static void allocations_place_a_job(void **state)
{
	(void)state;
	struct placed w;
	placed_begin(&w);
	placed_node(&w, "n1", 4, 8000, -1);
	placed_node(&w, "n2", 4, 8000, -1);
	struct job_entry e = placed_job(&w, "n1", 0, 12000, -1);
	e.node_names = 0;
	e.gpus = 3;
	uint32_t job = facts_add_job(&w.f, &e);
	for (int i = 0; i < 3; i++)
		facts_add_allocation(&w.f,
		                     &(struct allocation_entry){
		                             .job = job,
		                             .on = CLAIM_NODE,
		                             .place = facts_word(&w.f, str_of(i < 2 ? "n1" : "n2")),
		                             .count = 1,
		                             .share_num = 1,
		                             .share_den = 1,
		                             .from_ms = TIME_UNKNOWN,
		                             .to_ms = TIME_UNKNOWN });
	placed_add(&w, placed_job(&w, NULL, 1, 2000, -1)); /* 8000 - 12000 / 2 on each */
	placed_add(&w, placed_job(&w, NULL, 1, 2001, -1));
	placed_meter(&w);
	placed_is(&w, ACCOUNT_FREE_SCHEDULER, 10);
	placed_is(&w, ACCOUNT_FREE_STRANDED, 10);
	placed_is(&w, ACCOUNT_FREE_IDLE, 30);
	placed_end(&w);
}

/* More shapes than are counted all the time: job K wants K MiB of the 100 that are left. */
static void many_shapes_are_as_few(void **state)
{
	(void)state;
	struct placed w;
	placed_begin(&w);
	placed_node(&w, "n1", SHAPES_KEPT + 80, -1, 200);
	placed_add(&w, placed_job(&w, "n1", 0, -1, 100));
	for (int64_t k = 1; k <= SHAPES_KEPT + 76; k++) {
		struct job_entry e = placed_job(&w, NULL, 1, -1, k);
		e.priority = k; /* so that those that fit are counted last */
		placed_add(&w, e);
	}
	placed_meter(&w);
	placed_is(&w, ACCOUNT_FREE_SCHEDULER, 100 * PLACED_HOURS);
	placed_is(&w, ACCOUNT_FREE_STRANDED, (SHAPES_KEPT + 76 - 100) * PLACED_HOURS);
	placed_is(&w, ACCOUNT_FREE_IDLE, 4 * PLACED_HOURS);
	placed_end(&w);
}

/* And more sizes: job K wants K GPUs on one node, and K GiB of 30. */
static void many_bases_are_as_few(void **state)
{
	(void)state;
	enum { SIZES = BASES_KEPT + 8, ALL = SIZES * (SIZES + 1) / 2 };
	struct placed w;
	placed_begin(&w);
	placed_node(&w, "n1", ALL, -1, 30 * GIB);
	for (int64_t k = 1; k <= SIZES; k++)
		placed_add(&w, placed_job(&w, NULL, (uint32_t)k, -1, k * GIB));
	placed_meter(&w);
	placed_is(&w, ACCOUNT_FREE_SCHEDULER, 30 * 31 / 2 * PLACED_HOURS);
	placed_is(&w, ACCOUNT_FREE_STRANDED, (ALL - 30 * 31 / 2) * PLACED_HOURS);
	placed_end(&w);
}

/* Amounts that no machine has must not wrap. */
static void amounts_do_not_overflow(void **state)
{
	(void)state;
	struct placed w;
	placed_begin(&w);
	placed_node(&w, "n1", 2, INT64_MAX, INT64_MAX);
	for (int i = 0; i < 3; i++)
		placed_add(&w, placed_job(&w, "n1", 0, INT64_MAX, INT64_MAX));
	placed_add(&w, placed_job(&w, NULL, 2, INT64_MAX, INT64_MAX));
	placed_meter(&w);
	placed_is(&w, ACCOUNT_FREE_SCHEDULER, 20); /* held over its size: nobody asks */
	placed_end(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_exactly_fits),
		cmocka_unit_test(a_list_of_nodes_shares_what_its_job_holds),
		cmocka_unit_test(what_nobody_knows_is_not_asked),
		cmocka_unit_test(a_minute_over_the_size_is_borne),
		cmocka_unit_test(allocations_place_a_job),
		cmocka_unit_test(many_shapes_are_as_few),
		cmocka_unit_test(many_bases_are_as_few),
		cmocka_unit_test(amounts_do_not_overflow),
	};
	return RUN_TESTS(tests);
}
