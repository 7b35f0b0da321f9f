/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mon_time.h"

#include "parse/when.h"

#define DAY_S 86400

void smi_mon_clock_begin(struct smi_mon_clock *c, const struct zone *zone, int64_t at_ms)
{
	*c = (struct smi_mon_clock){ .zone = zone, .base_ms = at_ms, .last_ms = TIME_UNKNOWN };
	if (at_ms == TIME_UNKNOWN)
		return;
	int64_t at_s = at_ms / 1000 - (at_ms % 1000 < 0), local_s = at_s + zone_offset(zone, at_s);
	c->last_local_s = local_s - ((local_s % DAY_S) + DAY_S) % DAY_S;
	c->has_day = true;
}

void smi_mon_clock_restart(struct smi_mon_clock *c, int64_t delay_ms)
{
	c->delay_ms = delay_ms;
	if (!c->is_open)
		return;
	c->base_ms = TIME_UNKNOWN;
	c->is_open = c->is_lost = false;
	c->tick = 0;
	c->gpus = 0;
}

void smi_mon_clock_set(struct smi_mon_clock *c, int64_t at_ms)
{
	smi_mon_clock_restart(c, c->delay_ms);
	c->base_ms = at_ms;
}

/* DATE and TIME as seconds on that clock. */
static bool local_read(struct str date, struct str time, int64_t *ret_s)
{
	char z[19] = { "0000-00-00T00:00:00" };
	int64_t ms;
	if (date.n != 8 || time.n != 8)
		return false;
	memcpy(z, date.p, 4);
	memcpy(z + 5, date.p + 4, 2);
	memcpy(z + 8, date.p + 6, 2);
	memcpy(z + 11, time.p, 8);
	if (when_parse((struct str){ z, sizeof z }, NULL, &ms) != WHEN_OK)
		return false;
	*ret_s = ms / 1000 - (ms % 1000 < 0);
	return true;
}

static int64_t instant_of(struct smi_mon_clock *c, int64_t local_s)
{
	int64_t utc_s;
	enum zone_answer answer = zone_to_utc(c->zone, local_s, &utc_s);
	if (answer == ZONE_AMBIGUOUS && c->last_ms != TIME_UNKNOWN && utc_s * 1000 < c->last_ms)
		utc_s = zone_second(c->zone, utc_s);
	c->was_local = true;
	c->was_set_back |= c->last_ms != TIME_UNKNOWN && utc_s * 1000 < c->last_ms;
	c->last_ms = utc_s * 1000;
	return c->last_ms;
}

enum smi_mon_miss smi_mon_clock_stamp(struct smi_mon_clock *c, struct str date, struct str time,
                                      int64_t *ret_ms)
{
	int64_t local_s;
	if (!time.p)
		return SMI_MON_NO_HOUR;
	if (!local_read(date.p ? date : S("20000101"), time, &local_s))
		return SMI_MON_BAD_TIME;
	if (!date.p && !c->has_day)
		return SMI_MON_NO_DAY;
	if (!date.p) {
		int64_t in_day = local_s % DAY_S, last = c->last_local_s;
		local_s = last - ((last % DAY_S) + DAY_S) % DAY_S + in_day;
		if (c->has_row && local_s < last - DAY_S / 2)
			local_s += DAY_S;
		else if (c->has_row && local_s > last + DAY_S / 2)
			local_s -= DAY_S;
		c->last_local_s = local_s;
		c->has_row = true;
	}
	*ret_ms = instant_of(c, local_s);
	return SMI_MON_PLACED;
}

enum smi_mon_miss smi_mon_clock_tick(struct smi_mon_clock *c, uint64_t gpu, bool is_again,
                                     int64_t *ret_ms)
{
	bool is_next = c->is_open && (is_again || gpu < c->gpu);
	c->tick += is_next;
	c->gpus = !c->is_open || is_next ? 1 : c->gpus + (gpu != c->gpu);
	c->gpu = gpu;
	c->is_open = true;
	if (c->base_ms == TIME_UNKNOWN)
		return SMI_MON_NO_TIME;
	if (c->is_lost)
		return SMI_MON_NO_SAMPLE;
	int64_t after_ms;
	if (c->tick && !c->delay_ms)
		return SMI_MON_NO_DELAY;
	if (__builtin_mul_overflow(c->tick, c->delay_ms, &after_ms) ||
	    __builtin_add_overflow(c->base_ms, after_ms, ret_ms) || *ret_ms > TIME_MS_MAX)
		return SMI_MON_NO_TIME;
	return SMI_MON_PLACED;
}
