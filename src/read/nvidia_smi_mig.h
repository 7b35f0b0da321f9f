/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_mig: MIG devices as nvidia-smi -q lists them below their GPU. Part of nvidia_smi_rows.
 *
 * A GPU instance is a part of its GPU with memory and processes of its own: a row of its own, named
 * UUID/ID as dcgm-exporter's labels have it. Compute instances that share a GPU instance are one,
 * since they share its memory too. What changes from reading to reading are layouts with times.
 */
#include "base/text.h"
#include "facts/facts.h"
#include "read/reader.h"

struct smi_rows;
struct smi_gpu;

enum smi_form { SMI_FORM_XML, SMI_FORM_TEXT }; /* nvidia-smi -q with and without -x */

enum smi_part_value {
#define SMI_PART(text, xml, id) PART_##id,
#include "read/nvidia_smi_mig.def"
#undef SMI_PART
	PART_VALUES
};

struct smi_part {
	struct str v[PART_VALUES];
};

/* A process and the GPU instance that it runs on. */
struct smi_part_pid {
	uint64_t instance; /* UINT64_MAX: not said */
	struct str pid;
};

/* The MIG devices of one GPU at one time. */
struct smi_parts {
	VEC(struct smi_part) v;
	struct smi_part at_hand;
	VEC(struct smi_part_pid) pids;
	uint64_t instance; /* of the process at hand; UINT64_MAX: not said */
	bool is_on;        /* the GPU is in MIG mode */
	bool is_listed;    /* there is a list, even if empty */
	bool has_more;     /* than a GPU can have */
};
void smi_parts_begin(struct smi_parts *p);
void smi_parts_deinit(struct smi_parts *p);

/* A row of the table is a reading of DEVICE, or of a part of it. */
struct smi_part_row {
	size_t at;      /* in the table */
	sym device, id; /* ID 0: of the device itself */
	uint32_t slices;
	bool is_divided; /* the device is in MIG mode, and lists its parts */
};

/* The value at PATH below the MIG device at hand. */
void smi_part_put_path(struct smi_rows *r, struct smi_gpu *g, enum smi_form form, struct str path,
                       struct str value);
/* The MIG device is complete. */
void smi_part_end(struct smi_gpu *g);
/* The process at hand runs on this GPU instance ("N/A": on none); its pid comes after. */
void smi_part_put_process(struct smi_gpu *g, struct str instance);
void smi_part_put_pid(struct smi_rows *r, struct smi_gpu *g, struct str pid);
/* The rows of G's parts, behind the row of G itself, which begins AT. */
void smi_parts_end(struct smi_rows *r, struct smi_gpu *g, size_t at);
/* R's rows are read: those of parts become instances of their GPUs. False: there are none. */
bool smi_parts_settle(struct smi_rows *r);
