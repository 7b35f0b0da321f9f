/* SPDX-License-Identifier: Apache-2.0 */
#include "read/csv_map_verbs.h"

#include "base/text.h"
#include "read/yaml_field.h"

const struct csv_prop_info csv_props[CSV_PROP_COUNT] = {
#define PROP(id, name, fact, type, help) [CSV_##id] = { name, help, CSV_##fact, CSV_##type },
#include "read/csv_map.def"
#undef PROP
#define METRIC(id, name, kind, unit, decimals, role, help) \
	[CSV_METRIC_##name] = { #name, help, CSV_SAMPLES, CSV_READING },
#include "facts/metrics.def"
#undef METRIC
};
const char *const csv_fact_names[CSV_FACT_COUNT] = { "jobs", "nodes", "totals", "samples" };

static enum err_code read_labels(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "labels is %s; expected a map of names to columns",
		                 yaml_kind_name(y));
	struct csv_label *labels = ARENA_ARRAY(r->a, struct csv_label, y->n + 1);
	size_t n = 0;
	for (const struct yaml *l = y->first; l; l = l->next, n++) {
		labels[n].name = l->key;
		enum err_code rc = csv_verb_column(r->map, l, &labels[n].column, err);
		if (rc)
			return rc;
	}
	r->map->labels = labels;
	r->map->labels_n = n;
	return ERR_OK;
}

/* Says which keys a fact has, from the table. */
static enum err_code unknown_key(const struct yaml *y, enum csv_fact fact, struct err *err)
{
	static const char *const options[] = { [CSV_JOBS] = ", labels, slurm, sample",
		                               [CSV_NODES] = ", every",
		                               [CSV_TOTALS] = ", every, counts",
		                               [CSV_SAMPLES] = ", kind" };
	auto_text all = TEXT_NULL;
	for (int p = 0; p < CSV_PROP_COUNT; p++)
		if (csv_props[p].fact == fact)
			text_printf(&all, "%s%s", all.n ? ", " : "", csv_props[p].name);
	text_add(&all, str_of(options[fact]));
	return yaml_fail(y, err, "unknown key '%.*s' in %s; expected one of: %.*s", STR_FMT(y->key),
	                 csv_fact_names[fact], STR_FMT(text_str(&all)));
}

static enum err_code read_option(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	struct csv_map *m = r->map;
	if (m->fact == CSV_JOBS && str_eq(y->key, S("labels")))
		return read_labels(r, y, err);
	if (m->fact == CSV_JOBS && str_eq(y->key, S("slurm")))
		return yaml_field_bool(y, "slurm", &m->is_slurm, err);
	if (m->fact == CSV_JOBS && str_eq(y->key, S("sample")))
		return yaml_field_bool(y, "sample", &m->is_sample, err);
	if (m->fact == CSV_SAMPLES && str_eq(y->key, S("kind"))) {
		m->is_point = str_eq(y->text, S("point"));
		if (m->is_point || str_eq(y->text, S("average")))
			return ERR_OK;
		return yaml_fail(y, err, "kind '%.*s'; expected average or point",
		                 STR_FMT(y->text));
	}
	if ((m->fact == CSV_NODES || m->fact == CSV_TOTALS) && str_eq(y->key, S("every")))
		return yaml_field_duration(y, "every", &m->every_ms, err);
	if (m->fact == CSV_TOTALS && str_eq(y->key, S("counts"))) {
		m->counts_nodes = str_eq(y->text, S("nodes"));
		if (m->counts_nodes || str_eq(y->text, S("gpus")))
			return ERR_OK;
		return yaml_fail(y, err, "counts '%.*s'; expected gpus or nodes", STR_FMT(y->text));
	}
	return unknown_key(y, m->fact, err);
}

static enum err_code check_samples(const struct csv_map *m, const struct yaml *y, struct err *err)
{
	bool any = false, is_long = m->values[CSV_SAMPLE_METRIC].is_set;
	for (int p = CSV_METRIC_FIRST; p < CSV_PROP_COUNT; p++)
		any |= m->values[p].is_set;
	if (is_long != m->values[CSV_SAMPLE_VALUE].is_set)
		return yaml_fail(y, err, "samples need both 'metric' and 'value', or neither");
	if (!any && !is_long)
		return yaml_fail(y, err, "samples without a metric (gpu_util, power, ...)");
	return ERR_OK;
}

