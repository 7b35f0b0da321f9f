/* SPDX-License-Identifier: Apache-2.0 */
#include "account/carry.h"

#include "account/meter.h"
#include "account/setup.h"

void carry_deinit(struct carry *c)
{
	vec_deinit(&c->setups), vec_deinit(&c->energies);
	vec_deinit(&c->setups_after), vec_deinit(&c->asks);
}

void carry_setup(const struct meter *m, struct setup_group *g)
{
	for (size_t i = 0; m->carry && i < m->carry->setups.n; i++) {
		const struct carried_setup *s = &m->carry->setups.v[i];
		if (s->job != g->job || s->place != g->place || s->is_node != g->is_node ||
		    s->exists_ms != g->exists_ms)
			continue;
		g->is_heard |= s->is_heard;
		g->is_started |= s->end_ms != INT64_MAX;
		if (s->end_ms < g->end_ms)
			g->end_ms = s->end_ms;
	}
}

void carry_keep_setup(struct meter *m, const struct setup_group *g)
{
	if (m->carry)
		*vec_push(&m->carry->setups_after) =
		        (struct carried_setup){ .job = g->job,
			                        .place = g->place,
			                        .exists_ms = g->exists_ms,
			                        .is_node = g->is_node,
			                        .is_heard = g->is_heard,
			                        .end_ms = g->end_ms };
}

const struct carried_energy *carry_energy(const struct meter *m, sym device)
{
	for (size_t i = 0; m->carry && i < m->carry->energies.n; i++)
		if (m->carry->energies.v[i].device == device)
			return &m->carry->energies.v[i];
	return NULL;
}

void carry_keep_energy(struct meter *m, const struct slot *s)
{
	for (size_t i = 0; m->carry && i < m->carry->asks.n; i++) {
		struct carried_energy *ask = &m->carry->asks.v[i];
		if (ask->device != s->device)
			continue;
		const struct carried_energy *before = carry_energy(m, s->device);
		ask->half_microjoules = before ? before->half_microjoules : 0;
		for (uint32_t k = 0; k < s->draws_n; k++) {
			const struct draw_span *d = &m->draw_spans.v[s->draws_at + k];
			if (d->to_ms <= ask->at_ms)
				ask->half_microjoules = d->before + d->half_microjoules;
		}
	}
}
