/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * live: the meter as time passes. Facts come as they become known; live_step meters the time that
 * has been decided since the last step, and forgets what no later second can ask for. The passes
 * are those of ledger_build, so that the cells of all steps add up to the cells of one build over
 * the whole history (tests/oracle/online.c).
 *
 * Decided is what lies further back than HOLD: 5 s and 2.5 of the longest period at hand, or the
 * skew of allocations' edges where that is more; the longest interval of a service's counters is
 * such a period. Time inside a save, or another stretch that a job speaks of, waits for its end,
 * LIVE_WAIT_MS at most (ledger.md 2). What is decided does not change: facts about it that come
 * later change reports, not counters.
 *
 * Memory and time follow devices and what runs on them: a device keeps the rows of twice HOLD, a
 * job what is needed until it has ended. A step costs one ledger_build over that.
 *
 * Pure: no clock, no file. Times in ms since 1970.
 */
#include "account/carry.h"
#include "account/ledger.h"
#include "base/text.h"
#include "facts/facts.h"

#define LIVE_WORDS_MIN 4096
#define LIVE_WAIT_MS 600000 /* the longest that time waits for the end of what holds it open */

struct live {
	struct facts f;
	struct carry carry;
	struct arena a; /* of the ledger at hand */
	struct ledger ledger;
	int64_t settled_ms; /* metered up to here */
	int64_t keep_ms;    /* what is older is to be forgotten; TIME_UNKNOWN: nothing is */
	int64_t period_ms;  /* the longest of any source; 0: only rows tell */
	size_t words_max;   /* when there are more, they are packed; 0: LIVE_WORDS_MIN */
	uint64_t late;      /* samples of time that was metered already: not seen by any step */
};

/* The time before FROM is not metered. */
void live_init(struct live *l, int64_t from_ms);
void live_deinit(struct live *l);
/* Takes all that FROM says, which is empty afterwards. A Slurm job or a pod that is known already
   (intake/same.h) is what the newer record says. */
void live_add(struct live *l, struct facts *from);
/*
 * Meters what is decided at NOW. RET_LEDGER: its window is what was decided, [settled before,
 * settled now); its words and jobs are those of L->f. Good until the next call. NULL: nothing was
 * decided.
 */
enum err_code live_step(struct live *l, int64_t now_ms, const struct ledger **ret_ledger,
                        struct err *err) NODISCARD;

/* live_state.c. What L is between two steps, as JSON, and back: it goes on as if it had never
   stopped. ERR_INPUT: it is no such state. L has to be dropped either way. */
void live_save(const struct live *l, struct text *t);
enum err_code live_restore(struct live *l, struct str bytes, struct err *err) NODISCARD;
/* Words and lists that L holds, also of what is forgotten; live_pack leaves those in use. */
size_t live_words(const struct live *l);
void live_pack(struct live *l);

/* live_trim.c. How long the rows at hand may leave time undecided. */
int64_t live_hold_ms(const struct live *l);
/* Asks the next build what each device drew until the rows that live_trim will leave. */
void live_ask(struct live *l, int64_t from_ms);
/* Forgets what no time after FROM can ask for. Jobs keep their order. */
void live_trim(struct live *l, int64_t from_ms);
