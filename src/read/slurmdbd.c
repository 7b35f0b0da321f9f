/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job table of slurmdbd, as CSV or as `mysql -B` prints it: numbers for states, resources and
 * times. Every row is brought into sacct's words and read as one of its rows.
 */
#include "parse/csv.h"
#include "read/slurm.h"

#define NO_VAL 4294967294 /* slurm.h: no such value */

enum dbd_column {
	DBD_ID,
	DBD_ARRAY_ID,
	DBD_ARRAY_TASK,
	DBD_ARRAY_TASKS,
	DBD_HET_ID,
	DBD_HET_OFFSET,
	DBD_STATE,
	DBD_EXIT_CODE,
	DBD_JOB_TYPE,
	DBD_NODE_LIST,
	DBD_COLUMNS
};

static const char *const own_heads[DBD_COLUMNS] = {
	"id_job",         "id_array_job", "id_array_task", "array_task_str", "het_job_id",
	"het_job_offset", "state",        "exit_code",     "job_type",       "nodelist"
};

static const struct {
	const char *head;
	enum slurm_column column;
} heads[] = {
	{ "job_name", SLURM_NAME },
	{ "id_user", SLURM_USER },
	{ "user", SLURM_USER },
	{ "account", SLURM_ACCOUNT },
	{ "acct", SLURM_ACCOUNT },
	{ "partition", SLURM_PARTITION },
	{ "id_qos", SLURM_QOS },
	{ "cluster", SLURM_CLUSTER },
	{ "time_submit", SLURM_SUBMIT },
	{ "time_eligible", SLURM_ELIGIBLE },
	{ "time_start", SLURM_START },
	{ "time_end", SLURM_END },
	{ "tres_alloc", SLURM_ALLOC_TRES },
	{ "tres_req", SLURM_REQ_TRES },
	{ "gres_alloc", SLURM_ALLOC_GRES },
	{ "nodes_alloc", SLURM_NODES },
	{ "cpus_req", SLURM_CPUS },
	{ "priority", SLURM_PRIORITY },
	{ "restart_cnt", SLURM_RESTARTS },
	{ "submit_line", SLURM_SUBMIT_LINE },
};

struct slurmdbd {
	struct csv_dialect dialect;
	struct slurm_layout layout;
	int16_t own[DBD_COLUMNS]; /* field; -1: not there */
};

static bool read_header(struct slurmdbd *t, struct str *bytes, struct csv_record *record,
                        struct str run_key)
{
	static const char delimiters[] = "\t,|;";
	struct str line = str_sub(*bytes, 0, str_find_byte(*bytes, '\n'));
	for (size_t i = 0; delimiters[i]; i++)
		if (str_find_byte(line, delimiters[i]) < line.n) {
			t->dialect.delimiter = (struct str){ &delimiters[i], 1 };
			t->dialect.quote = delimiters[i] == '\t' ? '\0' : '"'; /* mysql: none */
			break;
		}
	memset(t->own, -1, sizeof t->own);
	if (!t->dialect.delimiter.n || !csv_cut_record(&t->dialect, bytes, record) ||
	    record->n > FIELDS_MAX)
		return false;
	for (size_t i = 0; i < record->n; i++) {
		struct str head = str_trim(record->fields[i]);
		int column = -1;
		for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
			if (str_eq(head, str_of(heads[k].head)))
				column = (int)heads[k].column;
		if (run_key.n && str_eq(head, run_key))
			column = SLURM_RUN_KEY;
		for (size_t k = 0; k < DBD_COLUMNS; k++)
			if (str_eq(head, str_of(own_heads[k])) && t->own[k] < 0)
				t->own[k] = (int16_t)i;
		slurm_layout_add_as(&t->layout, column);
	}
	return t->own[DBD_ID] >= 0 && t->own[DBD_STATE] >= 0 && t->layout.field[SLURM_START] >= 0 &&
	       t->layout.field[SLURM_END] >= 0;
}

static int slurmdbd_recognise(struct str head, const struct read_options *options)
{
	auto_arena a = ARENA_NULL;
	struct slurmdbd *t = ARENA_NEW(&a, struct slurmdbd);
	struct csv_record *record = ARENA_NEW(&a, struct csv_record);
	(void)options;
	return read_header(t, &head, record, STR_NULL) ? 90 : 0;
}

static enum err_code slurmdbd_open(struct read_run *run, struct str head, struct err *err)
{
	struct slurmdbd *t = ARENA_NEW(run->a, struct slurmdbd);
	struct csv_record *record = ARENA_NEW(run->a, struct csv_record);
	struct str rest = head;
	if (!read_header(t, &rest, record, run->options->run_key))
		return err_set(err, ERR_INPUT,
		               "no header of slurmdbd's job table: id_job, state, time_start and "
		               "time_end are needed");
	run->state = t;
	run->body_at = rest.p ? (size_t)(rest.p - head.p) : head.n;
	run->body_line = 1 + record->lines;
	return ERR_OK;
}

/* One feed's row: fields, and room for what is put into other words. */
struct dbd_row {
	const struct slurmdbd *t;
	struct csv_record *record;
	struct arena *a;
	struct slurm_feed *s;
};

static struct str own(const struct dbd_row *r, enum dbd_column c)
{
	int k = r->t->own[c];
	if (k < 0 || (size_t)k >= r->record->n)
		return STR_NULL;
	struct str w = str_trim(r->record->fields[k]);
	return str_eq(w, S("NULL")) || str_eq(w, S("\\N")) ? STR_NULL : w;
}

