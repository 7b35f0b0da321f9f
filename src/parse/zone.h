/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * zone: local time to UTC and back, from the bytes of a TZif file (RFC 8536, versions 1 to 4, with
 * the footer's rule for the years after the last listed change).
 *
 * Whoever has the file reads it (/usr/share/zoneinfo/Europe/Berlin); this is pure. A NULL zone is
 * UTC. Files that count leap seconds ("right/") are refused.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* One change of the year in a footer rule. */
struct zone_rule {
	enum zone_rule_kind { ZONE_JULIAN, ZONE_ZERO_BASED, ZONE_WEEKDAY } kind;
	int32_t month, week, day; /* JULIAN, ZERO_BASED: day of the year in `day` */
	int32_t at_s;             /* local time of the change; may be negative or over a day */
};

struct zone {
	const int64_t *at_s;     /* changes, UTC, strictly rising */
	const int32_t *offset_s; /* east of UTC, from at_s[i] on */
	size_t n;
	int32_t first_offset_s; /* before the first change */
	bool has_footer, has_dst;
	int32_t std_s, dst_s; /* footer: offsets east of UTC */
	struct zone_rule dst_begins, dst_ends;
};

enum zone_answer {
	ZONE_OK,
	ZONE_GAP,       /* no such local time: the instant by the offset before the gap is given */
	ZONE_AMBIGUOUS, /* two such instants: the first is given */
};

/* BYTES is a whole TZif file. What ZONE points to lives in A. */
NODISCARD enum err_code zone_parse(struct arena *a, struct str bytes, struct zone *ret_zone,
                                   struct err *err);
/* Seconds east of UTC at the instant UTC_S. */
int32_t zone_offset(const struct zone *zone, int64_t utc_s);
/* LOCAL_S: what the wall clock shows, as seconds since 1970-01-01T00:00:00 on that clock. */
enum zone_answer zone_to_utc(const struct zone *zone, int64_t local_s, int64_t *ret_utc_s);
/* Where the clock shows the local time of UTC_S twice and UTC_S is the first: the second; else
 * UTC_S.
 */
int64_t zone_second(const struct zone *zone, int64_t utc_s);
