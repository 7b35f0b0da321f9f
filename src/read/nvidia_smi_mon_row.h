/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_mon_row: rows of dmon and pmon to samples. Part of nvidia_smi_mon.
 */
#include "read/nvidia_smi_lost.h"
#include "read/nvidia_smi_mon.h"

/* What an input says of one GPU. */
struct smi_mon_gpu {
	uint32_t device; /* in the lost ones' list, from 1 */
	uint32_t rows;
	uint64_t known; /* metrics that had a value in any row */
};

/* Who is on a GPU in the sample at hand of pmon. */
struct smi_mon_list {
	bool is_open, is_empty; /* IS_EMPTY: a row said so */
	uint64_t gpu;
	uint32_t place; /* in gpus, from 1 */
	int64_t t_ms;
	VEC(sym) words;
};

struct smi_mon {
	struct facts *f;
	const struct smi_mon_text *t;
	struct smi_mon_head head;
	struct smi_mon_clock clock[SMI_MON_PMON + 1]; /* each table's own */
	int64_t last_ms;                              /* of the newest row */
	struct smi_devices devices;
	struct map gpu_at; /* by index + 1, to place in GPUS from 1 */
	VEC(struct smi_mon_gpu) gpus;
	struct smi_mon_list list;
	VEC(sym) before; /* the list of the same GPU in the sample before, without times */
	struct smi_mon_result r;
	struct smi_row row;
	struct arena a; /* of a few lines */
	struct text key;
	uint64_t line;
	bool is_rejected; /* the row at hand was counted already */
	bool has_dmon, has_pmon, has_parts, has_local;
	bool rows_end_blank; /* as nvidia-smi prints them */
};

/* What names GPUs of this text: the input. */
struct str smi_mon_scope(const struct smi_mon *m);
/* S: the row; RAW: its line as it stands; IS_OPEN: no newline ends it; PREFIX_MS: the time that
   stands before it. */
void smi_mon_row_read(struct smi_mon *m, struct str s, struct str raw, bool is_open,
                      int64_t prefix_ms);
/* The open list becomes a sample. */
void smi_mon_list_end(struct smi_mon *m);
/* What a '-' was is known once all rows are; then sums of what is known. */
void smi_mon_reasons_settle(struct smi_mon *m, size_t samples_at);
