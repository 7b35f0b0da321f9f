/* SPDX-License-Identifier: Apache-2.0 */
#include "account/tally.h"

#include "account/alike.h"
#include "base/sort.h"

static void money_add(struct money *m, const struct cell *cell, i128 num, int64_t priced)
{
	m->units += cell->units;
	m->num += num;
	m->priced += priced;
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

#define ALIKE_MIN 64u /* fewer cells are added one by one */

struct tally_ways {
	struct tally *t;
	const struct ledger *l;
	const struct facts *f;
};

/* One cell, or the sum of cells that are alike. */
static void tally_add(void *context, const struct cell *cell, i128 num, int64_t priced)
{
	const struct tally_ways *w = context;
	const struct ledger *l = w->l;
	struct tally *t = w->t;
	enum account account = account_of(cell->state, cell->fate);
	sums_add(&t->sums, l, w->f, cell);
	money_add(&t->total, cell, num, priced);
	money_add(&t->accounts[account], cell, num, priced);
	t->successful_num += cell->is_successful ? num : 0;
	layers_add(t, cell, account, num);
	if (cell->job == NONE || cell->state < STATE_SETUP || cell->state == STATE_UNKNOWN)
		return; /* not allocated to anybody known */
	enum outcome outcome = (enum outcome)l->outcome_of[cell->job];
	money_add(&t->outcomes[outcome], cell, num, priced);
	if (is_failed(outcome))
		money_add(&t->failed, cell, num, priced);
	else if (cell->marks & MARK_RETRY) /* a retry that failed too is in the line above */
		money_add(&t->retry, cell, num, priced);
}

void tally_build(const struct ledger *l, const struct facts *f, const struct cost *c,
                 const uint32_t *cells, size_t cells_n, struct tally *ret_tally)
{
	struct tally *t = ret_tally;
	*t = (struct tally){ .cells = cells, .cells_n = cells ? cells_n : l->cells.n };
	struct tally_ways w = { t, l, f };
	if (t->cells_n >= ALIKE_MIN && !l->drawn.n)
		alike_each(l, c, cells, t->cells_n, tally_add, &w);
	for (size_t i = 0; (t->cells_n < ALIKE_MIN || l->drawn.n) && i < t->cells_n; i++) {
		size_t at = tally_index(t, i);
		const struct cell *cell = &l->cells.v[at];
		bool has_price = c->price_of && c->price_of[at] != NONE;
		tally_add(&w, cell, c->nums ? c->nums[at] : 0, has_price ? cell->units : 0);
	}
	tally_depths(t, l);
	t->sums.free_is_null = l->free_is_null;
	sums_finish(&t->sums);
	if (!cells)
		t->credit_num = c->credit_num;
}

/* A bit a job, where the tally holds so many cells that this is less than sorting them. */
static const uint32_t *jobs_by_bits(struct arena *a, const struct tally *t, const struct ledger *l,
                                    size_t words, size_t *ret_n)
{
	auto_arena scratch = ARENA_NULL;
	uint64_t *bits = ARENA_ARRAY(&scratch, uint64_t, words);
	size_t n = 0;
	for (size_t i = 0; i < t->cells_n; i++) {
		uint32_t job = tally_cell(t, l, i)->job;
		if (job != NONE)
			bits[job / 64] |= (uint64_t)1 << job % 64;
	}
	for (size_t w = 0; w < words; w++)
		n += (size_t)__builtin_popcountll(bits[w]);
	uint32_t *jobs = ARENA_ARRAY(a, uint32_t, n + 1);
	*ret_n = n;
	n = 0;
	for (size_t w = 0; w < words; w++)
		for (uint64_t b = bits[w]; b; b &= b - 1)
			jobs[n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(b);
	return jobs;
}

const uint32_t *tally_jobs(struct arena *a, const struct tally *t, const struct ledger *l,
                           size_t *ret_n)
{
	auto_arena scratch = ARENA_NULL;
	size_t words = 0;
	for (size_t i = 0; i < t->cells_n; i++) {
		uint32_t job = tally_cell(t, l, i)->job;
		if (job != NONE && job / 64 >= words)
			words = (size_t)job / 64 + 1;
	}
	if (words <= t->cells_n)
		return jobs_by_bits(a, t, l, words, ret_n);
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
