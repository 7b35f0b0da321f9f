/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * placed: a small cluster for the tests of where free GPUs are lost: nodes with GPUs, CPUs and
 * memory, jobs that run on them or wait, ten hours.
 */
#include "account/ledger.h"
#include "lib/run.h"

#define PLACED_HOUR ((int64_t)3600000)
enum { PLACED_HOURS = 10 };

struct placed {
	struct facts f;
	struct arena a;
	struct ledger l;
	struct sums s;
};

static inline void placed_begin(struct placed *w)
{
	*w = (struct placed){ 0 };
	facts_init(&w->f);
	w->f.has_scheduler = true;
	*vec_push(&w->f.scheduler) = (struct span){ 0, PLACED_HOURS * PLACED_HOUR };
}

static inline void placed_end(struct placed *w)
{
	ledger_deinit(&w->l);
	facts_deinit(&w->f);
	arena_deinit(&w->a);
}

static inline void placed_meter(struct placed *w)
{
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct err err = { 0 };
	ledger_deinit(&w->l);
	enum err_code rc = ledger_build(&w->a, &w->f, &o, &w->l, &err);
	assert_string_equal(err.text, "");
	assert_int_equal(rc, ERR_OK);
	sums_of_ledger(&w->s, &w->l, &w->f);
}

static inline void placed_node(struct placed *w, const char *name, uint32_t gpus, int64_t cpu_milli,
                               int64_t memory_mib)
{
	sym id = facts_word(&w->f, str_of(name));
	*vec_push(&w->f.capacity) = (struct capacity){ .pool = id,
		                                       .node = id,
		                                       .count = gpus,
		                                       .from_ms = 0,
		                                       .to_ms = TIME_UNKNOWN,
		                                       .at_ms = 0 };
	*vec_push(&w->f.nodes) = (struct node){ .id = id,
		                                .gpus = gpus,
		                                .cpus = COUNT_UNKNOWN,
		                                .cpu_milli = cpu_milli,
		                                .memory_mib = memory_mib };
}

/* NODES: a host list; NULL: it waits. GPUS of it are held only if it has some. */
static inline struct job_entry placed_job(struct placed *w, const char *nodes, uint32_t gpus,
                                          int64_t cpu_milli, int64_t memory_mib)
{
	struct job_entry e = job_entry_unknown();
	e.id = str_of(arena_printf(&w->a, "%zu", w->f.jobs.n));
	e.gpus = gpus;
	e.per_node = gpus ? gpus : COUNT_UNKNOWN;
	e.cpu_milli = cpu_milli;
	e.memory_mib = memory_mib;
	e.submit_ms = e.eligible_ms = 0;
	if (nodes) {
		e.node_names = facts_word(&w->f, str_of(nodes));
		e.start_ms = 0;
		e.outcome = OUTCOME_RUNNING;
	}
	return e;
}

static inline void placed_add(struct placed *w, struct job_entry e)
{
	struct allocation_entry a = { .on = CLAIM_NODES,
		                      .place = e.node_names,
		                      .count = e.gpus,
		                      .share_num = 1,
		                      .share_den = 1,
		                      .from_ms = TIME_UNKNOWN,
		                      .to_ms = TIME_UNKNOWN };
	a.job = facts_add_job(&w->f, &e);
	if (e.start_ms != TIME_UNKNOWN && e.gpus)
		facts_add_allocation(&w->f, &a);
}

static inline void placed_is(const struct placed *w, enum account account, int64_t gpu_hours)
{
	i128 want = (i128)gpu_hours * UNITS_PER_HOUR;
	if (w->s.accounts[account] != want)
		fail_msg("%s is %lld GPU-seconds, not %lld", accounts[account].name,
		         (long long)(w->s.accounts[account] / UNITS_PER_SECOND),
		         (long long)(want / UNITS_PER_SECOND));
}
