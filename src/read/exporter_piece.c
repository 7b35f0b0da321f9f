/* SPDX-License-Identifier: Apache-2.0 */
/* exporter_piece: what one piece of an input says: samples, and the jobs that hold devices. */
#include <stdlib.h>

#include "read/exporter_series.h"

#define FEW_ROWS 16u /* up to here looking at each is fast enough */

/* Tells the piece of a device, in the piece's words. */
static void device_tell(struct exporter *e, struct seen_device *d)
{
	struct facts *f = e->f;
	d->word = facts_word(f, d->id);
	d->told = e->piece;
	if (d->whole.n) {
		*vec_push(&f->instances) = (struct instance){ .id = d->word,
			                                      .device = facts_word(f, d->whole),
			                                      .slices = d->slices };
		return;
	}
	*vec_push(&f->devices) = (struct device){ .id = d->word,
		                                  .node = facts_word(f, d->node),
		                                  .model = facts_word(f, d->model) };
}

static struct seen_device *device_at(struct exporter *e, uint32_t at)
{
	struct seen_device *d = &e->devices.v[at];
	if (d->told != e->piece) {
		if (d->whole.n) {
			uint32_t whole = exporter_device(e, d->whole, STR_NULL);
			d = &e->devices.v[at];
			if (e->devices.v[whole].told != e->piece)
				device_tell(e, &e->devices.v[whole]);
		}
		device_tell(e, d);
	}
	if (d->piece != e->piece) {
		d->piece = e->piece;
		d->rows.n = d->at = 0;
		map_deinit(&d->row_of);
	}
	return d;
}

static bool has_row(struct seen_device *d, size_t at, int64_t t_ms)
{
	if (at >= d->rows.n || d->rows.v[at].t_ms != t_ms)
		return false;
	d->at = at;
	return true;
}

static bool find_row(struct seen_device *d, int64_t t_ms)
{
	if (has_row(d, d->at, t_ms) || has_row(d, d->at + 1, t_ms) || has_row(d, 0, t_ms))
		return true;
	if (d->rows.n > FEW_ROWS) {
		uint32_t at = *map_at(&d->row_of, (uint64_t)t_ms);
		return at && has_row(d, at - 1, t_ms);
	}
	for (size_t i = 1; i < d->rows.n; i++)
		if (has_row(d, i, t_ms))
			return true;
	return false;
}

static struct sample *sample_at(struct exporter *e, struct seen_device *d, int64_t t_ms)
{
	if (!find_row(d, t_ms)) {
		facts_sample(e->f, d->word, t_ms);
		*vec_push(&d->rows) = (struct row){ t_ms, (uint32_t)e->f->samples.n - 1 };
		d->at = d->rows.n - 1;
		for (size_t i = d->rows.n == FEW_ROWS + 1 ? 0 : d->at;
		     d->rows.n > FEW_ROWS && i < d->rows.n; i++)
			*map_at(&d->row_of, (uint64_t)d->rows.v[i].t_ms) = (uint32_t)i + 1;
	}
	return &e->f->samples.v[d->rows.v[d->at].sample];
}

static void hold_see(struct exporter *e, uint32_t at, int64_t t_ms)
{
	struct hold *h = &e->holds.v[at];
	if (h->piece != e->piece) {
		h->piece = e->piece;
		h->times.n = 0;
		*vec_push(&e->held) = at;
	}
	if (h->times.n && h->times.v[h->times.n - 1] == t_ms)
		return;
	*vec_push(&h->times) = t_ms;
	(void)sample_at(e, device_at(e, h->device), t_ms);
}

/* Of two readings the larger counts, of two limits the smaller one. */
static void put(struct sample *s, enum metric_id id, enum why why, int64_t v)
{
	if (why != WHY_KNOWN) {
		if (s->why[id] == WHY_ABSENT)
			s->why[id] = (uint8_t)why;
		return;
	}
	bool is_more = id == METRIC_power_limit ? v < s->v[id] : v > s->v[id];
	if (s->why[id] == WHY_KNOWN && !is_more)
		return;
	s->v[id] = v;
	s->why[id] = WHY_KNOWN;
	s->known |= metric_bit(id);
}

/* False: what stands there is no value, not even one that is missing. */
static bool value_of(struct exporter *e, const struct exporter_series *s, struct str value,
                     uint64_t line, int64_t *ret, enum why *ret_why)
{
	bool is_bad;
	*ret_why = exporter_value(s->metric, value, ret, &is_bad);
	if (is_bad)
		facts_reject(e->f, line, "%.*s: the value is not a number", STR_FMT(s->name));
	else if (*ret_why == WHY_OUT_OF_RANGE)
		facts_reject(e->f, line, "%.*s: out of range", STR_FMT(s->name));
	else if (*ret_why != WHY_KNOWN)
		e->had_why[*ret_why] |= prom_number(value) != PROM_NAN;
	return !is_bad;
}

