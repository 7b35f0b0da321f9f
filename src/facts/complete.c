/* SPDX-License-Identifier: Apache-2.0 */
/* complete: readings that follow from others. A part that is not known leaves the sum unknown, with
 * its reason. */
#include "facts/facts.h"

static bool knows(const struct sample *s, enum metric_id id)
{
	return s->known & metric_bit(id);
}

static void sum(struct sample *s, enum metric_id id, const enum metric_id *parts, size_t n)
{
	int64_t all = 0;
	for (size_t i = 0; i < n; i++) {
		enum why why = knows(s, parts[i]) ? WHY_KNOWN : (enum why)s->why[parts[i]];
		if (why == WHY_KNOWN && __builtin_add_overflow(all, s->v[parts[i]], &all))
			why = WHY_OUT_OF_RANGE;
		if (why == WHY_KNOWN)
			continue;
		if (s->why[id] == WHY_ABSENT)
			s->why[id] = (uint8_t)why;
		return;
	}
	sample_know(s, id, all);
}

void facts_complete(struct sample *s)
{
	static const enum metric_id pcie[] = { METRIC_pcie_tx, METRIC_pcie_rx };
	static const enum metric_id nvlink[] = { METRIC_nvlink_tx, METRIC_nvlink_rx };
	static const enum metric_id used[] = { METRIC_mem_taken, METRIC_mem_reserve };
	static const enum metric_id size[] = { METRIC_mem_taken, METRIC_mem_reserve,
		                               METRIC_mem_free };
	if (!knows(s, METRIC_pcie))
		sum(s, METRIC_pcie, pcie, 2);
	if (!knows(s, METRIC_nvlink))
		sum(s, METRIC_nvlink, nvlink, 2);
	if (!knows(s, METRIC_mem_size))
		sum(s, METRIC_mem_size, size, 3);
	/* the reserve may become known later: this one is made anew */
	if (knows(s, METRIC_mem_taken) && knows(s, METRIC_mem_reserve))
		sum(s, METRIC_mem_used, used, 2);
	else if (!knows(s, METRIC_mem_used) && knows(s, METRIC_mem_taken))
		sample_know(s, METRIC_mem_used, s->v[METRIC_mem_taken]);
	else if (!knows(s, METRIC_mem_used) && s->why[METRIC_mem_used] == WHY_ABSENT)
		s->why[METRIC_mem_used] = s->why[METRIC_mem_taken];
	if (!knows(s, METRIC_power) && knows(s, METRIC_power_instant))
		sample_know(s, METRIC_power, s->v[METRIC_power_instant]);
	else if (!knows(s, METRIC_power) && s->why[METRIC_power] == WHY_ABSENT)
		s->why[METRIC_power] = s->why[METRIC_power_instant];
}
