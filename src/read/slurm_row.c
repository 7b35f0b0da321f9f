/* SPDX-License-Identifier: Apache-2.0 */
/* tidy: long, because the columns of one row depend on each other */
#include "base/hostlist.h"
#include "parse/duration.h"
#include "parse/when.h"
#include "read/slurm.h"

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

/* Words that came before are not hashed and compared in the table of names again. */

static inline uint64_t load8(const char *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}

static inline uint32_t load4(const char *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}

/* memcmp without the call: most words have fewer than 32 bytes. */
static inline bool is_same(struct str a, struct str b)
{
	size_t n = a.n;
	if (n != b.n)
		return false;
	if (n >= 8) {
		for (size_t i = 0; i + 8 < n; i += 8)
			if (load8(a.p + i) != load8(b.p + i))
				return false;
		return load8(a.p + n - 8) == load8(b.p + n - 8);
	}
	if (n >= 4)
		return load4(a.p) == load4(b.p) && load4(a.p + n - 4) == load4(b.p + n - 4);
	for (size_t i = 0; i < n; i++)
		if (a.p[i] != b.p[i])
			return false;
	return true;
}

/* S is not empty. */
static inline uint64_t mix(struct str s)
{
	uint64_t h = s.n >= 8   ? load8(s.p) * 31 + load8(s.p + s.n - 8)
	             : s.n >= 4 ? (uint64_t)load4(s.p) << 32 | load4(s.p + s.n - 4)
	                        : (uint64_t)(unsigned char)s.p[0] << 16 |
	                                  (uint64_t)(unsigned char)s.p[s.n / 2] << 8 |
	                                  (unsigned char)s.p[s.n - 1];
	return (h + s.n) * 0x9e3779b97f4a7c15u;
}

static inline size_t slot_of(struct str s)
{
	return mix(s) >> 58;
}
_Static_assert(SLURM_SLOTS == 1 << (64 - 58), "slot_of gives that many");
_Static_assert(SLURM_WORD_SLOTS == 1 << (64 - 53), "word_at gives that many");

/* W is not empty. */
static inline struct slurm_word *word_at(struct slurm_feed *s, struct str w)
{
	struct slurm_word *k = &s->words[mix(w) >> 53];
	if (!is_same(k->text, w))
		*k = (struct slurm_word){ .text = w, .id = facts_word(s->f, w) };
	return k;
}

static inline sym word_of(struct slurm_feed *s, enum slurm_column c)
{
	return s->value[c].n ? word_at(s, s->value[c])->id : 0;
}

static const struct slurm_tres *tres_of(struct slurm_feed *s, enum slurm_column c)
{
	struct str w = s->value[c];
	struct slurm_tres *k = &s->tres[w.n ? slot_of(w) : 0];
	if (w.n && k->is_filled && is_same(k->text, w))
		return k;
	*k = (struct slurm_tres){ .text = w, .is_filled = true };
	k->answer = tres_parse(w, NULL, 0, &k->counts);
	if (k->answer == TRES_OK)
		k->model = facts_word(s->f, k->counts.model);
	return k;
}

/* Times. */

enum time_answer { TIME_GOOD, TIME_NONE, TIME_WRONG };

/* The usual row names the same day three times: of "2026-11-30T12:00:00" only the clock is read. */
static inline bool same_day(const struct slurm_feed *s, const char *p, int64_t *ret_ms)
{
	if (load8(p) != load8(s->date) || load4(p + 7) != load4(s->date + 7))
		return false;
	uint64_t v = load8(p + 11) ^ 0x3030303030303030u;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	const uint64_t colons = 0x0000ff0000ff0000u;
	uint64_t wrong = (v & colons) ^ 0x00000a00000a0000u; /* ':' ^ '0' is 10 */
	v &= ~colons;
	wrong |= ((v + 0x7676767676767676u) | v) & 0x8080808080808080u;
	v = v * 10 + (v >> 8);
	int64_t h = v & 0xff, m = v >> 24 & 0xff, sec = v >> 48 & 0xff;
	*ret_ms = s->date_ms + (h * 3600 + m * 60 + sec) * 1000;
	return !wrong && h < 24 && m < 60 && sec < 60;
}

