/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through the readers intel_gpu_top: no crash; every reading that is known is in range,
   and what is not known says why. */
#include "fuzz/timeless.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_intel_gpu_top;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	timeless_fuzz(&reader_intel_gpu_top, (struct str){ (const char *)data, size });
	return 0;
}
