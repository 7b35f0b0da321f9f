/* SPDX-License-Identifier: Apache-2.0 */
/* One line a job: what it was given, what its GPUs did, what that cost, how it ended. */
#include "account/job_lines.h"
#include "report/emit.h"
#include "report/jobs_lines.h"
#include "report/number.h"
#include "report/waterfall_tables.h"

enum column {
	COLUMN_JOB,
	COLUMN_USER,
	COLUMN_OUTCOME,
	COLUMN_GPUS,
	COLUMN_HOURS,
	COLUMN_ACTIVE,
	COLUMN_STALLED,
	COLUMN_VACANT,
	COLUMN_MONEY,
	COLUMN_COUNT
};

static const struct doc_column heads[COLUMN_COUNT] = {
	[COLUMN_JOB] = { "job", DOC_LEFT, 24 },
	[COLUMN_USER] = { "user", DOC_LEFT, 16 },
	[COLUMN_OUTCOME] = { "outcome", DOC_LEFT, 0 },
	[COLUMN_GPUS] = { "GPUs", DOC_RIGHT, 0 },
	[COLUMN_HOURS] = { "GPU-hours", DOC_RIGHT, 0 },
	[COLUMN_ACTIVE] = { "active", DOC_RIGHT, 0 },
	[COLUMN_STALLED] = { "stalled", DOC_RIGHT, 0 },
	[COLUMN_VACANT] = { "vacant", DOC_RIGHT, 0 },
	[COLUMN_MONEY] = { "money", DOC_RIGHT, 0 },
};

struct table {
	const struct report_input *in;
	enum column columns[COLUMN_COUNT];
	size_t columns_n, at, shown;
	unsigned decimals;
	bool rest_is_said;
};

static struct str word(const struct report_input *in, sym w)
{
	return names_word(&in->f->names, w);
}

/* "12.0 %", or "12.0 to 30.0 %" where not all of the line's time was seen. */
static void write_share(struct text *t, i128 low, i128 maybe, i128 of)
{
	double from = measure_ratio(low, of), to = measure_ratio(low + maybe, of);
	if (maybe == of) {
		text_byte(t, '-');
		return;
	}
	if (maybe) {
		number_write_double(t, from * 100, 1);
		text_add(t, S(" to "));
	}
	number_write_percent(t, to);
}

static void write_number(const struct table *x, enum column c, const struct job_line *j,
                         struct text *t)
{
	switch (c) {
	case COLUMN_HOURS:
		waterfall_write_hours(t, x->in->l, j->allocated, x->decimals);
		break;
	case COLUMN_ACTIVE:
		write_share(t, j->active, j->unobserved, j->allocated);
		break;
	case COLUMN_STALLED:
		write_share(t, j->stalled, j->unobserved, j->allocated);
		break;
	case COLUMN_VACANT:
		write_share(t, j->vacant, j->unobserved, j->allocated);
		break;
	case COLUMN_MONEY:
		if (j->priced < j->allocated)
			text_byte(t, '-');
		else
			number_write(t, figures_minor(x->in->c, j->cost_num), x->in->c->decimals);
		break;
	default:
		break;
	}
}

static struct str line_word(const struct table *x, enum column c, const struct job_line *j,
                            struct arena *a)
{
	const struct job *job = j->job == NONE ? NULL : &x->in->f->jobs.v[j->job];
	switch (c) {
	case COLUMN_JOB:
		return job ? job_id(x->in->f, job) : S("unscheduled");
	case COLUMN_USER:
		return job ? word(x->in, job_traits(x->in->f, job).user) : STR_NULL;
	case COLUMN_OUTCOME:
		return job ? str_of(outcomes[x->in->l->outcome_of[j->job]].name) : STR_NULL;
	case COLUMN_GPUS:
		return job && job->gpus != COUNT_UNKNOWN ? str_of(arena_printf(a, "%u", job->gpus))
		                                         : STR_NULL;
	default:
		break;
	}
	auto_text t = TEXT_NULL;
	write_number(x, c, j, &t);
	return str_dup(a, text_str(&t));
}