static enum time_answer time_other(struct slurm_feed *s, enum slurm_column c, int64_t *ret_ms)
{
	const struct zone *zone = s->options->zone;
	struct str w = s->value[c];
	enum when answer = when_parse(w, zone, ret_ms);
	if (answer == WHEN_OK && w.n == 19 && !zone) {
		/* 1970-01-01 may be a time that is not known: never taken from here */
		memcpy(s->date, w.p, 11);
		s->date_ms = *ret_ms - (*ret_ms % 86400000 + 86400000) % 86400000;
		if (s->date_ms >= -86400000 && s->date_ms <= 86400000)
			s->date[0] = 0;
	}
	if (answer == WHEN_OK)
		return TIME_GOOD;
	*ret_ms = TIME_UNKNOWN;
	if (answer == WHEN_GAP)
		facts_note(s->f,
		           "A local time that the clock skips in spring was left unknown; check "
		           "the time zone of this input (FILE@tz=ZONE).");
	return answer == WHEN_BAD ? TIME_WRONG : TIME_NONE;
}

static inline enum time_answer time_of(struct slurm_feed *s, enum slurm_column c, int64_t *ret_ms)
{
	*ret_ms = TIME_UNKNOWN;
	if (s->value[c].n == 19 && same_day(s, s->value[c].p, ret_ms))
		return TIME_GOOD;
	return time_other(s, c, ret_ms);
}

static int64_t elapsed_of(const struct slurm_feed *s)
{
	int64_t ms;
	if (str_to_i64(s->value[SLURM_ELAPSED_RAW], &ms) && ms >= 0 && ms < TIME_MS_MAX / 1000)
		return ms * 1000;
	if (duration_parse_slurm(s->value[SLURM_ELAPSED], &ms) == DURATION_OK)
		return ms;
	return TIME_UNKNOWN;
}

static uint32_t count_of(const struct slurm_feed *s, enum slurm_column c)
{
	int64_t v; /* "1K": Slurm shortens large counts of nodes */
	struct str w = s->value[c];
	if (w.n == 1 && w.p[0] >= '0' && w.p[0] <= '9')
		return (uint32_t)(w.p[0] - '0');
	int64_t scale = str_ends(w, S("K")) ? 1024 : 1;
	if (scale > 1)
		w.n--;
	if (!str_to_fixed(w, 0, &v) || v < 0 || v * scale >= COUNT_UNKNOWN)
		return COUNT_UNKNOWN;
	return (uint32_t)(v * scale);
}

static uint32_t first_count(const struct slurm_feed *s, enum slurm_column a, enum slurm_column b)
{
	uint32_t n = s->value[a].n ? count_of(s, a) : COUNT_UNKNOWN;
	return n != COUNT_UNKNOWN || !s->value[b].n ? n : count_of(s, b);
}

static void saw(struct slurm_feed *s, int64_t ms)
{
	if (ms != TIME_UNKNOWN && ms > s->seen.to_ms)
		s->seen.to_ms = ms;
}

/* The row's times and state, settled. */
struct row {
	const struct slurm_state *state;
	int64_t submit_ms, eligible_ms, start_ms, end_ms;
	sym model, nodes;
	const struct tres_counts *held; /* NULL: not known */
	bool is_known;
};

static bool row_wrong_time(struct slurm_feed *s, uint64_t line, enum slurm_column c,
                           const char *name)
{
	facts_reject(s->f, line,
	             "%s: not a time: '%.*s' (SLURM_TIME_FORMAT=standard makes sacct print one)",
	             name, STR_FMT(str_sub(s->value[c], 0, 40)));
	return false;
}

static bool row_is_unplaced(const struct slurm_feed *s)
{
	return str_eq(s->value[SLURM_NODE_LIST], S("None assigned"));
}

