/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * group: the ledger's cells by what they belong to (`--by user,model`).
 *
 * Every cell is in exactly one group, so that the groups add up to the whole. A key that a cell
 * does not have (free time has no user) is the empty word.
 */
#include "account/cost.h"

#define GROUP_KEYS_MAX 6u

enum group_key {
#define GROUP_KEY(id, name, help) GROUP_##id,
#include "account/group_keys.def"
#undef GROUP_KEY
	GROUP_KEY_COUNT
};
struct group_key_info {
	const char *name, *help;
};
extern const struct group_key_info group_keys[GROUP_KEY_COUNT];

struct group_by {
	enum group_key keys[GROUP_KEYS_MAX];
	struct str labels[GROUP_KEYS_MAX]; /* NAME of label:NAME */
	size_t n;
	/* What a bucket is called under day and hour, by bucket; NULL when neither is asked for. */
	const char *const *bucket_days, *const *bucket_hours;
};

struct group {
	sym keys[GROUP_KEYS_MAX]; /* words of the groups' names */
	size_t cells_at, cells_n; /* in groups.cells */
	i128 units;
};

struct groups {
	struct names names;
	VEC(struct group) v; /* in natural order of the keys' words; the empty word is last */
	uint32_t *cells;     /* indexes of the ledger's cells, by group; in A */
};

/* WORD is a key as typed: "user", "label:project". ERR_USAGE with the nearest name. */
enum err_code group_by_add(struct group_by *by, struct str word, struct err *err) NODISCARD;
bool group_by_has(const struct group_by *by, enum group_key key);
/* What a cell of the ledger is called under the KEY-th of BY's keys; empty: it has none. */
struct str group_word(const struct group_by *by, size_t key, const struct ledger *l,
                      const struct facts *f, const struct cost *c, size_t cell);
void group_build(struct arena *a, const struct group_by *by, const struct ledger *l,
                 const struct facts *f, const struct cost *c, struct groups *ret_groups);
void groups_deinit(struct groups *g);
#define auto_groups __attribute__((cleanup(groups_deinit))) struct groups