static enum err_code read_fact(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	struct csv_map *m = r->map;
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "%s is %s; expected a map", csv_fact_names[m->fact],
		                 yaml_kind_name(y));
	for (const struct yaml *k = y->first; k; k = k->next) {
		int prop = 0;
		while (prop < CSV_PROP_COUNT && (csv_props[prop].fact != m->fact ||
		                                 !str_eq(k->key, str_of(csv_props[prop].name))))
			prop++;
		enum err_code rc = prop < CSV_PROP_COUNT
		                           ? csv_verb_value(r, k, (enum csv_prop)prop, err)
		                           : read_option(r, k, err);
		if (rc)
			return rc;
	}
	static const enum csv_prop needed[][2] = {
		[CSV_JOBS] = { CSV_JOB_ID, CSV_JOB_ID },
		[CSV_NODES] = { CSV_NODE_GPUS, CSV_NODE_GPUS },
		[CSV_TOTALS] = { CSV_TOTAL_TIME, CSV_TOTAL_TIME },
		[CSV_SAMPLES] = { CSV_SAMPLE_TIME, CSV_SAMPLE_TIME },
	};
	for (int i = 0; i < 2; i++)
		if (!m->values[needed[m->fact][i]].is_set)
			return yaml_fail(y, err, "%s without '%s'", csv_fact_names[m->fact],
			                 csv_props[needed[m->fact][i]].name);
	if (m->fact == CSV_NODES && !m->values[CSV_NODE_ID].is_set &&
	    !m->values[CSV_NODE_POOL].is_set)
		return yaml_fail(y, err, "nodes without 'id' or 'pool'");
	if (m->fact == CSV_TOTALS && !m->every_ms && !m->values[CSV_TOTAL_TO].is_set)
		return yaml_fail(y, err, "totals without 'every' or 'to'");
	return m->fact == CSV_SAMPLES ? check_samples(m, y, err) : ERR_OK;
}

/* `wide: {fixed: [date], name: N, value: V}`: N and V are columns that the map can name. */
static enum err_code read_wide(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	static const char *const keys[] = { "fixed", "name", "value", NULL };
	struct csv_map *m = r->map;
	enum err_code rc = yaml_check_keys(y, "wide", keys, err);
	if (rc)
		return rc;
	const struct yaml *fixed = yaml_get(y, "fixed"), *name = yaml_get(y, "name"),
	                  *value = yaml_get(y, "value");
	if (!m->has_header)
		return yaml_fail(y, err, "a wide table without a header");
	if (!fixed || !name || !value)
		return yaml_fail(y, err, "wide needs fixed, name and value");
	rc = yaml_field_words(r->a, fixed, "fixed", &m->fixed, &m->fixed_n, err);
	if (!rc)
		rc = yaml_field_word(name, "name", &m->wide_name, err);
	if (!rc)
		rc = yaml_field_word(value, "value", &m->wide_value, err);
	return rc;
}

static enum err_code read_dialect(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	static const char *const keys[] = {
		"delimiter", "quote", "header", "comment", "wide", NULL
	};
	struct csv_map *m = r->map;
	enum err_code rc = yaml_check_keys(y, "csv", keys, err);
	const struct yaml *k;
	if (!rc && (k = yaml_get(y, "delimiter"))) {
		rc = yaml_field_text(k, "delimiter", &m->dialect.delimiter, err);
		struct str d = m->dialect.delimiter;
		if (!rc && (!d.n || d.n > 16 || memchr(d.p, '\n', d.n) || memchr(d.p, '"', d.n)))
			rc = yaml_fail(
			        k, err,
			        "a delimiter of %zu bytes; expected 1 to 16, no quote, no newline",
			        d.n);
	}
	if (!rc && (k = yaml_get(y, "quote"))) {
		struct str q;
		rc = yaml_field_text(k, "quote", &q, err);
		bool is_none = str_eq(q, S("none"));
		if (!rc && !is_none && q.n != 1)
			rc = yaml_fail(k, err, "quote '%.*s'; expected one byte, or none",
			               STR_FMT(q));
		if (!rc)
			m->dialect.quote = is_none ? '\0' : q.p[0];
	}
	if (!rc && (k = yaml_get(y, "header")))
		rc = yaml_field_bool(k, "header", &m->has_header, err);
	if (!rc && (k = yaml_get(y, "comment")))
		rc = yaml_field_text(k, "comment", &m->comment, err);
	if (!rc && (k = yaml_get(y, "wide")))
		rc = read_wide(r, k, err);
	return rc;
}

