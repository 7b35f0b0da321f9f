/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_device: which GPU a row of nvidia-smi's speaks of. Some outputs give uuids, some only
 * addresses or numbers: rows of one input that share one of these are of one GPU, whichever came
 * first. Part of the reader nvidia_smi_csv.
 */
#include "read/nvidia_smi_lost.h"

/* As they stand in a row; empty, or a word for "no value", where it does not say. */
struct smi_names {
	struct str node, model, uuid, serial, pci, index;
};

/* The GPU, from 1; a new one becomes a device of F. INPUT: names the machine where no row does. */
uint32_t smi_device_of(struct smi_devices *d, struct facts *f, struct str input,
                       const struct smi_names *names);
/* A name that counts on one machine alone. */
sym smi_scoped(struct facts *f, struct str input, struct str node, struct str name);
/* After the last row: GPUs that were met by an address or number before their uuid was known become
   one with those. F has no facts but those of this input. */
void smi_devices_settle(struct smi_devices *d, struct facts *f);
