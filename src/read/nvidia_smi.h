/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi: the columns and values of nvidia-smi's CSV. Part of the reader nvidia_smi_csv.
 */
#include "base/text.h"
#include "facts/facts.h"

enum smi_column {
	SMI_TIME,
	SMI_NODE,
	SMI_UUID,
	SMI_SERIAL,
	SMI_PCI,
	SMI_INDEX,
	SMI_MINOR,
	SMI_MODEL,
	SMI_MIG,
	SMI_UTIL,
	SMI_POWER_AVERAGE,
	SMI_POWER,
	SMI_POWER_INSTANT,
	SMI_LIMIT_ENFORCED,
	SMI_LIMIT,
	SMI_USED,
	SMI_RESERVED,
	SMI_FREE,
	SMI_TOTAL,
	SMI_MEM_UTIL,
	SMI_ENCODER,
	SMI_DECODER,
	SMI_SM_CLOCK,
	SMI_SM_CLOCK_MAX,
	SMI_MEM_CLOCK,
	SMI_MEM_CLOCK_MAX,
	SMI_TEMPERATURE,
	SMI_MEM_TEMPERATURE,
	SMI_FAN,
	SMI_IDLE,
	SMI_REASONS,
	SMI_PROCESSES,
	SMI_PID,
	SMI_PROCESS_NAME,
	SMI_OTHER,
	SMI_COLUMN_COUNT
};

#define SMI_GROUPS_MAX 64u /* GPUs side by side in one row: "0 gpu_util %, 1 gpu_util %" */

/* Where each column stands: the columns of one GPU, those that belong to all of the row included.
 */
struct smi_group {
	int field[SMI_COLUMN_COUNT];    /* -1: not there */
	uint8_t rank[SMI_COLUMN_COUNT]; /* of the name that it was found by; lower is better */
	char unit[SMI_COLUMN_COUNT]; /* of the header: 'k' kilo (KiB), 'm' milli (mW), 'G' GiB, 0 */
	char number[12];             /* "0" of "0 gpu_util %"; "" */
};

struct smi_table {
	uint32_t fields, groups_n;
	bool is_own;      /* some column is one that nvidia-smi prints */
	bool has_two_ids; /* both `index` and a column of the writer's own number the GPU */
	struct smi_group groups[SMI_GROUPS_MAX];
};

/* What a table's rows are. */
enum smi_kind {
	SMI_GPUS,       /* readings of a GPU */
	SMI_APPS,       /* one process that is on a GPU (--query-compute-apps) */
	SMI_NO_READINGS /* accounted processes, memory pages: nothing of a time */
};
enum smi_kind smi_kind_of(const struct smi_table *t);

/* One line's fields, without the blanks around them. LINE holds no newline. */
struct smi_row {
	uint32_t n;
	struct str v[FIELDS_MAX];
};
void smi_cut(struct arena *a, struct str line, struct smi_row *ret);
/* False: LINE is no header. */
bool smi_header(struct arena *a, struct str line, struct smi_table *ret);
/* The columns of a row without a header, where every column that is used can be told from its form;
   false else. */
bool smi_guess(struct arena *a, struct str line, struct smi_table *ret);

/* A value in thousandths or millionths (DECIMALS) of its unit: %, W, MiB, MHz, C. RET is written
   only for WHY_KNOWN. RET_BAD: it is neither a number nor a word of nvidia-smi's. */
enum why smi_number(struct str s, char unit, unsigned decimals, int64_t max, int64_t *ret,
                    bool *ret_bad);
/* Active, Not Active, 0, 1; with IS_MASK the lowest bit of a mask, "0x0000000000000001". */
enum why smi_idle(struct str s, bool is_mask, int64_t *ret, bool *ret_bad);
/* All of a mask, up to its 63rd bit. */
enum why smi_mask(struct str s, int64_t *ret, bool *ret_bad);
#define SMI_NOBODY "nobody" /* a list of processes that is known to be empty */
/* Process ids with blanks between, SMI_NOBODY, or a word that says why there is no list: into S. */
void smi_processes(struct facts *f, struct str text, struct sample *s);
/* Why S is no value; WHY_KNOWN: it may be one. */
enum why smi_word(struct str s);
/* A PCI address anywhere in S, as 00000000:1A:00.0. False: none. */
bool smi_pci(struct str s, char ret[17]);
/* BYTES as UTF-8 without a byte order mark; BUF holds what was UTF-16. */
struct str smi_plain(struct text *buf, struct str bytes);
#define SMI_HEAD_LINES 64 /* that are searched for a header */
