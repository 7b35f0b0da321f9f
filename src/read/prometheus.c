/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prometheus: what dcgm-exporter answers on /metrics, one scrape or many in one file.
 *
 * A reading's time is its own time stamp (milliseconds, OpenMetrics: seconds), else that of the
 * last comment that is a time. Without either a scrape says only which devices there are.
 */
#include "parse/when.h"
#include "read/dcgm.h"
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

struct scrape {
	struct dcgm c;
	const struct zone *zone;
	struct facts *f;
	int64_t comment_ms; /* of the last comment that was a time */
	uint64_t records;
};

static void sample_read(struct scrape *s, const struct prom_line *l, uint64_t line)
{
	struct dcgm_series series;
	int64_t t_ms = s->comment_ms;
	s->records++;
	if (!dcgm_series(&s->c, l->name, l->labels, l->labels_n, line, &series))
		return;
	if (l->timestamp.n && when_parse(l->timestamp, NULL, &t_ms) != WHEN_OK) {
		facts_reject(s->f, line, "the time stamp is not a time");
		return;
	}
	dcgm_take(&s->c, &series, t_ms, l->value, line);
}

static enum err_code prometheus_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                     struct facts *f, struct err *err)
{
	struct scrape s = { .zone = run->options->zone, .f = f, .comment_ms = TIME_UNKNOWN };
	auto_arena a = ARENA_NULL;
	struct prom_line *l = ARENA_NEW(&a, struct prom_line);
	struct arena text = ARENA_NULL;
	struct str one;
	(void)err;
	dcgm_begin(&s.c, f);
	for (; str_cut_line(&bytes, &one); line++) {
		switch (prom_line_read(l, &text, one)) {
		case PROM_SAMPLE:
			sample_read(&s, l, line);
			break;
		case PROM_COMMENT:
			(void)time_of_comment(l->text, s.zone, &s.comment_ms);
			break;
		case PROM_BAD:
			s.records++;
			facts_reject(f, line, "%s", l->why);
			break;
		default:
			break;
		}
		if (text.blocks) /* only escapes took room */
			arena_deinit(&text);
	}
	dcgm_end(&s.c, false);
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += s.records;
	return ERR_OK;
}

/* Only lines that exporters write, and one of them dcgm-exporter's. */
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
		if (kind != PROM_BAD && dcgm_is_name(l->name))
			return 90;
	}
	return 0;
}

static enum err_code prometheus_open(struct read_run *run, struct str head, struct err *err)
{
	(void)err;
	run->body_at = str_starts(head, S("\xef\xbb\xbf")) ? 3 : 0;
	run->body_line = 1;
	return ERR_OK;
}

const struct reader reader_prometheus = {
	.name = "prometheus",
	.help = "What dcgm-exporter answers, scrape after scrape: `while sleep 30; do date -u +'# "
	        "%FT%TZ'; curl -s HOST:9400/metrics; done >> scrapes.prom`.",
	.cut = CUT_WHOLE,
	.recognise = prometheus_recognise,
	.open = prometheus_open,
	.feed = prometheus_feed,
};
