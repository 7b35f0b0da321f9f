/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dump.h"

#include <inttypes.h>

static void word(struct text *t, const struct facts *f, sym id)
{
	text_byte(t, ' ');
	text_json(t, names_word(&f->names, id));
}

static void number(struct text *t, int64_t v)
{
	if (v == TIME_UNKNOWN || v == (int64_t)COUNT_UNKNOWN)
		text_add(t, S(" ?"));
	else
		text_printf(t, " %" PRId64, v);
}

static void words_of(struct text *t, const struct facts *f, const sym *v, uint32_t n)
{
	text_add(t, S(" ["));
	for (uint32_t i = 0; i < n; i++)
		word(t, f, v[i]);
	text_add(t, S(" ]"));
}

static void words(struct text *t, const struct facts *f, uint32_t at, uint32_t n)
{
	words_of(t, f, f->syms.v + at, n);
}

static void spans(struct text *t, const struct facts *f, uint32_t at, uint32_t n)
{
	text_add(t, S(" ["));
	for (uint32_t i = 0; i < n; i++)
		number(t, f->spans.v[at + i].from_ms), number(t, f->spans.v[at + i].to_ms);
	text_add(t, S(" ]"));
}

#define EACH(vec) for (size_t i = 0; i < f->vec.n; i++)
#define W(x) word(t, f, x)
#define N(x) number(t, (int64_t)(x))

static void dump_places(struct text *t, const struct facts *f)
{
	EACH(devices)
	{
		const struct device *d = &f->devices.v[i];
		text_add(t, S("\ndevice")), W(d->id), W(d->node), W(d->model), N(d->slices),
		        N(d->mig);
	}
	EACH(instances)
	{
		const struct instance *d = &f->instances.v[i];
		text_add(t, S("\ninstance")), W(d->id), W(d->device), N(d->slices);
	}
	EACH(capacity)
	{
		const struct capacity *c = &f->capacity.v[i];
		text_add(t, S("\ncapacity")), W(c->device), W(c->pool), W(c->node), W(c->model),
		        W(c->source), N(c->count), N(c->from_ms), N(c->to_ms), N(c->at_ms),
		        N(c->state), N(c->gone), N(c->is_unseen), N(c->is_snapshot);
	}
	EACH(scheduler)
	{
		text_add(t, S("\nscheduler")), N(f->scheduler.v[i].from_ms),
		        N(f->scheduler.v[i].to_ms);
	}
	EACH(nodes)
	{
		const struct node *n = &f->nodes.v[i];
		text_add(t, S("\nnode")), W(n->id), W(n->model), W(n->partition), N(n->gpus),
		        N(n->cpus), N(n->cpu_milli), N(n->memory_mib),
		        spans(t, f, n->exhausted_at, n->exhausted_n);
	}
}

static void dump_jobs(struct text *t, const struct facts *f)
{
	EACH(jobs)
	{
		const struct job_entry e = job_entry_of(f, &f->jobs.v[i]), *j = &e;
		const sym *lists = f->traits.lists.v;
		text_add(t, S("\njob ")), text_json(t, j->id), W(j->run), W(j->user), W(j->team),
		        W(j->queue), W(j->cluster), W(j->name), W(j->node_names), W(j->reason),
		        N(j->submit_ms), N(j->eligible_ms), N(j->start_ms), N(j->end_ms),
		        N(j->priority), N(j->gpus), N(j->requested), N(j->per_node), N(j->cpus),
		        N(j->cpu_milli), N(j->memory_mib), N(j->node_count), N(j->restarts);
		words_of(t, f, j->models_n ? lists + j->models_at : NULL, j->models_n);
		words_of(t, f, j->pools_n ? lists + j->pools_at : NULL, j->pools_n);
		words_of(t, f, j->labels_n ? lists + j->labels_at : NULL, j->labels_n * 2);
		N(j->outcome), N(j->kind), N(j->is_policy), N(j->is_slurm), N(j->kind_known);
	}
	EACH(allocations)
	{
		const struct allocation_entry e = allocation_entry_of(f, &f->allocations.v[i]);
		const struct allocation_entry *a = &e;
		text_add(t, S("\nallocation ")), text_json(t, job_id(f, &f->jobs.v[a->job])),
		        N(a->job), N(a->on), W(a->place), W(a->model), N(a->count), N(a->share_num),
		        N(a->share_den), N(a->from_ms), N(a->to_ms);
	}
}

