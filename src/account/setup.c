/* SPDX-License-Identifier: Apache-2.0 */
#include "account/setup.h"

/* The stretch of one claim on one slot that is being followed. */
struct track {
	int64_t from_ms, to_ms;
	enum tri high; /* UNKNOWN: gap */
	bool left_known, is_used;
};

bool setup_is_absent(const struct meter *m, const struct holds *h, const struct elem *e,
                     uint32_t claim)
{
	const struct claim *c = &m->claims.v[claim];
	if (c->target != TARGET_SLOT || !e->is_shared || e->piece == NONE || c->job == NONE)
		return false;
	const struct piece *p = &m->pieces.v[e->piece];
	if (piece_names(m, p, c->job) != TRI_NO)
		return false;
	for (uint32_t i = 0; i < e->holds_n; i++)
		if (piece_names(m, p, m->claims.v[h->holds.v[e->holds_at + i].claim].job) ==
		    TRI_YES)
			return true;
	return false;
}

/* Whether the claim's compute is high, low, or not known (a gap). */
static enum tri observed(const struct meter *m, const struct holds *h, const struct elem *e,
                         uint32_t claim)
{
	const struct piece *p = e->piece == NONE ? NULL : &m->pieces.v[e->piece];
	if (!p || p->kind == CLASS_NONE)
		return setup_is_absent(m, h, e, claim) ? TRI_NO : TRI_UNKNOWN;
	return p->is_high && !setup_is_absent(m, h, e, claim) ? TRI_YES : TRI_NO;
}

static void track_close(struct setups *s, uint32_t group, uint32_t slot, const struct track *t,
                        bool right_known)
{
	if (!t->is_used || t->high != TRI_YES)
		return;
	struct setup_group *g = &s->groups.v[group];
	if (t->to_ms - t->from_ms >= RUN_MS) {
		g->is_started = true;
		if (t->from_ms < g->end_ms)
			g->end_ms = t->from_ms;
	} else if (!t->left_known || !right_known) {
		*vec_push(&s->shorts) =
		        (struct short_high){ t->from_ms, t->to_ms, slot, group, g->shorts };
		g->shorts = (uint32_t)s->shorts.n - 1;
	}
}

static void track_step(struct setups *s, uint32_t group, uint32_t slot, struct track *t,
                       const struct claim *c, const struct elem *e, enum tri high)
{
	bool touches = t->is_used && t->to_ms == e->from_ms;
	if (touches && t->high == high) {
		t->to_ms = e->to_ms;
		return;
	}
	track_close(s, group, slot, t, touches && high != TRI_UNKNOWN);
	*t = (struct track){ .from_ms = e->from_ms,
		             .to_ms = e->to_ms,
		             .high = high,
		             .is_used = true,
		             .left_known = e->from_ms == c->from_ms ||
		                           (touches && t->high != TRI_UNKNOWN) };
}

/* F.2: the job's own words end every setup of it. */
static int64_t spoken_end(const struct meter *m, uint32_t job)
{
	const struct attempt_info *info = seen_info(m, job);
	if (!info)
		return INT64_MAX;
	return info->first_step_ms < info->first_answer_ms ? info->first_step_ms
	                                                   : info->first_answer_ms;
}

static struct setup_group group_new(const struct meter *m, uint32_t job, int64_t start_ms)
{
	struct setup_group g = { .job = job, .start_ms = start_ms, .shorts = NONE };
	g.end_ms = spoken_end(m, job);
	g.is_started = g.end_ms != INT64_MAX;
	return g;
}

/* F.4 */
static void group_finish(const struct meter *m, struct setup_group *g)
{
	const struct attempt_info *info = seen_info(m, g->job);
	g->is_alone = !g->is_heard && info && (info->lines.n || info->has_service_facts);
	if (g->start_ms + m->setup_max_ms < g->end_ms)
		g->end_ms = g->start_ms + m->setup_max_ms;
}

struct setup_group setup_of_pool(const struct meter *m, uint32_t job, int64_t start_ms)
{
	struct setup_group g = group_new(m, job, start_ms);
	group_finish(m, &g);
	return g;
}

/* What names the group of a claim beside its job: the slot, or the node of its site. */
static sym group_place(const struct meter *m, const struct site *st, const struct claim *c)
{
	const struct slot *s = c->target == TARGET_SLOT ? &m->slots.v[c->at] : NULL;
	return !s ? st->node : s->instance ? s->instance : s->device;
}

