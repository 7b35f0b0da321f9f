/* SPDX-License-Identifier: Apache-2.0 */
#include "read/facts_entry.h"

#include <stdio.h>
#include <string.h>

#include "facts/fields.h"
#include "read/facts_field.h"

#define NOTED_KEYS_MAX 16u
#define OTHERS_MAX 8 /* keys of kind OTHER in one list */

/* Rejects the entry that is being read because of what stands at KEY (may be empty). */
bool facts_entry_reject(struct facts_feed *c, const char *key, const char *why)
{
	facts_reject(c->f, c->line, "%s[%zu]%s%s: %s", c->list, c->index, *key ? "." : "", key,
	             why);
	return false;
}

void facts_entry_note_key(struct facts_feed *c, struct str key)
{
	char z[160];
	if (c->keys_noted++ >= NOTED_KEYS_MAX) {
		facts_note(c->f, "Further unknown keys of the facts document were ignored.");
		return;
	}
	snprintf(z, sizeof z, "The key '%.*s' in %s is not known and was ignored.",
	         (int)(key.n > 48 ? 48 : key.n), key.p, c->list);
	size_t before = c->f->notes.n;
	facts_note(c->f, z);
	if (c->f->notes.n == before) /* known already: only new ones use up the room */
		c->keys_noted--;
}

/* Reads an object into ENTRY by LIST's fields; values of kind OTHER go to OTHERS in their order. */
static bool entry_read(struct facts_feed *c, const struct fields *list, struct str raw, void *entry,
                       struct str others[OTHERS_MAX])
{
	struct str key, value;
	size_t at = 0;
	uint64_t seen = 0;
	fields_clear(list, entry);
	if (json_type(raw) != JSON_OBJECT)
		return facts_entry_reject(c, "", "expected an object");
	while (json_next(raw, &at, &key, &value)) {
		const struct field *d = list->v;
		size_t other = 0;
		for (; d->key && !json_key_is(key, str_of(d->key)); d++)
			other += d->kind == FIELD_OTHER;
		if (!d->key) {
			facts_entry_note_key(c, key);
			continue;
		}
		if (json_type(value) == JSON_NULL)
			continue;
		seen |= UINT64_C(1) << (d - list->v);
		if (d->kind == FIELD_OTHER) {
			others[other] = value;
			continue;
		}
		const char *why = facts_field_read(d, value, entry, c->f, &c->a);
		if (why)
			return facts_entry_reject(c, d->key, why);
	}
	for (const struct field *d = list->v; d->key; d++)
		if (d->must && !(seen >> (d - list->v) & 1))
			return facts_entry_reject(c, d->key, "missing");
	return true;
}

static bool is_reversed(int64_t from_ms, int64_t to_ms)
{
	return from_ms != TIME_UNKNOWN && to_ms != TIME_UNKNOWN && to_ms < from_ms;
}

/* A time that may be left out. */
static bool time_read(struct str raw, int64_t *ret_ms)
{
	*ret_ms = TIME_UNKNOWN;
	return !raw.n || json_type(raw) == JSON_NULL || facts_field_time(raw, ret_ms);
}

/* One of a device's `mig`. */
static bool part_read(struct facts_feed *c, struct str raw, struct instance *ret)
{
	struct str id, slices = json_get(raw, S("slices"));
	if (!facts_field_id(&c->a, json_get(raw, S("id")), &id) ||
	    (slices.n && json_type(slices) != JSON_NULL &&
	     !facts_field_count(slices, &ret->slices)) ||
	    !time_read(json_get(raw, S("from")), &ret->from_ms) ||
	    !time_read(json_get(raw, S("to")), &ret->to_ms) ||
	    is_reversed(ret->from_ms, ret->to_ms))
		return false;
	ret->id = facts_word(c->f, id);
	return true;
}