static bool row_times(struct slurm_feed *s, uint64_t line, struct row *r)
{
	time_of(s, SLURM_SUBMIT, &r->submit_ms);
	time_of(s, SLURM_ELIGIBLE, &r->eligible_ms);
	if (time_of(s, SLURM_START, &r->start_ms) == TIME_WRONG)
		return row_wrong_time(s, line, SLURM_START, "Start");
	if (time_of(s, SLURM_END, &r->end_ms) == TIME_WRONG)
		return row_wrong_time(s, line, SLURM_END, "End");
	enum slurm_phase phase = r->state->phase;
	if (phase == SLURM_WAITS && r->end_ms == TIME_UNKNOWN)
		r->start_ms = TIME_UNKNOWN;                 /* squeue prints when it may start */
	if (phase != SLURM_ENDED && !s->value[SLURM_END].p) /* squeue: when it must end */
		r->end_ms = TIME_UNKNOWN;
	int64_t elapsed_ms = TIME_UNKNOWN;
	if (phase == SLURM_RUNS || r->start_ms == TIME_UNKNOWN || r->end_ms == TIME_UNKNOWN ||
	    r->start_ms == r->end_ms)
		elapsed_ms = elapsed_of(s);
	if (phase == SLURM_RUNS && r->end_ms == TIME_UNKNOWN && r->start_ms != TIME_UNKNOWN &&
	    elapsed_ms != TIME_UNKNOWN)
		saw(s, r->start_ms + elapsed_ms); /* when the list was made */
	if (phase == SLURM_ENDED && elapsed_ms != TIME_UNKNOWN) {
		if (r->start_ms == TIME_UNKNOWN && r->end_ms != TIME_UNKNOWN && elapsed_ms)
			r->start_ms = r->end_ms - elapsed_ms;
		else if (r->end_ms == TIME_UNKNOWN && r->start_ms != TIME_UNKNOWN)
			r->end_ms = r->start_ms + elapsed_ms;
	}
	/* cancelled in the queue: Slurm writes the time of the cancellation as its start */
	if (r->start_ms != TIME_UNKNOWN && r->start_ms == r->end_ms && row_is_unplaced(s))
		r->start_ms = TIME_UNKNOWN;
	if (r->start_ms != TIME_UNKNOWN && r->end_ms != TIME_UNKNOWN && r->end_ms < r->start_ms) {
		facts_reject(s->f, line, "End lies before Start");
		return false;
	}
	return true;
}

static inline bool row_state(struct slurm_feed *s, uint64_t line, struct row *r)
{
	struct str w = s->value[SLURM_STATE];
	size_t at = w.n ? slot_of(w) : 0;
	if (!s->states[at].state || !is_same(s->states[at].text, w)) {
		s->states[at].text = w;
		s->states[at].state = slurm_state_find(w);
	}
	r->state = s->states[at].state;
	if (!r->state)
		facts_reject(s->f, line, "State: no word of Slurm's: '%.*s'",
		             STR_FMT(str_sub(w, 0, 40)));
	return r->state;
}

static enum outcome row_outcome(const struct slurm_feed *s, const struct row *r)
{
	if (r->end_ms == TIME_UNKNOWN && r->state->phase == SLURM_RUNS)
		return OUTCOME_RUNNING;
	if (r->end_ms == TIME_UNKNOWN && r->state->phase == SLURM_WAITS)
		return OUTCOME_WAITING;
	if (r->state->outcome == OUTCOME_WAITING)
		return OUTCOME_ENDED;
	if (r->state->outcome != OUTCOME_ENDED)
		return r->state->outcome;
	/* "1:0" exit status and signal: a requeued attempt says no more than that */
	struct str status = STR_NULL, code = s->value[SLURM_EXIT_CODE];
	int64_t v;
	str_cut(&code, ':', &status);
	return str_to_i64(status, &v) && v ? OUTCOME_FAILED : OUTCOME_ENDED;
}

/* GPUs. */

static const char no_tres_note[] =
        "There is no AllocTRES column: how many GPUs the jobs held is unknown. Ask sacct for "
        "--format=ALL, or at least "
        "JobID,State,Submit,Eligible,Start,End,AllocTRES,ReqTRES,NodeList.";

static bool tres_is_cut(struct slurm_feed *s, enum slurm_column c)
{
	if (!s->has_cuts || !s->is_cut[c])
		return false;
	facts_note(s->f, "A resource string is cut off, so its GPUs are unknown: ask sacct for "
	                 "--parsable2, or a wider column (AllocTRES%200).");
	return true;
}

