/* SPDX-License-Identifier: Apache-2.0 */
/* tidy: long, because a mapping file is one grammar; its values and its facts could part. */
#include "read/csv_map.h"

#include <stdio.h>

#include "base/text.h"
#include "parse/duration.h"
#include "parse/when.h"
#include "parse/yaml.h"

const struct csv_prop_info csv_props[CSV_PROP_COUNT] = {
#define PROP(id, name, fact, type, help) [CSV_##id] = { name, help, CSV_##fact, CSV_##type },
#include "read/csv_map.def"
#undef PROP
};
const char *const csv_fact_names[CSV_FACT_COUNT] = { "jobs", "nodes", "totals" };

/* One map while it is read. */
struct reading_map {
	struct arena *a;
	struct csv_map *map;
	struct csv_time time; /* of columns that state none themselves */
};

static enum err_code want_text(const struct yaml *y, const char *what, struct str *ret,
                               struct err *err)
{
	*ret = STR_NULL;
	if (y->kind != YAML_SCALAR)
		return yaml_fail(y, err, "%s is %s; expected a word", what, yaml_kind_name(y));
	if (!y->is_null)
		*ret = y->text;
	return ERR_OK;
}

static enum err_code want_bool(const struct yaml *y, const char *what, bool *ret, struct err *err)
{
	if (y->kind == YAML_SCALAR && (str_eq(y->text, S("true")) || str_eq(y->text, S("false")))) {
		*ret = y->text.n == 4;
		return ERR_OK;
	}
	return yaml_fail(y, err, "%s is '%.*s'; expected true or false", what,
	                 STR_FMT(y->kind == YAML_SCALAR ? y->text : str_of(yaml_kind_name(y))));
}

static enum err_code want_words(struct arena *a, const struct yaml *y, const char *what,
                                const struct str **ret, size_t *ret_n, struct err *err)
{
	if (y->kind == YAML_SCALAR && !y->is_null) {
		struct str *one = ARENA_NEW(a, struct str);
		*one = y->text;
		*ret = one;
		*ret_n = 1;
		return ERR_OK;
	}
	if (y->kind != YAML_LIST)
		return yaml_fail(y, err, "%s is %s; expected a list of words", what,
		                 yaml_kind_name(y));
	struct str *words = ARENA_ARRAY(a, struct str, y->n + 1);
	size_t n = 0;
	for (const struct yaml *w = y->first; w; w = w->next) {
		enum err_code rc = want_text(w, what, &words[n++], err);
		if (rc)
			return rc;
	}
	*ret = words;
	*ret_n = n;
	return ERR_OK;
}

/* A name of the header, or, in a file without one, a number from 1. */
static enum err_code want_column(const struct csv_map *map, const struct yaml *y,
                                 struct csv_column *ret, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "a column", &text, err);
	if (rc)
		return rc;
	*ret = (struct csv_column){ .line = y->line, .at = y->column };
	if (map->has_header) {
		if (!text.n)
			return yaml_fail(y, err, "a column without a name");
		ret->name = text;
		return ERR_OK;
	}
	uint64_t n;
	if (!str_to_u64(text, &n) || n < 1 || n > map->fields)
		return yaml_fail(
		        y, err,
		        "column '%.*s'; the file has no header: expected a number from 1 to %u",
		        STR_FMT(text), map->fields);
	ret->number = (uint32_t)n;
	return ERR_OK;
}

/* Units: of time in ms, of counts in ones. */
static const struct unit {
	const char *name;
	int64_t num, den;
	bool is_time;
} units[] = {
	{ "ns", 1, 1000000, true },     { "us", 1, 1000, true },     { "ms", 1, 1, true },
	{ "s", 1000, 1, true },         { "min", 60000, 1, true },   { "h", 3600000, 1, true },
	{ "d", 86400000, 1, true },     { "one", 1, 1, false },      { "percent", 1, 100, false },
	{ "permille", 1, 1000, false }, { "milli", 1, 1000, false },
};

