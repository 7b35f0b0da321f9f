/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts: tare's own document of facts, bare or under the key "facts" of a scenario.
 * facts/fields.def has the keys. What is said here and not there:
 *
 *   - `scheduler` there with a span in it or any job beside it makes the scheduler known to have
 *     spoken (has_scheduler); an empty list without jobs, or no such key, does not.
 *   - a capacity's `at` is its `from` where it is not given; a device counts 1.
 *   - an allocation of a device or instance counts 1; of nodes or a pool, the job's gpus where
 *     `count` is not given.
 *   - a reading is a number, or text that names why there is none (or {"why": text}). Percentages
 *     outside 0 to 100 and values below 0 are no readings: out_of_range.
 *   - a second job of the same id is rejected, unless its `attempt` (0 if not given) is another.
 */
#include "facts/fields.h"
#include "parse/json.h"
#include "read/facts_entry.h"
#include "read/facts_field.h"
#include "read/json_ending.h"
#include "read/reader.h"

/* What the document says of itself, until its end is seen. */
struct document {
	struct facts_feed feed;
	struct span window;
	size_t jobs_at, scheduler_at; /* the first of this document */
	bool has_scheduler_key;
};

static int list_find(struct str key)
{
	for (int i = 0; i < FIELDS_COUNT; i++)
		if (i != FIELDS_RESERVES && json_key_is(key, str_of(fields[i].name)))
			return i;
	return -1;
}

/* Keys of the document that are not lists of entries. */
enum special { WINDOW, AS_OF, OPTIONS, POLICY, SCHEDULER, IGNORED, NOT_SPECIAL };

static enum special special_find(struct str key)
{
	static const struct {
		const char *key;
		enum special is;
	} keys[] = { { "window", WINDOW },  { "as_of", AS_OF },         { "options", OPTIONS },
		     { "policy", POLICY },  { "scheduler", SCHEDULER }, { "name", IGNORED },
		     { "reason", IGNORED }, { "expect", IGNORED },      { "facts", IGNORED } };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (json_key_is(key, str_of(keys[i].key)))
			return keys[i].is;
	return NOT_SPECIAL;
}

static const char *count_read(struct facts_feed *c, struct str raw)
{
	struct str key, value, text;
	size_t at = 0;
	int8_t count[FATE_COUNT];
	for (int i = 0; i < FATE_COUNT; i++)
		count[i] = c->f->options.count[i];
	while (json_next(raw, &at, &key, &value)) {
		int from = fate_find(json_key_text(&c->a, key));
		int to = json_to_text(&c->a, value, &text) ? fate_find(text) : -1;
		if (from <= FATE_NONE || to <= FATE_NONE)
			return "expected {fate: fate}";
		count[from] = (int8_t)to;
	}
	for (int i = 0; i < FATE_COUNT; i++)
		c->f->options.count[i] = count[i];
	return NULL;
}

static const char *duration_read(struct str raw, int64_t *ret_ms)
{
	int64_t v;
	if (!json_to_i64(raw, &v) || v < 0)
		return "expected whole milliseconds";
	*ret_ms = v;
	return NULL;
}

static void options_read(struct facts_feed *c, struct str raw)
{
	struct facts_options *o = &c->f->options;
	struct str key, value, text;
	size_t at = 0;
	while (json_next(raw, &at, &key, &value)) {
		const char *why = NULL, *name = "";
		if (json_type(value) == JSON_NULL)
			continue;
		if (json_key_is(key, S("setup_max")))
			why = duration_read(value, &o->setup_max_ms), name = "setup_max";
		else if (json_key_is(key, S("skew")))
			why = duration_read(value, &o->skew_ms), name = "skew";
		else if (json_key_is(key, S("count")))
			why = count_read(c, value), name = "count";
		else if (json_key_is(key, S("kept"))) {
			name = "kept";
			bool is_text = json_to_text(&c->a, value, &text);
			if (is_text && (str_eq(text, S("saved")) || str_eq(text, S("restored"))))
				o->kept_saved = str_eq(text, S("saved"));
			else
				why = "expected restored or saved";
		} else
			facts_entry_note_key(c, key);
		if (why)
			facts_reject(c->f, c->line, "options.%s: %s", name, why);
	}
}

