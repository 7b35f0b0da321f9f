/* SPDX-License-Identifier: Apache-2.0 */
/*
 * online: a history in one batch against the same history as it happens (agent/live.h): all cells
 * of all steps add up to those of the batch, to the unit and the millijoule. One line a file: "ok",
 * or what differs. For tests only.
 *
 *     online STEP_MS FILE...      facts come, and the meter steps, every STEP_MS
 *
 * What only looking back can tell is made known in time first: capacity when it begins, periods of
 * samples, what a device's readings cover.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/live.h"
#include "base/text.h"
#include "intake/intake.h"

#define START_MS (-20000)
#define END_MS 400000 /* after the longest history of histories.py, and what it leaves open */

#define LISTS_EVERY 37 /* steps */
#define STOPS_EVERY 23

struct sum {
	char key[256];
	i128 units, energy, metered, integrated;
};

struct sums_of {
	VEC(struct sum) v;
};

static int sum_order(const void *x, const void *y)
{
	return strcmp(((const struct sum *)x)->key, ((const struct sum *)y)->key);
}

/* Whether its word alone decides about its setup is known when readings have come, or never (F.4):
   such setup is not told from unobserved time here. */
static bool speaks(const struct facts *all, const struct facts *f, const struct job *j)
{
	bool ret = false;
	for (size_t i = 0; i < all->progress.n && !ret; i++)
		ret = str_eq(names_word(&all->names, all->progress.v[i].job), job_id(f, j));
	for (size_t i = 0; i < all->services.n && !ret; i++)
		ret = str_eq(names_word(&all->names, all->services.v[i].job), job_id(f, j));
	return ret;
}

static void take(struct sums_of *s, const struct ledger *l, const struct facts *f,
                 const struct facts *all)
{
	for (size_t i = 0; i < l->cells.n; i++) {
		const struct cell *c = &l->cells.v[i];
		const struct place *p = &l->places.v[c->place];
		const struct job *j = c->job == NONE ? NULL : &f->jobs.v[c->job];
		struct sum *x = vec_push(&s->v);
		bool is_free =
		        states[c->state].group == GROUP_FREE && c->state != STATE_FREE_UNMANAGED;
		bool is_blind = j && speaks(all, f, j) &&
		                (c->state == STATE_SETUP || c->state == STATE_UNOBSERVED);
		const char *state = is_free    ? "free"
		                    : is_blind ? "setup or unobserved"
		                               : states[c->state].name;
		snprintf(x->key, sizeof x->key, "%s %s/%s %s %" PRId64 " %.*s %d%s",
		         names_word(&f->names, p->device ? p->device : p->pool).p,
		         names_word(&f->names, p->node).p, names_word(&f->names, p->model).p,
		         j ? job_id(f, j).p : "-", j ? j->start_ms : 0, (int)strlen(state), state,
		         is_blind ? 0 : c->evidence, c->estimated ? " estimated" : "");
		x->units = c->units;
		if (l->drawn.n) {
			x->energy = l->drawn.v[i].energy;
			x->metered = l->drawn.v[i].metered;
			x->integrated = l->drawn.v[i].integrated;
		}
	}
}

static void sums_join(struct sums_of *s)
{
	size_t n = 0;
	vec_sort(&s->v, sum_order);
	for (size_t i = 0; i < s->v.n; i++) {
		struct sum *last = n ? &s->v.v[n - 1] : NULL;
		if (!last || strcmp(last->key, s->v.v[i].key) != 0) {
			s->v.v[n++] = s->v.v[i];
			continue;
		}
		last->units += s->v.v[i].units, last->energy += s->v.v[i].energy;
		last->metered += s->v.v[i].metered, last->integrated += s->v.v[i].integrated;
	}
	s->v.n = n;
}

static bool same(const struct sum *a, const struct sum *b)
{
	return strcmp(a->key, b->key) == 0 && a->units == b->units && a->energy == b->energy &&
	       a->metered == b->metered && a->integrated == b->integrated;
}

static bool compare(const struct sums_of *want, const struct sums_of *got)
{
	bool is_same = want->v.n == got->v.n;
	size_t i = 0, k = 0;
	while (i < want->v.n || k < got->v.n) {
		const struct sum *a = i < want->v.n ? &want->v.v[i] : NULL;
		const struct sum *b = k < got->v.n ? &got->v.v[k] : NULL;
		int order = !a ? 1 : !b ? -1 : strcmp(a->key, b->key);
		if (order || !same(a, b)) {
			is_same = false;
			printf("  %s: want %.3f s %.3f J, got %.3f s %.3f J\n",
			       order <= 0 ? a->key : b->key,
			       order <= 0 ? (double)a->units / UNITS_PER_SECOND : 0,
			       order <= 0 ? (double)a->energy / GRID / 1000 : 0,
			       order >= 0 ? (double)b->units / UNITS_PER_SECOND : 0,
			       order >= 0 ? (double)b->energy / GRID / 1000 : 0);
		}
		i += order <= 0, k += order >= 0;
	}
	return is_same;
}

