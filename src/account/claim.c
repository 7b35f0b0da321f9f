/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim: which allocation wants which slot, site or pool (ledger.md 4, rule 8; decisions A.4, D.1
 * to D.3).
 */
#include <stdlib.h>

#include "account/layout.h"
#include "account/meter.h"
#include "account/mixed.h"
#include "base/hostlist.h"

static bool is_member(const struct slot *s, bool mig)
{
	return mig ? s->kind != SLOT_REMAINDER : s->kind == SLOT_DEVICE;
}

/* D.2: the devices of a site without MIG; if it has none, its instances. */
bool site_members(const struct meter *m, const struct site *st, struct span time, uint32_t *ret_n)
{
	bool mig = true;
	*ret_n = 0;
	for (uint32_t i = 0; i < st->slots_n; i++)
		mig &= !is_member(&m->slots.v[m->site_slots.v[st->slots_at + i]], false);
	for (uint32_t i = 0; i < st->slots_n; i++) {
		const struct slot *s = &m->slots.v[m->site_slots.v[st->slots_at + i]];
		*ret_n += is_member(s, mig) && layout_exists(s->exists, time.from_ms, time.to_ms);
	}
	return mig;
}

static struct claim claim_of(const struct meter *m, const struct allocation *al, uint32_t entry,
                             struct attempt t)
{
	const struct portion *p = allocation_portion(m->f, al);
	struct claim c = { .job = al->job, .entry = entry };
	c.from_ms = p->from_ms != TIME_UNKNOWN ? p->from_ms : t.start_ms;
	c.to_ms = p->to_ms != TIME_UNKNOWN ? p->to_ms : t.end_ms;
	if (p->to_ms == TIME_UNKNOWN && t.end_ms == TIME_UNKNOWN && t.outcome != OUTCOME_RUNNING &&
	    t.outcome != OUTCOME_WAITING)
		c.to_ms = m->as_of_ms;
	c.is_open = c.to_ms == TIME_UNKNOWN || c.to_ms > m->as_of_ms ||
	            (p->to_ms == TIME_UNKNOWN && t.end_ms == TIME_UNKNOWN);
	if (c.is_open)
		c.to_ms = m->as_of_ms;
	return c;
}

#define CLAIM_AT_MAX ((1u << 29) - 1)

static struct frac share_of(const struct meter *m, const struct allocation *al)
{
	const struct portion *p = allocation_portion(m->f, al);
	return al->portion ? frac_of(p->share_num, p->share_den > 0 ? p->share_den : 1) : FRAC_ONE;
}

static void claim_add(struct meter *m, struct claim c, enum claim_target target, uint32_t at,
                      struct frac size)
{
	size_t n = m->claim_sizes.n;
	if (!n || frac_cmp(m->claim_sizes.v[n - 1], size)) /* most are like the one before */
		*vec_push(&m->claim_sizes) = size;
	if (at > CLAIM_AT_MAX)
		mem_exhausted(SIZE_MAX); /* what numbers them has 29 bits */
	c.target = target & 3u;
	c.at = at & CLAIM_AT_MAX;
	c.size = (uint32_t)m->claim_sizes.n - 1;
	*vec_push(&m->claims) = c;
}

/* What one device of an allocation's is, in units per ms: rounded per device, half up (D.3). */
static int64_t device_units(const struct meter *m, const struct allocation *al)
{
	if (!al->portion)
		return GRID; /* nearly always: no division */
	const struct frac share = share_of(m, al);
	i128 twice = 2 * (i128)share.num * GRID + share.den;
	return (int64_t)(twice / (2 * (i128)share.den));
}

int64_t claim_units(const struct meter *m, const struct claim *c)
{
	if (c->target != TARGET_POOL) {
		int64_t all = c->target == TARGET_SLOT ? m->slots.v[c->at].weight : GRID;
		return frac_floor(frac_mul(claim_size(m, c), (struct frac){ all, 1 }));
	}
	return device_units(m, &m->f->allocations.v[c->entry]) * c->size;
}