static enum err_code want_unit(const struct yaml *y, bool is_time, int64_t *ret_num,
                               int64_t *ret_den, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "unit", &text, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].is_time == is_time && str_eq(text, str_of(units[i].name))) {
			*ret_num = units[i].num;
			*ret_den = units[i].den;
			return ERR_OK;
		}
	return yaml_fail(y, err, "unit '%.*s'; expected %s", STR_FMT(text),
	                 is_time ? "ns, us, ms, s, min, h or d"
	                         : "one, percent, permille or milli");
}

/* UTC, +hh:mm, -hh:mm: a map cannot open the system's list of zones. */
static enum err_code want_zone(const struct yaml *y, struct csv_time *t, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "zone", &text, err);
	if (rc)
		return rc;
	t->has_zone = true;
	t->zone_s = 0;
	uint64_t h, m;
	if (str_eq(text, S("UTC")) || str_eq(text, S("Z")))
		return ERR_OK;
	if (text.n == 6 && (text.p[0] == '+' || text.p[0] == '-') && text.p[3] == ':' &&
	    str_to_u64(str_sub(text, 1, 2), &h) && str_to_u64(str_sub(text, 4, 2), &m) && h <= 15 &&
	    m < 60) {
		t->zone_s = (int32_t)(h * 3600 + m * 60) * (text.p[0] == '-' ? -1 : 1);
		return ERR_OK;
	}
	return yaml_fail(y, err,
	                 "zone '%.*s'; expected UTC or +hh:mm (for a named zone, leave it out and "
	                 "give @tz=NAME with the file)",
	                 STR_FMT(text));
}

static enum err_code want_since(const struct yaml *y, struct csv_time *t, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "since", &text, err);
	if (rc)
		return rc;
	t->kind = CSV_TIME_SINCE;
	if (str_eq(text, S("epoch"))) {
		t->origin_ms = 0;
		return ERR_OK;
	}
	if (when_parse(text, NULL, &t->origin_ms) != WHEN_OK)
		return yaml_fail(y, err,
		                 "since '%.*s'; expected epoch or a date and time like "
		                 "2026-01-01T00:00:00Z",
		                 STR_FMT(text));
	return ERR_OK;
}

static enum err_code check_pattern(const struct yaml *y, struct str p, struct err *err)
{
	for (size_t i = 0; i < p.n; i++) {
		if (p.p[i] != '%')
			continue;
		if (++i == p.n || !memchr("YymbdHIMSfpz%", p.p[i], 13))
			return yaml_fail(
			        y, err,
			        "pattern '%.*s' at %zu; expected one of %%Y %%y %%m %%b %%d "
			        "%%H %%I %%M %%S %%f %%p %%z %%%%",
			        STR_FMT(p), i);
	}
	return p.n ? ERR_OK : yaml_fail(y, err, "an empty pattern");
}

static enum err_code want_time(struct reading_map *r, const struct yaml *y, struct csv_time *t,
                               struct err *err)
{
	*t = (struct csv_time){ .num = 1000, .den = 1 };
	if (y->kind == YAML_SCALAR) {
		bool is_ms = str_eq(y->text, S("epoch-ms"));
		if (is_ms)
			t->num = 1;
		if (is_ms || str_eq(y->text, S("epoch")))
			t->kind = CSV_TIME_SINCE;
		else if (!str_eq(y->text, S("text")))
			return yaml_fail(
			        y, err,
			        "time '%.*s'; expected text, epoch, epoch-ms, or a map with "
			        "since or pattern",
			        STR_FMT(y->text));
		return ERR_OK;
	}
	static const char *const keys[] = { "since", "unit", "pattern", "zone", "arbitrary", NULL };
	enum err_code rc = yaml_check_keys(y, "time", keys, err);
	const struct yaml *since = yaml_get(y, "since"), *pattern = yaml_get(y, "pattern"),
	                  *unit = yaml_get(y, "unit"), *zone = yaml_get(y, "zone"),
	                  *arbitrary = yaml_get(y, "arbitrary");
	if (!rc && since && pattern)
		rc = yaml_fail(pattern, err, "since and pattern; expected one of them");
	if (!rc && unit && !since)
		rc = yaml_fail(unit, err, "a unit without since");
	if (!rc && since)
		rc = want_since(since, t, err);
	if (!rc && unit)
		rc = want_unit(unit, true, &t->num, &t->den, err);
	if (!rc && pattern) {
		t->kind = CSV_TIME_PATTERN;
		rc = want_text(pattern, "pattern", &t->pattern, err);
		if (!rc)
			rc = check_pattern(pattern, t->pattern, err);
	}
	if (!rc && zone)
		rc = want_zone(zone, t, err);
	if (!rc && arbitrary)
		rc = want_bool(arbitrary, "arbitrary", &r->map->is_arbitrary, err);
	return rc;
}

