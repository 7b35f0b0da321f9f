/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * when: points in time as people and tools write them, to milliseconds since the Unix epoch, UTC,
 * floored.
 *
 *     2026-11-30T12:00:00[.frac][Z|+hh:mm|+hhmm|+hh| UTC]   also with a blank for T, with / for -,
 *     2026-11-30T12:00   2026-11-30                         without seconds, date only
 *     1764504000[.frac]     9 to 11 digits: seconds         1764504000123   13 digits: milliseconds
 *
 * A time without a zone is read in the zone that is given (NULL: UTC).
 */
#include "base/text.h"
#include "parse/zone.h"

enum when {
	WHEN_OK,
	WHEN_UNKNOWN, /* the writer says that it does not know: empty, Unknown, None, N/A, (null),
	                 Invalid, 0, year 1, the epoch's zero (also printed in another zone) */
	WHEN_BAD,     /* anything else: relative forms ("Mon 14:02"), words, impossible dates */
	WHEN_GAP, /* the clock never showed it (spring); the time by the offset before is given */
};

/* RET_MS is written for WHEN_OK and WHEN_GAP. A local time that the clock showed twice is taken as
   the first; ask zone_to_utc who must know. */
enum when when_parse(struct str s, const struct zone *zone, int64_t *ret_ms);
/* A time on the command line: as above, or "now", or "-7d", "-12h" before NOW_MS. */
enum when when_parse_argument(struct str s, const struct zone *zone, int64_t now_ms,
                              int64_t *ret_ms);
/* RFC 3339 in UTC; milliseconds only when they are not zero. */
void when_print(struct text *t, int64_t ms);

struct when_civil {
	int year, month, day, hour, minute, second, ms;
};
struct when_civil when_civil(int64_t ms);
/* Days since 1970-01-01 of a date of the Gregorian calendar. */
int64_t when_days(int year, int month, int day);
