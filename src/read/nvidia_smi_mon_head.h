/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * nvidia_smi_mon_head: the heads of nvidia-smi's scrolling tables, dmon and pmon, which say what
 * the columns are and in which unit, and rows cut by them. Part of nvidia_smi_mon.
 *
 *     # gpu    pwr  gtemp     sm          #Date       Time        gpu         pid   type     sm
 *     # Idx      W      C      %          #YYYYMMDD   HH:MM:SS    Idx           #    C/G      %
 *
 * With --format csv there are commas between; noheader leaves out the first line, nounit the
 * second.
 */
#include "base/arena.h"
#include "read/nvidia_smi.h"
#include "read/reading.h"

enum smi_mon_role {
	SMI_MON_SKIP,
	SMI_MON_DATE,
	SMI_MON_TIME,
	SMI_MON_GPU,
	SMI_MON_PART,
	SMI_MON_PID,
	SMI_MON_COMMAND,
	SMI_MON_POINT,
	SMI_MON_GPM,
	SMI_MON_ROLE_COUNT
};

enum smi_mon_kind { SMI_MON_NONE, SMI_MON_DMON, SMI_MON_PMON };

struct smi_mon_head {
	enum smi_mon_kind kind;
	uint32_t n;
	bool is_csv;
	int at[SMI_MON_ROLE_COUNT]; /* where the column of a role stands; -1: not there */
	uint64_t gpm;               /* metric_bit of each that is an average over the delay */
	struct {
		enum smi_mon_role role;
		enum metric_id metric;
		struct reading_unit unit;
		bool has_unit; /* false: the unit is none of the metric's, the column is not read */
	} of[FIELDS_MAX];
	struct str strange; /* a column that is in no table; of the line that was read */
};

/* Is LINE the first line of a head, with or without '#'? */
bool smi_mon_head_read(struct arena *a, struct str line, struct smi_mon_head *ret);
/* Is LINE, which begins with '#', a head's line of units? Then they are HEAD's. Where HEAD is not
   the head of it (noheader), the columns are told from the units, which dmon's groups of columns
   differ by. RET_KNOWN: false, they cannot be told. */
bool smi_mon_units_read(struct arena *a, struct str line, struct smi_mon_head *head,
                        bool *ret_known);

/* One row's fields, without blanks around them. False: too few or too many; pmon's command, where
   it stands last, may have blanks and commas in it. */
bool smi_mon_head_cut(struct arena *a, const struct smi_mon_head *head, struct str line,
                      struct smi_row *ret);
