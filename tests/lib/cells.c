/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/cells.h"

#include <assert.h>

enum { HOUR_MS = 3600000 };

void cells_begin(struct cells *c)
{
	*c = (struct cells){ 0 };
	facts_init(&c->f);
	c->l.window = (struct span){ 0, 2 * HOUR_MS };
	c->l.as_of_ms = 2 * HOUR_MS;
	c->l.has_capacity = c->l.has_scheduler = c->l.has_queue = c->l.has_samples = true;
	c->l.run_of = c->run_of;
	c->l.outcome_of = c->outcome_of;
	for (int i = 0; i < 2; i++)
		*vec_push(&c->l.buckets) = (struct span){ i * HOUR_MS, (i + 1) * HOUR_MS };
}

void cells_end(struct cells *c)
{
	ledger_deinit(&c->l);
	facts_deinit(&c->f);
	arena_deinit(&c->a);
}

uint32_t cells_place(struct cells *c, const char *model)
{
	*vec_push(&c->l.places) =
	        (struct place){ .model = facts_word(&c->f, str_of(model)), .has_capacity = true };
	return (uint32_t)c->l.places.n - 1;
}

uint32_t cells_job(struct cells *c, const char *id, enum outcome outcome)
{
	uint32_t at = (uint32_t)c->f.jobs.n;
	assert(at < sizeof c->run_of / sizeof *c->run_of);
	struct job *j = facts_job(&c->f, str_of(id));
	j->outcome = (uint8_t)outcome;
	j->gpus = 1;
	j->submit_ms = j->eligible_ms = j->start_ms = 0;
	j->end_ms = outcome == OUTCOME_RUNNING ? TIME_UNKNOWN : HOUR_MS;
	c->run_of[at] = at;
	c->outcome_of[at] = (uint8_t)outcome;
	return at;
}

struct cell *cells_add(struct cells *c, uint32_t place, uint32_t job, uint32_t bucket,
                       enum state state, enum fate fate, int64_t units)
{
	struct cell *cell = vec_push(&c->l.cells);
	*cell = (struct cell){ .place = place,
		               .job = job,
		               .bucket = bucket,
		               .state = (uint8_t)state,
		               .fate = (uint8_t)fate,
		               .maybe_productive = fate == FATE_PRODUCTIVE,
		               .is_successful = fate == FATE_PRODUCTIVE,
		               .units = units };
	c->l.paid_units += units;
	return cell;
}

struct price *cells_price(struct cells *c, const char *model, int64_t num, int64_t den)
{
	struct price *p = vec_push(&c->f.prices);
	*p = (struct price){ .model = facts_word(&c->f, str_of(model)),
		             .from_ms = TIME_UNKNOWN,
		             .to_ms = TIME_UNKNOWN,
		             .num = num,
		             .den = den,
		             .currency = facts_word(&c->f, S("USD")) };
	return p;
}
