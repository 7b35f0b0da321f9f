/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intel_gpu_top: what intel_gpu_top -J prints: objects with the shares of one period each, one
 * after the other, or in a list that may never end. They name no GPU and no time.
 *
 * The share of Render/3D or of Compute, the greatest of them, stands for GPU-Util: the share of
 * time in which some kernel ran is at least that. Engines for video and copies are no compute.
 */
#include "parse/json.h"
#include "read/json_ending.h"
#include "read/reader.h"
#include "read/reading.h"

struct igt {
	struct facts *f;
	const struct read_options *o;
	sym device;
	bool is_open, is_rejected, has_duration;
	int64_t t_ms; /* end of the last period; TIME_UNKNOWN: no time is known */
	int64_t duration_ms;
	uint64_t line;
	struct sample s;
};

static bool key_is(struct str key, const char *want)
{
	return json_key_is(key, str_of(want));
}

static void take(struct igt *g, enum metric_id id, struct str raw, struct str unit)
{
	struct reading_unit u;
	struct str text = raw, plain = STR_NULL;
	if (json_type(raw) == JSON_STRING && raw.n >= 2)
		text = str_sub(raw, 1, raw.n - 2);
	if (json_type(unit) == JSON_STRING && unit.n >= 2)
		plain = str_sub(unit, 1, unit.n - 2);
	if (!text.n || !reading_unit_find(id, plain, &u))
		return;
	reading_take(g->f, g->line, &g->is_rejected, &g->s, id, text, u);
}

/* "Render/3D/0", "Compute/0", "Render/3D": those that run kernels. */
static bool is_compute(struct str key)
{
	return str_starts(key, S("Render/3D")) || str_starts(key, S("Compute"));
}

static void read_engines(struct igt *g, struct str engines)
{
	struct str key, engine;
	for (size_t at = 0; json_next(engines, &at, &key, &engine);) {
		auto_arena a = ARENA_NULL;
		if (!is_compute(json_key_text(&a, key)))
			continue;
		bool had = g->s.known >> METRIC_gpu_util & 1;
		int64_t before = g->s.v[METRIC_gpu_util];
		take(g, METRIC_gpu_util, json_get(engine, S("busy")), json_get(engine, S("unit")));
		int64_t now = g->s.v[METRIC_gpu_util];
		g->s.v[METRIC_gpu_util] = had && before > now ? before : now;
	}
}

static void begin(struct igt *g, uint64_t line)
{
	g->is_open = true;
	g->is_rejected = g->has_duration = false;
	g->line = line;
	g->s = (struct sample){ .device = g->device,
		                .kind = SAMPLE_AVERAGE,
		                .procs_why = WHY_ABSENT };
	memset(g->s.why, WHY_ABSENT, sizeof g->s.why);
	g->f->inputs.v[g->f->inputs.n - 1].records++;
}

/* The first period ends when FILE@at says, each other one its length later. */
static void finish(struct igt *g)
{
	if (!g->is_open)
		return;
	g->is_open = false;
	if (g->t_ms == TIME_UNKNOWN)
		return;
	if (!g->has_duration) {
		if (!g->is_rejected)
			facts_reject(g->f, g->line, "a period without its duration");
		return;
	}
	g->s.t_ms = g->t_ms;
	g->s.period_ms = g->duration_ms;
	*facts_sample(g->f, g->device, g->s.t_ms) = g->s;
}

static void read_period(struct igt *g, struct str period)
{
	struct sample unused = { 0 };
	bool is_bad;
	int64_t ms;
	struct str raw = json_get(period, S("duration"));
	/* milliseconds, as a number of any unit: W is as good as another */
	if (json_type(raw) != JSON_NUMBER ||
	    reading_put_text(&unused, METRIC_power, raw, (struct reading_unit){ 1, 1000 },
	                     &is_bad) != WHY_KNOWN)
		return;
	ms = unused.v[METRIC_power];
	bool is_first = !g->duration_ms;
	g->has_duration = ms > 0;
	if (!g->has_duration)
		return;
	g->duration_ms = ms;
	if (!is_first && g->t_ms != TIME_UNKNOWN)
		g->t_ms += ms;
}

static void read_member(struct igt *g, struct str key, struct str value)
{
	if (key_is(key, "period"))
		read_period(g, value);
	else if (key_is(key, "engines"))
		read_engines(g, value);
	else if (key_is(key, "power"))
		take(g, METRIC_power, json_get(value, S("GPU")), json_get(value, S("unit")));
	else if (key_is(key, "frequency"))
		take(g, METRIC_sm_clock, json_get(value, S("actual")), json_get(value, S("unit")));
}

static bool is_ours(struct str object)
{
	return json_type(json_get(object, S("period"))) == JSON_OBJECT &&
	       (json_get(object, S("engines")).n || json_get(object, S("rc6")).n);
}

static int intel_gpu_top_recognise(struct str head, const struct read_options *options)
{
	struct str key, value, doc = str_trim(head);
	size_t at = 0;
	(void)options;
	if (json_type(doc) == JSON_LIST)
		return json_next(doc, &at, &key, &value) && is_ours(value) ? 90 : 0;
	return is_ours(doc) ? 90 : 0;
}

/* Objects in a list come whole; those that follow one another come member by member. */
static void read_item(struct igt *g, const struct json_item *item)
{
	struct str key, value;
	if (!item->in_list) {
		if (key_is(item->key, "period")) {
			finish(g);
			begin(g, item->line);
		}
		if (g->is_open)
			read_member(g, item->key, item->value);
		return;
	}
	if (item->key.n)
		return;
	finish(g);
	begin(g, item->line);
	for (size_t at = 0; json_next(item->value, &at, &key, &value);)
		read_member(g, key, value);
	finish(g);
}

static enum err_code intel_gpu_top_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                        struct facts *f, struct err *err)
{
	struct json_scan scan = json_scan_of(bytes, line);
	struct json_item item;
	bool is_any = false;
	struct igt *g = mem_alloc(sizeof *g);
	*g = (struct igt){ .f = f, .o = run->options, .t_ms = TIME_UNKNOWN };
	g->device = facts_word(f, g->o ? g->o->input_name : S("gpu"));
	if (g->o && g->o->has_at)
		g->t_ms = g->o->at_ms;
	*vec_push(&f->devices) = (struct device){ .id = g->device };
	for (; json_scan_next(&scan, &item); is_any = true)
		read_item(g, &item);
	finish(g);
	if (g->t_ms == TIME_UNKNOWN)
		facts_note(f, "intel_gpu_top prints no times, so its readings are not used: "
		              "FILE@at=TIME says when its first period ended.");
	mem_free(g);
	return json_ending(&scan, is_any, f, err);
}

const struct reader reader_intel_gpu_top = {
	.name = "intel_gpu_top",
	.help = "Readings of an Intel GPU: intel_gpu_top -J. It prints no times: FILE@at=TIME says "
	        "when "
	        "the first period ended.",
	.cut = CUT_WHOLE,
	.recognise = intel_gpu_top_recognise,
	.open = reader_open_plain,
	.feed = intel_gpu_top_feed,
};
