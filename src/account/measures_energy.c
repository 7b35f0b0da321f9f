/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of energy and depth: ledger.md 8; decisions K. */
#include "account/measures.h"

static const char no_energy[] =
        "no energy of stalled and active time: give power.draw or the energy counter";

static i128 sum_of(const i128 *of, int from, int to)
{
	i128 sum = 0;
	for (int i = from; i <= to; i++)
		sum += of[i];
	return sum;
}

static i128 in_execution(const i128 *of)
{
	return sum_of(of, ACCOUNT_STALLED_INPUT, ACCOUNT_STALLED_SPINNING) +
	       sum_of(of, ACCOUNT_OVERHEAD_CHECKPOINT, ACCOUNT_ACTIVE_UNJUDGED);
}

static void energy_share(const struct measure_input *in, struct measure *m, bool spinning)
{
	const struct sums *s = &in->t->sums;
	int last = spinning ? ACCOUNT_STALLED_SPINNING : ACCOUNT_STALLED_UNEXPLAINED;
	i128 stalled = sum_of(s->energy, ACCOUNT_STALLED_INPUT, last);
	i128 all = in_execution(s->energy), metered = in_execution(s->metered);
	i128 hidden = in->t->depths[DEPTH_HIDDEN].num / 1000000;
	i128 active = sum_of(s->energy, ACCOUNT_OVERHEAD_CHECKPOINT, ACCOUNT_ACTIVE_UNJUDGED);
	i128 active_units =
	        sum_of(s->accounts, ACCOUNT_OVERHEAD_CHECKPOINT, ACCOUNT_ACTIVE_UNJUDGED);
	double low = measure_ratio(stalled, all);
	if (!metered || !all) {
		measure_null(m, no_energy);
		return;
	}
	measure_band(m, low, low + measure_ratio(hidden, active_units) * measure_ratio(active, all),
	             measure_ratio(metered, in_execution(s->accounts)));
	if (hidden)
		m->why_null = measure_hidden;
}

void measure_execution_idle_energy_share(const struct measure_input *in, struct measure *m)
{
	energy_share(in, m, false);
}

void measure_execution_idle_energy_share_with_spinning(const struct measure_input *in,
                                                       struct measure *m)
{
	energy_share(in, m, true);
}

static bool is_stalled(const struct cell *c, bool spinning)
{
	return (c->state >= STATE_STALLED_INPUT && c->state <= STATE_STALLED_UNEXPLAINED) ||
	       (spinning && c->state == STATE_STALLED_SPINNING);
}

/* K.10: of slots whose vacant power is known. */
static void avoidable(const struct measure_input *in, struct measure *m, bool spinning)
{
	const struct ledger *l = in->l;
	long double joules = 0;
	i128 stalled = 0, metered = 0, counted = 0;
	for (size_t i = 0; i < in->t->cells_n; i++) {
		const struct cell *c = tally_cell(in->t, l, i);
		if (!is_stalled(c, spinning))
			continue;
		stalled += c->units;
		if (!l->drawn.n)
			continue;
		const struct drawn *d = &l->drawn.v[tally_index(in->t, i)];
		metered += d->metered;
		if (c->place >= l->vacancies.n || !l->vacancies.v[c->place].ms)
			continue;
		const struct vacancy *v = &l->vacancies.v[c->place];
		long double watts = (long double)v->microjoules / (long double)v->ms / 1000;
		counted += d->metered;
		joules += (long double)d->energy / GRID / 1000 -
		          watts * (long double)d->metered / UNITS_PER_SECOND;
	}
	if (!stalled)
		measure_null(m, in->l->has_samples ? "no time was seen stalled"
		                                   : "no GPU readings: nobody saw what stalled");
	else if (!metered)
		measure_null(m, no_energy);
	else if (!counted)
		measure_null(m, "vacant power is not known: no minute without a program was "
		                "measured on these GPUs, and no input states it");
	else
		measure_value(m, (double)joules, measure_ratio(counted, stalled));
}

void measure_avoidable_energy(const struct measure_input *in, struct measure *m)
{
	avoidable(in, m, false);
}

void measure_avoidable_energy_with_spinning(const struct measure_input *in, struct measure *m)
{
	avoidable(in, m, true);
}

void measure_ofu(const struct measure_input *in, struct measure *m)
{
	const struct depth_sum *d = in->t->depths;
	i128 active =
	        sum_of(in->t->sums.accounts, ACCOUNT_ACTIVE_PRODUCTIVE, ACCOUNT_ACTIVE_UNJUDGED);
	if (d[DEPTH_of_ofu].units)
		measure_value(m, depth_value(DEPTH_of_ofu, &d[DEPTH_of_ofu]),
		              measure_ratio(d[DEPTH_of_ofu].units, active));
	else if (!d[DEPTH_of_tensor].units)
		measure_null(m, "no reading of tensor activity in active time: give "
		                "dcgm-exporter with profiling metrics");
	else
		measure_null(m, "needs the SM clock beside tensor activity, and a GPU model whose "
		                "tensor clock is known");
}
