/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sacct --parsable, --parsable2 and squeue -o with a delimiter and a header: any columns, any
 * order, any delimiter.
 *
 * A line with at least as many delimiters as the header is a record of its own, whatever stands
 * before it. Shorter lines are parts of a record whose text held a newline: they are joined until
 * the count fits. What does not fit is one rejected record, and its neighbours are kept.
 */
#include "parse/split.h"
#include "read/slurm.h"

#define BLOCK_BYTES ((size_t)32 * 1024) /* looked through at once: stays in the first cache */
#define EXTRA_MAX 64u                   /* delimiters inside texts of one record */

struct sacct {
	struct str delimiter, header;
	size_t delimiters; /* in a record */
	struct slurm_layout layout;
};

static struct str first_line(struct str head, size_t *ret_after)
{
	struct str rest = head, line = STR_NULL;
	if (str_starts(rest, S("\xef\xbb\xbf")))
		rest = str_sub(rest, 3, rest.n);
	while (str_cut_line(&rest, &line) && !str_trim(line).n)
		;
	*ret_after = rest.p ? (size_t)(rest.p - head.p) : head.n;
	return line;
}

static bool is_name_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '(' || c == ')' || c == '/' || c == ':';
}

/* What stands between the first two names; false: nothing, or only blanks. */
static bool find_delimiter(struct str line, struct str *ret)
{
	size_t from = 0, to;
	while (from < line.n && is_name_byte(line.p[from]))
		from++;
	for (to = from; to < line.n && !is_name_byte(line.p[to]);)
		to++;
	*ret = str_sub(line, from, to - from);
	if (!from || !ret->n || ret->n > 16)
		return false;
	return str_trim(*ret).n || str_eq(*ret, S("\t"));
}

static bool cut_by(struct str *s, struct str delimiter, struct str *ret)
{
	if (!s->p)
		return false;
	size_t at = str_find(*s, delimiter);
	*ret = str_sub(*s, 0, at);
	*s = at < s->n ? str_sub(*s, at + delimiter.n, s->n) : STR_NULL;
	return true;
}

static void read_header(struct sacct *t, struct str line, struct str run_key)
{
	struct str name;
	while (cut_by(&line, t->delimiter, &name) && t->layout.fields < FIELDS_MAX)
		slurm_layout_add(&t->layout, name, run_key);
	t->delimiters = t->layout.fields ? t->layout.fields - 1 : 0;
}

static int sacct_recognise(struct str head, const struct read_options *options)
{
	size_t after;
	struct str line = first_line(head, &after), rest, name;
	struct str delimiter;
	(void)options;
	if (!find_delimiter(line, &delimiter))
		return 0;
	bool has_id = false, has_state = false;
	int known = 0;
	for (rest = line; cut_by(&rest, delimiter, &name);) {
		/* as Slurm writes them: jobid or job_id is somebody else's table */
		has_id |= str_eq(name, S("JobID")) || str_eq(name, S("JobIDRaw")) ||
		          str_eq(name, S("JOBID"));
		has_state |= str_eq(name, S("State")) || str_eq(name, S("STATE")) ||
		             str_eq(name, S("ST"));
		known += slurm_column_find(name) >= 0;
	}
	return !has_id || !has_state ? 0 : known >= 4 ? 95 : 70;
}

static enum err_code sacct_open(struct read_run *run, struct str head, struct err *err)
{
	struct sacct *t = ARENA_NEW(run->a, struct sacct);
	size_t after;
	struct str line = first_line(head, &after), delimiter;
	if (!find_delimiter(line, &delimiter))
		return err_set(err, ERR_INPUT,
		               "no header of sacct\nhint: sacct --parsable2 without --noheader");
	t->header = str_dup(run->a, line);
	t->delimiter = str_dup(run->a, delimiter);
	read_header(t, t->header, run->options->run_key);
	if (t->layout.fields >= FIELDS_MAX)
		return err_set(err, ERR_LIMIT, "%u columns or more", FIELDS_MAX);
	if (t->layout.field[SLURM_ID] < 0 && t->layout.field[SLURM_ID_RAW] < 0)
		return err_set(err, ERR_INPUT, "no column JobID");
	if (t->layout.field[SLURM_STATE] < 0)
		return err_set(err, ERR_INPUT, "no column State");
	run->state = t;
	run->body_at = after;
	run->body_line = 1;
	for (size_t i = 0; i < after; i++)
		run->body_line += head.p[i] == '\n';
	return ERR_OK;
}

/* A line with fewer delimiters than the header. */
struct part {
	const char *p;
	uint64_t line;
	size_t delimiters;
};

/* A walk over the lines of one piece. */
struct walk {
	const struct sacct *t;
	struct slurm_feed *s;
	uint64_t line;
	/* lines that do not make a record yet: [parts_at, parts.n) */
	VEC(struct part) parts;
	size_t parts_at, parts_delimiters;
	VEC(uint32_t) cuts; /* of a record that needs more than its place in the index */
	bool was_complete;  /* the last line ended a record: a text may go on behind it */
};

