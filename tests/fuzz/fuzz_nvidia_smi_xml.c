/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as documents of nvidia-smi -q -x. */
#include "fuzz/samples.h"

extern const struct reader reader_nvidia_smi_xml;
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= 1 << 16)
		samples_fuzz(&reader_nvidia_smi_xml, (struct str){ (const char *)data, size });
	return 0;
}