static enum err_code read_matches(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "match is %s; expected a map of columns to patterns",
		                 yaml_kind_name(y));
	struct csv_match *matches = ARENA_ARRAY(r->a, struct csv_match, y->n + 1);
	size_t n = 0;
	for (const struct yaml *m = y->first; m; m = m->next, n++) {
		uint64_t number = 0;
		matches[n].name = r->map->has_header ? m->key : STR_NULL;
		if (!r->map->has_header &&
		    (!str_to_u64(m->key, &number) || number < 1 || number > r->map->fields))
			return yaml_fail(m, err, "field '%.*s'; expected a number from 1 to %u",
			                 STR_FMT(m->key), r->map->fields);
		matches[n].number = (uint32_t)number;
		struct str text;
		enum err_code rc = yaml_field_text(m, "a pattern", &text, err);
		struct err why = { 0 };
		if (!rc && pattern_compile(r->a, text, &matches[n].pattern, &why))
			rc = yaml_fail(m, err, "pattern: %s", why.text);
		if (rc)
			return rc;
	}
	r->map->matches = matches;
	r->map->matches_n = n;
	return ERR_OK;
}

static enum err_code read_recognise(struct csv_reading *r, const struct yaml *root, struct err *err)
{
	static const char *const keys[] = { "header", "in-order", "fields", "match", NULL };
	const struct yaml *y = yaml_get(root, "recognise");
	struct csv_map *m = r->map;
	if (!y)
		return m->has_header ? ERR_OK
		                     : yaml_fail(root, err,
		                                 "a file without a header needs recognise: fields");
	enum err_code rc = yaml_check_keys(y, "recognise", keys, err);
	if (rc)
		return rc;
	const struct yaml *header = yaml_get(y, "header"), *fields = yaml_get(y, "fields"),
	                  *match = yaml_get(y, "match"), *order = yaml_get(y, "in-order");
	if (m->has_header) {
		if (fields)
			return yaml_fail(fields, err,
			                 "for files without a header; expected header");
		if (header)
			rc = yaml_field_words(r->a, header, "header", &m->marks, &m->marks_n, err);
		if (!rc && order)
			rc = yaml_field_bool(order, "in-order", &m->marks_in_order, err);
		return !rc && match ? read_matches(r, match, err) : rc;
	}
	if (order)
		return yaml_fail(order, err, "for files with a header; expected fields and match");
	if (header)
		return yaml_fail(header, err, "csv says header: false; expected fields and match");
	uint64_t n = 0;
	if (!fields || fields->kind != YAML_SCALAR || !str_to_u64(fields->text, &n) || n < 1 ||
	    n > FIELDS_MAX)
		return yaml_fail(fields ? fields : y, err, "fields: expected a number from 1 to %u",
		                 FIELDS_MAX);
	m->fields = (uint32_t)n;
	return match ? read_matches(r, match, err) : ERR_OK;
}

