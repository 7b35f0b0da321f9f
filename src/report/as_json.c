/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

static void as_json_write(const struct report *r, const struct report_input *in, struct text *t)
{
	r->json(in, t);
}

const struct format format_as_json = {
	.name = "json",
	.help = "For programs: every number, by the schema in docs/reference/schema.",
	.write_data = as_json_write,
};