static void claim_pool(struct meter *m, struct claim c, uint32_t pool, uint32_t count)
{
	if (pool > CLAIM_AT_MAX)
		mem_exhausted(SIZE_MAX);
	c.target = TARGET_POOL;
	c.at = pool & CLAIM_AT_MAX;
	c.size = count;
	if (claim_units(m, &c) > 0)
		*vec_push(&m->claims) = c;
}

/* A pool that pays its allocations (B.6), by name, model and cluster. */
static uint32_t pool_anonymous(struct meter *m, sym id, sym node, sym model, sym cluster)
{
	const sym words[] = { id, node, model, cluster };
	uint64_t key = str_hash((struct str){ (const char *)words, sizeof words });
	uint32_t *known = map_at(&m->anonymous, key);
	for (size_t i = *known ? *known - 1 : m->pools.n; i < m->pools.n; i++) {
		const struct pool *p = &m->pools.v[i]; /* the first, but for two of one hash */
		if (p->pays_allocations && p->id == id && p->node == node && p->model == model &&
		    p->cluster == cluster)
			return (uint32_t)i;
	}
	uint32_t at = pool_add(m, (struct pool){ .id = id,
	                                         .node = node,
	                                         .model = model,
	                                         .cluster = cluster,
	                                         .pays_allocations = true });
	if (!*known)
		*known = at + 1;
	return at;
}

static sym cluster_of(const struct meter *m, uint32_t job)
{
	return job_traits(m->f, &m->f->jobs.v[job]).cluster;
}

/* Whether a process list of the slot named the job in (from, to]. */
static bool names_the_job(const struct meter *m, const struct slot *s, const struct claim *c)
{
	sym id = s->mentions_n ? names_find(&m->f->names, job_id(m->f, &m->f->jobs.v[c->job])) : 0;
	for (uint32_t i = 0; id && i < s->mentions_n; i++) {
		const struct mention *x = &m->mentions.v[s->mentions_at + i];
		if (x->job == id && x->t_ms > c->from_ms && x->t_ms <= c->to_ms)
			return true;
	}
	return false;
}

/* D.2: all of the node; else the slots whose process lists name the job, if they are as many; else
 * spread. */
static void claim_site(struct meter *m, struct claim c, uint32_t site, uint32_t count,
                       struct frac share)
{
	const struct site *st = &m->sites.v[site];
	uint32_t n, shown = 0;
	bool mig = site_members(m, st, (struct span){ c.from_ms, c.to_ms }, &n);
	bool all = count == n;
	for (uint32_t i = 0; i < st->slots_n && !all; i++) {
		const struct slot *s = &m->slots.v[m->site_slots.v[st->slots_at + i]];
		shown += is_member(s, mig) && layout_exists(s->exists, c.from_ms, c.to_ms) &&
		         names_the_job(m, s, &c);
	}
	if (!all && shown != count) {
		m->sites.v[site].has_spread = true;
		claim_add(m, c, TARGET_SITE, site, frac_mul(share, (struct frac){ count, 1 }));
		return;
	}
	for (uint32_t i = 0; i < st->slots_n; i++) {
		uint32_t at = m->site_slots.v[st->slots_at + i];
		const struct slot *s = &m->slots.v[at];
		if (is_member(s, mig) && layout_exists(s->exists, c.from_ms, c.to_ms) &&
		    (all || names_the_job(m, s, &c)))
			claim_add(m, c, TARGET_SLOT, at, share);
	}
}

static void claim_node(struct meter *m, struct claim c, const struct allocation *al, sym node,
                       uint32_t count, struct frac share)
{
	const uint32_t *site = map_get(&m->site_of, node);
	const uint32_t *pool = map_get(&m->pool_of, node);
	uint32_t n = 0;
	if (!pool)
		pool = mixed_pool(m, node, al->model);
	if (site)
		site_members(m, &m->sites.v[*site - 1], (struct span){ c.from_ms, c.to_ms }, &n);
	if (n)
		claim_site(m, c, *site - 1, count, share);
	else if (pool)
		claim_pool(m, c, *pool - 1, count);
	else
		claim_pool(m, c, pool_anonymous(m, node, node, al->model, cluster_of(m, c.job)),
		           count);
}

