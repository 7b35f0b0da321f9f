/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dcgmi_dmon: the table that `dcgmi dmon -e FIELDS` prints, with a time before each row or in
 * comments between them: dcgmi itself writes none, nor the delay between its rows.
 *
 *     #Entity   SMACT   TENSO   POWER
 *     ID                        W
 *     2026-10-01T00:00:00Z GPU 0     0.912   0.521   612.4
 *
 * A row is one reading of one entity, and its columns are as in the head before it. Profiling
 * fields are averages over the delay.
 */
#include "parse/when.h"
#include "read/exporter.h"
#include "read/reader.h"
#include "read/table_line.h"

static const struct {
	const char *word;
	uint64_t field;
	const char *name;
} columns[] = {
#define DMON(word, field, name) { #word, field, name },
#include "read/dmon.def"
#undef DMON
};

struct head {
	size_t n;
	struct {
		const char *name; /* of the exporter's metric; NULL: not read */
		bool is_model, is_uuid;
	} of[FIELDS_MAX];
	bool is_any; /* a column that is read */
};

static const char *column_name(struct str word)
{
	uint64_t field;
	bool is_number = str_to_u64(word, &field);
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (is_number ? field == columns[i].field
		              : str_eq_nocase(word, str_of(columns[i].word)) ||
		                        str_eq_nocase(word, str_of(columns[i].name)))
			return columns[i].name;
	return NULL;
}

/* "#Entity SMACT ...", "# Entity ..." */
static bool head_read(struct str s, struct head *ret)
{
	struct str word;
	if (!s.n || s.p[0] != '#')
		return false;
	s = str_sub(s, 1, s.n);
	if (!table_word(&s, &word) || !str_eq_nocase(word, S("Entity")))
		return false;
	*ret = (struct head){ 0 };
	while (table_word(&s, &word) && ret->n < FIELDS_MAX) {
		ret->of[ret->n].name = column_name(word);
		ret->of[ret->n].is_model = str_eq_nocase(word, S("DVNAM"));
		ret->of[ret->n].is_uuid = str_eq_nocase(word, S("UUID#"));
		ret->is_any |= ret->of[ret->n].name != NULL;
		ret->n++;
	}
	return true;
}

struct table {
	struct exporter *e;
	struct facts *f;
	const struct zone *zone;
	struct head head;
	bool has_head;
	int64_t comment_ms;
	uint64_t records, timed;
	struct arena a;
};

/* The values of a row; a model's name has as many words as are left over. */
static bool row_words(const struct table *t, struct str s, struct str *ret)
{
	struct str words[FIELDS_MAX * 2], word;
	size_t n = 0, at = 0;
	while (table_word(&s, &word) && n < FIELDS_MAX * 2)
		words[n++] = word;
	if (n < t->head.n)
		return false;
	size_t more = n - t->head.n;
	for (size_t i = 0; i < t->head.n; i++) {
		size_t k = t->head.of[i].is_model ? more : 0;
		ret[i] = (struct str){ words[at].p,
			               (size_t)(words[at + k].p + words[at + k].n - words[at].p) };
		at += k + 1;
	}
	return at == n;
}

static void values_take(struct table *t, struct str index, const struct str *values, int64_t t_ms,
                        uint64_t line)
{
	struct prom_label labels[3] = { { S("gpu"), index } };
	size_t n = 1;
	for (size_t i = 0; i < t->head.n; i++)
		if (t->head.of[i].is_uuid || t->head.of[i].is_model)
			if (n < 3 && !str_eq(values[i], S("N/A")))
				labels[n++] =
				        (struct prom_label){ t->head.of[i].is_uuid ? S("UUID")
					                                           : S("modelName"),
					                     values[i] };
	for (size_t i = 0; i < t->head.n; i++) {
		struct str name = str_of(t->head.of[i].name), value = values[i];
		if (!name.n)
			continue;
		if (str_eq(value, S("N/A")))
			value = S("<<<NOT_FOUND>>>"); /* which of DCGM's blanks it was is lost */
		struct str id = n > 1 ? labels[1].value : index;
		struct str bytes = str_of(arena_printf(&t->a, "%.*s %.*s %.*s", STR_FMT(name),
		                                       STR_FMT(index), STR_FMT(id)));
		struct exporter_series *s = exporter_find(t->e, bytes);
		if (!s)
			s = exporter_series(t->e, bytes, name, labels, n, line);
		if (s)
			exporter_take(t->e, s, t_ms, value, line);
	}
	arena_reset(&t->a);
}

