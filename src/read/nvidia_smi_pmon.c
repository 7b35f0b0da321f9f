/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_smi_pmon: what nvidia-smi pmon prints or logs (-f).
 */
#include "read/nvidia_smi_mon.h"

static int nvidia_smi_pmon_recognise(struct str head, const struct read_options *options)
{
	return smi_mon_recognise(head, options, SMI_MON_PMON);
}

const struct reader reader_nvidia_smi_pmon = {
	.name = "nvidia_smi_pmon",
	.help = "Which processes are on NVIDIA GPUs: nvidia-smi pmon -o DT.",
	.cut = CUT_WHOLE,
	.recognise = nvidia_smi_pmon_recognise,
	.open = reader_open_plain,
	.feed = smi_mon_feed,
};
