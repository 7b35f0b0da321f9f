/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hostlist.h"
#include "parse/when.h"
#include "read/slurm_cell.h"

#define ARRAY_TASKS_MAX 100000u /* tasks of one pending array that become jobs */

struct slurm_feed *slurm_feed_begin(struct arena *a, const struct slurm_layout *l,
                                    const struct read_options *o, struct facts *f)
{
	struct slurm_feed *s = ARENA_NEW(a, struct slurm_feed);
	s->layout = l;
	s->options = o;
	s->f = f;
	s->seen = (struct span){ INT64_MAX, INT64_MIN };
	s->qos_label = facts_word(f, S("qos"));
	return s;
}

void slurm_feed_end(struct slurm_feed *s)
{
	struct facts *f = s->f;
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += s->records;
	if (s->seen.from_ms < s->seen.to_ms)
		*vec_push(&f->scheduler) = s->seen;
	f->has_scheduler = true;
}

/* Plain digits, and so few that they cannot run over. */
static inline bool digits_of(struct str w, uint32_t *ret)
{
	uint32_t v = 0;
	if (!w.n || w.n > 8)
		return false;
	for (size_t i = 0; i < w.n; i++) {
		uint32_t digit = (uint32_t)(unsigned char)w.p[i] - '0';
		if (digit > 9)
			return false;
		v = v * 10 + digit;
	}
	*ret = v;
	return true;
}

static uint32_t count_of(const struct slurm_feed *s, enum slurm_column c)
{
	int64_t v; /* "1K": Slurm shortens large counts of nodes */
	struct str w = s->value[c];
	uint32_t plain;
	if (digits_of(w, &plain))
		return plain;
	int64_t scale = str_ends(w, S("K")) ? 1024 : 1;
	if (scale > 1)
		w.n--;
	if (!str_to_fixed(w, 0, &v) || v < 0 || v > GPUS_MAX / scale)
		return COUNT_UNKNOWN;
	return (uint32_t)(v * scale);
}

static uint32_t first_count(const struct slurm_feed *s, enum slurm_column a, enum slurm_column b)
{
	uint32_t n = s->value[a].n ? count_of(s, a) : COUNT_UNKNOWN;
	return n != COUNT_UNKNOWN || !s->value[b].n ? n : count_of(s, b);
}

static void row_reason(struct slurm_feed *s, struct slurm_row *r, struct job *j)
{
	struct str reason = s->value[SLURM_REASON];
	if (!str_eq(reason, S("None")) && !str_eq(reason, S("(null)")))
		r->traits.reason = slurm_word_of(s, SLURM_REASON);
	if (!reason.n && s->value[SLURM_NODE_LIST_REASON].n &&
	    s->value[SLURM_NODE_LIST_REASON].p[0] == '(') {
		reason = s->value[SLURM_NODE_LIST_REASON];
		reason = str_sub(reason, 1, reason.n > 1 ? reason.n - 2 : 0);
		r->traits.reason = facts_word(s->f, reason);
	}
	if (!reason.n)
		return;
	struct slurm_word *k = slurm_word_at(s, reason);
	if (!k->reason)
		k->reason = (uint8_t)(1 + slurm_reason_class(reason));
	enum slurm_reason_class class = k->reason - 1u;
	j->is_policy = class == SLURM_REASON_POLICY;
	/* not waiting for GPUs yet: eligible after anything that was observed */
	if (class == SLURM_REASON_NOT_ELIGIBLE && r->start_ms == TIME_UNKNOWN &&
	    r->end_ms == TIME_UNKNOWN)
		j->eligible_ms = TIME_MS_MAX;
}

static bool row_is_interactive(struct slurm_feed *s, bool *ret_known)
{
	struct str name = s->value[SLURM_NAME], line = s->value[SLURM_SUBMIT_LINE];
	if (line.n || !name.n)
		return slurm_is_interactive(name, line, ret_known);
	struct slurm_word *k = slurm_word_at(s, name);
	if (!k->interactive)
		k->interactive = slurm_is_interactive(name, line, ret_known) ? 2 : 1;
	*ret_known = false;
	return k->interactive == 2;
}

