/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * duration: lengths of time, to milliseconds, floored. Never negative.
 */
#include "base/str.h"

enum duration {
	DURATION_OK,
	DURATION_UNKNOWN, /* empty, UNLIMITED, Partition_Limit, INVALID, N/A, ... */
	DURATION_BAD,
};

/* As Slurm prints and takes them: [D-]HH:MM:SS[.frac], MM:SS[.frac], D-HH[:MM], minutes. */
enum duration duration_parse_slurm(struct str s, int64_t *ret_ms);
/* As people write them: "250ms", "5s", "10m", "2h", "7d", "1w", "1h30m", "1.5h". A unit is needed,
   except for "0". */
enum duration duration_parse(struct str s, int64_t *ret_ms);
