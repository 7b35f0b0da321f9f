/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * amd: readings of AMD's tools, by the names that they print. Part of the readers amd_smi and
 * rocm_smi.
 *
 * Neither tool's snapshot says when it was taken. Where nothing says a time (a column `timestamp`,
 * or FILE@at=TIME), the GPUs are known and their readings are not used.
 */
#include "base/text.h"
#include "read/reader.h"
#include "read/reading.h"

enum amd_id { AMD_UUID, AMD_PCI, AMD_SERIAL, AMD_INDEX, AMD_MODEL, AMD_TIME, AMD_ID_COUNT };

struct amd_feed {
	struct facts *f;
	const struct read_options *o;
	struct map seen; /* devices */
	struct text key;
	/* of the record at hand */
	uint64_t line;
	bool is_rejected;
	struct sample s;
	uint8_t rank[METRIC_COUNT]; /* of the name that a reading was found by, from 1 */
	struct str id[AMD_ID_COUNT];
};

void amd_open(struct amd_feed *a, struct facts *f, const struct read_options *o);
void amd_close(struct amd_feed *a);
/* A record begins; it is counted. */
void amd_begin(struct amd_feed *a, uint64_t line);
/* NAME as the tool prints it ("GPU use (%)", "gfx_activity", "usage_gfx_activity"); what is not
   wanted is left alone. UNIT: as stated beside the value; empty: the name's. VALUE must live until
   amd_end. */
void amd_take(struct amd_feed *a, struct str name, struct str value, struct str unit);
/* The record becomes a device, and a sample where its time is known. */
void amd_end(struct amd_feed *a);
/* Whether NAME is one of the tool's readings or names of GPUs. */
bool amd_is_known(struct str name);
/* "GPU use (%)" as gpu_use; RET holds 96 bytes. */
struct str amd_plain_name(struct str name, char *ret);
