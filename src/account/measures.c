/* SPDX-License-Identifier: Apache-2.0 */
#include "account/measures.h"

#include <math.h>

const struct measure_info measures[MEASURE_COUNT] = {
#define MEASURE(id, unit, head, formula) { #id, head, formula, MEASURE_##unit, measure_##id },
#include "account/measures.def"
#undef MEASURE
};

const char *const measure_units[MEASURE_UNIT_COUNT] = {
	"ratio",
	"s",
	"h",
	"cpu_h",
	"gpu_h",
	"gpus",
	"money",
	"money/gpu_h",
	"money/run",
	"money/request",
	"money/10^6 tokens",
	"1/gpu_h",
	"1/money",
	"J",
};

static const char no_capacity[] =
        "no input says which GPUs are paid for: give scontrol show node, kubectl get nodes, or a "
        "list of GPUs";
static const char no_scheduler[] = "no scheduler facts: give sacct, squeue, or kubectl get pods";
static const char no_readings[] =
        "no readings of allocated GPUs: give nvidia-smi, dcgm-exporter";
const char measure_hidden[] =
        "readings over 5 s or more hide shorter stalls and leave a band: sample every 1 to 2 s";
static const char nothing_paid[] = "nothing was paid for in the window";

void measures_compute(const struct measure_input *in, struct measure ret[MEASURE_COUNT])
{
	auto_arena scratch = ARENA_NULL;
	struct measure_input with = *in;
	with.shared = measure_shared_new(&scratch);
	for (int i = 0; i < MEASURE_COUNT; i++) {
		ret[i] = (struct measure){ .coverage = 0 };
		measures[i].compute(&with, &ret[i]);
	}
}

bool measure_is_money(enum measure_unit unit)
{
	return unit >= MEASURE_MONEY && unit <= MEASURE_MONEY_PER_MILLION_TOKENS;
}

void measure_value(struct measure *m, double value, double coverage)
{
	*m = (struct measure){ .has_value = true,
		               .has_low = true,
		               .has_high = true,
		               .value = value,
		               .low = value,
		               .high = value,
		               .coverage = coverage };
}

void measure_band(struct measure *m, double low, double high, double coverage)
{
	if (low == high) {
		measure_value(m, low, coverage);
		return;
	}
	*m = (struct measure){ .has_low = true,
		               .has_high = true,
		               .low = low,
		               .high = high,
		               .coverage = coverage,
		               .why_null = "time that nobody observed leaves a band" };
}

void measure_null(struct measure *m, const char *why)
{
	*m = (struct measure){ .why_null = why };
}

double measure_ratio(i128 num, i128 den)
{
	return den ? (double)((long double)num / (long double)den) : 0;
}

double measure_quantile(const double *sorted, size_t n, double q)
{
	double at = q * (double)(n - 1);
	size_t i = (size_t)at;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (sorted[i + 1] - sorted[i]) * (at - (double)i);
}

static i128 unseen(const struct sums *s)
{
	return s->accounts[ACCOUNT_UNOBSERVED] + s->accounts[ACCOUNT_UNKNOWN];
}

void measure_allocation_rate(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	if (s->free_is_null || !in->l->has_capacity) {
		measure_null(m, no_capacity);
		return;
	}
	if (!s->paid) {
		measure_null(m, nothing_paid);
		return;
	}
	measure_band(m, measure_ratio(s->low[LAYER_ALLOCATED], s->paid),
	             measure_ratio(s->high[LAYER_ALLOCATED], s->paid),
	             1 - measure_ratio(s->accounts[ACCOUNT_UNKNOWN], s->paid));
}

void measure_successful_rate(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	if (!in->l->has_scheduler)
		measure_null(m, no_scheduler);
	else if (!s->paid)
		measure_null(m, nothing_paid);
	else
		measure_value(m, measure_ratio(s->successful, s->paid),
		              1 - measure_ratio(s->accounts[ACCOUNT_UNKNOWN], s->paid));
}

void measure_productive_rate(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	if (!s->paid)
		measure_null(m, nothing_paid);
	else
		measure_band(m, measure_ratio(s->low[LAYER_PRODUCTIVE], s->paid),
		             measure_ratio(s->high[LAYER_PRODUCTIVE], s->paid),
		             1 - measure_ratio(unseen(s), s->paid));
}