struct hosts {
	struct meter *m;
	struct claim claim;
	const struct allocation *al;
	struct frac share;
	uint32_t each, more; /* every node gets EACH, the first MORE one more */
};

static void claim_host(void *context, struct str name)
{
	struct hosts *h = context;
	uint32_t count = h->each + (h->more > 0);
	h->more -= h->more > 0;
	sym node = names_find(&h->m->f->names, name);
	if (count)
		claim_node(h->m, h->claim, h->al, node ? node : h->al->place, count, h->share);
}

/* A list of nodes and a total: each node has its part. With no word on nodes at all, one pool a
 * partition will do. */
static void claim_nodes(struct meter *m, struct claim c, const struct allocation *al,
                        struct frac share)
{
	const struct job_traits j = job_traits(m->f, &m->f->jobs.v[al->job]);
	struct str list = names_word(&m->f->names, al->place);
	uint32_t n = 0;
	bool placed = m->sites.n || m->pool_of.n;
	if (!placed || hostlist_count(list, &n) != HOSTLIST_OK || !n) {
		sym id = j.queue ? j.queue : al->place;
		claim_pool(m, c, pool_anonymous(m, id, 0, al->model, j.cluster), al->count);
		return;
	}
	struct hosts h = { .m = m,
		           .claim = c,
		           .al = al,
		           .share = share,
		           .each = al->count / n,
		           .more = al->count % n };
	(void)hostlist_each(list, claim_host, &h); /* it was counted: it is well formed */
}

static void claim_named(struct meter *m, struct claim c, sym place, struct frac share)
{
	const uint32_t *first = map_get(&m->slot_of, place);
	uint32_t i = first ? *first - 1 : NONE;
	for (; i < m->slots.n && (m->slots.v[i].device == place || m->slots.v[i].instance == place);
	     i++)
		if (m->slots.v[i].kind != SLOT_REMAINDER)
			claim_add(m, c, TARGET_SLOT, i, share);
}

/* Whether the allocation behind ENTRY is of a further GPU of the same node, job and time. */
static bool is_next_number(const struct meter *m, uint32_t entry)
{
	const struct facts *f = m->f;
	if (entry + 1 >= f->allocations.n)
		return false;
	const struct allocation *a = &f->allocations.v[entry], *b = a + 1;
	return a->on == CLAIM_GPU && b->on == CLAIM_GPU && a->job == b->job &&
	       a->portion == b->portion && a->model == b->model &&
	       str_eq(claim_gpu_node(names_word(&f->names, a->place)),
	              claim_gpu_node(names_word(&f->names, b->place)));
}

/* GPUs of one node that one job holds by their numbers, which no input says of a device: a count.
   The further ones of ENTRY's are passed over. */
static void claim_numbers(struct meter *m, struct claim c, uint32_t entry, struct frac share)
{
	const struct allocation *v = m->f->allocations.v, *al = &v[entry];
	struct str node = claim_gpu_node(names_word(&m->f->names, al->place));
	uint32_t n = 0;
	sym id = names_find(&m->f->names, node);
	if (entry && is_next_number(m, entry - 1))
		return;
	do
		n++;
	while (is_next_number(m, entry + n - 1));
	claim_node(m, c, al, id ? id : al->place, n, share);
}

static void claim_allocation(struct meter *m, uint32_t entry)
{
	const struct allocation *al = &m->f->allocations.v[entry];
	const struct attempt t = attempt_at(m, al->job);
	if (!t.is_seen)
		return;
	struct claim c = claim_of(m, al, entry, t);
	struct frac share = share_of(m, al);
	if (c.from_ms == TIME_UNKNOWN || c.from_ms >= c.to_ms || share.num <= 0 || !al->count ||
	    al->count == COUNT_UNKNOWN)
		return;
	switch ((enum claim_on)al->on) {
	case CLAIM_DEVICE:
	case CLAIM_INSTANCE:
		claim_named(m, c, al->place, share);
		break;
	case CLAIM_NODE:
		claim_node(m, c, al, al->place, al->count, share);
		break;
	case CLAIM_GPU:
		claim_numbers(m, c, entry, share);
		break;
	case CLAIM_NODES:
		claim_nodes(m, c, al, share);
		break;
	case CLAIM_POOL:
		if (map_get(&m->pool_of, al->place))
			claim_pool(m, c, *map_get(&m->pool_of, al->place) - 1, al->count);
		else if (map_get(&m->site_of, al->place) || map_get(&m->mixed, al->place))
			claim_node(m, c, al, al->place, al->count, share);
		else
			claim_pool(
			        m, c,
			        pool_anonymous(m, al->place, 0, al->model, cluster_of(m, al->job)),
			        al->count);
		break;
	}
}

