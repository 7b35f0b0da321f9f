/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job: jobs and allocations between the form that is kept (small: there are very many) and the form
 * that has everything side by side (for documents and for readers that are not in a hurry).
 */
#include <string.h>

#include "facts/facts.h"

/* Ids are told apart by their bytes, NULs too, so each has its length in front: seven bits a byte,
   low ones first, the last byte below 128. */
static uint32_t id_put(struct facts *f, struct str id)
{
	size_t at = f->ids.n, n = id.n;
	if (at > UINT32_MAX || f->jobs.n > UINT32_MAX)
		mem_exhausted(SIZE_MAX); /* what numbers them has 32 bits: 400 million jobs */
	vec_reserve(&f->ids, id.n + 1 + sizeof n * 8 / 7 + 1);
	for (; n >= 128; n >>= 7)
		f->ids.v[f->ids.n++] = (char)(n | 128);
	f->ids.v[f->ids.n++] = (char)n;
	if (id.n)
		memcpy(f->ids.v + f->ids.n, id.p, id.n);
	f->ids.n += id.n;
	f->ids.v[f->ids.n++] = '\0';
	return (uint32_t)at;
}

struct str job_id(const struct facts *f, const struct job *j)
{
	const char *p = f->ids.v + j->id_at;
	size_t n = (size_t)*p & 127;
	for (unsigned shift = 7; *p & 128; shift += 7)
		n |= ((size_t) * ++p & 127) << shift;
	return (struct str){ p + 1, n };
}

struct job *facts_job(struct facts *f, struct str id)
{
	struct job *j = vec_push(&f->jobs);
	j->submit_ms = j->eligible_ms = j->start_ms = j->end_ms = TIME_UNKNOWN;
	j->gpus = j->requested = COUNT_UNKNOWN;
	j->id_at = id_put(f, id);
	return j;
}

void job_set_traits(struct facts *f, struct job *j, const struct job_traits *t)
{
	j->traits = traits_add(&f->traits, t);
}

int64_t job_priority(const struct facts *f, const struct job *j)
{
	return j->priority == PRIORITY_WIDE ? job_traits(f, j).priority : j->priority;
}

void job_set_priority(struct facts *f, struct job *j, int64_t priority)
{
	struct job_traits t = job_traits(f, j);
	bool is_wide = priority <= PRIORITY_WIDE || priority > INT32_MAX;
	j->priority = is_wide ? PRIORITY_WIDE : (int32_t)priority;
	if (is_wide || t.priority) {
		t.priority = is_wide ? priority : 0;
		job_set_traits(f, j, &t);
	}
}

struct job_entry job_entry_unknown(void)
{
	return (struct job_entry){ .submit_ms = TIME_UNKNOWN,
		                   .eligible_ms = TIME_UNKNOWN,
		                   .start_ms = TIME_UNKNOWN,
		                   .end_ms = TIME_UNKNOWN,
		                   .gpus = COUNT_UNKNOWN,
		                   .requested = COUNT_UNKNOWN,
		                   .per_node = COUNT_UNKNOWN,
		                   .cpus = COUNT_UNKNOWN,
		                   .node_count = COUNT_UNKNOWN,
		                   .restarts = COUNT_UNKNOWN,
		                   .cpu_milli = -1,
		                   .memory_mib = -1,
		                   .share_num = 1,
		                   .share_den = 1 };
}

struct job_entry job_entry_of(const struct facts *f, const struct job *j)
{
	const struct job_traits t = job_traits(f, j);
	return (struct job_entry){
		.id = job_id(f, j),
		.run = t.run,
		.user = t.user,
		.team = t.team,
		.queue = t.queue,
		.cluster = t.cluster,
		.name = j->name,
		.node_names = j->node_names,
		.reason = t.reason,
		.submit_ms = j->submit_ms,
		.eligible_ms = j->eligible_ms,
		.start_ms = j->start_ms,
		.end_ms = j->end_ms,
		.priority = job_priority(f, j),
		.gpus = j->gpus,
		.requested = j->requested,
		.per_node = t.per_node,
		.cpus = t.cpus,
		.node_count = t.node_count,
		.restarts = t.restarts,
		.cpu_milli = t.cpu_milli,
		.memory_mib = t.memory_mib,
		.share_num = t.share_den ? t.share_num : 1,
		.share_den = t.share_den ? t.share_den : 1,
		.models_at = t.models.at,
		.models_n = t.models.n,
		.pools_at = t.pools.at,
		.pools_n = t.pools.n,
		.labels_at = t.labels.at,
		.labels_n = t.labels.n,
		.outcome = j->outcome,
		.kind = j->kind,
		.is_policy = j->is_policy,
		.is_slurm = j->is_slurm,
		.is_seen = j->is_seen,
		.is_pod = j->is_pod,
		.kind_known = j->kind_known,
	};
}