static struct word_list row_label(struct slurm_feed *s)
{
	struct str qos = s->value[SLURM_QOS];
	if (!qos.n)
		return (struct word_list){ 0 };
	struct slurm_word *k = slurm_word_at(s, qos);
	if (!k->label.n) {
		const sym pair[] = { s->qos_label, k->id };
		k->label = (struct word_list){ traits_list(&s->f->traits, pair, 2).at, 1 };
	}
	return k->label;
}

static void row_words(struct slurm_feed *s, struct job_traits *t, struct job *j)
{
	t->user = slurm_word_of(s, SLURM_USER);
	t->team = slurm_word_of(s, SLURM_ACCOUNT);
	t->queue = slurm_word_of(s, SLURM_PARTITION);
	t->cluster = slurm_word_of(s, SLURM_CLUSTER);
	t->run = slurm_word_of(s, SLURM_RUN_KEY);
	t->labels = row_label(s);
	j->name = slurm_word_of(s, SLURM_NAME);
	bool is_known;
	if (row_is_interactive(s, &is_known))
		j->kind = KIND_INTERACTIVE;
	j->kind_known = is_known;
}

static sym row_nodes(struct slurm_feed *s)
{
	enum slurm_column c =
	        s->value[SLURM_NODE_LIST].n ? SLURM_NODE_LIST : SLURM_NODE_LIST_REASON;
	struct str w = s->value[c];
	if (!w.n || w.p[0] == '(' || slurm_row_is_unplaced(s) || (s->has_cuts && s->is_cut[c]))
		return 0;
	if ((w.n == 7 && str_eq_nocase(w, S("Unknown"))) || str_eq(w, S("N/A")) ||
	    str_eq(w, S("None")))
		return 0;
	return facts_word(s->f, w); /* few come twice in a piece: they would push out other words */
}

static void row_job(struct slurm_feed *s, struct slurm_row *r, struct str id)
{
	uint32_t at = (uint32_t)s->f->jobs.n;
	struct job *j = facts_job(s->f, id);
	struct job_traits *t = &r->traits;
	uint32_t plain;
	int64_t priority;
	j->is_slurm = !s->is_loose_id;
	j->submit_ms = r->submit_ms;
	j->eligible_ms = r->eligible_ms;
	j->start_ms = r->start_ms;
	j->end_ms = r->end_ms;
	j->outcome = (uint8_t)r->outcome;
	t->restarts = s->value[SLURM_RESTARTS].n ? count_of(s, SLURM_RESTARTS) : COUNT_UNKNOWN;
	t->node_count = r->start_ms == TIME_UNKNOWN
	                        ? first_count(s, SLURM_REQ_NODES, SLURM_NODES)
	                        : first_count(s, SLURM_NODES, SLURM_ALLOC_NODES);
	t->cpus = first_count(s, SLURM_ALLOC_CPUS, SLURM_CPUS);
	row_words(s, t, j);
	row_reason(s, r, j);
	r->nodes = r->start_ms == TIME_UNKNOWN ? 0 : row_nodes(s);
	j->node_names = r->nodes;
	if (!r->nodes && s->is_cut[SLURM_NODE_LIST])
		facts_note(s->f, "A list of nodes is cut off and was left out: ask sacct for "
		                 "--parsable2.");
	slurm_row_gpus(s, r, j, at);
	job_set_traits(s->f, j, t);
	if (digits_of(s->value[SLURM_PRIORITY], &plain))
		j->priority = (int32_t)plain;
	else if (str_to_i64(s->value[SLURM_PRIORITY], &priority) ||
	         str_to_fixed(s->value[SLURM_PRIORITY], 14, &priority)) /* squeue's fractions */
		job_set_priority(s->f, j, priority);
	if (r->start_ms != TIME_UNKNOWN && r->start_ms < s->seen.from_ms)
		s->seen.from_ms = r->start_ms;
	slurm_saw(s, r->submit_ms);
	slurm_saw(s, r->start_ms);
	slurm_saw(s, r->end_ms);
}

enum row_kind { ROW_JOB, ROW_STEP, ROW_ARRAY, ROW_NO_ID };

