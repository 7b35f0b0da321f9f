/* SPDX-License-Identifier: Apache-2.0 */
#include "read/yaml_field.h"

#include "base/limits.h"
#include "parse/duration.h"
#include "parse/when.h"

enum err_code yaml_field_text(const struct yaml *y, const char *what, struct str *ret,
                              struct err *err)
{
	*ret = STR_NULL;
	if (y->kind != YAML_SCALAR)
		return yaml_fail(y, err, "%s is %s; expected a word", what, yaml_kind_name(y));
	if (!y->is_null)
		*ret = y->text;
	return ERR_OK;
}

enum err_code yaml_field_word(const struct yaml *y, const char *what, struct str *ret,
                              struct err *err)
{
	enum err_code rc = yaml_field_text(y, what, ret, err);
	if (!rc && !ret->n)
		rc = yaml_fail(y, err, "%s is empty; expected a word", what);
	return rc;
}

enum err_code yaml_field_bool(const struct yaml *y, const char *what, bool *ret, struct err *err)
{
	if (y->kind == YAML_SCALAR && (str_eq(y->text, S("true")) || str_eq(y->text, S("false")))) {
		*ret = y->text.n == 4;
		return ERR_OK;
	}
	return yaml_fail(y, err, "%s is '%.*s'; expected true or false", what,
	                 STR_FMT(y->kind == YAML_SCALAR ? y->text : str_of(yaml_kind_name(y))));
}

enum err_code yaml_field_words(struct arena *a, const struct yaml *y, const char *what,
                               const struct str **ret, size_t *ret_n, struct err *err)
{
	bool is_one = y->kind == YAML_SCALAR && !y->is_null;
	if (!is_one && y->kind != YAML_LIST)
		return yaml_fail(y, err, "%s is %s; expected a list of words", what,
		                 yaml_kind_name(y));
	struct str *words = ARENA_ARRAY(a, struct str, y->n + 1);
	size_t n = 0;
	for (const struct yaml *w = is_one ? y : y->first; w; w = is_one ? NULL : w->next) {
		enum err_code rc = yaml_field_text(w, what, &words[n++], err);
		if (rc)
			return rc;
	}
	*ret = words;
	*ret_n = n;
	return ERR_OK;
}

enum err_code yaml_field_count(const struct yaml *y, const char *what, uint32_t min, uint32_t *ret,
                               struct err *err)
{
	struct str text;
	uint64_t n;
	enum err_code rc = yaml_field_text(y, what, &text, err);
	if (rc)
		return rc;
	if (!str_to_u64(text, &n) || n < min || n > GPUS_MAX)
		return yaml_fail(y, err, "%s is '%.*s'; expected a whole number from %u to %u",
		                 what, STR_FMT(text), min, GPUS_MAX);
	*ret = (uint32_t)n;
	return ERR_OK;
}

enum err_code yaml_field_time(const struct yaml *y, const char *what, const struct zone *zone,
                              int64_t *ret_ms, struct err *err)
{
	struct str text;
	enum err_code rc = yaml_field_text(y, what, &text, err);
	if (rc)
		return rc;
	if (when_parse(text, zone, ret_ms) == WHEN_OK)
		return ERR_OK;
	return yaml_fail(y, err,
	                 "%s is '%.*s'; expected a date or a time like 2026-01-31T12:00:00Z", what,
	                 STR_FMT(text));
}

enum err_code yaml_field_duration(const struct yaml *y, const char *what, int64_t *ret_ms,
                                  struct err *err)
{
	struct str text;
	enum err_code rc = yaml_field_text(y, what, &text, err);
	if (rc)
		return rc;
	if (duration_parse(text, ret_ms) == DURATION_OK)
		return ERR_OK;
	return yaml_fail(y, err, "%s is '%.*s'; expected a length of time like 10m", what,
	                 STR_FMT(text));
}

/* Digits and one point, nothing else: "2,50" and "1e3" are no prices. */
static bool is_decimal(struct str s, size_t *ret_whole, size_t *ret_decimals)
{
	size_t dot = str_find_byte(s, '.');
	*ret_whole = dot;
	*ret_decimals = dot < s.n ? s.n - dot - 1 : 0;
	if (!dot || (dot < s.n && !*ret_decimals))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (i != dot && (s.p[i] < '0' || s.p[i] > '9'))
			return false;
	return true;
}

enum err_code yaml_field_decimal(const struct yaml *y, const char *what, struct fraction *ret,
                                 struct err *err)
{
	struct str text;
	size_t whole, decimals;
	enum err_code rc = yaml_field_text(y, what, &text, err);
	if (rc)
		return rc;
	if (str_starts(text, S("-")))
		return yaml_fail(y, err, "%s is '%.*s'; expected 0 or more", what, STR_FMT(text));
	if (!is_decimal(text, &whole, &decimals) || whole > 12 || decimals > 9)
		return yaml_fail(y, err,
		                 "%s is '%.*s'; expected a decimal number like 2.50, below 10^12, "
		                 "with at most 9 decimals",
		                 what, STR_FMT(text));
	*ret = (struct fraction){ 0, 1 };
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '.')
			continue;
		ret->num = ret->num * 10 + (text.p[i] - '0');
		if (i > whole)
			ret->den *= 10;
	}
	return ERR_OK;
}
