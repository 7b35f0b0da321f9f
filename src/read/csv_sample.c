/* SPDX-License-Identifier: Apache-2.0 */
/* csv_sample: a row of readings, or a row with one reading, as samples of its device. */
#include <stdio.h>

#include "read/csv_map.h"

void csv_seen_deinit(struct csv_seen *seen)
{
	map_deinit(&seen->devices);
	map_deinit(&seen->jobs);
	map_deinit(&seen->held);
	text_deinit(&seen->key);
}

bool csv_metric_read(struct str text, enum metric_id *ret_id, struct reading_unit *ret_unit,
                     char *why)
{
	struct str name = str_sub(text, 0, str_find_byte(text, ' '));
	struct str unit = str_trim(str_sub(text, name.n, text.n));
	int id = metric_find(name);
	if (id < 0) {
		snprintf(why, 128, "'%.*s' is not a metric (docs/reference/metrics.md)",
		         (int)(name.n > 40 ? 40 : name.n), name.p);
		return false;
	}
	*ret_id = (enum metric_id)id;
	if (reading_unit_find(*ret_id, unit, ret_unit))
		return true;
	auto_text names = TEXT_NULL;
	reading_unit_names(&names, *ret_id);
	snprintf(why, 128, "unit '%.*s' of %s; expected %.*s", (int)(unit.n > 20 ? 20 : unit.n),
	         unit.p, metrics[id].name, STR_FMT(text_str(&names)));
	return false;
}

/* A whole number counts within its node, or within the file. */
static sym device_key(const struct csv_row *row, struct facts *f)
{
	struct str id = row->cells[CSV_SAMPLE_DEVICE].text;
	struct str node = row->cells[CSV_SAMPLE_NODE].text;
	uint64_t number;
	if (id.n && !str_to_u64(id, &number))
		return csv_row_word(row, f, CSV_SAMPLE_DEVICE);
	struct str scope = node.n ? node : names_word(&f->names, row->source);
	struct text *key = &row->seen->key;
	key->n = 0;
	text_add(key, scope.n ? scope : S("gpu"));
	if (id.n) {
		text_byte(key, ':');
		text_add(key, id);
	}
	return facts_word(f, text_str(key));
}

static sym device_of(const struct csv_row *row, struct facts *f)
{
	sym id = device_key(row, f);
	uint32_t *at = map_at(&row->seen->devices, id);
	if (!*at) {
		*vec_push(&f->devices) = (struct device){ .id = id };
		*at = (uint32_t)f->devices.n;
	}
	struct device *d = &f->devices.v[*at - 1];
	if (!d->node)
		d->node = csv_row_word(row, f, CSV_SAMPLE_NODE);
	if (!d->model)
		d->model = csv_row_word(row, f, CSV_SAMPLE_MODEL);
	return id;
}

static uint32_t job_of(const struct csv_row *row, struct facts *f)
{
	sym id = csv_row_word(row, f, CSV_SAMPLE_JOB);
	uint32_t *at = map_at(&row->seen->jobs, id);
	if (!*at) {
		const struct csv_cell *kind = &row->cells[CSV_SAMPLE_JOB_KIND];
		struct job *j = facts_job(f, row->cells[CSV_SAMPLE_JOB].text);
		*at = (uint32_t)f->jobs.n;
		j->kind_known = kind->den != 0;
		j->kind = (uint8_t)(j->kind_known ? kind->num : KIND_BATCH);
		j->outcome = OUTCOME_ENDED; /* its rows end; nothing says how it did */
		struct job_traits t = JOB_TRAITS_UNKNOWN;
		t.user = csv_row_word(row, f, CSV_SAMPLE_USER);
		t.team = csv_row_word(row, f, CSV_SAMPLE_TEAM);
		t.queue = csv_row_word(row, f, CSV_SAMPLE_QUEUE);
		job_set_traits(f, j, &t);
	}
	return *at - 1;
}

