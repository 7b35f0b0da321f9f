/* SPDX-License-Identifier: Apache-2.0 */
/* Readings of one instant, as one nvidia-smi gives them: they cover no time, and still say
 * something. */
#include "report/number.h"
#include "report/waterfall_tables.h"

#define BUSY_PERCENT 5000000 /* GPU-Util from which a GPU works (ledger.md 3) */

/* GPUs by what their GPU-Util says. */
struct instant {
	uint32_t busy, quiet, unsaid;
};

static bool instant_count(const struct report_input *in, struct instant *ret)
{
	const struct facts *f = in->f;
	struct map devices = MAP_NULL; /* MIG instances have readings too */
	bool is_one = f->samples.n > 0 && !f->series;
	*ret = (struct instant){ 0 };
	for (size_t i = 0; i < f->devices.n; i++)
		*map_at(&devices, f->devices.v[i].id) = 1;
	for (size_t i = 0; i < f->samples.n && is_one; i++) {
		const struct sample *s = &f->samples.v[i];
		uint32_t *left = map_at(&devices, s->device);
		is_one = s->t_ms == f->samples.v[0].t_ms;
		if (!*left)
			continue;
		*left = 0;
		if (!(s->known & metric_bit(METRIC_gpu_util)))
			ret->unsaid++;
		/* tidy: reading, because it is known here */
		else if (s->v[METRIC_gpu_util] >= BUSY_PERCENT)
			ret->busy++;
		else
			ret->quiet++;
	}
	map_deinit(&devices);
	return is_one && ret->busy + ret->quiet + ret->unsaid > 0;
}

bool waterfall_instant(const struct report_input *in, struct text *t)
{
	struct instant n;
	if (in->l->has_scheduler || in->l->as_of_ms == TIME_UNKNOWN || !instant_count(in, &n))
		return false;
	uint32_t all = n.busy + n.quiet + n.unsaid;
	text_add(t, S("A look at one instant: "));
	number_write(t, n.busy, 0);
	text_add(t, S(" of "));
	number_write(t, all, 0);
	text_add(t, all == 1 ? S(" GPU") : S(" GPUs"));
	text_add(t, S(" at work, as GPU-Util (5 % or more) has it, "));
	number_write(t, n.quiet, 0);
	text_add(t, S(" not"));
	if (n.unsaid) {
		text_add(t, S(", "));
		number_write(t, n.unsaid, 0);
		text_add(t, S(" without a GPU-Util"));
	}
	text_add(t, S(". It covers no time: where time goes is seen in a log of readings "
	              "(nvidia-smi -l 5, and the like)."));
	return true;
}
