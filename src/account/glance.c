/* SPDX-License-Identifier: Apache-2.0 */
#include "account/glance.h"

#include <string.h>

#include "account/ledger.h"

/* Thresholds of ledger.md 3, in the units of metrics.def. */
#define FIVE_PERCENT 5000000
#define ONE_GIGABYTE_PER_SECOND 1000000000
#define RESIDENT_MEBIBYTES 100000

/* What columns together say of each row; bytes of 0 and 1, or counts. */
struct columns_seen {
	uint8_t profiling[SERIES_ROWS], nonzero[SERIES_ROWS]; /* any known; any of them not 0 */
	uint8_t compute[SERIES_ROWS], compute_high[SERIES_ROWS];
	uint8_t pipes_low[SERIES_ROWS]; /* how many of those that spinning asks for are known and
	                                   low */
	uint8_t link[SERIES_ROWS], link_busy[SERIES_ROWS];
	uint8_t dram_high[SERIES_ROWS], sm_high[SERIES_ROWS];
	uint8_t util[SERIES_ROWS], util_high[SERIES_ROWS];
};

/* ANY: the reading is known; HIGH: and at least X. The other answer is not its opposite. */
static void at_least(const struct series_rows *r, uint32_t n, enum metric_id id, int64_t x,
                     uint8_t *restrict any, uint8_t *restrict high)
{
	const int64_t *restrict v = r->v[id];
	const uint8_t *restrict why = r->why[id];
	for (uint32_t i = 0; i < n; i++) {
		uint8_t known = why[i] == WHY_KNOWN, is_high = v[i] >= x;
		any[i] |= known;
		high[i] |= known & is_high;
	}
}

static void count_low(const struct series_rows *r, uint32_t n, enum metric_id id, int64_t x,
                      uint8_t *restrict count)
{
	const int64_t *restrict v = r->v[id];
	const uint8_t *restrict why = r->why[id];
	for (uint32_t i = 0; i < n; i++) {
		uint8_t known = why[i] == WHY_KNOWN, is_low = v[i] < x;
		count[i] = (uint8_t)(count[i] + (known & is_low));
	}
}

static void not_zero(const struct series_rows *r, uint32_t n, enum metric_id id,
                     uint8_t *restrict any)
{
	const int64_t *restrict v = r->v[id];
	const uint8_t *restrict why = r->why[id];
	for (uint32_t i = 0; i < n; i++) {
		uint8_t known = why[i] == WHY_KNOWN, is = v[i] != 0;
		any[i] |= known & is;
	}
}

static void see_column(const struct series_rows *r, uint32_t n, enum metric_id id,
                       struct columns_seen *s)
{
	uint8_t unused[SERIES_ROWS];
	enum metric_role role = metrics[id].role;
	bool compute = role == ROLE_PROFILE || role == ROLE_PIPE;
	bool pipe = role == ROLE_PIPE || role == ROLE_MEMORY;
	if (compute)
		at_least(r, n, id, FIVE_PERCENT, s->compute, s->compute_high);
	if (pipe)
		count_low(r, n, id, FIVE_PERCENT, s->pipes_low);
	if (compute || pipe) {
		at_least(r, n, id, INT64_MIN, s->profiling, unused);
		not_zero(r, n, id, s->nonzero);
	}
	if (role == ROLE_LINK)
		at_least(r, n, id, ONE_GIGABYTE_PER_SECOND, s->link, s->link_busy);
	if (id == METRIC_dram)
		at_least(r, n, id, FIVE_PERCENT, unused, s->dram_high);
	if (id == METRIC_sm)
		at_least(r, n, id, FIVE_PERCENT, unused, s->sm_high);
	if (id == METRIC_gpu_util)
		at_least(r, n, id, FIVE_PERCENT, s->util, s->util_high);
}

/* V: the value of row AT where it is known. */
static bool known(const struct series_rows *r, enum metric_id id, uint32_t at, int64_t *v)
{
	if (!(r->any >> id & 1) || r->why[id][at] != WHY_KNOWN)
		return false;
	*v = r->v[id][at];
	return true;
}

