/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_device: which GPU a row of nvidia-smi's speaks of. Some outputs give uuids, some only
 * addresses or numbers: rows of one input that share one of these are of one GPU, whichever came
 * first. Part of the reader nvidia_smi_csv.
 */
#include "read/nvidia_smi_lost.h"
#include "read/reader.h"

#define SMI_MIG_NOTE                                                                           \
	"A GPU is in MIG mode: nvidia-smi gives no utilisation for it, so power and the idle " \
	"reason decide, for the GPU as a whole."

/* As they stand in a row; empty, or a word for "no value", where it does not say. */
struct smi_names {
	struct str node, model, uuid, serial, pci, index, minor;
};

/* The GPU, from 1; a new one becomes a device of F. INPUT: names the machine where no row does. */
uint32_t smi_device_of(struct smi_devices *d, struct facts *f, struct str input,
                       const struct smi_names *names);
/* The strongest of the names, as a device's id; 0: there is none. */
sym smi_device_id(struct facts *f, struct str input, const struct smi_names *names);
/* A name that counts on one machine alone. */
sym smi_scoped(struct facts *f, struct str input, struct str node, struct str name);
/* The GPU that an index means, from 1. ONLY: the machine's only GPU (0: it has several), which is
   number 0 even if no row says so. */
uint32_t smi_device_by_index(struct smi_devices *d, struct facts *f, const struct read_options *o,
                             uint64_t index, uint32_t only);
/* After the last row: GPUs that were met by an address or number before their uuid was known become
   one with those. F has no facts but those of this input. */
void smi_devices_settle(struct smi_devices *d, struct facts *f);

/* nvidia_smi_csv.c: rows that begin with their header, from LINE of the input on. DEVICES: all zero
   before, the GPUs of the rows after. */
void smi_csv_read(struct facts *f, const struct read_options *o, struct str bytes, uint64_t line,
                  struct smi_devices *devices);