void exporter_take(struct exporter *e, struct exporter_series *s, int64_t t_ms, struct str value,
                   uint64_t line)
{
	int64_t v = 0;
	if (s->is_nothing)
		return;
	enum why why = WHY_ABSENT;
	if (s->metric && !value_of(e, s, value, line, &v, &why))
		return;
	struct seen_device *d = device_at(e, s->device);
	if (t_ms == TIME_UNKNOWN) {
		e->is_untimed |= s->metric != NULL;
		return;
	}
	if (e->f->samples.n >= UINT32_MAX - 2)
		return;
	if (s->hold != NOT_YET) {
		hold_see(e, s->hold, t_ms);
		d = &e->devices.v[s->device];
	}
	if (!s->metric)
		return;
	struct sample *one = sample_at(e, d, t_ms);
	enum metric_id id = s->metric->id;
	put(one, id, why, v);
	if (id == METRIC_throttle)
		put(one, METRIC_idle_reason, why, v & 1); /* nvmlClocksEventReasonGpuIdle */
}

static int time_order(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

static int row_order(const void *x, const void *y)
{
	return time_order(&((const struct row *)x)->t_ms, &((const struct row *)y)->t_ms);
}

/* The job of a hold, once a piece. */
static uint32_t job_at(struct exporter *e, const struct exporter_job *j, struct map *job_of)
{
	struct facts *f = e->f;
	uint32_t *at = map_at(job_of, facts_word(f, j->id));
	if (!*at) {
		struct job *job = facts_job(f, j->id);
		struct job_traits t = JOB_TRAITS_UNKNOWN;
		t.user = facts_word(f, j->user);
		t.team = facts_word(f, j->team);
		t.queue = facts_word(f, j->queue);
		job_set_traits(f, job, &t);
		job->name = facts_word(f, j->name);
		job->outcome = OUTCOME_ENDED;
		job->is_seen = true;
		job->is_slurm = j->is_slurm;
		*at = (uint32_t)f->jobs.n;
	}
	return *at - 1;
}

/* Stretches over which every reading of the device names the job. */
static void hold_tell(struct exporter *e, struct hold *h, struct map *job_of)
{
	struct seen_device *d = device_at(e, h->device);
	bool is_sorted = true;
	size_t at = 0, k = 0;
	vec_sort(&h->times, time_order);
	for (size_t i = 1; i < d->rows.n; i++)
		is_sorted &= d->rows.v[i - 1].t_ms < d->rows.v[i].t_ms;
	if (!is_sorted)
		vec_sort(&d->rows, row_order); /* the piece asks for no further row */
	uint32_t job = job_at(e, &h->job, job_of);
	while (at < d->rows.n && k < h->times.n) {
		if (d->rows.v[at].t_ms < h->times.v[k]) {
			at++;
			continue;
		}
		struct allocation_entry a = { .job = job,
			                      .on = d->whole.n ? CLAIM_INSTANCE : CLAIM_DEVICE,
			                      .place = d->word,
			                      .count = 1,
			                      .share_num = 1,
			                      .share_den = 1,
			                      .from_ms = h->times.v[k],
			                      .to_ms = h->times.v[k] };
		while (at < d->rows.n && k < h->times.n && d->rows.v[at].t_ms == h->times.v[k]) {
			a.to_ms = h->times.v[k];
			while (k < h->times.n && h->times.v[k] == a.to_ms)
				k++;
			at++;
		}
		facts_add_allocation(e->f, &a);
	}
}

static void notes_tell(struct exporter *e)
{
	if (e->had_why[WHY_NO_PERMISSION])
		facts_note(e->f,
		           "DCGM was not permitted to read some metrics: its profiling counters "
		           "need CAP_SYS_ADMIN, or the driver's option "
		           "NVreg_RestrictProfilingToAdminUsers=0.");
	if (e->had_why[WHY_UNSUPPORTED])
		facts_note(e->f,
		           "DCGM says of some metrics that the device does not support them.");
	if (e->had_why[WHY_NOT_READY] || e->had_why[WHY_ABSENT])
		facts_note(e->f, "DCGM had no value for some readings.");
	if (e->is_untimed)
		facts_note(e->f, "A scrape without times says which devices there are, and nothing "
		                 "of when: `while sleep 30; do date -u +'# %FT%TZ'; curl -s "
		                 "HOST:9400/metrics; done >> scrapes.prom` keeps them, or ask "
		                 "Prometheus for a range (query_range).");
}

void exporter_end(struct exporter *e)
{
	struct map job_of = MAP_NULL;
	for (size_t i = 0; i < e->held.n; i++)
		hold_tell(e, &e->holds.v[e->held.v[i]], &job_of);
	map_deinit(&job_of);
	notes_tell(e);
	e->f = NULL;
}
