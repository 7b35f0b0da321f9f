/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/rows.h"

static int recognise_rows(struct str head, const struct read_options *o)
{
	(void)o;
	return str_starts(head, S("#rows")) ? 100 : 0;
}

static int recognise_whole(struct str head, const struct read_options *o)
{
	(void)o;
	return str_starts(head, S("#whole")) ? 100 : 0;
}

static enum err_code open_rows(struct read_run *run, struct str head, struct err *err)
{
	struct str line, rest = head;
	if (!str_cut_line(&rest, &line))
		return err_set(err, ERR_INPUT, "no header");
	run->body_at = rest.p ? head.n - rest.n : head.n;
	run->body_line = 2;
	run->state = arena_dup(run->a, line.p, line.n);
	return ERR_OK;
}

static bool is_odd(struct str s)
{
	bool odd = false;
	for (size_t i = 0; i < s.n; i++)
		odd ^= s.p[i] == '"';
	return odd;
}

/* The next row, with its inner newlines; what never closes is the rest. */
static bool next_row(struct str *s, struct str *ret, uint64_t *lines)
{
	if (!s->n)
		return false;
	size_t at = 0;
	bool odd = false;
	*lines = 0;
	while (at < s->n) {
		odd ^= s->p[at] == '"';
		*lines += s->p[at] == '\n';
		if (s->p[at++] == '\n' && !odd)
			break;
	}
	*ret = str_sub(*s, 0, at);
	if (str_ends(*ret, S("\n")))
		ret->n--;
	if (str_ends(*ret, S("\r")))
		ret->n--;
	*s = str_sub(*s, at, s->n);
	return true;
}

static void add_job(const struct read_run *run, struct str row, uint64_t line, struct facts *f)
{
	struct str id;
	str_cut(&row, ',', &id);
	struct job *j = facts_job(f, id);
	const sym label[] = { facts_word(f, S("row")), facts_word(f, row) };
	struct job_traits t = JOB_TRAITS_UNKNOWN;
	t.user = facts_word(f, row);
	t.run = facts_word(f, id);
	t.queue = facts_word(f, run->options->input_name);
	t.labels = (struct word_list){ traits_list(&f->traits, label, 2).at, 1 };
	j->gpus = (uint32_t)line;
	job_set_traits(f, j, &t);
	facts_add_allocation(f, &(struct allocation_entry){ .job = (uint32_t)f->jobs.n - 1,
	                                                    .on = CLAIM_POOL,
	                                                    .place = facts_word(f, id),
	                                                    .share_num = 1,
	                                                    .share_den = 1,
	                                                    .from_ms = TIME_UNKNOWN,
	                                                    .to_ms = TIME_UNKNOWN });
}

static enum err_code feed_rows(const struct read_run *run, struct str bytes, uint64_t line,
                               struct facts *f, struct err *err)
{
	struct str row;
	uint64_t lines;
	for (; next_row(&bytes, &row, &lines); line += lines) {
		f->inputs.v[f->inputs.n - 1].records++;
		if (str_eq(row, S("!"))) {
			facts_reject(f, line, "bad row");
			continue;
		}
		if (str_eq(row, S("fail")))
			return err_set(err, ERR_INPUT, "line %zu fails", (size_t)line);
		add_job(run, row, line, f);
		facts_note(f, "There are rows.");
	}
	return ERR_OK;
}

/* Its first line names the window's start: seen once the whole is there. */
static enum err_code end_rows(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)run, (void)err;
	*vec_push(&f->scheduler) = (struct span){ 0, (int64_t)f->jobs.n };
	return ERR_OK;
}

static size_t row_start(const struct read_run *run, struct str bytes, size_t at)
{
	(void)run;
	while (at && is_odd(str_sub(bytes, 0, at))) {
		const char *newline = memrchr(bytes.p, '\n', at - 1);
		at = newline ? (size_t)(newline - bytes.p) + 1 : 0;
	}
	return at;
}

const struct reader rows_reader = {
	.name = "rows",
	.help = "Rows of the tests.",
	.cut = CUT_LINES,
	.recognise = recognise_rows,
	.open = open_rows,
	.feed = feed_rows,
	.end = end_rows,
	.record_start = row_start,
};

const struct reader rows_whole_reader = {
	.name = "rows_whole",
	.help = "Rows of the tests in one piece.",
	.cut = CUT_WHOLE,
	.recognise = recognise_whole,
	.open = open_rows,
	.feed = feed_rows,
	.end = end_rows,
};

const struct reader *const rows_readers[] = { &rows_reader, &rows_whole_reader, NULL };
