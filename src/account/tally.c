/* SPDX-License-Identifier: Apache-2.0 */
#include "account/tally.h"

#include "base/sort.h"

static void money_add(struct money *m, const struct cell *cell, const struct cost *c, size_t at)
{
	m->units += cell->units;
	m->num += c->nums ? c->nums[at] : 0;
	if (c->price_of && c->price_of[at] != NONE)
		m->priced += cell->units;
}

static bool is_failed(enum outcome o)
{
	return o == OUTCOME_FAILED || o == OUTCOME_NODE_FAILED || o == OUTCOME_OOM;
}

bool tally_layer_has(enum layer layer, enum account account, bool high)
{
	if (layer == LAYER_PROVISIONED)
		return true;
	if (account == ACCOUNT_UNKNOWN)
		return high;
	if (account == ACCOUNT_UNOBSERVED)
		return high || layer == LAYER_ALLOCATED;
	if (layer == LAYER_PRODUCTIVE)
		return account == ACCOUNT_ACTIVE_PRODUCTIVE;
	return (int)accounts[account].lost_at > (int)layer;
}

/* The layers of ledger.md 7 and 9.11, in money. What may be productive is known by cell. */
static void layers_add(struct tally *t, const struct cell *cell, enum account account, i128 num)
{
	for (int i = 0; i < LAYER_COUNT; i++) {
		bool high = i != LAYER_PRODUCTIVE
		                    ? tally_layer_has((enum layer)i, account, true)
		                    : cell->maybe_productive || account == ACCOUNT_UNKNOWN ||
		                              account == ACCOUNT_ACTIVE_PRODUCTIVE;
		t->low_num[i] += tally_layer_has((enum layer)i, account, false) ? num : 0;
		t->high_num[i] += high ? num : 0;
	}
}

static void tally_add(struct tally *t, const struct ledger *l, const struct facts *f,
                      const struct cost *c, size_t at)
{
	const struct cell *cell = &l->cells.v[at];
	enum account account = account_of(cell->state, cell->fate);
	sums_add(&t->sums, l, f, cell);
	money_add(&t->total, cell, c, at);
	money_add(&t->accounts[account], cell, c, at);
	t->successful_num += cell->is_successful && c->nums ? c->nums[at] : 0;
	layers_add(t, cell, account, c->nums ? c->nums[at] : 0);
	if (cell->job == NONE || cell->state < STATE_SETUP || cell->state == STATE_UNKNOWN)
		return; /* not allocated to anybody known */
	enum outcome outcome = (enum outcome)l->outcome_of[cell->job];
	money_add(&t->outcomes[outcome], cell, c, at);
	if (is_failed(outcome))
		money_add(&t->failed, cell, c, at);
	else if (cell->marks & MARK_RETRY) /* a retry that failed too is in the line above */
		money_add(&t->retry, cell, c, at);
}

/* The first row of (place, job, bucket) of a cell, or the end. */
static size_t depth_find(const struct ledger *l, const struct cell *c)
{
	size_t lo = 0, hi = l->depths.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct depth_row *r = &l->depths.v[mid];
		bool before = r->place != c->place ? r->place < c->place
		              : r->job != c->job   ? r->job < c->job
		                                   : r->bucket < c->bucket;
		if (before)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Rows are of a place, job and bucket; groups of cells are made of whole ones. */
static void depths_add(struct tally *t, const struct ledger *l)
{
	const struct cell *last = NULL;
	for (size_t i = 0; !t->cells && i < l->depths.n; i++)
		depth_sum_add(&t->depths[l->depths.v[i].depth], &l->depths.v[i].sum);
	for (size_t i = 0; t->cells && l->depths.n && i < t->cells_n; i++) {
		const struct cell *c = tally_cell(t, l, i);
		if (c->state != STATE_ACTIVE || (last && last->place == c->place &&
		                                 last->job == c->job && last->bucket == c->bucket))
			continue;
		last = c;
		for (size_t k = depth_find(l, c);
		     k < l->depths.n && l->depths.v[k].place == c->place &&
		     l->depths.v[k].job == c->job && l->depths.v[k].bucket == c->bucket;
		     k++)
			depth_sum_add(&t->depths[l->depths.v[k].depth], &l->depths.v[k].sum);
	}
}

void tally_build(const struct ledger *l, const struct facts *f, const struct cost *c,
                 const uint32_t *cells, size_t cells_n, struct tally *ret_tally)
{
	struct tally *t = ret_tally;
	*t = (struct tally){ .cells = cells, .cells_n = cells ? cells_n : l->cells.n };
	for (size_t i = 0; i < t->cells_n; i++)
		tally_add(t, l, f, c, cells ? cells[i] : i);
	depths_add(t, l);
	t->sums.free_is_null = l->free_is_null;
	sums_finish(&t->sums);
	if (!cells)
		t->credit_num = c->credit_num;
}

const uint32_t *tally_jobs(struct arena *a, const struct tally *t, const struct ledger *l,
                           size_t *ret_n)
{
	auto_arena scratch = ARENA_NULL;
	uint64_t *all = ARENA_ARRAY(&scratch, uint64_t, t->cells_n + 1);
	uint32_t *jobs = ARENA_ARRAY(a, uint32_t, t->cells_n + 1);
	size_t n = 0, out = 0;
	for (size_t i = 0; i < t->cells_n; i++) {
		uint32_t job = tally_cell(t, l, i)->job;
		if (job != NONE && (!n || all[n - 1] != job))
			all[n++] = job;
	}
	sort_u64(all, n);
	for (size_t i = 0; i < n; i++)
		if (!out || jobs[out - 1] != all[i])
			jobs[out++] = (uint32_t)all[i];
	*ret_n = out;
	return jobs;
}
