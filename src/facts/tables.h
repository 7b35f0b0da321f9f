/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * tables: the enumerations and descriptions that the .def files declare, and nothing else.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum metric_id {
#define METRIC(id, name, kind, unit, decimals, role, help) METRIC_##name = (id),
#include "facts/metrics.def"
#undef METRIC
	METRIC_COUNT
};
/* The bit of a metric in a set of them. */
static inline uint64_t metric_bit(enum metric_id id)
{
	return (uint64_t)1 << id;
}

enum metric_kind { METRIC_AVERAGE, METRIC_POINT, METRIC_COUNTER };
enum metric_unit {
	UNIT_PERCENT,
	UNIT_GIGABYTES_PER_SECOND,
	UNIT_WATTS,
	UNIT_MEBIBYTES,
	UNIT_FLAG,
	UNIT_MEGAHERTZ,
	UNIT_JOULES,
	UNIT_CELSIUS,
	UNIT_MASK
};
enum metric_role { ROLE_COMPUTE, ROLE_PROFILE, ROLE_PIPE, ROLE_MEMORY, ROLE_LINK, ROLE_OTHER };
struct metric {
	const char *name, *help;
	enum metric_kind kind;
	enum metric_unit unit;
	unsigned decimals;
	enum metric_role role;
};
extern const struct metric metrics[METRIC_COUNT];

/* The metrics of a role. */
static inline uint64_t metrics_with(enum metric_role role)
{
	return 0
#define METRIC(id, name, kind, unit, decimals, role_of, help) \
	| (ROLE_##role_of == role ? (uint64_t)1 << (id) : 0)
#include "facts/metrics.def"
#undef METRIC
	        ;
}
/* Takes one metric out of a set that is not empty. */
static inline enum metric_id metric_take(uint64_t *set)
{
	int id = __builtin_ctzll(*set);
	*set &= *set - 1;
	return (enum metric_id)id;
}

enum state_group {
	GROUP_DOWN,
	GROUP_FREE,
	GROUP_HARDWARE,
	GROUP_OVERHEAD,
	GROUP_ACTIVE,
	GROUP_UNOBSERVED,
	GROUP_UNKNOWN
};
enum state {
#define STATE(id, name, group, help) STATE_##id,
#include "facts/states.def"
#undef STATE
	STATE_COUNT
};
struct state_info {
	const char *name, *help;
	enum state_group group;
};
extern const struct state_info states[STATE_COUNT];

enum fate {
#define FATE(id, name, help) FATE_##id,
#include "facts/fates.def"
#undef FATE
	FATE_COUNT
};
struct fate_info {
	const char *name, *help;
};
extern const struct fate_info fates[FATE_COUNT];

/* The five layers of ledger.md 7, and the layer that loses an account's time (ledger.md 3). */
enum layer {
	LAYER_PROVISIONED,
	LAYER_ALLOCATED,
	LAYER_ACTIVE,
	LAYER_EFFECTIVE,
	LAYER_PRODUCTIVE,
	LAYER_COUNT
};
enum lost_at {
	LOST_AT_PROVISIONED,
	LOST_AT_ALLOCATED,
	LOST_AT_HARDWARE,
	LOST_AT_APPLICATION,
	LOST_AT_PRODUCTIVE,
	LOST_AT_NOTHING
};
extern const char *const layer_names[LAYER_COUNT];
extern const char *const lost_at_names[];

enum owner { OWNER_BUYER, OWNER_ADMIN, OWNER_PLATFORM, OWNER_USER, OWNER_VENDOR, OWNER_NOBODY };
extern const char *const owner_names[];
enum recoverable { RECOVERABLE_YES, RECOVERABLE_PARTLY, RECOVERABLE_NO };
extern const char *const recoverable_names[];

enum account {
#define ACCOUNT(id, name, state, fate, lost, owner, recoverable, shrinks) ACCOUNT_##id,
#include "facts/accounts.def"
#undef ACCOUNT
	ACCOUNT_COUNT
};
struct account_info {
	const char *name, *shrinks;
	enum state state;
	int fate; /* enum fate, or -1 for every fate of the state */
	enum lost_at lost_at;
	enum owner owner;
	enum recoverable recoverable;
};
extern const struct account_info accounts[ACCOUNT_COUNT];
struct account_colour {
	const char *on_white, *on_black; /* #rrggbb */
	bool is_hatched;
};
extern const struct account_colour account_colours[ACCOUNT_COUNT];
/* Accounts in the order that they are stacked in, from below. */
extern const uint8_t account_stack[ACCOUNT_COUNT];
/* The account that names the cell (STATE, FATE). */
enum account account_of(enum state state, enum fate fate);

enum outcome {
#define OUTCOME(id, name, fate, help) OUTCOME_##id,
#include "facts/outcomes.def"
#undef OUTCOME
	OUTCOME_COUNT
};
struct outcome_info {
	const char *name, *help;
	enum fate fate;
};
extern const struct outcome_info outcomes[OUTCOME_COUNT];

enum progress_type {
#define PROGRESS(id, name, help) PROGRESS_##id,
#include "facts/progress.def"
#undef PROGRESS
	PROGRESS_COUNT
};
struct progress_info {
	const char *name, *help;
};
extern const struct progress_info progress_types[PROGRESS_COUNT];

/* Why a reading has no value. */
enum why {
	WHY_KNOWN,
	WHY_UNSUPPORTED,
	WHY_NO_PERMISSION,
	WHY_LOST,
	WHY_STALE,
	WHY_OUT_OF_RANGE,
	WHY_ABSENT,
	WHY_NOT_READY,
	WHY_COUNT
};
extern const char *const why_names[WHY_COUNT];

enum job_kind { KIND_BATCH, KIND_INTERACTIVE, KIND_SERVICE, KIND_CI, KIND_COUNT };
extern const char *const kind_names[KIND_COUNT];

/* Names to numbers; -1 when the word is none of them. */
int outcome_find(struct str name);
int fate_find(struct str name);
int kind_find(struct str name);
int progress_find(struct str name);
int metric_find(struct str name);
int account_find(struct str name);
