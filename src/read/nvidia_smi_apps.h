/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_apps: what nvidia-smi --query-compute-apps lists: one row a process, which become one
 * list a GPU and time. A GPU without rows is not named at all, so nothing is said of it. Part of
 * the reader nvidia_smi_csv.
 */
#include "facts/facts.h"

#define SMI_TICK_MS 1000 /* so near to each other, a list and readings are of one tick */

struct smi_app {
	sym device, pid; /* pid 0: none is shown, WHY says why */
	int64_t t_ms;
	enum why why;
};

struct smi_apps {
	VEC(struct smi_app) v;
};

void smi_apps_deinit(struct smi_apps *a);
void smi_apps_add(struct smi_apps *a, struct facts *f, sym device, int64_t t_ms, struct str pid);
/* The lists become samples. */
void smi_apps_end(struct smi_apps *a, struct facts *f);
/* Several outputs of one tick: what they say of one GPU at one time is one sample, in which of what
   two say the later counts, and lists of processes go with the nearest readings. F has no samples
   but those of one input. */
void smi_ticks_join(struct facts *f);
