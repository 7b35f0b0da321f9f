/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * tres: GPUs in Slurm's resource strings, in every spelling that it prints or takes.
 *
 *     cpu=1,gres/gpu=8,gres/gpu:h100=8        TRES: the untyped count is the total, never added
 *     gres/gpu:a100=2,gres/gpu:h100=4         typed counts only: their sum
 *     1=20,2=170000,4=1,1001=2                TRES by number, as slurmdbd stores them
 *     gpu:a100:4(S:0-1)  gpu:(null):4(IDX:0-3)  gpu:tesla:2,gpu:kepler:2   GRES of a node: all add
 * up gpu:a100_1g.10gb:7  gres/gpu:a100_1g.10gb=1   MIG instances: slices, no whole GPU shard:16
 * gpu:2,mps:200  PER_NODE:gpu:8  gres:gpu:8  gpu
 */
#include "base/str.h"

#define TRES_COUNT_UNKNOWN UINT32_MAX

enum tres {
	TRES_OK,
	TRES_UNKNOWN, /* empty, N/A, Unknown: says nothing */
	TRES_BAD,     /* not such a string, or a count over GPUS_MAX */
};

struct tres_counts {
	uint32_t gpus;      /* whole ones */
	uint32_t instances; /* MIG instances, and the compute slices that they hold in all */
	uint32_t slices;
	uint32_t slices_per_gpu; /* of the chip they are cut from: 7, or 4 on an A30; 0: none */
	uint32_t shards, mps;
	uint32_t cpus, nodes; /* TRES_COUNT_UNKNOWN: not named */
	int64_t memory_mib;   /* -1: not named */
	struct str model;     /* the type, when there is just one; of an instance: what precedes the
	                         profile; empty: not named. Points into the input */
	bool has_models;      /* several types */
	bool is_per_node;     /* "PER_NODE:": counts are of one node */
	bool is_assumed;      /* by number without a table: 1001 and 1002 were taken to be GPUs */
	bool has_indexes;     /* IDX: which devices of the node, bit by index below 64 */
	uint64_t indexes;
};

/* A row of slurmdbd's tres_table: what a number means at this site ("gres/gpu:volta"). */
struct tres_name {
	uint32_t id;
	struct str name;
};

/* NAMES: the site's table, or NULL. Without it ids 1 to 8 have Slurm's fixed meaning, and of 1001
   and 1002, which are site-defined but nearly always gres/gpu or a type of it, the larger counts.
 */
enum tres tres_parse(struct str s, const struct tres_name *names, size_t names_n,
                     struct tres_counts *ret);
/* Cuts the first item off a GRES string, at a comma outside brackets. False when S was used up. */
bool tres_cut_item(struct str *s, struct str *ret);