static void headroom_read(struct facts_feed *c, struct str raw)
{
	struct str key, value;
	size_t at = 0;
	if (json_type(raw) != JSON_OBJECT)
		facts_reject(c->f, c->line, "policy.headroom: expected an object {job: gpus}");
	while (json_next(raw, &at, &key, &value)) {
		struct headroom h = { .job = facts_word(c->f, json_key_text(&c->a, key)) };
		struct str text;
		bool is_text = json_to_text(&c->a, value, &text);
		bool part = !facts_field_count(value, &h.gpus) &&
		            str_to_fraction(is_text ? text : value, &h.part_num, &h.part_den);
		if (h.job && (part ? h.part_num >= 0 : h.gpus != COUNT_UNKNOWN))
			*vec_push(&c->f->headrooms) = h;
		else
			facts_reject(c->f, c->line, "policy.headroom: expected a count of GPUs");
	}
}

static int ignore_find(struct str key)
{
	for (int i = 0; ignore_names[i]; i++)
		if (json_key_is(key, str_of(ignore_names[i])))
			return i;
	return -1;
}

static void ignore_read(struct facts_feed *c, struct str raw)
{
	struct str key, value, inner, entry;
	size_t at = 0;
	if (json_type(raw) != JSON_OBJECT)
		facts_reject(c->f, c->line, "policy.ignore: expected an object {jobs: [ids]}");
	while (json_next(raw, &at, &key, &value)) {
		int what = ignore_find(key);
		size_t in = 0;
		struct str text;
		if (what < 0 || json_type(value) != JSON_LIST) {
			facts_reject(c->f, c->line,
			             "policy.ignore: expected lists of words by what "
			             "they name: nodes, jobs, users");
			continue;
		}
		while (json_next(value, &in, &inner, &entry))
			if (json_to_text(&c->a, entry, &text))
				*vec_push(&c->f->ignores) =
				        (struct ignore){ facts_word(c->f, text), (uint8_t)what };
	}
}

static void policy_read(struct facts_feed *c, struct str raw)
{
	struct str key, value, inner, entry;
	size_t at = 0;
	c->f->has_policy = true;
	while (json_next(raw, &at, &key, &value)) {
		if (json_type(value) == JSON_NULL)
			continue;
		if (json_key_is(key, S("headroom"))) {
			headroom_read(c, value);
		} else if (json_key_is(key, S("ignore"))) {
			ignore_read(c, value);
		} else if (!json_key_is(key, S("reserve"))) {
			c->list = "policy";
			facts_entry_note_key(c, key);
		} else if (json_type(value) != JSON_LIST) {
			facts_reject(c->f, c->line, "policy.reserve: expected a list");
		} else {
			size_t in = 0;
			c->list = "policy.reserve";
			for (c->index = 0; json_next(value, &in, &inner, &entry); c->index++)
				facts_entry_read(c, FIELDS_RESERVES, entry);
		}
	}
}

static void window_read(struct document *d, const struct json_item *item)
{
	int64_t t;
	if (!item->in_list || item->index > 1 || !facts_field_time(item->value, &t))
		facts_entry_reject(&d->feed, "", "expected [from, to], whole milliseconds");
	else if (item->index == 0)
		d->window = (struct span){ t, TIME_UNKNOWN };
	else
		d->window.to_ms = t;
}

static void special_read(struct document *d, enum special is, const struct json_item *item)
{
	struct facts_feed *c = &d->feed;
	struct span span;
	bool is_object = json_type(item->value) == JSON_OBJECT;
	if (is == SCHEDULER)
		d->has_scheduler_key = true;
	if (json_type(item->value) == JSON_NULL || is == IGNORED)
		return;
	if (is == WINDOW)
		window_read(d, item);
	else if (is == AS_OF && (item->in_list || !facts_field_time(item->value, &c->f->as_of_ms)))
		facts_reject(c->f, c->line, "as_of: expected a time, whole milliseconds");
	else if (is == OPTIONS && is_object && !item->in_list)
		options_read(c, item->value);
	else if (is == POLICY && is_object && !item->in_list)
		policy_read(c, item->value);
	else if (is == OPTIONS || is == POLICY)
		facts_entry_reject(c, "", "expected an object");
	else if (is == SCHEDULER && item->in_list && facts_field_span(item->value, &span))
		*vec_push(&c->f->scheduler) = span;
	else if (is == SCHEDULER && (item->in_list || json_type(item->value) != JSON_LIST))
		facts_entry_reject(c, "", "expected a list of [from, to]");
}

