/* SPDX-License-Identifier: Apache-2.0 */
#include "read/slurm.h"

static const struct slurm_state states_of_slurm[] = {
#define SLURM_STATE(number, name, outcome, phase, help) \
	{ #name, help, number, OUTCOME_##outcome, SLURM_##phase },
#include "read/slurm_states.def"
#undef SLURM_STATE
};
#define STATES (sizeof states_of_slurm / sizeof *states_of_slurm)

/* squeue's %t, by squeue(1), JOB STATE CODES. */
static const struct {
	const char *code, *name;
} state_codes[] = {
	{ "PD", "PENDING" },   { "R", "RUNNING" },        { "CG", "COMPLETING" },
	{ "CD", "COMPLETED" }, { "CF", "CONFIGURING" },   { "S", "SUSPENDED" },
	{ "ST", "STOPPED" },   { "F", "FAILED" },         { "CA", "CANCELLED" },
	{ "TO", "TIMEOUT" },   { "NF", "NODE_FAIL" },     { "PR", "PREEMPTED" },
	{ "BF", "BOOT_FAIL" }, { "DL", "DEADLINE" },      { "OOM", "OUT_OF_MEMORY" },
	{ "RQ", "REQUEUED" },  { "RH", "REQUEUE_HOLD" },  { "RS", "RESIZING" },
	{ "RV", "REVOKED" },   { "SE", "SPECIAL_EXIT" },  { "SI", "SIGNALING" },
	{ "SO", "STAGE_OUT" }, { "RD", "RESV_DEL_HOLD" }, { "RF", "REQUEUE_FED" },
};

static const struct slurm_state *state_named(struct str name)
{
	for (size_t i = 0; i < STATES; i++)
		if (str_eq(name, str_of(states_of_slurm[i].name)))
			return &states_of_slurm[i];
	return NULL;
}

const struct slurm_state *slurm_state_find(struct str word)
{
	word = str_sub(word, 0, str_find_byte(word, ' ')); /* "CANCELLED by 1000" */
	if (str_ends(word, S("+")) && word.n > 1) {        /* cut off: the first that begins so */
		const struct slurm_state *found = NULL;
		word.n--;
		for (size_t i = 0; i < STATES; i++)
			if (str_starts(str_of(states_of_slurm[i].name), word)) {
				if (found)
					return NULL; /* "RE+" may be several */
				found = &states_of_slurm[i];
			}
		return found;
	}
	for (size_t i = 0; word.n <= 3 && i < sizeof state_codes / sizeof *state_codes; i++)
		if (str_eq(word, str_of(state_codes[i].code)))
			return state_named(str_of(state_codes[i].name));
	if (str_eq(word, S("CANCELED")))
		word = S("CANCELLED");
	return state_named(word);
}

const struct slurm_state *slurm_state_number(int64_t number)
{
	int64_t base = number & 0xff;
	if (number >= 0)
		for (size_t i = 0; i < STATES; i++)
			if (states_of_slurm[i].number == base)
				return &states_of_slurm[i];
	return NULL;
}

enum match { EXACT, STARTS, HAS };

enum slurm_reason_class slurm_reason_class(struct str reason)
{
	static const struct {
		const char *word;
		enum match match;
		enum slurm_reason_class class;
	} reasons[] = {
#define SLURM_REASON(word, match, class, help) { word, match, SLURM_REASON_##class },
#include "read/slurm_reasons.def"
#undef SLURM_REASON
	};
	if (str_starts(reason, S("(")) && str_ends(reason, S(")")) && !str_eq(reason, S("(null)")))
		reason = str_sub(reason, 1, reason.n - 2); /* squeue's NODELIST(REASON) */
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		struct str word = str_of(reasons[i].word);
		if (reasons[i].match == EXACT    ? str_eq(reason, word)
		    : reasons[i].match == STARTS ? str_starts(reason, word)
		                                 : str_find(reason, word) < reason.n)
			return reasons[i].class;
	}
	return reason.n ? SLURM_REASON_RESOURCES : SLURM_REASON_NOTHING;
}

bool slurm_is_interactive(struct str name, struct str submit_line, bool *ret_known)
{
	static const char *const names[] = { "interactive", "bash",    "sh",         "zsh",
		                             "tcsh",        "csh",     "fish",       "ksh",
		                             "salloc",      "jupyter", "jupyterlab", "vscode" };
	struct str program = STR_NULL;
	submit_line = str_trim(submit_line);
	*ret_known = submit_line.n > 0;
	str_cut(&submit_line, ' ', &program);
	if (str_ends(program, S("salloc")))
		return true;
	if (str_ends(program, S("srun")))
		return str_find(submit_line, S("--pty")) < submit_line.n;
	if (str_ends(program, S("sbatch")))
		return false;
	*ret_known = false;
	/* Open OnDemand: "sys/dashboard/sys/bc_desktop", "ood/..." */
	if (str_starts(name, S("sys/dashboard/")) || str_starts(name, S("ood/")))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_eq(name, str_of(names[i])))
			return true;
	return false;
}

