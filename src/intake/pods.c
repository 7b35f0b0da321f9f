/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/pods.h"

#include <stdlib.h>

#include "facts/facts.h"

#define NONE SIZE_MAX

static uint64_t mix(uint64_t a, uint64_t b)
{
	return (a ^ a >> 29 ^ b) * 0x9e3779b97f4a7c15u;
}

/* A pod in a list, by a hash: its id's word, submit time, input. */
static uint64_t key_of(struct facts *f, const struct job *j, size_t input)
{
	uint64_t id = facts_word(f, job_id(f, j));
	return mix(mix(id, (uint64_t)j->submit_ms), input + 1);
}

/* The next list of pods behind input I in time; NONE: there is none. */
static size_t next_list(const struct facts *f, size_t i)
{
	size_t next = NONE;
	const int64_t at = f->inputs.v[i].taken_ms;
	for (size_t k = 0; k < f->inputs.n; k++) {
		const struct input_info *in = &f->inputs.v[k];
		if (in->has_pods && in->taken_ms > at &&
		    (next == NONE || in->taken_ms < f->inputs.v[next].taken_ms))
			next = k;
	}
	return next;
}

/* Namespaces of each list's pods, and the pods themselves. */
static void find_listed(struct facts *f, const size_t *ends, size_t n, struct map *listed)
{
	for (size_t i = 0, k = 0; i < n; k = ends[i], i++)
		for (size_t at = k; f->inputs.v[i].has_pods && at < ends[i]; at++) {
			const struct job *j = &f->jobs.v[at];
			*map_at(listed, key_of(f, j, i)) = 1;
			*map_at(listed, mix(job_traits(f, j).team, i + 1)) = 1;
		}
}

void pods_end(struct facts *f, const size_t *ends, size_t n)
{
	struct map listed = MAP_NULL;
	size_t lists = 0;
	for (size_t i = 0; i < n && i < f->inputs.n; i++)
		lists += f->inputs.v[i].has_pods;
	if (lists < 2 || n != f->inputs.n)
		return;
	find_listed(f, ends, n, &listed);
	for (size_t i = 0, at = 0; i < n; at = ends[i], i++) {
		size_t next = f->inputs.v[i].has_pods ? next_list(f, i) : NONE;
		for (size_t k = at; next != NONE && k < ends[i]; k++) {
			struct job *j = &f->jobs.v[k];
			bool speaks = f->inputs.v[next].is_all ||
			              map_get(&listed, mix(job_traits(f, j).team, next + 1));
			if (!j->is_pod || j->end_ms != TIME_UNKNOWN || !speaks ||
			    map_get(&listed, key_of(f, j, next)))
				continue;
			j->end_ms = f->inputs.v[i].taken_ms;
			j->outcome = OUTCOME_ENDED;
			facts_note(f, "A pod that a later list of pods no longer has was taken to "
			              "end where it was listed last.");
		}
	}
	map_deinit(&listed);
}

/* An attempt, with its end as it is sorted. */
struct attempt {
	struct str id;
	int64_t submit_ms, start_ms, end_ms;
	uint32_t job;
};

static int attempt_order(const void *x, const void *y)
{
	const struct attempt *a = x, *b = y;
	int c = str_cmp(a->id, b->id);
	if (c)
		return c;
	const int64_t p[] = { a->submit_ms, a->start_ms, a->end_ms, a->job };
	const int64_t q[] = { b->submit_ms, b->start_ms, b->end_ms, b->job };
	for (size_t i = 0; i < sizeof p / sizeof *p; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return 0;
}

/* The attempts [v, v + n) of one pod, in order. */
static void clip(struct facts *f, const struct attempt *v, size_t n)
{
	int64_t until = v[0].start_ms;
	for (size_t i = 0; i < n; i++) {
		struct job *j = &f->jobs.v[v[i].job];
		int64_t next = i + 1 < n ? v[i + 1].start_ms : TIME_UNKNOWN;
		if (j->start_ms < until)
			j->start_ms = j->eligible_ms = until;
		if (j->end_ms == TIME_UNKNOWN && next != TIME_UNKNOWN) { /* another came after it */
			j->end_ms = next;
			j->outcome = OUTCOME_ENDED;
		}
		if (j->end_ms != TIME_UNKNOWN && j->end_ms < j->start_ms)
			j->end_ms = j->start_ms;
		until = j->end_ms != TIME_UNKNOWN ? j->end_ms : until;
	}
}

void pods_clip(struct facts *f)
{
	VEC(struct attempt) v = { 0 };
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		if (!j->is_pod || j->is_seen || j->start_ms == TIME_UNKNOWN)
			continue;
		int64_t end = j->end_ms == TIME_UNKNOWN ? INT64_MAX : j->end_ms;
		*vec_push(&v) = (struct attempt){ job_id(f, j), j->submit_ms, j->start_ms, end, i };
	}
	vec_sort(&v, attempt_order);
	for (size_t i = 0, k; i < v.n; i = k) {
		for (k = i + 1; k < v.n && v.v[k].submit_ms == v.v[i].submit_ms &&
		                str_eq(v.v[k].id, v.v[i].id);)
			k++;
		if (k - i > 1)
			clip(f, &v.v[i], k - i);
	}
	vec_deinit(&v);
}
