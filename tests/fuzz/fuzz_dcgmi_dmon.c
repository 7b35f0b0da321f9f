/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/samples.h"

extern const struct reader reader_dcgmi_dmon;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	samples_fuzz(&reader_dcgmi_dmon, (struct str){ (const char *)data, size });
	return 0;
}
