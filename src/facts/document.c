/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/document.h"

#include <inttypes.h>

#include "facts/fields.h"

/* A document that is being written. */
struct writer {
	struct text *t;
	const struct facts *f;
	const uint32_t *attempts; /* by job: how many jobs of its id stand before it */
	struct map instances;     /* device (sym) to its first instance + 1; 0: none, or written */
	const uint32_t *next;     /* by instance: the next one of its device + 1; 0: the last */
	bool has_keys;            /* the document has a key already */
	bool has_entry_keys;
};

static void word_write(struct writer *w, sym id)
{
	text_json(w->t, names_word(&w->f->names, id));
}

/* Begins the value of an entry's KEY. */
static void key_write(struct writer *w, const char *key)
{
	text_add(w->t, w->has_entry_keys ? S(", ") : STR_NULL);
	text_json(w->t, str_of(key));
	text_add(w->t, S(": "));
	w->has_entry_keys = true;
}

/* Begins the value of the document's KEY. */
static void section_write(struct writer *w, const char *key)
{
	text_add(w->t, w->has_keys ? S(",\n ") : S("\n "));
	text_json(w->t, str_of(key));
	text_add(w->t, S(": "));
	w->has_keys = true;
}

static void span_write(struct writer *w, struct span s)
{
	text_printf(w->t, "[%" PRId64 ", %" PRId64 "]", s.from_ms, s.to_ms);
}

static void time_write(struct writer *w, const char *key, int64_t ms)
{
	if (ms == TIME_UNKNOWN)
		return;
	key_write(w, key);
	text_printf(w->t, "%" PRId64, ms);
}

static void words_write(struct writer *w, uint32_t at, uint32_t n)
{
	text_byte(w->t, '[');
	for (uint32_t i = 0; i < n; i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		word_write(w, w->f->syms.v[at + i]);
	}
	text_byte(w->t, ']');
}

#define AT(type) (*(const type *)(const void *)((const char *)entry + d->at))
#define AT2(type) (*(const type *)(const void *)((const char *)entry + d->at2))

static void pairs_write(struct writer *w, const struct field *d, const void *entry)
{
	const sym *pair = w->f->syms.v + AT(uint32_t);
	text_byte(w->t, '{');
	for (uint32_t i = 0; i < AT2(uint32_t); i++, pair += 2) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		word_write(w, pair[0]);
		text_add(w->t, S(": "));
		word_write(w, pair[1]);
	}
	text_byte(w->t, '}');
}

static void spans_write(struct writer *w, const struct field *d, const void *entry)
{
	text_byte(w->t, '[');
	for (uint32_t i = 0; i < AT2(uint32_t); i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		span_write(w, w->f->spans.v[AT(uint32_t) + i]);
	}
	text_byte(w->t, ']');
}

/* Does the entry say anything here that a reader would not take for granted? */
static bool is_said(const struct field *d, const void *entry)
{
	switch (d->kind) {
	case FIELD_WORD:
	case FIELD_ID:
		return d->must || AT(sym);
	case FIELD_TEXT:
		return true;
	case FIELD_TIME:
		return AT(int64_t) != TIME_UNKNOWN;
	case FIELD_COUNT:
		return AT(uint32_t) != COUNT_UNKNOWN;
	case FIELD_ZERO:
		return d->must || AT(uint32_t);
	case FIELD_AMOUNT:
		return AT(int64_t) >= 0;
	case FIELD_WHOLE:
	case FIELD_DURATION:
		return AT(int64_t);
	case FIELD_FLAG:
		return AT(bool);
	case FIELD_ENUM:
		return d->must || fields_enum(d, entry) || (d->at2 && AT2(bool));
	case FIELD_SHARE:
		return AT(int64_t) != 1 || AT2(int64_t) != 1;
	case FIELD_MONEY:
		return true;
	case FIELD_WORDS:
	case FIELD_PAIRS:
	case FIELD_SPANS:
		return AT2(uint32_t);
	case FIELD_OTHER:
		break;
	}
	return false;
}

static void value_write(struct writer *w, const struct field *d, const void *entry)
{
	switch (d->kind) {
	case FIELD_WORD:
	case FIELD_ID:
		word_write(w, AT(sym));
		break;
	case FIELD_TEXT:
		text_json(w->t, AT(struct str));
		break;
	case FIELD_COUNT:
	case FIELD_ZERO:
		text_printf(w->t, "%" PRIu32, AT(uint32_t));
		break;
	case FIELD_TIME:
	case FIELD_AMOUNT:
	case FIELD_WHOLE:
	case FIELD_DURATION:
		text_printf(w->t, "%" PRId64, AT(int64_t));
		break;
	case FIELD_FLAG:
		text_add(w->t, AT(bool) ? S("true") : S("false"));
		break;
	case FIELD_ENUM:
		text_json(w->t, d->word(fields_enum(d, entry)));
		break;
	case FIELD_SHARE:
	case FIELD_MONEY:
		text_printf(w->t, "\"%" PRId64 "/%" PRId64 "\"", AT(int64_t), AT2(int64_t));
		break;
	case FIELD_WORDS:
		words_write(w, AT(uint32_t), AT2(uint32_t));
		break;
	case FIELD_PAIRS:
		pairs_write(w, d, entry);
		break;
	case FIELD_SPANS:
		spans_write(w, d, entry);
		break;
	case FIELD_OTHER:
		break;
	}
}

