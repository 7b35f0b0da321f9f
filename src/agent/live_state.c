/* SPDX-License-Identifier: Apache-2.0 */
/* live_state: the meter at a point of time as text, and back. */
#include <inttypes.h>

#include "account/meter.h"
#include "agent/live.h"
#include "facts/document.h"
#include "parse/json.h"
#include "read/reader.h"

#define STATE_VERSION 1

static void write_time(struct text *t, int64_t ms)
{
	if (ms == TIME_UNKNOWN || ms == INT64_MAX)
		text_add(t, S("null"));
	else
		text_printf(t, "%" PRId64, ms);
}

void live_save(const struct live *l, struct text *t)
{
	const struct carry *c = &l->carry;
	const struct names *names = &l->f.names;
	text_printf(t,
	            "{\"live\": %d, \"settled\": %" PRId64 ", \"period\": %" PRId64
	            ", \"late\": %" PRIu64,
	            STATE_VERSION, l->settled_ms, l->period_ms, l->late);
	text_add(t, S(", \"keep\": "));
	write_time(t, l->keep_ms);
	text_add(t, S(",\n\"setups\": ["));
	for (size_t i = 0; i < c->setups.n; i++) {
		const struct carried_setup *s = &c->setups.v[i];
		text_printf(t, "%s[%" PRIu32 ", ", i ? ", " : "", s->job);
		text_json(t, names_word(names, s->place));
		text_printf(t, ", %d, %d, ", s->is_node, s->is_heard);
		write_time(t, s->exists_ms);
		text_add(t, S(", "));
		write_time(t, s->end_ms);
		text_byte(t, ']');
	}
	text_add(t, S("],\n\"energies\": ["));
	for (size_t i = 0; i < c->energies.n; i++) {
		const struct carried_energy *e = &c->energies.v[i];
		text_add(t, i ? S(", [") : S("["));
		text_json(t, names_word(names, e->device));
		text_printf(t, ", %" PRId64 ", %d]", e->at_ms,
		            (int)(e->half_microjoules % CARRIED_ENERGY_MODULUS));
	}
	text_add(t, S("],\n\"facts\": "));
	document_write(t, &l->f);
	text_add(t, S("}\n"));
}

/* The next element of a list as a whole number, or UNKNOWN where it is null. */
static bool next_i64(struct str list, size_t *at, int64_t unknown, int64_t *ret)
{
	struct str key, value;
	*ret = unknown;
	return json_next(list, at, &key, &value) &&
	       (json_type(value) == JSON_NULL || json_to_i64(value, ret));
}

static bool next_word(struct live *l, struct str list, size_t *at, sym *ret)
{
	struct str key, value, text;
	if (!json_next(list, at, &key, &value) || !json_to_text(&l->a, value, &text))
		return false;
	*ret = facts_word(&l->f, text);
	return true;
}

static bool read_setup(struct live *l, struct str list)
{
	struct carried_setup *s = vec_push(&l->carry.setups);
	int64_t job, is_node, is_heard;
	size_t at = 0;
	bool good = next_i64(list, &at, -1, &job) && job >= 0 && (uint64_t)job < l->f.jobs.n &&
	            next_word(l, list, &at, &s->place) && next_i64(list, &at, 0, &is_node) &&
	            next_i64(list, &at, 0, &is_heard) &&
	            next_i64(list, &at, TIME_UNKNOWN, &s->exists_ms) &&
	            next_i64(list, &at, INT64_MAX, &s->end_ms);
	if (good)
		s->job = (uint32_t)job, s->is_node = is_node != 0, s->is_heard = is_heard != 0;
	return good;
}

static bool read_energy(struct live *l, struct str list)
{
	struct carried_energy *e = vec_push(&l->carry.energies);
	int64_t half = 0;
	size_t at = 0;
	bool good = next_word(l, list, &at, &e->device) && next_i64(list, &at, 0, &e->at_ms) &&
	            next_i64(list, &at, -1, &half) && half >= 0 && half < CARRIED_ENERGY_MODULUS;
	e->half_microjoules = half;
	return good;
}

static bool read_lists(struct live *l, struct str doc)
{
	struct str key, value;
	size_t at = 0;
	for (struct str list = json_get(doc, S("setups")); json_next(list, &at, &key, &value);)
		if (!read_setup(l, value))
			return false;
	at = 0;
	for (struct str list = json_get(doc, S("energies")); json_next(list, &at, &key, &value);)
		if (!read_energy(l, value))
			return false;
	return true;
}

static enum err_code read_facts(struct live *l, struct str bytes, struct err *err)
{
	extern const struct reader reader_facts; /* of the registry: the document's own */
	struct read_options o = { .input_name = S("state") };
	struct read_run run = { .options = &o, .a = &l->a };
	struct facts f;
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ 0 };
	enum err_code code = reader_facts.open(&run, bytes, err);
	if (!code)
		code = reader_facts.feed(&run, bytes, 1, &f, err);
	if (!code && f.inputs.v[0].rejected)
		code = err_set(err, ERR_INPUT, "a fact of the state cannot be read: %.*s",
		               STR_FMT(names_word(&f.names, f.rejects.v[0].reason)));
	f.inputs.n = f.rejects.n = f.notes.n = 0;
	facts_append(&l->f, &f);
	facts_deinit(&f);
	return code;
}

enum err_code live_restore(struct live *l, struct str bytes, struct err *err)
{
	int64_t version = 0, late = 0;
	live_init(l, 0);
	if (!json_is_valid(bytes))
		return err_set(err, ERR_INPUT, "the meter's state is no JSON");
	if (!json_to_i64(json_get(bytes, S("live")), &version) || version != STATE_VERSION)
		return err_set(err, ERR_INPUT, "the meter's state has version %" PRId64 ", not %d",
		               version, STATE_VERSION);
	if (!json_to_i64(json_get(bytes, S("settled")), &l->settled_ms) ||
	    !json_to_i64(json_get(bytes, S("period")), &l->period_ms) ||
	    !json_to_i64(json_get(bytes, S("late")), &late))
		return err_set(err, ERR_INPUT, "the meter's state lacks a time");
	json_to_i64(json_get(bytes, S("keep")), &l->keep_ms);
	l->late = (uint64_t)late;
	enum err_code code = read_facts(l, json_get(bytes, S("facts")), err);
	if (!code && !read_lists(l, bytes))
		code = err_set(err, ERR_INPUT, "what the meter's state carries cannot be read");
	return code;
}

size_t live_words(const struct live *l)
{
	return l->f.names.words.n + l->f.syms.n + l->f.ids.n / 16 + l->f.portions.n + l->f.spans.n +
	       l->f.traits.owners.n + l->f.traits.shapes.n;
}

void live_pack(struct live *l)
{
	struct live packed;
	struct err err = { 0 };
	auto_text t = TEXT_NULL;
	live_save(l, &t);
	if (live_restore(&packed, text_str(&t), &err)) { /* then it goes on as it is */
		live_deinit(&packed);
		return;
	}
	live_deinit(l);
	*l = packed;
}
