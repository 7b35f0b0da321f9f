/* SPDX-License-Identifier: Apache-2.0 */
#include "account/ledger.h"

#include "account/meter.h"
#include "account/ignore.h"
#include "account/mixed.h"

const char *const mark_names[MARK_COUNT] = { "retry", "unrequested", "hang", "never_started" };

static void total_passes(struct meter *m, const struct total *t, bool is_wanted)
{
	int64_t from_ms = t->from_ms > m->window.from_ms ? t->from_ms : m->window.from_ms;
	int64_t to_ms = t->to_ms < m->window.to_ms ? t->to_ms : m->window.to_ms;
	if (from_ms >= to_ms || t->pending == COUNT_UNKNOWN)
		return;
	m->out->queue_ms += to_ms - from_ms;
	m->out->wanted_ms += is_wanted ? to_ms - from_ms : 0;
}

/* Counts that somebody else already added up become cells of their pool (ledger.md 1 "total"). */
static void totals_add(struct meter *m)
{
	for (size_t i = 0; i < m->f->totals.n; i++) {
		const struct total *t = &m->f->totals.v[i];
		if (t->gpus == COUNT_UNKNOWN || t->running == COUNT_UNKNOWN ||
		    t->running > t->gpus || t->from_ms >= t->to_ms)
			continue;
		if (!i || t->pool != m->f->totals.v[i - 1].pool ||
		    t->source != m->f->totals.v[i - 1].source || !m->total_place_known)
			m->total_place = meter_place(m, (struct place){ .pool = t->pool,
			                                                .source = t->source,
			                                                .cluster = t->cluster,
			                                                .has_capacity = true });
		m->total_place_known = true;
		m->out->has_capacity = m->has_totals = true;
		int64_t free = (int64_t)t->gpus - t->running;
		int64_t wanted = t->pending == COUNT_UNKNOWN ? 0 : t->pending;
		int64_t blocked = wanted < free ? wanted : free;
		m->out->has_queue |= t->pending != COUNT_UNKNOWN;
		total_passes(m, t, blocked > 0);
		struct cell key = { .place = m->total_place,
			            .job = NONE,
			            .state = STATE_UNOBSERVED,
			            .fate = FATE_UNJUDGED,
			            .evidence = EVIDENCE_NONE,
			            .maybe_productive = true };
		cell_add(m, &key, t->from_ms, t->to_ms, (int64_t)t->running * GRID);
		cell_plain(m, m->total_place, STATE_FREE_BLOCKED, t->from_ms, t->to_ms,
		           blocked * GRID);
		cell_plain(m, m->total_place, STATE_FREE_IDLE, t->from_ms, t->to_ms,
		           (free - blocked) * GRID);
		cells_pay(m, t->from_ms, t->to_ms, (int64_t)t->gpus * GRID);
	}
}

/* B.9 */
static bool free_is_null(const struct meter *m)
{
	if (m->has_totals)
		return false;
	for (size_t i = 0; i < m->slots.n; i++)
		if (m->slots.v[i].has_capacity)
			return false;
	for (size_t i = 0; i < m->pools.n; i++)
		if (!m->pools.v[i].pays_allocations)
			return false;
	return true;
}

static enum err_code identity(const struct meter *m, struct err *err)
{
	i128 sum = 0;
	const struct ledger *l = m->out;
	for (size_t i = 0; i < l->cells.n; i++)
		sum += l->cells.v[i].units;
	if (m->overflow)
		return err_set(err, ERR_IDENTITY,
		               "a sum left its range (the most is %lld units in a cell)",
		               (long long)INT64_MAX);
	if (sum != m->paid_units)
		return err_set(err, ERR_IDENTITY,
		               "the accounts add up to %.3f GPU-seconds, but %.3f were paid\n"
		               "hint: this is a bug; please report it with the inputs",
		               (double)sum / UNITS_PER_SECOND,
		               (double)m->paid_units / UNITS_PER_SECOND);
	return ERR_OK;
}