static uint32_t group_find(struct meter *m, const struct site *st, struct setups *s, struct map *at,
                           uint32_t claim)
{
	const struct claim *c = &m->claims.v[claim];
	uint64_t key = (uint64_t)c->job << 32 | (c->target == TARGET_SLOT ? c->at : NONE);
	uint32_t *g = map_at(at, key);
	if (!*g) {
		struct setup_group *new = vec_push(&s->groups);
		*new = group_new(m, c->job, c->from_ms);
		new->place = group_place(m, st, c);
		new->is_node = c->target != TARGET_SLOT;
		new->exists_ms = new->is_node ? 0 : m->slots.v[c->at].exists.from_ms;
		carry_setup(m, new);
		*g = (uint32_t)s->groups.n;
	}
	return *g - 1;
}

/* Follows every claim over one slot. TRACKS: by claim of the site, all unused. */
static void setup_slot(struct meter *m, const struct site *st, const struct holds *h,
                       const struct part_of_slot *part, struct setups *s, struct map *at,
                       struct track *tracks)
{
	for (uint32_t i = 0; i < part->elems_n; i++) {
		const struct elem *e = &h->elems.v[part->elems_at + i];
		const struct piece *p = e->piece == NONE ? NULL : &m->pieces.v[e->piece];
		for (uint32_t k = 0; k < e->holds_n; k++) {
			uint32_t claim = h->holds.v[e->holds_at + k].claim;
			const struct claim *c = &m->claims.v[claim];
			if (c->job == NONE)
				continue;
			uint32_t *known = &s->group_of.v[claim - st->claims_at];
			if (*known == NONE)
				*known = group_find(m, st, s, at, claim);
			struct setup_group *g = &s->groups.v[*known];
			g->start_ms = c->from_ms < g->start_ms ? c->from_ms : g->start_ms;
			g->has_open_end |= c->is_open;
			g->is_heard |= p && (p->has_class || p->has_procs);
			track_step(s, *known, part->slot, &tracks[claim - st->claims_at], c, e,
			           observed(m, h, e, claim));
		}
	}
	for (uint32_t i = 0; i < st->claims_n; i++) {
		struct track *t = &tracks[i];
		const struct claim *c = &m->claims.v[st->claims_at + i];
		if (t->is_used)
			track_close(s, s->group_of.v[i], part->slot, t,
			            t->to_ms == c->to_ms && !c->is_open);
		t->is_used = false;
	}
}

void setup_build(struct meter *m, const struct site *st, const struct holds *h, struct setups *ret)
{
	struct map at = MAP_NULL;
	struct track *tracks = mem_alloc(mem_times(st->claims_n, sizeof *tracks));
	for (uint32_t i = 0; i < st->claims_n; i++)
		*vec_push(&ret->group_of) = NONE;
	for (size_t i = 0; i < h->parts.n; i++)
		setup_slot(m, st, h, &h->parts.v[i], ret, &at, tracks);
	for (size_t i = 0; i < ret->groups.n; i++) {
		carry_keep_setup(m, &ret->groups.v[i]);
		group_finish(m, &ret->groups.v[i]);
	}
	mem_free(tracks);
	map_deinit(&at);
}

enum state setup_state(const struct meter *m, const struct setups *s, uint32_t group,
                       const struct holds *h, const struct elem *e, uint32_t claim, uint32_t slot,
                       int64_t t_ms, int64_t *ret_until_ms)
{
	*ret_until_ms = INT64_MAX;
	if (group == NONE || t_ms >= s->groups.v[group].end_ms)
		return STATE_ACTIVE;
	const struct setup_group *g = &s->groups.v[group];
	*ret_until_ms = g->end_ms;
	if (g->is_alone)
		return STATE_SETUP;
	if (observed(m, h, e, claim) == TRI_UNKNOWN)
		return STATE_UNOBSERVED;
	for (uint32_t i = g->shorts; i != NONE; i = s->shorts.v[i].next)
		if (s->shorts.v[i].slot == slot && s->shorts.v[i].from_ms <= t_ms &&
		    t_ms < s->shorts.v[i].to_ms)
			return STATE_UNOBSERVED;
	return STATE_SETUP;
}

void setup_reset(struct setups *s)
{
	s->groups.n = s->shorts.n = s->group_of.n = 0;
}

void setup_deinit(struct setups *s)
{
	vec_deinit(&s->groups), vec_deinit(&s->shorts), vec_deinit(&s->group_of);
}
