/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/document.h"

#include <inttypes.h>

#include "facts/entry.h"
#include "facts/series.h"

/* Begins the value of the document's KEY. */
static void section_write(struct writer *w, const char *key)
{
	text_add(w->t, w->has_keys ? S(",\n ") : S("\n "));
	text_json(w->t, str_of(key));
	text_add(w->t, S(": "));
	w->has_keys = true;
}

static void time_write(struct writer *w, const char *key, int64_t ms)
{
	if (ms == TIME_UNKNOWN)
		return;
	entry_key(w, key);
	text_printf(w->t, "%" PRId64, ms);
}

static void device_write(struct writer *w, const void *entry)
{
	const struct device *d = entry;
	bool is_first = true;
	if (!d->mig)
		return;
	uint32_t *first = map_at(&w->instances, d->id);
	entry_key(w, "mig");
	text_byte(w->t, '[');
	for (uint32_t i = *first; i; i = w->next[i - 1]) {
		const struct instance *in = &w->f->instances.v[i - 1];
		text_add(w->t, is_first ? S("{\"id\": ") : S(", {\"id\": "));
		entry_word(w, in->id);
		if (in->slices)
			text_printf(w->t, ", \"slices\": %" PRIu32, in->slices);
		if (in->from_ms != TIME_UNKNOWN)
			text_printf(w->t, ", \"from\": %" PRId64, in->from_ms);
		if (in->to_ms != TIME_UNKNOWN)
			text_printf(w->t, ", \"to\": %" PRId64, in->to_ms);
		text_byte(w->t, '}');
		is_first = false;
	}
	text_byte(w->t, ']');
	*first = 0; /* a device that is listed again does not get them again */
}

static void attempt_write(struct writer *w, const void *entry)
{
	(void)entry;
	if (!w->attempts[w->job])
		return;
	entry_key(w, "attempt");
	text_printf(w->t, "%" PRIu32, w->attempts[w->job]);
}

static void allocation_write(struct writer *w, const void *entry)
{
	static const char *const on[] = { [CLAIM_DEVICE] = "device",
		                          [CLAIM_INSTANCE] = "instance",
		                          [CLAIM_NODE] = "node",
		                          [CLAIM_NODES] = "nodes",
		                          [CLAIM_POOL] = "pool",
		                          [CLAIM_GPU] = "gpu" };
	const struct allocation_entry *a = entry;
	entry_key(w, "job");
	text_json(w->t, job_id(w->f, &w->f->jobs.v[a->job]));
	entry_key(w, on[a->on]);
	entry_word(w, a->place);
	attempt_write(w, entry);
}

static void sample_write(struct writer *w, const void *entry)
{
	const struct sample *s = entry;
	bool is_first = true;
	if (s->procs_why == WHY_KNOWN) {
		entry_key(w, "procs");
		entry_words(w, s->procs_at, s->procs_n);
	} else if (s->procs_why != WHY_ABSENT) {
		entry_key(w, "procs");
		text_json(w->t, str_of(why_names[s->procs_why]));
	}
	entry_key(w, "r");
	text_byte(w->t, '{');
	for (int i = 0; i < METRIC_COUNT; i++) {
		bool is_known = s->known >> i & 1;
		if (!is_known && s->why[i] == WHY_ABSENT)
			continue;
		text_printf(w->t, "%s\"%s\": ", is_first ? "" : ", ", metrics[i].name);
		is_first = false;
		if (is_known)
			text_fixed(w->t, s->v[i], metrics[i].decimals);
		else
			text_json(w->t, str_of(why_names[s->why[i]]));
	}
	text_byte(w->t, '}');
}

/* MORE writes its keys of kind OTHER. */
static void entry_write(struct writer *w, const struct fields *list, const void *entry,
                        bool is_first, void (*more)(struct writer *, const void *))
{
	text_add(w->t, is_first ? S("\n  {") : S(",\n  {"));
	w->has_entry_keys = false;
	entry_fields(w, list, entry);
	if (more)
		more(w, entry);
	text_byte(w->t, '}');
}

/* Every entry of a list. */
static void list_write(struct writer *w, const struct fields *list, const void *v, size_t n,
                       void (*more)(struct writer *, const void *))
{
	text_byte(w->t, '[');
	for (size_t i = 0; i < n; i++)
		entry_write(w, list, (const char *)v + i * list->size, i == 0, more);
	text_byte(w->t, ']');
}