/* What the job held. Requested is never taken for allocated. */
static void row_held(struct slurm_feed *s, struct row *r)
{
	enum slurm_column c = s->value[SLURM_ALLOC_TRES].n ? SLURM_ALLOC_TRES : SLURM_ALLOC_GRES;
	if (!s->value[SLURM_ALLOC_TRES].p && !s->value[SLURM_ALLOC_GRES].p)
		facts_note(s->f, no_tres_note);
	if (!s->value[c].n || tres_is_cut(s, c))
		return;
	const struct slurm_tres *t = tres_of(s, c);
	if (t->answer != TRES_OK) {
		facts_note(s->f,
		           "A job's allocated resources could not be read: its GPUs are unknown.");
		return;
	}
	if (t->counts.is_assumed)
		facts_note(s->f,
		           "Resources come by number: 1001 and 1002, which a site defines, were "
		           "taken for GPUs.");
	r->held = &t->counts;
	r->model = t->model;
}

static uint32_t row_requested(struct slurm_feed *s, uint32_t nodes, sym *ret_model,
                              uint32_t *ret_per_node)
{
	enum slurm_column c = s->value[SLURM_REQ_TRES].n ? SLURM_REQ_TRES : SLURM_REQ_GRES;
	if (!s->value[c].n || tres_is_cut(s, c))
		return COUNT_UNKNOWN;
	const struct slurm_tres *t = tres_of(s, c);
	if (t->answer != TRES_OK)
		return COUNT_UNKNOWN;
	uint32_t gpus = t->counts.gpus + t->counts.instances;
	*ret_model = t->model;
	if (c == SLURM_REQ_GRES) { /* --gres counts for each node */
		*ret_per_node = gpus;
		if (nodes == COUNT_UNKNOWN || (uint64_t)gpus * nodes > GPUS_MAX)
			return COUNT_UNKNOWN;
		return gpus * nodes;
	}
	if (nodes != COUNT_UNKNOWN && nodes && gpus % nodes == 0)
		*ret_per_node = gpus / nodes;
	return gpus;
}

static void row_allocate(struct slurm_feed *s, const struct row *r, uint32_t job)
{
	struct facts *f = s->f;
	const struct tres_counts *c = r->held;
	sym queue = r->nodes ? 0 : word_of(s, SLURM_PARTITION);
	struct allocation a = { .job = job,
		                .on = r->nodes ? CLAIM_NODES : CLAIM_POOL,
		                .place = r->nodes ? r->nodes : queue,
		                .model = r->model,
		                .count = c->gpus,
		                .share_num = 1,
		                .share_den = 1,
		                .from_ms = TIME_UNKNOWN,
		                .to_ms = TIME_UNKNOWN };
	if (c->gpus)
		*vec_push(&f->allocations) = a;
	if (!c->instances)
		return;
	/* instances of one size are what a job gets; of several sizes the mean is exact in sum */
	a.count = c->instances;
	a.share_num = c->slices;
	a.share_den = (int64_t)c->slices_per_gpu * c->instances;
	*vec_push(&f->allocations) = a;
}

static void row_gpus(struct slurm_feed *s, struct row *r, struct job *j, uint32_t at)
{
	sym model = 0;
	j->requested = row_requested(s, j->node_count, &model, &j->per_node);
	if (model) { /* also of one that started: it waited for this kind */
		j->models_at = (uint32_t)s->f->syms.n;
		j->models_n = 1;
		*vec_push(&s->f->syms) = model;
	}
	if (r->start_ms == TIME_UNKNOWN)
		return;
	row_held(s, r);
	const struct tres_counts *c = r->held;
	if (!c)
		return;
	if (c->shards || c->mps) {
		facts_note(s->f,
		           "Some jobs held shards or MPS percentages: their share of a GPU is not "
		           "in the accounting, so it is unknown.");
		if (!c->gpus && !c->instances)
			return;
	}
	j->gpus = c->gpus + c->instances;
	if (j->gpus)
		row_allocate(s, r, at);
}

/* The job. */

static void row_reason(struct slurm_feed *s, const struct row *r, struct job *j)
{
	struct str reason = s->value[SLURM_REASON];
	if (!str_eq(reason, S("None")) && !str_eq(reason, S("(null)")))
		j->reason = word_of(s, SLURM_REASON);
	if (!reason.n && s->value[SLURM_NODE_LIST_REASON].n &&
	    s->value[SLURM_NODE_LIST_REASON].p[0] == '(') {
		reason = s->value[SLURM_NODE_LIST_REASON];
		reason = str_sub(reason, 1, reason.n > 1 ? reason.n - 2 : 0);
		j->reason = facts_word(s->f, reason);
	}
	if (!reason.n)
		return;
	enum slurm_reason_class class = slurm_reason_class(reason);
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
	struct slurm_word *k = word_at(s, name);
	if (!k->interactive)
		k->interactive = slurm_is_interactive(name, line, ret_known) ? 2 : 1;
	*ret_known = false;
	return k->interactive == 2;
}

