/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squeue_table: what squeue prints if it is not asked for columns, with its header or without (-h):
 *
 *              JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
 *              12346       gpu   my job      bob PD       0:00      1 (Resources)
 *
 * Columns are as wide as they need to be and names may hold blanks, so a row is known by what
 * stands in its middle: the user, a state's code, a time, a count. The table says neither GPUs nor
 * when anything began; that is said, with the command that prints both.
 */
#include "parse/duration.h"
#include "read/reader.h"
#include "read/slurm.h"

enum { WORDS_MAX = 64, ROWS_TRIED = 20 };

static const char *const heads[] = { "JOBID", "PARTITION", "NAME",  "USER",
	                             "ST",    "TIME",      "NODES", "NODELIST(REASON)" };
enum { HEADS = sizeof heads / sizeof *heads };

/* Words of a line; those behind the last place are part of the last. */
static size_t split(struct str line, struct str *words)
{
	size_t n = 0;
	while ((line = str_trim(line)).n && n < WORDS_MAX) {
		size_t to = n + 1 == WORDS_MAX ? line.n : str_find_byte(line, ' ');
		words[n++] = str_sub(line, 0, to);
		line = str_sub(line, to, line.n);
	}
	return n;
}

static bool is_header(struct str line)
{
	struct str words[WORDS_MAX];
	size_t n = split(line, words);
	for (size_t i = 0; i < HEADS; i++)
		if (n != HEADS || !str_eq(words[i], str_of(heads[i])))
			return false;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_job(struct str word)
{
	bool digits = word.n > 0 && is_digit(word.p[0]);
	for (size_t i = 0; i < word.n && digits; i++)
		digits = is_digit(word.p[i]) || str_find_byte(S("_[]-,%:+."), word.p[i]) < 9;
	return digits;
}

/* "PD": a word in full is another table's. */
static bool is_code(struct str word)
{
	return word.n <= 3 && slurm_state_find(word) != NULL;
}

/* "5:12", "1-02:03:04"; nothing yet: "INVALID". */
static bool is_time(struct str word)
{
	int64_t ms;
	return str_eq(word, S("INVALID")) || (str_find_byte(word, ':') < word.n &&
	                                      duration_parse_slurm(word, &ms) == DURATION_OK);
}

static bool is_count(struct str word)
{
	uint64_t n;
	return str_to_u64(word, &n);
}

/* The cells of a row, by head; false: not a row of this table. */
static bool row_cut(struct str line, struct str *cells)
{
	struct str words[WORDS_MAX];
	size_t n = split(line, words), at = 3;
	if (n < 6 || !is_job(words[0]))
		return false;
	while (at + 2 < n &&
	       !(is_code(words[at]) && is_time(words[at + 1]) && is_count(words[at + 2])))
		at++;
	if (at + 2 >= n)
		return false;
	cells[0] = words[0], cells[1] = words[1];
	cells[2] = at > 3 ? (struct str){ words[2].p,
		                          (size_t)(words[at - 2].p - words[2].p) + words[at - 2].n }
	                  : STR_NULL;
	for (int i = 0; i < 4; i++)
		cells[3 + i] = words[at - 1 + (size_t)i];
	const char *end = words[n - 1].p + words[n - 1].n;
	cells[7] = at + 3 < n ? (struct str){ words[at + 3].p, (size_t)(end - words[at + 3].p) }
	                      : STR_NULL;
	return true;
}

static int squeue_table_recognise(struct str head, const struct read_options *options)
{
	struct str line, rest = head, cells[HEADS];
	int rows = 0;
	(void)options;
	while (rows < ROWS_TRIED && rest.n) {
		bool is_whole = str_find_byte(rest, '\n') < rest.n || head.n < 65536;
		if (!str_cut_line(&rest, &line) || (!is_whole && rows))
			break;
		if (!str_trim(line).n)
			continue;
		if (!rows && is_header(line))
			return 90;
		if (!row_cut(line, cells))
			return 0;
		rows++;
	}
	return rows ? 60 : 0;
}

static enum err_code squeue_table_open(struct read_run *run, struct str head, struct err *err)
{
	struct slurm_layout *l = ARENA_NEW(run->a, struct slurm_layout);
	if (!squeue_table_recognise(head, run->options))
		return err_set(err, ERR_INPUT,
		               "no rows of squeue's own table: job, partition, "
		               "name, user, state's code, time, nodes, list of nodes "
		               "or reason");
	for (size_t i = 0; i < HEADS; i++)
		slurm_layout_add(l, str_of(heads[i]), STR_NULL);
	run->state = l;
	run->body_line = 1;
	return ERR_OK;
}

static enum err_code squeue_table_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                       struct facts *f, struct err *err)
{
	const struct slurm_layout *l = run->state;
	auto_arena a = ARENA_NULL;
	struct slurm_feed *s = slurm_feed_begin(&a, l, run->options, f);
	struct str row, cells[HEADS];
	(void)err;
	for (; str_cut_line(&bytes, &row); line++) {
		if (!str_trim(row).n || is_header(row))
			continue;
		if (!row_cut(row, cells)) {
			s->records++;
			facts_reject(f, line, "not a row of squeue's table");
			continue;
		}
		for (size_t i = 0; i < l->wanted_n; i++)
			s->value[l->wanted_as[i]] = cells[l->wanted[i]];
		slurm_feed_row(s, line);
	}
	slurm_feed_end(s);
	return ERR_OK;
}

static enum err_code squeue_table_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)run, (void)err;
	slurm_join_coverage(f);
	facts_note(f, "squeue's own table says neither GPUs nor when jobs came and began, and cuts "
	              "names: give `squeue --json`, or `sacct -a -P -o ALL`.");
	return ERR_OK;
}

const struct reader reader_squeue_table = {
	.name = "squeue_table",
	.help = "squeue's own table, with its header or without; `squeue --json` says more.",
	.cut = CUT_LINES,
	.recognise = squeue_table_recognise,
	.open = squeue_table_open,
	.feed = squeue_table_feed,
	.end = squeue_table_end,
};
