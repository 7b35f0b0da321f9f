/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/samples.h"
#include "fuzz/timeless.h"

extern const struct reader reader_nvidia_smi_dmon, reader_nvidia_smi_pmon;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	samples_fuzz(&reader_nvidia_smi_dmon, bytes);
	timeless_fuzz(&reader_nvidia_smi_pmon, bytes);
	return 0;
}
