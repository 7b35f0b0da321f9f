/* SPDX-License-Identifier: Apache-2.0 */
#include "read/csv_map.h"

#include "base/text.h"

/* Records of the head that a file without a header is judged by. */
enum { HEAD_RECORDS = 20 };

static struct str without_bom(struct str s)
{
	return str_starts(s, S("\xef\xbb\xbf")) ? str_sub(s, 3, s.n) : s;
}

static bool is_comment(const struct csv_map *m, struct str bytes)
{
	return m->comment.n && str_starts(bytes, m->comment);
}

/* The next record that is neither blank nor a comment. */
static bool next_record(const struct csv_map *m, struct str *bytes, struct csv_record *r,
                        uint64_t *line)
{
	for (;;) {
		*line += r->lines;
		r->lines = 0;
		if (is_comment(m, *bytes)) {
			struct str ignored;
			str_cut_line(bytes, &ignored);
			r->lines = 1;
			continue;
		}
		if (!csv_cut_record(&m->dialect, bytes, r))
			return false;
		if (!r->is_blank)
			return true;
	}
}

static uint32_t find_field(const struct csv_record *header, struct str name)
{
	for (uint32_t i = 0; i < header->n && i < FIELDS_MAX; i++)
		if (str_eq(str_trim(header->fields[i]), name))
			return i;
	return CSV_NO_FIELD;
}

static bool header_has(const struct csv_record *header, const struct csv_column *c)
{
	return !c->name.n || find_field(header, c->name) != CSV_NO_FIELD;
}

static bool is_among(struct str s, const struct str *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(s, words[i]))
			return true;
	return false;
}

/* A wide table's two further columns. False: no room for them. */
static bool widen(const struct csv_map *m, struct csv_record *r, struct str name, struct str value)
{
	if (!m->wide_name.n)
		return true;
	if (r->n > FIELDS_MAX - 2)
		return false;
	r->fields[r->n++] = name;
	r->fields[r->n++] = value;
	return true;
}

/* How many of the map's names the header has; 0 when one that must be there is not. */
static size_t header_matches(const struct csv_map *m, const struct csv_record *header)
{
	size_t n = m->marks_in_order;
	uint32_t before = 0;
	for (size_t i = 0; i < m->marks_n; i++, n++) {
		uint32_t at = find_field(header, m->marks[i]);
		if (at == CSV_NO_FIELD || (m->marks_in_order && at < before))
			return 0;
		before = at;
	}
	for (int p = 0; p < CSV_PROP_COUNT; p++) {
		const struct csv_value *v = &m->values[p];
		if (!v->is_set || v->is_constant)
			continue;
		if (header_has(header, &v->column))
			n++;
		else if (!v->is_optional)
			return 0;
		for (size_t i = 0; i < v->more_n; i++, n++)
			if (!header_has(header, &v->more[i]))
				return 0;
	}
	for (size_t i = 0; i < m->labels_n; i++, n++)
		if (!header_has(header, &m->labels[i].column))
			return 0;
	for (size_t i = 0; i < m->skips_n; i++)
		if (!header_has(header, &m->skips[i].column))
			return 0;
	return n;
}

/* The patterns that the first rows must match, of a file without a header also how many fields they
   have; 0 when they do not. */
static size_t rows_match(const struct csv_map *m, struct str head, const struct csv_record *header)
{
	auto_arena scratch = ARENA_NULL;
	struct csv_record *r = ARENA_NEW(&scratch, struct csv_record);
	size_t seen = 0;
	uint64_t line = 1;
	while (seen < HEAD_RECORDS && next_record(m, &head, r, &line)) {
		if (r->lines == 0 && seen)
			break; /* the head may end inside this one */
		if (!header && r->n != m->fields)
			return 0;
		for (size_t i = 0; i < m->matches_n; i++) {
			const struct csv_match *x = &m->matches[i];
			uint32_t at = header ? find_field(header, x->name) : x->number - 1;
			struct str field =
			        at < r->n ? csv_field(&scratch, &m->dialect, r, at) : STR_NULL;
			if (!pattern_matches(x->pattern, header ? str_trim(field) : field))
				return 0;
		}
		seen++;
	}
	return seen ? m->matches_n + 1 : 0;
}

static size_t map_matches(const struct csv_map *m, struct str head)
{
	head = without_bom(head);
	if (!m->has_header)
		return rows_match(m, head, NULL);
	auto_arena scratch = ARENA_NULL;
	struct csv_record *r = ARENA_NEW(&scratch, struct csv_record);
	uint64_t line = 1;
	if (!next_record(m, &head, r, &line) || !widen(m, r, m->wide_name, m->wide_value))
		return 0;
	size_t n = header_matches(m, r);
	return n && m->matches_n ? (rows_match(m, head, r) ? n + m->matches_n : 0) : n;
}