static void dump_series(struct text *t, const struct facts *f)
{
	EACH(samples)
	{
		const struct sample *s = &f->samples.v[i];
		text_add(t, S("\nsample")), W(s->device), N(s->t_ms), N(s->period_ms), N(s->kind),
		        N(s->procs_why), words(t, f, s->procs_at, s->procs_n);
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			if (s->known >> m & 1)
				N(m), N(s->v[m]);
			else if (s->why[m] != WHY_ABSENT)
				text_printf(t, " %u:why%u", m, s->why[m]);
	}
	EACH(progress)
	{
		const struct progress *p = &f->progress.v[i];
		text_add(t, S("\nprogress")), W(p->job), N(p->t_ms), N(p->to_ms), N(p->step),
		        N(p->type);
	}
	EACH(services)
	{
		const struct service *s = &f->services.v[i];
		text_add(t, S("\nservice")), W(s->job), N(s->from_ms), N(s->to_ms), N(s->ok),
		        N(s->bad), N(s->tokens_ok), N(s->tokens_bad), N(s->running);
	}
	EACH(totals)
	{
		const struct total *s = &f->totals.v[i];
		text_add(t, S("\ntotal")), W(s->pool), W(s->source), W(s->cluster), N(s->from_ms),
		        N(s->to_ms), N(s->gpus), N(s->running), N(s->pending), N(s->idle),
		        N(s->gpu_jobs_pending);
	}
}

static void dump_money(struct text *t, const struct facts *f)
{
	EACH(prices)
	{
		const struct price *p = &f->prices.v[i];
		text_add(t, S("\nprice")), W(p->model), W(p->node), W(p->pool), N(p->from_ms),
		        N(p->to_ms), N(p->num), N(p->den), W(p->currency), N(p->basis),
		        W(p->source), N(p->line);
	}
	EACH(other_costs)
	{
		const struct other_cost *c = &f->other_costs.v[i];
		text_add(t, S("\nother_cost")), W(c->what), W(c->currency), N(c->from_ms),
		        N(c->to_ms), N(c->num), N(c->den), N(c->is_credit);
	}
	EACH(reserves)
	{
		const struct reserve *r = &f->reserves.v[i];
		text_add(t, S("\nreserve")), W(r->model), W(r->pool), W(r->name), N(r->gpus),
		        N(r->from_ms), N(r->to_ms), N(r->is_reservation),
		        words(t, f, r->jobs_at, r->jobs_n);
	}
	EACH(headrooms)
	text_add(t, S("\nheadroom")), W(f->headrooms.v[i].job), N(f->headrooms.v[i].gpus);
}

static void dump_reading(struct text *t, const struct facts *f)
{
	EACH(rejects)
	{
		const struct reject *r = &f->rejects.v[i];
		text_add(t, S("\nreject")), W(r->input), W(r->reason), N(r->line), N(r->count);
	}
	EACH(inputs)
	{
		const struct input_info *in = &f->inputs.v[i];
		text_add(t, S("\ninput")), W(in->name), W(in->format), N(in->records),
		        N(in->rejected), N(in->partial);
	}
	EACH(notes)
	text_add(t, S("\nnote")), W(f->notes.v[i].text), N(f->notes.v[i].count);
	text_add(t, S("\nsaid")), N(f->window.from_ms), N(f->window.to_ms), N(f->as_of_ms),
	        N(f->has_scheduler), N(f->has_policy), N(f->options.setup_max_ms),
	        N(f->options.skew_ms), N(f->options.kept_saved);
	for (int i = 0; i < FATE_COUNT; i++)
		N(f->options.count[i]);
	text_byte(t, '\n');
}

void dump_facts(struct text *t, const struct facts *f)
{
	dump_places(t, f);
	dump_jobs(t, f);
	dump_series(t, f);
	dump_money(t, f);
	dump_reading(t, f);
}
