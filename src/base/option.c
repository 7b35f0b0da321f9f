/* SPDX-License-Identifier: Apache-2.0 */
#include "base/option.h"

#include <inttypes.h>

void words_deinit(struct words *w)
{
	vec_deinit(w);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned option_distance(struct str a, struct str b)
{
	enum { MANY = 32 };
	unsigned row[3][MANY + 1];
	if (a.n > MANY || b.n > MANY)
		return MANY + 1;
	for (unsigned j = 0; j <= b.n; j++)
		row[0][j] = j;
	for (unsigned i = 1; i <= a.n; i++) {
		unsigned *now = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
		now[0] = i;
		for (unsigned j = 1; j <= b.n; j++) {
			unsigned change = up[j - 1] + (a.p[i - 1] != b.p[j - 1]);
			now[j] = least(change, least(up[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1])
				now[j] = least(now[j], up2[j - 2] + 1);
		}
	}
	return row[a.n % 3][b.n];
}

void option_nearest(struct str word, const char *name, const char **best)
{
	struct str n = str_of(name);
	unsigned d = word.n >= 2 && str_starts(n, word) ? 1 : option_distance(word, n);
	if (d > (word.n <= 4 ? 1u : 2u))
		return;
	if (!*best || d < option_distance(word, str_of(*best)))
		*best = name;
}

static const struct option *option_by_name(const struct option *table, struct str name)
{
	for (; table->name; table++)
		if (str_eq(name, str_of(table->name)))
			return table;
	return NULL;
}

static const struct option *option_by_letter(const struct option *table, char letter)
{
	for (; table->name; table++)
		if (table->letter && table->letter == letter)
			return table;
	return NULL;
}

static enum err_code take_choice(const struct option *o, int *field, struct str value,
                                 struct err *err)
{
	const char *near = NULL;
	auto_text all = TEXT_NULL;
	for (int i = 0; o->choices[i]; i++) {
		if (str_eq(value, str_of(o->choices[i]))) {
			*field = i;
			return ERR_OK;
		}
		option_nearest(value, o->choices[i], &near);
		text_printf(&all, "%s%s", i ? ", " : "", o->choices[i]);
	}
	if (near)
		return err_set(err, ERR_USAGE,
		               "--%s does not know '%.*s'\nhint: did you mean '%s'?", o->name,
		               STR_FMT(value), near);
	return err_set(err, ERR_USAGE, "--%s does not know '%.*s'; it takes %.*s", o->name,
	               STR_FMT(value), STR_FMT(text_str(&all)));
}

static enum err_code take_count(const struct option *o, int64_t *field, struct str value,
                                struct err *err)
{
	int64_t v;
	if (!str_to_i64(value, &v))
		return err_set(err, ERR_USAGE, "--%s takes a whole number, not '%.*s'", o->name,
		               STR_FMT(value));
	if (v < o->min || v > o->max)
		return err_set(err, ERR_USAGE, "--%s takes %" PRId64 " to %" PRId64 ", not %.*s",
		               o->name, o->min, o->max, STR_FMT(value));
	*field = v;
	return ERR_OK;
}

static enum err_code take_list(const struct option *o, struct words *field, struct str value,
                               struct err *err)
{
	struct str part;
	while (str_cut(&value, ',', &part)) {
		part = str_trim(part);
		if (!part.n)
			return err_set(err, ERR_USAGE, "--%s has an empty part", o->name);
		*vec_push(field) = part;
	}
	return ERR_OK;
}

/* VALUE's bytes are followed by a NUL: it is the tail of a piece of argv. */
static enum err_code option_take(const struct option *o, void *options, struct str value,
                                 struct err *err)
{
	void *field = (char *)options + o->offset;
	switch (o->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return ERR_OK;
	case OPTION_TEXT:
		*(const char **)field = value.p;
		return ERR_OK;
	case OPTION_LIST:
		return take_list(o, field, value, err);
	case OPTION_EACH:
		*vec_push((struct words *)field) = value;
		return ERR_OK;
	case OPTION_CHOICE:
		return take_choice(o, field, value, err);
	case OPTION_COUNT:
		return take_count(o, field, value, err);
	case OPTION_TAKE:
		if (o->take(field, value, err))
			return err_wrap(err, "--%s: ", o->name);
		return ERR_OK;
	}
	return err_set(err, ERR_USAGE, "--%s cannot be set", o->name);
}

struct line {
	const struct option *table;
	int argc, at;
	char **argv;
	void *options;
};

static enum err_code option_value(struct line *l, const struct option *o, struct err *err)
{
	if (l->at + 1 >= l->argc)
		return err_set(err, ERR_USAGE, "--%s needs a value%s%s", o->name,
		               o->argument ? ": " : "", o->argument ? o->argument : "");
	return option_take(o, l->options, str_of(l->argv[++l->at]), err);
}

static enum err_code option_unknown(const struct line *l, struct str name, struct err *err)
{
	const char *near = NULL;
	for (const struct option *o = l->table; o->name; o++)
		option_nearest(name, o->name, &near);
	if (near)
		return err_set(err, ERR_USAGE,
		               "there is no option --%.*s\nhint: did you mean --%s?", STR_FMT(name),
		               near);
	return err_set(err, ERR_USAGE, "there is no option --%.*s\nhint: 'tare help %s' lists them",
	               STR_FMT(name), l->argv[0]);
}

static enum err_code option_long(struct line *l, struct str s, struct err *err)
{
	struct str value = s, name = STR_NULL;
	str_cut(&value, '=', &name);
	bool has_value = value.p != NULL;
	const struct option *o = option_by_name(l->table, name);
	if (!o)
		return option_unknown(l, name, err);
	if (o->kind == OPTION_FLAG) {
		if (has_value)
			return err_set(err, ERR_USAGE, "--%s takes no value", o->name);
		return option_take(o, l->options, STR_NULL, err);
	}
	return has_value ? option_take(o, l->options, value, err) : option_value(l, o, err);
}

static enum err_code option_letters(struct line *l, struct str s, struct err *err)
{
	for (; s.n; s = str_sub(s, 1, s.n)) {
		const struct option *o = option_by_letter(l->table, s.p[0]);
		if (!o)
			return err_set(err, ERR_USAGE,
			               "there is no option -%.*s\nhint: 'tare help %s' lists them",
			               (int)(utf8_length(s) ? utf8_length(s) : 1), s.p, l->argv[0]);
		if (o->kind == OPTION_FLAG) {
			(void)option_take(o, l->options, STR_NULL, err);
			continue;
		}
		if (s.n > 1)
			return option_take(o, l->options, str_sub(s, 1, s.n), err);
		return option_value(l, o, err);
	}
	return ERR_OK;
}

enum err_code option_parse(const struct option *table, int argc, char **argv, void *options,
                           struct words *ret_words, struct err *err)
{
	struct line l = { .table = table, .argc = argc, .argv = argv, .options = options };
	bool only_words = false;
	for (l.at = 1; l.at < argc; l.at++) {
		struct str s = str_of(argv[l.at]);
		enum err_code code = ERR_OK;
		if (only_words || s.n < 2 || s.p[0] != '-')
			*vec_push(ret_words) = s;
		else if (str_eq(s, S("--")))
			only_words = true;
		else if (s.p[1] == '-')
			code = option_long(&l, str_sub(s, 2, s.n), err);
		else
			code = option_letters(&l, str_sub(s, 1, s.n), err);
		if (code)
			return code;
	}
	return ERR_OK;
}

void option_write_usage(struct text *t, const struct option *o)
{
	if (o->letter)
		text_printf(t, "-%c, ", o->letter);
	text_printf(t, "--%s", o->name);
	if (o->kind == OPTION_CHOICE && !o->argument) {
		for (int i = 0; o->choices[i]; i++)
			text_printf(t, "%c%s", i ? '|' : ' ', o->choices[i]);
	} else if (o->kind != OPTION_FLAG) {
		text_printf(t, " %s", o->argument ? o->argument : "VALUE");
	}
}