static void jobs_write(struct writer *w)
{
	const struct facts *f = w->f;
	if (!f->jobs.n)
		return;
	section_write(w, fields[FIELDS_JOBS].name);
	text_byte(w->t, '[');
	w->lists = f->traits.lists.v;
	for (w->job = 0; w->job < f->jobs.n; w->job++) {
		const struct job_entry e = job_entry_of(f, &f->jobs.v[w->job]);
		entry_write(w, &fields[FIELDS_JOBS], &e, w->job == 0, attempt_write);
	}
	w->lists = f->syms.v;
	text_byte(w->t, ']');
}

static void allocations_write(struct writer *w)
{
	const struct facts *f = w->f;
	if (!f->allocations.n)
		return;
	section_write(w, fields[FIELDS_ALLOCATIONS].name);
	text_byte(w->t, '[');
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation_entry e = allocation_entry_of(f, &f->allocations.v[i]);
		w->job = e.job;
		entry_write(w, &fields[FIELDS_ALLOCATIONS], &e, i == 0, allocation_write);
	}
	text_byte(w->t, ']');
}

/* Samples that are kept elsewhere, device after device. */
static void series_write(struct writer *w)
{
	const struct series_source *source = w->f->series;
	struct series_rows *rows = mem_alloc(sizeof *rows);
	bool is_first = true;
	for (size_t i = 0; i < source->n; i++) {
		struct series_cursor *c = source->open(source, i, SERIES_ALL);
		while (source->next(c, rows))
			for (uint32_t k = 0; k < rows->n; k++, is_first = false) {
				struct sample s;
				series_row_get(rows, k, source->v[i].device, &s);
				if (is_first) {
					section_write(w, fields[FIELDS_SAMPLES].name);
					text_byte(w->t, '[');
				}
				entry_write(w, &fields[FIELDS_SAMPLES], &s, is_first, sample_write);
			}
		source->close(c);
	}
	if (!is_first)
		text_byte(w->t, ']');
	mem_free(rows);
}

static void options_write(struct writer *w)
{
	const struct facts_options *o = &w->f->options;
	bool has_count = false;
	for (int i = 0; i < FATE_COUNT; i++)
		has_count |= o->count[i] >= 0;
	if (o->setup_max_ms < 0 && o->skew_ms < 0 && o->kept_saved < 0 && !has_count)
		return;
	section_write(w, "options");
	text_byte(w->t, '{');
	w->has_entry_keys = false;
	time_write(w, "setup_max", o->setup_max_ms < 0 ? TIME_UNKNOWN : o->setup_max_ms);
	time_write(w, "skew", o->skew_ms < 0 ? TIME_UNKNOWN : o->skew_ms);
	if (o->kept_saved >= 0) {
		entry_key(w, "kept");
		text_json(w->t, o->kept_saved ? S("saved") : S("restored"));
	}
	if (has_count) {
		entry_key(w, "count");
		text_byte(w->t, '{');
		w->has_entry_keys = false;
		for (int i = 0; i < FATE_COUNT; i++)
			if (o->count[i] >= 0) {
				entry_key(w, fates[i].name);
				text_json(w->t, str_of(fates[o->count[i]].name));
			}
		text_byte(w->t, '}');
	}
	text_byte(w->t, '}');
}

static void times_write(struct writer *w)
{
	const struct facts *f = w->f;
	if (f->window.from_ms != TIME_UNKNOWN && f->window.to_ms != TIME_UNKNOWN) {
		section_write(w, "window");
		entry_span(w, f->window);
	}
	if (f->as_of_ms != TIME_UNKNOWN) {
		section_write(w, "as_of");
		text_printf(w->t, "%" PRId64, f->as_of_ms);
	}
	if (!f->has_scheduler && !f->scheduler.n)
		return;
	section_write(w, "scheduler");
	text_byte(w->t, '[');
	for (size_t i = 0; i < f->scheduler.n; i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		entry_span(w, f->scheduler.v[i]);
	}
	text_byte(w->t, ']');
}

static void ignores_write(struct writer *w)
{
	bool any = false;
	text_add(w->t, S(", \"ignore\": {"));
	for (int k = 0; k < IGNORE_COUNT; k++) {
		bool first = true;
		for (size_t i = 0; i < w->f->ignores.n; i++) {
			if (w->f->ignores.v[i].what != k)
				continue;
			if (first)
				text_printf(w->t, "%s\"%s\": [", any ? ", " : "", ignore_names[k]);
			else
				text_add(w->t, S(", "));
			entry_word(w, w->f->ignores.v[i].word);
			first = false;
			any = true;
		}
		text_add(w->t, first ? STR_NULL : S("]"));
	}
	text_byte(w->t, '}');
}