static void meter_deinit(struct meter *m)
{
	mem_free(m->before), mem_free(m->run_lives), mem_free(m->has_more);
	map_deinit(&m->job_of), map_deinit(&m->info_of), map_deinit(&m->slot_of);
	map_deinit(&m->pool_of), map_deinit(&m->mixed), map_deinit(&m->part_of),
	        map_deinit(&m->site_of), map_deinit(&m->anonymous);
	vec_deinit(&m->coverage), vec_deinit(&m->infos), vec_deinit(&m->lines);
	vec_deinit(&m->services), vec_deinit(&m->fate_spans), vec_deinit(&m->phases);
	vec_deinit(&m->slots), vec_deinit(&m->slot_caps), vec_deinit(&m->site_slots);
	vec_deinit(&m->sites), vec_deinit(&m->pools), vec_deinit(&m->pool_spans);
	vec_deinit(&m->claims), vec_deinit(&m->claim_sizes), vec_deinit(&m->mentions);
	vec_deinit(&m->unplaced), vec_deinit(&m->pieces);
	mem_free(m->rows), mem_free(m->glances);
	vec_deinit(&m->atoms), vec_deinit(&m->frees);
	vec_deinit(&m->draw_spans), vec_deinit(&m->draw_asks), vec_deinit(&m->draws);
}

static void outcomes_keep(struct meter *m)
{
	uint8_t *o = (uint8_t *)arena_bytes(m->a, m->f->jobs.n + 1);
	for (uint32_t i = 0; i < m->f->jobs.n; i++)
		o[i] = attempt_at(m, i).outcome;
	m->out->outcome_of = o;
	m->out->run_of = m->run_of;
}

enum err_code ledger_build(struct arena *a, const struct facts *f, const struct ledger_options *o,
                           struct ledger *ret_ledger, struct err *err)
{
	struct ledger l = { 0 };
	struct meter m = { .f = f, .carry = o->carry, .a = a, .out = &l };
	struct series_source *own = f->series ? NULL : series_of_samples(f);
	m.source = own ? own : f->series;
	m.cover = (struct span){ TIME_UNKNOWN, TIME_UNKNOWN };
	seen_init(&m, o);
	slot_build(&m);
	piece_build(&m);
	mixed_build(&m);
	capacity_build(&m);
	claim_build(&m);
	seen_window(&m, o);
	l.readings = ARENA_ARRAY(a, struct readings_of, METRIC_COUNT);
	l.concurrency_max = concurrency_most(&m);
	cells_init(&m, o);
	run_build(&m);
	phase_build(&m);
	fate_build(&m);
	settle_init(&m);
	site_meter(&m);
	drawn_rest(&m);
	pool_meter(&m);
	settle_end(&m);
	queue_meter(&m);
	drawn_answer(&m);
	totals_add(&m);
	cells_finish(&m);
	depth_finish(&m);
	l.window = m.has_time ? m.window : (struct span){ TIME_UNKNOWN, TIME_UNKNOWN };
	l.as_of_ms = m.has_time ? m.as_of_ms : TIME_UNKNOWN;
	l.paid_units = m.paid_units;
	l.has_scheduler = m.has_scheduler;
	l.free_is_null = free_is_null(&m);
	outcomes_keep(&m);
	enum err_code code = m.source->err.code;
	if (code)
		*err = m.source->err;
	else
		code = identity(&m, err);
	ignore_apply(&l, f);
	meter_deinit(&m);
	if (own)
		own->drop(own);
	*ret_ledger = l;
	return code;
}

void ledger_deinit(struct ledger *l)
{
	vec_deinit(&l->buckets), vec_deinit(&l->places), vec_deinit(&l->cells);
	vec_deinit(&l->unmets);
	vec_deinit(&l->drawn), vec_deinit(&l->vacancies), vec_deinit(&l->depths);
	*l = (struct ledger){ 0 };
}