/* "123", "123_4", "123+0"; with ".batch" and the like a step; "123_[5-8%2]" tasks that wait. */
static enum row_kind row_kind(struct str id)
{
	size_t i = 0;
	while (i < id.n && id.p[i] >= '0' && id.p[i] <= '9')
		i++;
	if (!i)
		return ROW_NO_ID;
	if (i == id.n)
		return ROW_JOB;
	if (id.p[i] == '_' && i + 1 < id.n && id.p[i + 1] == '[')
		return ROW_ARRAY;
	for (int part = 0; part < 2 && i + 1 < id.n && (id.p[i] == '_' || id.p[i] == '+'); part++)
		for (i++; i < id.n && id.p[i] >= '0' && id.p[i] <= '9';)
			i++;
	if (i == id.n)
		return id.p[i - 1] == '_' || id.p[i - 1] == '+' ? ROW_NO_ID : ROW_JOB;
	return id.p[i] == '.' ? ROW_STEP : ROW_NO_ID;
}

struct array_tasks {
	struct slurm_feed *s;
	const struct slurm_row *row;
	uint32_t left;
};

static void add_task(void *context, struct str id)
{
	struct array_tasks *t = context;
	struct slurm_row r = *t->row;
	if (t->left) {
		t->left--;
		row_job(t->s, &r, id);
	}
}

/* Each task of "123_[5-8,10%2]" waits. "..." at the end: squeue leaves tasks out. */
static void row_array(struct slurm_feed *s, uint64_t line, const struct slurm_row *r, struct str id)
{
	auto_text list = TEXT_NULL;
	uint32_t n;
	size_t end = 0;
	while (end < id.n && id.p[end] != ']' && id.p[end] != '%')
		end++;
	struct str tasks = str_sub(id, 0, end);
	if (str_ends(tasks, S("..."))) {
		facts_note(s->f,
		           "squeue shortened a list of array tasks ('...'): the tasks that it "
		           "left out are not counted. SLURM_BITSTR_LEN=0 prints them all.");
		tasks.n -= 3;
		while (tasks.n && (tasks.p[tasks.n - 1] == ',' || tasks.p[tasks.n - 1] == '-'))
			tasks.n--;
	}
	text_add(&list, tasks);
	text_byte(&list, ']');
	if (hostlist_count(text_str(&list), &n) != HOSTLIST_OK) {
		facts_reject(s->f, line, "JobID: no list of array tasks: '%.*s'",
		             STR_FMT(str_sub(id, 0, 60)));
		return;
	}
	if (n > ARRAY_TASKS_MAX)
		facts_note(s->f,
		           "A pending array has more than 100000 tasks: the rest is not counted.");
	struct array_tasks t = { s, r, ARRAY_TASKS_MAX };
	hostlist_each(text_str(&list), add_task, &t);
}

bool slurm_feed_fits(const struct slurm_feed *s)
{
	static const enum slurm_column times[] = { SLURM_SUBMIT, SLURM_ELIGIBLE, SLURM_START,
		                                   SLURM_END };
	int64_t ms;
	struct str id = s->value[SLURM_ID].n ? s->value[SLURM_ID] : s->value[SLURM_ID_RAW];
	if (row_kind(id) == ROW_NO_ID || !slurm_state_find(s->value[SLURM_STATE]))
		return false;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (when_parse(s->value[times[i]], NULL, &ms) == WHEN_BAD)
			return false;
	return true;
}

void slurm_feed_row(struct slurm_feed *s, uint64_t line)
{
	struct str id = s->value[SLURM_ID].n ? s->value[SLURM_ID] : s->value[SLURM_ID_RAW];
	struct slurm_row r = { .traits = JOB_TRAITS_UNKNOWN };
	s->records++;
	enum row_kind kind = s->is_loose_id ? ROW_JOB : row_kind(id);
	if (kind == ROW_STEP) {
		s->steps++;
		return;
	}
	if (kind == ROW_NO_ID || (s->has_cuts && s->is_cut[SLURM_ID])) {
		facts_reject(s->f, line, "JobID: not a job's number: '%.*s'",
		             STR_FMT(str_sub(id, 0, 40)));
		return;
	}
	if (!slurm_row_settle(s, line, &r))
		return;
	if (kind == ROW_ARRAY)
		row_array(s, line, &r, id);
	else
		row_job(s, &r, id);
}
