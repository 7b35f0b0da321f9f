/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sacct's own table: a header, a line of dashes that gives the widths, values cut off with '+'.
 * What is cut off is unknown, never a shorter number.
 */
#include "read/slurm.h"

struct sacct_table {
	struct slurm_layout layout;
	struct {
		size_t from, to;
	} at[FIELDS_MAX];
	struct str header;
};

static bool is_dashes(struct str line)
{
	size_t dashes = 0;
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '-' && line.p[i] != ' ' && line.p[i] != '\r')
			return false;
		dashes += line.p[i] == '-';
	}
	return dashes > 2;
}

/* The header and the dashes under it; what precedes them is skipped if it is blank. */
static bool find_head(struct str head, struct str *ret_names, struct str *ret_dashes,
                      size_t *ret_after)
{
	struct str rest = head, line;
	if (str_starts(rest, S("\xef\xbb\xbf")))
		rest = str_sub(rest, 3, rest.n);
	do {
		if (!str_cut_line(&rest, ret_names))
			return false;
	} while (!str_trim(*ret_names).n);
	if (!str_cut_line(&rest, &line) || !is_dashes(line))
		return false;
	*ret_dashes = line;
	*ret_after = rest.p ? (size_t)(rest.p - head.p) : head.n;
	return true;
}

static void read_widths(struct sacct_table *t, struct str names, struct str dashes,
                        struct str run_key)
{
	for (size_t i = 0; i < dashes.n && t->layout.fields < FIELDS_MAX;) {
		if (dashes.p[i] != '-') {
			i++;
			continue;
		}
		size_t from = i;
		while (i < dashes.n && dashes.p[i] == '-')
			i++;
		t->at[t->layout.fields].from = from;
		t->at[t->layout.fields].to = i;
		slurm_layout_add(&t->layout, str_trim(str_sub(names, from, i - from)), run_key);
	}
}

static int sacct_table_recognise(struct str head, const struct read_options *options)
{
	struct str names, dashes;
	size_t after;
	struct sacct_table t = { 0 };
	if (!find_head(head, &names, &dashes, &after))
		return 0;
	read_widths(&t, names, dashes, options ? options->run_key : STR_NULL);
	if (!t.layout.fields)
		return 0;
	bool has_id = t.layout.field[SLURM_ID] >= 0 || t.layout.field[SLURM_ID_RAW] >= 0;
	return has_id && t.layout.field[SLURM_STATE] >= 0 ? 95 : 0;
}

static enum err_code sacct_table_open(struct read_run *run, struct str head, struct err *err)
{
	struct sacct_table *t = ARENA_NEW(run->a, struct sacct_table);
	struct str names, dashes;
	size_t after;
	if (!find_head(head, &names, &dashes, &after))
		return err_set(err, ERR_INPUT, "no header of sacct with a line of dashes under it");
	t->header = str_dup(run->a, names);
	read_widths(t, t->header, dashes, run->options->run_key);
	if (!t->layout.fields || t->layout.field[SLURM_STATE] < 0 ||
	    (t->layout.field[SLURM_ID] < 0 && t->layout.field[SLURM_ID_RAW] < 0))
		return err_set(err, ERR_INPUT, "no columns JobID and State");
	run->state = t;
	run->body_at = after;
	run->body_line = 1;
	for (size_t i = 0; i < after; i++)
		run->body_line += head.p[i] == '\n';
	return ERR_OK;
}

static void take_row(const struct sacct_table *t, struct slurm_feed *s, struct str row,
                     uint64_t line)
{
	const struct slurm_layout *l = &t->layout;
	for (size_t i = 0; i < l->wanted_n; i++) {
		size_t from = t->at[l->wanted[i]].from, to = t->at[l->wanted[i]].to;
		struct str cell = str_sub(row, from, to - from);
		s->value[l->wanted_as[i]] = str_trim(cell);
		s->is_cut[l->wanted_as[i]] =
		        cell.n == to - from && str_ends(cell, S("+")) && cell.p[0] != ' ';
	}
	slurm_feed_row(s, line);
}

static enum err_code sacct_table_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                      struct facts *f, struct err *err)
{
	const struct sacct_table *t = run->state;
	auto_arena a = ARENA_NULL;
	struct slurm_feed *s = slurm_feed_begin(&a, &t->layout, run->options, f);
	struct str row;
	(void)err;
	s->has_cuts = true;
	for (; str_cut_line(&bytes, &row); line++) {
		if (!str_trim(row).n || is_dashes(row) || str_eq(row, t->header))
			continue;
		take_row(t, s, row, line);
	}
	slurm_feed_end(s);
	return ERR_OK;
}

static enum err_code sacct_table_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	slurm_join_coverage(f);
	slurm_note_run_key(run->options, &((const struct sacct_table *)run->state)->layout, f);
	slurm_note_zone(run->options, f);
	return ERR_OK;
}

const struct reader reader_sacct_table = {
	.name = "sacct_table",
	.help = "sacct's own table with a line of dashes under the header; --parsable2 loses less.",
	.cut = CUT_LINES,
	.recognise = sacct_table_recognise,
	.open = sacct_table_open,
	.feed = sacct_table_feed,
	.end = sacct_table_end,
};