static void row_words(struct slurm_feed *s, struct job *j)
{
	struct facts *f = s->f;
	j->user = word_of(s, SLURM_USER);
	j->team = word_of(s, SLURM_ACCOUNT);
	j->queue = word_of(s, SLURM_PARTITION);
	j->cluster = word_of(s, SLURM_CLUSTER);
	j->name = word_of(s, SLURM_NAME);
	j->run = word_of(s, SLURM_RUN_KEY);
	sym qos = word_of(s, SLURM_QOS);
	if (qos) {
		j->labels_at = (uint32_t)f->syms.n;
		j->labels_n = 1;
		*vec_push(&f->syms) = s->qos_label;
		*vec_push(&f->syms) = qos;
	}
	if (row_is_interactive(s, &j->kind_known))
		j->kind = KIND_INTERACTIVE;
}

static sym row_nodes(struct slurm_feed *s)
{
	enum slurm_column c =
	        s->value[SLURM_NODE_LIST].n ? SLURM_NODE_LIST : SLURM_NODE_LIST_REASON;
	struct str w = s->value[c];
	if (!w.n || w.p[0] == '(' || row_is_unplaced(s) || (s->has_cuts && s->is_cut[c]))
		return 0;
	if (str_eq_nocase(w, S("Unknown")) || str_eq(w, S("N/A")) || str_eq(w, S("None")))
		return 0;
	return word_of(s, c);
}

static void row_job(struct slurm_feed *s, struct row *r, struct str id)
{
	uint32_t at = (uint32_t)s->f->jobs.n;
	struct job *j = facts_job(s->f, id);
	int64_t priority;
	j->is_slurm = !s->is_loose_id;
	j->submit_ms = r->submit_ms;
	j->eligible_ms = r->eligible_ms;
	j->start_ms = r->start_ms;
	j->end_ms = r->end_ms;
	j->outcome = (uint8_t)row_outcome(s, r);
	j->restarts = s->value[SLURM_RESTARTS].n ? count_of(s, SLURM_RESTARTS) : COUNT_UNKNOWN;
	j->node_count = r->start_ms == TIME_UNKNOWN
	                        ? first_count(s, SLURM_REQ_NODES, SLURM_NODES)
	                        : first_count(s, SLURM_NODES, SLURM_ALLOC_NODES);
	j->cpus = first_count(s, SLURM_ALLOC_CPUS, SLURM_CPUS);
	if (str_to_i64(s->value[SLURM_PRIORITY], &priority) ||
	    str_to_fixed(s->value[SLURM_PRIORITY], 14, &priority)) /* squeue's fractions */
		j->priority = priority;
	row_words(s, j);
	row_reason(s, r, j);
	r->nodes = r->start_ms == TIME_UNKNOWN ? 0 : row_nodes(s);
	j->node_names = r->nodes;
	if (!r->nodes && s->is_cut[SLURM_NODE_LIST])
		facts_note(s->f, "A list of nodes is cut off and was left out: ask sacct for "
		                 "--parsable2.");
	row_gpus(s, r, j, at);
	if (r->start_ms != TIME_UNKNOWN && r->start_ms < s->seen.from_ms)
		s->seen.from_ms = r->start_ms;
	saw(s, r->submit_ms);
	saw(s, r->start_ms);
	saw(s, r->end_ms);
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
	const struct row *row;
	uint32_t left;
};

static void add_task(void *context, struct str id)
{
	struct array_tasks *t = context;
	struct row r = *t->row;
	if (t->left) {
		t->left--;
		row_job(t->s, &r, id);
	}
}

/* Each task of "123_[5-8,10%2]" waits. "..." at the end: squeue leaves tasks out. */
static void row_array(struct slurm_feed *s, uint64_t line, const struct row *r, struct str id)
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
	struct row r = { 0 };
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
	if (!row_state(s, line, &r) || !row_times(s, line, &r))
		return;
	if (kind == ROW_ARRAY)
		row_array(s, line, &r, id);
	else
		row_job(s, &r, id);
}
