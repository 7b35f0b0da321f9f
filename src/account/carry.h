/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * carry: what the meter has to be told of time whose samples are gone, so that it goes on as if it
 * had seen them. A meter that runs as time passes asks for it in one build and gives it to the next
 * (agent/live.h); a report over whole histories has none.
 */
#include "base/vec.h"
#include "base/wide.h"
#include "facts/facts.h"

/* A job's setup on a device or an instance, or on the slots of a node. */
struct carried_setup {
	uint32_t job; /* index into facts.jobs */
	sym place;
	int64_t exists_ms; /* since when the slot does: an id may come again (B.4) */
	bool is_node;
	bool is_heard;  /* some sample spoke of it */
	int64_t end_ms; /* of setup, by activity; INT64_MAX: not yet */
};

#define CARRIED_ENERGY_MODULUS 2000 /* half microjoules in a millijoule: what rounding goes by */

/* Of a device: what it drew until a sample of it, AT, in half microjoules. The rows up to that one
   only tell where the next one begins. */
struct carried_energy {
	sym device;
	int64_t at_ms;
	i128 half_microjoules;
};

struct carry {
	VEC(struct carried_setup) setups; /* of the build before */
	VEC(struct carried_energy) energies;
	VEC(struct carried_setup) setups_after; /* of this build */
	VEC(struct carried_energy) asks; /* device and time given; the energy is the answer */
};

struct meter;
struct setup_group;
struct slot;

void carry_deinit(struct carry *c);
/* The setup of a job that goes on. */
void carry_setup(const struct meter *m, struct setup_group *g);
void carry_keep_setup(struct meter *m, const struct setup_group *g);
/* What DEVICE drew before the samples that there are; NULL: nothing is carried. */
const struct carried_energy *carry_energy(const struct meter *m, sym device);
/* Answers what is asked of the device of S, whose spans are made. */
void carry_keep_energy(struct meter *m, const struct slot *s);
