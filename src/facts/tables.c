/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/tables.h"

const struct metric metrics[METRIC_COUNT] = {
#define METRIC(id, name, kind, unit, decimals, role, help) \
	[id] = { #name, help, METRIC_##kind, UNIT_##unit, decimals, ROLE_##role },
#include "facts/metrics.def"
#undef METRIC
};

const struct state_info states[STATE_COUNT] = {
#define STATE(id, name, group, help) { name, help, GROUP_##group },
#include "facts/states.def"
#undef STATE
};

const struct fate_info fates[FATE_COUNT] = {
#define FATE(id, name, help) { name, help },
#include "facts/fates.def"
#undef FATE
};

enum { FATE_ANY = -1 };

const struct account_info accounts[ACCOUNT_COUNT] = {
#define ACCOUNT(id, name, state, fate, lost, owner, recoverable, shrinks) \
	{ name,                                                           \
	  shrinks,                                                        \
	  STATE_##state,                                                  \
	  FATE_##fate,                                                    \
	  LOST_AT_##lost,                                                 \
	  OWNER_##owner,                                                  \
	  RECOVERABLE_##recoverable },
#include "facts/accounts.def"
#undef ACCOUNT
};

enum { SOLID, HATCHED };

const struct account_colour account_colours[ACCOUNT_COUNT] = {
#define ACCOUNT_COLOUR(id, white, black, fill) [ACCOUNT_##id] = { white, black, fill == HATCHED },
#include "facts/account_colours.def"
#undef ACCOUNT_COLOUR
};

const uint8_t account_stack[] = {
#define ACCOUNT_COLOUR(id, white, black, fill) ACCOUNT_##id,
#include "facts/account_colours.def"
#undef ACCOUNT_COLOUR
};
_Static_assert(sizeof account_stack == ACCOUNT_COUNT, "every account has a colour, once");

const struct outcome_info outcomes[OUTCOME_COUNT] = {
#define OUTCOME(id, name, fate, help) { name, help, FATE_##fate },
#include "facts/outcomes.def"
#undef OUTCOME
};

const struct progress_info progress_types[PROGRESS_COUNT] = {
#define PROGRESS(id, name, help) { name, help },
#include "facts/progress.def"
#undef PROGRESS
};

const char *const layer_names[LAYER_COUNT] = { "provisioned", "allocated", "active", "effective",
	                                       "productive" };
const char *const lost_at_names[] = { "provisioned", "allocated",  "hardware",
	                              "application", "productive", "-" };
const char *const owner_names[] = { "buyer", "scheduler admin", "platform", "user", "vendor", "-" };
const char *const recoverable_names[] = { "yes", "partly", "no" };
const char *const why_names[WHY_COUNT] = { "known", "unsupported",  "no_permission", "lost",
	                                   "stale", "out_of_range", "absent",        "not_ready" };
const char *const kind_names[KIND_COUNT] = { "batch", "interactive", "service", "ci" };

/* By state, then by fate, FATE_ANY first; 0: no account, else one more than its number. */
static const uint8_t account_at[STATE_COUNT][FATE_COUNT + 1] = {
#define ACCOUNT(id, name, state, fate, lost_at, owner, recoverable, help) \
	[STATE_##state][FATE_##fate - FATE_ANY] = ACCOUNT_##id + 1,
#include "facts/accounts.def"
#undef ACCOUNT
};
_Static_assert(FATE_ANY == -1 && ACCOUNT_COUNT < UINT8_MAX, "account_at has room");

enum account account_of(enum state state, enum fate fate)
{
	uint8_t any = account_at[state][0], one = account_at[state][(int)fate - FATE_ANY];
	return one ? (enum account)(one - 1) : any ? (enum account)(any - 1) : ACCOUNT_UNKNOWN;
}

#define FIND(function, table, count, field)                         \
	int function(struct str name)                               \
	{                                                           \
		for (int i = 0; i < (count); i++)                   \
			if (str_eq(name, str_of((table)[i] field))) \
				return i;                           \
		return -1;                                          \
	}
FIND(outcome_find, outcomes, OUTCOME_COUNT, .name)
FIND(fate_find, fates, FATE_COUNT, .name)
FIND(kind_find, kind_names, KIND_COUNT, )
FIND(progress_find, progress_types, PROGRESS_COUNT, .name)
FIND(metric_find, metrics, METRIC_COUNT, .name)
FIND(account_find, accounts, ACCOUNT_COUNT, .name)

const char *const ignore_names[] = { "nodes", "pools", "accelerators", "jobs",
	                             "users", "teams", "queues",       NULL };
