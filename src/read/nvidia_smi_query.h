/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_query: the text of nvidia-smi -q, whole or of some parts (-d): an indented tree of
 * "Key : Value" below each GPU. Part of the reader nvidia_smi_text.
 */
#include "read/nvidia_smi_rows.h"

#define SMI_TREE_DEPTH_MAX 16u /* deeper lines are passed over */

struct smi_query {
	bool is_open, has_gpu, has_part; /* in a log; below a GPU; below a MIG device of it */
	size_t indent;                   /* of the log as it was pasted */
	struct smi_gpu gpu;              /* at hand */
	struct text path;                /* of the last key: "Utilization/GPU" */
	struct {
		size_t indent, path_n; /* of each key above it */
	} above[SMI_TREE_DEPTH_MAX];
	unsigned depth;
};

void smi_query_deinit(struct smi_query *q);
bool smi_query_begins(struct str line);
/* LINE with the blanks before it. False: it is not of the tree, which has ended. Sets R.WHEN. */
bool smi_query_line(struct smi_query *q, struct smi_rows *r, struct str line, uint64_t at);
void smi_query_end(struct smi_query *q, struct smi_rows *r);
