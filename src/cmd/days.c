/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/days.h"

#include <stdlib.h>

#include "base/limits.h"
#include "facts/series.h"
#include "parse/when.h"

enum { DAY_S = 86400, HOUR_S = 3600 };

static void widen(struct span *s, int64_t t_ms)
{
	if (t_ms == TIME_UNKNOWN)
		return;
	if (s->from_ms == TIME_UNKNOWN || t_ms < s->from_ms)
		s->from_ms = t_ms;
	if (s->to_ms == TIME_UNKNOWN || t_ms > s->to_ms)
		s->to_ms = t_ms;
}

/* A stretch that holds every default window (ledger.md 9.18). */
static struct span hull_of(const struct facts *f, const struct ledger_options *o)
{
	struct span s = { TIME_UNKNOWN, TIME_UNKNOWN };
	for (size_t i = 0; i < f->scheduler.n; i++)
		widen(&s, f->scheduler.v[i].from_ms), widen(&s, f->scheduler.v[i].to_ms);
	for (size_t i = 0; i < f->capacity.n; i++)
		widen(&s, f->capacity.v[i].from_ms), widen(&s, f->capacity.v[i].to_ms);
	for (size_t i = 0; i < f->jobs.n; i++)
		widen(&s, f->jobs.v[i].start_ms), widen(&s, f->jobs.v[i].end_ms);
	for (size_t i = 0; i < f->portions.n; i++)
		widen(&s, f->portions.v[i].from_ms), widen(&s, f->portions.v[i].to_ms);
	for (size_t i = 0; i < f->samples.n; i++)
		widen(&s, f->samples.v[i].t_ms);
	for (size_t i = 0; f->series && i < f->series->n; i++)
		widen(&s, f->series->v[i].hull.from_ms), widen(&s, f->series->v[i].hull.to_ms);
	for (size_t i = 0; i < f->totals.n; i++)
		widen(&s, f->totals.v[i].from_ms), widen(&s, f->totals.v[i].to_ms);
	for (size_t i = 0; i < f->services.n; i++)
		widen(&s, f->services.v[i].from_ms), widen(&s, f->services.v[i].to_ms);
	for (size_t i = 0; i < f->progress.n; i++)
		widen(&s, f->progress.v[i].t_ms), widen(&s, f->progress.v[i].to_ms);
	widen(&s, f->window.from_ms);
	widen(&s, f->window.to_ms);
	widen(&s, f->as_of_ms);
	if (o->window.from_ms != TIME_UNKNOWN)
		s.from_ms = o->window.from_ms;
	if (o->window.to_ms != TIME_UNKNOWN)
		s.to_ms = o->window.to_ms;
	return s;
}

int64_t days_floor(int64_t v, int64_t step)
{
	int64_t r = v % step;
	return v - r - (r < 0 ? step : 0);
}

int64_t days_local(const struct zone *zone, int64_t ms)
{
	int64_t s = days_floor(ms, 1000) / 1000;
	return s + zone_offset(zone, s);
}

int64_t days_instant(const struct zone *zone, int64_t local_s)
{
	int64_t utc_s;
	(void)zone_to_utc(zone, local_s, &utc_s);
	return utc_s * 1000;
}

struct edges {
	VEC(int64_t) v;
};

static enum err_code add_steps(struct edges *e, const struct zone *zone, struct span s,
                               int64_t step_s, struct err *err)
{
	if (s.from_ms == TIME_UNKNOWN || s.to_ms == TIME_UNKNOWN || s.to_ms <= s.from_ms)
		return ERR_OK;
	if ((s.to_ms - s.from_ms) / 1000 / step_s > DAYS_EDGES_MAX)
		return err_set(
		        err, ERR_LIMIT,
		        "the window holds more than %d %s\nhint: --since and --until narrow it",
		        DAYS_EDGES_MAX, step_s == DAY_S ? "days" : "hours");
	int64_t at = days_floor(days_local(zone, s.from_ms), step_s),
	        last = days_local(zone, s.to_ms);
	for (; at <= last + step_s; at += step_s)
		*vec_push(&e->v) = days_instant(zone, at);
	return ERR_OK;
}

static void add_edge(struct edges *e, int64_t t_ms)
{
	if (t_ms != TIME_UNKNOWN)
		*vec_push(&e->v) = t_ms;
}