static struct word_list list_put(struct facts *f, uint32_t at, uint32_t n, uint32_t width)
{
	struct word_list l = traits_list(&f->traits, n ? f->syms.v + at : NULL, n * width);
	l.n = n;
	return l;
}

void job_set(struct facts *f, struct job *j, const struct job_entry *e)
{
	bool has_share = e->share_num != e->share_den;
	const struct job_traits t = { .run = e->run,
		                      .user = e->user,
		                      .team = e->team,
		                      .queue = e->queue,
		                      .cluster = e->cluster,
		                      .reason = e->reason,
		                      .models = list_put(f, e->models_at, e->models_n, 1),
		                      .pools = list_put(f, e->pools_at, e->pools_n, 1),
		                      .labels = list_put(f, e->labels_at, e->labels_n, 2),
		                      .per_node = e->per_node,
		                      .cpus = e->cpus,
		                      .node_count = e->node_count,
		                      .restarts = e->restarts,
		                      .cpu_milli = e->cpu_milli,
		                      .memory_mib = e->memory_mib,
		                      .share_num = has_share ? e->share_num : 0,
		                      .share_den = has_share ? e->share_den : 0 };
	*j = (struct job){ .submit_ms = e->submit_ms,
		           .eligible_ms = e->eligible_ms,
		           .start_ms = e->start_ms,
		           .end_ms = e->end_ms,
		           .gpus = e->gpus,
		           .requested = e->requested,
		           .id_at = j->id_at,
		           .name = e->name,
		           .node_names = e->node_names,
		           .outcome = e->outcome,
		           .kind = e->kind,
		           .is_policy = e->is_policy,
		           .is_slurm = e->is_slurm,
		           .is_seen = e->is_seen,
		           .is_pod = e->is_pod,
		           .kind_known = e->kind_known };
	job_set_traits(f, j, &t);
	job_set_priority(f, j, e->priority);
}

uint32_t facts_add_job(struct facts *f, const struct job_entry *e)
{
	job_set(f, facts_job(f, e->id), e);
	return (uint32_t)f->jobs.n - 1;
}

static const struct portion whole = { 1, 1, TIME_UNKNOWN, TIME_UNKNOWN };

const struct portion *allocation_portion(const struct facts *f, const struct allocation *a)
{
	return a->portion ? &f->portions.v[a->portion - 1] : &whole;
}

struct allocation_entry allocation_entry_of(const struct facts *f, const struct allocation *a)
{
	const struct portion *p = allocation_portion(f, a);
	return (struct allocation_entry){ .job = a->job,
		                          .on = (enum claim_on)a->on,
		                          .place = a->place,
		                          .model = a->model,
		                          .count = a->count,
		                          .share_num = p->share_num,
		                          .share_den = p->share_den,
		                          .from_ms = p->from_ms,
		                          .to_ms = p->to_ms };
}

static bool is_portion(const struct portion *a, const struct portion *b)
{
	return a->share_num == b->share_num && a->share_den == b->share_den &&
	       a->from_ms == b->from_ms && a->to_ms == b->to_ms;
}

static void portion_add(struct facts *f, const struct portion *p)
{
	if (f->portions.n >= PORTIONS_MAX)
		mem_exhausted(SIZE_MAX); /* what numbers them has 29 bits */
	*vec_push(&f->portions) = *p;
}

/* Its portion is the newest one, or all of it. */
static void allocation_add(struct facts *f, const struct allocation_entry *e, bool is_whole)
{
	*vec_push(&f->allocations) =
	        (struct allocation){ .job = e->job,
		                     .place = e->place,
		                     .model = e->model,
		                     .count = e->count,
		                     .portion = is_whole ? 0 : f->portions.n & PORTIONS_MAX,
		                     .on = e->on & 7u };
}

void facts_add_allocation(struct facts *f, const struct allocation_entry *e)
{
	const struct portion p = { e->share_num, e->share_den, e->from_ms, e->to_ms };
	bool is_whole = is_portion(&p, &whole);
	bool is_next = f->portions.n && is_portion(&p, &f->portions.v[f->portions.n - 1]);
	if (!is_whole && !is_next) /* shares come in rows of the same */
		portion_add(f, &p);
	allocation_add(f, e, is_whole);
}

void facts_add_own(struct facts *f, const struct allocation_entry *e)
{
	const struct portion p = { e->share_num, e->share_den, e->from_ms, e->to_ms };
	portion_add(f, &p);
	allocation_add(f, e, false);
}
