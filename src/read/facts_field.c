/* SPDX-License-Identifier: Apache-2.0 */
#include "read/facts_field.h"

bool facts_field_id(struct arena *a, struct str raw, struct str *ret)
{
	int64_t number;
	if (json_to_text(a, raw, ret))
		return ret->n > 0;
	if (json_type(raw) != JSON_NUMBER || !str_to_i64(raw, &number))
		return false;
	*ret = raw;
	return true;
}

bool facts_field_time(struct str raw, int64_t *ret)
{
	int64_t v;
	if (!json_to_i64(raw, &v) || v < TIME_MS_MIN || v > TIME_MS_MAX)
		return false;
	*ret = v;
	return true;
}

bool facts_field_count(struct str raw, uint32_t *ret)
{
	int64_t v;
	if (!json_to_i64(raw, &v) || v < 0 || v > GPUS_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

bool facts_field_span(struct str raw, struct span *ret)
{
	struct str key, value;
	int64_t v[2];
	size_t at = 0, n = 0;
	if (json_type(raw) != JSON_LIST)
		return false;
	for (; json_next(raw, &at, &key, &value); n++)
		if (n >= 2 || !facts_field_time(value, &v[n]))
			return false;
	if (n != 2 || v[0] > v[1])
		return false;
	*ret = (struct span){ v[0], v[1] };
	return true;
}

bool facts_field_words(struct arena *a, struct str raw, struct facts *f, uint32_t *ret_at,
                       uint32_t *ret_n)
{
	struct str key, value, word;
	size_t at = 0, first = f->syms.n;
	if (json_type(raw) != JSON_LIST)
		return false;
	while (json_next(raw, &at, &key, &value)) {
		if (!facts_field_id(a, value, &word)) {
			f->syms.n = first;
			return false;
		}
		*vec_push(&f->syms) = facts_word(f, word);
	}
	*ret_at = (uint32_t)first;
	*ret_n = (uint32_t)(f->syms.n - first);
	return true;
}

static bool read_pairs(struct arena *a, struct str raw, struct facts *f, uint32_t *ret_at,
                       uint32_t *ret_n)
{
	struct str key, value, word;
	size_t at = 0, first = f->syms.n;
	if (json_type(raw) != JSON_OBJECT)
		return false;
	while (json_next(raw, &at, &key, &value)) {
		if (!json_to_text(a, value, &word)) {
			f->syms.n = first;
			return false;
		}
		*vec_push(&f->syms) = facts_word(f, json_key_text(a, key));
		*vec_push(&f->syms) = facts_word(f, word);
	}
	*ret_at = (uint32_t)first;
	*ret_n = (uint32_t)(f->syms.n - first) / 2;
	return true;
}

static bool read_spans(struct str raw, struct facts *f, uint32_t *ret_at, uint32_t *ret_n)
{
	struct str key, value;
	struct span span;
	size_t at = 0, first = f->spans.n;
	if (json_type(raw) != JSON_LIST)
		return false;
	while (json_next(raw, &at, &key, &value)) {
		if (!facts_field_span(value, &span)) {
			f->spans.n = first;
			return false;
		}
		*vec_push(&f->spans) = span;
	}
	*ret_at = (uint32_t)first;
	*ret_n = (uint32_t)(f->spans.n - first);
	return true;
}

static bool read_fraction(struct arena *a, struct str raw, int64_t *num, int64_t *den)
{
	struct str text = raw;
	if (json_type(raw) != JSON_NUMBER && !json_to_text(a, raw, &text))
		return false;
	if (!str_to_fraction(text, num, den))
		return false;
	int64_t x = *num < 0 ? -*num : *num, y = *den;
	while (y) {
		int64_t rest = x % y;
		x = y;
		y = rest;
	}
	*num /= x;
	*den /= x;
	return true;
}

static bool read_enum(const struct field *d, struct arena *a, struct str raw, char *entry)
{
	struct str text;
	if (!json_to_text(a, raw, &text) || !text.n)
		return false;
	for (int i = 0; d->word(i).n; i++)
		if (str_eq(d->word(i), text)) {
			fields_set_enum(d, entry, i);
			if (d->at2)
				*(bool *)(entry + d->at2) = true;
			return true;
		}
	return false;
}

#define AT(type) ((type *)(void *)((char *)entry + d->at))
#define AT2(type) ((type *)(void *)((char *)entry + d->at2))

static bool read_number(const struct field *d, struct str raw, void *entry)
{
	int64_t v;
	switch (d->kind) {
	case FIELD_TIME:
		return facts_field_time(raw, AT(int64_t));
	case FIELD_COUNT:
	case FIELD_ZERO:
		return facts_field_count(raw, AT(uint32_t));
	case FIELD_AMOUNT:
	case FIELD_DURATION:
		if (!json_to_i64(raw, &v) || v < 0)
			return false;
		*AT(int64_t) = v;
		return true;
	default:
		return json_to_i64(raw, AT(int64_t));
	}
}

static bool read_words(const struct field *d, struct str raw, void *entry, struct facts *f,
                       struct arena *a)
{
	struct str text;
	if (d->kind == FIELD_WORDS)
		return facts_field_words(a, raw, f, AT(uint32_t), AT2(uint32_t));
	if (d->kind == FIELD_PAIRS)
		return read_pairs(a, raw, f, AT(uint32_t), AT2(uint32_t));
	if (d->kind == FIELD_WORD ? !json_to_text(a, raw, &text) : !facts_field_id(a, raw, &text))
		return false;
	if (d->kind == FIELD_TEXT)
		*AT(struct str) = text; /* the caller copies it */
	else
		*AT(sym) = facts_word(f, text);
	return true;
}

const char *facts_field_read(const struct field *d, struct str raw, void *entry, struct facts *f,
                             struct arena *a)
{
	switch (d->kind) {
	case FIELD_WORD:
		return read_words(d, raw, entry, f, a) ? NULL : "expected text";
	case FIELD_ID:
	case FIELD_TEXT:
		return read_words(d, raw, entry, f, a) ? NULL : "expected text or a whole number";
	case FIELD_WORDS:
		return read_words(d, raw, entry, f, a) ? NULL : "expected a list of texts";
	case FIELD_PAIRS:
		return read_words(d, raw, entry, f, a) ? NULL : "expected an object of texts";
	case FIELD_TIME:
		return read_number(d, raw, entry) ? NULL : "expected a time, whole milliseconds";
	case FIELD_COUNT:
	case FIELD_ZERO:
		return read_number(d, raw, entry) ? NULL : "expected a whole number from 0 to 10^8";
	case FIELD_AMOUNT:
	case FIELD_DURATION:
		return read_number(d, raw, entry) ? NULL : "expected a whole number, 0 or more";
	case FIELD_WHOLE:
		return read_number(d, raw, entry) ? NULL : "expected a whole number";
	case FIELD_FLAG:
		return json_to_bool(raw, AT(bool)) ? NULL : "expected true or false";
	case FIELD_ENUM:
		return read_enum(d, a, raw, entry) ? NULL : "unknown word";
	case FIELD_SHARE:
		return read_fraction(a, raw, AT(int64_t), AT2(int64_t)) && *AT(int64_t) > 0 &&
		                       *AT(int64_t) <= *AT2(int64_t)
		               ? NULL
		               : "expected a share over 0, at most 1";
	case FIELD_MONEY:
		return read_fraction(a, raw, AT(int64_t), AT2(int64_t)) ? NULL
		                                                        : "expected an amount";
	case FIELD_SPANS:
		return read_spans(raw, f, AT(uint32_t), AT2(uint32_t))
		               ? NULL
		               : "expected a list of [from, to]";
	case FIELD_OTHER:
		break;
	}
	return NULL;
}
