/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_lost: the GPUs of one input of nvidia-smi's CSV, and which of them were lost when.
 * Part of the reader nvidia_smi_csv.
 */
#include "facts/facts.h"

/* What nvidia-smi says in words when it cannot read a GPU, or any. */
enum smi_said { SMI_SAID_NOTHING, SMI_SAID_LOST, SMI_SAID_FAILED };
/* RET_PCI is written for SMI_SAID_LOST: the address of the GPU that is gone. */
enum smi_said smi_said(struct str line, char ret_pci[17]);
#define SMI_LOST_NOTE "The driver lost a GPU: from then on it is down, until it is seen again."

struct smi_device {
	uint32_t at; /* in facts.devices */
	int64_t first_ms, last_ms;
	uint32_t loss;  /* the one that is going on, from 1; 0: none */
	uint32_t is_of; /* the device, from 1, that this one turned out to be; 0: none */
};

struct smi_loss {
	uint32_t device; /* from 1; 0: no row had this address */
	sym address;
	int64_t from_ms, to_ms; /* TIME_UNKNOWN: before the first row; not seen again */
};

struct smi_devices {
	struct map by_key; /* every key of a device (uuid, serial, address, index) to its place,
	                      from 1 */
	VEC(struct smi_device) v;
	VEC(struct smi_loss) losses;
	bool has_mig; /* a row says that its GPU is in MIG mode, and lists no instances */
};

void smi_devices_deinit(struct smi_devices *d);
/* DEVICE (from 1) was seen at T_MS. */
void smi_device_seen(struct smi_devices *d, uint32_t device, int64_t t_ms);
/* The driver says at T_MS (TIME_UNKNOWN: not known yet) that the GPU with this address is gone. */
void smi_device_lost(struct smi_devices *d, sym address, int64_t t_ms);
/* Capacity of all the devices, if some were lost. */
void smi_devices_end(struct smi_devices *d, struct facts *f);
