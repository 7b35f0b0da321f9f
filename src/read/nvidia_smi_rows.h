/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_rows: readings of NVIDIA GPUs, found in any form of nvidia-smi's output, as rows of
 * its CSV, so that every form of one reading gives the same facts. Part of the readers
 * nvidia_smi_xml and nvidia_smi_text.
 *
 *     smi_gpu_begin(&g, line);  smi_gpu_put(&r, &g, "fan.speed", value);  ...  smi_gpu_end(&r, &g);
 *     smi_rows_read(&r, &devices);                                once, when all rows are there
 *     smi_rows_settle(&r, &devices);                              once, when all samples are
 */
#include "base/text.h"
#include "facts/facts.h"
#include "read/nvidia_smi_device.h"
#include "read/nvidia_smi_mig.h"

#define SMI_PATHS_MAX 64u /* of nvidia_smi_xml.def */

/* One GPU at one time. */
struct smi_gpu {
	uint64_t line;                    /* where it stands in the input */
	struct str values[SMI_PATHS_MAX]; /* of the paths of nvidia_smi_xml.def; NULL: not there */
	uint32_t mask;                    /* of NVML's clocks event reasons */
	bool has_mask, mask_is_bad;
	struct text pids; /* of its processes, with blanks between */
	struct str list;  /* what stands for them: "N/A", SMI_NOBODY; empty: nothing does */
	struct smi_parts parts;
};

struct smi_rows {
	const struct read_run *run;
	struct facts *f;     /* of this input alone */
	struct arena a;      /* of values; the user may reset it when no GPU is at hand */
	struct text table;   /* what was found so far */
	VEC(uint64_t) lines; /* of the input: where each line of the table comes from */
	VEC(struct smi_part_row) parts;
	uint8_t first[SMI_PATHS_MAX]; /* of each path: the first of its column's */
	bool has_columns;             /* it is known */
	bool has_header;              /* the last header in the table is that of our own columns */
	struct text when;             /* of the GPUs at hand; empty: they have no time */
	const char *when_miss;        /* what is said then */
};
void smi_rows_deinit(struct smi_rows *r);
/* "Fri Aug  4 11:44:30 2023" as the CSV has it. False: it has another form. */
bool smi_when(struct text *ret, struct str s);

void smi_gpu_begin(struct smi_gpu *g, uint64_t line);
void smi_gpu_deinit(struct smi_gpu *g);
/* COLUMN: of nvidia_smi_xml.def; what was put first counts. */
void smi_gpu_put(struct smi_rows *r, struct smi_gpu *g, const char *column, struct str value);
/* The value at PATH below the GPU, "utilization/gpu_util" or "Utilization/GPU". */
void smi_gpu_put_path(struct smi_rows *r, struct smi_gpu *g, enum smi_form form, struct str path,
                      struct str value);
/* Empty: not there. */
struct str smi_gpu_value(const struct smi_gpu *g, const char *column);
void smi_gpu_put_pid(struct smi_gpu *g, struct str pid);
/* The GPU is complete: a row. */
void smi_gpu_end(struct smi_rows *r, struct smi_gpu *g);
/* A row of G, as it is. */
void smi_rows_put(struct smi_rows *r, struct smi_gpu *g);
/* A line of nvidia-smi's CSV, or what it says in words, as it is. */
void smi_rows_raw(struct smi_rows *r, struct str line, uint64_t at);
/* The rows' facts, with the input's lines in what is rejected. */
void smi_rows_read(struct smi_rows *r, struct smi_devices *devices);
/* After all samples: what the rows say of MIG instances. */
void smi_rows_settle(struct smi_rows *r, const struct smi_devices *devices);
/* What names the GPU in facts; 0: it has neither a uuid nor an address. */
sym smi_gpu_device(struct smi_rows *r, const struct smi_gpu *g);

/* nvidia_smi_xml.c: the GPUs of XML documents, one after the other, from LINE of the input on. */
void smi_xml_rows(struct smi_rows *r, struct str bytes, uint64_t line);