static void set_cell(const struct table *x, size_t k, const struct job_line *j, struct arena *a,
                     struct doc_cell *cells)
{
	struct doc_cell *cell = &cells[k];
	cell->text = line_word(x, x->columns[k], j, a);
	if (x->columns[k] != COLUMN_ACTIVE)
		return;
	cell->has_bar = true;
	cell->low = measure_ratio(j->active, j->allocated);
	cell->high = measure_ratio(j->active + j->unobserved, j->allocated);
}

/* The lines that are not shown, as one. */
static bool rest_next(struct table *x, struct arena *a, struct doc_cell *cells)
{
	const struct job_lines *lines = x->in->lines;
	struct job_line rest = { 0 };
	size_t n = lines->v.n - x->shown;
	if (x->rest_is_said || !n)
		return false;
	for (size_t i = x->shown; i < lines->v.n; i++) {
		const struct job_line *j = &lines->v.v[i];
		rest.allocated += j->allocated, rest.active += j->active;
		rest.stalled += j->stalled, rest.vacant += j->vacant;
		rest.unobserved += j->unobserved;
		rest.cost_num += j->cost_num, rest.priced += j->priced;
	}
	for (size_t k = 0; k < x->columns_n; k++)
		if (x->columns[k] >= COLUMN_HOURS)
			set_cell(x, k, &rest, a, cells);
	cells[0].text = str_of(arena_printf(a, "%zu other%s", n, n == 1 ? "" : "s"));
	x->rest_is_said = true;
	return true;
}

static bool line_next(void *state, struct arena *a, struct doc_cell *cells)
{
	struct table *x = state;
	if (x->at == x->shown)
		return rest_next(x, a, cells);
	const struct job_line *j = &x->in->lines->v.v[x->at++];
	for (size_t k = 0; k < x->columns_n; k++)
		set_cell(x, k, j, a, cells);
	return true;
}

static void add_table(const struct report_input *in, struct doc *d)
{
	const struct job_lines *lines = in->lines;
	struct table *x = ARENA_NEW(d->a, struct table);
	struct doc_column *columns = ARENA_ARRAY(d->a, struct doc_column, COLUMN_COUNT);
	x->in = in;
	x->shown = in->top && in->top < lines->v.n ? in->top : lines->v.n;
	x->decimals = waterfall_decimals(in->l, lines->allocated);
	for (int c = 0; c < COLUMN_COUNT; c++) {
		bool seen = c < COLUMN_ACTIVE || c > COLUMN_VACANT || in->l->has_samples;
		if (!seen || (c == COLUMN_MONEY && !in->c->has_price))
			continue;
		columns[x->columns_n] = heads[c];
		if (c == COLUMN_HOURS && str_eq(str_of(waterfall_hours(in->l)), S("GPUs")))
			columns[x->columns_n].head = "held";
		x->columns[x->columns_n++] = (enum column)c;
	}
	doc_add_table(d, "", waterfall_money_columns(d, in, columns, x->columns_n), x->columns_n,
	              line_next, x);
}

static void add_page_end(const struct report_input *in, struct doc *d)
{
	if (d->draws)
		waterfall_add_inputs(in, d);
	waterfall_add_foot(in, d);
}

static void jobs_document(const struct report_input *in, struct doc *d)
{
	const struct job_lines *lines = in->lines;
	auto_text t = TEXT_NULL;
	waterfall_add_title(in, d);
	if (!lines->v.n) {
		doc_add(d, DOC_HEADLINE, "No job held a GPU in this window.");
		add_page_end(in, d);
		return;
	}
	number_write(&t, (i128)lines->v.n, 0);
	text_add(&t, lines->v.n == 1 ? S(" job held ") : S(" jobs held "));
	text_add(&t, str_eq(str_of(waterfall_hours(in->l)), S("GPUs")) ? S("") : S("GPUs for "));
	waterfall_write_hours(&t, in->l, lines->allocated,
	                      waterfall_decimals(in->l, lines->allocated));
	text_printf(&t, " %s.", waterfall_hours(in->l));
	if (!in->l->has_samples)
		text_add(&t, S(" No reading shows whether the GPUs worked: give nvidia-smi or "
		               "dcgm-exporter output too."));
	doc_add_str(d, DOC_HEADLINE, str_dup(d->a, text_str(&t)));
	add_table(in, d);
	add_page_end(in, d);
}

