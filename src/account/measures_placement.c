/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of where free GPUs are lost: stranded, fragmented, beyond what was asked for. */
#include "account/fragment.h"
#include "account/measures.h"

static const char no_capacity[] =
        "no input says which GPUs are paid for: give scontrol show node, kubectl get nodes, or a "
        "list of GPUs";

void measure_stranded_gpu_hours(const struct measure_input *in, struct measure *m)
{
	const struct sums *s = &in->t->sums;
	i128 free = 0;
	for (int i = ACCOUNT_FREE_UNMANAGED; i <= ACCOUNT_FREE_IDLE; i++)
		free += s->accounts[i];
	if (s->free_is_null || !in->l->has_capacity)
		measure_null(m, no_capacity);
	else if (!in->l->has_queue)
		measure_null(m, "the queue was not seen: give squeue, or sacct with pending jobs");
	else if (s->accounts[ACCOUNT_FREE_BLOCKED])
		measure_band(m, measure_ratio(s->accounts[ACCOUNT_FREE_STRANDED], UNITS_PER_HOUR),
		             measure_ratio(s->accounts[ACCOUNT_FREE_STRANDED] +
		                                   s->accounts[ACCOUNT_FREE_BLOCKED],
		                           UNITS_PER_HOUR),
		             1 - measure_ratio(s->accounts[ACCOUNT_FREE_BLOCKED], free));
	else
		measure_value(m, measure_ratio(s->accounts[ACCOUNT_FREE_STRANDED], UNITS_PER_HOUR),
		              1);
}

/* Of the whole fleet only: the mix is everybody's. What cannot be told is not 0. */
static bool fragment_is_known(const struct measure_input *in, struct measure *m)
{
	const struct fragment *x = &in->l->fragment;
	if (in->t->cells)
		measure_null(m, "known of the whole fleet only");
	else if (!in->l->has_capacity)
		measure_null(m, no_capacity);
	else if (!x->tasks)
		measure_null(m, "no job that wants GPUs was handed in in the window: give sacct, "
		                "squeue, or "
		                "kubectl get pods");
	else if (!x->idle)
		measure_null(m, "no free GPU was seen on a node with a name");
	return x->tasks && x->idle && !in->t->cells && in->l->has_capacity;
}

static double fragment_coverage(const struct measure_input *in)
{
	const struct sums *s = &in->t->sums;
	const struct fragment *x = &in->l->fragment;
	i128 free = 0;
	for (int i = ACCOUNT_FREE_RESERVE; i <= ACCOUNT_FREE_IDLE; i++)
		free += s->accounts[i];
	double mix = (double)x->tasks / (double)(x->tasks + x->left_out);
	return free ? measure_ratio(x->idle, free) * mix : 0;
}

void measure_fragmentation_share(const struct measure_input *in, struct measure *m)
{
	const struct fragment *x = &in->l->fragment;
	if (fragment_is_known(in, m))
		measure_value(m, fragment_units(x) / (double)x->idle, fragment_coverage(in));
}

void measure_fragmentation_gpu_hours(const struct measure_input *in, struct measure *m)
{
	if (fragment_is_known(in, m))
		measure_value(m, fragment_units(&in->l->fragment) / (double)UNITS_PER_HOUR,
		              fragment_coverage(in));
}

void measure_over_allocated_gpu_hours(const struct measure_input *in, struct measure *m)
{
	const struct ledger *l = in->l;
	i128 told = 0, all = 0;
	for (size_t i = 0; i < in->t->cells_n; i++) {
		const struct cell *c = tally_cell(in->t, l, i);
		if (c->job == NONE || states[c->state].group == GROUP_DOWN ||
		    states[c->state].group == GROUP_UNKNOWN)
			continue;
		all += c->units;
		told += in->f->jobs.v[c->job].requested != COUNT_UNKNOWN ? c->units : 0;
	}
	if (!l->has_scheduler)
		measure_null(m, "no scheduler facts: give sacct, squeue, or kubectl get pods");
	else if (!told)
		measure_null(
		        m,
		        all ? "the jobs do not say how many GPUs they asked for: give sacct with "
		              "ReqTRES"
		            : "nothing was allocated in the window");
	else
		measure_value(m,
		              measure_ratio(in->t->sums.marks[__builtin_ctz(MARK_UNREQUESTED)],
		                            UNITS_PER_HOUR),
		              measure_ratio(told, all));
}
