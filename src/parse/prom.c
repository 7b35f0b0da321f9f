/* SPDX-License-Identifier: Apache-2.0 */
/* prom: see prom.h. Prometheus' text format 0.0.4 and 1.0 (quoted names), OpenMetrics 1.0. */
#include "parse/prom.h"

/* Any white space, as at a line's ends: a form feed in the middle of a line is no part of a word.
 */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(struct str *s)
{
	size_t n = 0;
	while (n < s->n && is_blank(s->p[n]))
		n++;
	*s = str_sub(*s, n, s->n);
}

static bool is_name(char c, bool is_first)
{
	bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
	return letter || (!is_first && c >= '0' && c <= '9');
}

/* A name at the start of S; empty if there is none. */
static struct str take_name(struct str *s)
{
	size_t n = 0;
	while (n < s->n && is_name(s->p[n], n == 0))
		n++;
	struct str name = str_sub(*s, 0, n);
	*s = str_sub(*s, n, s->n);
	return name;
}

/* What stands before the next blank. */
static struct str take_word(struct str *s)
{
	size_t n = 0;
	while (n < s->n && !is_blank(s->p[n]))
		n++;
	struct str word = str_sub(*s, 0, n);
	*s = str_sub(*s, n, s->n);
	skip_blanks(s);
	return word;
}

static struct str unescape(struct arena *a, struct str raw)
{
	char *p = arena_bytes(a, raw.n);
	size_t n = 0;
	for (size_t i = 0; i < raw.n; i++) {
		if (raw.p[i] != '\\' || i + 1 == raw.n) {
			p[n++] = raw.p[i];
			continue;
		}
		char c = raw.p[++i];
		if (c != 'n' && c != '"' && c != '\\') /* no escape: both are meant */
			p[n++] = '\\';
		p[n++] = c == 'n' ? '\n' : c;
	}
	return (struct str){ p, n };
}

/* A quoted text at the start of S; false if its end is missing. */
static bool take_quoted(struct str *s, struct arena *a, struct str *ret)
{
	bool escapes = false;
	size_t n = 1;
	for (; n < s->n && s->p[n] != '"'; n++)
		if (s->p[n] == '\\') {
			escapes = true;
			n++;
		}
	if (n >= s->n)
		return false;
	*ret = str_sub(*s, 1, n - 1);
	if (escapes)
		*ret = unescape(a, *ret);
	*s = str_sub(*s, n + 1, s->n);
	return true;
}

/* One label, or the quoted name of the metric. */
static const char *take_label(struct prom_line *l, struct arena *a, struct str *s)
{
	struct prom_label label = { .value = STR_NULL };
	bool is_quoted = s->p[0] == '"';
	if (!is_quoted)
		label.name = take_name(s);
	else if (!take_quoted(s, a, &label.name))
		return "a quote is not closed";
	if (!label.name.n)
		return "a label has no name";
	skip_blanks(s);
	if (is_quoted && !l->name.n && (!s->n || s->p[0] != '=')) {
		l->name = label.name;
		return NULL;
	}
	if (!s->n || s->p[0] != '=')
		return "a label has no value";
	*s = str_sub(*s, 1, s->n);
	skip_blanks(s);
	if (!s->n || s->p[0] != '"')
		return "a label's value has no quotes";
	if (!take_quoted(s, a, &label.value))
		return "a quote is not closed";
	if (l->labels_n == PROM_LABELS_MAX)
		return "too many labels";
	l->labels[l->labels_n++] = label;
	return NULL;
}

static const char *take_labels(struct prom_line *l, struct arena *a, struct str *s)
{
	*s = str_sub(*s, 1, s->n);
	for (;;) {
		skip_blanks(s);
		if (s->n && s->p[0] == '}')
			break;
		if (!s->n)
			return "the labels are not closed";
		const char *why = take_label(l, a, s);
		if (why)
			return why;
		skip_blanks(s);
		if (s->n && s->p[0] == ',')
			*s = str_sub(*s, 1, s->n);
		else if (!s->n || s->p[0] != '}')
			return "the labels are not closed";
	}
	*s = str_sub(*s, 1, s->n);
	return NULL;
}

static const char *read_sample(struct prom_line *l, struct arena *a, struct str s)
{
	l->name = take_name(&s);
	skip_blanks(&s);
	if (s.n && s.p[0] == '{') {
		const char *why = take_labels(l, a, &s);
		if (why)
			return why;
		skip_blanks(&s);
	} else if (l->name.n && s.p && s.n && !is_blank(s.p[-1])) {
		return "the metric's name has a character that no name has";
	}
	if (!l->name.n)
		return "no metric has a name here";
	l->value = take_word(&s);
	if (!l->value.n || l->value.p[0] == '#')
		return "no value";
	if (s.n && s.p[0] != '#')
		l->timestamp = take_word(&s);
	if (l->timestamp.n && prom_number(l->timestamp) != PROM_FINITE)
		return "the timestamp is not a number";
	return !s.n || s.p[0] == '#' ? NULL : "something stands after the timestamp";
}

static enum prom_kind read_comment(struct prom_line *l, struct str s)
{
	static const struct {
		const char *word;
		enum prom_kind kind;
	} words[] = { { "TYPE", PROM_TYPE }, { "HELP", PROM_HELP }, { "UNIT", PROM_UNIT } };
	skip_blanks(&s);
	l->text = str_trim(s);
	if (str_eq(l->text, S("EOF")))
		return PROM_EOF;
	struct str word = take_word(&s);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!str_eq(word, str_of(words[i].word)))
			continue;
		l->name = take_word(&s);
		l->text = str_trim(s);
		return l->name.n ? words[i].kind : PROM_COMMENT;
	}
	return PROM_COMMENT;
}

enum prom_kind prom_line_read(struct prom_line *l, struct arena *a, struct str line)
{
	l->name = l->value = l->timestamp = l->text = STR_NULL;
	l->labels_n = 0;
	l->why = NULL;
	if (line.n > LINE_BYTES_MAX) {
		l->why = "longer than 1 MiB";
		return l->kind = PROM_BAD;
	}
	line = str_trim(line);
	if (!line.n)
		return l->kind = PROM_BLANK;
	if (line.p[0] == '#')
		return l->kind = read_comment(l, str_sub(line, 1, line.n));
	l->why = read_sample(l, a, line);
	return l->kind = l->why ? PROM_BAD : PROM_SAMPLE;
}

struct str prom_label(const struct prom_label *labels, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(labels[i].name, str_of(name)))
			return labels[i].value;
	return STR_NULL;
}

enum prom_number prom_number(struct str value)
{
	double number;
	struct str word = value;
	if (word.n && (word.p[0] == '+' || word.p[0] == '-'))
		word = str_sub(word, 1, word.n);
	if (str_eq_nocase(word, S("nan")))
		return PROM_NAN;
	if (str_eq_nocase(word, S("inf")) || str_eq_nocase(word, S("infinity")))
		return PROM_INFINITE;
	return str_to_double(value, &number) ? PROM_FINITE : PROM_NOT_A_NUMBER;
}
