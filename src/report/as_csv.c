/* SPDX-License-Identifier: Apache-2.0 */
/* For spreadsheets and billing: each report has a table of its own. */
#include "report/report.h"

static void as_csv_write(const struct report *r, const struct report_input *in, struct text *t)
{
	r->csv(in, t);
}

const struct format format_as_csv = {
	.name = "csv",
	.help = "For spreadsheets and billing: one table, numbers as in JSON "
	        "(docs/reference/csv.md).",
	.write_data = as_csv_write,
};
