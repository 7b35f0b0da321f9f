/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/entry.h"

#include <inttypes.h>

void entry_word(struct writer *w, sym id)
{
	text_json(w->t, names_word(&w->f->names, id));
}

void entry_key(struct writer *w, const char *key)
{
	text_add(w->t, w->has_entry_keys ? S(", ") : STR_NULL);
	text_json(w->t, str_of(key));
	text_add(w->t, S(": "));
	w->has_entry_keys = true;
}

void entry_span(struct writer *w, struct span s)
{
	text_printf(w->t, "[%" PRId64 ", %" PRId64 "]", s.from_ms, s.to_ms);
}

void entry_words(struct writer *w, uint32_t at, uint32_t n)
{
	text_byte(w->t, '[');
	for (uint32_t i = 0; i < n; i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		entry_word(w, w->lists[at + i]);
	}
	text_byte(w->t, ']');
}

#define AT(type) (*(const type *)(const void *)((const char *)entry + d->at))
#define AT2(type) (*(const type *)(const void *)((const char *)entry + d->at2))

static void pairs_write(struct writer *w, const struct field *d, const void *entry)
{
	const sym *pair = w->lists + AT(uint32_t);
	text_byte(w->t, '{');
	for (uint32_t i = 0; i < AT2(uint32_t); i++, pair += 2) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		entry_word(w, pair[0]);
		text_add(w->t, S(": "));
		entry_word(w, pair[1]);
	}
	text_byte(w->t, '}');
}

static void spans_write(struct writer *w, const struct field *d, const void *entry)
{
	text_byte(w->t, '[');
	for (uint32_t i = 0; i < AT2(uint32_t); i++) {
		text_add(w->t, i ? S(", ") : STR_NULL);
		entry_span(w, w->f->spans.v[AT(uint32_t) + i]);
	}
	text_byte(w->t, ']');
}

/* Does the entry say anything here that a reader would not take for granted? */
static bool is_said(const struct field *d, const void *entry)
{
	switch (d->kind) {
	case FIELD_WORD:
	case FIELD_ID:
		return d->must || AT(sym);
	case FIELD_TEXT:
		return true;
	case FIELD_TIME:
		return AT(int64_t) != TIME_UNKNOWN;
	case FIELD_COUNT:
		return AT(uint32_t) != COUNT_UNKNOWN;
	case FIELD_ZERO:
		return d->must || AT(uint32_t);
	case FIELD_AMOUNT:
		return AT(int64_t) >= 0;
	case FIELD_WHOLE:
	case FIELD_DURATION:
		return AT(int64_t);
	case FIELD_FLAG:
		return AT(bool);
	case FIELD_ENUM:
		return d->must || fields_enum(d, entry) || (d->at2 && AT2(bool));
	case FIELD_SHARE:
		return AT(int64_t) != 1 || AT2(int64_t) != 1;
	case FIELD_MONEY:
		return true;
	case FIELD_WORDS:
	case FIELD_PAIRS:
	case FIELD_SPANS:
		return AT2(uint32_t);
	case FIELD_OTHER:
		break;
	}
	return false;
}

static void value_write(struct writer *w, const struct field *d, const void *entry)
{
	switch (d->kind) {
	case FIELD_WORD:
	case FIELD_ID:
		entry_word(w, AT(sym));
		break;
	case FIELD_TEXT:
		text_json(w->t, AT(struct str));
		break;
	case FIELD_COUNT:
	case FIELD_ZERO:
		text_printf(w->t, "%" PRIu32, AT(uint32_t));
		break;
	case FIELD_TIME:
	case FIELD_AMOUNT:
	case FIELD_WHOLE:
	case FIELD_DURATION:
		text_printf(w->t, "%" PRId64, AT(int64_t));
		break;
	case FIELD_FLAG:
		text_add(w->t, AT(bool) ? S("true") : S("false"));
		break;
	case FIELD_ENUM:
		text_json(w->t, d->word(fields_enum(d, entry)));
		break;
	case FIELD_SHARE:
	case FIELD_MONEY:
		text_printf(w->t, "\"%" PRId64 "/%" PRId64 "\"", AT(int64_t), AT2(int64_t));
		break;
	case FIELD_WORDS:
		entry_words(w, AT(uint32_t), AT2(uint32_t));
		break;
	case FIELD_PAIRS:
		pairs_write(w, d, entry);
		break;
	case FIELD_SPANS:
		spans_write(w, d, entry);
		break;
	case FIELD_OTHER:
		break;
	}
}

void entry_fields(struct writer *w, const struct fields *list, const void *entry)
{
	for (const struct field *d = list->v; d->key; d++)
		if (is_said(d, entry)) {
			entry_key(w, d->key);
			value_write(w, d, entry);
		}
}
