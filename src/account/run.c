/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run: which attempts belong to one run (ledger.md 1 "run", 9.19; decision G.2;
 * docs/design/002-slurm-requeue.md).
 */
#include <stdlib.h>

#include "account/meter.h"
#include "base/sort.h"

/* A requeued attempt is submitted when the one before ends, to the second (docs/design/002). */
#define REQUEUE_MS 10000

/* Attempts of one key, to be put in order. */
struct member {
	uint32_t job;
	int64_t start_ms;
	struct str id;
};

struct members {
	VEC(struct member) v;
};

/* 9.19: a number that is not an integer as written (an exponent, a fraction) is no key. */
static bool is_key(struct str s)
{
	size_t i = 0, digits = 0;
	bool plain = true;
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		i++;
	for (; i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] == '.' && plain)); i++) {
		digits += s.p[i] != '.';
		plain &= s.p[i] != '.';
	}
	if (!digits)
		return true; /* not a number */
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		int64_t exponent;
		if (str_to_i64(str_sub(s, i + 1, s.n), &exponent))
			return false;
		return true;
	}
	return i < s.n || plain;
}

static int member_order(const void *x, const void *y)
{
	const struct member *a = x, *b = y;
	if (a->start_ms != b->start_ms)
		return a->start_ms < b->start_ms ? -1 : 1;
	int c = str_cmp(a->id, b->id);
	return c ? c : a->job < b->job ? -1 : 1;
}

/* Slurm: the same submit time, or submitted again when the attempt before ended without success. */
static bool follows(const struct meter *m, uint32_t before, uint32_t job)
{
	const struct attempt a = attempt_at(m, before), b = attempt_at(m, job);
	const struct job *j = &m->f->jobs.v[job];
	if (!j->is_slurm || job_traits(m->f, j).run)
		return true;
	if (a.submit_ms == b.submit_ms)
		return true;
	return a.outcome != OUTCOME_COMPLETED && b.submit_ms != TIME_UNKNOWN &&
	       a.end_ms != TIME_UNKNOWN && b.submit_ms <= a.end_ms + REQUEUE_MS;
}

static void run_close(struct meter *m, const uint32_t *jobs, size_t n, bool waits)
{
	bool lives = waits;
	for (size_t i = 0; i < n; i++) {
		uint8_t o = attempt_at(m, jobs[i]).outcome;
		lives |= o == OUTCOME_COMPLETED || o == OUTCOME_RUNNING;
	}
	for (size_t i = 0; i < n; i++) {
		m->run_of[jobs[i]] = jobs[0];
		m->before[jobs[i]] = i ? jobs[i - 1] : NONE;
		m->run_lives[jobs[i]] = lives;
	}
}

/* G.2: in order of start; an attempt that starts before an earlier joined one ended is a run of its
 * own. */
static void run_join(struct meter *m, struct members *ms, bool waits)
{
	VEC(uint32_t) joined = { 0 };
	int64_t end_ms = TIME_UNKNOWN;
	vec_sort(&ms->v, member_order);
	for (size_t i = 0; i < ms->v.n; i++) {
		uint32_t job = ms->v.v[i].job;
		const struct attempt t = attempt_at(m, job);
		if (end_ms != TIME_UNKNOWN && t.start_ms < end_ms) {
			m->out->jobs_split += m->f->jobs.v[job].is_slurm;
			run_close(m, &job, 1, false);
			continue;
		}
		if (joined.n && !follows(m, joined.v[joined.n - 1], job)) {
			run_close(m, joined.v, joined.n, false);
			joined.n = 0;
		}
		*vec_push(&joined) = job;
		end_ms = t.end_ms == TIME_UNKNOWN ? m->as_of_ms : t.end_ms;
	}
	if (joined.n)
		run_close(m, joined.v, joined.n, waits);
	vec_deinit(&joined);
}

static uint32_t restarts_of(const struct meter *m, uint32_t job)
{
	uint32_t restarts = job_traits(m->f, &m->f->jobs.v[job]).restarts;
	return restarts == COUNT_UNKNOWN ? 0 : restarts;
}

static void missing_attempts(struct meter *m, uint32_t job, uint32_t rows)
{
	uint32_t restarts = restarts_of(m, job);
	if (restarts + 1 > rows)
		m->out->attempts_missing += restarts + 1 - rows;
}

/* The jobs of one key, chained by NEXT from FIRST. */
static void run_chain(struct meter *m, uint32_t first, const uint32_t *next)
{
	struct members ms = { { 0 } };
	bool waits = false;
	uint32_t most = first;
	for (uint32_t j = first; j != NONE; j = next[j]) {
		const struct attempt t = attempt_at(m, j);
		if (restarts_of(m, j) > restarts_of(m, most))
			most = j;
		if (t.start_ms != TIME_UNKNOWN)
			*vec_push(&ms.v) =
			        (struct member){ j, t.start_ms, job_id(m->f, &m->f->jobs.v[j]) };
		else
			waits |= t.end_ms == TIME_UNKNOWN;
	}
	missing_attempts(m, most, (uint32_t)ms.v.n);
	run_join(m, &ms, waits);
	vec_deinit(&ms.v);
}

