/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_mon: nvidia-smi's scrolling tables: `nvidia-smi dmon`, a row of readings a GPU and
 * sample, and `nvidia-smi pmon`, a row a process, which say who was on each GPU. Both may stand in
 * one text, with as many heads as there are. For the readers nvidia_smi_dmon and nvidia_smi_pmon,
 * and for whoever has such a table as part of a longer text:
 *
 *     smi_mon_read(f, &(struct smi_mon_text){ .o = &o, .bytes = part, .line = 1768 }, &r);
 *
 * with o.has_at and o.at_ms: when the part was printed, if it has no times of its own. A line that
 * shows the command ("# $ nvidia-smi dmon -c 5") says the delay.
 */
#include "base/err.h"
#include "read/nvidia_smi_mon_time.h"
#include "read/reader.h"

struct smi_mon_text {
	const struct read_options *o;
	struct str bytes; /* UTF-8 or UTF-16 with a mark */
	uint64_t line;    /* number of its first one */
	/* Which GPU is meant by an index: its place in facts.devices. NULL: a device of this text's
	   own, named by the input (or the node) and the index. */
	uint32_t (*device_at)(void *arg, struct facts *f, uint64_t gpu);
	void *arg;
};

struct smi_mon_result {
	uint64_t rows, placed;
	uint64_t missed[SMI_MON_MISS_COUNT]; /* rows that were rejected, by what they lack */
	enum smi_mon_kind kind;              /* of the last head */
	bool has_both; /* readings, and lists of processes: smi_ticks_join brings them together */
};

/* Adds samples, devices, records and rejects to F. */
void smi_mon_read(struct facts *f, const struct smi_mon_text *t, struct smi_mon_result *ret);
/* The error of a whole input of which no row could be placed in time, or not all samples of a
   snapshot. */
enum err_code smi_mon_judge(const struct smi_mon_result *r, const struct read_options *o,
                            struct err *err);
/* How sure it is that HEAD is of the table KIND: the one whose head comes first. */
int smi_mon_recognise(struct str head, const struct read_options *o, enum smi_mon_kind kind);
/* The feed of both readers. */
enum err_code smi_mon_feed(const struct read_run *run, struct str bytes, uint64_t line,
                           struct facts *f, struct err *err);
