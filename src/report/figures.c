/* SPDX-License-Identifier: Apache-2.0 */
#include "report/figures.h"

#include "account/round.h"

i128 figures_ms(i128 units)
{
	return round_half_up(units, UNITS_PER_MS);
}

static i128 minor_unit(const struct cost *c)
{
	i128 unit = c->den;
	for (unsigned i = 0; i < c->decimals; i++)
		unit /= 10;
	return unit;
}

i128 figures_minor(const struct cost *c, i128 num)
{
	return round_half_up(num, minor_unit(c));
}

void figures_round_rows(struct arena *a, const struct cost *c, const i128 *units, const i128 *nums,
                        size_t n, i128 paid_ms, i128 cost, i128 **ret_ms, i128 **ret_costs)
{
	auto_arena scratch = ARENA_NULL;
	*ret_ms = ARENA_ARRAY(a, i128, n + 1);
	*ret_costs = c->has_price ? ARENA_ARRAY(a, i128, n + 1) : NULL;
	round_parts(&scratch, units, n, UNITS_PER_MS, paid_ms, *ret_ms);
	if (c->has_price)
		round_parts(&scratch, nums, n, minor_unit(c), cost, *ret_costs);
}

bool figures_account_is_null(const struct sums *s, enum account a)
{
	enum lost_at at = accounts[a].lost_at;
	return s->free_is_null && (at == LOST_AT_PROVISIONED || at == LOST_AT_ALLOCATED) &&
	       !s->accounts[a];
}

/* The fates of a state share what its account shows; active has an account for each fate. */
static void round_matrix(struct arena *scratch, const struct sums *s, struct figures *g)
{
	i128 parts[FATE_COUNT], out[FATE_COUNT];
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		enum state state = accounts[a].state;
		if (accounts[a].fate >= 0) {
			g->matrix_ms[state][accounts[a].fate] = g->accounts_ms[a];
			continue;
		}
		for (int f = 0; f < FATE_COUNT; f++)
			parts[f] = s->matrix[state][f];
		round_parts(scratch, parts, FATE_COUNT, UNITS_PER_MS, g->accounts_ms[a], out);
		for (int f = 0; f < FATE_COUNT; f++)
			g->matrix_ms[state][f] = out[f];
	}
}

static i128 at_most(i128 v, i128 most)
{
	return v < most ? v : most;
}

/* What is a sum of accounts is the sum of the accounts as printed. What may be productive, and what
   was successful, cells say: rounded by themselves, and never more than what they are part of. */
static void sum_layers(const struct sums *s, struct figures *g)
{
	for (int i = 0; i < LAYER_COUNT; i++)
		for (int a = 0; a < ACCOUNT_COUNT; a++) {
			bool low = tally_layer_has((enum layer)i, (enum account)a, false);
			bool high = tally_layer_has((enum layer)i, (enum account)a, true);
			g->low_ms[i] += low ? g->accounts_ms[a] : 0;
			g->high_ms[i] += high ? g->accounts_ms[a] : 0;
		}
	i128 low = g->low_ms[LAYER_PRODUCTIVE], *high = &g->high_ms[LAYER_PRODUCTIVE];
	*high = at_most(figures_ms(s->high[LAYER_PRODUCTIVE]), g->high_ms[LAYER_EFFECTIVE]);
	if (*high < low || s->low[LAYER_PRODUCTIVE] == s->high[LAYER_PRODUCTIVE])
		*high = low;
	g->successful_ms = at_most(figures_ms(s->successful), g->low_ms[LAYER_ALLOCATED]);
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		bool sure = accounts[a].recoverable == RECOVERABLE_YES;
		g->recoverable_low_ms += sure ? g->accounts_ms[a] : 0;
		g->recoverable_high_ms +=
		        accounts[a].recoverable != RECOVERABLE_NO ? g->accounts_ms[a] : 0;
	}
}

void figures_set_energy(struct figures *g, const struct tally *t, i128 millijoules)
{
	auto_arena scratch = ARENA_NULL;
	g->millijoules = millijoules;
	round_parts(&scratch, t->sums.energy, ACCOUNT_COUNT, GRID, millijoules, g->joules_milli);
}

void figures_build(const struct tally *t, const struct cost *c, i128 paid_ms, i128 cost,
                   struct figures *ret_figures)
{
	auto_arena scratch = ARENA_NULL;
	struct figures *g = ret_figures;
	i128 nums[ACCOUNT_COUNT], total = 0;
	*g = (struct figures){ .paid_ms = paid_ms >= 0 ? paid_ms : figures_ms(t->sums.paid) };
	round_parts(&scratch, t->sums.accounts, ACCOUNT_COUNT, UNITS_PER_MS, g->paid_ms,
	            g->accounts_ms);
	round_matrix(&scratch, &t->sums, g);
	sum_layers(&t->sums, g);
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		total += t->sums.energy[a];
	figures_set_energy(g, t, round_half_up(total, GRID));
	total = 0;
	if (!c->has_price)
		return;
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		nums[a] = t->accounts[a].num;
		total += nums[a];
		g->costs_known[a] = t->accounts[a].priced == t->accounts[a].units;
	}
	g->cost = cost >= 0 ? cost : figures_minor(c, total);
	g->cost_known = t->total.priced == t->total.units;
	round_parts(&scratch, nums, ACCOUNT_COUNT, minor_unit(c), g->cost, g->costs);
}