static enum err_code want_values(struct reading_map *r, const struct yaml *y, struct csv_value *v,
                                 struct err *err)
{
	if (y->kind != YAML_MAP || !y->n)
		return yaml_fail(y, err, "values is %s; expected a map of the file's words",
		                 yaml_kind_name(y));
	struct csv_pair *pairs = ARENA_ARRAY(r->a, struct csv_pair, y->n);
	size_t n = 0;
	for (const struct yaml *w = y->first; w; w = w->next, n++) {
		enum err_code rc = want_text(w, "a word of values", &pairs[n].to, err);
		if (rc)
			return rc;
		pairs[n].from = w->key;
		struct csv_value plain = { .prop = v->prop, .num = 1, .den = 1 };
		struct csv_cell cell;
		char why[128];
		enum csv_type type = csv_props[v->prop].type;
		if ((type == CSV_OUTCOME || type == CSV_KIND || type == CSV_STATE) &&
		    !csv_value_read(&plain, pairs[n].to, NULL, &cell, why))
			return yaml_fail(w, err, "%s", why);
	}
	v->values = pairs;
	v->values_n = n;
	return ERR_OK;
}

static enum err_code want_else(const struct yaml *y, struct csv_value *v, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "else", &text, err);
	if (rc)
		return rc;
	if (!v->values_n)
		return yaml_fail(y, err, "else without values");
	v->otherwise = str_eq(text, S("reject"))    ? CSV_ELSE_REJECT
	               : str_eq(text, S("keep"))    ? CSV_ELSE_KEEP
	               : str_eq(text, S("unknown")) ? CSV_ELSE_UNKNOWN
	                                            : CSV_ELSE_WORD;
	v->else_word = v->otherwise == CSV_ELSE_WORD ? text : STR_NULL;
	return ERR_OK;
}

static enum err_code want_parse(const struct yaml *y, struct csv_value *v, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "parse", &text, err);
	if (rc)
		return rc;
	enum csv_type type = csv_props[v->prop].type;
	if (type == CSV_GPUS && str_eq(text, S("tres")))
		v->parse = CSV_PARSE_TRES;
	else if (type == CSV_GPUS && str_eq(text, S("gres")))
		v->parse = CSV_PARSE_GRES;
	else if (type == CSV_DURATION && str_eq(text, S("slurm")))
		v->parse = CSV_PARSE_SLURM;
	else if (type == CSV_DURATION && str_eq(text, S("units")))
		v->parse = CSV_PARSE_UNITS;
	else
		return yaml_fail(y, err, "parse '%.*s' of %s; expected %s", STR_FMT(text),
		                 csv_props[v->prop].name,
		                 type == CSV_GPUS       ? "tres or gres"
		                 : type == CSV_DURATION ? "slurm or units"
		                                        : "no parse here");
	return ERR_OK;
}

