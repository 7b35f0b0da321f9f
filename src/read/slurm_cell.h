/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * slurm_cell: what the parts of one row share: slurm_row.c makes the job, slurm_row_times.c settles
 * its times and state, slurm_row_gpus.c what it held. Words that came before are recognised by
 * their bytes: they are not hashed and compared in the table of names again.
 */
#include "read/slurm.h"

/* S is not empty. */
static inline uint64_t slurm_mix(struct str s)
{
	uint64_t h = s.n >= 8   ? str_load8(s.p) * 31 + str_load8(s.p + s.n - 8)
	             : s.n >= 4 ? (uint64_t)str_load4(s.p) << 32 | str_load4(s.p + s.n - 4)
	                        : (uint64_t)(unsigned char)s.p[0] << 16 |
	                                  (uint64_t)(unsigned char)s.p[s.n / 2] << 8 |
	                                  (unsigned char)s.p[s.n - 1];
	return (h + s.n) * 0x9e3779b97f4a7c15u;
}

static inline size_t slurm_slot_of(struct str s)
{
	return slurm_mix(s) >> 58;
}
_Static_assert(SLURM_SLOTS == 1 << (64 - 58), "slot_of gives that many");
_Static_assert(SLURM_TRES_SLOTS == 1 << (64 - 56), "tres_of gives that many");
_Static_assert(SLURM_WORD_SLOTS == 1 << (64 - 53), "word_at gives that many");

/* W is not empty. */
static inline struct slurm_word *slurm_word_at(struct slurm_feed *s, struct str w)
{
	struct slurm_word *k = &s->words[slurm_mix(w) >> 53];
	if (!str_same(k->text, w))
		*k = (struct slurm_word){ .text = w, .id = facts_word(s->f, w) };
	return k;
}

static inline sym slurm_word_of(struct slurm_feed *s, enum slurm_column c)
{
	return s->value[c].n ? slurm_word_at(s, s->value[c])->id : 0;
}

/* The row's times and state, settled. */
struct slurm_row {
	const struct slurm_state *state;
	int64_t submit_ms, eligible_ms, start_ms, end_ms;
	enum outcome outcome;
	sym model, nodes;
	struct job_traits traits;
	const struct tres_counts *held; /* NULL: not known */
};

/* State, times and outcome; false: the row was rejected. */
bool slurm_row_settle(struct slurm_feed *s, uint64_t line, struct slurm_row *r);
/* What the job held and asked for; its allocations. AT: index of J, whose traits are in R. */
void slurm_row_gpus(struct slurm_feed *s, struct slurm_row *r, struct job *j, uint32_t at);

static inline bool slurm_row_is_unplaced(const struct slurm_feed *s)
{
	return str_eq(s->value[SLURM_NODE_LIST], S("None assigned"));
}

static inline void slurm_saw(struct slurm_feed *s, int64_t ms)
{
	if (ms != TIME_UNKNOWN && ms > s->seen.to_ms)
		s->seen.to_ms = ms;
}
