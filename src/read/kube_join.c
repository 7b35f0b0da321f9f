/* SPDX-License-Identifier: Apache-2.0 */
/* kube_join: what events and resource claims say of the pods and nodes of the same input. */
#include <stdlib.h>

#include "read/kube_finish.h"

#define NONE UINT32_MAX
#define NEAR_END_MS 600000 /* an event of a pod's end and its end are at most so far apart */

struct join {
	struct finish *w;
	struct map job_of; /* id: 1 + the newest job, others behind it in next */
	uint32_t *next;
	struct map claim_of; /* id: 1 + row */
	struct map used;     /* pairs of job and claim */
};

static void chain_jobs(struct join *j)
{
	struct facts *f = j->w->f;
	j->next = mem_alloc(mem_times(f->jobs.n, sizeof *j->next));
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		uint32_t *head = map_at(&j->job_of, facts_word(f, job_id(f, &f->jobs.v[i])));
		j->next[i] = *head ? *head - 1 : NONE;
		*head = i + 1;
	}
}

static uint32_t first_job(const struct join *j, sym id)
{
	const uint32_t *head = map_get(&j->job_of, id);
	return head ? *head - 1 : NONE;
}

static void end_as(const struct join *j, const struct kube_row *r)
{
	for (uint32_t i = first_job(j, r->id); i != NONE; i = j->next[i]) {
		struct job *job = &j->w->f->jobs.v[i];
		int64_t apart = job->end_ms != TIME_UNKNOWN ? llabs(job->end_ms - r->time_ms) : 0;
		bool is_vague = job->outcome == OUTCOME_FAILED || job->outcome == OUTCOME_ENDED ||
		                job->outcome == OUTCOME_CANCELLED;
		if (is_vague && job->end_ms != TIME_UNKNOWN && apart <= NEAR_END_MS)
			job->outcome = (uint8_t)r->number;
	}
}

static void wait_as(const struct join *j, const struct kube_row *r)
{
	struct facts *f = j->w->f;
	for (uint32_t i = first_job(j, r->id); i != NONE; i = j->next[i]) {
		struct job *job = &f->jobs.v[i];
		struct job_traits t = job_traits(f, job);
		if (job->start_ms != TIME_UNKNOWN || job->end_ms != TIME_UNKNOWN || t.reason)
			continue;
		t.reason = r->word;
		job->is_policy = r->number != 0;
		job_set_traits(f, job, &t);
	}
}

static void claim_allocate(struct facts *f, uint32_t job, int64_t count, int64_t sharers)
{
	const struct job *j = &f->jobs.v[job];
	if (j->start_ms == TIME_UNKNOWN || !j->node_names || count <= 0)
		return;
	facts_add_allocation(f, &(struct allocation_entry){ .job = job,
	                                                    .on = CLAIM_NODE,
	                                                    .place = j->node_names,
	                                                    .count = (uint32_t)count,
	                                                    .share_num = 1,
	                                                    .share_den = sharers > 1 ? sharers : 1,
	                                                    .from_ms = TIME_UNKNOWN,
	                                                    .to_ms = TIME_UNKNOWN });
}

/* What a pod has by its claims, beside what it asks for itself. */
struct held {
	int64_t count;
	bool is_unknown, has_own;
};

static void claim_use(struct join *j, const struct kube_row *use, struct held *held)
{
	struct facts *f = j->w->f;
	const uint32_t *at = map_get(&j->claim_of, use->word);
	struct kube_row claim = { .number = -1 };
	if (at)
		kube_row_get(f, *at - 1, &claim);
	for (uint32_t i = first_job(j, use->id); i != NONE; i = j->next[i]) {
		uint32_t *is_used = map_at(&j->used, (uint64_t)i << 32 | use->word);
		if (*is_used || f->jobs.v[i].submit_ms != use->time_ms || j->w->is_gone[i])
			continue;
		*is_used = 1;
		held[i].count += held[i].has_own ? 0 : use->number;
		held[i].count += claim.number > 0 ? claim.number : 0;
		held[i].has_own = true;
		held[i].is_unknown |= claim.number < 0;
		claim_allocate(f, i, claim.number, claim.time_ms);
	}
}

