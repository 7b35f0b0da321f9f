/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube_end: what only the whole input says: when it was made, which of several versions of a pod is
 * the last, since when nodes are gone, what events and resource claims say of pods.
 *
 * A list speaks of one instant. It is taken as a second, that of the newest time in the list or the
 * one before the time that the user gives, so that the report's ratios are those of the instant
 * (ledger.md 2), and GPU-seconds are GPUs. Nodes are paid since they were made; that nobody claimed
 * what pods of now do not hold is known only near the instant, so before it what no job holds is
 * unknown. A watch tells of changes, so it covers the time from the newest that it began with.
 */
#include "read/kube_finish.h"

static uint64_t key_of(struct facts *f, const struct job *j)
{
	return (uint64_t)facts_word(f, job_id(f, j)) << 32 | (uint32_t)(j->submit_ms / 1000);
}

static void seen_read(struct finish *w)
{
	struct kube_row r;
	sym space = 0;
	for (size_t i = 0; kube_row_get(w->f, i, &r); i++) {
		if (r.kind == KUBE_SPACE) {
			w->is_all |= space && space != r.id;
			space = r.id;
		}
		if (r.kind != KUBE_SEEN)
			continue;
		w->has_pods |= r.number != 0;
		w->has_claims |= r.id != 0;
		w->has_others |= r.word != 0;
		w->at_ms = r.time_ms > w->at_ms ? r.time_ms : w->at_ms;
	}
	if (w->has_others)
		facts_note(w->f, "Kubernetes objects other than pods, nodes, events and resource "
		                 "claims were passed over.");
	if (w->o->has_at) {
		w->at_ms = w->o->at_ms;
		return;
	}
	if (w->at_ms == TIME_UNKNOWN)
		return;
	w->at_ms += KUBE_INSTANT_MS; /* times are whole seconds: that one has passed */
	facts_note(w->f, "Kubernetes' lists do not say when they were made: the newest "
	                 "time in them was taken. FILE@at=TIME gives it.");
}

static int64_t newest_of(const struct job *j, int64_t ms)
{
	const int64_t all[] = { j->submit_ms, j->start_ms, j->end_ms };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		ms = all[i] > ms ? all[i] : ms;
	return ms;
}

/* Another attempt of the same version of a pod begins where the one before ended. */
static bool goes_on(const struct job *before, const struct job *j)
{
	return before->end_ms != TIME_UNKNOWN && before->end_ms == j->start_ms;
}

/* Of each pod the last version stays. */
static void versions_join(struct finish *w)
{
	struct facts *f = w->f;
	struct map newest = MAP_NULL; /* 1 + first job of the newest version */
	uint32_t *first = mem_alloc(mem_times(f->jobs.n, sizeof *first));
	int64_t began_ms = TIME_UNKNOWN;
	uint64_t before = 0;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		uint64_t key = key_of(f, &f->jobs.v[i]);
		uint32_t *at = map_at(&newest, key);
		bool is_same = i && key == before && goes_on(&f->jobs.v[i - 1], &f->jobs.v[i]);
		before = key;
		first[i] = is_same ? first[i - 1] : i;
		if (*at && !is_same) {
			for (uint32_t k = *at - 1; k < i && first[k] == *at - 1; k++)
				w->is_gone[k] = true;
			w->from_ms = w->is_watch ? w->from_ms : began_ms;
			w->is_watch = true;
		}
		*at = first[i] + 1;
		began_ms = newest_of(&f->jobs.v[i], began_ms);
	}
	mem_free(first);
	map_deinit(&newest);
}

static void drop_jobs(struct finish *w)
{
	struct facts *f = w->f;
	uint32_t *to = mem_alloc(mem_times(f->jobs.n, sizeof *to));
	uint32_t kept = 0;
	size_t n = 0;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		to[i] = kept;
		if (!w->is_gone[i])
			f->jobs.v[kept++] = f->jobs.v[i];
	}
	for (size_t i = 0; i < f->allocations.n; i++) {
		struct allocation a = f->allocations.v[i];
		if (w->is_gone[a.job])
			continue;
		a.job = to[a.job];
		f->allocations.v[n++] = a;
	}
	f->allocations.n = n;
	f->jobs.n = kept;
	mem_free(to);
}

