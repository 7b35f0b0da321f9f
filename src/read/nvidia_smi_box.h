/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_box: the boxed tables that nvidia-smi prints without options: GPUs, MIG devices,
 * processes. Part of the reader nvidia_smi_text.
 *
 * A GPU has two or three lines, in three cells each, a MIG device two in four. The processes stand
 * in a table of their own, which may be cut off: only a whole one says that a GPU has none.
 */
#include "read/nvidia_smi_rows.h"

enum smi_box_part {
	SMI_BOX_NONE, /* not in a box */
	SMI_BOX_HEAD,
	SMI_BOX_GPUS,
	SMI_BOX_OTHER, /* between two tables */
	SMI_BOX_PARTS_HEAD,
	SMI_BOX_PARTS, /* the MIG devices */
	SMI_BOX_PROCESSES_HEAD,
	SMI_BOX_PROCESSES,
	SMI_BOX_END /* of the processes */
};

struct smi_box {
	enum smi_box_part part;
	VEC(struct smi_gpu) gpus; /* room for them; GPUS_N are of this box */
	size_t gpus_n;
	unsigned lines;     /* of the GPU at hand */
	bool is_plain;      /* its head is that of the table we know, not of `nvidia-smi vgpu` */
	bool has_instances; /* a process has its MIG instances before its id */
	bool has_list;      /* the processes: some are named, or it says that there are none */
};

void smi_box_deinit(struct smi_box *b);
/* Is it the line that every box begins with, below its border? */
bool smi_box_begins(struct str line);
/* False: LINE belongs to no box, and the one that was open has ended. R.WHEN is that of the box. */
bool smi_box_line(struct smi_box *b, struct smi_rows *r, struct str line, uint64_t at);
/* Nothing follows: the GPUs become rows. */
void smi_box_end(struct smi_box *b, struct smi_rows *r);
