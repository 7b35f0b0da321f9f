/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/duration.h"
#include "parse/when.h"
#include "read/slurm_cell.h"

enum time_answer { TIME_GOOD, TIME_NONE, TIME_WRONG };

/* The usual row names the same day three times: of "2026-11-30T12:00:00" only the clock is read. */
static inline bool same_day(const struct slurm_feed *s, const char *p, int64_t *ret_ms)
{
	if (str_load8(p) != str_load8(s->date) || str_load4(p + 7) != str_load4(s->date + 7))
		return false;
	uint64_t v = str_load8(p + 11) ^ 0x3030303030303030u;
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

static bool row_wrong_time(struct slurm_feed *s, uint64_t line, enum slurm_column c,
                           const char *name)
{
	facts_reject(s->f, line,
	             "%s: not a time: '%.*s' (SLURM_TIME_FORMAT=standard makes sacct print one)",
	             name, STR_FMT(str_sub(s->value[c], 0, 40)));
	return false;
}

static int64_t later_reading(const struct zone *zone, int64_t ms)
{
	return zone_second(zone, ms / 1000) * 1000 + ms % 1000;
}

/* In autumn a local time may be one of two; how long the job ran says which. */
static void settle_hour_that_comes_twice(struct slurm_feed *s, struct slurm_row *r)
{
	const struct zone *zone = s->options->zone;
	if (!zone || r->start_ms == TIME_UNKNOWN || r->end_ms == TIME_UNKNOWN)
		return;
	int64_t start_ms = later_reading(zone, r->start_ms);
	int64_t end_ms = later_reading(zone, r->end_ms);
	if (start_ms == r->start_ms && end_ms == r->end_ms)
		return;
	facts_note(s->f,
	           "Local times of the hour that comes twice in autumn were told apart by how "
	           "long the jobs ran, else taken as the first.");
	int64_t elapsed_ms = elapsed_of(s);
	const int64_t starts[2] = { r->start_ms, start_ms }, ends[2] = { r->end_ms, end_ms };
	for (int i = 0; i < 4 && elapsed_ms != TIME_UNKNOWN; i++)
		if (ends[i / 2] - starts[i % 2] == elapsed_ms) {
			r->start_ms = starts[i % 2];
			r->end_ms = ends[i / 2];
			return;
		}
	if (r->end_ms < r->start_ms)
		r->end_ms = end_ms;
}

static bool row_times(struct slurm_feed *s, uint64_t line, struct slurm_row *r)
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
		slurm_saw(s, r->start_ms + elapsed_ms); /* when the list was made */
	if (phase == SLURM_ENDED && elapsed_ms != TIME_UNKNOWN) {
		if (r->start_ms == TIME_UNKNOWN && r->end_ms != TIME_UNKNOWN && elapsed_ms)
			r->start_ms = r->end_ms - elapsed_ms;
		else if (r->end_ms == TIME_UNKNOWN && r->start_ms != TIME_UNKNOWN)
			r->end_ms = r->start_ms + elapsed_ms;
	}
	settle_hour_that_comes_twice(s, r);
	/* cancelled in the queue: Slurm writes the time of the cancellation as its start */
	if (r->start_ms != TIME_UNKNOWN && r->start_ms == r->end_ms && slurm_row_is_unplaced(s))
		r->start_ms = TIME_UNKNOWN;
	if (r->start_ms != TIME_UNKNOWN && r->end_ms != TIME_UNKNOWN && r->end_ms < r->start_ms) {
		facts_reject(s->f, line, "End lies before Start");
		return false;
	}
	return true;
}

static inline bool row_state(struct slurm_feed *s, uint64_t line, struct slurm_row *r)
{
	struct str w = s->value[SLURM_STATE];
	size_t at = w.n ? slurm_slot_of(w) : 0;
	if (!s->states[at].state || !str_same(s->states[at].text, w)) {
		s->states[at].text = w;
		s->states[at].state = slurm_state_find(w);
	}
	r->state = s->states[at].state;
	if (!r->state)
		facts_reject(s->f, line, "State: no word of Slurm's: '%.*s'",
		             STR_FMT(str_sub(w, 0, 40)));
	return r->state;
}

static enum outcome row_outcome(const struct slurm_feed *s, const struct slurm_row *r)
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

bool slurm_row_settle(struct slurm_feed *s, uint64_t line, struct slurm_row *r)
{
	if (!row_state(s, line, r) || !row_times(s, line, r))
		return false;
	r->outcome = row_outcome(s, r);
	return true;
}