static uint32_t claim_bin(const struct meter *m, const struct claim *c)
{
	if (c->target == TARGET_POOL)
		return (uint32_t)m->sites.n + c->at;
	return c->target == TARGET_SITE ? c->at : m->slots.v[c->at].site;
}

/* Puts the claims of each site and each pool side by side; within one they keep the order of
 * allocations. */
static void claims_sort(struct meter *m)
{
	size_t bins = m->sites.n + m->pools.n;
	uint32_t *at = mem_alloc(mem_times(bins + 1, sizeof *at));
	for (size_t i = 0; i < m->claims.n; i++)
		at[claim_bin(m, &m->claims.v[i]) + 1]++;
	for (size_t i = 0; i < bins; i++) {
		uint32_t n = at[i + 1];
		at[i + 1] += at[i];
		if (i < m->sites.n)
			m->sites.v[i].claims_at = at[i], m->sites.v[i].claims_n = n;
		else
			m->pools.v[i - m->sites.n].claims_at = at[i],
			               m->pools.v[i - m->sites.n].claims_n = n;
	}
	/* into a second array: in place it would jump about in memory that no cache holds */
	struct claim *to = mem_resize(NULL, mem_times(m->claims.n, sizeof *to));
	for (size_t i = 0; i < m->claims.n; i++)
		to[at[claim_bin(m, &m->claims.v[i])]++] = m->claims.v[i];
	mem_free(m->claims.v);
	m->claims.v = to;
	m->claims.cap = m->claims.n;
	mem_free(at);
}

/* No scheduler at all: observed time belongs to one implicit job `unscheduled` (rule 9; D.6). */
static void claim_unscheduled(struct meter *m)
{
	for (uint32_t i = 0; i < m->slots.n; i++) {
		const struct slot *s = &m->slots.v[i];
		int64_t from_ms = INT64_MAX, to_ms = INT64_MIN;
		if (s->kind == SLOT_REMAINDER)
			continue;
		for (uint32_t k = 0; k < s->caps_n; k++) {
			const struct cap_span *cs = &m->slot_caps.v[s->caps_at + k];
			from_ms = cs->from_ms < from_ms ? cs->from_ms : from_ms;
			to_ms = cs->to_ms > to_ms ? cs->to_ms : to_ms;
		}
		if (!s->has_capacity)
			from_ms = s->cover.from_ms, to_ms = s->cover.to_ms;
		if (to_ms > m->as_of_ms)
			to_ms = m->as_of_ms;
		if (from_ms != TIME_UNKNOWN && from_ms < s->exists.from_ms)
			from_ms = s->exists.from_ms;
		if (to_ms > s->exists.to_ms)
			to_ms = s->exists.to_ms;
		if (from_ms >= to_ms || from_ms == TIME_UNKNOWN)
			continue;
		struct claim c = { .job = NONE,
			           .entry = NONE,
			           .from_ms = from_ms,
			           .to_ms = to_ms,
			           .is_open = true };
		claim_add(m, c, TARGET_SLOT, i, FRAC_ONE);
	}
}

void claim_build(struct meter *m)
{
	vec_reserve(&m->claims, m->f->allocations.n);
	for (uint32_t i = 0; i < m->f->allocations.n; i++)
		claim_allocation(m, i);
	if (!m->has_scheduler)
		claim_unscheduled(m);
	claims_sort(m);
}