static void claims_settle(struct join *j, struct held *held)
{
	struct facts *f = j->w->f;
	struct kube_row r;
	bool *is_user = mem_alloc(mem_times(f->jobs.n, sizeof *is_user));
	for (size_t i = 0; kube_row_get(f, i, &r); i++)
		if (r.kind == KUBE_USES) {
			claim_use(j, &r, held);
			for (uint32_t k = first_job(j, r.id); k != NONE; k = j->next[k])
				is_user[k] = true;
		}
	for (size_t i = 0; i < f->jobs.n; i++) {
		struct job *job = &f->jobs.v[i];
		if (!is_user[i] || j->w->is_gone[i])
			continue;
		if (held[i].is_unknown) {
			facts_note(f, "How many GPUs pods have by resource claims (DRA) is not "
			              "known: a list of pods and resourceclaims together tells.");
		} else if (!held[i].count) { /* claims of other devices */
			j->w->is_gone[i] = true;
		} else if (held[i].count <= GPUS_MAX) {
			job->requested = (uint32_t)held[i].count;
			job->gpus = job->start_ms != TIME_UNKNOWN ? job->requested : COUNT_UNKNOWN;
		}
	}
	mem_free(is_user);
}

static int row_order(const void *x, const void *y)
{
	const struct kube_row *a = x, *b = y;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->time_ms < b->time_ms ? -1 : a->time_ms > b->time_ms;
}

/* A node that was not ready for a while, and is again: of its present state it tells itself. */
static void node_fails(struct finish *w, const struct kube_row *from, const struct kube_row *to)
{
	const struct node *n = NULL;
	for (size_t i = 0; i < w->f->nodes.n; i++)
		if (w->f->nodes.v[i].id == from->id)
			n = &w->f->nodes.v[i];
	if (!n)
		return;
	struct capacity c = { .pool = n->id,
		              .node = n->id,
		              .model = n->model,
		              .source = facts_word(w->f, S("kubernetes")),
		              .count = n->gpus,
		              .from_ms = from->time_ms,
		              .to_ms = to->time_ms,
		              .at_ms = w->at_ms,
		              .state = CAPACITY_FAILED };
	struct capacity lost = c;
	lost.from_ms = c.from_ms + KUBE_EVICTION_MS;
	lost.gone = true;
	if (lost.from_ms < lost.to_ms) {
		c.to_ms = lost.from_ms;
		*vec_push(&w->f->capacity) = lost;
	}
	*vec_push(&w->f->capacity) = c;
}

static void nodes_join(struct finish *w)
{
	VEC(struct kube_row) rows = { 0 };
	struct kube_row r;
	for (size_t i = 0; kube_row_get(w->f, i, &r); i++)
		if (r.kind == KUBE_NODE_AT && r.time_ms < w->at_ms)
			*vec_push(&rows) = r;
	vec_sort(&rows, row_order);
	for (size_t i = 1; i < rows.n; i++) {
		const struct kube_row *a = &rows.v[i - 1], *b = &rows.v[i];
		if (a->id == b->id && !a->number && b->number && a->time_ms < b->time_ms)
			node_fails(w, a, b);
	}
	vec_deinit(&rows);
}

static void take(int64_t *left, int64_t by)
{
	if (*left >= 0) /* -1: not known */
		*left = *left > by ? *left - by : 0;
}

/* What is left of nodes beside pods that hold no GPUs. Of a watch nobody says when. */
static void sides_join(struct finish *w)
{
	struct map node_of = MAP_NULL;
	struct kube_row r;
	for (size_t i = 0; i < w->f->nodes.n; i++)
		*map_at(&node_of, w->f->nodes.v[i].id) = (uint32_t)i + 1;
	for (size_t i = 0; !w->is_watch && kube_row_get(w->f, i, &r); i++) {
		const uint32_t *at = r.kind == KUBE_SIDE ? map_get(&node_of, r.id) : NULL;
		if (!at)
			continue;
		take(&w->f->nodes.v[*at - 1].cpu_milli, r.number);
		take(&w->f->nodes.v[*at - 1].memory_mib, r.time_ms);
	}
	map_deinit(&node_of);
}

void kube_join_rows(struct finish *w)
{
	struct join j = { .w = w };
	struct kube_row r;
	struct held *held = mem_alloc(mem_times(w->f->jobs.n, sizeof *held));
	chain_jobs(&j);
	for (size_t i = 0; kube_row_get(w->f, i, &r); i++) {
		if (r.kind == KUBE_CLAIM)
			*map_at(&j.claim_of, r.id) = (uint32_t)i + 1;
		else if (r.kind == KUBE_END_OF)
			end_as(&j, &r);
		else if (r.kind == KUBE_WAIT_OF)
			wait_as(&j, &r);
	}
	claims_settle(&j, held);
	nodes_join(w);
	sides_join(w);
	mem_free(held);
	mem_free(j.next);
	map_deinit(&j.job_of);
	map_deinit(&j.claim_of);
	map_deinit(&j.used);
}
