/* SPDX-License-Identifier: Apache-2.0 */
#include "account/job_lines.h"

#include <stdlib.h>

const char *const job_order_names[JOB_ORDER_COUNT + 1] = { "allocated", "active",     "stalled",
	                                                   "vacant",    "unobserved", "cost",
	                                                   "start",     "job",        NULL };

enum err_code job_filter_add(struct job_filter *filter, struct str word, struct err *err)
{
	struct str key, values = word;
	size_t at = filter->by.n;
	if (str_find_byte(word, '=') == word.n)
		return err_set(err, ERR_USAGE, "'%.*s' has no value: KEY=VALUE,...", STR_FMT(word));
	str_cut(&values, '=', &key);
	enum err_code code = group_by_add(&filter->by, key, err);
	if (!code)
		filter->values[at] = values;
	return code;
}

struct builder {
	struct job_lines *out;
	const struct job_filter *filter;
	const struct ledger *l;
	const struct facts *f;
	const struct cost *c;
};

static bool is_counted(const struct builder *b, size_t at)
{
	const struct cell *c = &b->l->cells.v[at];
	enum state_group g = states[c->state].group;
	if (g == GROUP_DOWN || g == GROUP_FREE || g == GROUP_UNKNOWN)
		return false;
	for (size_t k = 0; k < b->filter->by.n; k++) {
		struct str word = group_word(&b->filter->by, k, b->l, b->f, b->c, at);
		struct str rest = b->filter->values[k], value;
		bool any = !rest.n && !word.n;
		while (!any && rest.n && str_cut(&rest, ',', &value))
			any = str_eq(value, word);
		if (!any)
			return false;
	}
	return true;
}

static void line_add(struct job_line *j, const struct builder *b, size_t at)
{
	const struct cell *c = &b->l->cells.v[at];
	enum state_group g = states[c->state].group;
	j->allocated += c->units;
	if (g == GROUP_ACTIVE || g == GROUP_OVERHEAD)
		j->active += c->units;
	else if (c->state == STATE_VACANT || c->state == STATE_QUIET)
		j->vacant += c->units;
	else if (c->state == STATE_UNOBSERVED)
		j->unobserved += c->units;
	else if (c->state != STATE_SETUP)
		j->stalled += c->units;
	if (c->is_successful)
		j->successful += c->units;
	j->cost_num += b->c->nums ? b->c->nums[at] : 0;
	if (b->c->price_of && b->c->price_of[at] != NONE)
		j->priced += c->units;
	j->cells_n++;
}

/* Lines in the order of the job list, the implicit job last, and each one's cells behind it. */
static void gather(struct arena *a, struct builder *b)
{
	auto_arena scratch = ARENA_NULL;
	size_t jobs = b->f->jobs.n, cells = b->l->cells.n, at = 0;
	uint32_t *line_of = ARENA_ARRAY(&scratch, uint32_t, jobs + 1); /* counts, then line + 1 */
	bool *counted = ARENA_ARRAY(&scratch, bool, cells + 1);
	for (size_t i = 0; i < cells; i++) {
		uint32_t job = b->l->cells.v[i].job;
		counted[i] = is_counted(b, i);
		if (counted[i])
			line_of[job == NONE ? jobs : job] = 1;
	}
	for (size_t i = 0; i <= jobs; i++)
		if (line_of[i]) {
			*vec_push(&b->out->v) =
			        (struct job_line){ .job = i == jobs ? NONE : (uint32_t)i };
			line_of[i] = (uint32_t)b->out->v.n;
		}
	for (size_t i = 0; i < cells; i++)
		if (counted[i]) {
			uint32_t job = b->l->cells.v[i].job;
			line_add(&b->out->v.v[line_of[job == NONE ? jobs : job] - 1], b, i);
		}
	size_t *next = ARENA_ARRAY(&scratch, size_t, b->out->v.n + 1);
	for (size_t i = 0; i < b->out->v.n; at += b->out->v.v[i++].cells_n)
		next[i] = b->out->v.v[i].cells_at = at;
	b->out->cells = ARENA_ARRAY(a, uint32_t, at + 1);
	for (size_t i = 0; i < cells; i++)
		if (counted[i]) {
			uint32_t job = b->l->cells.v[i].job;
			b->out->cells[next[line_of[job == NONE ? jobs : job] - 1]++] = (uint32_t)i;
		}
}

struct sorting {
	enum job_order order;
	const struct facts *f;
};

static i128 amount_of(const struct job_line *j, enum job_order order)
{
	switch (order) {
	case JOB_ORDER_ACTIVE:
		return j->active;
	case JOB_ORDER_STALLED:
		return j->stalled;
	case JOB_ORDER_VACANT:
		return j->vacant;
	case JOB_ORDER_UNOBSERVED:
		return j->unobserved;
	case JOB_ORDER_COST:
		return j->cost_num;
	default:
		return j->allocated;
	}
}

static int line_compare(const void *x, const void *y, void *arg)
{
	const struct job_line *a = x, *b = y;
	const struct sorting *s = arg;
	int by = 0;
	if (a->job == NONE || b->job == NONE) {
		if (s->order >= JOB_ORDER_START)
			return (a->job == NONE) - (b->job == NONE);
	} else if (s->order == JOB_ORDER_START) {
		int64_t p = s->f->jobs.v[a->job].start_ms, q = s->f->jobs.v[b->job].start_ms;
		by = (p > q) - (p < q);
	} else if (s->order == JOB_ORDER_JOB) {
		by = str_cmp_natural(job_id(s->f, &s->f->jobs.v[a->job]),
		                     job_id(s->f, &s->f->jobs.v[b->job]));
	}
	if (s->order < JOB_ORDER_START) {
		i128 p = amount_of(a, s->order), q = amount_of(b, s->order);
		by = (p < q) - (p > q);
	}
	return by ? by : (a->job > b->job) - (a->job < b->job);
}

void job_lines_build(struct arena *a, const struct job_filter *filter, enum job_order order,
                     const struct ledger *l, const struct facts *f, const struct cost *c,
                     struct job_lines *ret_lines)
{
	*ret_lines = (struct job_lines){ 0 };
	struct builder b = { ret_lines, filter, l, f, c };
	gather(a, &b);
	for (size_t i = 0; i < ret_lines->v.n; i++) {
		ret_lines->allocated += ret_lines->v.v[i].allocated;
		ret_lines->cost_num += ret_lines->v.v[i].cost_num;
		ret_lines->priced += ret_lines->v.v[i].priced;
	}
	struct sorting s = { order, f };
	if (ret_lines->v.n > 1)
		qsort_r(ret_lines->v.v, ret_lines->v.n, sizeof *ret_lines->v.v, line_compare, &s);
}

void job_lines_deinit(struct job_lines *x)
{
	vec_deinit(&x->v);
}