static void device_read(struct facts_feed *c, struct str raw)
{
	struct device d;
	struct str mig[OTHERS_MAX] = { 0 }, key, value;
	size_t at = 0, first = c->f->instances.n;
	if (!entry_read(c, &fields[FIELDS_DEVICES], raw, &d, mig))
		return;
	if (mig[0].n && json_type(mig[0]) != JSON_LIST) {
		facts_entry_reject(c, "mig", "expected a list");
		return;
	}
	d.mig = mig[0].n > 0;
	while (d.mig && json_next(mig[0], &at, &key, &value)) {
		struct instance in = { .device = d.id };
		if (!part_read(c, value, &in)) {
			c->f->instances.n = first;
			facts_entry_reject(c, "mig", "expected a list of {id, slices, from, to}");
			return;
		}
		*vec_push(&c->f->instances) = in;
	}
	*vec_push(&c->f->devices) = d;
}

static void capacity_read(struct facts_feed *c, struct str raw)
{
	struct capacity k;
	if (!entry_read(c, &fields[FIELDS_CAPACITY], raw, &k, NULL))
		return;
	if (!k.device == !k.pool) {
		facts_entry_reject(c, "", "expected either a device or a pool");
		return;
	}
	if (k.count == COUNT_UNKNOWN && k.pool) {
		facts_entry_reject(c, "count", "missing");
		return;
	}
	if (k.device && k.count != COUNT_UNKNOWN && k.count != 1) {
		facts_entry_reject(c, "count", "a device counts 1");
		return;
	}
	if (is_reversed(k.from_ms, k.to_ms)) {
		facts_entry_reject(c, "to", "before from");
		return;
	}
	if (k.from_ms == TIME_UNKNOWN && !k.is_snapshot) {
		facts_entry_reject(c, "from", "missing");
		return;
	}
	if (k.device)
		k.count = 1;
	if (k.at_ms == TIME_UNKNOWN && !k.is_snapshot)
		k.at_ms = k.from_ms;
	*vec_push(&c->f->capacity) = k;
}

/* The key of a job in the map: its id and which attempt of that id it is. */
static bool job_key(struct facts_feed *c, struct str id, struct str attempt, uint64_t *ret)
{
	uint32_t n = 0;
	if (attempt.n && !facts_field_count(attempt, &n))
		return facts_entry_reject(c, "attempt", "expected a whole number from 0 to 10^8");
	*ret = (uint64_t)n << 32 | facts_word(c->f, id);
	return true;
}

static void job_read(struct facts_feed *c, struct str raw)
{
	struct job_entry j;
	struct str others[OTHERS_MAX] = { 0 };
	size_t syms_n = c->f->syms.n;
	uint64_t id = 0;
	if (!entry_read(c, &fields[FIELDS_JOBS], raw, &j, others) ||
	    !job_key(c, j.id, others[0], &id))
		return;
	if (*map_at(&c->jobs, id)) {
		facts_entry_reject(c, "id", "a job of this id stands further up");
		return;
	}
	if (is_reversed(j.start_ms, j.end_ms)) {
		facts_entry_reject(c, "end", "before start");
		return;
	}
	j.is_policy |= j.reason && str_eq(names_word(&c->f->names, j.reason), S("policy"));
	facts_add_job(c->f, &j);
	c->f->syms.n = syms_n; /* its lists are in its traits now */
	*map_at(&c->jobs, id) = (uint32_t)c->f->jobs.n;
}

static void allocation_read(struct facts_feed *c, struct str raw)
{
	/* the keys of kind OTHER in fields.def, in its order: job, places, attempt */
	static const enum claim_on on[] = { CLAIM_DEVICE, CLAIM_DEVICE, CLAIM_INSTANCE, CLAIM_GPU,
		                            CLAIM_NODE,   CLAIM_NODES,  CLAIM_POOL };
	const size_t places = sizeof on / sizeof *on;
	struct facts_claim k = { .line = c->line, .index = c->index };
	struct str others[OTHERS_MAX] = { 0 }, id;
	if (!entry_read(c, &fields[FIELDS_ALLOCATIONS], raw, &k.allocation, others))
		return;
	if (!facts_field_id(&c->a, others[0], &id)) {
		facts_entry_reject(c, "job", "expected text or a whole number");
		return;
	}
	if (!job_key(c, id, others[places], &k.job))
		return;
	bool is_placed = false;
	for (size_t i = 1; i < places; i++) {
		if (!others[i].n)
			continue;
		/* an unnamed pool: a partition that nobody told */
		bool is_text = on[i] == CLAIM_POOL ? json_to_text(&c->a, others[i], &id)
		                                   : facts_field_id(&c->a, others[i], &id);
		if (is_placed || !is_text) {
			facts_entry_reject(c, "",
			                   "expected one of device, instance, node, pool, as text");
			return;
		}
		is_placed = true;
		k.allocation.on = on[i];
		k.allocation.place = facts_word(c->f, id);
	}
	if (!is_placed) {
		facts_entry_reject(c, "", "expected a device, an instance, a node or a pool");
		return;
	}
	if (is_reversed(k.allocation.from_ms, k.allocation.to_ms)) {
		facts_entry_reject(c, "to", "before from");
		return;
	}
	*vec_push(&c->claims) = k;
}

