/* SPDX-License-Identifier: Apache-2.0 */
#include "read/json_ending.h"

enum err_code json_ending(const struct json_scan *scan, bool is_any, struct facts *f,
                          struct err *err)
{
	if (!scan->why)
		return ERR_OK;
	if (!is_any)
		return err_set(err, ERR_INPUT, "line %llu: not JSON: %s",
		               (unsigned long long)scan->line, scan->why);
	facts_reject(f, scan->line, "not JSON from here on: %s", scan->why);
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].partial = true;
	return ERR_OK;
}
