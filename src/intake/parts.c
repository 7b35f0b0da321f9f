/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/parts.h"

#include "facts/facts.h"

struct part {
	int64_t num, den;
};

/* By node: 1 + its newest entry that counts parts. */
static bool find_parts(const struct facts *f, struct map *of)
{
	bool any = false;
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct node *n = &f->nodes.v[i];
		uint32_t *at = map_at(of, n->id);
		*at = n->part_den ? (uint32_t)i + 1 : 0;
		any |= n->part_den > 0;
	}
	return any;
}

/* The part that every node with GPUs counts; 1/1: they differ, or count devices. */
static struct part part_of_all(const struct facts *f)
{
	struct part p = { 0, 0 };
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct node *n = &f->nodes.v[i];
		if (!n->gpus || n->gpus == COUNT_UNKNOWN)
			continue;
		if (!n->part_den || (p.den && (p.num != n->part_num || p.den != n->part_den)))
			return (struct part){ 1, 1 };
		p = (struct part){ n->part_num, n->part_den };
	}
	return p.den ? p : (struct part){ 1, 1 };
}

/* A pod that waits for devices gets what all nodes count as one. */
static void give_waiting(struct facts *f)
{
	struct part p = part_of_all(f);
	for (size_t i = 0; p.den > p.num && i < f->jobs.n; i++) {
		struct job *j = &f->jobs.v[i];
		struct job_traits t = job_traits(f, j);
		if (!j->is_pod || j->start_ms != TIME_UNKNOWN || t.share_den)
			continue;
		t.share_num = p.num;
		t.share_den = p.den;
		job_set_traits(f, j, &t);
	}
}

/* Claims whose share is not known hold nothing that could be counted. */
static void drop_unknown(struct facts *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *a = &f->allocations.v[i];
		if (!f->jobs.v[a->job].is_pod || allocation_portion(f, a)->share_num > 0) {
			f->allocations.v[n++] = *a;
			continue;
		}
		f->jobs.v[a->job].gpus = COUNT_UNKNOWN;
		facts_note(f, "Pods hold replicas of GPUs or instances whose share is not known: "
		              "the list of nodes tells it (nvidia.com/gpu.replicas).");
	}
	f->allocations.n = n;
}

void parts_join(struct facts *f)
{
	struct map of = MAP_NULL;
	bool any = find_parts(f, &of);
	if (any)
		give_waiting(f);
	for (size_t i = 0; any && i < f->allocations.n; i++) {
		struct allocation *a = &f->allocations.v[i];
		const uint32_t *at = a->on == CLAIM_NODE ? map_get(&of, a->place) : NULL;
		if (!at || !*at || !f->jobs.v[a->job].is_pod)
			continue;
		const struct node *n = &f->nodes.v[*at - 1];
		struct allocation_entry e = allocation_entry_of(f, a);
		if (e.share_num != e.share_den && e.share_num) /* it has a share of its own */
			continue;
		e.share_num = n->part_num;
		e.share_den = n->part_den;
		size_t last = f->allocations.n;
		facts_add_allocation(f, &e);
		f->allocations.v[i] = f->allocations.v[last];
		f->allocations.n = last;
		if (f->jobs.v[e.job].gpus == COUNT_UNKNOWN)
			f->jobs.v[e.job].gpus = e.count;
	}
	for (size_t i = 0; i < f->nodes.n; i++)
		f->nodes.v[i].part_num = f->nodes.v[i].part_den = 0;
	drop_unknown(f);
	map_deinit(&of);
}
