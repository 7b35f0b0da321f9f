/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/named.h"

#include <stdlib.h>

#include "facts/series.h"

#define NONE UINT32_MAX

/* Jobs of one id stand in a chain: records in the order of the facts, and one for what is named. */
struct by_id {
	uint32_t record, named;
};

struct named {
	struct facts *f;
	struct map id_of; /* by word: place in ids + 1 */
	VEC(struct by_id) ids;
	uint32_t *next; /* of records of one id; NONE: the last */
	uint32_t *to;   /* where a job goes on; NONE: it goes */
	bool has_slurm; /* records of Slurm's */
};

static struct by_id *ids_at(struct named *n, const struct job *j)
{
	uint32_t *at = map_at(&n->id_of, facts_word(n->f, job_id(n->f, j)));
	if (!*at) {
		*vec_push(&n->ids) = (struct by_id){ NONE, NONE };
		*at = (uint32_t)n->ids.n;
	}
	return &n->ids.v[*at - 1];
}

/* Of two inputs that name one job: from the first start to the last end. */
static void widen(struct job *to, const struct job *j)
{
	bool is_later = to->outcome != OUTCOME_RUNNING && j->outcome == OUTCOME_RUNNING &&
	                j->start_ms >= to->end_ms;
	bool is_earlier = to->outcome == OUTCOME_RUNNING && j->outcome != OUTCOME_RUNNING &&
	                  to->start_ms < j->end_ms && j->start_ms > to->start_ms;
	if (is_later || is_earlier)
		to->outcome = j->outcome;
	if (is_later || is_earlier || (j->end_ms != TIME_UNKNOWN && j->end_ms > to->end_ms))
		to->end_ms = j->end_ms;
	if (j->gpus == COUNT_UNKNOWN) /* parts of GPUs */
		to->gpus = COUNT_UNKNOWN;
	if (to->start_ms == TIME_UNKNOWN ||
	    (j->start_ms != TIME_UNKNOWN && j->start_ms < to->start_ms))
		to->start_ms = j->start_ms;
}

static void sort_out(struct named *n)
{
	struct facts *f = n->f;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		struct job *j = &f->jobs.v[i];
		struct by_id *ids = ids_at(n, j);
		n->to[i] = i;
		n->next[i] = NONE;
		n->has_slurm |= j->is_slurm && !j->is_seen;
		if (!j->is_seen) {
			n->next[i] = ids->record;
			ids->record = i;
		} else if (ids->named == NONE) {
			ids->named = i;
		} else {
			widen(&f->jobs.v[ids->named], j);
			n->to[i] = ids->named;
		}
	}
	for (size_t i = 0; i < n->ids.n; i++) {
		const struct by_id *ids = &n->ids.v[i];
		if (ids->named == NONE)
			continue;
		if (ids->record != NONE || (n->has_slurm && f->jobs.v[ids->named].is_slurm))
			n->to[ids->named] = NONE;
	}
}

static int hold_order(const void *x, const void *y)
{
	const struct allocation_entry *a = x, *b = y;
	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

/* The attempt that was running while A was held, from job I on along the record's chain; NONE: none
   was. */
static uint32_t attempt_of(const struct named *n, uint32_t i, const struct allocation_entry *a)
{
	for (; i != NONE; i = n->next[i]) {
		const struct job *j = &n->f->jobs.v[i];
		bool has_begun = j->start_ms != TIME_UNKNOWN && j->start_ms < a->to_ms;
		if (has_begun && (j->end_ms == TIME_UNKNOWN || j->outcome == OUTCOME_RUNNING ||
		                  a->from_ms < j->end_ms))
			return i;
	}
	return NONE;
}

struct holds {
	VEC(struct allocation_entry) v;
};

/* Takes the claims of what is named out of the facts: into SAME those of jobs that stay, into OTHER
   those of a record's attempts. */
static void part_holds(struct named *n, struct holds *same, struct holds *other)
{
	struct facts *f = n->f;
	size_t kept = 0;
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *one = &f->allocations.v[i];
		const struct job *j = &f->jobs.v[one->job];
		if (!j->is_seen) {
			f->allocations.v[kept++] = *one;
			continue;
		}
		struct allocation_entry a = allocation_entry_of(f, one);
		const struct by_id *ids = ids_at(n, j);
		bool stays = n->to[ids->named] != NONE;
		a.job = stays ? ids->named : attempt_of(n, ids->record, &a);
		if (stays)
			*vec_push(&same->v) = a;
		while (!stays && a.job != NONE) {
			*vec_push(&other->v) = a;
			if (!f->jobs.v[a.job].is_pod) /* a pod keeps its devices between attempts */
				break;
			a.job = attempt_of(n, n->next[a.job], &a);
		}
	}
	f->allocations.n = kept;
	vec_sort(&same->v, hold_order);
	vec_sort(&other->v, hold_order);
}

