/* SPDX-License-Identifier: Apache-2.0 */
/*
 * states: the meter on readings that stand in blocks, on one core.
 *
 *     bench_states [HOURS]     8 GPUs read every second for so long (12), by 6 and by 25 metrics
 *
 * Made here, the same everywhere: jobs of half an hour to three hours, a minute of setup each, work
 * with waits of 3 to 40 s, and ten minutes without a program between them; capacity and allocations
 * are known. Prints for each number of metrics: rows, readings, bytes a reading in blocks; CPU time
 * of decoding alone and of the whole ledger; readings a second. The best of ROUNDS.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "account/ledger.h"
#include "facts/series.h"
#include "intake/spool.h"

enum { GPUS = 8, ROUNDS = 7, PERIOD_MS = 1000 };

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t dice = 1;

/* 0 to N - 1: xorshift64*. */
static uint64_t roll(uint64_t n)
{
	dice ^= dice >> 12, dice ^= dice << 25, dice ^= dice >> 27;
	return (dice * UINT64_C(2685821657736338717) >> 33) % n;
}

static void fail(const struct err *err)
{
	fprintf(stderr, "states: %s\n", err->text);
	exit(1);
}

/* What a GPU does from one change to the next. */
enum doing { SETTING_UP, WORKING, WAITING, EMPTY };

struct gpu {
	sym device;
	enum doing doing;
	int64_t until_ms, job_until_ms, joules_milli;
	unsigned jobs;
};

static void hold(struct facts *f, struct gpu *g, int64_t from_ms)
{
	struct job_entry e = job_entry_unknown();
	char id[32];
	snprintf(id, sizeof id, "%u-%u", (unsigned)g->device, g->jobs++);
	e.id = str_of(id);
	e.submit_ms = e.eligible_ms = e.start_ms = from_ms;
	e.end_ms = g->job_until_ms;
	e.outcome = roll(5) ? OUTCOME_COMPLETED : OUTCOME_FAILED;
	e.gpus = 1;
	struct allocation_entry a = { .job = facts_add_job(f, &e),
		                      .on = CLAIM_DEVICE,
		                      .place = g->device,
		                      .count = 1,
		                      .share_num = 1,
		                      .share_den = 1,
		                      .from_ms = TIME_UNKNOWN,
		                      .to_ms = TIME_UNKNOWN };
	facts_add_allocation(f, &a);
}

static void change(struct facts *f, struct gpu *g, int64_t t_ms)
{
	if (g->doing == EMPTY) {
		g->job_until_ms = t_ms + (int64_t)(1800 + roll(9000)) * 1000;
		hold(f, g, t_ms);
		g->doing = SETTING_UP;
		g->until_ms = t_ms + 60000;
	} else if (t_ms >= g->job_until_ms) {
		g->doing = EMPTY;
		g->until_ms = t_ms + 600000;
	} else if (g->doing == WORKING) {
		g->doing = WAITING;
		g->until_ms = t_ms + (int64_t)(3 + roll(38)) * 1000;
	} else {
		g->doing = WORKING;
		g->until_ms = t_ms + (int64_t)(20 + roll(400)) * 1000;
	}
	if (g->doing != EMPTY && g->until_ms > g->job_until_ms)
		g->until_ms = g->job_until_ms;
}

/* One metric's reading, in its units. */
static int64_t reading(enum metric_id m, const struct gpu *g)
{
	bool busy = g->doing == WORKING;
	int64_t noise = (int64_t)roll(1000);
	switch (metrics[m].unit) {
	case UNIT_PERCENT:
		return metrics[m].role == ROLE_OTHER ? 40000000 + noise * 10000
		       : busy                        ? 30000000 + noise * 60000
		                                     : noise * 1000;
	case UNIT_WATTS:
		return busy ? 480000 + noise * 100 : 90000 + noise;
	case UNIT_JOULES:
		return g->joules_milli;
	case UNIT_MEBIBYTES:
		return g->doing == EMPTY ? 500000000 : 61440000000;
	case UNIT_MEGAHERTZ:
		return busy ? 1755000 : 345000;
	case UNIT_GIGABYTES_PER_SECOND:
		return busy ? noise * 1000000 : noise;
	default:
		return noise / 100;
	}
}

static const enum metric_id few[] = { METRIC_gpu_util, METRIC_sm,    METRIC_tensor,
	                              METRIC_dram,     METRIC_power, METRIC_mem_used };

