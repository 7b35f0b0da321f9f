/* SPDX-License-Identifier: Apache-2.0 */
#include "account/alike.h"

struct way {
	struct cell like;
	i128 num;
	int64_t priced;
};

struct ways {
	VEC(struct way) v;
	struct map at; /* key: 1 + index */
	uint32_t last_key, last;
};

static uint32_t key_of(const struct ledger *l, const struct cell *c)
{
	uint32_t outcome = c->job == NONE ? OUTCOME_COUNT : l->outcome_of[c->job];
	return (uint32_t)c->state | (uint32_t)c->fate << 8 | (uint32_t)c->marks << 16 |
	       (uint32_t)c->estimated << 20 | (uint32_t)c->is_successful << 21 |
	       (uint32_t)c->maybe_productive << 22 | outcome << 23;
}
_Static_assert(OUTCOME_COUNT < 1 << 9 && MARK_COUNT <= 4, "a key has 32 bits");

static struct way *way_of(struct ways *w, const struct ledger *l, const struct cell *c)
{
	uint32_t key = key_of(l, c);
	if (w->v.n && key == w->last_key)
		return &w->v.v[w->last];
	uint32_t *at = map_at(&w->at, key);
	if (!*at) {
		*vec_push(&w->v) = (struct way){ .like = *c };
		w->v.v[w->v.n - 1].like.units = 0;
		*at = (uint32_t)w->v.n;
	}
	w->last_key = key;
	w->last = *at - 1;
	return &w->v.v[w->last];
}

void alike_each(const struct ledger *l, const struct cost *c, const uint32_t *cells, size_t n,
                alike_visit *visit, void *context)
{
	struct ways ways = { .at = MAP_NULL };
	for (size_t i = 0; i < n; i++) {
		size_t at = cells ? cells[i] : i;
		const struct cell *cell = &l->cells.v[at];
		struct way *w = way_of(&ways, l, cell);
		int64_t units;
		if (__builtin_add_overflow(w->like.units, cell->units, &units)) {
			visit(context, &w->like, w->num, w->priced);
			units = cell->units;
			w->num = 0, w->priced = 0;
		}
		w->like.units = units;
		if (c && c->nums)
			w->num += c->nums[at];
		if (c && c->price_of && c->price_of[at] != NONE)
			w->priced += cell->units;
	}
	for (size_t i = 0; i < ways.v.n; i++)
		visit(context, &ways.v.v[i].like, ways.v.v[i].num, ways.v.v[i].priced);
	vec_deinit(&ways.v);
	map_deinit(&ways.at);
}