/* The keys of an entry that need nothing but their field. */
static void fields_write(struct writer *w, const struct fields *list, const void *entry)
{
	for (const struct field *d = list->v; d->key; d++)
		if (is_said(d, entry)) {
			key_write(w, d->key);
			value_write(w, d, entry);
		}
}

static void device_write(struct writer *w, const void *entry)
{
	const struct device *d = entry;
	bool is_first = true;
	if (!d->mig)
		return;
	uint32_t *first = map_at(&w->instances, d->id);
	key_write(w, "mig");
	text_byte(w->t, '[');
	for (uint32_t i = *first; i; i = w->next[i - 1]) {
		const struct instance *in = &w->f->instances.v[i - 1];
		text_add(w->t, is_first ? S("{\"id\": ") : S(", {\"id\": "));
		word_write(w, in->id);
		if (in->slices)
			text_printf(w->t, ", \"slices\": %" PRIu32, in->slices);
		text_byte(w->t, '}');
		is_first = false;
	}
	text_byte(w->t, ']');
	*first = 0; /* a device that is listed again does not get them again */
}

static void attempt_write(struct writer *w, uint32_t job)
{
	if (!w->attempts[job])
		return;
	key_write(w, "attempt");
	text_printf(w->t, "%" PRIu32, w->attempts[job]);
}

static void job_write(struct writer *w, const void *entry)
{
	attempt_write(w, (uint32_t)((const struct job *)entry - w->f->jobs.v));
}

static void allocation_write(struct writer *w, const void *entry)
{
	static const char *const on[] = { [CLAIM_DEVICE] = "device",
		                          [CLAIM_INSTANCE] = "instance",
		                          [CLAIM_NODE] = "node",
		                          [CLAIM_NODES] = "nodes",
		                          [CLAIM_POOL] = "pool" };
	const struct allocation *a = entry;
	key_write(w, "job");
	text_json(w->t, w->f->jobs.v[a->job].id);
	key_write(w, on[a->on]);
	word_write(w, a->place);
	attempt_write(w, a->job);
}

static void sample_write(struct writer *w, const void *entry)
{
	const struct sample *s = entry;
	bool is_first = true;
	if (s->procs_why == WHY_KNOWN) {
		key_write(w, "procs");
		words_write(w, s->procs_at, s->procs_n);
	} else if (s->procs_why != WHY_ABSENT) {
		key_write(w, "procs");
		text_json(w->t, str_of(why_names[s->procs_why]));
	}
	key_write(w, "r");
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

/* Every entry of a list; MORE writes its keys of kind OTHER. */
static void list_write(struct writer *w, const struct fields *list, const void *v, size_t n,
                       void (*more)(struct writer *, const void *))
{
	text_byte(w->t, '[');
	for (size_t i = 0; i < n; i++) {
		const void *entry = (const char *)v + i * list->size;
		text_add(w->t, i ? S(",\n  {") : S("\n  {"));
		w->has_entry_keys = false;
		fields_write(w, list, entry);
		if (more)
			more(w, entry);
		text_byte(w->t, '}');
	}
	text_byte(w->t, ']');
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
		key_write(w, "kept");
		text_json(w->t, o->kept_saved ? S("saved") : S("restored"));
	}
	if (has_count) {
		key_write(w, "count");
		text_byte(w->t, '{');
		w->has_entry_keys = false;
		for (int i = 0; i < FATE_COUNT; i++)
			if (o->count[i] >= 0) {
				key_write(w, fates[i].name);
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
		span_write(w, f->window);
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
		span_write(w, f->scheduler.v[i]);
	}
	text_byte(w->t, ']');
}

static void policy_write(struct writer *w)
{
	const struct facts *f = w->f;
	if (!f->has_policy)
		return;
	section_write(w, "policy");
	text_add(w->t, S("{\"reserve\": "));
	list_write(w, &fields[FIELDS_RESERVES], f->reserves.v, f->reserves.n, NULL);
	text_add(w->t, S(", \"headroom\": {"));
	w->has_entry_keys = false;
	for (size_t i = 0; i < f->headrooms.n; i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		word_write(w, f->headrooms.v[i].job);
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
		text_json(&t, f->jobs.v[i].id);
		attempts[i] = (*map_at(&seen, names_add(&ids, text_str(&t))))++;
	}
	map_deinit(&seen);
	names_deinit(&ids);
}

void document_write(struct text *t, const struct facts *f)
{
	uint32_t *attempts = mem_alloc(mem_times(f->jobs.n + 1, sizeof *attempts));
	struct writer w = { .t = t, .f = f, .attempts = attempts };
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
		{ FIELDS_JOBS, f->jobs.v, f->jobs.n, job_write },
		{ FIELDS_ALLOCATIONS, f->allocations.v, f->allocations.n, allocation_write },
		{ FIELDS_SAMPLES, f->samples.v, f->samples.n, sample_write },
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