/* What overlaps or touches of one job and device is one. */
static void give_same(struct facts *f, struct holds *same)
{
	struct allocation_entry *v = same->v.v;
	size_t n = 0;
	for (size_t i = 0; i < same->v.n; i++) {
		struct allocation_entry *last = n ? &v[n - 1] : NULL;
		bool is_first = !last || last->job != v[i].job;
		bool is_new = is_first || last->place != v[i].place;
		struct job *j = &f->jobs.v[v[i].job];
		if (j->gpus != COUNT_UNKNOWN)
			j->gpus = (is_first ? 0 : j->gpus) + is_new;
		if (!is_new && last->to_ms >= v[i].from_ms)
			last->to_ms = v[i].to_ms > last->to_ms ? v[i].to_ms : last->to_ms;
		else
			v[n++] = v[i];
	}
	for (size_t i = 0; i < n; i++)
		facts_add_allocation(f, &v[i]);
}

/* What a record says of its attempt's GPUs. */
struct recorded {
	uint64_t count;
	bool has_more;                /* names them, or parts of them */
	int64_t share_num, share_den; /* of each: a pod's parts are alike; 0/0: nothing is said */
};

static struct recorded *recorded_of(const struct facts *f)
{
	struct recorded *r = mem_alloc(mem_times(f->jobs.n, sizeof *r));
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *a = &f->allocations.v[i];
		struct recorded *one = &r[a->job];
		const struct portion *p = allocation_portion(f, a);
		bool is_alike = !one->share_den ||
		                (one->share_num == p->share_num && one->share_den == p->share_den);
		one->count += a->count;
		one->has_more |= a->on == CLAIM_DEVICE || a->on == CLAIM_INSTANCE ||
		                 a->on == CLAIM_GPU ||
		                 (a->portion && !(f->jobs.v[a->job].is_pod && is_alike));
		one->share_num = p->share_num;
		one->share_den = p->share_den;
	}
	return r;
}

static size_t count_places(const struct allocation_entry *v, size_t n)
{
	size_t places = 0;
	for (size_t i = 0; i < n; i++)
		places += !i || v[i].place != v[i - 1].place;
	return places;
}

/* Names the devices of attempts where as many are named as their record has, and it names none. */
static void give_records(struct facts *f, const struct holds *other)
{
	struct recorded *r = recorded_of(f);
	const struct allocation_entry *v = other->v.v;
	size_t kept = 0;
	for (size_t i = 0, k; i < other->v.n; i = k) {
		struct recorded *one = &r[v[i].job];
		for (k = i; k < other->v.n && v[k].job == v[i].job;)
			k++;
		if (one->has_more || one->count != count_places(v + i, k - i))
			one->count = 0; /* its own claims stay */
		else
			one->has_more = true;
	}
	bool *is_given = mem_alloc(mem_times(f->jobs.n, sizeof *is_given));
	for (size_t i = 0; i < other->v.n; i++)
		is_given[v[i].job] = r[v[i].job].has_more && r[v[i].job].count;
	for (size_t i = 0; i < f->allocations.n; i++)
		if (!is_given[f->allocations.v[i].job])
			f->allocations.v[kept++] = f->allocations.v[i];
	f->allocations.n = kept;
	for (size_t i = 0; i < other->v.n; i++) {
		bool is_again = i && v[i].job == v[i - 1].job && v[i].place == v[i - 1].place;
		if (is_again || !is_given[v[i].job])
			continue;
		struct allocation_entry a = v[i];
		a.from_ms = a.to_ms = TIME_UNKNOWN; /* the attempt's own */
		if (a.on == CLAIM_DEVICE) {         /* an instance is a part by itself */
			a.share_num = r[a.job].share_num;
			a.share_den = r[a.job].share_den;
		}
		facts_add_allocation(f, &a);
	}
	mem_free(is_given);
	mem_free(r);
}

