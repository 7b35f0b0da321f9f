/* SPDX-License-Identifier: Apache-2.0 */
/* live_trim: what no later second can ask for is forgotten. */
#include "account/meter.h"
#include "agent/live.h"

/* The two newest rows of a device before some time: what a row covers begins at the one before it,
   and whether a counter stands still is seen from two. */
struct tail {
	sym device;
	int64_t newest_ms, second_ms;
};

struct tails {
	VEC(struct tail) v;
	struct map of; /* device: 1 + index */
};

static struct tail *tail_of(struct tails *t, sym device)
{
	uint32_t *at = map_at(&t->of, device);
	if (!*at) {
		*vec_push(&t->v) = (struct tail){ device, TIME_UNKNOWN, TIME_UNKNOWN };
		*at = (uint32_t)t->v.n;
	}
	return &t->v.v[*at - 1];
}

static void tails_build(struct tails *t, const struct facts *f, int64_t from_ms)
{
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[i];
		if (s->t_ms >= from_ms)
			continue;
		struct tail *x = tail_of(t, s->device);
		if (x->newest_ms == TIME_UNKNOWN || s->t_ms > x->newest_ms) {
			x->second_ms = x->newest_ms;
			x->newest_ms = s->t_ms;
		} else if (s->t_ms < x->newest_ms &&
		           (x->second_ms == TIME_UNKNOWN || s->t_ms > x->second_ms)) {
			x->second_ms = s->t_ms;
		}
	}
}

static void tails_deinit(struct tails *t)
{
	vec_deinit(&t->v);
	map_deinit(&t->of);
}

int64_t live_hold_ms(const struct live *l)
{
	int64_t skew_ms = l->f.options.skew_ms >= 0 ? l->f.options.skew_ms : SKEW_MS;
	int64_t p_ms = l->period_ms;
	for (size_t i = 0; i < l->f.samples.n; i++)
		if (l->f.samples.v[i].period_ms > p_ms)
			p_ms = l->f.samples.v[i].period_ms;
	int64_t hold_ms = RUN_MS + (5 * p_ms + 1) / 2;
	return hold_ms > skew_ms ? hold_ms : skew_ms;
}

void live_ask(struct live *l, int64_t from_ms)
{
	struct tails t = { .of = MAP_NULL };
	tails_build(&t, &l->f, from_ms);
	for (size_t i = 0; i < t.v.n; i++)
		*vec_push(&l->carry.asks) =
		        (struct carried_energy){ t.v.v[i].device, t.v.v[i].newest_ms, 0 };
	tails_deinit(&t);
}

static void trim_samples(struct facts *f, int64_t from_ms)
{
	struct tails t = { .of = MAP_NULL };
	size_t n = 0;
	tails_build(&t, f, from_ms);
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[i];
		const struct tail *x = s->t_ms < from_ms ? tail_of(&t, s->device) : NULL;
		if (!x || s->t_ms == x->newest_ms || s->t_ms == x->second_ms)
			f->samples.v[n++] = *s;
	}
	f->samples.n = n;
	tails_deinit(&t);
}

/* Its allocations' edges reach to SKEW after its end. */
static bool job_is_over(const struct facts *f, const struct job *j, int64_t from_ms)
{
	int64_t skew_ms = f->options.skew_ms >= 0 ? f->options.skew_ms : SKEW_MS;
	return j->outcome != OUTCOME_RUNNING && j->end_ms != TIME_UNKNOWN &&
	       j->end_ms + skew_ms < from_ms;
}

static void trim_jobs(struct live *l, int64_t from_ms)
{
	struct facts *f = &l->f;
	struct carry *c = &l->carry;
	uint32_t *to = mem_alloc(mem_times(f->jobs.n + 1, sizeof *to));
	size_t n = 0;
	for (size_t i = 0; i < f->jobs.n; i++) {
		bool stays = !job_is_over(f, &f->jobs.v[i], from_ms);
		to[i] = stays ? (uint32_t)n : NONE;
		if (stays)
			f->jobs.v[n++] = f->jobs.v[i];
	}
	f->jobs.n = n, n = 0;
	for (size_t i = 0; i < f->allocations.n; i++) {
		struct allocation a = f->allocations.v[i];
		if (to[a.job] == NONE)
			continue;
		a.job = to[a.job];
		f->allocations.v[n++] = a;
	}
	f->allocations.n = n, n = 0;
	for (size_t i = 0; i < c->setups.n; i++) {
		struct carried_setup s = c->setups.v[i];
		if (s.job == NONE || to[s.job] == NONE)
			continue;
		s.job = to[s.job];
		c->setups.v[n++] = s;
	}
	c->setups.n = n;
	mem_free(to);
}