static void item_read(struct document *d, const struct json_item *item)
{
	static const char *const names[] = { "window", "as_of", "options", "policy", "scheduler" };
	struct facts_feed *c = &d->feed;
	int list = list_find(item->key);
	enum special is = special_find(item->key);
	c->line = item->line;
	c->index = item->index;
	c->list = list >= 0 ? fields[list].name : is < IGNORED ? names[is] : "the document";
	if (item->in_list && list >= 0 && c->f->inputs.n)
		c->f->inputs.v[c->f->inputs.n - 1].records++;
	if (item->is_too_long) {
		facts_entry_reject(c, "", "longer than 64 MiB");
	} else if (list < 0 && is == NOT_SPECIAL) {
		if (!item->in_list || item->index == 0)
			facts_entry_note_key(c, item->key);
	} else if (list < 0) {
		special_read(d, is, item);
	} else if (item->in_list) {
		facts_entry_read(c, list, item->value);
	} else if (json_type(item->value) != JSON_LIST && json_type(item->value) != JSON_NULL) {
		facts_reject(c->f, c->line, "%s: expected a list", c->list);
	}
}

static void document_end(struct document *d)
{
	struct facts *f = d->feed.f;
	facts_entry_settle(&d->feed);
	if (d->window.from_ms != TIME_UNKNOWN && d->window.from_ms <= d->window.to_ms)
		f->window = d->window;
	else if (d->window.from_ms != TIME_UNKNOWN)
		facts_reject(f, 0, "window: expected [from, to], from not after to");
	if (d->has_scheduler_key && (f->scheduler.n > d->scheduler_at || f->jobs.n > d->jobs_at))
		f->has_scheduler = true;
}

static enum err_code facts_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                struct facts *f, struct err *err)
{
	struct document d = { .feed = { .f = f },
		              .window = { TIME_UNKNOWN, TIME_UNKNOWN },
		              .jobs_at = f->jobs.n,
		              .scheduler_at = f->scheduler.n };
	struct json_scan scan = json_scan_of(bytes, line);
	struct json_item item;
	bool is_any = false;
	(void)run;
	scan.enter = S("facts");
	for (; json_scan_next(&scan, &item); is_any = true)
		item_read(&d, &item);
	document_end(&d);
	arena_deinit(&d.feed.a);
	map_deinit(&d.feed.jobs);
	vec_deinit(&d.feed.claims);
	return json_ending(&scan, is_any, f, err);
}

/* How many keys of OBJECT (which may be cut off) are ours, and how many are somebody else's. */
static void keys_count(struct str object, unsigned *ours, unsigned *others, struct str *ret_facts)
{
	struct str key, value;
	size_t at = 0;
	while (json_next(object, &at, &key, &value)) {
		enum special is = special_find(key);
		if (json_key_is(key, S("facts")) && json_type(value) == JSON_OBJECT)
			*ret_facts = value;
		else if (json_key_is(key, S("meta")) || json_key_is(key, S("errors")) ||
		         json_key_is(key, S("kind")) || json_key_is(key, S("items")))
			*others += 100; /* Slurm's and Kubernetes' documents */
		else if (list_find(key) >= 0 || is < IGNORED)
			++*ours;
		else if (is != IGNORED)
			++*others;
	}
}

/* Slurm calls its lists jobs and nodes too; its entries have other keys. */
static bool is_slurm(struct str doc)
{
	struct str key, value, entry = STR_NULL, list = json_get(doc, S("jobs"));
	size_t at = 0;
	if (!list.n)
		list = json_get(doc, S("nodes"));
	if (!json_next(list, &at, &key, &entry))
		return false;
	for (at = 0; json_next(entry, &at, &key, &value);)
		if (json_key_is(key, S("job_id")) || json_key_is(key, S("architecture")) ||
		    json_key_is(key, S("account")) || json_key_is(key, S("gres")))
			return true;
	return false;
}

static int facts_recognise(struct str head, const struct read_options *options)
{
	unsigned ours = 0, others = 0;
	struct str facts = STR_NULL, ignored = STR_NULL;
	(void)options;
	if (str_starts(head, S("\xef\xbb\xbf")))
		head = str_sub(head, 3, head.n);
	head = str_trim(head);
	if (json_type(head) != JSON_OBJECT)
		return 0;
	keys_count(head, &ours, &others, &facts);
	if (facts.n) {
		ours = others = 0;
		keys_count(facts, &ours, &others, &ignored);
		head = facts;
	}
	if (!ours || others > ours || is_slurm(head))
		return 0;
	return others ? 60 : 95;
}

const struct reader reader_facts = {
	.name = "facts",
	.help = "A JSON document of facts, as `tare export --format facts` writes it.",
	.cut = CUT_WHOLE,
	.recognise = facts_recognise,
	.open = reader_open_plain,
	.feed = facts_feed,
	.end = NULL,
};