static enum err_code read_skip(struct csv_reading *r, const struct yaml *y, struct csv_skip *s,
                               struct err *err)
{
	static const char *const keys[] = { "column", "empty", "equals", "not", NULL };
	enum err_code rc = yaml_check_keys(y, "skip-if", keys, err);
	if (rc)
		return rc;
	const struct yaml *column = yaml_get(y, "column"), *empty = yaml_get(y, "empty"),
	                  *equals = yaml_get(y, "equals"), *not = yaml_get(y, "not");
	if (!column)
		return yaml_fail(y, err, "skip-if without a column");
	if (!!empty + !!equals + !!not != 1)
		return yaml_fail(y, err, "skip-if needs one of empty, equals, not");
	rc = csv_verb_column(r->map, column, &s->column, err);
	if (!rc && empty) {
		bool is_empty = true;
		rc = yaml_field_bool(empty, "empty", &is_empty, err);
		s->is_empty = true;
		s->is_not = !is_empty;
	}
	if (!rc && (equals || not )) {
		s->is_not = not != NULL;
		rc = yaml_field_words(r->a, equals ? equals : not, "skip-if", &s->words,
		                      &s->words_n, err);
	}
	return rc;
}

static enum err_code read_skips(struct csv_reading *r, const struct yaml *y, struct err *err)
{
	if (!y)
		return ERR_OK;
	bool is_list = y->kind == YAML_LIST;
	struct csv_skip *skips = ARENA_ARRAY(r->a, struct csv_skip, y->n + 1);
	size_t n = 0;
	for (const struct yaml *s = is_list ? y->first : y; s; s = is_list ? s->next : NULL) {
		enum err_code rc = read_skip(r, s, &skips[n++], err);
		if (rc)
			return rc;
	}
	r->map->skips = skips;
	r->map->skips_n = n;
	return ERR_OK;
}

static enum err_code read_map(struct csv_reading *r, const struct yaml *root, struct err *err)
{
	static const char *const keys[] = { "map",       "help",    "note",    "csv",
		                            "recognise", "time",    "jobs",    "nodes",
		                            "totals",    "samples", "skip-if", NULL };
	struct csv_map *m = r->map;
	enum err_code rc = yaml_check_keys(root, "a map", keys, err);
	if (rc)
		return rc;
	const struct yaml *name = yaml_get(root, "map"), *fact = NULL, *y;
	if (!name)
		return yaml_fail(root, err, "a map without 'map', its name");
	for (int i = 0; i < CSV_FACT_COUNT; i++)
		if ((y = yaml_get(root, csv_fact_names[i]))) {
			if (fact)
				return yaml_fail(y, err,
				                 "a second kind of fact; one map makes one");
			fact = y;
			m->fact = (enum csv_fact)i;
		}
	if (!fact)
		return yaml_fail(root, err, "a map without jobs, nodes, totals or samples");
	rc = yaml_field_text(name, "map", &m->name, err);
	if (!rc && (y = yaml_get(root, "help")))
		rc = yaml_field_text(y, "help", &m->help, err);
	if (!rc && (y = yaml_get(root, "note")))
		rc = yaml_field_text(y, "note", &m->note, err);
	if (!rc && (y = yaml_get(root, "csv")))
		rc = read_dialect(r, y, err);
	if (!rc)
		rc = read_recognise(r, root, err);
	r->time = (struct csv_time){ .kind = CSV_TIME_TEXT, .num = 1000, .den = 1 };
	if (!rc && (y = yaml_get(root, "time")))
		rc = csv_verb_time(r, y, &r->time, err);
	if (!rc)
		rc = read_fact(r, fact, err);
	return rc ? rc : read_skips(r, yaml_get(root, "skip-if"), err);
}

enum err_code csv_map_parse(struct arena *a, struct str yaml, struct str file_name,
                            struct csv_map *ret, struct err *err)
{
	struct str name = str_dup(a, file_name);
	const struct yaml *root = NULL;
	enum err_code rc = yaml_parse(a, yaml, &root, err);
	if (!rc) {
		struct csv_map m = { .file_name = name,
			             .has_header = true,
			             .dialect = { .delimiter = S(","), .quote = '"' } };
		struct csv_reading r = { .a = a, .map = &m };
		rc = read_map(&r, root, err);
		if (!rc)
			*ret = m;
	}
	if (rc)
		err_wrap(err, "%.*s:", STR_FMT(name));
	return rc;
}
