/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ledger makes of facts that its oracle's documents do not have: Slurm's attempts, nodes
 * seen one by one, reservations with jobs of their own, counts that others added up, the limits.
 */
#include "account/ledger.h"

#include "lib/run.h"
#include "lib/traits.h"

#define HOUR 3600000
#define GPU_HOURS(n) ((i128)(n)*UNITS_PER_HOUR)

struct world {
	struct facts f;
	struct arena a;
	struct ledger l;
	struct sums s;
};

static void begin(struct world *w)
{
	*w = (struct world){ 0 };
	facts_init(&w->f);
}

static enum err_code meter(struct world *w)
{
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct err err;
	ledger_deinit(&w->l);
	enum err_code code = ledger_build(&w->a, &w->f, &o, &w->l, &err);
	sums_of_ledger(&w->s, &w->l, &w->f);
	return code;
}

static void end(struct world *w)
{
	ledger_deinit(&w->l);
	facts_deinit(&w->f);
	arena_deinit(&w->a);
}

static sym word(struct world *w, const char *z)
{
	return facts_word(&w->f, str_of(z));
}

/* A Slurm job of GPUS on NODES from START to END hours; -1: none yet. */
static struct job *slurm_job(struct world *w, const char *id, const char *nodes, uint32_t gpus,
                             int start, int end_h, enum outcome outcome)
{
	struct job *j = facts_job(&w->f, str_of(id));
	j->is_slurm = true;
	j->outcome = (uint8_t)outcome;
	j->gpus = gpus;
	j->submit_ms = j->eligible_ms = start < 0 ? 0 : start * (int64_t)HOUR;
	if (start < 0)
		return j;
	j->start_ms = start * (int64_t)HOUR;
	j->end_ms = end_h < 0 ? TIME_UNKNOWN : end_h * (int64_t)HOUR;
	facts_add_allocation(&w->f, &(struct allocation_entry){ .job = (uint32_t)w->f.jobs.n - 1,
	                                                        .on = CLAIM_NODES,
	                                                        .place = word(w, nodes),
	                                                        .count = gpus,
	                                                        .share_num = 1,
	                                                        .share_den = 1,
	                                                        .from_ms = TIME_UNKNOWN,
	                                                        .to_ms = TIME_UNKNOWN });
	return j;
}

static void covers(struct world *w, int hours)
{
	w->f.has_scheduler = true;
	*vec_push(&w->f.scheduler) = (struct span){ 0, hours * (int64_t)HOUR };
}

/* What scontrol show node says of one node: seen once, in its state since FROM hours (-1: always).
 */
static struct capacity *node_seen(struct world *w, const char *name, uint32_t gpus, int from,
                                  enum capacity_state state)
{
	struct capacity *c = vec_push(&w->f.capacity);
	*c = (struct capacity){ .pool = word(w, name),
		                .node = word(w, name),
		                .count = gpus,
		                .from_ms = from < 0 ? TIME_UNKNOWN : from * (int64_t)HOUR,
		                .to_ms = TIME_UNKNOWN,
		                .at_ms = TIME_UNKNOWN,
		                .state = state,
		                .is_snapshot = true };
	*vec_push(&w->f.nodes) =
	        (struct node){ .id = word(w, name),
		               .gpus = gpus,
		               .cpus = COUNT_UNKNOWN,
		               .cpu_milli = -1,
		               .memory_mib = -1 };
	return c;
}

static void a_snapshot_holds_and_a_node_was_up_before_it_went_down(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 10);
	node_seen(&w, "n1", 8, -1, CAPACITY_UP);
	node_seen(&w, "n2", 8, 6, CAPACITY_FAILED);
	slurm_job(&w, "1", "n1", 8, 0, 4, OUTCOME_COMPLETED);
	assert_int_equal(meter(&w), ERR_OK);
	assert_true(w.s.paid == GPU_HOURS(160));
	assert_true(w.s.accounts[ACCOUNT_DOWN_FAILED] == GPU_HOURS(32));
	assert_true(w.s.accounts[ACCOUNT_FREE_IDLE] == GPU_HOURS(96));
	assert_true(w.s.successful == GPU_HOURS(32));
	assert_true(w.l.capacity_is_snapshot);
	end(&w);
}

