/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prometheus: what exporters of GPUs answer on /metrics, one scrape or many in one file.
 *
 * A reading's time is its own time stamp (milliseconds, OpenMetrics: seconds), else that of the
 * last comment that is a time. Without either a scrape says only which devices there are.
 *
 * Pieces are read side by side. Where comments give the time, a piece begins at one. What a piece
 * learnt of the series' labels is kept for later ones, of later inputs too: series mostly come in
 * the order in which they came before, so a line costs one comparison with what stood there the
 * last time, and its number.
 */
#include "parse/when.h"
#include "read/exporter.h"
#include "read/reader.h"

/* A comment that is a time, maybe after words: "# 2026-10-01T12:00:00Z", "# scraped at:
 * 1764504000".
 */
static bool time_of_comment(struct str text, const struct zone *zone, int64_t *ret_ms)
{
	size_t n = 0;
	for (; n < text.n && (text.p[n] < '0' || text.p[n] > '9'); n++)
		if (text.p[n] == '-' || text.p[n] == '+' || text.p[n] == '.')
			return false;
	int64_t ms;
	if (n == text.n || when_parse(str_sub(text, n, text.n), zone, &ms) != WHEN_OK)
		return false;
	*ret_ms = ms;
	return true;
}

/* The same of a line; its text is what stands behind '#'. */
static bool time_of_line(struct str line, const struct zone *zone, int64_t *ret_ms)
{
	static const char *const words[] = { "TYPE", "HELP", "UNIT" };
	if (!line.n || line.p[0] != '#')
		return false;
	struct str text = str_trim(str_sub(line, 1, line.n));
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (str_starts(text, str_of(words[i])) && (n == text.n || text.p[n] <= ' '))
			return false;
	}
	return time_of_comment(text, zone, ret_ms);
}

struct form {
	struct read_kept own, *kept; /* exporters */
	uint32_t input;
	bool has_comments; /* comments give the time */
};

static struct exporter *exporter_get(const struct form *w)
{
	struct exporter *e = NULL;
	for (unsigned i = 0; i < THREADS_MAX && !e; i++)
		e = atomic_exchange(&w->kept->free[i], NULL);
	e = e ? e : exporter_new();
	exporter_input(e, w->input);
	return e;
}

static void exporter_put(const struct form *w, void *e)
{
	for (unsigned i = 0; i < THREADS_MAX && e; i++)
		e = atomic_exchange(&w->kept->free[i], e);
	if (e)
		exporter_free(e);
}

static void prometheus_forget(void *one)
{
	exporter_free(one);
}

struct scrape {
	struct exporter *e;
	const struct zone *zone;
	struct facts *f;
	int64_t comment_ms; /* of the last comment that was a time */
	struct str stamp;   /* the last one read */
	int64_t stamp_ms;
	uint64_t records;
	struct prom_line *l; /* of the longer way */
	struct arena a;
};

static void take(struct scrape *s, struct exporter_series *series, struct str value,
                 struct str stamp, uint64_t line)
{
	int64_t t_ms = s->comment_ms;
	if (!series)
		return;
	if (stamp.n && !str_eq(stamp, s->stamp)) {
		if (when_parse(stamp, NULL, &t_ms) != WHEN_OK) {
			facts_reject(s->f, line, "the time stamp is not a time");
			return;
		}
		s->stamp = stamp;
		s->stamp_ms = t_ms;
	}
	if (stamp.n)
		t_ms = s->stamp_ms;
	exporter_take(s->e, series, t_ms, value, line);
}

/* A word of the characters that numbers have, behind one blank at least. */
static struct str number_word(struct str *s)
{
	size_t from = 0, to;
	while (from < s->n && s->p[from] == ' ')
		from++;
	for (to = from; to < s->n && s->p[to] > ' '; to++)
		;
	struct str word = from ? str_sub(*s, from, to - from) : STR_NULL;
	*s = str_sub(*s, to, s->n);
	return word;
}

/* REST behind a series, up to the line's end: a value and maybe a stamp. False: look closer. */
static bool values_read(struct scrape *s, struct str *rest, struct str *ret_value,
                        struct str *ret_stamp)
{
	*ret_value = number_word(rest);
	*ret_stamp = STR_NULL;
	if (!ret_value->n || ret_value->p[0] == '#')
		return false;
	if (rest->n && rest->p[0] == ' ') {
		*ret_stamp = number_word(rest);
		if (ret_stamp->n && !str_eq(*ret_stamp, s->stamp) &&
		    prom_number(*ret_stamp) != PROM_FINITE)
			return false;
	}
	return true;
}

/* The line that BYTES begin with, if its series is the one that came here the last time. */
static bool sample_next(struct scrape *s, struct str *bytes, uint64_t number)
{
	size_t n;
	struct exporter_series *series = exporter_next(s->e, *bytes, &n);
	if (!series)
		return false;
	struct str rest = str_sub(*bytes, n, bytes->n), value, stamp;
	if (!values_read(s, &rest, &value, &stamp) || (rest.n && rest.p[0] != '\n'))
		return false;
	*bytes = str_sub(rest, 1, rest.n);
	s->records++;
	take(s, series, value, stamp, number);
	return true;
}