static void hours_of(struct measure *m, i128 units, double coverage)
{
	measure_value(m, measure_ratio(units, UNITS_PER_HOUR), coverage);
}

void measure_interrupted_gpu_hours(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	if (!in->l->has_scheduler)
		measure_null(m, no_scheduler);
	else
		hours_of(m, s->outcome[OUTCOME_NODE_FAILED] + s->outcome[OUTCOME_PREEMPTED],
		         s->paid ? 1 - measure_ratio(s->accounts[ACCOUNT_UNKNOWN], s->paid) : 0);
}

void measure_free_while_wanted_share(const struct measure_input *in, struct measure *m)
{
	const struct ledger *l = in->l;
	double window = (double)(l->window.to_ms - l->window.from_ms);
	if (in->t->cells)
		measure_null(m, "known of the whole fleet only");
	else if (!l->has_capacity)
		measure_null(m, no_capacity);
	else if (!l->has_queue || !l->queue_ms)
		measure_null(m, "the queue was not seen: give squeue, or sacct with pending jobs");
	else
		measure_value(m, (double)l->wanted_ms / (double)l->queue_ms,
		              window > 0 ? fmin(1, (double)l->queue_ms / window) : 0);
}

/* Hours of an account that only readings or progress can show: nothing seen is not zero. */
static void hours_observed(const struct measure_input *in, struct measure *m, i128 units)
{
	const struct sums *s = &in->t->sums;
	i128 allocated = s->low[LAYER_ALLOCATED];
	i128 unobserved = s->accounts[ACCOUNT_UNOBSERVED];
	if (allocated && unobserved == allocated)
		measure_null(m, no_readings);
	else
		measure_band(m, measure_ratio(units, UNITS_PER_HOUR),
		             measure_ratio(units + unobserved, UNITS_PER_HOUR),
		             allocated ? 1 - measure_ratio(unobserved, allocated) : 1);
}

void measure_setup_gpu_hours(const struct measure_input *in, struct measure *m)
{
	hours_observed(in, m, in->t->sums.accounts[ACCOUNT_SETUP]);
}

void measure_checkpoint_gpu_hours(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	if (!in->f->progress.n)
		measure_null(m, "no checkpoints were reported: give training logs");
	else
		hours_observed(in, m,
		               s->accounts[ACCOUNT_OVERHEAD_CHECKPOINT] +
		                       s->accounts[ACCOUNT_STALLED_CHECKPOINT]);
}

static i128 sum_accounts(const i128 *accounts_of, int from, int to)
{
	i128 sum = 0;
	for (int i = from; i <= to; i++)
		sum += accounts_of[i];
	return sum;
}

/* Of time that was observed: stalled and active layers, without what nobody saw. */
static void idle_share(const struct measure_input *in, struct measure *m, bool spinning)
{
	const struct sums *s = &in->t->sums;
	i128 stalled =
	        sum_accounts(s->accounts, ACCOUNT_STALLED_INPUT, ACCOUNT_STALLED_UNEXPLAINED);
	i128 spin = s->accounts[ACCOUNT_STALLED_SPINNING];
	i128 active =
	        sum_accounts(s->accounts, ACCOUNT_OVERHEAD_CHECKPOINT, ACCOUNT_ACTIVE_UNJUDGED);
	i128 in_execution = stalled + spin + active;
	i128 allocated = s->low[LAYER_ALLOCATED];
	i128 seen = stalled + (spinning ? spin : 0);
	i128 hidden = in->t->depths[DEPTH_HIDDEN].num / 1000000;
	if (!in_execution)
		measure_null(m, no_readings);
	else
		measure_band(m, measure_ratio(seen, in_execution),
		             measure_ratio(seen + hidden, in_execution),
		             allocated
		                     ? 1 - measure_ratio(s->accounts[ACCOUNT_UNOBSERVED], allocated)
		                     : 0);
	if (in_execution && hidden)
		m->why_null = measure_hidden;
}

void measure_execution_idle_share(const struct measure_input *in, struct measure *m)
{
	idle_share(in, m, false);
}

void measure_execution_idle_share_with_spinning(const struct measure_input *in, struct measure *m)
{
	idle_share(in, m, true);
}