/* What nobody could know in time is known in time. */
/* A reading of the job's GPUs tells what they did, before the job speaks itself (F.4). */
static bool is_heard(const struct facts *f, sym id, int64_t t_ms)
{
	uint64_t signals =
	        metrics_with(ROLE_COMPUTE) | metrics_with(ROLE_PROFILE) | metrics_with(ROLE_PIPE);
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *a = &f->allocations.v[i];
		const struct job *j = &f->jobs.v[a->job];
		bool heard = false;
		if (!str_eq(job_id(f, j), names_word(&f->names, id)))
			continue;
		for (size_t k = 0; k < f->instances.n; k++)
			if (f->instances.v[k].device == a->place)
				return false; /* its readings are no instance's */
		for (size_t k = 0; k < f->samples.n && !heard; k++) {
			const struct sample *s = &f->samples.v[k];
			bool far = s->kind == SAMPLE_POINT && s->period_ms > 5000; /* 9.3 */
			heard = s->device == a->place && !far && s->t_ms > j->start_ms &&
			        s->t_ms <= t_ms &&
			        (s->procs_why == WHY_KNOWN || (s->known & signals));
		}
		if (!heard)
			return false;
	}
	return true;
}

static bool is_of_device(const struct facts *f, const struct allocation *a)
{
	if (a->on == CLAIM_DEVICE || a->on == CLAIM_INSTANCE)
		return true;
	for (size_t i = 0; i < f->samples.n; i++) /* which of a node's it had is said at any time */
		if (f->samples.v[i].procs_n)
			return false;
	for (size_t i = 0; i < f->devices.n; i++)
		if (f->devices.v[i].node == a->place)
			return true;
	return false;
}

/* Of pools it is known from all of their time whether they are as large as said (9.17): left out.
   Every device that reads is paid for, whoever knows (B.6). */
static void foresee_places(struct facts *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->capacity.n; i++)
		if (!f->capacity.v[i].pool)
			f->capacity.v[n++] = f->capacity.v[i];
	f->capacity.n = n, n = 0;
	for (size_t i = 0; i < f->allocations.n; i++)
		if (f->allocations.v[i].on != CLAIM_POOL && is_of_device(f, &f->allocations.v[i]))
			f->allocations.v[n++] = f->allocations.v[i];
	f->allocations.n = n;
	for (size_t i = 0; i < f->devices.n; i++) {
		bool paid = false;
		for (size_t k = 0; k < f->capacity.n && !paid; k++)
			paid = f->capacity.v[k].device == f->devices.v[i].id;
		if (!paid)
			*vec_push(&f->capacity) = (struct capacity){ .device = f->devices.v[i].id,
				                                     .count = 1,
				                                     .from_ms = 0,
				                                     .to_ms = TIME_UNKNOWN };
	}
}

static void foresee(struct facts *f)
{
	size_t n = 0;
	foresee_places(f);
	if (f->jobs.n || f->scheduler.n) /* there is a scheduler, also before its first word */
		*vec_push(&f->scheduler) = (struct span){ START_MS, START_MS + 1 };
	for (size_t i = 0; i < f->progress.n; i++)
		if (is_heard(f, f->progress.v[i].job, f->progress.v[i].t_ms))
			f->progress.v[n++] = f->progress.v[i];
	f->progress.n = n, n = 0;
	for (size_t i = 0; i < f->services.n; i++)
		if (is_heard(f, f->services.v[i].job, f->services.v[i].to_ms))
			f->services.v[n++] = f->services.v[i];
	f->services.n = n;
	f->totals.n = f->node_power.n = 0;
	for (size_t i = 0; i < f->capacity.n; i++)
		f->capacity.v[i].at_ms = START_MS;
	for (size_t i = 0; i < f->samples.n; i++)
		if (f->samples.v[i].period_ms <= 0)
			f->samples.v[i].period_ms = 1000;
	for (size_t i = 0; i < f->jobs.n; i++)
		f->jobs.v[i].is_slurm = true;
}

/* What became known in (FROM, TO]: readings then, words when they begin, answers when they end.
   Jobs, capacity and the rest at the start: the meter does not see what is later than now. */
