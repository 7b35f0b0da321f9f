/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter_series: what an exporter is made of; for exporter.c (series and what their labels mean,
 * kept from piece to piece) and exporter_piece.c (what one piece says of them) alone.
 */
#include "read/exporter.h"
#include "read/exporter_labels.h"

#define NOT_YET UINT32_MAX

/* What never changes between pieces: words, not numbers of a facts' words. */
struct exporter_series {
	struct str bytes;
	const struct exporter_metric *metric; /* NULL: not read */
	struct str name;
	uint32_t device, hold; /* places; hold: NOT_YET where the labels name no job */
	uint32_t next;         /* what came after it the last time */
	uint32_t whole, part;  /* devices that its labels describe; part: or NOT_YET */
	uint32_t slices;       /* of the part; 0: not said */
	uint32_t input;        /* the input that it described them in */
	struct str node, model, number;
	bool is_file;    /* the number is of its device file */
	bool is_nothing; /* counted, and that is all */
};

struct row {
	int64_t t_ms;
	uint32_t sample; /* in the facts */
};

struct seen_device {
	struct str id, whole, node, model; /* whole: the device of an instance; else empty */
	struct str number;
	bool is_file;
	uint32_t slices, input; /* input: the one that described it */
	/* of this piece */
	uint32_t piece, told; /* told: the piece knows its words */
	sym word;
	VEC(struct row) rows;
	struct map row_of;        /* by time, once there are many: place in rows + 1 */
	size_t at;                /* the row that was asked for last */
	uint32_t list_at, list_n; /* whose it was at the newest row, in the facts' syms */
};

/* A job on a device. */
struct hold {
	struct exporter_job job;
	uint32_t device;
	uint32_t told;   /* the piece that knows the job */
	sym word;        /* in that piece */
	int64_t seen_ms; /* in that piece, the last time */
};

struct exporter {
	struct facts *f;
	uint32_t piece, input;
	struct arena a; /* bytes of series, words */
	struct arena scratch;
	VEC(struct exporter_series) series;
	VEC(struct seen_device) devices;
	VEC(struct hold) holds;
	struct names words; /* ids of devices and of holds, nodes, models */
	struct map series_of, device_of, hold_of;
	uint32_t last; /* series; the one after it most likely comes next */
	struct exporter_series once;
	struct map job_of; /* this piece's jobs, by word */
	bool had_why[WHY_COUNT], is_untimed;
};

/* The place of the device ID, an instance of WHOLE unless that is empty; it may be new. */
uint32_t exporter_device(struct exporter *e, struct str id, struct str whole);