struct writer {
	struct emit j;
	const struct report_input *in;
};

static void write_word(struct emit *j, const char *key, struct str s)
{
	emit_key(j, key);
	if (s.n)
		emit_str(j, s);
	else
		emit_null(j);
}

static void write_time(struct emit *j, const char *key, int64_t ms)
{
	emit_key(j, key);
	emit_time(j, ms);
}

int64_t jobs_end_ms(const struct report_input *in, uint32_t job)
{
	bool ended = in->l->outcome_of[job] != OUTCOME_RUNNING;
	return ended ? in->f->jobs.v[job].end_ms : TIME_UNKNOWN;
}

static void write_job(struct writer *w, const struct job_line *x)
{
	struct emit *j = &w->j;
	const struct facts *f = w->in->f;
	const struct job *job = x->job == NONE ? NULL : &f->jobs.v[x->job];
	const struct job_traits t = job ? job_traits(f, job) : JOB_TRAITS_UNKNOWN;
	write_word(j, "job", job ? job_id(f, job) : S("unscheduled"));
	write_word(j, "user", word(w->in, t.user));
	write_word(j, "team", word(w->in, t.team));
	write_word(j, "queue", word(w->in, t.queue));
	write_word(j, "name", job ? word(w->in, job->name) : STR_NULL);
	write_word(j, "kind", job ? str_of(kind_names[job->kind]) : STR_NULL);
	write_word(j, "outcome",
	           job ? str_of(outcomes[w->in->l->outcome_of[x->job]].name) : STR_NULL);
	write_time(j, "submit", job ? job->submit_ms : TIME_UNKNOWN);
	write_time(j, "start", job ? job->start_ms : TIME_UNKNOWN);
	write_time(j, "end", job ? jobs_end_ms(w->in, x->job) : TIME_UNKNOWN);
	emit_key(j, "gpus");
	if (job && job->gpus != COUNT_UNKNOWN)
		emit_int(j, job->gpus);
	else
		emit_null(j);
}

static void write_part(struct emit *j, const char *key, i128 low, i128 high)
{
	emit_key(j, key);
	emit_open(j, '{');
	emit_key(j, "gpu_seconds");
	if (low == high)
		emit_fixed(j, low, 3);
	else
		emit_null(j);
	emit_key(j, "low");
	emit_fixed(j, low, 3);
	emit_key(j, "high");
	emit_fixed(j, high, 3);
	emit_close(j, '}');
}

/* The accounts of the line that are not zero; they add up to what it shows as allocated. */
static void write_accounts(struct writer *w, const struct tally *t, const struct figures *g)
{
	struct emit *j = &w->j;
	emit_key(j, "accounts");
	emit_open(j, '{');
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		if (!t->sums.accounts[a])
			continue;
		emit_key(j, accounts[a].name);
		emit_open(j, '{');
		emit_key(j, "gpu_seconds");
		emit_fixed(j, g->accounts_ms[a], 3);
		waterfall_write_cost(w->in, j, "cost", g->costs_known[a], g->costs[a]);
		emit_close(j, '}');
	}
	emit_close(j, '}');
}

/* Sums of the printed accounts, in the group of states [FROM, TO]. */
static i128 printed(const struct figures *g, enum state_group from, enum state_group to)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++) {
		enum state_group s = states[accounts[a].state].group;
		if (s >= from && s <= to)
			sum += g->accounts_ms[a];
	}
	return sum;
}

static i128 printed_stalled(const struct figures *g)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (accounts[a].state >= STATE_STALLED_INPUT &&
		    accounts[a].state <= STATE_STALLED_SPINNING)
			sum += g->accounts_ms[a];
	return sum;
}