static void cover(struct finish *w)
{
	if (w->at_ms == TIME_UNKNOWN)
		return;
	struct input_info *in = &w->f->inputs.v[w->f->inputs.n - 1];
	in->taken_ms = w->at_ms;
	in->is_guessed = !w->o->has_at && !w->is_watch;
	in->is_all = w->is_all;
	int64_t instant = w->at_ms - KUBE_INSTANT_MS;
	if (!w->is_watch || w->from_ms == TIME_UNKNOWN || w->from_ms > instant)
		w->from_ms = instant;
	if (!w->has_pods)
		return;
	*vec_push(&w->f->scheduler) = (struct span){ w->from_ms, w->at_ms };
	in->has_pods = true;
	if (w->is_watch)
		facts_note(w->f, "A watch of Kubernetes covers the time from the newest that it "
		                 "began with to the newest in it.");
	else
		facts_note(w->f, "A list of Kubernetes speaks of one instant: it was read as "
		                 "one second, so GPU-seconds are GPUs. What was free before needs "
		                 "history: further lists, a watch, readings.");
}

/* A node that does not answer is given up, with what runs on it, after its pods' patience. */
static void failed_add(struct finish *w, struct capacity c)
{
	struct capacity lost = c;
	bool may_go = c.gone && c.state == CAPACITY_FAILED && c.from_ms != TIME_UNKNOWN;
	c.gone = false;
	lost.from_ms = c.from_ms + KUBE_EVICTION_MS;
	if (may_go && lost.from_ms < w->at_ms && lost.from_ms < c.to_ms) {
		c.to_ms = lost.from_ms;
		*vec_push(&w->capacity) = lost;
	}
	*vec_push(&w->capacity) = c;
}

/* One entry as kube_node left it: with its times, known from BEGIN on, at most until END. */
static void capacity_place(struct finish *w, struct capacity c, int64_t begin_ms, int64_t end_ms)
{
	if (c.at_ms == TIME_UNKNOWN || c.at_ms > w->at_ms)
		c.at_ms = w->at_ms;
	if (c.is_unseen) { /* before its present state */
		int64_t to_ms = c.to_ms != TIME_UNKNOWN ? c.to_ms : begin_ms;
		struct capacity seen = c;
		c.to_ms = to_ms < begin_ms ? to_ms : begin_ms;
		seen.from_ms = c.from_ms > begin_ms ? c.from_ms : begin_ms;
		seen.to_ms = to_ms;
		seen.is_unseen = false;
		c.at_ms = c.from_ms; /* what another list saw of this time counts more */
		if (c.from_ms < c.to_ms)
			*vec_push(&w->capacity) = c;
		if (seen.from_ms < seen.to_ms)
			*vec_push(&w->capacity) = seen;
		return;
	}
	c.to_ms = end_ms;
	if (c.from_ms == TIME_UNKNOWN)
		c.from_ms = begin_ms;
	if (c.from_ms < c.to_ms)
		failed_add(w, c);
}

static void capacity_settle(struct finish *w)
{
	struct facts *f = w->f;
	if (w->at_ms == TIME_UNKNOWN) {
		f->capacity.n = 0;
		return;
	}
	for (size_t i = 0; i < f->capacity.n; i++)
		capacity_place(w, f->capacity.v[i], w->from_ms - KUBE_NEAR_MS,
		               w->at_ms + KUBE_NEAR_MS);
	f->capacity.n = 0;
	for (size_t i = 0; i < w->capacity.n; i++)
		*vec_push(&f->capacity) = w->capacity.v[i];
}

void kube_finish(const struct read_options *o, struct facts *f)
{
	struct finish w = { .f = f, .o = o, .at_ms = TIME_UNKNOWN, .from_ms = TIME_UNKNOWN };
	w.is_gone = mem_alloc(mem_times(f->jobs.n, sizeof *w.is_gone));
	seen_read(&w);
	versions_join(&w);
	cover(&w);
	capacity_settle(&w);
	kube_join_rows(&w);
	drop_jobs(&w);
	f->syms.n = 0; /* nothing else put words there */
	f->has_scheduler = true;
	vec_deinit(&w.capacity);
	mem_free(w.is_gone);
}
