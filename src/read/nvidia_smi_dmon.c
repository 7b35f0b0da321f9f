/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_smi_dmon: what nvidia-smi dmon prints or logs (-f).
 */
#include "read/nvidia_smi_mon.h"

static int nvidia_smi_dmon_recognise(struct str head, const struct read_options *options)
{
	return smi_mon_recognise(head, options, SMI_MON_DMON);
}

const struct reader reader_nvidia_smi_dmon = {
	.name = "nvidia_smi_dmon",
	.help = "Readings of NVIDIA GPUs, a row each: nvidia-smi dmon -s pucmt -o DT (on Hopper "
	        "and "
	        "newer with --gpm-metrics 1,2,3,5,10,11,12,13,60,61).",
	.cut = CUT_WHOLE,
	.recognise = nvidia_smi_dmon_recognise,
	.open = reader_open_plain,
	.feed = smi_mon_feed,
};