static int time_compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

enum err_code days_edges(struct arena *a, const struct zone *zone, const struct facts *f,
                         const struct group_by *by, struct ledger_options *o, struct err *err)
{
	struct edges e = { 0 };
	struct span hull = hull_of(f, o);
	enum err_code code = ERR_OK;
	if (group_by_has(by, GROUP_HOUR))
		code = add_steps(&e, zone, hull, HOUR_S, err);
	if (!code && group_by_has(by, GROUP_DAY))
		code = add_steps(&e, zone, hull, DAY_S, err);
	for (size_t i = 0; i < f->prices.n; i++)
		add_edge(&e, f->prices.v[i].from_ms), add_edge(&e, f->prices.v[i].to_ms);
	for (size_t i = 0; i < f->other_costs.n; i++)
		add_edge(&e, f->other_costs.v[i].from_ms), add_edge(&e, f->other_costs.v[i].to_ms);
	vec_sort(&e.v, time_compare);
	int64_t *out = ARENA_ARRAY(a, int64_t, e.v.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < e.v.n; i++)
		if (!n || out[n - 1] != e.v.v[i])
			out[n++] = e.v.v[i];
	vec_deinit(&e.v);
	o->edges_ms = out;
	o->edges_n = n;
	return code;
}

static const char *day_name(struct arena *a, int64_t local_s)
{
	struct when_civil c = when_civil(local_s * 1000);
	return arena_printf(a, "%04d-%02d-%02d", c.year, c.month, c.day);
}

/* With the offset: an hour that the clock shows twice has two names. */
static const char *hour_name(struct arena *a, int64_t local_s, int32_t offset_s)
{
	struct when_civil c = when_civil(local_s * 1000);
	unsigned m = (unsigned)(offset_s < 0 ? -offset_s : offset_s) / 60;
	if (!offset_s)
		return arena_printf(a, "%04d-%02d-%02dT%02d:00Z", c.year, c.month, c.day, c.hour);
	return arena_printf(a, "%04d-%02d-%02dT%02d:00%c%02u:%02u", c.year, c.month, c.day, c.hour,
	                    offset_s < 0 ? '-' : '+', m / 60, m % 60);
}

static void list_days(struct arena *a, const struct zone *zone, struct span w,
                      struct report_input *in)
{
	struct report_day *days;
	size_t n = 0;
	if (w.from_ms == TIME_UNKNOWN || w.to_ms <= w.from_ms ||
	    (w.to_ms - w.from_ms) / 1000 / DAY_S > DAYS_EDGES_MAX)
		return;
	days = ARENA_ARRAY(a, struct report_day,
	                   (size_t)((w.to_ms - w.from_ms) / 1000 / DAY_S) + 3);
	int64_t at = days_floor(days_local(zone, w.from_ms), DAY_S);
	for (;; at += DAY_S) {
		struct span s = { days_instant(zone, at), days_instant(zone, at + DAY_S) };
		if (s.from_ms >= w.to_ms)
			break;
		s.from_ms = s.from_ms > w.from_ms ? s.from_ms : w.from_ms;
		s.to_ms = s.to_ms < w.to_ms ? s.to_ms : w.to_ms;
		if (s.to_ms > s.from_ms)
			days[n++] = (struct report_day){ s, day_name(a, at) };
	}
	in->days = days;
	in->days_n = n;
}

void days_name(struct arena *a, const struct zone *zone, const struct ledger *l,
               struct group_by *by, struct report_input *in)
{
	bool day = group_by_has(by, GROUP_DAY), hour = group_by_has(by, GROUP_HOUR);
	const char **day_names = ARENA_ARRAY(a, const char *, l->buckets.n + 1);
	const char **hour_names = ARENA_ARRAY(a, const char *, l->buckets.n + 1);
	for (size_t i = 0; i < l->buckets.n; i++) {
		int64_t ms = l->buckets.v[i].from_ms, local_s = days_local(zone, ms);
		if (day)
			day_names[i] = day_name(a, local_s);
		if (hour)
			hour_names[i] = hour_name(a, local_s,
			                          zone_offset(zone, days_floor(ms, 1000) / 1000));
	}
	if (day)
		by->bucket_days = day_names;
	if (hour)
		by->bucket_hours = hour_names;
	list_days(a, zone, l->window, in);
}
