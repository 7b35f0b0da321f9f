/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * amd_metrics: amdgpu's binary file gpu_metrics, every version that the kernel has written. Part of
 * the readers amd_gpu_metrics and sysfs_tar.
 */
#include "facts/facts.h"

/* Whether BYTES begin with a structure of a known version and of its length (of 1.9: whose list of
   attributes ends where it says). RET_SIZE: its length. */
bool amd_metrics_is(struct str bytes, size_t *ret_size);
/* "1.3", for messages; RET holds 8 bytes. */
void amd_metrics_version(struct str bytes, char *ret);
/* Its readings into S; what S knows already stays. BYTES may be shorter than the structure says:
   only the fields that fit are read. False: no version that is known; RET_WHY (at least 128 bytes)
   says which. */
bool amd_metrics_read(struct str bytes, struct sample *s, char *ret_why);
