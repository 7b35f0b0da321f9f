/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_apps.h"

#include "base/sort.h"
#include "read/nvidia_smi.h"

void smi_apps_deinit(struct smi_apps *a)
{
	vec_deinit(&a->v);
}

void smi_apps_add(struct smi_apps *a, struct facts *f, sym device, int64_t t_ms, struct str pid)
{
	struct sample s = { 0 };
	uint32_t at = (uint32_t)f->syms.n;
	smi_processes(f, pid, &s);
	*vec_push(&a->v) = (struct smi_app){ .device = device,
		                             .pid = s.procs_n ? f->syms.v[at] : 0,
		                             .t_ms = t_ms,
		                             .why = (enum why)s.procs_why };
	f->syms.n = at;
}

/* The places 0 to N - 1 by device, then time, then place. */
struct places {
	struct keyed *v;
	size_t n;
};

static struct places places_by_time(size_t n, const void *of, int64_t (*t_ms)(const void *, size_t),
                                    sym (*device)(const void *, size_t))
{
	struct places p = { mem_alloc(mem_times(n + 1, sizeof *p.v)), n };
	for (size_t i = 0; i < n; i++)
		p.v[i] = (struct keyed){ sort_key(t_ms(of, i)), (int64_t)i };
	sort_keyed(p.v, n);
	for (size_t i = 0; i < n; i++)
		p.v[i].key = device(of, (size_t)p.v[i].with);
	sort_keyed(p.v, n); /* stable */
	return p;
}

static int64_t app_time(const void *of, size_t i)
{
	return ((const struct smi_app *)of)[i].t_ms;
}

static sym app_device(const void *of, size_t i)
{
	return ((const struct smi_app *)of)[i].device;
}

void smi_apps_end(struct smi_apps *a, struct facts *f)
{
	struct places p = places_by_time(a->v.n, a->v.v, app_time, app_device);
	struct sample *s = NULL;
	for (size_t i = 0; i < p.n; i++) {
		const struct smi_app *app = &a->v.v[p.v[i].with];
		if (!s || s->device != app->device || s->t_ms != app->t_ms) {
			s = facts_sample(f, app->device, app->t_ms);
			s->kind = SAMPLE_POINT;
			s->procs_at = (uint32_t)f->syms.n;
			s->procs_why = WHY_KNOWN;
		}
		if (app->pid) {
			*vec_push(&f->syms) = app->pid;
			s->procs_n++;
		} else {
			s->procs_why = (uint8_t)app->why; /* not all are shown */
		}
	}
	mem_free(p.v);
}

static int64_t sample_time(const void *of, size_t i)
{
	return ((const struct sample *)of)[i].t_ms;
}

static sym sample_device(const void *of, size_t i)
{
	return ((const struct sample *)of)[i].device;
}

static bool is_list(const struct sample *s)
{
	for (int m = 0; m < METRIC_COUNT; m++)
		if (s->why[m] != WHY_ABSENT)
			return false;
	return s->procs_why == WHY_KNOWN;
}

/* S if LIST may go with it; NULL else. */
static struct sample *near(struct sample *s, const struct sample *list)
{
	int64_t apart = s->t_ms < list->t_ms ? list->t_ms - s->t_ms : s->t_ms - list->t_ms;
	return s->device == list->device && apart <= SMI_TICK_MS && s->procs_why != WHY_KNOWN &&
	                       !is_list(s)
	               ? s
	               : NULL;
}

static void lists_attach(struct facts *f)
{
	struct places p = places_by_time(f->samples.n, f->samples.v, sample_time, sample_device);
	size_t kept = 0;
	for (size_t i = 0; i < p.n; i++) {
		struct sample *list = &f->samples.v[p.v[i].with];
		if (!list->device || !is_list(list))
			continue;
		struct sample *before = i ? near(&f->samples.v[p.v[i - 1].with], list) : NULL;
		struct sample *after =
		        i + 1 < p.n ? near(&f->samples.v[p.v[i + 1].with], list) : NULL;
		bool is_after =
		        after && (!before || after->t_ms - list->t_ms < list->t_ms - before->t_ms);
		struct sample *to = is_after ? after : before;
		if (!to) {
			facts_note(f, "A list of processes says who was on a GPU, and not whether "
			              "it worked. Log it into the file of the readings (both "
			              "commands in one loop), or take nvidia-smi -q -x, which has "
			              "both: from a file of its own it interrupts the readings of "
			              "another.");
			continue;
		}
		to->procs_why = WHY_KNOWN;
		to->procs_at = list->procs_at;
		to->procs_n = list->procs_n;
		list->device = 0; /* taken */
	}
	for (size_t i = 0; i < f->samples.n; i++)
		if (f->samples.v[i].device)
			f->samples.v[kept++] = f->samples.v[i];
	f->samples.n = kept;
	mem_free(p.v);
}

void smi_ticks_join(struct facts *f)
{
	facts_merge_samples(f);
	lists_attach(f);
}
