/* SPDX-License-Identifier: Apache-2.0 */
#include "account/node_power.h"

#include "base/sort.h"

/* The upper median of the distances of readings in time order; 0: there is none. */
static int64_t period_of(const struct facts *f, const struct keyed *v, size_t n)
{
	if (n < 2)
		return 0;
	uint64_t *gaps = mem_alloc(mem_times(n - 1, sizeof *gaps));
	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = (uint64_t)(f->node_power.v[v[i].with].t_ms -
		                         f->node_power.v[v[i - 1].with].t_ms);
	int64_t median = (int64_t)sort_median_u64(gaps, n - 1);
	mem_free(gaps);
	return median;
}

/* The last of those with one time stays. */
static size_t drop_doubles(const struct facts *f, struct keyed *v, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		if (kept &&
		    f->node_power.v[v[kept - 1].with].t_ms == f->node_power.v[v[i].with].t_ms)
			kept--;
		v[kept++] = v[i];
	}
	return kept;
}

/* All of them, also two of one time. */
static void add_mean(struct node_power_sum *s, const struct facts *f, struct span window,
                     const struct keyed *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct node_power *x = &f->node_power.v[v[i].with];
		if (x->t_ms < window.from_ms || x->t_ms > window.to_ms)
			continue;
		s->readings++;
		s->milliwatts += x->milliwatts;
	}
}

static void add_energy(struct node_power_sum *s, const struct facts *f, struct span window,
                       const struct keyed *v, size_t n)
{
	int64_t period_ms = period_of(f, v, n);
	for (size_t i = 0; i < n; i++) {
		const struct node_power *x = &f->node_power.v[v[i].with];
		int64_t from_ms = x->t_ms - period_ms, to_ms = x->t_ms;
		if (i) {
			int64_t before_ms = f->node_power.v[v[i - 1].with].t_ms;
			if ((i128)2 * (x->t_ms - before_ms) <= (i128)5 * period_ms ||
			    before_ms > from_ms)
				from_ms = before_ms;
		}
		from_ms = from_ms > window.from_ms ? from_ms : window.from_ms;
		to_ms = to_ms < window.to_ms ? to_ms : window.to_ms;
		if (from_ms >= to_ms)
			continue;
		s->covered_ms += to_ms - from_ms;
		s->microjoules += (i128)x->milliwatts * (to_ms - from_ms);
	}
}

const struct node_power_sum *node_power_sums(struct arena *a, const struct facts *f,
                                             struct span window, size_t *ret_n)
{
	size_t n = f->node_power.n, out = 0;
	struct node_power_sum *sums = ARENA_ARRAY(a, struct node_power_sum, n + 1);
	struct keyed *v = mem_alloc(mem_times(n + 1, sizeof *v));
	*ret_n = 0;
	for (size_t i = 0; i < n; i++)
		v[i] = (struct keyed){ sort_key(f->node_power.v[i].t_ms), (int64_t)i };
	sort_keyed(v, n);
	for (size_t i = 0; i < n; i++)
		v[i].key = f->node_power.v[v[i].with].node;
	sort_keyed(v, n); /* stable: by node, then time, then place */
	for (size_t i = 0, to; i < n && window.from_ms != TIME_UNKNOWN; i = to) {
		for (to = i; to < n && v[to].key == v[i].key; to++)
			;
		struct node_power_sum *s = &sums[out++];
		*s = (struct node_power_sum){ .node = (sym)v[i].key,
			                      .window_ms = window.to_ms - window.from_ms };
		add_mean(s, f, window, v + i, to - i);
		add_energy(s, f, window, v + i, drop_doubles(f, v + i, to - i));
	}
	mem_free(v);
	*ret_n = out;
	return sums;
}