void jobs_build_line(const struct report_input *in, const struct job_line *x, i128 ms, i128 cost,
                     struct jobs_line *ret)
{
	tally_build(in->l, in->f, in->c, in->lines->cells + x->cells_at, x->cells_n, &ret->tally);
	figures_build(&ret->tally, in->c, ms, cost, &ret->figures);
	ret->unseen_ms = printed(&ret->figures, GROUP_UNOBSERVED, GROUP_UNOBSERVED);
	ret->active_ms = printed(&ret->figures, GROUP_OVERHEAD, GROUP_ACTIVE);
	ret->stalled_ms = printed_stalled(&ret->figures);
}

static void write_line(struct writer *w, const struct job_line *x, i128 ms, i128 cost)
{
	struct jobs_line l;
	const struct report_input *in = w->in;
	struct emit *j = &w->j;
	jobs_build_line(in, x, ms, cost, &l);
	const struct tally *t = &l.tally;
	const struct figures *g = &l.figures;
	emit_open(j, '{');
	write_job(w, x);
	emit_key(j, "allocated_gpu_seconds");
	emit_fixed(j, ms, 3);
	write_part(j, "active", l.active_ms, l.active_ms + l.unseen_ms);
	write_part(j, "stalled", l.stalled_ms, l.stalled_ms + l.unseen_ms);
	emit_key(j, "successful_gpu_seconds");
	emit_fixed(j, figures_ms(t->sums.successful), 3);
	waterfall_write_joules(t, g, j);
	waterfall_write_depth(t, false, j);
	waterfall_write_cost(in, j, "cost", g->cost_known, g->cost);
	write_accounts(w, t, g);
	emit_close(j, '}');
}

void jobs_round_lines(struct arena *a, const struct report_input *in, i128 **ret_ms,
                      i128 **ret_costs)
{
	auto_arena scratch = ARENA_NULL;
	const struct job_lines *lines = in->lines;
	size_t n = lines->v.n;
	i128 *units = ARENA_ARRAY(&scratch, i128, n + 1);
	i128 *nums = ARENA_ARRAY(&scratch, i128, n + 1);
	for (size_t i = 0; i < n; i++) {
		units[i] = lines->v.v[i].allocated;
		nums[i] = lines->v.v[i].cost_num;
	}
	figures_round_rows(a, in->c, units, nums, n, figures_ms(lines->allocated),
	                   in->c->has_price ? figures_minor(in->c, lines->cost_num) : 0, ret_ms,
	                   ret_costs);
}

static void write_lines(struct writer *w)
{
	auto_arena a = ARENA_NULL;
	const struct report_input *in = w->in;
	const struct job_lines *lines = in->lines;
	i128 *ms, *costs;
	jobs_round_lines(&a, in, &ms, &costs);
	emit_key(&w->j, "jobs");
	emit_open(&w->j, '[');
	for (size_t i = 0; i < lines->v.n && (!in->top || i < in->top); i++) {
		write_line(w, &lines->v.v[i], ms[i], costs ? costs[i] : -1);
		report_flush(in, w->j.t);
	}
	emit_close(&w->j, ']');
}

static void jobs_write_json(const struct report_input *in, struct text *t)
{
	struct writer w = { .in = in };
	struct emit *j = &w.j;
	emit_begin(j, t, 2);
	emit_open(j, '{');
	waterfall_write_head(in, j);
	write_word(j, "currency", in->c->has_price ? word(in, in->c->currency) : STR_NULL);
	emit_key(j, "all");
	emit_open(j, '{');
	emit_key(j, "jobs");
	emit_int(j, (i128)in->lines->v.n);
	emit_key(j, "allocated_gpu_seconds");
	emit_fixed(j, figures_ms(in->lines->allocated), 3);
	emit_close(j, '}');
	write_lines(&w);
	waterfall_write_inputs(in, j);
	emit_close(j, '}');
}

const struct report report_jobs = {
	.name = "jobs",
	.help = "One line a job: allocated, active, stalled, cost and outcome.",
	.document = jobs_document,
	.json = jobs_write_json,
	.csv = jobs_write_csv,
};