static void a_list_of_nodes_shares_its_gpus_out(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 1);
	node_seen(&w, "n1", 2, -1, CAPACITY_UP);
	node_seen(&w, "n2", 2, -1, CAPACITY_UP);
	node_seen(&w, "n3", 2, -1, CAPACITY_UP);
	slurm_job(&w, "1", "n[1-3]", 4, 0, 1, OUTCOME_COMPLETED); /* 2, 1, 1 */
	struct job *waits = slurm_job(&w, "2", "", 2, -1, -1, OUTCOME_WAITING);
	SET_TRAIT(&w.f, waits, per_node, 2);
	assert_int_equal(meter(&w), ERR_OK);
	assert_true(w.s.accounts[ACCOUNT_UNOBSERVED] == GPU_HOURS(4));
	assert_true(w.s.accounts[ACCOUNT_FREE_STRANDED] == GPU_HOURS(2)); /* no node has two */
	end(&w);
}

static void a_waiting_job_claims_nodes_of_its_partition(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 1);
	node_seen(&w, "n1", 4, -1, CAPACITY_UP);
	w.f.nodes.v[0].partition = word(&w, "big,debug");
	node_seen(&w, "n2", 4, -1, CAPACITY_UP);
	w.f.nodes.v[1].partition = word(&w, "small");
	struct job *j = slurm_job(&w, "1", "", 4, -1, -1, OUTCOME_WAITING);
	SET_TRAIT(&w.f, j, queue, word(&w, "gone,debug"));
	assert_int_equal(meter(&w), ERR_OK);
	assert_true(w.s.accounts[ACCOUNT_FREE_SCHEDULER] == GPU_HOURS(4));
	assert_true(w.s.accounts[ACCOUNT_FREE_IDLE] == GPU_HOURS(4));
	end(&w);
}

static void a_pool_seen_node_by_node_is_their_sum(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 2);
	for (int i = 0; i < 3; i++) {
		struct capacity *c =
		        node_seen(&w, i ? i == 1 ? "a" : "b" : "c", 4, -1, CAPACITY_UP);
		c->pool = word(&w, "pool");
	}
	struct capacity *again =
	        node_seen(&w, "b", 4, 1, CAPACITY_PLANNED); /* seen a second time */
	again->pool = word(&w, "pool");
	assert_int_equal(meter(&w), ERR_OK);
	assert_true(w.s.paid == GPU_HOURS(24));
	assert_true(w.s.accounts[ACCOUNT_DOWN_PLANNED] == GPU_HOURS(4));
	end(&w);
}

static void attempts_of_one_id_are_a_run_unless_they_overlap_or_change_hands(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 20);
	slurm_job(&w, "7", "n1", 1, 0, 2, OUTCOME_NODE_FAILED);
	slurm_job(&w, "7", "n2", 1, 2, 4, OUTCOME_COMPLETED);
	slurm_job(&w, "8", "n1", 1, 0, 5, OUTCOME_FAILED);
	slurm_job(&w, "8", "n1", 1, 3, 6, OUTCOME_COMPLETED); /* at the same time */
	slurm_job(&w, "9", "n1", 1, 0, 2, OUTCOME_COMPLETED);
	slurm_job(&w, "9", "n1", 1, 10, 12, OUTCOME_COMPLETED); /* the number was used again */
	slurm_job(&w, "1.5e1", "n1", 1, 0, 1, OUTCOME_FAILED);
	slurm_job(&w, "1.5e1", "n1", 1, 1, 2, OUTCOME_COMPLETED); /* no number as it was written */
	struct job *mine = slurm_job(&w, "10", "n1", 1, 0, 1, OUTCOME_FAILED);
	SET_TRAIT(&w.f, mine, user, word(&w, "ann"));
	slurm_job(&w, "10", "n1", 1, 1, 2, OUTCOME_COMPLETED);
	assert_int_equal(meter(&w), ERR_OK);
	static const uint32_t want[] = { 0, 0, 2, 3, 4, 5, 6, 7, 8, 9 };
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(w.l.run_of[i], want[i]);
	end(&w);
}

static void restarted(struct world *w, struct job *j, uint32_t times)
{
	SET_TRAIT(&w->f, j, restarts, times);
}

static void restarts_without_rows_are_missing_attempts(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 4);
	restarted(&w, slurm_job(&w, "1", "n1", 1, 0, 1, OUTCOME_COMPLETED), 2);
	restarted(&w, slurm_job(&w, "2", "n1", 1, 0, 1, OUTCOME_COMPLETED), COUNT_UNKNOWN);
	assert_int_equal(meter(&w), ERR_OK);
	assert_int_equal(w.l.attempts_missing, 2);
	/* the newest of two rows says three restarts, the other nothing: two are missing */
	restarted(&w, slurm_job(&w, "3", "n1", 1, 0, 1, OUTCOME_NODE_FAILED), COUNT_UNKNOWN);
	restarted(&w, slurm_job(&w, "3", "n1", 1, 1, 2, OUTCOME_COMPLETED), 3);
	assert_int_equal(meter(&w), ERR_OK);
	assert_int_equal(w.l.attempts_missing, 4);
	end(&w);
}

