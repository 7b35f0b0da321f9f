/* SPDX-License-Identifier: Apache-2.0 */
#include "read/csv_map_verbs.h"

#include "parse/when.h"

enum err_code csv_verb_column(const struct csv_map *map, const struct yaml *y,
                              struct csv_column *ret, struct err *err)
{
	struct str text;
	enum err_code rc = yaml_field_text(y, "a column", &text, err);
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
	enum err_code rc = yaml_field_text(y, "unit", &text, err);
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
	enum err_code rc = yaml_field_text(y, "zone", &text, err);
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
	enum err_code rc = yaml_field_text(y, "since", &text, err);
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

enum err_code csv_verb_time(struct csv_reading *r, const struct yaml *y, struct csv_time *t,
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
		rc = yaml_field_text(pattern, "pattern", &t->pattern, err);
		if (!rc)
			rc = check_pattern(pattern, t->pattern, err);
	}
	if (!rc && zone)
		rc = want_zone(zone, t, err);
	if (!rc && arbitrary)
		rc = yaml_field_bool(arbitrary, "arbitrary", &r->map->is_arbitrary, err);
	return rc;
}

/* `columns: [a, b]`: their fields, joined. */
static enum err_code want_columns(struct csv_reading *r, const struct yaml *y, struct csv_value *v,
                                  struct err *err)
{
	if (y->kind != YAML_LIST || y->n < 2)
		return yaml_fail(y, err, "columns is %s; expected a list of two or more",
		                 yaml_kind_name(y));
	struct csv_column *more = ARENA_ARRAY(r->a, struct csv_column, y->n);
	enum err_code rc = csv_verb_column(r->map, y->first, &v->column, err);
	size_t n = 0;
	for (const struct yaml *c = y->first->next; c && !rc; c = c->next, n++)
		rc = csv_verb_column(r->map, c, &more[n], err);
	v->more = more;
	v->more_n = n;
	return rc;
}

static enum err_code want_metric_unit(const struct yaml *y, struct csv_value *v, struct err *err)
{
	enum metric_id id = (enum metric_id)((int)v->prop - CSV_METRIC_FIRST);
	struct reading_unit unit;
	struct str text;
	enum err_code rc = yaml_field_word(y, "unit", &text, err);
	if (rc)
		return rc;
	if (!reading_unit_find(id, text, &unit)) {
		auto_text names = TEXT_NULL;
		reading_unit_names(&names, id);
		return yaml_fail(y, err, "unit '%.*s' of %s; expected %.*s", STR_FMT(text),
		                 metrics[id].name, STR_FMT(text_str(&names)));
	}
	v->num = unit.num;
	v->den = unit.den;
	return ERR_OK;
}

static enum err_code want_values(struct csv_reading *r, const struct yaml *y, struct csv_value *v,
                                 struct err *err)
{
	if (y->kind != YAML_MAP || !y->n)
		return yaml_fail(y, err, "values is %s; expected a map of the file's words",
		                 yaml_kind_name(y));
	struct csv_pair *pairs = ARENA_ARRAY(r->a, struct csv_pair, y->n);
	size_t n = 0;
	for (const struct yaml *w = y->first; w; w = w->next, n++) {
		enum err_code rc = yaml_field_text(w, "a word of values", &pairs[n].to, err);
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
		enum metric_id id;
		struct reading_unit unit;
		if (v->prop == CSV_SAMPLE_METRIC && pairs[n].to.n &&
		    !csv_metric_read(pairs[n].to, &id, &unit, why))
			return yaml_fail(w, err, "%s", why);
	}
	v->values = pairs;
	v->values_n = n;
	return ERR_OK;
}