static enum err_code value_verb(struct reading_map *r, const struct yaml *y, struct csv_value *v,
                                struct err *err)
{
	enum csv_type type = csv_props[v->prop].type;
	if (str_eq(y->key, S("column")))
		return want_column(r->map, y, &v->column, err);
	if (str_eq(y->key, S("constant"))) {
		v->is_constant = true;
		return want_text(y, "constant", &v->constant, err);
	}
	if (str_eq(y->key, S("default")))
		return want_text(y, "default", &v->fallback, err);
	if (str_eq(y->key, S("unknown")))
		return want_words(r->a, y, "unknown", &v->unknown, &v->unknown_n, err);
	if (str_eq(y->key, S("values")))
		return want_values(r, y, v, err);
	if (str_eq(y->key, S("first-word")))
		return want_bool(y, "first-word", &v->first_word, err);
	if (str_eq(y->key, S("optional")))
		return want_bool(y, "optional", &v->is_optional, err);
	if (str_eq(y->key, S("parse")))
		return want_parse(y, v, err);
	if (str_eq(y->key, S("round"))) {
		v->round = str_eq(y->text, S("up")) ? CSV_UP : CSV_DOWN;
		if (type == CSV_COUNT && (v->round == CSV_UP || str_eq(y->text, S("down"))))
			return ERR_OK;
		return yaml_fail(y, err, "round '%.*s' of %s; expected up or down, of a count",
		                 STR_FMT(y->text), csv_props[v->prop].name);
	}
	if (str_eq(y->key, S("unit"))) {
		if (type != CSV_DURATION && type != CSV_COUNT && type != CSV_GPUS &&
		    type != CSV_SHARE)
			return yaml_fail(y, err, "a unit for %s, which is not a number",
			                 csv_props[v->prop].name);
		return want_unit(y, type == CSV_DURATION, &v->num, &v->den, err);
	}
	if (str_eq(y->key, S("split"))) {
		if (type != CSV_WORDS)
			return yaml_fail(y, err, "split for %s, which is not a list",
			                 csv_props[v->prop].name);
		return want_text(y, "split", &v->split, err);
	}
	if (str_eq(y->key, S("time"))) {
		if (type != CSV_TIME)
			return yaml_fail(y, err, "a time for %s, which is none",
			                 csv_props[v->prop].name);
		return want_time(r, y, &v->time, err);
	}
	return ERR_OK; /* else: after values */
}

static enum err_code read_value(struct reading_map *r, const struct yaml *y, enum csv_prop prop,
                                struct err *err)
{
	struct csv_value *v = &r->map->values[prop];
	*v = (struct csv_value){
		.prop = prop, .is_set = true, .num = 1, .den = 1, .time = r->time
	};
	if (csv_props[prop].type == CSV_DURATION)
		v->num = 1000;
	if (y->kind == YAML_SCALAR)
		return want_column(r->map, y, &v->column, err);
	static const char *const keys[] = { "column", "constant",   "default",  "unknown", "values",
		                            "else",   "unit",       "time",     "parse",   "split",
		                            "round",  "first-word", "optional", NULL };
	enum err_code rc = yaml_check_keys(y, csv_props[prop].name, keys, err);
	for (const struct yaml *verb = y->first; verb && !rc; verb = verb->next)
		rc = value_verb(r, verb, v, err);
	if (!rc && yaml_get(y, "else"))
		rc = want_else(yaml_get(y, "else"), v, err);
	if (rc)
		return rc;
	if (v->is_constant == (yaml_get(y, "column") != NULL))
		return yaml_fail(y, err, "%s needs column or constant, one of them",
		                 csv_props[prop].name);
	struct csv_cell cell;
	char why[128];
	if (v->is_constant && v->parse == CSV_PARSE_PLAIN &&
	    !csv_value_read(v, STR_NULL, NULL, &cell, why))
		return yaml_fail(yaml_get(y, "constant"), err, "%s", why);
	return ERR_OK;
}

static enum err_code read_labels(struct reading_map *r, const struct yaml *y, struct err *err)
{
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "labels is %s; expected a map of names to columns",
		                 yaml_kind_name(y));
	struct csv_label *labels = ARENA_ARRAY(r->a, struct csv_label, y->n + 1);
	size_t n = 0;
	for (const struct yaml *l = y->first; l; l = l->next, n++) {
		labels[n].name = l->key;
		enum err_code rc = want_column(r->map, l, &labels[n].column, err);
		if (rc)
			return rc;
	}
	r->map->labels = labels;
	r->map->labels_n = n;
	return ERR_OK;
}