/* The map that says most about the file; the first of equals. */
static const struct csv_map *best_map(struct str head, const struct read_options *o)
{
	const struct csv_map *best = NULL;
	size_t best_n = 0;
	for (size_t i = 0; o && i < o->maps_n; i++) {
		size_t n = map_matches(o->maps[i], head);
		if (n > best_n) {
			best = o->maps[i];
			best_n = n;
		}
	}
	return best;
}

static int recognise(struct str head, const struct read_options *options)
{
	return best_map(head, options) ? 40 : 0;
}

static enum err_code bind(const struct csv_map *m, const struct csv_record *header,
                          const struct csv_column *c, bool is_optional, uint32_t *ret,
                          struct err *err)
{
	*ret = c->name.n ? find_field(header, c->name) : c->number - 1;
	if (*ret == CSV_NO_FIELD && !is_optional)
		return err_set(err, ERR_INPUT, "no column '%.*s', which %.*s:%u:%u asks for",
		               STR_FMT(c->name), STR_FMT(m->file_name), c->line, c->at);
	if (!c->name.n || *ret == CSV_NO_FIELD)
		return ERR_OK;
	for (uint32_t i = *ret + 1; i < header->n && i < FIELDS_MAX; i++)
		if (str_eq(str_trim(header->fields[i]), c->name))
			return err_set(err, ERR_INPUT, "two columns are called '%.*s'",
			               STR_FMT(c->name));
	return ERR_OK;
}

static enum err_code bind_all(struct arena *a, const struct csv_record *header,
                              struct csv_plan *plan, struct err *err)
{
	const struct csv_map *m = plan->map;
	enum err_code rc = ERR_OK;
	for (int p = 0; p < CSV_PROP_COUNT && !rc; p++) {
		const struct csv_value *v = &m->values[p];
		plan->values[p] = CSV_NO_FIELD;
		if (v->is_set)
			plan->used[plan->used_n++] = (uint8_t)p;
		if (v->is_set && !v->is_constant)
			rc = bind(m, header, &v->column, v->is_optional, &plan->values[p], err);
		uint32_t *more = v->more_n ? ARENA_ARRAY(a, uint32_t, v->more_n) : NULL;
		for (size_t i = 0; i < v->more_n && !rc; i++)
			rc = bind(m, header, &v->more[i], false, &more[i], err);
		plan->more[p] = more;
	}
	uint32_t *labels = ARENA_ARRAY(a, uint32_t, m->labels_n + 1);
	uint32_t *skips = ARENA_ARRAY(a, uint32_t, m->skips_n + 1);
	for (size_t i = 0; i < m->labels_n && !rc; i++)
		rc = bind(m, header, &m->labels[i].column, false, &labels[i], err);
	for (size_t i = 0; i < m->skips_n && !rc; i++)
		rc = bind(m, header, &m->skips[i].column, false, &skips[i], err);
	plan->labels = labels;
	plan->skips = skips;
	return rc;
}

/* The names of the columns that make rows of their own, copied; NULL: not a wide table. */
static const struct str *wide_names(struct arena *a, const struct csv_plan *plan,
                                    const struct csv_record *header)
{
	const struct csv_map *m = plan->map;
	if (!m->wide_name.n)
		return NULL;
	struct str *names = ARENA_ARRAY(a, struct str, plan->width + 1);
	for (uint32_t i = 0; i < plan->width; i++) {
		struct str name = str_trim(header->fields[i]);
		if (!is_among(name, m->fixed, m->fixed_n))
			names[i] = str_dup(a, name);
	}
	return names;
}

static enum err_code open_map(struct read_run *run, struct str head, struct err *err)
{
	const struct csv_map *m = best_map(head, run->options);
	if (!m)
		return err_set(err, ERR_INPUT,
		               "no map knows this file\nhint: give one with --map FILE");
	struct csv_plan *plan = ARENA_NEW(run->a, struct csv_plan);
	plan->map = m;
	struct str rest = without_bom(head);
	struct csv_record *header = ARENA_NEW(run->a, struct csv_record);
	uint64_t line = 1;
	if (m->has_header) {
		if (!next_record(m, &rest, header, &line))
			return err_set(err, ERR_INPUT, "no header");
		if (header->lines == 0 && head.n >= 64u * 1024)
			return err_set(err, ERR_LIMIT, "a header of over 64 KiB");
		if (header->n > FIELDS_MAX)
			return err_set(err, ERR_LIMIT, "%u columns; at most %u are read", header->n,
			               FIELDS_MAX);
		line += header->lines;
	}
	plan->width = m->has_header ? header->n : m->fields;
	plan->names = wide_names(run->a, plan, header);
	if (!widen(m, header, m->wide_name, m->wide_value))
		return err_set(err, ERR_LIMIT, "%u columns; a wide table has at most %u", header->n,
		               FIELDS_MAX - 2);
	run->state = plan;
	run->body_at = (size_t)(rest.p - head.p);
	run->body_line = line;
	return bind_all(run->a, header, plan, err);
}

