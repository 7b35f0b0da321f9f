/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_mon_time: when the rows of dmon and pmon were read. Part of nvidia_smi_mon.
 *
 * -o DT prints local time without a zone. In the hour that the clock shows twice, a time that lies
 * before that of the row before is the second one. With the time of day alone (-o T) the first row
 * is of the day that is given, and each further one of the day that brings it nearest to the row
 * before: midnight passes, and a clock that was set back stays where it is.
 *
 * Rows without times belong to samples: a sample ends where a GPU comes again. The first sample
 * after a given time is of that time; those after it follow if the delay is known.
 */
#include "read/nvidia_smi_mon_head.h"

enum smi_mon_miss {
	SMI_MON_PLACED,
	SMI_MON_NO_HEAD,   /* what its columns are is not known */
	SMI_MON_BAD_TIME,  /* DATE or TIME is none */
	SMI_MON_NO_TIME,   /* nothing says when */
	SMI_MON_NO_DAY,    /* a time of day alone, and no day is given */
	SMI_MON_NO_HOUR,   /* a date alone */
	SMI_MON_NO_DELAY,  /* a later sample than the one whose time is given */
	SMI_MON_NO_SAMPLE, /* of pmon: where a sample begins cannot be told */
	SMI_MON_MISS_COUNT
};

struct smi_mon_clock {
	const struct zone *zone;
	int64_t base_ms, delay_ms; /* of rows without times; TIME_UNKNOWN, 0: not known */
	int64_t last_ms;           /* of the newest row with a time; TIME_UNKNOWN: none yet */
	int64_t last_local_s;      /* of the newest row with -o T, or the start of the first day */
	bool has_day, has_row;     /* LAST_LOCAL_S is known; is a row's */
	bool was_local, was_set_back;
	/* samples of rows without times */
	bool is_open, is_lost;
	int64_t tick;
	uint64_t gpu, gpus; /* of the newest row; the most in one sample */
};

/* AT_MS: TIME_UNKNOWN: not given. */
void smi_mon_clock_begin(struct smi_mon_clock *c, const struct zone *zone, int64_t at_ms);
/* What follows is another run of dmon or pmon, with DELAY_MS between its samples (0: not known). */
void smi_mon_clock_restart(struct smi_mon_clock *c, int64_t delay_ms);
/* The next sample is of AT_MS. */
void smi_mon_clock_set(struct smi_mon_clock *c, int64_t at_ms);
/* A row that has DATE ("20261130"), TIME ("12:00:00"), or both. RET_MS is written if it is placed.
 */
enum smi_mon_miss smi_mon_clock_stamp(struct smi_mon_clock *c, struct str date, struct str time,
                                      int64_t *ret_ms);
/* A row of GPU that has neither. IS_AGAIN: it cannot be of the newest row's sample, though it is of
   the same GPU or a later one. */
enum smi_mon_miss smi_mon_clock_tick(struct smi_mon_clock *c, uint64_t gpu, bool is_again,
                                     int64_t *ret_ms);