static enum err_code want_every(const struct yaml *y, struct csv_map *map, struct err *err)
{
	struct str text;
	enum err_code rc = want_text(y, "every", &text, err);
	if (rc)
		return rc;
	if (duration_parse(text, &map->every_ms) != DURATION_OK || map->every_ms <= 0)
		return yaml_fail(y, err, "every '%.*s'; expected a length of time like 1m",
		                 STR_FMT(text));
	return ERR_OK;
}

/* Says which keys a fact has, from the table. */
static enum err_code unknown_key(const struct yaml *y, enum csv_fact fact, struct err *err)
{
	auto_text all = TEXT_NULL;
	for (int p = 0; p < CSV_PROP_COUNT; p++)
		if (csv_props[p].fact == fact)
			text_printf(&all, "%s, ", csv_props[p].name);
	text_printf(&all, "%s",
	            fact == CSV_JOBS     ? "labels, slurm, sample"
	            : fact == CSV_TOTALS ? "every, counts"
	                                 : "nothing else");
	return yaml_fail(y, err, "unknown key '%.*s' in %s; expected one of: %.*s", STR_FMT(y->key),
	                 csv_fact_names[fact], STR_FMT(text_str(&all)));
}

static enum err_code read_option(struct reading_map *r, const struct yaml *y, struct err *err)
{
	struct csv_map *m = r->map;
	if (m->fact == CSV_JOBS && str_eq(y->key, S("labels")))
		return read_labels(r, y, err);
	if (m->fact == CSV_JOBS && str_eq(y->key, S("slurm")))
		return want_bool(y, "slurm", &m->is_slurm, err);
	if (m->fact == CSV_JOBS && str_eq(y->key, S("sample")))
		return want_bool(y, "sample", &m->is_sample, err);
	if (m->fact == CSV_TOTALS && str_eq(y->key, S("every")))
		return want_every(y, m, err);
	if (m->fact == CSV_TOTALS && str_eq(y->key, S("counts"))) {
		m->counts_nodes = str_eq(y->text, S("nodes"));
		if (m->counts_nodes || str_eq(y->text, S("gpus")))
			return ERR_OK;
		return yaml_fail(y, err, "counts '%.*s'; expected gpus or nodes", STR_FMT(y->text));
	}
	return unknown_key(y, m->fact, err);
}

static enum err_code read_fact(struct reading_map *r, const struct yaml *y, struct err *err)
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
		                           ? read_value(r, k, (enum csv_prop)prop, err)
		                           : read_option(r, k, err);
		if (rc)
			return rc;
	}
	static const enum csv_prop needed[][2] = {
		[CSV_JOBS] = { CSV_JOB_ID, CSV_JOB_ID },
		[CSV_NODES] = { CSV_NODE_ID, CSV_NODE_GPUS },
		[CSV_TOTALS] = { CSV_TOTAL_TIME, CSV_TOTAL_TIME },
	};
	for (int i = 0; i < 2; i++)
		if (!m->values[needed[m->fact][i]].is_set)
			return yaml_fail(y, err, "%s without '%s'", csv_fact_names[m->fact],
			                 csv_props[needed[m->fact][i]].name);
	if (m->fact == CSV_TOTALS && !m->every_ms && !m->values[CSV_TOTAL_TO].is_set)
		return yaml_fail(y, err, "totals without 'every' or 'to'");
	return ERR_OK;
}

