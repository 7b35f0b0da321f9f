/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * sysfs_card: one GPU's folder of sysfs (/sys/class/drm/cardN) as files, and what they say. Part of
 * the reader sysfs_tar. amdgpu, i915 and xe.
 */
#include "base/vec.h"
#include "read/reader.h"

struct sysfs_file {
	struct str name; /* below the card: "device/gpu_busy_percent" */
	struct str bytes;
	int64_t mtime_ms;
};

struct sysfs_card {
	struct str path; /* up to and with "cardN" */
	VEC(struct sysfs_file) files;
};

/* Becomes a device, and a sample where a time is known. One record. */
void sysfs_card_facts(const struct sysfs_card *c, struct facts *f, const struct read_options *o);
