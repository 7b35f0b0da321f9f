/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue: what free time was lost to (ledger.md 4 rule 11, 9.14, 9.15; decisions H.3 to H.8).
 * Waiting jobs claim what is free of the kinds they accept, in queue order, booked per pool and
 * node shape, never on a chosen device.
 *
 * One sweep over time. At an event only the groups it touched, and those that the queue books, are
 * looked at; jobs that find nothing left of their kinds cost one comparison.
 */
#include <stdlib.h>

#include "account/queue.h"

static const enum state leaf_state[LEAF_COUNT] = { STATE_FREE_RESERVE,   STATE_FREE_STRANDED,
	                                           STATE_FREE_GANG,      STATE_FREE_POLICY,
	                                           STATE_FREE_SCHEDULER, STATE_FREE_BLOCKED,
	                                           STATE_FREE_IDLE };

static void touch(struct queue *q, uint32_t g)
{
	if (q->groups.v[g].is_touched)
		return;
	q->groups.v[g].is_touched = true;
	*vec_push(&q->touched) = g;
}

static void waiting_change(struct queue *q, uint32_t waiter, int by)
{
	size_t lo = 0, hi = q->waiting.n;
	const struct waiter *w = &q->waiters.v[waiter];
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (q->waiting.v[mid] < waiter)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (by > 0) {
		vec_reserve(&q->waiting, 1);
		memmove(q->waiting.v + lo + 1, q->waiting.v + lo,
		        (q->waiting.n - lo) * sizeof *q->waiting.v);
		q->waiting.v[lo] = waiter;
		q->waiting.n++;
	} else {
		q->waiting.n--;
		memmove(q->waiting.v + lo, q->waiting.v + lo + 1,
		        (q->waiting.n - lo) * sizeof *q->waiting.v);
	}
	if (w->model != NONE)
		q->unmet.v[w->model] += by * w->wants;
}