static int64_t said_until(const struct progress *p)
{
	return p->to_ms != TIME_UNKNOWN && p->to_ms > p->t_ms ? p->to_ms : p->t_ms;
}

/* Where the lines begin that a stretch which is still asked for needs: steps inside a save say what
   it was (9.8). */
static int64_t lines_from(const struct facts *f, sym job, int64_t from_ms)
{
	int64_t first_ms = from_ms;
	for (size_t i = 0; i < f->progress.n; i++) {
		const struct progress *p = &f->progress.v[i];
		if (p->job == job && said_until(p) >= from_ms && p->t_ms < first_ms)
			first_ms = p->t_ms;
	}
	return first_ms;
}

static bool is_its(const struct facts *f, const struct job *j, sym job)
{
	return str_eq(job_id(f, j), names_word(&f->names, job));
}

/* The first words of an attempt end its setup (F.2). */
static void keep_first_words(const struct facts *f, bool *stays)
{
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		size_t first = f->progress.n;
		for (size_t k = 0; k < f->progress.n; k++) {
			const struct progress *p = &f->progress.v[k];
			bool ends = p->type == PROGRESS_STEP || p->type == PROGRESS_READY;
			if (ends && p->t_ms >= j->start_ms && is_its(f, j, p->job) &&
			    (first == f->progress.n || p->t_ms < f->progress.v[first].t_ms))
				first = k;
		}
		if (first < f->progress.n)
			stays[first] = true;
	}
}

static void trim_progress(struct facts *f, int64_t from_ms)
{
	size_t n = 0;
	bool *stays = mem_alloc(f->progress.n + 1); /* all false */
	for (size_t i = 0; i < f->progress.n; i++)
		stays[i] = f->progress.v[i].t_ms >= lines_from(f, f->progress.v[i].job, from_ms);
	keep_first_words(f, stays);
	for (size_t i = 0; i < f->progress.n; i++)
		if (stays[i])
			f->progress.v[n++] = f->progress.v[i];
	f->progress.n = n;
	mem_free(stays);
}

static bool answered(const struct service *s)
{
	return s->ok > 0 || s->bad > 0 || s->tokens_ok > 0 || s->tokens_bad > 0;
}

static void trim_services(struct facts *f, int64_t from_ms)
{
	size_t n = 0;
	bool *stays = mem_alloc(f->services.n + 1); /* all false */
	for (size_t i = 0; i < f->services.n; i++)
		stays[i] = f->services.v[i].to_ms >= from_ms;
	for (size_t i = 0; i < f->jobs.n; i++) { /* the first answer ends setup as a word does */
		const struct job *j = &f->jobs.v[i];
		size_t first = f->services.n;
		for (size_t k = 0; k < f->services.n; k++) {
			const struct service *s = &f->services.v[k];
			if (s->to_ms > j->start_ms && answered(s) && is_its(f, j, s->job) &&
			    (first == f->services.n || s->from_ms < f->services.v[first].from_ms))
				first = k;
		}
		if (first < f->services.n)
			stays[first] = true;
	}
	for (size_t i = 0; i < f->services.n; i++)
		if (stays[i])
			f->services.v[n++] = f->services.v[i];
	f->services.n = n;
	mem_free(stays);
}

