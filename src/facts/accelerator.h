/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * accelerator: what accelerators.def says of each chip, and which chip a name means.
 *
 * A name that could mean two chips means none: peaks and memory differ by a factor of two between
 * boards of one name, and a default would be believed.
 */
#include "base/str.h"

struct accelerator {
	const char *key, *vendor, *arch, *capability, *form;
	const char *names, *pci_ids, *types; /* words, split at '|' */
	double units, clock_mhz, clock_mhz_max, tensor_per_clock;
	double fp32_tflops, tf32_tflops, bf16_tflops, fp16_tflops, fp8_tflops, fp4_tflops,
	        int8_tops;
	double memory_gb, memory_gbs;
	const char *link;
	double link_gbs;
	const char *pcie;
	double pcie_gbs, power_w;
	unsigned mig_slices; /* of the whole-GPU profile; 0: none or not known */
	const char *source, *confidence, *note;
}; /* numbers: 0 is not known */

enum {
#define ACCELERATOR(...) NAMED_ACCELERATOR(__LINE__)
#define NAMED_ACCELERATOR(line) PASTED_ACCELERATOR(line)
#define PASTED_ACCELERATOR(line) ACCELERATOR_AT_##line,
#include "facts/accelerators.def"
#undef ACCELERATOR
#undef NAMED_ACCELERATOR
#undef PASTED_ACCELERATOR
	ACCELERATOR_COUNT
};
extern const struct accelerator accelerators[ACCELERATOR_COUNT];

/* The chip that NAME means, or -1: a name as a driver reports it, in any case and with '_' or '-'
   for ' ' (as Slurm writes types it detected, and labels of nodes), a key, or a GRES type word that
   only one chip has. */
int accelerator_find(struct str name);
/* Every chip that NAME could mean is one that WORD means: "h100" covers "NVIDIA H100 80GB HBM3",
   and not the other way round. The same names, in any case, cover each other. */
bool accelerator_covers(struct str word, struct str name);
/* NAME as the chip's driver spells it; NAME itself, if it is no chip's. */
struct str accelerator_spelled(struct str name);
/* The name that CUT ("Tesla V100-PCIE") is the beginning of, of a chip with this much memory.
   False: several chips could be meant, or CUT does not show a chip's number to its end. */
bool accelerator_complete(struct str cut, uint64_t mebibytes, struct str *ret);
/* MIG slices of the whole-GPU profile where every chip that NAME could mean has the same ("a100":
   7); 0: not known. */
unsigned accelerator_mig_slices(struct str name);
/* Slices of a GPU instance of chip NAME by its copy engines, and by the multiprocessors (SMS) of
   its compute instances; 0 of either: not said. 0: not known, or the two do not go together. */
unsigned accelerator_mig_part(struct str name, uint64_t engines, uint64_t sms);