/* The allocations, now that every job is known. */
void facts_entry_settle(struct facts_feed *c)
{
	c->list = "allocations";
	for (size_t i = 0; i < c->claims.n; i++) {
		struct allocation_entry a = c->claims.v[i].allocation;
		const uint32_t *at = map_get(&c->jobs, c->claims.v[i].job);
		c->line = c->claims.v[i].line;
		c->index = c->claims.v[i].index;
		if (!at || !*at) {
			facts_entry_reject(c, "job", "no such job");
			continue;
		}
		a.job = *at - 1;
		if (a.count == COUNT_UNKNOWN)
			a.count =
			        a.on == CLAIM_DEVICE || a.on == CLAIM_INSTANCE || a.on == CLAIM_GPU
			                ? 1
			                : c->f->jobs.v[a.job].gpus;
		if (a.count == COUNT_UNKNOWN) {
			facts_entry_reject(c, "count", "missing");
			continue;
		}
		facts_add_allocation(c->f, &a);
	}
}

static int why_find(struct str name)
{
	for (int i = WHY_UNSUPPORTED; i <= WHY_NOT_READY; i++)
		if (str_eq(name, str_of(why_names[i])))
			return i;
	return -1;
}

/* A reading's value, or why there is none; -1: neither. */
static int reading_read(struct facts_feed *c, const struct metric *m, struct str raw, int64_t *ret)
{
	struct str text;
	bool flag;
	if (json_type(raw) == JSON_OBJECT)
		raw = json_get(raw, S("why"));
	if (json_to_text(&c->a, raw, &text))
		return why_find(text);
	if (m->unit == UNIT_FLAG && json_to_bool(raw, &flag)) {
		*ret = flag;
		return WHY_KNOWN;
	}
	if (json_type(raw) == JSON_NULL)
		return WHY_ABSENT;
	if (json_type(raw) != JSON_NUMBER)
		return -1;
	int64_t v, whole = 1;
	for (unsigned i = 0; i < m->decimals; i++)
		whole *= 10;
	if (!str_to_fixed(raw, m->decimals, &v) || (v < 0 && m->unit != UNIT_CELSIUS) ||
	    (m->unit == UNIT_PERCENT && v > 100 * whole) || (m->unit == UNIT_FLAG && v > 1))
		return WHY_OUT_OF_RANGE;
	*ret = v;
	return WHY_KNOWN;
}

static bool readings_read(struct facts_feed *c, struct str raw, struct sample *s)
{
	struct str key, value;
	size_t at = 0;
	bool is_bad = false;
	if (raw.n && json_type(raw) != JSON_OBJECT)
		return facts_entry_reject(c, "r", "expected an object");
	while (json_next(raw, &at, &key, &value)) {
		int id = metric_find(json_key_text(&c->a, key));
		if (id < 0) {
			facts_entry_note_key(c, key);
			continue;
		}
		int64_t v = 0;
		int why = reading_read(c, &metrics[id], value, &v);
		if (why < 0) { /* it costs itself: the sample's other readings are good */
			char path[32];
			snprintf(path, sizeof path, "r.%s", metrics[id].name);
			if (!is_bad) /* a record is rejected once */
				facts_entry_reject(c, path,
				                   "expected a number, or text that says why not");
			is_bad = true;
			continue;
		}
		s->why[id] = (uint8_t)why;
		s->v[id] = v;
		s->known |= (uint64_t)(why == WHY_KNOWN) << id;
	}
	return true;
}

