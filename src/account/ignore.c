/* SPDX-License-Identifier: Apache-2.0 */
#include "account/ignore.h"

#include "facts/accelerator.h"

static bool names(const struct facts *f, enum ignore_what what, sym word)
{
	for (size_t i = 0; i < f->ignores.n && word; i++)
		if (f->ignores.v[i].what == what && f->ignores.v[i].word == word)
			return true;
	return false;
}

/* "H100" covers what a scheduler says, "h100", and what a driver does. */
static bool names_model(const struct facts *f, sym model)
{
	for (size_t i = 0; i < f->ignores.n && model; i++)
		if (f->ignores.v[i].what == IGNORE_ACCELERATORS &&
		    accelerator_covers(names_word(&f->names, f->ignores.v[i].word),
		                       names_word(&f->names, model)))
			return true;
	return false;
}

bool ignore_place(const struct facts *f, const struct place *p)
{
	return names(f, IGNORE_NODES, p->node) || names(f, IGNORE_POOLS, p->pool) ||
	       names_model(f, p->model);
}

bool ignore_job(const struct facts *f, uint32_t job)
{
	if (!f->ignores.n)
		return false;
	const struct job *j = &f->jobs.v[job];
	const struct job_traits t = job_traits(f, j);
	return names(f, IGNORE_USERS, t.user) || names(f, IGNORE_TEAMS, t.team) ||
	       names(f, IGNORE_QUEUES, t.queue) ||
	       names(f, IGNORE_JOBS, names_find(&f->names, job_id(f, j)));
}

struct left_out {
	bool *places, *jobs;
};

static bool is_out(const struct left_out *x, uint32_t place, uint32_t job)
{
	return x->places[place] || (job != NONE && x->jobs[job]);
}

static void cells_drop(struct ledger *l, const struct left_out *x)
{
	size_t n = 0;
	for (size_t i = 0; i < l->cells.n; i++) {
		const struct cell *c = &l->cells.v[i];
		if (is_out(x, c->place, c->job)) {
			l->ignored_units += c->units;
			continue;
		}
		if (l->drawn.n)
			l->drawn.v[n] = l->drawn.v[i];
		l->cells.v[n++] = *c;
	}
	l->cells.n = n;
	l->drawn.n = l->drawn.n ? n : 0;
	l->paid_units -= l->ignored_units;
	n = 0;
	for (size_t i = 0; i < l->depths.n; i++)
		if (!is_out(x, l->depths.v[i].place, l->depths.v[i].job))
			l->depths.v[n++] = l->depths.v[i];
	l->depths.n = n;
}

void ignore_apply(struct ledger *l, const struct facts *f)
{
	auto_arena a = ARENA_NULL;
	struct left_out x;
	if (!f->ignores.n)
		return;
	x.places = ARENA_ARRAY(&a, bool, l->places.n + 1);
	x.jobs = ARENA_ARRAY(&a, bool, f->jobs.n + 1);
	for (size_t i = 0; i < l->places.n; i++)
		x.places[i] = ignore_place(f, &l->places.v[i]);
	for (uint32_t i = 0; i < f->jobs.n; i++)
		x.jobs[i] = ignore_job(f, i);
	cells_drop(l, &x);
}