/* Devices, instances and nodes come with every scrape: the last word of each counts. */
static void trim_places(struct facts *f)
{
	struct map at = MAP_NULL;
	size_t n = 0;
	for (size_t i = 0; i < f->devices.n; i++) {
		uint32_t *seen = map_at(&at, f->devices.v[i].id);
		if (!*seen)
			*seen = (uint32_t)++n;
		f->devices.v[*seen - 1] = f->devices.v[i];
	}
	f->devices.n = n, n = 0;
	map_deinit(&at);
	for (size_t i = 0; i < f->nodes.n; i++) {
		uint32_t *seen = map_at(&at, f->nodes.v[i].id);
		if (!*seen)
			*seen = (uint32_t)++n;
		f->nodes.v[*seen - 1] = f->nodes.v[i];
	}
	f->nodes.n = n;
	map_deinit(&at);
}

static bool same_instance(const struct instance *a, const struct instance *b)
{
	return a->id == b->id && a->device == b->device && a->slices == b->slices &&
	       a->from_ms == b->from_ms && a->to_ms == b->to_ms;
}

static void trim_instances(struct facts *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->instances.n; i++) {
		size_t k = 0;
		while (k < n && !same_instance(&f->instances.v[k], &f->instances.v[i]))
			k++;
		if (k == n)
			f->instances.v[n++] = f->instances.v[i];
	}
	f->instances.n = n;
}

static bool same_capacity(const struct capacity *a, const struct capacity *b)
{
	return a->device == b->device && a->pool == b->pool && a->node == b->node &&
	       a->model == b->model && a->source == b->source && a->count == b->count &&
	       a->from_ms == b->from_ms && a->to_ms == b->to_ms && a->state == b->state &&
	       a->gone == b->gone && a->is_unseen == b->is_unseen && a->is_part == b->is_part &&
	       a->is_snapshot == b->is_snapshot;
}

/* Some entry of the same place and source lasts at least as long: what is paid for stays known as
   such (B.6), and what a later count replaced stays replaced (B.7). */
static bool is_followed(const struct facts *f, size_t at)
{
	const struct capacity *c = &f->capacity.v[at];
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *d = &f->capacity.v[i];
		if (d->device == c->device && d->pool == c->pool && d->node == c->node &&
		    d->model == c->model && d->source == c->source && i != at &&
		    (d->to_ms == TIME_UNKNOWN || d->to_ms > c->to_ms ||
		     (d->to_ms == c->to_ms && i > at)))
			return true;
	}
	return false;
}

static void trim_capacity(struct facts *f, int64_t from_ms)
{
	size_t n = 0;
	bool *goes = mem_alloc(f->capacity.n + 1); /* all false */
	for (size_t i = 0; i < f->capacity.n; i++)
		goes[i] = f->capacity.v[i].to_ms != TIME_UNKNOWN &&
		          f->capacity.v[i].to_ms < from_ms && is_followed(f, i);
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity c = f->capacity.v[i];
		size_t k = 0;
		if (goes[i])
			continue;
		while (k < n && !same_capacity(&f->capacity.v[k], &c))
			k++;
		f->capacity.v[k] = c; /* observed anew */
		n += k == n;
	}
	f->capacity.n = n;
	mem_free(goes);
}

/* Stretches that touch are one; the newest stays, for the scheduler has spoken. */
static void trim_scheduler(struct facts *f, int64_t from_ms)
{
	size_t n = 0;
	for (size_t i = 0; i < f->scheduler.n; i++) {
		const struct span s = f->scheduler.v[i];
		struct span *last = n ? &f->scheduler.v[n - 1] : NULL;
		if (last && s.from_ms <= last->to_ms && s.from_ms >= last->from_ms)
			last->to_ms = s.to_ms > last->to_ms ? s.to_ms : last->to_ms;
		else if (s.to_ms >= from_ms || i + 1 == f->scheduler.n)
			f->scheduler.v[n++] = s;
	}
	f->scheduler.n = n;
}

void live_trim(struct live *l, int64_t from_ms)
{
	struct facts *f = &l->f;
	trim_samples(f, from_ms);
	trim_jobs(l, from_ms);
	trim_progress(f, from_ms);
	trim_services(f, from_ms);
	trim_places(f);
	trim_instances(f);
	trim_capacity(f, from_ms);
	trim_scheduler(f, from_ms);
	f->node_power.n = f->totals.n = 0; /* not metered as time passes */
}