static uint64_t key_of(const struct facts *f, const struct job *j)
{
	const struct job_traits t = job_traits(f, j);
	if (t.run)
		return is_key(names_word(&f->names, t.run)) ? (uint64_t)t.run << 32 | t.user : 0;
	if (!j->is_slurm)
		return 0;
	uint64_t number; /* most ids are; rising ones need no sorting */
	struct str id = job_id(f, j);
	if (id.p[0] != '0' && str_to_u64(id, &number) && number <= UINT64_MAX >> 2)
		return number | (uint64_t)2 << 62;
	return str_hash(id) | (uint64_t)3 << 62;
}

/* Slurm ids are found by hash: the same bytes, cluster and user? */
static bool is_same(const struct meter *m, uint32_t x, uint32_t y)
{
	const struct job *a = &m->f->jobs.v[x], *b = &m->f->jobs.v[y];
	const struct job_traits s = job_traits(m->f, a), t = job_traits(m->f, b);
	if (s.run || t.run)
		return s.run == t.run && s.user == t.user;
	return s.cluster == t.cluster && str_eq(job_id(m->f, a), job_id(m->f, b));
}

/* Chains job I behind HEAD, the first of its key, unless it only looks like another attempt of it.
 */
static void chain_add(struct meter *m, uint32_t head, uint32_t *next, uint32_t i)
{
	const struct job *j = &m->f->jobs.v[i];
	if (!is_same(m, head, i))
		return; /* another id of the same hash: a run of its own */
	const struct job_traits t = job_traits(m->f, j);
	if (j->is_slurm && !t.run &&
	    (job_traits(m->f, &m->f->jobs.v[head]).user != t.user || !is_key(job_id(m->f, j)))) {
		m->out->jobs_split++; /* a repeated id that is another job */
		return;
	}
	next[i] = next[head];
	next[head] = i;
}

static uint64_t seen_key(const struct meter *m, uint32_t job)
{
	return attempt_at(m, job).is_seen ? key_of(m->f, &m->f->jobs.v[job]) : 0;
}

/* Jobs that have a key, by key, those of one key in their own order. */
static struct keyed *keys_of(const struct meter *m, size_t *ret_n)
{
	size_t n = 0;
	struct keyed *keys = mem_alloc(mem_times(m->f->jobs.n, sizeof *keys));
	for (uint32_t i = 0; i < m->f->jobs.n; i++) {
		uint64_t key = seen_key(m, i);
		if (key)
			keys[n++] = (struct keyed){ key, i };
	}
	sort_keyed(keys, n);
	*ret_n = n;
	return keys;
}

/* Attempts of one key, chained and told apart. */
static void runs_join(struct meter *m)
{
	size_t n = m->f->jobs.n, keys_n;
	uint32_t *next = mem_alloc(mem_times(n, sizeof *next));
	struct keyed *keys = keys_of(m, &keys_n);
	for (uint32_t i = 0; i < n; i++)
		next[i] = NONE;
	for (size_t i = 0, k; i < keys_n; i = k) {
		uint32_t first = (uint32_t)keys[i].with;
		for (k = i + 1; k < keys_n && keys[k].key == keys[i].key; k++)
			chain_add(m, first, next, (uint32_t)keys[k].with);
		if (next[first] != NONE)
			run_chain(m, first, next);
		else
			missing_attempts(m, first, 1);
	}
	mem_free(next);
	mem_free(keys);
}

void run_build(struct meter *m)
{
	size_t n = m->f->jobs.n;
	uint64_t last = 0;
	uint32_t missing = 0;
	bool rises =
	        true; /* no key comes twice, as in a dump that lists jobs by number, each once */
	m->run_of = arena_alloc(m->a, mem_times(n, sizeof *m->run_of));
	m->before = mem_alloc(mem_times(n, sizeof *m->before));
	m->run_lives = mem_alloc(mem_times(n, sizeof *m->run_lives));
	for (uint32_t i = 0; i < n; i++) {
		const struct attempt t = attempt_at(m, i);
		m->before[i] = NONE;
		m->run_of[i] = i;
		m->run_lives[i] = t.outcome == OUTCOME_COMPLETED || t.outcome == OUTCOME_RUNNING;
		uint64_t key = rises && t.is_seen ? key_of(m->f, &m->f->jobs.v[i]) : 0;
		if (!key)
			continue;
		rises = key > last;
		last = key;
		missing += restarts_of(m, i);
	}
	if (rises)
		m->out->attempts_missing += missing;
	else
		runs_join(m);
}
