/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * inputs: the options that every command with INPUT... shares, and INPUT... to facts by them.
 */
#include "base/option.h"
#include "facts/facts.h"
#include "parse/zone.h"

struct inputs_options {
	const char *as, *tz, *run_key, *pseudonyms;
	struct words maps, prices, policies;
	bool strict;
};

#define INPUTS_OPTIONS(type, member)                                                               \
	OPTION(TEXT, type, member.as, "as", 0, "NAME",                                             \
	       "Reads every input as this format ('tare formats'), recognised or not."),           \
	        OPTION(EACH, type, member.maps, "map", 0, "F",                                     \
	               "A mapping file for CSV inputs, or a folder of them. May be given again."), \
	        OPTION(EACH, type, member.prices, "price", 0, "F",                                 \
	               "A price list. May be given again."),                                       \
	        OPTION(EACH, type, member.policies, "policy", 0, "F",                              \
	               "What is meant to be held ready: reserves, headroom. May be given again."), \
	        OPTION(TEXT, type, member.tz, "tz", 0, "ZONE",                                     \
	               "The zone of times without one, and of days: Europe/Berlin. UTC if not "    \
	               "given."),                                                                  \
	        OPTION(TEXT, type, member.run_key, "run-key", 0, "C",                              \
	               "The column or field whose value the attempts of one run share."),          \
	        OPTION(TEXT, type, member.pseudonyms, "pseudonyms", 0, "KEYFILE",                  \
	               "Names of users, jobs, machines and files become keyed hashes: the same "   \
	               "for the same key."),                                                       \
	        OPTION(FLAG, type, member.strict, "strict", 0, NULL,                               \
	               "Exit status 3 if any record was rejected.")

void inputs_options_deinit(struct inputs_options *o);
/* The zone of --tz, in A; NULL: UTC. */
enum err_code inputs_zone(struct arena *a, const struct inputs_options *o,
                          const struct zone **ret_zone, struct err *err) NODISCARD;
/* Reads INPUTS, the price lists and the policies; shows progress where stderr is a terminal; ^C
   ends the reading and keeps what was read. RET_FACTS is the caller's on success. */
enum err_code inputs_read(const struct inputs_options *o, const struct zone *zone,
                          const struct words *inputs, struct facts *ret_facts,
                          struct err *err) NODISCARD;
/* With --pseudonyms, hides the names in F. After all that goes by names was computed. */
enum err_code inputs_hide(const struct inputs_options *o, struct facts *f,
                          struct err *err) NODISCARD;
/* Says on stderr what was rejected; the exit status that it calls for. */
int inputs_status(const char *command, const struct inputs_options *o, const struct facts *f);

/* A take() for durations: "10m", "5s"; the field is int64_t milliseconds. */
enum err_code inputs_take_duration(void *field, struct str value, struct err *err);
/* S as a time ("2026-11-01", RFC 3339, "-7d"); NULL: TIME_UNKNOWN. NAME is the option. */
enum err_code inputs_time(const char *name, const char *s, const struct zone *zone, int64_t *ret_ms,
                          struct err *err) NODISCARD;