/* A row is one record, however much of it is bad. */
static void row_take(struct table *t, struct str index, const struct str *values, int64_t t_ms,
                     uint64_t line)
{
	struct input_info *in = t->f->inputs.n ? &t->f->inputs.v[t->f->inputs.n - 1] : NULL;
	uint64_t before = in ? in->rejected : 0;
	t->timed++;
	values_take(t, index, values, t_ms, line);
	if (in && in->rejected > before + 1)
		in->rejected = before + 1;
}

static void row_read(struct table *t, struct str s, uint64_t line)
{
	struct str values[FIELDS_MAX], kind, index;
	int64_t t_ms = t->comment_ms;
	uint64_t number;
	if (table_time(&s, t->zone, &t_ms) && head_read(str_trim(s), &t->head))
		return; /* a head with a time before it */
	bool is_entity = table_word(&s, &kind) && table_word(&s, &index);
	if (!is_entity && str_eq_nocase(kind, S("ID")))
		return; /* the head's second line: units */
	if (is_entity && str_eq_nocase(kind, S("ID")) && !str_to_u64(index, &number))
		return;
	t->records++;
	if (!is_entity || !str_to_u64(index, &number)) {
		facts_reject(t->f, line, "expected an entity: GPU and a number");
	} else if (!str_eq(kind, S("GPU"))) {
		if (str_starts(kind, S("GPU-")))
			facts_note(t->f, "Rows of MIG instances do not say which GPU they are part "
			                 "of: they were left out.");
	} else if (!row_words(t, s, values)) {
		facts_reject(t->f, line, "expected %zu values, as the head has", t->head.n);
	} else if (t_ms == TIME_UNKNOWN) {
		facts_reject(t->f, line, "no time stands before the row");
	} else {
		row_take(t, index, values, t_ms, line);
	}
}

static void line_read(struct table *t, struct str line, uint64_t number)
{
	struct str s = str_trim(line);
	if (!s.n)
		return;
	if (s.p[0] == '#') {
		struct str text = str_trim(str_sub(s, 1, s.n));
		int64_t ms;
		if (head_read(s, &t->head))
			t->has_head = true;
		else if (when_parse(text, t->zone, &ms) == WHEN_OK)
			t->comment_ms = ms;
		return;
	}
	row_read(t, s, number);
}

static enum err_code dcgmi_dmon_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                     struct facts *f, struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct table *t = ARENA_NEW(&a, struct table);
	struct str one;
	*t = (struct table){
		.e = exporter_new(), .f = f, .zone = run->options->zone, .comment_ms = TIME_UNKNOWN
	};
	exporter_begin(t->e, f);
	for (; str_cut_line(&bytes, &one); line++)
		line_read(t, one, line);
	exporter_end(t->e);
	exporter_free(t->e);
	arena_deinit(&t->a);
	exporter_join(f, false);
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += t->records;
	if (t->records && !t->timed && f->rejects.n)
		return err_set(err, ERR_INPUT,
		               "no row has a time, and dcgmi says neither when it began nor how "
		               "often it reads\nhint: dcgmi dmon ... | while read -r l; do echo "
		               "\"$(date -u +%%FT%%TZ) $l\"; done");
	return ERR_OK;
}

/* A head, maybe with a time before it, that has a column which is read. */
static int dcgmi_dmon_recognise(struct str head, const struct read_options *options)
{
	struct head h;
	struct str line;
	int64_t ms;
	for (int i = 0; i < 32 && str_cut_line(&head, &line); i++) {
		line = str_trim(line);
		if (line.n && line.p[0] != '#')
			(void)table_time(&line, options ? options->zone : NULL, &ms);
		if (head_read(str_trim(line), &h))
			return h.is_any ? 90 : 0;
	}
	return 0;
}

const struct reader reader_dcgmi_dmon = {
	.name = "dcgmi_dmon",
	.help = "DCGM's table with times: `dcgmi dmon -e 1002,1004,1005,155,203 -d 1000 | while "
	        "read "
	        "-r l; do echo \"$(date -u +%FT%TZ) $l\"; done`.",
	.cut = CUT_WHOLE,
	.recognise = dcgmi_dmon_recognise,
	.open = reader_open_plain,
	.feed = dcgmi_dmon_feed,
};