/* Fills the wanted columns. P: the record; D: its delimiters, as many as the header's. */
static inline void take_fields(struct walk *w, const char *p, const uint32_t *d, size_t from,
                               size_t to)
{
	const struct slurm_layout *l = &w->t->layout;
	const size_t n = w->t->delimiters, width = w->t->delimiter.n;
	for (size_t i = 0; i < l->wanted_n; i++) {
		size_t k = l->wanted[i];
		size_t a = k ? d[k - 1] + width : from, b = k < n ? d[k] : to;
		w->s->value[l->wanted_as[i]] = (struct str){ p + a, b - a };
	}
}

/* A step: known from its number alone, before anything else is looked at. */
static inline bool is_step(const struct walk *w, const char *p, const uint32_t *d, size_t from)
{
	int k = w->t->layout.field[SLURM_ID];
	if (k < 0)
		return false;
	if ((size_t)k == w->t->delimiters)
		return false; /* slurm_feed_row sees it */
	size_t a = k ? d[k - 1] + w->t->delimiter.n : from, b = d[k];
	bool found = false;
	for (; a < b && !found; a++)
		found = p[a] == '.';
	return found;
}

static inline void take_record(struct walk *w, const char *p, const uint32_t *d, size_t from,
                               size_t to, uint64_t line)
{
	if (is_step(w, p, d, from)) {
		w->s->records++;
		w->s->steps++;
		return;
	}
	take_fields(w, p, d, from, to);
	if (w->s->value[SLURM_ID].n && str_eq(w->s->value[SLURM_ID], S("JobID")) &&
	    str_eq(str_trim((struct str){ p + from, to - from }), str_trim(w->t->header)))
		return; /* dumps one after the other in a file */
	slurm_feed_row(w->s, line);
}

static void reject(struct walk *w, uint64_t line, const char *why)
{
	w->s->records++;
	facts_reject(w->s->f, line, "%s", why);
}

static inline bool has_parts(const struct walk *w)
{
	return w->parts_at < w->parts.n;
}

static void drop_first_part(struct walk *w)
{
	const struct part *p = &w->parts.v[w->parts_at++];
	if (p->delimiters)
		reject(w, p->line, "a row that was cut short: fewer fields than the header");
	w->parts_delimiters -= p->delimiters;
	if (!has_parts(w))
		w->parts.n = w->parts_at = 0;
}

static void drop_parts(struct walk *w)
{
	while (has_parts(w))
		drop_first_part(w);
}

/* More delimiters than the header: some stand in a text. Tries each text column. */
static void take_long(struct walk *w, const char *p, const uint32_t *d, size_t n, size_t from,
                      size_t to, uint64_t line)
{
	const struct slurm_layout *l = &w->t->layout;
	size_t extra = n - w->t->delimiters;
	vec_reserve(&w->cuts, FIELDS_MAX);
	for (size_t k = 0; extra <= EXTRA_MAX && k < l->fields; k++) {
		if (!slurm_column_is_text(l->column[k]))
			continue;
		for (size_t i = 0; i < w->t->delimiters; i++)
			w->cuts.v[i] = d[i < k ? i : i + extra];
		take_fields(w, p, w->cuts.v, from, to);
		if (slurm_feed_fits(w->s)) {
			slurm_feed_row(w->s, line);
			return;
		}
	}
	reject(w, line, "more fields than the header, and no text column that may hold them");
}

/* The parts up to END have as many delimiters as a record: is it one? */
static bool take_joined(struct walk *w, const char *end)
{
	const struct str delimiter = w->t->delimiter;
	const struct part *first = &w->parts.v[w->parts_at];
	struct str all = { first->p, (size_t)(end - first->p) };
	w->cuts.n = 0;
	for (size_t at = 0; at < all.n;) {
		size_t next = at + str_find(str_sub(all, at, all.n), delimiter);
		if (next < all.n)
			*vec_push(&w->cuts) = (uint32_t)next;
		at = next + delimiter.n;
	}
	if (w->cuts.n != w->t->delimiters)
		return false;
	take_fields(w, all.p, w->cuts.v, 0, all.n);
	if (!slurm_feed_fits(w->s))
		return false;
	slurm_feed_row(w->s, first->line);
	w->parts.n = w->parts_at = w->parts_delimiters = 0;
	w->was_complete = true;
	return true;
}

/* A line [FROM, TO) of P with fewer delimiters than the header: a part of a record. */
static void take_part(struct walk *w, const char *p, size_t n, size_t from, size_t to)
{
	struct str line = { p + from, to - from };
	const struct slurm_layout *l = &w->t->layout;
	if (!n && w->was_complete) {
		bool goes_on = slurm_column_is_text(l->column[l->fields - 1]);
		if (str_trim(line).n && !goes_on)
			reject(w, w->line, "not a row: no delimiter");
		return;
	}
	w->was_complete = false;
	*vec_push(&w->parts) = (struct part){ line.p, w->line, n };
	w->parts_delimiters += n;
	/* too much, or no record: the oldest line is what was cut short */
	while (has_parts(w)) {
		bool is_long =
		        (size_t)(line.p + line.n - w->parts.v[w->parts_at].p) > LINE_BYTES_MAX;
		if (w->parts_delimiters < w->t->delimiters && !is_long)
			break;
		if (w->parts_delimiters == w->t->delimiters && !is_long &&
		    take_joined(w, line.p + line.n))
			break;
		drop_first_part(w);
	}
}