static enum err_code read_dialect(struct reading_map *r, const struct yaml *y, struct err *err)
{
	static const char *const keys[] = { "delimiter", "quote", "header", "comment", NULL };
	struct csv_map *m = r->map;
	enum err_code rc = yaml_check_keys(y, "csv", keys, err);
	const struct yaml *k;
	if (!rc && (k = yaml_get(y, "delimiter"))) {
		rc = want_text(k, "delimiter", &m->dialect.delimiter, err);
		struct str d = m->dialect.delimiter;
		if (!rc && (!d.n || d.n > 16 || memchr(d.p, '\n', d.n) || memchr(d.p, '"', d.n)))
			rc = yaml_fail(
			        k, err,
			        "a delimiter of %zu bytes; expected 1 to 16, no quote, no newline",
			        d.n);
	}
	if (!rc && (k = yaml_get(y, "quote"))) {
		struct str q;
		rc = want_text(k, "quote", &q, err);
		bool is_none = str_eq(q, S("none"));
		if (!rc && !is_none && q.n != 1)
			rc = yaml_fail(k, err, "quote '%.*s'; expected one byte, or none",
			               STR_FMT(q));
		if (!rc)
			m->dialect.quote = is_none ? '\0' : q.p[0];
	}
	if (!rc && (k = yaml_get(y, "header")))
		rc = want_bool(k, "header", &m->has_header, err);
	if (!rc && (k = yaml_get(y, "comment")))
		rc = want_text(k, "comment", &m->comment, err);
	return rc;
}

static enum err_code read_matches(struct reading_map *r, const struct yaml *y, struct err *err)
{
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "match is %s; expected a map of field numbers to patterns",
		                 yaml_kind_name(y));
	struct csv_match *matches = ARENA_ARRAY(r->a, struct csv_match, y->n + 1);
	size_t n = 0;
	for (const struct yaml *m = y->first; m; m = m->next, n++) {
		uint64_t number;
		if (!str_to_u64(m->key, &number) || number < 1 || number > r->map->fields)
			return yaml_fail(m, err, "field '%.*s'; expected a number from 1 to %u",
			                 STR_FMT(m->key), r->map->fields);
		matches[n].number = (uint32_t)number;
		struct str text;
		enum err_code rc = want_text(m, "a pattern", &text, err);
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

static enum err_code read_recognise(struct reading_map *r, const struct yaml *root, struct err *err)
{
	static const char *const keys[] = { "header", "fields", "match", NULL };
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
	                  *match = yaml_get(y, "match");
	if (m->has_header) {
		if (fields || match)
			return yaml_fail(fields ? fields : match, err,
			                 "for files without a header; expected header");
		return header ? want_words(r->a, header, "header", &m->marks, &m->marks_n, err)
		              : ERR_OK;
	}
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

static enum err_code read_skip(struct reading_map *r, const struct yaml *y, struct csv_skip *s,
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
	rc = want_column(r->map, column, &s->column, err);
	if (!rc && empty) {
		bool is_empty = true;
		rc = want_bool(empty, "empty", &is_empty, err);
		s->is_empty = true;
		s->is_not = !is_empty;
	}
	if (!rc && (equals || not )) {
		s->is_not = not != NULL;
		rc = want_words(r->a, equals ? equals : not, "skip-if", &s->words, &s->words_n,
		                err);
	}
	return rc;
}

static enum err_code read_skips(struct reading_map *r, const struct yaml *y, struct err *err)
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

static enum err_code read_map(struct reading_map *r, const struct yaml *root, struct err *err)
{
	static const char *const keys[] = { "map",       "help",    "note", "csv",
		                            "recognise", "time",    "jobs", "nodes",
		                            "totals",    "skip-if", NULL };
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
		return yaml_fail(root, err, "a map without jobs, nodes or totals");
	rc = want_text(name, "map", &m->name, err);
	if (!rc && (y = yaml_get(root, "help")))
		rc = want_text(y, "help", &m->help, err);
	if (!rc && (y = yaml_get(root, "note")))
		rc = want_text(y, "note", &m->note, err);
	if (!rc && (y = yaml_get(root, "csv")))
		rc = read_dialect(r, y, err);
	if (!rc)
		rc = read_recognise(r, root, err);
	r->time = (struct csv_time){ .kind = CSV_TIME_TEXT, .num = 1000, .den = 1 };
	if (!rc && (y = yaml_get(root, "time")))
		rc = want_time(r, y, &r->time, err);
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
		struct reading_map r = { .a = a, .map = &m };
		rc = read_map(&r, root, err);
		if (!rc)
			*ret = m;
	}
	if (rc)
		err_wrap(err, "%.*s:", STR_FMT(name));
	return rc;
}