static enum err_code want_else(const struct yaml *y, struct csv_value *v, struct err *err)
{
	struct str text;
	enum err_code rc = yaml_field_text(y, "else", &text, err);
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
	enum err_code rc = yaml_field_text(y, "parse", &text, err);
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

static enum err_code value_verb(struct csv_reading *r, const struct yaml *y, struct csv_value *v,
                                struct err *err)
{
	enum csv_type type = csv_props[v->prop].type;
	if (str_eq(y->key, S("column")))
		return csv_verb_column(r->map, y, &v->column, err);
	if (str_eq(y->key, S("columns")))
		return want_columns(r, y, v, err);
	if (str_eq(y->key, S("join")))
		return yaml_field_text(y, "join", &v->join, err);
	if (str_eq(y->key, S("constant"))) {
		v->is_constant = true;
		return yaml_field_text(y, "constant", &v->constant, err);
	}
	if (str_eq(y->key, S("default")))
		return yaml_field_text(y, "default", &v->fallback, err);
	if (str_eq(y->key, S("unknown")))
		return yaml_field_words(r->a, y, "unknown", &v->unknown, &v->unknown_n, err);
	if (str_eq(y->key, S("values")))
		return want_values(r, y, v, err);
	if (str_eq(y->key, S("first-word")))
		return yaml_field_bool(y, "first-word", &v->first_word, err);
	if (str_eq(y->key, S("optional")))
		return yaml_field_bool(y, "optional", &v->is_optional, err);
	if (str_eq(y->key, S("parse")))
		return want_parse(y, v, err);
	if (str_eq(y->key, S("round"))) {
		v->round = str_eq(y->text, S("up")) ? CSV_UP : CSV_DOWN;
		if (type == CSV_COUNT && (v->round == CSV_UP || str_eq(y->text, S("down"))))
			return ERR_OK;
		return yaml_fail(y, err, "round '%.*s' of %s; expected up or down, of a count",
		                 STR_FMT(y->text), csv_props[v->prop].name);
	}
	if (str_eq(y->key, S("unit")) && type == CSV_READING)
		return want_metric_unit(y, v, err);
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
		return yaml_field_text(y, "split", &v->split, err);
	}
	if (str_eq(y->key, S("time"))) {
		if (type != CSV_TIME)
			return yaml_fail(y, err, "a time for %s, which is none",
			                 csv_props[v->prop].name);
		return csv_verb_time(r, y, &v->time, err);
	}
	return ERR_OK; /* else: after values */
}

enum err_code csv_verb_value(struct csv_reading *r, const struct yaml *y, enum csv_prop prop,
                             struct err *err)
{
	struct csv_value *v = &r->map->values[prop];
	*v = (struct csv_value){
		.prop = prop, .is_set = true, .num = 1, .den = 1, .time = r->time, .join = S(":")
	};
	if (csv_props[prop].type == CSV_DURATION)
		v->num = 1000;
	if (y->kind == YAML_SCALAR)
		return csv_verb_column(r->map, y, &v->column, err);
	static const char *const keys[] = { "column",  "columns",    "join",     "constant",
		                            "default", "unknown",    "values",   "else",
		                            "unit",    "time",       "parse",    "split",
		                            "round",   "first-word", "optional", NULL };
	enum err_code rc = yaml_check_keys(y, csv_props[prop].name, keys, err);
	for (const struct yaml *verb = y->first; verb && !rc; verb = verb->next)
		rc = value_verb(r, verb, v, err);
	if (!rc && yaml_get(y, "else"))
		rc = want_else(yaml_get(y, "else"), v, err);
	if (rc)
		return rc;
	if (v->is_constant + (yaml_get(y, "column") != NULL) + (yaml_get(y, "columns") != NULL) !=
	    1)
		return yaml_fail(y, err, "%s needs column, columns or constant, one of them",
		                 csv_props[prop].name);
	struct csv_cell cell;
	char why[128];
	struct sample unused = { 0 };
	bool is_bad = false;
	if (v->is_constant && csv_props[prop].type == CSV_READING &&
	    reading_put_text(&unused, (enum metric_id)((int)prop - CSV_METRIC_FIRST), v->constant,
	                     (struct reading_unit){ v->num, v->den }, &is_bad))
		return yaml_fail(yaml_get(y, "constant"), err, "'%.*s' is no value of %s",
		                 STR_FMT(v->constant), csv_props[prop].name);
	if (v->is_constant && v->parse == CSV_PARSE_PLAIN &&
	    !csv_value_read(v, STR_NULL, NULL, &cell, why))
		return yaml_fail(yaml_get(y, "constant"), err, "%s", why);
	return ERR_OK;
}