static const struct {
	const char *name, *other;
	bool is_text;
} columns[SLURM_COLUMNS] = {
#define SLURM_COLUMN(id, name, other, is_text) { name, other, is_text },
#include "read/slurm_columns.def"
#undef SLURM_COLUMN
};

int slurm_column_find(struct str head)
{
	head = str_trim(head);
	size_t percent =
	        str_find_byte(head, '%'); /* sacct's own "JobName%30" never reaches a head */
	head = str_sub(head, 0, percent);
	if (head.n)
		for (int i = 0; i < SLURM_COLUMNS; i++)
			if (str_eq_nocase(head, str_of(columns[i].name)) ||
			    str_eq_nocase(head, str_of(columns[i].other)))
				return i;
	if (str_eq(head, S("ST")))
		return SLURM_STATE;
	return -1;
}

bool slurm_column_is_text(int column)
{
	return column >= 0 && columns[column].is_text;
}

static void layout_want(struct slurm_layout *l, size_t field, int column)
{
	if (l->field[column] >= 0)
		return; /* a column twice: the first one */
	l->field[column] = (int16_t)field;
	l->wanted[l->wanted_n] = (uint16_t)field;
	l->wanted_as[l->wanted_n++] = (uint8_t)column;
}

void slurm_layout_add_as(struct slurm_layout *l, int column)
{
	if (!l->fields)
		memset(l->field, -1, sizeof l->field);
	if (l->fields >= FIELDS_MAX)
		return;
	l->column[l->fields] = (int8_t)column;
	if (column >= 0)
		layout_want(l, l->fields, column);
	l->fields++;
}

void slurm_layout_add(struct slurm_layout *l, struct str head, struct str run_key)
{
	size_t field = l->fields;
	slurm_layout_add_as(l, slurm_column_find(head));
	if (run_key.n && l->fields > field && str_eq_nocase(str_trim(head), run_key))
		layout_want(l, field, SLURM_RUN_KEY);
}

/* What only the whole input shows: it may lack what was asked for. */
static void note_what_is_missing(struct facts *f)
{
	const struct input_info *in = f->inputs.n ? &f->inputs.v[f->inputs.n - 1] : NULL;
	bool is_told = false, has_gpus = false;
	for (size_t i = 0; i < f->jobs.n && !has_gpus; i++) {
		is_told |= f->jobs.v[i].gpus != COUNT_UNKNOWN;
		has_gpus = f->jobs.v[i].gpus != COUNT_UNKNOWN && f->jobs.v[i].gpus;
	}
	if (in && !f->jobs.n && in->records > in->rejected)
		facts_note(
		        f,
		        "Only steps are listed, no job: nothing can be counted. Ask sacct for the "
		        "jobs' own rows.");
	if (is_told && !has_gpus)
		facts_note(f, "No job's resources name a GPU: either none held one, or Slurm's "
		              "AccountingStorageTRES lacks gres/gpu.");
}

void slurm_note_zone(const struct read_options *o, struct facts *f)
{
	if (!o->zone)
		facts_note(f, "Slurm's times have no zone and were read as UTC: --tz ZONE, or "
		              "FILE@tz=ZONE, says another.");
}

void slurm_join_coverage(struct facts *f)
{
	struct span all = { TIME_UNKNOWN, TIME_UNKNOWN };
	for (size_t i = 0; i < f->scheduler.n; i++) {
		struct span s = f->scheduler.v[i];
		if (i == 0 || s.from_ms < all.from_ms)
			all.from_ms = s.from_ms;
		if (i == 0 || s.to_ms > all.to_ms)
			all.to_ms = s.to_ms;
	}
	f->scheduler.n = 0;
	if (all.from_ms != TIME_UNKNOWN)
		*vec_push(&f->scheduler) = all;
	f->has_scheduler = true;
	note_what_is_missing(f);
}

void slurm_note_run_key(const struct read_options *o, const struct slurm_layout *l, struct facts *f)
{
	if (o->run_key.n && l->field[SLURM_RUN_KEY] < 0)
		facts_note(f, "An input has no column that --run-key names: attempts of one run "
		              "were told by the job's id.");
}