/* The row names a job: until its input is joined each time of a device is an entry by itself. */
static void hold(const struct csv_row *row, struct facts *f, sym device, int64_t t_ms,
                 int64_t period_ms)
{
	if (!row->cells[CSV_SAMPLE_JOB].text.n)
		return;
	uint32_t *at = map_at(&row->seen->held, device);
	uint32_t job = job_of(row, f);
	const struct allocation *last = *at ? &f->allocations.v[*at - 1] : NULL;
	if (last && last->job == job && allocation_portion(f, last)->to_ms == t_ms &&
	    allocation_portion(f, last)->from_ms <= t_ms - period_ms)
		return; /* a reading a row */
	facts_add_own(f, &(struct allocation_entry){ .job = job,
	                                             .on = CLAIM_DEVICE,
	                                             .place = device,
	                                             .count = 1,
	                                             .share_num = 1,
	                                             .share_den = 1,
	                                             .from_ms = t_ms - period_ms,
	                                             .to_ms = t_ms });
	*at = (uint32_t)f->allocations.n;
}

static void processes(const struct csv_row *row, struct facts *f, struct sample *s)
{
	struct str rest = row->cells[CSV_SAMPLE_PROCESS].text;
	const struct csv_value *v = &row->plan->map->values[CSV_SAMPLE_PROCESS];
	if (!rest.n)
		return;
	s->procs_why = WHY_KNOWN;
	s->procs_at = (uint32_t)f->syms.n;
	if (str_eq(rest, S("none")))
		return;
	while (rest.n) {
		size_t at = v->split.n ? str_find(rest, v->split) : rest.n;
		struct str one = str_trim(str_sub(rest, 0, at));
		rest = str_sub(rest, at + v->split.n, rest.n);
		if (!one.n)
			continue;
		*vec_push(&f->syms) = facts_word(f, one);
		s->procs_n++;
	}
}

/* False: the row was rejected, or is of a metric that the map does not want. */
static bool long_metric(const struct csv_row *row, struct facts *f, enum metric_id *ret_id,
                        struct reading_unit *ret_unit)
{
	char why[128];
	struct str name = row->cells[CSV_SAMPLE_METRIC].text;
	if (!name.n) {
		facts_note(f, "Rows of metrics that the map does not name were left out.");
		return false;
	}
	if (csv_metric_read(name, ret_id, ret_unit, why))
		return true;
	facts_reject(f, row->line, "metric: %s", why);
	return false;
}

void csv_sample_facts(const struct csv_row *row, struct facts *f)
{
	const struct csv_map *m = row->plan->map;
	const struct csv_cell *when = &row->cells[CSV_SAMPLE_TIME],
	                      *period = &row->cells[CSV_SAMPLE_PERIOD];
	bool is_long = m->values[CSV_SAMPLE_METRIC].is_set, is_rejected = false;
	enum metric_id one = METRIC_COUNT;
	struct reading_unit unit = { 1, 1 };
	if (!when->den) {
		facts_reject(f, row->line, "no time");
		return;
	}
	if (is_long && !long_metric(row, f, &one, &unit))
		return;
	int64_t period_ms = period->den ? period->num : 0;
	if (period_ms > TIME_MS_MAX) {
		facts_reject(f, row->line, "a period out of range");
		return;
	}
	sym device = device_of(row, f);
	hold(row, f, device, when->num, period_ms);
	struct sample *s = facts_sample(f, device, when->num);
	s->kind = m->is_point ? SAMPLE_POINT : SAMPLE_AVERAGE;
	s->period_ms = period_ms;
	processes(row, f, s);
	if (is_long)
		reading_take(f, row->line, &is_rejected, s, one, row->cells[CSV_SAMPLE_VALUE].text,
		             unit);
	for (int p = CSV_METRIC_FIRST; p < CSV_PROP_COUNT; p++) {
		const struct csv_value *v = &m->values[p];
		if (v->is_set)
			reading_take(f, row->line, &is_rejected, s,
			             (enum metric_id)(p - CSV_METRIC_FIRST), row->cells[p].text,
			             (struct reading_unit){ v->num, v->den });
	}
}