/* A series that was seen before. */
static bool sample_again(struct scrape *s, struct str line, uint64_t number)
{
	const char *brace = memrchr(line.p, '}', line.n);
	if (!brace)
		return false;
	size_t n = (size_t)(brace - line.p) + 1;
	struct str rest = str_sub(line, n, line.n), value, stamp;
	if (!values_read(s, &rest, &value, &stamp) || rest.n)
		return false;
	struct exporter_series *series = exporter_find(s->e, str_sub(line, 0, n));
	if (!series)
		return false;
	s->records++;
	take(s, series, value, stamp, number);
	return true;
}

/* What of LINE names the series; empty: it is not at the line's start. */
static struct str series_bytes(const struct prom_line *l, struct str line)
{
	const char *end = l->value.p;
	if (!line.n || end <= line.p || line.p[0] <= ' ')
		return STR_NULL;
	size_t n = (size_t)(end - line.p);
	while (n && line.p[n - 1] == ' ')
		n--;
	return n && line.p[n - 1] == '}' ? str_sub(line, 0, n) : STR_NULL;
}

static void line_read(struct scrape *s, struct str line, uint64_t number)
{
	struct prom_line *l = s->l;
	switch (prom_line_read(l, &s->a, line)) {
	case PROM_SAMPLE:
		s->records++;
		take(s,
		     exporter_series(s->e, series_bytes(l, line), l->name, l->labels, l->labels_n,
		                     number),
		     l->value, l->timestamp, number);
		break;
	case PROM_COMMENT:
		(void)time_of_comment(l->text, s->zone, &s->comment_ms);
		break;
	case PROM_BAD:
		s->records++;
		facts_reject(s->f, number, "%s", l->why);
		break;
	default:
		break;
	}
	if (s->a.blocks) /* only escapes took room */
		arena_deinit(&s->a);
}

static enum err_code prometheus_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                     struct facts *f, struct err *err)
{
	const struct form *w = run->state;
	auto_arena a = ARENA_NULL;
	struct scrape s = { .e = exporter_get(w),
		            .zone = run->options->zone,
		            .f = f,
		            .comment_ms = TIME_UNKNOWN,
		            .l = ARENA_NEW(&a, struct prom_line) };
	struct str one;
	(void)err;
	exporter_begin(s.e, f);
	for (; bytes.n; line++) {
		if (sample_next(&s, &bytes, line) || !str_cut_line(&bytes, &one))
			continue;
		if (!one.n || one.p[0] <= '#' || !sample_again(&s, one, line))
			line_read(&s, one, line);
	}
	exporter_end(s.e);
	exporter_put(w, s.e);
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += s.records;
	return ERR_OK;
}

/* Only lines that exporters write, and one of them of GPUs. */
static int prometheus_recognise(struct str head, const struct read_options *options)
{
	auto_arena a = ARENA_NULL;
	struct prom_line *l = ARENA_NEW(&a, struct prom_line);
	struct str line;
	bool is_first = true;
	(void)options;
	if (str_starts(head, S("\xef\xbb\xbf")))
		head = str_sub(head, 3, head.n);
	while (str_cut_line(&head, &line)) {
		enum prom_kind kind = prom_line_read(l, &a, line);
		if (kind == PROM_BLANK || kind == PROM_COMMENT)
			continue;
		if (kind == PROM_BAD && is_first)
			return 0;
		is_first = false;
		if (kind != PROM_BAD && exporter_is_name(l->name))
			return 90;
	}
	return 0;
}

static enum err_code prometheus_open(struct read_run *run, struct str head, struct err *err)
{
	struct form *w = ARENA_NEW(run->a, struct form);
	struct str line;
	int64_t ms;
	(void)err;
	run->body_at = str_starts(head, S("\xef\xbb\xbf")) ? 3 : 0;
	run->body_line = 1;
	head = str_sub(head, run->body_at, head.n);
	while (!w->has_comments && str_cut_line(&head, &line))
		w->has_comments = time_of_line(line, run->options->zone, &ms);
	w->kept = run->kept ? run->kept : &w->own;
	w->input = ++w->kept->inputs;
	run->state = w;
	return ERR_OK;
}

/* Where comments give the time, nothing may be cut off from the one before it. */
static size_t prometheus_record_start(const struct read_run *run, struct str bytes, size_t at)
{
	const struct form *w = run->state;
	int64_t ms;
	if (!w->has_comments)
		return at;
	for (size_t end = at; end;) {
		const char *before = memrchr(bytes.p, '\n', end - 1);
		size_t from = before ? (size_t)(before - bytes.p) + 1 : 0;
		if (bytes.p[from] == '#' && time_of_line(str_trim(str_sub(bytes, from, end - from)),
		                                         run->options->zone, &ms))
			return from;
		end = from;
	}
	return 0;
}

static enum err_code prometheus_end(const struct read_run *run, struct facts *f, struct err *err)
{
	struct form *w = run->state;
	(void)err;
	read_kept_drop(&w->own, prometheus_forget);
	exporter_join(f, false);
	return ERR_OK;
}

const struct reader reader_prometheus = {
	.name = "prometheus",
	.help = "What a GPU exporter answers, scrape after scrape: `while sleep 30; do date -u +'# "
	        "%FT%TZ'; curl -s HOST:9400/metrics; done >> scrapes.prom`.",
	.cut = CUT_LINES,
	.recognise = prometheus_recognise,
	.open = prometheus_open,
	.feed = prometheus_feed,
	.end = prometheus_end,
	.record_start = prometheus_record_start,
	.forget = prometheus_forget,
};