/* Power is above half of its limit. */
static bool power_busy(const struct series_rows *r, uint32_t at)
{
	int64_t power, limit;
	return known(r, METRIC_power, at, &power) && known(r, METRIC_power_limit, at, &limit) &&
	       2 * (i128)power > limit;
}

/* The third kind of evidence: power and the idle reason. */
static uint8_t inferred_class(const struct series_rows *r, uint32_t at)
{
	int64_t idle, power, vacant;
	bool low = known(r, METRIC_idle_reason, at, &idle) && idle >= 1;
	if (known(r, METRIC_power, at, &power) && known(r, METRIC_vacant_power, at, &vacant)) {
		i128 off = (i128)power - vacant;
		low |= (off < 0 ? -off : off) * 100 <= (i128)vacant * 15;
	}
	bool high = power_busy(r, at);
	return low == high ? CLASS_NONE : high ? CLASS_HIGH : CLASS_LOW;
}

static uint8_t residency_of(const struct series_rows *r, uint32_t at)
{
	int64_t used, reserve;
	if (r->procs_why[at] == WHY_KNOWN)
		return r->procs_n[at] ? RESIDENCY_RESIDENT : RESIDENCY_EMPTY;
	if (!known(r, METRIC_mem_used, at, &used) || !known(r, METRIC_mem_reserve, at, &reserve))
		return RESIDENCY_UNKNOWN;
	return used - reserve >= RESIDENT_MEBIBYTES ? RESIDENCY_RESIDENT : RESIDENCY_EMPTY;
}

/* Metrics that spinning asks for (9.1). */
static uint8_t count_pipes(void)
{
	uint8_t n = 0;
	for (int id = 0; id < METRIC_COUNT; id++)
		n = (uint8_t)(n +
		              (metrics[id].role == ROLE_PIPE || metrics[id].role == ROLE_MEMORY));
	return n;
}

static void glance_row(const struct series_rows *r, const struct columns_seen *s, uint32_t at,
                       uint8_t pipes, struct glances *ret)
{
	/* 9.5: all profiling counters 0 while GPU-Util and power say busy: a broken source, not an
	   idle GPU; the next weaker evidence serves. */
	bool broken = s->profiling[at] && !s->nonzero[at] && s->util_high[at] && power_busy(r, at);
	bool profile = s->compute[at] && !broken, dram = s->dram_high[at] && !broken;
	bool other = dram || s->link_busy[at];
	uint8_t kind;
	if (profile) {
		ret->evidence[at] = EVIDENCE_PROFILE;
		kind = s->compute_high[at] ? CLASS_HIGH : CLASS_LOW;
	} else if (s->util[at]) {
		ret->evidence[at] = EVIDENCE_WEAK;
		kind = s->util_high[at] ? CLASS_HIGH : CLASS_LOW;
	} else {
		kind = inferred_class(r, at);
		ret->evidence[at] = kind == CLASS_NONE ? EVIDENCE_NONE : EVIDENCE_INFERRED;
	}
	ret->is_refuting[at] = kind == CLASS_HIGH || other;
	if (kind == CLASS_HIGH && !broken && s->sm_high[at] && s->pipes_low[at] == pipes &&
	    s->link[at] && !s->link_busy[at])
		kind = CLASS_SPIN;
	else if (kind == CLASS_LOW && other)
		kind = CLASS_BUSY;
	ret->kind[at] = kind;
	ret->residency[at] = residency_of(r, at);
}

void glance_rows(const struct series_rows *rows, uint32_t n, struct glances *ret)
{
	struct columns_seen s = { 0 };
	uint8_t unused[SERIES_ROWS], pipes = count_pipes();
	memset(ret->has_reading, 0, n);
	for (int id = 0; id < METRIC_COUNT; id++) {
		if (!(rows->any >> id & 1))
			continue;
		at_least(rows, n, (enum metric_id)id, INT64_MAX, ret->has_reading, unused);
		see_column(rows, n, (enum metric_id)id, &s);
	}
	for (uint32_t i = 0; i < n; i++)
		glance_row(rows, &s, i, pipes, ret);
}