static void happen(const struct facts *all, int64_t from_ms, int64_t to_ms, struct facts *ret)
{
	for (size_t i = 0; i < all->samples.n; i++) {
		const struct sample *s = &all->samples.v[i];
		if (s->t_ms <= from_ms || s->t_ms > to_ms)
			continue;
		struct sample *to = vec_push(&ret->samples);
		*to = *s;
		to->device = facts_word(ret, names_word(&all->names, s->device));
		to->procs_at = (uint32_t)ret->syms.n;
		for (uint32_t k = 0; k < s->procs_n; k++)
			*vec_push(&ret->syms) = facts_word(
			        ret, names_word(&all->names, all->syms.v[s->procs_at + k]));
	}
	for (size_t i = 0; i < all->progress.n; i++) {
		struct progress p = all->progress.v[i];
		if (p.t_ms <= from_ms || p.t_ms > to_ms)
			continue;
		p.job = facts_word(ret, names_word(&all->names, p.job));
		*vec_push(&ret->progress) = p;
	}
	for (size_t i = 0; i < all->services.n; i++) {
		struct service s = all->services.v[i];
		if (s.to_ms <= from_ms || s.to_ms > to_ms)
			continue;
		s.job = facts_word(ret, names_word(&all->names, s.job));
		*vec_push(&ret->services) = s;
	}
}

static int64_t longest_period(const struct facts *f)
{
	int64_t ret_ms = 0;
	for (size_t i = 0; i < f->samples.n; i++)
		if (f->samples.v[i].period_ms > ret_ms)
			ret_ms = f->samples.v[i].period_ms;
	for (size_t i = 0; i < f->services.n; i++)
		if (f->services.v[i].to_ms - f->services.v[i].from_ms > ret_ms)
			ret_ms = f->services.v[i].to_ms - f->services.v[i].from_ms;
	return ret_ms;
}

/* All but what happens in time. */
static enum err_code lists_read(const char *path, struct facts *ret, struct err *err)
{
	struct intake_options o = { .threads = 1 };
	const char *paths[] = { path };
	enum err_code code = intake_read(&o, paths, 1, ret, err);
	if (code)
		return code;
	foresee(ret);
	ret->samples.n = ret->progress.n = ret->services.n = 0;
	return ERR_OK;
}

/* The agent stops and starts again. */
static enum err_code stop(struct live *l, struct err *err)
{
	auto_text t = TEXT_NULL;
	live_save(l, &t);
	live_deinit(l);
	return live_restore(l, text_str(&t), err);
}

/* Lists of jobs and devices come again and again, as a scheduler gives them. */
static enum err_code play(const char *path, const struct facts *f, int64_t step_ms,
                          struct sums_of *ret, int64_t *ret_settled_ms, struct err *err)
{
	struct live l;
	struct facts now;
	int64_t from_ms = INT64_MIN;
	enum err_code code = ERR_OK;
	live_init(&l, START_MS);
	l.period_ms = longest_period(f);
	facts_init(&now);
	for (int64_t t = START_MS, n = 0; t <= END_MS && !code; t += step_ms, n++) {
		const struct ledger *part;
		if (n % LISTS_EVERY == 0) {
			struct facts lists;
			code = lists_read(path, &lists, err);
			if (code)
				break;
			live_add(&l, &lists);
		}
		if (n % STOPS_EVERY == STOPS_EVERY - 1 && !(code = stop(&l, err)))
			live_pack(&l);
		if (code)
			break;
		happen(f, from_ms, t, &now);
		live_add(&l, &now);
		code = live_step(&l, t, &part, err);
		if (!code && part)
			take(ret, part, &l.f, f);
		from_ms = t;
	}
	*ret_settled_ms = l.settled_ms;
	live_deinit(&l);
	facts_deinit(&now);
	return code;
}

static int one(const char *path, int64_t step_ms)
{
	struct intake_options o = { .threads = 1 };
	struct ledger_options lo = LEDGER_OPTIONS_DEFAULT;
	struct facts f;
	struct ledger l = { 0 };
	struct sums_of want = { 0 }, got = { 0 };
	struct err err = { 0 };
	auto_arena a = ARENA_NULL;
	int64_t settled_ms;
	if (intake_read(&o, &path, 1, &f, &err)) {
		printf("%s: %s\n", path, err.text);
		return 1;
	}
	foresee(&f);
	enum err_code code = play(path, &f, step_ms, &got, &settled_ms, &err);
	lo.window = (struct span){ START_MS, settled_ms };
	lo.as_of_ms = END_MS;
	if (!code)
		code = ledger_build(&a, &f, &lo, &l, &err);
	if (code) {
		printf("%s: %s\n", path, err.text);
	} else {
		take(&want, &l, &f, &f);
		sums_join(&want), sums_join(&got);
		printf("%s %s\n", compare(&want, &got) ? "ok" : "differs", path);
	}
	ledger_deinit(&l);
	facts_deinit(&f);
	vec_deinit(&want.v), vec_deinit(&got.v);
	return code != ERR_OK;
}

int main(int argc, char **argv)
{
	int bad = argc < 3;
	int64_t step_ms = argc > 1 ? strtoll(argv[1], NULL, 10) : 0;
	for (int i = 2; i < argc && step_ms > 0; i++)
		bad |= one(argv[i], step_ms);
	return bad;
}