/* A job that was still running where one input ended has ended if a later one reads its devices,
   and none of them for it. HOLDS: of jobs that stay, by job and device, in time. */
static void end_jobs(struct facts *f, const struct holds *holds)
{
	const struct allocation_entry *v = holds->v.v;
	struct series_source *own = f->series ? NULL : series_of_samples(f);
	const struct series_source *source = own ? own : f->series;
	struct map series = MAP_NULL; /* of a device: place + 1 */
	for (size_t i = 0; i < source->n; i++)
		*map_at(&series, source->v[i].device) = (uint32_t)i + 1;
	for (size_t i = 0, k; i < holds->v.n; i = k) {
		struct job *j = &f->jobs.v[v[i].job];
		int64_t last_ms = v[i].to_ms;
		bool holds_on = false;
		for (k = i; k < holds->v.n && v[k].job == v[i].job; k++) {
			const uint32_t *at = map_get(&series, v[k].place);
			holds_on |= !at || source->v[*at - 1].hull.to_ms <= v[k].to_ms;
			last_ms = v[k].to_ms > last_ms ? v[k].to_ms : last_ms;
		}
		if (j->outcome != OUTCOME_RUNNING || holds_on)
			continue;
		j->outcome = OUTCOME_ENDED;
		j->end_ms = last_ms;
	}
	map_deinit(&series);
	if (own)
		own->drop(own);
}

static int capacity_order(const void *x, const void *y)
{
	const struct capacity *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

/* Between what one input read of a device and what the next one did nobody says whose it was; paid
   for it was. */
static void fill_capacity(struct facts *f)
{
	VEC(struct capacity) read = { 0 };
	sym source = names_find(&f->names, S("readings"));
	for (size_t i = 0; i < f->capacity.n; i++)
		if (source && f->capacity.v[i].source == source && f->capacity.v[i].device)
			*vec_push(&read) = f->capacity.v[i];
	vec_sort(&read, capacity_order);
	int64_t to_ms = 0;
	for (size_t i = 0; i < read.n; i++) {
		struct capacity c = read.v[i];
		bool is_first = !i || read.v[i - 1].device != c.device;
		if (!is_first && c.from_ms > to_ms) {
			struct capacity hole = c;
			hole.from_ms = to_ms;
			hole.to_ms = c.from_ms;
			hole.is_unseen = true;
			*vec_push(&f->capacity) = hole;
		}
		to_ms = is_first || c.to_ms > to_ms ? c.to_ms : to_ms;
	}
	vec_deinit(&read);
}

static void drop_jobs(struct named *n)
{
	struct facts *f = n->f;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->jobs.n; i++) {
		bool stays = n->to[i] == i;
		n->to[i] = kept;
		if (stays)
			f->jobs.v[kept++] = f->jobs.v[i];
	}
	for (size_t i = 0; i < f->allocations.n; i++)
		f->allocations.v[i].job = n->to[f->allocations.v[i].job];
	if (kept < f->jobs.n)
		facts_note(f, "Jobs that readings name and a scheduler's records or another input "
		              "list too were taken once.");
	f->jobs.n = kept;
}

void named_join(struct facts *f)
{
	struct named n = { .f = f };
	struct holds same = { { 0 } }, other = { { 0 } };
	bool any = false;
	for (size_t i = 0; i < f->jobs.n; i++)
		any |= f->jobs.v[i].is_seen;
	if (!any)
		return;
	n.next = mem_alloc(mem_times(f->jobs.n, sizeof *n.next));
	n.to = mem_alloc(mem_times(f->jobs.n, sizeof *n.to));
	sort_out(&n);
	part_holds(&n, &same, &other);
	give_records(f, &other); /* first: those of the records stand alone */
	give_same(f, &same);
	end_jobs(f, &same);
	fill_capacity(f);
	drop_jobs(&n);
	vec_deinit(&same.v);
	vec_deinit(&other.v);
	vec_deinit(&n.ids);
	map_deinit(&n.id_of);
	mem_free(n.next);
	mem_free(n.to);
}