static void a_reservation_is_less_by_what_its_own_jobs_hold(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	covers(&w, 2);
	node_seen(&w, "n1", 8, -1, CAPACITY_UP);
	slurm_job(&w, "1", "n1", 3, 0, 2, OUTCOME_COMPLETED);
	struct job *entitled = slurm_job(&w, "2", "", 1, -1, -1, OUTCOME_WAITING);
	entitled->eligible_ms = HOUR;
	struct reserve *r = vec_push(&w.f.reserves);
	*r = (struct reserve){ .gpus = 5,
		               .from_ms = TIME_UNKNOWN,
		               .to_ms = TIME_UNKNOWN,
		               .is_reservation = true,
		               .jobs_at = (uint32_t)w.f.syms.n,
		               .jobs_n = 2 };
	*vec_push(&w.f.syms) = word(&w, "1");
	*vec_push(&w.f.syms) = word(&w, "2");
	assert_int_equal(meter(&w), ERR_OK);
	/* 5 - 3 are held ready; from the second hour on job 2 wants one of the eight it may have */
	assert_true(w.s.accounts[ACCOUNT_FREE_RESERVE] == GPU_HOURS(3));
	assert_true(w.s.accounts[ACCOUNT_FREE_SCHEDULER] == GPU_HOURS(1));
	assert_true(w.s.accounts[ACCOUNT_FREE_IDLE] == GPU_HOURS(6));
	end(&w);
}

static void counts_of_others_become_cells_of_their_pool(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	for (int i = 0; i < 2; i++)
		*vec_push(&w.f.totals) = (struct total){ .pool = word(&w, "vc"),
			                                 .from_ms = i * (int64_t)HOUR,
			                                 .to_ms = (i + 1) * (int64_t)HOUR,
			                                 .gpus = 10,
			                                 .running = 6,
			                                 .pending = i ? 3 : 0,
			                                 .idle = 4 };
	assert_int_equal(meter(&w), ERR_OK);
	assert_true(w.s.paid == GPU_HOURS(20));
	assert_true(w.s.accounts[ACCOUNT_UNOBSERVED] == GPU_HOURS(12));
	assert_true(w.s.accounts[ACCOUNT_FREE_BLOCKED] == GPU_HOURS(3));
	assert_true(w.s.accounts[ACCOUNT_FREE_IDLE] == GPU_HOURS(5));
	assert_int_equal(w.l.wanted_ms, HOUR);
	assert_int_equal(w.l.queue_ms, 2 * HOUR);
	end(&w);
}

/* ledger.md 5: a pool cell of 1,000,000 GPUs x 1 day fits, and a sum that does not is an error. */
static void a_sum_that_leaves_its_range_is_an_error(void **state)
{
	(void)state;
	static const struct {
		uint32_t gpus;
		enum err_code want;
	} cases[] = { { 1000000, ERR_OK }, { GPUS_MAX, ERR_IDENTITY } };
	for (size_t i = 0; i < 2; i++) {
		struct world w;
		begin(&w);
		covers(&w, 24);
		*vec_push(&w.f.capacity) = (struct capacity){ .pool = word(&w, "all"),
			                                      .count = cases[i].gpus,
			                                      .to_ms = 24 * (int64_t)HOUR };
		assert_int_equal(meter(&w), cases[i].want);
		end(&w);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_holds_and_a_node_was_up_before_it_went_down),
		cmocka_unit_test(a_list_of_nodes_shares_its_gpus_out),
		cmocka_unit_test(a_waiting_job_claims_nodes_of_its_partition),
		cmocka_unit_test(a_pool_seen_node_by_node_is_their_sum),
		cmocka_unit_test(attempts_of_one_id_are_a_run_unless_they_overlap_or_change_hands),
		cmocka_unit_test(restarts_without_rows_are_missing_attempts),
		cmocka_unit_test(a_reservation_is_less_by_what_its_own_jobs_hold),
		cmocka_unit_test(counts_of_others_become_cells_of_their_pool),
		cmocka_unit_test(a_sum_that_leaves_its_range_is_an_error),
	};
	return RUN_TESTS(tests);
}
