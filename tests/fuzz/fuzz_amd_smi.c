/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through the readers amd_smi, rocm_smi: no crash; every reading that is known is in
   range, and what is not known says why. */
#include "fuzz/timeless.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_amd_smi;
extern const struct reader reader_rocm_smi;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	timeless_fuzz(&reader_amd_smi, (struct str){ (const char *)data, size });
	timeless_fuzz(&reader_rocm_smi, (struct str){ (const char *)data, size });
	return 0;
}