/* Where GROUP stands, or would stand, in a sorted list. */
static uint32_t place_in(const uint32_t *list, uint32_t n, uint32_t group)
{
	uint32_t lo = 0, hi = n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (list[mid] < group)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool kind_has(const struct kind *k, uint32_t group)
{
	uint32_t at = place_in(k->groups, k->groups_n, group);
	return at < k->groups_n && k->groups[at] == group;
}

/* A group that has something free is in the live list of every kind that it is of. In a busy
   cluster these are few. */
static void live_change(struct queue *q, uint32_t group, bool is_live)
{
	for (size_t i = 0; i < q->kinds.n; i++) {
		struct kind *k = &q->kinds.v[i];
		if (!kind_has(k, group))
			continue;
		uint32_t at = place_in(k->live, k->live_n, group);
		size_t behind = (k->live_n - at - !is_live) * sizeof *k->live;
		if (is_live) {
			memmove(k->live + at + 1, k->live + at, behind);
			k->live[at] = group;
			k->live_n++;
		} else {
			memmove(k->live + at, k->live + at + 1, behind);
			k->live_n--;
		}
	}
}

/* K.5: free slots in key order beside the accounts in their order; where they meet the account has
   those units of the slot's energy. A convention for sums: it accuses no device. */
static void group_draw(struct queue *q, struct group *g, int64_t t_ms)
{
	int leaf = 0;
	int64_t left = g->booked[0];
	for (size_t i = 0; i < g->on.n && g->drawn_ms < t_ms; i++) {
		const struct free_part *p = &q->m->frees.v[g->on.v[i]];
		for (int64_t units = p->units_per_ms; units;) {
			while (!left && ++leaf < LEAF_COUNT)
				left = g->booked[leaf];
			if (leaf >= LEAF_COUNT)
				break;
			int64_t part = units < left ? units : left;
			struct cell key = cell_nobody(g->place, leaf_state[leaf]);
			drawn_ask(q->m, p->slot, &key, g->drawn_ms, t_ms, part);
			units -= part;
			left -= part;
		}
	}
	g->drawn_ms = t_ms;
}

/* Keeps the list of a group's free parts, in key order of their slots. */
static void parts_change(struct queue *q, struct group *g, uint32_t part, int by, int64_t t_ms)
{
	const struct free_part *frees = q->m->frees.v;
	size_t at = 0;
	if (!q->m->has_energy || frees[part].slot == NONE)
		return;
	group_draw(q, g, t_ms);
	while (at < g->on.n &&
	       (by > 0 ? frees[g->on.v[at]].slot < frees[part].slot : g->on.v[at] != part))
		at++;
	if (by > 0) {
		(void)vec_push(&g->on);
		memmove(g->on.v + at + 1, g->on.v + at, (g->on.n - 1 - at) * sizeof *g->on.v);
		g->on.v[at] = part;
	} else if (at < g->on.n) {
		g->on.n--;
		memmove(g->on.v + at, g->on.v + at + 1, (g->on.n - at) * sizeof *g->on.v);
	}
}

static void free_change(struct queue *q, uint32_t part, int by, int64_t t_ms)
{
	const struct free_part *p = &q->m->frees.v[part];
	struct group *g = &q->groups.v[q->group_of_part[part]];
	parts_change(q, g, part, by, t_ms);
	bool was_live = g->left > 0;
	bool device = p->slot == NONE || q->m->slots.v[p->slot].kind == SLOT_DEVICE;
	g->left += by * p->units_per_ms;
	q->left += by * p->units_per_ms;
	g->device_units += device ? by * p->units_per_ms : 0;
	g->whole += p->is_whole ? (uint32_t)by : 0;
	g->spread += p->is_spread ? (uint32_t)by : 0;
	touch(q, q->group_of_part[part]);
	if (was_live != (g->left > 0))
		live_change(q, q->group_of_part[part], g->left > 0);
}

static void event_apply(struct queue *q, const struct event *e)
{
	switch (e->type) {
	case EVENT_FREE:
		free_change(q, e->what, e->by, e->t_ms);
		break;
	case EVENT_WAIT:
		waiting_change(q, e->what, e->by);
		break;
	case EVENT_RESERVE:
		q->reserves.v[e->what].is_on = e->by > 0;
		break;
	case EVENT_EXHAUSTED:
		q->groups.v[e->what].exhausted += (uint32_t)e->by;
		break;
	case EVENT_HELD: {
		const struct reserved *h = &q->held.v[e->what];
		const struct claim *c = &q->m->claims.v[h->group];
		int64_t units = claim_units(q->m, c);
		q->reserves.v[h->reserve].held += e->by * units;
		break;
	}
	case EVENT_TICK:
		break;
	}
}

/* Units of a group that nobody has taken in this instant. */
static int64_t group_left(const struct group *g)
{
	int64_t left = g->left;
	for (int i = 0; i < LEAF_IDLE; i++)
		left -= g->next[i];
	return left;
}

static int64_t take(struct queue *q, uint32_t group, enum leaf leaf, int64_t wants)
{
	struct group *g = &q->groups.v[group];
	int64_t left = group_left(g), part = wants < left ? wants : left;
	if (part <= 0)
		return 0;
	g->next[leaf] += part;
	touch(q, group);
	for (size_t i = 0; i < q->open.n; i++) {
		struct kind *k = &q->kinds.v[q->open.v[i]];
		if (kind_has(k, group))
			k->left -= part;
	}
	return part;
}

/* What is left of a kind: added up once an instant, then kept by take(). */
static int64_t kind_left(struct queue *q, uint32_t kind)
{
	struct kind *k = &q->kinds.v[kind];
	if (k->left_at == q->instant)
		return k->left;
	k->left_at = q->instant;
	k->left = 0;
	k->first = 0;
	for (uint32_t i = 0; i < k->live_n; i++)
		k->left += group_left(&q->groups.v[k->live[i]]);
	*vec_push(&q->open) = kind;
	return k->left;
}

static void reserves_take(struct queue *q)
{
	q->reserved.n = 0;
	for (uint32_t i = 0; i < q->reserves.n; i++) {
		const struct reserve_state *r = &q->reserves.v[i];
		const struct kind *k = &q->kinds.v[r->kind];
		int64_t wants = (int64_t)q->m->f->reserves.v[i].gpus * GRID - r->held;
		for (uint32_t g = 0; r->is_on && wants > 0 && g < k->live_n; g++) {
			int64_t part = take(q, k->live[g], LEAF_RESERVE, wants);
			wants -= part;
			if (part && q->m->f->reserves.v[i].is_reservation)
				*vec_push(&q->reserved) = (struct reserved){ i, k->live[g], part };
		}
	}
}

/* How often EACH devices of one node are free, before anybody took any. */
static int64_t count_shapes(const struct queue *q, struct kind *k, int64_t each)
{
	int64_t fits = 0;
	if (each < SHAPES_KEPT && k->fits_at[each] == q->instant)
		return k->fits[each];
	for (uint32_t i = 0; i < k->live_n; i++) {
		const struct group *g = &q->groups.v[k->live[i]];
		int64_t units = g->counted ? g->left : g->device_units;
		int64_t devices = g->counted || g->spread ? units / GRID : g->whole;
		if (!g->exhausted)
			fits += devices / each;
	}
	if (each < SHAPES_KEPT) {
		k->fits_at[each] = q->instant;
		k->fits[each] = fits;
	}
	return fits;
}

/* H.7: the true free devices of each node. */
static bool has_shape(const struct queue *q, struct kind *k, int64_t wants, uint32_t per_node)
{
	int64_t each = per_node == COUNT_UNKNOWN || !per_node ? 1 : per_node, per = each * GRID;
	return count_shapes(q, k, each) >= (wants + per - 1) / per;
}

/* What the reservation of an entitled job has set aside in groups it accepts becomes the job's. */
static int64_t take_reserved(struct queue *q, const struct waiter *w, enum leaf reason,
                             int64_t need)
{
	const struct facts *f = q->m->f;
	for (size_t i = 0; i < q->reserved.n && need > 0; i++) {
		struct reserved *r = &q->reserved.v[i];
		struct group *g = &q->groups.v[r->group];
		if (!queue_entitles(f, &f->reserves.v[r->reserve], &f->jobs.v[w->job]) ||
		    !queue_accepts(q, &q->kinds.v[w->kind], g))
			continue;
		int64_t part = need < r->units ? need : r->units;
		g->next[LEAF_RESERVE] -= part;
		g->next[g->counted ? LEAF_BLOCKED : reason] += part;
		r->units -= part;
		need -= part;
	}
	return need;
}

static int64_t left_for(struct queue *q, const struct waiter *w)
{
	const struct kind *k = &q->kinds.v[w->kind];
	const struct facts *f = q->m->f;
	int64_t left = kind_left(q, w->kind);
	for (size_t i = 0; i < q->reserved.n; i++)
		if (queue_entitles(f, &f->reserves.v[q->reserved.v[i].reserve],
		                   &f->jobs.v[w->job]) &&
		    queue_accepts(q, k, &q->groups.v[q->reserved.v[i].group]))
			left += q->reserved.v[i].units;
	return left;
}

/* H.6. Returns what the job got. */
static int64_t waiter_take(struct queue *q, const struct waiter *w)
{
	struct kind *k = &q->kinds.v[w->kind];
	const struct job *j = &q->m->f->jobs.v[w->job];
	int64_t left = left_for(q, w);
	if (!left) {
		if (!q->reserved.n)
			k->empty_at = q->instant;
		return 0;
	}
	enum leaf reason = j->is_policy      ? LEAF_POLICY
	                   : w->wants > left ? LEAF_GANG
	                   : !has_shape(q, k, w->wants, job_traits(q->m->f, j).per_node)
	                           ? LEAF_STRANDED
	                           : LEAF_SCHEDULER;
	int64_t need = take_reserved(q, w, reason, w->wants);
	for (; k->first < k->live_n && need; k->first += need > 0) {
		const struct group *g = &q->groups.v[k->live[k->first]];
		need -= take(q, k->live[k->first], g->counted ? LEAF_BLOCKED : reason, need);
	}
	return w->wants - need;
}

/* The whole queue at one instant; true if some free GPU was claimed. Q->unmet holds what is wanted;
 * RET_MET: what of it was found, by model. */
static bool queue_take(struct queue *q, int64_t *ret_met)
{
	bool any = false;
	int64_t left = q->left;
	q->instant++;
	q->open.n = 0;
	reserves_take(q);
	for (size_t i = 0; i < q->waiting.n && left > 0; i++) {
		const struct waiter *w = &q->waiters.v[q->waiting.v[i]];
		if (q->kinds.v[w->kind].empty_at == q->instant)
			continue;
		int64_t got = waiter_take(q, w);
		left -= got;
		any |= got > 0;
		if (w->model != NONE)
			ret_met[w->model] += got;
	}
	return any;
}

static void group_flush(struct queue *q, struct group *g, int64_t t_ms)
{
	group_draw(q, g, t_ms);
	for (int i = 0; i < LEAF_COUNT && g->since_ms < t_ms; i++)
		if (g->booked[i])
			cell_plain(q->m, g->place, leaf_state[i], g->since_ms, t_ms, g->booked[i]);
	g->since_ms = t_ms;
}

/* Groups whose division changed are written up to now; from now on the new one holds. */
static void groups_settle(struct queue *q, int64_t t_ms)
{
	size_t n = 0;
	for (size_t i = 0; i < q->touched.n; i++) {
		struct group *g = &q->groups.v[q->touched.v[i]];
		g->next[LEAF_IDLE] = group_left(g);
		bool again = false;
		for (int k = 0; k < LEAF_IDLE; k++)
			again |= g->next[k] != 0;
		if (memcmp(g->booked, g->next, sizeof g->next)) {
			group_flush(q, g, t_ms);
			memcpy(g->booked, g->next, sizeof g->next);
		}
		memset(g->next, 0, sizeof g->next);
		g->is_touched = again; /* what was booked now must be asked again next time */
		if (again)
			q->touched.v[n++] = q->touched.v[i];
	}
	q->touched.n = n;
}

/* Time that passed with one division: demand that found nothing, and whether free GPUs were wanted.
 */
static void time_passes(struct queue *q, const int64_t *met, bool is_wanted, struct span at)
{
	const struct span *w = &q->m->window;
	int64_t until;
	at.from_ms = at.from_ms > w->from_ms ? at.from_ms : w->from_ms;
	at.to_ms = at.to_ms < w->to_ms ? at.to_ms : w->to_ms;
	if (at.from_ms >= at.to_ms || !seen_covers(q->m, at.from_ms, &until))
		return;
	q->m->out->queue_ms += at.to_ms - at.from_ms;
	q->m->out->wanted_ms += is_wanted ? at.to_ms - at.from_ms : 0;
	for (size_t i = 0; i < q->models.n; i++)
		q->unmet_sum.v[i] += (i128)(q->unmet.v[i] - met[i]) * (at.to_ms - at.from_ms);
}

static int event_order(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

static void queue_sweep(struct queue *q)
{
	int64_t *met = mem_alloc(mem_times(q->models.n, sizeof *met));
	vec_sort(&q->events, event_order);
	for (size_t i = 0, j; i < q->events.n; i = j) {
		int64_t t_ms = q->events.v[i].t_ms;
		for (j = i; j < q->events.n && q->events.v[j].t_ms == t_ms; j++)
			event_apply(q, &q->events.v[j]);
		memset(met, 0, q->models.n * sizeof *met);
		bool wanted = queue_take(q, met);
		groups_settle(q, t_ms);
		if (j < q->events.n)
			time_passes(q, met, wanted, (struct span){ t_ms, q->events.v[j].t_ms });
	}
	mem_free(met);
}

void queue_meter(struct meter *m)
{
	struct queue q = { .m = m };
	for (uint32_t i = 0; i < m->f->jobs.n && !m->out->has_queue; i++) {
		const struct attempt t = attempt_at(m, i);
		m->out->has_queue =
		        t.is_seen && (t.submit_ms != TIME_UNKNOWN || t.eligible_ms != TIME_UNKNOWN);
	}
	if (!m->out->has_capacity) /* nothing is known to be free, and demand is not unmet by what
	                              is not known */
		return;
	queue_build(&q);
	queue_sweep(&q);
	for (size_t i = 0; i < q.models.n; i++)
		if (q.unmet_sum.v[i])
			*vec_push(&m->out->unmets) =
			        (struct unmet){ q.models.v[i], q.unmet_sum.v[i] };
	queue_deinit(&q);
}
