/* SPDX-License-Identifier: Apache-2.0 */
/* A row a job, with its accounts: docs/reference/csv.md. */
#include "account/round.h"
#include "report/jobs_lines.h"
#include "report/sheet.h"

#define HOUR_DECIMALS 6
#define UNITS_PER_MICROHOUR (UNITS_PER_HOUR / 1000000)

enum column {
#define COLUMN(id, name, help) COLUMN_##id,
#include "report/jobs_columns.def"
#undef COLUMN
	COLUMN_ACCOUNTS
};

static const char *const names[COLUMN_ACCOUNTS] = {
#define COLUMN(id, name, help) name,
#include "report/jobs_columns.def"
#undef COLUMN
};

/* Allocated time is never free, and nothing of it unknown. */
static bool is_allocated(int a)
{
	enum state_group g = states[accounts[a].state].group;
	return g != GROUP_DOWN && g != GROUP_FREE && g != GROUP_UNKNOWN;
}

struct writer {
	struct sheet s;
	const struct report_input *in;
};

static void put_word(struct writer *w, enum column c, struct str word)
{
	sheet_go(&w->s, c);
	sheet_word(&w->s, word);
}

static void put_fixed(struct writer *w, size_t c, i128 v, unsigned decimals)
{
	sheet_go(&w->s, c);
	sheet_fixed(&w->s, v, decimals);
}

static void put_time(struct writer *w, enum column c, int64_t ms)
{
	sheet_go(&w->s, c);
	sheet_time(&w->s, ms);
}

static void write_job(struct writer *w, uint32_t index)
{
	const struct report_input *in = w->in;
	const struct facts *f = in->f;
	if (index == NONE) {
		put_word(w, COLUMN_JOB, S("unscheduled"));
		return;
	}
	const struct job *job = &f->jobs.v[index];
	const struct job_traits t = job_traits(f, job);
	put_word(w, COLUMN_JOB, job_id(f, job));
	put_word(w, COLUMN_USER, names_word(&f->names, t.user));
	put_word(w, COLUMN_TEAM, names_word(&f->names, t.team));
	put_word(w, COLUMN_QUEUE, names_word(&f->names, t.queue));
	put_word(w, COLUMN_NAME, names_word(&f->names, job->name));
	put_word(w, COLUMN_KIND, str_of(kind_names[job->kind]));
	put_word(w, COLUMN_OUTCOME, str_of(outcomes[in->l->outcome_of[index]].name));
	put_time(w, COLUMN_SUBMIT, job->submit_ms);
	put_time(w, COLUMN_START, job->start_ms);
	put_time(w, COLUMN_END, jobs_end_ms(in, index));
	if (job->gpus != COUNT_UNKNOWN)
		put_fixed(w, COLUMN_GPUS, job->gpus, 0);
}

static void write_accounts(struct writer *w, const struct jobs_line *x)
{
	size_t c = COLUMN_ACCOUNTS;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (is_allocated(a))
			put_fixed(w, c++, x->figures.accounts_ms[a], 3);
}

static void write_line(struct writer *w, const struct job_line *line, i128 ms, i128 cost,
                       i128 hours)
{
	struct jobs_line x;
	const struct report_input *in = w->in;
	i128 metered = 0;
	jobs_build_line(in, line, ms, cost, &x);
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		metered += x.tally.sums.metered[a];
	write_job(w, line->job);
	put_fixed(w, COLUMN_ALLOCATED_SECONDS, ms, 3);
	put_fixed(w, COLUMN_ALLOCATED_HOURS, hours, HOUR_DECIMALS);
	put_fixed(w, COLUMN_SUCCESSFUL, figures_ms(x.tally.sums.successful), 3);
	put_fixed(w, COLUMN_ACTIVE_LOW, x.active_ms, 3);
	put_fixed(w, COLUMN_ACTIVE_HIGH, x.active_ms + x.unseen_ms, 3);
	put_fixed(w, COLUMN_STALLED_LOW, x.stalled_ms, 3);
	put_fixed(w, COLUMN_STALLED_HIGH, x.stalled_ms + x.unseen_ms, 3);
	if (metered)
		put_fixed(w, COLUMN_JOULES, x.figures.millijoules, 3);
	if (in->c->has_price && x.figures.cost_known)
		put_fixed(w, COLUMN_COST, x.figures.cost, in->c->decimals);
	if (in->c->has_price)
		put_word(w, COLUMN_CURRENCY, names_word(&in->f->names, in->c->currency));
	write_accounts(w, &x);
	sheet_end_row(&w->s);
}

void jobs_write_csv(const struct report_input *in, struct text *t)
{
	auto_arena a = ARENA_NULL;
	const struct job_lines *lines = in->lines;
	struct writer w = { .in = in };
	size_t n = lines->v.n, columns = COLUMN_ACCOUNTS;
	i128 *ms, *costs, *hours = ARENA_ARRAY(&a, i128, n + 1);
	i128 *units = ARENA_ARRAY(&a, i128, n + 1);
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		columns += is_allocated(i);
	sheet_begin(&w.s, t, columns);
	for (size_t c = 0; c < COLUMN_ACCOUNTS; c++)
		put_word(&w, (enum column)c, str_of(names[c]));
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		if (is_allocated(i)) {
			sheet_go(&w.s, w.s.at);
			sheet_name(&w.s, accounts[i].name);
		}
	sheet_end_row(&w.s);
	jobs_round_lines(&a, in, &ms, &costs);
	for (size_t i = 0; i < n; i++)
		units[i] = lines->v.v[i].allocated;
	round_parts(&a, units, n, UNITS_PER_MICROHOUR,
	            round_half_up(lines->allocated, UNITS_PER_MICROHOUR), hours);
	for (size_t i = 0; i < n && (!in->top || i < in->top); i++) {
		write_line(&w, &lines->v.v[i], ms[i], costs ? costs[i] : -1, hours[i]);
		report_flush(in, t);
	}
}