static bool record_is_whole(const struct csv_plan *plan, const struct csv_record *r, size_t bytes,
                            uint64_t line, struct facts *f)
{
	if (bytes > LINE_BYTES_MAX)
		facts_reject(f, line, "a record of %zu bytes; at most %zu are read", bytes,
		             LINE_BYTES_MAX);
	else if (r->is_open)
		facts_reject(f, line, "a quote without its end");
	else if (r->is_bad)
		facts_reject(f, line, "text after a closing quote");
	else if (r->n != plan->width)
		facts_reject(f, line, "%u fields; expected %u", r->n, plan->width);
	else
		return true;
	return false;
}

/* A row; of a wide table one for each of its columns. Returns how many. */
static uint64_t row_or_rows(const struct csv_row *row, struct csv_record *r, struct facts *f)
{
	const struct csv_plan *plan = row->plan;
	if (!plan->names) {
		csv_row_facts(row, f);
		return 1;
	}
	uint64_t n = 0;
	for (uint32_t i = 0; i < plan->width; i++) {
		if (!plan->names[i].n)
			continue;
		n++;
		r->n = plan->width;
		widen(plan->map, r, plan->names[i],
		      csv_field(row->scratch, &plan->map->dialect, r, i));
		csv_row_facts(row, f);
	}
	return n;
}

static enum err_code feed(const struct read_run *run, struct str bytes, uint64_t line,
                          struct facts *f, struct err *err)
{
	(void)err;
	const struct csv_plan *plan = run->state;
	const struct csv_map *m = plan->map;
	auto_arena scratch = ARENA_NULL;
	struct csv_record *r = ARENA_NEW(&scratch, struct csv_record);
	struct csv_seen seen = { 0 };
	struct csv_row row = { .plan = plan,
		               .seen = &seen,
		               .record = r,
		               .zone = run->options ? run->options->zone : NULL,
		               .scratch = &scratch,
		               .cells = ARENA_ARRAY(&scratch, struct csv_cell, CSV_PROP_COUNT),
		               .last = ARENA_ARRAY(&scratch, sym, CSV_PROP_COUNT),
		               .source =
		                       run->options ? facts_word(f, run->options->input_name) : 0 };
	if (m->fact == CSV_JOBS)
		f->has_scheduler = true;
	uint64_t records = 0;
	for (row.line = line;;) {
		if (!next_record(m, &bytes, r, &row.line))
			break;
		const char *end = bytes.p;
		if (record_is_whole(plan, r, (size_t)(end - r->fields[0].p), row.line, f))
			records += row_or_rows(&row, r, f);
		else
			records++;
	}
	csv_seen_deinit(&seen);
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += records;
	return ERR_OK;
}

/* A job list speaks of all the time from its first row's to its last's. */
static void cover(struct facts *f)
{
	struct span all = { INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		const int64_t times[] = { j->submit_ms, j->start_ms, j->end_ms };
		for (size_t t = 0; t < 3; t++) {
			if (times[t] == TIME_UNKNOWN)
				continue;
			all.from_ms = times[t] < all.from_ms ? times[t] : all.from_ms;
			all.to_ms = times[t] > all.to_ms ? times[t] : all.to_ms;
		}
	}
	if (all.from_ms < all.to_ms)
		*vec_push(&f->scheduler) = all;
}

static void note(struct facts *f, bool holds, const char *text)
{
	if (holds)
		facts_note(f, text);
}

static enum err_code end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	const struct csv_plan *plan = run->state;
	const struct csv_map *m = plan->map;
	if (m->fact == CSV_JOBS && !m->is_sample)
		cover(f);
	if (m->fact == CSV_NODES && m->values[CSV_NODE_POOL].is_set)
		csv_pools_sum(f);
	if (m->fact == CSV_SAMPLES)
		csv_samples_end(f);
	if (m->note.n)
		facts_note(f, str_z(run->a, m->note));
	note(f, m->is_sample,
	     "The job list is a sample: nothing is said of when no job ran, so free time is not "
	     "known.");
	note(f, m->counts_nodes,
	     "These totals count nodes, not GPUs: shares hold, GPU-seconds are node-seconds.");
	note(f, m->is_arbitrary,
	     "Times count from an origin that the file does not state; dates mean nothing.");
	return ERR_OK;
}

static size_t record_start(const struct read_run *run, struct str bytes, size_t at)
{
	const struct csv_plan *plan = run->state;
	return csv_record_start(&plan->map->dialect, bytes, at);
}

const struct reader reader_csv_map = {
	.name = "csv_map",
	.help = "Any CSV that a mapping file (--map) explains; see docs/reference/maps.md.",
	.cut = CUT_LINES,
	.recognise = recognise,
	.open = open_map,
	.feed = feed,
	.end = end,
	.record_start = record_start,
};
