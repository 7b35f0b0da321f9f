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
	if (!metered || !all)
		measure_null(m, no_energy);
	else
		measure_value(m, measure_ratio(stalled, all),
		              measure_ratio(metered, in_execution(s->accounts)));
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
