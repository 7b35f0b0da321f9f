/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amd_gpu_metrics: one copy of /sys/class/drm/cardN/device/gpu_metrics. It names no GPU and no time
 * (its clock counts from the start of the machine), so FILE@at=TIME has to say when it was read.
 */
#include "read/amd_metrics.h"
#include "read/reader.h"

static int amd_gpu_metrics_recognise(struct str head, const struct read_options *options)
{
	size_t size;
	(void)options;
	if (!amd_metrics_is(head, &size))
		return 0;
	for (size_t i = size; i < head.n && i < size + 4096; i++)
		if (head.p[i])
			return 0; /* a copy of a page is filled with zeros */
	return 80;
}

static enum err_code amd_gpu_metrics_open(struct read_run *run, struct str head, struct err *err)
{
	(void)head;
	if (!run->options || !run->options->has_at)
		return err_set(err, ERR_INPUT,
		               "gpu_metrics says neither which GPU it is of nor when it was read\n"
		               "hint: FILE@at=2026-11-30T12:00:00Z says when; a tar of "
		               "/sys/class/drm/cardN holds both");
	run->body_line = 1;
	return ERR_OK;
}

static enum err_code amd_gpu_metrics_feed(const struct read_run *run, struct str bytes,
                                          uint64_t line, struct facts *f, struct err *err)
{
	char why[128];
	sym id = facts_word(f, run->options->input_name);
	struct sample s = { .device = id,
		            .t_ms = run->options->at_ms,
		            .kind = SAMPLE_POINT,
		            .procs_why = WHY_ABSENT };
	(void)line, (void)err;
	memset(s.why, WHY_ABSENT, sizeof s.why);
	f->inputs.v[f->inputs.n - 1].records++;
	if (!amd_metrics_read(bytes, &s, why)) {
		facts_reject(f, 0, "%s", why);
		return ERR_OK;
	}
	*vec_push(&f->devices) = (struct device){ .id = id };
	*facts_sample(f, id, s.t_ms) = s;
	return ERR_OK;
}

const struct reader reader_amd_gpu_metrics = {
	.name = "amd_gpu_metrics",
	.help = "A copy of amdgpu's binary gpu_metrics, versions 1.0 to 1.9, 2.0 to 2.4 and 3.0; "
	        "FILE@at=TIME says when it was read.",
	.cut = CUT_WHOLE,
	.recognise = amd_gpu_metrics_recognise,
	.open = amd_gpu_metrics_open,
	.feed = amd_gpu_metrics_feed,
};
