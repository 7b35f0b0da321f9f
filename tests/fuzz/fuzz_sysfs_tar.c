/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through the readers sysfs_tar, amd_gpu_metrics: no crash; every reading that is known
   is in range, and what is not known says why. */
#include "fuzz/timeless.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_sysfs_tar;
extern const struct reader reader_amd_gpu_metrics;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	timeless_fuzz(&reader_sysfs_tar, (struct str){ (const char *)data, size });
	timeless_fuzz(&reader_amd_gpu_metrics, (struct str){ (const char *)data, size });
	return 0;
}
