/* SPDX-License-Identifier: Apache-2.0 */
/*
 * concurrency: the most GPUs that were allocated at once (rule 10: printed as "at least").
 *
 * Sorting every start and end would cost more than any other step over claims. Instead time is cut
 * into strips: what is held where a strip begins is exact, and all that begins in the strip on top
 * of it is a bound. Only strips whose bound is above what was surely reached are looked into.
 */
#include "account/meter.h"
#include "base/sort.h"

#define STRIPS_MAX 65536u

struct strip {
	int64_t change, begun; /* units of what begins and ends in it; of what begins */
	int64_t held;          /* where it begins */
	bool is_open;          /* the most may be in it */
};

struct strips {
	struct strip *v;
	size_t n;
	int64_t from_ms, width_ms;
};

static size_t strip_of(const struct strips *s, int64_t t_ms)
{
	return (size_t)((t_ms - s->from_ms) / s->width_ms);
}

static bool counts(const struct meter *m, const struct claim *c)
{
	return c->to_ms > m->window.from_ms && c->from_ms < m->window.to_ms;
}

static bool strips_make(const struct meter *m, struct strips *s)
{
	int64_t from_ms = INT64_MAX, to_ms = INT64_MIN;
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct claim *c = &m->claims.v[i];
		if (!counts(m, c))
			continue;
		from_ms = c->from_ms < from_ms ? c->from_ms : from_ms;
		to_ms = c->to_ms > to_ms ? c->to_ms : to_ms;
	}
	if (from_ms >= to_ms)
		return false;
	s->n = m->claims.n < STRIPS_MAX ? m->claims.n + 1 : STRIPS_MAX;
	s->from_ms = from_ms;
	s->width_ms = (to_ms - from_ms) / (int64_t)s->n + 1;
	s->v = mem_alloc(mem_times(s->n, sizeof *s->v));
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct claim *c = &m->claims.v[i];
		if (!counts(m, c))
			continue;
		int64_t units = claim_units(m, c);
		s->v[strip_of(s, c->from_ms)].change += units;
		s->v[strip_of(s, c->from_ms)].begun += units;
		s->v[strip_of(s, c->to_ms)].change -= units;
	}
	return true;
}

/* The most that is held where a strip begins. */
static int64_t strips_level(struct strips *s)
{
	int64_t now = 0, most = 0;
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].held = now;
		now += s->v[i].change;
		most = now > most ? now : most;
	}
	for (size_t i = 0; i < s->n; i++)
		s->v[i].is_open = s->v[i].held + s->v[i].begun > most;
	return most;
}

static int64_t look_into(const struct meter *m, const struct strips *s, int64_t most)
{
	VEC(struct keyed) steps = { 0 };
	for (size_t i = 0; i < m->claims.n; i++) {
		const struct claim *c = &m->claims.v[i];
		if (!counts(m, c))
			continue;
		if (s->v[strip_of(s, c->from_ms)].is_open)
			*vec_push(&steps) =
			        (struct keyed){ sort_key(c->from_ms), claim_units(m, c) };
		if (s->v[strip_of(s, c->to_ms)].is_open)
			*vec_push(&steps) =
			        (struct keyed){ sort_key(c->to_ms), -claim_units(m, c) };
	}
	sort_keyed_loose(steps.v, steps.n);
	size_t strip = s->n;
	int64_t now = 0;
	for (size_t i = 0, k; i < steps.n; i = k) { /* who comes takes the place of who leaves */
		size_t here = strip_of(s, sort_unkey(steps.v[i].key));
		now = here == strip ? now : s->v[here].held;
		strip = here;
		for (k = i; k < steps.n && steps.v[k].key == steps.v[i].key; k++)
			now += steps.v[k].with;
		most = now > most ? now : most;
	}
	vec_deinit(&steps);
	return most;
}

uint32_t concurrency_most(const struct meter *m)
{
	struct strips s = { 0 };
	if (!strips_make(m, &s))
		return 0;
	int64_t most = look_into(m, &s, strips_level(&s));
	mem_free(s.v);
	return (uint32_t)((most + GRID - 1) / GRID);
}
