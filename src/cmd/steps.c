/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/steps.h"

#include "cmd/days.h"
#include "parse/when.h"

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400, WEEK_S = 7 * DAY_S };
enum { STEPS_MAX = 100, LABELS_MAX = 8 };

/* Ways to cut time: each is whole steps of the one before, so steps of all begin on the clock. */
static const struct way {
	int64_t length_s;
	const char *unit;
} ways[] = {
	{ 10, "10 seconds" },
	{ MINUTE_S, "minute" },
	{ 5 * MINUTE_S, "5 minutes" },
	{ 15 * MINUTE_S, "15 minutes" },
	{ HOUR_S, "hour" },
	{ DAY_S, "day" },
	{ WEEK_S, "week" },
	{ 4 * WEEK_S, "4 weeks" },
	{ 52 * WEEK_S, "52 weeks" },
	{ 520 * WEEK_S, "520 weeks" },
};
enum { WAYS = sizeof ways / sizeof *ways };

/* The shortest that gives a width of columns that can be told apart. */
static const struct way *way_of(struct span w)
{
	size_t i = 0;
	while (i + 1 < WAYS && (w.to_ms - w.from_ms) / 1000 / ways[i].length_s >= STEPS_MAX)
		i++;
	return &ways[i];
}

/* Weeks begin on Monday; 1970-01-05 was one. */
static int64_t monday(int64_t length_s)
{
	return length_s >= WEEK_S ? (int64_t)4 * DAY_S : 0;
}

static int64_t first_of(const struct zone *zone, struct span w, const struct way *way)
{
	int64_t at = monday(way->length_s);
	return days_floor(days_local(zone, w.from_ms) - at, way->length_s) + at;
}

struct cut {
	struct arena *a;
	const struct zone *zone;
};

/* The ends of the window, and where steps begin between them; as many as there may be. */
static size_t list_edges(const struct cut *c, struct span w, const struct way *way, int64_t **ret)
{
	size_t n = 0, most = (size_t)((w.to_ms - w.from_ms) / 1000 / way->length_s) + 4;
	int64_t *edges = ARENA_ARRAY(c->a, int64_t, most);
	edges[n++] = w.from_ms;
	for (int64_t at = first_of(c->zone, w, way); n + 1 < most; at += way->length_s) {
		int64_t ms = days_instant(c->zone, at);
		if (ms >= w.to_ms)
			break;
		if (ms > edges[n - 1])
			edges[n++] = ms;
	}
	edges[n++] = w.to_ms;
	*ret = edges;
	return n;
}

static size_t cut_edges(void *arg, struct span w, const int64_t **ret)
{
	int64_t *edges;
	size_t n = list_edges(arg, w, way_of(w), &edges);
	*ret = edges;
	return n;
}

void steps_cut(struct arena *a, const struct zone *zone, struct ledger_options *o)
{
	struct cut *c = ARENA_NEW(a, struct cut);
	*c = (struct cut){ a, zone };
	o->edges_of = cut_edges;
	o->edges_arg = c;
}

static const char *name_of(struct arena *a, struct when_civil c, const struct way *way)
{
	if (way->length_s >= DAY_S)
		return arena_printf(a, "%04d-%02d-%02d", c.year, c.month, c.day);
	const char *minute = arena_printf(a, "%04d-%02d-%02d %02d:%02d", c.year, c.month, c.day,
	                                  c.hour, c.minute);
	return way->length_s < MINUTE_S ? arena_printf(a, "%s:%02d", minute, c.second) : minute;
}

/* Short, since many stand side by side: the hour, at midnight the day, with the year where it is
   the first of the axis or of a year. */
static const char *label_of(struct arena *a, struct when_civil c, const struct way *way, int *year)
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
		                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	bool same = *year == c.year;
	*year = c.year;
	if (c.second)
		return arena_printf(a, "%02d:%02d:%02d", c.hour, c.minute, c.second);
	if (way->length_s < DAY_S && (c.hour || c.minute))
		return arena_printf(a, "%02d:%02d", c.hour, c.minute);
	if (same)
		return arena_printf(a, "%d %s", c.day, months[c.month - 1]);
	return arena_printf(a, "%d %s %d", c.day, months[c.month - 1], c.year);
}

/* Labels stand at round times of the clock, a length of time apart that is easy to count on. */
static int64_t label_length(size_t n, const struct way *way)
{
	static const int64_t lengths[] = { 10,
		                           30,
		                           MINUTE_S,
		                           2 * MINUTE_S,
		                           5 * MINUTE_S,
		                           10 * MINUTE_S,
		                           15 * MINUTE_S,
		                           30 * MINUTE_S,
		                           HOUR_S,
		                           2 * HOUR_S,
		                           3 * HOUR_S,
		                           6 * HOUR_S,
		                           12 * HOUR_S,
		                           DAY_S,
		                           WEEK_S,
		                           2 * WEEK_S,
		                           4 * WEEK_S,
		                           8 * WEEK_S,
		                           16 * WEEK_S,
		                           52 * WEEK_S,
		                           520 * WEEK_S };
	size_t i = 0;
	while (i + 1 < sizeof lengths / sizeof *lengths &&
	       (lengths[i] % way->length_s || (int64_t)n * way->length_s / lengths[i] > LABELS_MAX))
		i++;
	return lengths[i];
}

void steps_name(struct arena *a, const struct zone *zone, const struct ledger *l,
                struct report_input *in)
{
	struct span w = l->window;
	struct cut c = { a, zone };
	int64_t *edges;
	int year = -1;
	if (w.from_ms == TIME_UNKNOWN || w.to_ms <= w.from_ms)
		return;
	const struct way *way = way_of(w);
	size_t n = list_edges(&c, w, way, &edges) - 1;
	int64_t apart_s = label_length(n, way);
	struct report_step *steps = ARENA_ARRAY(a, struct report_step, n);
	for (size_t i = 0; i < n; i++) {
		int64_t local_s = days_local(zone, edges[i]);
		struct when_civil civil = when_civil(local_s * 1000);
		steps[i].span = (struct span){ edges[i], edges[i + 1] };
		steps[i].name = name_of(a, civil, way);
		if ((local_s - monday(apart_s)) % apart_s == 0)
			steps[i].label = label_of(a, civil, way, &year);
	}
	in->steps = steps;
	in->steps_n = n;
	in->step_unit = way->unit;
}
