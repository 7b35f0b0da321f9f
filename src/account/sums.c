/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums: cells to accounts, layers and marks (ledger.md 7, 9.11; decisions I.1).
 */
#include "account/alike.h"

static bool is_allocated(unsigned state)
{
	enum state_group g = states[state].group;
	return g != GROUP_DOWN && g != GROUP_FREE && g != GROUP_UNKNOWN;
}

void sums_add(struct sums *s, const struct ledger *l, const struct facts *f, const struct cell *c)
{
	(void)f;
	enum account account = account_of((enum state)c->state, (enum fate)c->fate);
	s->paid += c->units;
	s->accounts[account] += c->units;
	s->matrix[c->state][c->fate] += c->units;
	for (int i = 0; i < MARK_COUNT; i++)
		if (c->marks & 1 << i)
			s->marks[i] += c->units;
	if (c->is_successful)
		s->successful += c->units;
	if (c->maybe_productive)
		s->maybe_productive += c->units;
	if (c->estimated)
		s->estimated += c->units;
	if (l->drawn.n) {
		const struct drawn *d = &l->drawn.v[c - l->cells.v];
		s->energy[account] += d->energy;
		s->metered[account] += d->metered;
		s->integrated[account] += d->integrated;
	}
	if (c->job != NONE && is_allocated(c->state))
		s->outcome[l->outcome_of[c->job]] += c->units;
}

static i128 group_sum(const struct sums *s, enum state_group group)
{
	i128 sum = 0;
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		if (states[accounts[i].state].group == group)
			sum += s->accounts[i];
	return sum;
}

void sums_finish(struct sums *s)
{
	i128 unknown = group_sum(s, GROUP_UNKNOWN), unobserved = group_sum(s, GROUP_UNOBSERVED);
	i128 active = group_sum(s, GROUP_ACTIVE), overhead = group_sum(s, GROUP_OVERHEAD);
	s->low[LAYER_PROVISIONED] = s->high[LAYER_PROVISIONED] = s->paid;
	s->low[LAYER_ALLOCATED] =
	        s->paid - group_sum(s, GROUP_DOWN) - group_sum(s, GROUP_FREE) - unknown;
	s->high[LAYER_ALLOCATED] = s->low[LAYER_ALLOCATED] + unknown;
	s->low[LAYER_ACTIVE] = active + overhead;
	s->low[LAYER_EFFECTIVE] = active;
	for (int i = LAYER_ACTIVE; i <= LAYER_EFFECTIVE; i++)
		s->high[i] = s->low[i] + unobserved + unknown;
	s->low[LAYER_PRODUCTIVE] = s->accounts[ACCOUNT_ACTIVE_PRODUCTIVE];
	s->high[LAYER_PRODUCTIVE] = s->maybe_productive + unknown;
	s->recoverable_low = s->recoverable_high = 0;
	for (int i = 0; i < ACCOUNT_COUNT; i++) {
		if (accounts[i].recoverable == RECOVERABLE_YES)
			s->recoverable_low += s->accounts[i];
		if (accounts[i].recoverable != RECOVERABLE_NO)
			s->recoverable_high += s->accounts[i];
	}
}

struct sums_ways {
	struct sums *s;
	const struct ledger *l;
	const struct facts *f;
};

static void add_way(void *context, const struct cell *like, i128 num, int64_t priced)
{
	const struct sums_ways *w = context;
	(void)num, (void)priced;
	sums_add(w->s, w->l, w->f, like);
}

void sums_of_ledger(struct sums *s, const struct ledger *l, const struct facts *f)
{
	*s = (struct sums){ .free_is_null = l->free_is_null };
	if (l->drawn.n)
		for (size_t i = 0; i < l->cells.n; i++)
			sums_add(s, l, f, &l->cells.v[i]);
	else
		alike_each(l, NULL, NULL, l->cells.n, add_way, &(struct sums_ways){ s, l, f });
	sums_finish(s);
}
