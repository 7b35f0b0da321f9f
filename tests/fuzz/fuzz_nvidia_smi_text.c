/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as what nvidia-smi prints for people. */
#include "fuzz/samples.h"
#include "fuzz/timeless.h"

extern const struct reader reader_nvidia_smi_text;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	if (size > 1 << 16)
		return 0;
	samples_fuzz(&reader_nvidia_smi_text, bytes);
	timeless_fuzz(&reader_nvidia_smi_text, bytes);
	return 0;
}