static size_t chosen(size_t n, enum metric_id *ret)
{
	size_t count = 0;
	for (size_t i = 0; i < sizeof few / sizeof *few; i++)
		ret[count++] = few[i];
	for (int m = 0; m < METRIC_COUNT && count < n; m++) {
		bool has = m == METRIC_vacant_power || m == METRIC_idle_reason;
		for (size_t i = 0; i < count && !has; i++)
			has = ret[i] == (enum metric_id)m;
		if (!has)
			ret[count++] = (enum metric_id)m;
	}
	return count;
}

static void row(struct facts *f, struct gpu *g, int64_t t_ms, const enum metric_id *which, size_t n)
{
	struct sample *s = facts_sample(f, g->device, t_ms);
	s->period_ms = PERIOD_MS;
	g->joules_milli += g->doing == WORKING ? 520000 : 90500;
	for (size_t i = 0; i < n; i++)
		sample_know(s, which[i], reading(which[i], g));
}

static uint64_t make(struct facts *f, int64_t hours, const enum metric_id *which, size_t n)
{
	struct err err = { 0 };
	struct spool_options o = { 0 };
	struct spool *spool = spool_new(f, &o);
	int64_t to_ms = hours * 3600000;
	uint64_t rows = 0;
	dice = 1;
	for (unsigned i = 0; i < GPUS; i++) {
		struct gpu g = { .doing = EMPTY };
		char id[16];
		snprintf(id, sizeof id, "GPU-%u", i);
		g.device = facts_word(f, str_of(id));
		*vec_push(&f->devices) = (struct device){ .id = g.device,
			                                  .node = facts_word(f, S("n1")),
			                                  .model = facts_word(f, S("H100")) };
		*vec_push(&f->capacity) = (struct capacity){
			.device = g.device, .count = 1, .to_ms = to_ms, .at_ms = 0
		};
		for (int64_t t = PERIOD_MS; t <= to_ms; t += PERIOD_MS, rows++) {
			while (t > g.until_ms)
				change(f, &g, t - PERIOD_MS);
			row(f, &g, t, which, n);
			if (spool_take(spool, false, &err))
				fail(&err);
		}
	}
	if (spool_take(spool, true, &err))
		fail(&err);
	*vec_push(&f->scheduler) = (struct span){ 0, to_ms };
	f->has_scheduler = true;
	spool_end(spool);
	return rows;
}

static double decode(const struct facts *f)
{
	struct series_rows *rows = mem_alloc(sizeof *rows);
	double begun = now_s();
	for (size_t i = 0; i < f->series->n; i++) {
		struct series_cursor *c = f->series->open(f->series, i, SERIES_ALL);
		while (f->series->next(c, rows))
			;
		f->series->close(c);
	}
	mem_free(rows);
	return now_s() - begun;
}

static double meter(const struct facts *f, double *ret_active_hours)
{
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	struct ledger l = { 0 };
	struct err err = { 0 };
	struct sums s;
	auto_arena a = ARENA_NULL;
	double begun = now_s();
	if (ledger_build(&a, f, &o, &l, &err))
		fail(&err);
	double took = now_s() - begun;
	sums_of_ledger(&s, &l, f);
	*ret_active_hours = (double)s.low[LAYER_ACTIVE] / (double)UNITS_PER_HOUR;
	ledger_deinit(&l);
	return took;
}

static void measure(int64_t hours, size_t n)
{
	enum metric_id which[METRIC_COUNT];
	struct facts f;
	facts_init(&f);
	n = chosen(n, which);
	uint64_t rows = make(&f, hours, which, n);
	double decoded = 1e9, metered = 1e9, active = 0, readings = (double)rows * (double)n;
	for (int i = 0; i < ROUNDS; i++) {
		double d = decode(&f), m = meter(&f, &active);
		decoded = d < decoded ? d : decoded;
		metered = m < metered ? m : metered;
	}
	printf("%zu metrics: %" PRIu64
	       " rows, %.1f M readings, %.1f h active; decode %.3f s (%.0f M readings/s), "
	       "ledger %.3f s (%.1f M rows/s, %.0f M readings/s)\n",
	       n, rows, readings / 1e6, active, decoded, readings / decoded / 1e6, metered,
	       (double)rows / metered / 1e6, readings / metered / 1e6);
	facts_deinit(&f);
}

int main(int argc, char **argv)
{
	int64_t hours = argc > 1 ? strtoll(argv[1], NULL, 10) : 12;
	if (hours < 1 || hours > 24 * 60)
		return 2;
	measure(hours, 6);
	measure(hours, 25);
	return 0;
}