static void policy_write(struct writer *w)
{
	const struct facts *f = w->f;
	if (!f->has_policy)
		return;
	section_write(w, "policy");
	text_add(w->t, S("{\"reserve\": "));
	list_write(w, &fields[FIELDS_RESERVES], f->reserves.v, f->reserves.n, NULL);
	if (f->ignores.n)
		ignores_write(w);
	text_add(w->t, S(", \"headroom\": {"));
	w->has_entry_keys = false;
	for (size_t i = 0; i < f->headrooms.n; i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		entry_word(w, f->headrooms.v[i].job);
		const struct headroom *h = &f->headrooms.v[i];
		if (h->part_den > 0)
			text_printf(w->t, ": \"%" PRId64 "/%" PRId64 "\"",
			            h->part_num + h->gpus * h->part_den, h->part_den);
		else
			text_printf(w->t, ": %" PRIu32, h->gpus);
	}
	text_add(w->t, S("}}"));
}

/* Instances of devices that the document does not list: what device_write left. */
static void orphans_write(struct writer *w)
{
	VEC(struct instance) orphans = { 0 };
	for (size_t i = 0; i < w->f->instances.n; i++)
		if (*map_at(&w->instances, w->f->instances.v[i].device))
			*vec_push(&orphans) = w->f->instances.v[i];
	if (orphans.n) {
		section_write(w, fields[FIELDS_INSTANCES].name);
		list_write(w, &fields[FIELDS_INSTANCES], orphans.v, orphans.n, NULL);
	}
	vec_deinit(&orphans);
}

/* Chains the instances of each device, in their order. */
static uint32_t *instances_chain(const struct facts *f, struct map *first)
{
	uint32_t *next = mem_alloc(mem_times(f->instances.n + 1, sizeof *next));
	for (size_t i = f->instances.n; i > 0; i--) {
		uint32_t *at = map_at(first, f->instances.v[i - 1].device);
		next[i - 1] = *at;
		*at = (uint32_t)i;
	}
	return next;
}

/* Ids as they are written, so that two that only differ in broken bytes are still two jobs. */
static void attempts_count(const struct facts *f, uint32_t *attempts)
{
	struct names ids = NAMES_NULL;
	struct map seen = MAP_NULL;
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < f->jobs.n; i++) {
		t.n = 0;
		text_json(&t, job_id(f, &f->jobs.v[i]));
		attempts[i] = (*map_at(&seen, names_add(&ids, text_str(&t))))++;
	}
	map_deinit(&seen);
	names_deinit(&ids);
}

void document_write(struct text *t, const struct facts *f)
{
	uint32_t *attempts = mem_alloc(mem_times(f->jobs.n + 1, sizeof *attempts));
	struct writer w = { .t = t, .f = f, .lists = f->syms.v, .attempts = attempts };
	uint32_t *next = instances_chain(f, &w.instances);
	const struct {
		enum field_list list;
		const void *v;
		size_t n;
		void (*more)(struct writer *, const void *);
	} lists[] = {
		{ FIELDS_DEVICES, f->devices.v, f->devices.n, device_write },
		{ FIELDS_CAPACITY, f->capacity.v, f->capacity.n, NULL },
		{ FIELDS_NODES, f->nodes.v, f->nodes.n, NULL },
		{ FIELDS_JOBS, NULL, 0, NULL },
		{ FIELDS_SAMPLES, f->samples.v, f->samples.n, sample_write },
		{ FIELDS_NODE_POWER, f->node_power.v, f->node_power.n, NULL },
		{ FIELDS_PROGRESS, f->progress.v, f->progress.n, NULL },
		{ FIELDS_SERVICES, f->services.v, f->services.n, NULL },
		{ FIELDS_PRICES, f->prices.v, f->prices.n, NULL },
		{ FIELDS_OTHER_COSTS, f->other_costs.v, f->other_costs.n, NULL },
		{ FIELDS_TOTALS, f->totals.v, f->totals.n, NULL },
	};
	w.next = next;
	attempts_count(f, attempts);
	text_byte(t, '{');
	options_write(&w);
	times_write(&w);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (lists[i].list == FIELDS_JOBS)
			jobs_write(&w), allocations_write(&w);
		if (lists[i].list == FIELDS_SAMPLES && f->series)
			series_write(&w);
		if (!lists[i].n)
			continue;
		section_write(&w, fields[lists[i].list].name);
		list_write(&w, &fields[lists[i].list], lists[i].v, lists[i].n, lists[i].more);
	}
	orphans_write(&w);
	policy_write(&w);
	text_add(t, S("\n}\n"));
	map_deinit(&w.instances);
	mem_free(next);
	mem_free(attempts);
}
