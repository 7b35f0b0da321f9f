/* SPDX-License-Identifier: Apache-2.0 */
/* How much the inputs speak of, as a sentence and as JSON: for a list without times all there is to
 * say. */
#include "account/census.h"
#include "report/number.h"
#include "report/waterfall_tables.h"

static void add_count(struct text *t, uint64_t n, const char *one, const char *many)
{
	number_write(t, n, 0);
	text_printf(t, " %s", n == 1 ? one : many);
}

void waterfall_census(const struct report_input *in, struct text *t)
{
	struct census c = census_count(in->f);
	if (!c.nodes && !c.gpus && !c.jobs)
		return;
	if (c.nodes)
		add_count(t, c.nodes, "node", "nodes");
	if (c.gpus) {
		text_add(t, c.nodes ? S(", ") : S(""));
		if (c.nodes && c.gpu_nodes < c.nodes) {
			number_write(t, c.gpu_nodes, 0);
			text_add(t, S(" with "));
		}
		add_count(t, c.gpus, "GPU", "GPUs");
		if (c.models > 1)
			text_printf(t, " of %llu kinds", (unsigned long long)c.models);
	}
	if (c.jobs) {
		text_add(t, c.nodes || c.gpus ? S("; ") : S(""));
		add_count(t, c.jobs, "job", "jobs");
		if (c.untold_jobs == c.jobs) {
			text_add(t, S(", none says its GPUs"));
		} else if (c.gpu_jobs < c.jobs) {
			text_add(t, S(", "));
			number_write(t, c.gpu_jobs, 0);
			text_add(t, S(" with GPUs"));
		}
		if (c.waiting_jobs) {
			text_add(t, S(", "));
			number_write(t, c.waiting_jobs, 0);
			text_add(t, S(" waiting"));
		}
	}
	text_add(t, S(". "));
}

void waterfall_write_census(const struct report_input *in, struct emit *j)
{
	struct census c = census_count(in->f);
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ "nodes", c.nodes },
		{ "gpu_nodes", c.gpu_nodes },
		{ "gpus", c.gpus },
		{ "models", c.models },
		{ "jobs", c.jobs },
		{ "gpu_jobs", c.gpu_jobs },
		{ "waiting_jobs", c.waiting_jobs },
		{ "services", c.services },
	};
	emit_key(j, "counts");
	emit_open(j, '{');
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		emit_key(j, counts[i].key);
		emit_int(j, counts[i].n);
	}
	emit_close(j, '}');
}
