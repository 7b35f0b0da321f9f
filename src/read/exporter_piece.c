/* SPDX-License-Identifier: Apache-2.0 */
/* exporter_piece: what one piece of an input says: samples, and the jobs that hold devices. */
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
			                                      .slices = d->slices,
			                                      .from_ms = TIME_UNKNOWN,
			                                      .to_ms = TIME_UNKNOWN };
		return;
	}
	*vec_push(&f->devices) = (struct device){ .id = d->word,
		                                  .node = facts_word(f, d->node),
		                                  .number = facts_word(f, d->number),
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
		d->list_at = d->list_n = 0;
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

/* The piece's word for the job of a hold. */
static sym hold_word(struct exporter *e, struct hold *h)
{
	struct facts *f = e->f;
	if (h->told == e->piece)
		return h->word;
	h->told = e->piece;
	h->word = facts_word(f, h->job.id);
	uint32_t *at = map_at(&e->job_of, h->word);
	if (!*at) {
		struct job *job = facts_job(f, h->job.id);
		struct job_traits t = JOB_TRAITS_UNKNOWN;
		t.user = facts_word(f, h->job.user);
		t.team = facts_word(f, h->job.team);
		t.queue = facts_word(f, h->job.queue);
		job_set_traits(f, job, &t);
		job->name = facts_word(f, h->job.name);
		job->outcome = OUTCOME_ENDED;
		job->is_seen = true;
		job->is_slurm = h->job.is_slurm;
		*at = 1;
	}
	return h->word;
}

/* Until the pieces are joined, the jobs that labels name at a reading stand where its processes
   would. Most readings have the same list as the one before: it is told once. */
static void hold_see(struct exporter *e, uint32_t at, int64_t t_ms)
{
	struct hold *h = &e->holds.v[at];
	struct facts *f = e->f;
	if (h->told == e->piece && h->seen_ms == t_ms)
		return; /* by another series */
	sym word = hold_word(e, h);
	h->seen_ms = t_ms;
	struct seen_device *d = device_at(e, h->device);
	struct sample *s = sample_at(e, d, t_ms);
	for (uint32_t i = 0; i < s->procs_n; i++)
		if (f->syms.v[s->procs_at + i] == word)
			return;
	bool is_shared = s->procs_at == d->list_at || !s->procs_n;
	if (is_shared && s->procs_n < d->list_n && f->syms.v[d->list_at + s->procs_n] == word) {
		s->procs_at = d->list_at;
		s->procs_n++;
		return;
	}
	uint32_t from = s->procs_at, n = s->procs_n;
	s->procs_at = (uint32_t)f->syms.n;
	s->procs_n = n + 1;
	vec_reserve(&f->syms, n + 1);
	for (uint32_t i = 0; i < n; i++) {
		sym other = f->syms.v[from + i];
		*vec_push(&f->syms) = other;
	}
	*vec_push(&f->syms) = word;
	d->list_at = s->procs_at;
	d->list_n = s->procs_n;
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
	sample_know(s, id, v);
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

/* The sample of the series' device at T_MS, with its job seen there. */
static struct sample *sample_of(struct exporter *e, const struct exporter_series *s, int64_t t_ms)
{
	struct seen_device *d = device_at(e, s->device);
	if (s->hold != NOT_YET) {
		hold_see(e, s->hold, t_ms);
		d = &e->devices.v[s->device];
	}
	return s->metric ? sample_at(e, d, t_ms) : NULL;
}

/* The same if the one before it on the device was of that time too: nearly always. */
static struct sample *sample_again(struct exporter *e, const struct exporter_series *s,
                                   int64_t t_ms)
{
	const struct seen_device *d = &e->devices.v[s->device];
	if (d->piece != e->piece || d->told != e->piece || !d->rows.n ||
	    d->rows.v[d->at].t_ms != t_ms || !s->metric)
		return NULL;
	if (s->hold != NOT_YET) {
		const struct hold *h = &e->holds.v[s->hold];
		if (h->told != e->piece || h->seen_ms != t_ms)
			return NULL;
	}
	return &e->f->samples.v[d->rows.v[d->at].sample];
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
	if (t_ms == TIME_UNKNOWN) {
		(void)device_at(e, s->device);
		e->is_untimed |= s->metric != NULL;
		return;
	}
	if (e->f->samples.n >= UINT32_MAX - 2)
		return;
	struct sample *one = sample_again(e, s, t_ms);
	if (!one)
		one = sample_of(e, s, t_ms);
	if (!one)
		return;
	enum metric_id id = s->metric->id;
	put(one, id, why, v);
	if (id == METRIC_throttle)
		put(one, METRIC_idle_reason, why, v & 1); /* nvmlClocksEventReasonGpuIdle */
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
	map_deinit(&e->job_of);
	notes_tell(e);
	e->f = NULL;
}
