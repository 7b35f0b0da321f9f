/* SPDX-License-Identifier: Apache-2.0 */
#include "account/census.h"

/* Adds KEY to a set; true if it was not there. */
static bool is_new(struct map *set, uint64_t key)
{
	uint32_t *seen = map_at(set, key);
	bool first = !*seen;
	*seen = 1;
	return first;
}

static void count_model(struct census *c, struct map *models, sym model)
{
	c->models += model && is_new(models, model);
}

/* Nodes as they are listed, each once; GPUs of a node that nobody listed are counted by device or
 * pool. */
static void count_machines(const struct facts *f, struct census *c)
{
	struct map nodes = MAP_NULL, gpu_nodes = MAP_NULL, devices = MAP_NULL, models = MAP_NULL;
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct node *n = &f->nodes.v[i];
		bool has_gpus = n->gpus && n->gpus != COUNT_UNKNOWN;
		c->nodes += is_new(&nodes, n->id);
		if (!has_gpus || !is_new(&gpu_nodes, n->id))
			continue;
		c->gpu_nodes++;
		c->gpus += n->gpus;
		count_model(c, &models, n->model);
	}
	for (size_t i = 0; i < f->devices.n; i++) {
		const struct device *d = &f->devices.v[i];
		if (!is_new(&devices, d->id) || (d->node && map_get(&gpu_nodes, d->node)))
			continue;
		c->gpus++;
		c->nodes += d->node && is_new(&nodes, d->node);
		count_model(c, &models, d->model);
	}
	struct map device_nodes = MAP_NULL;
	for (size_t i = 0; i < f->devices.n; i++) {
		sym node = f->devices.v[i].node;
		c->gpu_nodes += node && !map_get(&gpu_nodes, node) && is_new(&device_nodes, node);
	}
	map_deinit(&nodes), map_deinit(&gpu_nodes), map_deinit(&devices), map_deinit(&models);
	map_deinit(&device_nodes);
}

static bool wants_gpus(const struct job *j)
{
	return (j->gpus && j->gpus != COUNT_UNKNOWN) ||
	       (j->requested && j->requested != COUNT_UNKNOWN);
}

static void count_jobs(const struct facts *f, struct census *c)
{
	struct map services = MAP_NULL, holders = MAP_NULL;
	c->jobs = f->jobs.n;
	for (size_t i = 0; i < f->allocations.n; i++)
		if (!wants_gpus(&f->jobs.v[f->allocations.v[i].job]))
			*map_at(&holders, f->allocations.v[i].job) = 1;
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		bool holds = wants_gpus(j) || map_get(&holders, i);
		c->gpu_jobs += holds;
		c->untold_jobs +=
		        !holds && j->gpus == COUNT_UNKNOWN && j->requested == COUNT_UNKNOWN;
		c->waiting_jobs += j->start_ms == TIME_UNKNOWN && j->outcome == OUTCOME_WAITING;
		c->services += j->kind == KIND_SERVICE && j->name && is_new(&services, j->name);
	}
	map_deinit(&services), map_deinit(&holders);
}

struct census census_count(const struct facts *f)
{
	struct census c = { 0 };
	count_machines(f, &c);
	count_jobs(f, &c);
	return c;
}