static void sample_read(struct facts_feed *c, struct str raw)
{
	struct sample s;
	struct str others[OTHERS_MAX] = { 0 }, text;
	if (!entry_read(c, &fields[FIELDS_SAMPLES], raw, &s, others))
		return;
	memset(s.why, WHY_ABSENT, sizeof s.why);
	s.procs_why = WHY_ABSENT;
	if (json_to_text(&c->a, others[0], &text)) {
		int why = why_find(text);
		if (why < 0) {
			facts_entry_reject(c, "procs", "unknown word");
			return;
		}
		s.procs_why = (uint8_t)why;
	} else if (others[0].n) {
		if (!facts_field_words(&c->a, others[0], c->f, &s.procs_at, &s.procs_n)) {
			facts_entry_reject(c, "procs", "expected a list of job ids");
			return;
		}
		s.procs_why = WHY_KNOWN;
	}
	if (readings_read(c, others[1], &s))
		*vec_push(&c->f->samples) = s;
}

/* Lists whose entries need nothing but their fields; from_ms and to_ms are told by the caller. */
#define PLAIN_READ(function, type, id, vec, from, to)                    \
	static void function(struct facts_feed *c, struct str raw)       \
	{                                                                \
		struct type e;                                           \
		if (!entry_read(c, &fields[FIELDS_##id], raw, &e, NULL)) \
			return;                                          \
		if (is_reversed(from, to))                               \
			facts_entry_reject(c, "to", "before from");      \
		else                                                     \
			*vec_push(&c->f->vec) = e;                       \
	}
PLAIN_READ(instance_read, instance, INSTANCES, instances, e.from_ms, e.to_ms)
PLAIN_READ(node_read, node, NODES, nodes, 0, 0)
PLAIN_READ(node_power_read, node_power, NODE_POWER, node_power, 0, 0)
PLAIN_READ(progress_read, progress, PROGRESS, progress, e.t_ms, e.to_ms)
PLAIN_READ(service_read, service, SERVICES, services, e.from_ms, e.to_ms)
PLAIN_READ(other_cost_read, other_cost, OTHER_COSTS, other_costs, e.from_ms, e.to_ms)
PLAIN_READ(reserve_read, reserve, RESERVES, reserves, e.from_ms, e.to_ms)
PLAIN_READ(total_read, total, TOTALS, totals, e.from_ms, e.to_ms)

static void price_read(struct facts_feed *c, struct str raw)
{
	struct price p;
	if (!entry_read(c, &fields[FIELDS_PRICES], raw, &p, NULL))
		return;
	p.line = c->line > UINT32_MAX ? UINT32_MAX : (uint32_t)c->line;
	if (p.num < 0)
		facts_entry_reject(c, "per_gpu_hour", "below 0");
	else if (is_reversed(p.from_ms, p.to_ms))
		facts_entry_reject(c, "to", "before from");
	else
		*vec_push(&c->f->prices) = p;
}

static void (*const entry_readers[FIELDS_COUNT])(struct facts_feed *, struct str) = {
	[FIELDS_DEVICES] = device_read,    [FIELDS_INSTANCES] = instance_read,
	[FIELDS_CAPACITY] = capacity_read, [FIELDS_NODES] = node_read,
	[FIELDS_JOBS] = job_read,          [FIELDS_ALLOCATIONS] = allocation_read,
	[FIELDS_SAMPLES] = sample_read,    [FIELDS_NODE_POWER] = node_power_read,
	[FIELDS_PROGRESS] = progress_read, [FIELDS_SERVICES] = service_read,
	[FIELDS_PRICES] = price_read,      [FIELDS_OTHER_COSTS] = other_cost_read,
	[FIELDS_RESERVES] = reserve_read,  [FIELDS_TOTALS] = total_read,
};

void facts_entry_read(struct facts_feed *c, int list, struct str raw)
{
	entry_readers[list](c, raw);
}
