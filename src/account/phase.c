/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase: what a job says of itself, as stretches of time: why it may stall, and what holds its
 * steps back (ledger.md 3, 9.8, 9.20; decisions E.12 to E.14).
 */
#include <stdlib.h>

#include "account/meter.h"

/* Stall causes and overheads, each in order of precedence. */
enum tag {
	TAG_INPUT,
	TAG_SAVE,
	TAG_COMM,
	TAG_CHECKPOINT,
	TAG_RESTORE,
	TAG_EVAL,
	TAG_WARMUP,
	TAG_QUIET,
	TAG_COUNT
};
static const uint8_t tag_state[TAG_COUNT] = {
	STATE_STALLED_INPUT,       STATE_STALLED_CHECKPOINT, STATE_STALLED_COMMUNICATION,
	STATE_OVERHEAD_CHECKPOINT, STATE_OVERHEAD_RESTORE,   STATE_OVERHEAD_EVALUATION,
	STATE_OVERHEAD_WARMUP,     STATE_OVERHEAD_WARMUP,
};

struct event {
	int64_t t_ms;
	enum tag tag;
	int by;
};

struct events {
	VEC(struct event) v;
};

static int event_order(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

static void event_add(struct events *e, int64_t from_ms, int64_t to_ms, enum tag tag)
{
	if (from_ms >= to_ms)
		return;
	*vec_push(&e->v) = (struct event){ from_ms, tag, 1 };
	*vec_push(&e->v) = (struct event){ to_ms, tag, -1 };
}

/* A step line strictly inside: the steps go on, so it holds nothing back (9.8). */
static bool has_step_inside(const struct line *lines, uint32_t n, uint32_t at)
{
	for (uint32_t i = at + 1; i < n && lines[i].t_ms < lines[at].to_ms; i++)
		if (lines[i].type == PROGRESS_STEP && lines[i].t_ms > lines[at].t_ms)
			return true;
	return false;
}

static void events_of_lines(const struct line *lines, uint32_t n, struct events *e)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct line *l = &lines[i];
		int tag = l->type == PROGRESS_SAVE      ? TAG_CHECKPOINT
		          : l->type == PROGRESS_RESTORE ? TAG_RESTORE
		          : l->type == PROGRESS_EVAL    ? TAG_EVAL
		          : l->type == PROGRESS_WARMUP  ? TAG_WARMUP
		                                        : -1;
		if (tag >= 0 && !has_step_inside(lines, n, i))
			event_add(e, l->t_ms, l->to_ms, (enum tag)tag);
		if (l->type == PROGRESS_SAVE)
			event_add(e, l->t_ms, l->to_ms, TAG_SAVE);
		else if (l->type == PROGRESS_INPUT_WAIT)
			event_add(e, l->t_ms, l->to_ms, TAG_INPUT);
		else if (l->type == PROGRESS_COMM_WAIT)
			event_add(e, l->t_ms, l->to_ms, TAG_COMM);
	}
}

static uint8_t first_state(const int *open, enum tag from, enum tag to)
{
	for (enum tag t = from; t <= to; t++)
		if (open[t] > 0)
			return tag_state[t];
	return STATE_COUNT;
}

static void phases_of(struct meter *m, struct attempt_info *info)
{
	struct events e = { { 0 } };
	int open[TAG_COUNT] = { 0 };
	if (info->lines.n)
		events_of_lines(&m->lines.v[info->lines.at], info->lines.n, &e);
	for (uint32_t i = 0; i < info->services.n; i++) {
		const struct service *s = &m->services.v[info->services.at + i].s;
		if (!service_answered(s) && s->running == 0)
			event_add(&e, s->from_ms, s->to_ms, TAG_QUIET);
	}
	vec_sort(&e.v, event_order);
	info->phases_at = (uint32_t)m->phases.n;
	for (size_t i = 0, j; i < e.v.n; i = j) {
		for (j = i; j < e.v.n && e.v.v[j].t_ms == e.v.v[i].t_ms; j++)
			open[e.v.v[j].tag] += e.v.v[j].by;
		struct phase p = { .from_ms = e.v.v[i].t_ms,
			           .to_ms = j < e.v.n ? e.v.v[j].t_ms : INT64_MAX,
			           .cause = first_state(open, TAG_INPUT, TAG_COMM),
			           .overhead = first_state(open, TAG_CHECKPOINT, TAG_QUIET),
			           .is_quiet = open[TAG_QUIET] > 0 };
		*vec_push(&m->phases) = p;
	}
	info->phases_n = (uint32_t)m->phases.n - info->phases_at;
	vec_deinit(&e.v);
}

void phase_build(struct meter *m)
{
	for (size_t i = 0; i < m->infos.n; i++)
		phases_of(m, &m->infos.v[i]);
}

const struct phase *phase_at(const struct meter *m, const struct attempt_info *info, int64_t t_ms,
                             int64_t *ret_until_ms)
{
	*ret_until_ms = INT64_MAX;
	if (!info || !info->phases_n)
		return NULL;
	const struct phase *p = &m->phases.v[info->phases_at];
	uint32_t at = SPAN_AFTER(p, info->phases_n, t_ms); /* they touch, and the last has no end */
	bool in = p[at].from_ms <= t_ms;
	*ret_until_ms = in ? p[at].to_ms : p[at].from_ms;
	return in ? &p[at] : NULL;
}
