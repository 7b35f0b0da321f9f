/* SPDX-License-Identifier: Apache-2.0 */
/*
 * promql_json: what Prometheus' HTTP API (and what speaks it: VictoriaMetrics, Thanos, Mimir)
 * answers to a query of exporters' metrics. Answers may follow one another in one file.
 */
#include "parse/json.h"
#include "parse/when.h"
#include "read/exporter.h"
#include "read/json_ending.h"
#include "read/reader.h"

struct answer {
	struct exporter *e;
	struct facts *f;
	struct arena a;
	bool has_labels_over;
	bool is_error, has_list, is_vector;
	struct str error;
	uint64_t records, series;
	size_t labels_n;
	struct prom_label labels[PROM_LABELS_MAX];
};

/* The labels of a series; its name is one of them. */
static struct str labels_read(struct answer *q, struct str raw)
{
	struct str key, value, name = STR_NULL;
	size_t at = 0;
	q->labels_n = 0;
	q->has_labels_over = false;
	while (json_next(raw, &at, &key, &value)) {
		struct prom_label label = { .name = json_key_text(&q->a, key) };
		if (!json_to_text(&q->a, value, &label.value))
			continue;
		if (str_eq(label.name, S("__name__")))
			name = label.value;
		else if (q->labels_n < PROM_LABELS_MAX)
			q->labels[q->labels_n++] = label;
		else
			q->has_labels_over = true;
	}
	return name;
}

/* [time, "value"]; SERIES may be NULL: only counted. */
static void point_read(struct answer *q, struct exporter_series *series, struct str raw,
                       uint64_t line)
{
	struct str key, time = STR_NULL, value = STR_NULL, text;
	size_t at = 0;
	int64_t t_ms;
	q->records++;
	if (!series)
		return;
	if (json_type(raw) != JSON_LIST || !json_next(raw, &at, &key, &time) ||
	    !json_next(raw, &at, &key, &value)) {
		facts_reject(q->f, line, "expected a pair of time and value");
		return;
	}
	if (json_type(time) != JSON_NUMBER || when_parse(time, NULL, &t_ms) != WHEN_OK) {
		facts_reject(q->f, line, "the time is not one");
		return;
	}
	text = value;
	if (json_type(value) != JSON_NUMBER && !json_to_text(&q->a, value, &text)) {
		facts_reject(q->f, line, "the value is not a number");
		return;
	}
	exporter_take(q->e, series, t_ms, text, line);
}

static void series_reject(struct answer *q, uint64_t line, const char *why)
{
	q->records++;
	facts_reject(q->f, line, "%s", why);
}

static void series_read(struct answer *q, const struct json_item *item)
{
	if (item->is_too_long) {
		series_reject(q, item->line, "longer than 64 MiB");
		return;
	}
	struct str metric = json_get(item->value, S("metric"));
	struct str values = json_get(item->value, S("values")), key, point;
	struct str one = json_get(item->value, S("value"));
	if (json_type(metric) != JSON_OBJECT ||
	    (json_type(values) != JSON_LIST && json_type(one) != JSON_LIST)) {
		series_reject(q, item->line, "expected a series: metric, and values or value");
		return;
	}
	struct str name = labels_read(q, metric);
	if (!name.n) {
		series_reject(q, item->line,
		              "the series has no name: rate(), sum() and the like lose it, so ask "
		              "for the metrics themselves");
		return;
	}
	if (q->has_labels_over) {
		series_reject(q, item->line, "too many labels");
		return;
	}
	struct exporter_series *series =
	        exporter_series(q->e, STR_NULL, name, q->labels, q->labels_n, item->line);
	if (json_type(one) == JSON_LIST)
		point_read(q, series, one, item->line);
	for (size_t at = 0; json_next(values, &at, &key, &point);)
		point_read(q, series, point, item->line);
}

static void item_read(struct answer *q, const struct json_item *item)
{
	struct str text;
	if (json_key_is(item->key, S("result"))) {
		q->has_list = true;
		if (item->in_list) {
			q->series++;
			series_read(q, item);
		}
	} else if (json_key_is(item->key, S("status")) && !item->in_list) {
		q->is_error |= json_to_text(&q->a, item->value, &text) && str_eq(text, S("error"));
	} else if (json_key_is(item->key, S("error")) && !item->in_list) {
		if (json_to_text(&q->a, item->value, &text))
			facts_note(q->f, "A query was answered with an error instead of data.");
	} else if (json_key_is(item->key, S("warnings")) && item->in_list) {
		facts_note(q->f, "Prometheus wrote warnings into an answer: it may be incomplete.");
	} else if (json_key_is(item->key, S("resultType"))) {
		q->is_vector |=
		        json_to_text(&q->a, item->value, &text) && str_eq(text, S("vector"));
	}
	arena_deinit(&q->a);
}

static void answer_end(struct answer *q)
{
	struct facts *f = q->f;
	exporter_end(q->e);
	exporter_free(q->e);
	exporter_join(f, true);
	if (!q->series)
		facts_note(f, "The query's answer holds no data: nothing matched in its time. That "
		              "says nothing of the GPUs.");
	else if (!f->devices.n)
		facts_note(f, "The query's answer holds no metric of a GPU exporter with a GPU's "
		              "labels: ask for {__name__=~\"DCGM_FI_.*\"}.");
	if (q->is_vector)
		facts_note(f, "An instant query shows one moment; query_range with a step of 30 s "
		              "shows the time between.");
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += q->records;
}

static enum err_code promql_json_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                      struct facts *f, struct err *err)
{
	struct json_scan scan = json_scan_of(bytes, line);
	struct json_item item;
	auto_arena a = ARENA_NULL;
	struct answer *q = ARENA_NEW(&a, struct answer);
	bool is_any = false;
	(void)run;
	q->f = f;
	scan.enter = S("data");
	q->e = exporter_new();
	exporter_begin(q->e, f);
	for (; json_scan_next(&scan, &item); is_any = true)
		item_read(q, &item);
	answer_end(q);
	if (q->is_error && !q->has_list)
		return err_set(err, ERR_INPUT,
		               "the answer is an error, not data\nhint: jq .error shows what "
		               "Prometheus did not like");
	return json_ending(&scan, is_any, f, err);
}

/* {"status": ..., "data": {"resultType": ...}}, or an error of the API's. */
static int promql_json_recognise(struct str head, const struct read_options *options)
{
	(void)options;
	head = str_trim(head);
	struct str data = json_get(head, S("data"));
	if (json_type(json_get(head, S("status"))) != JSON_STRING)
		return 0;
	if (json_type(json_get(data, S("resultType"))) == JSON_STRING ||
	    json_type(json_get(data, S("result"))) == JSON_LIST ||
	    json_type(json_get(head, S("errorType"))) == JSON_STRING)
		return 90;
	return 0;
}

const struct reader reader_promql_json = {
	.name = "promql_json",
	.help = "Prometheus' answer about the metrics of a GPU exporter: `curl -G "
	        "HOST:9090/api/v1/query_range -d step=30 -d start=... -d end=... --data-urlencode "
	        "'query={__name__=~\"DCGM_FI_.*\"}'`.",
	.cut = CUT_WHOLE,
	.recognise = promql_json_recognise,
	.open = reader_open_plain,
	.feed = promql_json_feed,
};