/* A line [FROM, TO) of P, whose N delimiters stand at D. */
static inline void take_line(struct walk *w, const char *p, const uint32_t *d, size_t n,
                             size_t from, size_t to)
{
	if (to > from && p[to - 1] == '\r')
		to--;
	if (__builtin_expect(n < w->t->delimiters, 0)) {
		if (to > from || has_parts(w))
			take_part(w, p, n, from, to);
	} else {
		if (__builtin_expect(has_parts(w), 0))
			drop_parts(w);
		if (n == w->t->delimiters)
			take_record(w, p, d, from, to, w->line);
		else
			take_long(w, p, d, n, from, to, w->line);
		w->was_complete = true;
	}
	w->line++;
}

/* A delimiter of several bytes: its first byte alone is not one. */
static size_t drop_halves(struct str block, struct str delimiter, uint32_t *at, size_t n)
{
	size_t kept = 0, free_from = 0;
	for (size_t i = 0; i < n; i++) {
		bool is_line = block.p[at[i]] == '\n';
		if (!is_line && (at[i] < free_from ||
		                 !str_starts(str_sub(block, at[i], delimiter.n), delimiter)))
			continue;
		if (!is_line)
			free_from = at[i] + delimiter.n; /* "|||" holds one "||" */
		at[kept++] = at[i];
	}
	return kept;
}

/* Every whole line of BLOCK (IS_LAST: what follows the last newline too); returns what was used. */
static size_t take_block(struct walk *w, struct str block, uint32_t *at, bool is_last)
{
	size_t n = split_find(block, w->t->delimiter.p[0], '\n', at);
	if (w->t->delimiter.n > 1)
		n = drop_halves(block, w->t->delimiter, at, n);
	size_t from = 0, first = 0;
	for (size_t i = 0; i < n; i++) {
		if (block.p[at[i]] != '\n')
			continue;
		take_line(w, block.p, at + first, i - first, from, at[i]);
		from = at[i] + 1;
		first = i + 1;
	}
	if (is_last && from < block.n) {
		take_line(w, block.p, at + first, n - first, from, block.n);
		from = block.n;
	}
	return from;
}

static enum err_code sacct_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                struct facts *f, struct err *err)
{
	const struct sacct *t = run->state;
	auto_arena a = ARENA_NULL;
	struct walk w = { .t = t, .line = line, .was_complete = true };
	size_t size = BLOCK_BYTES;
	uint32_t *at = ARENA_ARRAY(&a, uint32_t, size + SPLIT_SLACK);
	(void)err;
	w.s = slurm_feed_begin(&a, &t->layout, run->options, f);
	while (bytes.n) {
		struct str block = str_sub(bytes, 0, size);
		size_t used = take_block(&w, block, at, block.n == bytes.n);
		if (!used) { /* a line longer than the block */
			size *= 2;
			at = ARENA_ARRAY(&a, uint32_t, size + SPLIT_SLACK);
		}
		bytes = str_sub(bytes, used, bytes.n);
	}
	drop_parts(&w);
	slurm_feed_end(w.s);
	vec_deinit(&w.cuts);
	vec_deinit(&w.parts);
	return ERR_OK;
}

static enum err_code sacct_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	slurm_join_coverage(f);
	slurm_note_run_key(run->options, &((const struct sacct *)run->state)->layout, f);
	slurm_note_zone(run->options, f);
	return ERR_OK;
}

static size_t count_delimiters(const struct sacct *t, struct str line)
{
	size_t n = 0;
	struct str field;
	while (cut_by(&line, t->delimiter, &field))
		n++;
	return n ? n - 1 : 0;
}

/* Behind the last line that is a record of its own. */
static size_t sacct_record_start(const struct read_run *run, struct str bytes, size_t at)
{
	const struct sacct *t = run->state;
	while (at) {
		size_t end = at - 1;
		const char *before = end ? memrchr(bytes.p, '\n', end) : NULL;
		size_t from = before ? (size_t)(before - bytes.p) + 1 : 0;
		if (count_delimiters(t, str_sub(bytes, from, end - from)) >= t->delimiters)
			return at;
		at = from;
	}
	return 0;
}

const struct reader reader_sacct = {
	.name = "sacct",
	.help = "Slurm's accounting: sacct --allusers --parsable2 --format=ALL -S START -E END; "
	        "also "
	        "squeue -o with a delimiter. The header is needed.",
	.cut = CUT_LINES,
	.recognise = sacct_recognise,
	.open = sacct_open,
	.feed = sacct_feed,
	.end = sacct_end,
	.record_start = sacct_record_start,
};