/* sacct's id: "123", "123_4", "123_[5-8]", "123+1"; as written when it is not a number. */
static struct str row_id(const struct dbd_row *r)
{
	struct str id = own(r, DBD_ID);
	uint64_t job, array, task;
	r->s->is_loose_id = !str_to_u64(id, &job);
	uint64_t het, offset;
	if (str_to_u64(own(r, DBD_HET_ID), &het) && het &&
	    str_to_u64(own(r, DBD_HET_OFFSET), &offset) && offset < NO_VAL)
		return str_of(arena_printf(r->a, "%llu+%llu", (unsigned long long)het,
		                           (unsigned long long)offset));
	if (r->s->is_loose_id || !str_to_u64(own(r, DBD_ARRAY_ID), &array) || !array)
		return id;
	struct str tasks = own(r, DBD_ARRAY_TASKS);
	char *z = NULL;
	if (str_to_u64(own(r, DBD_ARRAY_TASK), &task) && task < NO_VAL)
		z = arena_printf(r->a, "%llu_%llu", (unsigned long long)array,
		                 (unsigned long long)task);
	else if (tasks.n)
		z = arena_printf(r->a, "%llu_[%.*s]", (unsigned long long)array, STR_FMT(tasks));
	return z ? str_of(z) : id;
}

/* "['n1', 'n2']", as one published data set writes it, to "n1,n2". */
static struct str row_nodes(const struct dbd_row *r)
{
	struct str w = own(r, DBD_NODE_LIST);
	if (!str_starts(w, S("['")) || !str_ends(w, S("']")))
		return w;
	char *z = arena_bytes(r->a, w.n);
	size_t n = 0;
	for (size_t i = 1; i + 1 < w.n; i++)
		if (w.p[i] != '\'' && w.p[i] != ' ')
			z[n++] = w.p[i];
	return (struct str){ z, n };
}

static bool row_read(const struct dbd_row *r, uint64_t line)
{
	struct slurm_feed *s = r->s;
	const struct slurm_layout *l = &r->t->layout;
	for (size_t i = 0; i < l->wanted_n; i++) {
		struct str w = csv_field(r->a, &r->t->dialect, r->record, l->wanted[i]);
		if (str_eq(w, S("NULL")) || str_eq(w, S("\\N")))
			w = str_sub(w, 0, 0);
		s->value[l->wanted_as[i]] = w;
	}
	int64_t number, status;
	const struct slurm_state *state =
	        str_to_i64(own(r, DBD_STATE), &number) ? slurm_state_number(number) : NULL;
	if (!state) {
		facts_reject(s->f, line, "state: no number of slurmdbd's: '%.*s'",
		             STR_FMT(str_sub(own(r, DBD_STATE), 0, 40)));
		return false;
	}
	s->value[SLURM_ID] = row_id(r);
	s->value[SLURM_STATE] = str_of(state->name);
	s->value[SLURM_NODE_LIST] = row_nodes(r);
	s->value[SLURM_EXIT_CODE] = S("");
	if (str_to_i64(own(r, DBD_EXIT_CODE), &status) && status >> 8 & 0xff)
		s->value[SLURM_EXIT_CODE] = S("1:0");         /* a wait status: any exit but 0 */
	if (str_ends(own(r, DBD_JOB_TYPE), S("INTERACTIVE"))) /* MIT's launcher says so */
		s->value[SLURM_SUBMIT_LINE] = S("salloc");
	else if (l->field[SLURM_SUBMIT_LINE] < 0)
		s->value[SLURM_SUBMIT_LINE] = STR_NULL;
	return true;
}

static enum err_code slurmdbd_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                   struct facts *f, struct err *err)
{
	const struct slurmdbd *t = run->state;
	auto_arena a = ARENA_NULL;
	struct dbd_row r = { .t = t, .a = &a };
	(void)err;
	r.record = ARENA_NEW(&a, struct csv_record);
	r.s = slurm_feed_begin(&a, &t->layout, run->options, f);
	for (; csv_cut_record(&t->dialect, &bytes, r.record); line += r.record->lines) {
		if (r.record->is_blank)
			continue;
		if (r.record->n != t->layout.fields || r.record->is_bad || r.record->is_open) {
			r.s->records++;
			facts_reject(f, line, "%u fields, the header has %zu", r.record->n,
			             t->layout.fields);
		} else if (row_read(&r, line)) {
			slurm_feed_row(r.s, line);
		} else {
			r.s->records++;
		}
	}
	slurm_feed_end(r.s);
	return ERR_OK;
}

static enum err_code slurmdbd_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	slurm_join_coverage(f);
	slurm_note_run_key(run->options, &((const struct slurmdbd *)run->state)->layout, f);
	return ERR_OK;
}

static size_t slurmdbd_record_start(const struct read_run *run, struct str bytes, size_t at)
{
	const struct slurmdbd *t = run->state;
	return csv_record_start(&t->dialect, bytes, at);
}

const struct reader reader_slurmdbd = {
	.name = "slurmdbd",
	.help = "The job table of slurmdbd: mysql -B slurm_acct_db -e 'select * from "
	        "CLUSTER_job_table', "
	        "or the same as CSV.",
	.cut = CUT_LINES,
	.recognise = slurmdbd_recognise,
	.open = slurmdbd_open,
	.feed = slurmdbd_feed,
	.end = slurmdbd_end,
	.record_start = slurmdbd_record_start,
};
