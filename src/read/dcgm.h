/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * dcgm: dcgm-exporter's metrics to samples of devices, whatever form brought them: a scrape or an
 * answer of Prometheus. Readings of one device at one time are joined, in any order.
 *
 *     struct dcgm c;
 *     dcgm_begin(&c, f);
 *     if (dcgm_series(&c, name, labels, n, line, &series))
 *             dcgm_take(&c, &series, t_ms, value, line);     as often as it has values
 *     dcgm_end(&c, is_grid);
 *
 * Several series of one device (one for each pod that shares it) are one device: the largest value
 * counts, never the sum.
 */
#include "facts/facts.h"
#include "parse/prom.h"

/* What a sample is made of. */
enum dcgm_part {
	DCGM_GR,
	DCGM_SM,
	DCGM_TENSOR,
	DCGM_FP16,
	DCGM_FP32,
	DCGM_FP64,
	DCGM_DRAM,
	DCGM_UTIL,
	DCGM_PCIE_TX,
	DCGM_PCIE_RX,
	DCGM_NVLINK_TX,
	DCGM_NVLINK_RX,
	DCGM_POWER,
	DCGM_LIMIT,
	DCGM_USED,
	DCGM_RESERVED,
	DCGM_IDLE,
	DCGM_ENERGY, /* only to see whether the exporter measured again */
	DCGM_PARTS,
	DCGM_NO_PART = DCGM_PARTS /* a metric that is not read */
};

enum dcgm_unit {
	DCGM_RATIO,
	DCGM_PERCENT,
	DCGM_RATE,
	DCGM_WATTS,
	DCGM_MEBIBYTES,
	DCGM_MASK,
	DCGM_COUNTER
};

struct dcgm_metric {
	const char *name, *new_name; /* without "DCGM_FI_" */
	enum dcgm_part part;
	enum dcgm_unit unit;
	uint8_t rank;
};

/* One device at one time. */
struct dcgm_row {
	uint32_t device; /* in devices */
	int64_t t_ms;
	int64_t v[DCGM_PARTS];
	uint8_t why[DCGM_PARTS], rank[DCGM_PARTS];
	uint64_t all; /* of every reading, whatever their order */
};

struct dcgm_device {
	sym id;
	bool is_instance;
	struct map rows; /* by time: place in rows + 1 */
};

struct dcgm {
	struct facts *f;
	struct map device_of; /* by id: place in devices + 1 */
	struct map whole_of;  /* by id: place in the facts' devices + 1 */
	VEC(struct dcgm_device) devices;
	VEC(struct dcgm_row) rows;
	uint64_t seen[DCGM_PARTS + 1]; /* readings of each part */
	uint64_t untimed;
};

struct dcgm_series {
	const struct dcgm_metric *metric; /* NULL: a metric that is not read */
	uint32_t device;
	struct str name;
	uint64_t hash; /* of the name */
};

/* Is this a name of dcgm-exporter's (also of its first releases)? */
bool dcgm_is_name(struct str name);
void dcgm_begin(struct dcgm *c, struct facts *f);
/* False: nothing to take from it. Counts a reject if it names no GPU. */
bool dcgm_series(struct dcgm *c, struct str name, const struct prom_label *labels, size_t n,
                 uint64_t line, struct dcgm_series *ret);
/* One value; T_MS may be TIME_UNKNOWN. Counts a reject if it is none. */
void dcgm_take(struct dcgm *c, const struct dcgm_series *series, int64_t t_ms, struct str value,
               uint64_t line);
/* Why DCGM says that there is no value; WHY_KNOWN: it is none of DCGM's blanks. */
enum why dcgm_blank(struct str value);
/* Writes the samples. IS_GRID: the times are steps of one query. */
void dcgm_end(struct dcgm *c, bool is_grid);
