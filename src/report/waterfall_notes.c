/* SPDX-License-Identifier: Apache-2.0 */
/* What the numbers rest on: said in sentences, the ones that change the reading first. */
#include "account/met.h"
#include "parse/when.h"
#include "report/number.h"
#include "report/waterfall_tables.h"

struct noter {
	struct arena *a;
	const struct report_input *in;
	struct waterfall *x;
};

static void note(struct noter *w, struct str text)
{
	*vec_push(&w->x->notes) = (struct waterfall_note){ str_dup(w->a, text), true };
}

/* One that is good to know, and changes no number. */
static void note_aside(struct noter *w, struct str text)
{
	*vec_push(&w->x->notes) = (struct waterfall_note){ str_dup(w->a, text), false };
}

static i128 free_units(const struct sums *s)
{
	i128 sum = 0;
	for (int a = 0; a < ACCOUNT_COUNT; a++)
		if (accounts[a].lost_at == LOST_AT_ALLOCATED)
			sum += s->accounts[a];
	return sum;
}

/* Most GPUs that were paid for at once, by bucket: units / length. */
static double capacity_most(const struct ledger *l)
{
	auto_arena scratch = ARENA_NULL;
	i128 *units = ARENA_ARRAY(&scratch, i128, l->buckets.n + 1);
	double most = 0;
	for (size_t i = 0; i < l->cells.n; i++)
		units[l->cells.v[i].bucket] += l->cells.v[i].units;
	for (size_t i = 0; i < l->buckets.n; i++) {
		struct span s = l->buckets.v[i];
		double gpus = s.to_ms > s.from_ms
		                      ? measure_ratio(units[i], (i128)(s.to_ms - s.from_ms) * GRID)
		                      : 0;
		if (gpus > most)
			most = gpus;
	}
	return most;
}

static void note_capacity(struct noter *w)
{
	const struct ledger *l = w->in->l;
	auto_text t = TEXT_NULL;
	if (!l->has_capacity) {
		text_add(&t, S("No input says which GPUs are paid for: free and down time are not "
		               "known, "
		               "and not in what is recoverable. At least "));
		number_write(&t, l->concurrency_max, 0);
		text_add(&t, l->concurrency_max == 1 ? S(" GPU was allocated at once.")
		                                     : S(" GPUs were allocated at once."));
		note(w, text_str(&t));
		return;
	}
	double most = capacity_most(l);
	if (l->concurrency_max && (double)l->concurrency_max * 4 < most) {
		text_add(&t, S("At most "));
		number_write(&t, l->concurrency_max, 0);
		text_add(&t, S(" GPUs were allocated at once, of "));
		number_write_double(&t, most, 0);
		text_add(&t, S(": these jobs may be a sample of what the nodes ran."));
		note(w, text_str(&t));
	}
	if (l->capacity_is_snapshot)
		note(w, S("The list of GPUs is of one instant, and taken to hold for the whole "
		          "time."));
	for (size_t i = 0; i < l->places.n; i++)
		if (l->places.v[i].has_capacity && l->places.v[i].free_is_null) {
			struct str pool = names_word(&w->in->f->names, l->places.v[i].pool);
			t.n = 0;
			text_printf(
			        &t,
			        "More GPUs of pool %.*s were allocated at once than it has: its "
			        "capacity is wrong, so it pays its allocations and its free time "
			        "is "
			        "not known.",
			        STR_FMT(pool));
			note(w, text_str(&t));
			return; /* one says it; --by pool shows the others */
		}
}

/* A dump by `sacct -S` lists what was still there at that time: free time before is not to be
 * trusted. */
static void note_beginning(struct noter *w)
{
	const struct ledger *l = w->in->l;
	const struct facts *f = w->in->f;
	int64_t first_ms = INT64_MAX, length_ms = l->window.to_ms - l->window.from_ms;
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		if (j->is_slurm && j->end_ms != TIME_UNKNOWN && j->end_ms < first_ms)
			first_ms = j->end_ms;
	}
	if (first_ms == INT64_MAX || first_ms > l->window.to_ms || !l->has_capacity ||
	    !free_units(&w->x->tally.sums) || first_ms - l->window.from_ms < 3600000 ||
	    first_ms - l->window.from_ms < length_ms / 100)
		return;
	auto_text t = TEXT_NULL;
	text_add(&t, S("No listed job ended before "));
	when_print(&t, first_ms);
	text_add(&t,
	         S(": if sacct -S made the list, free time before may have been used. --since "));
	when_print(&t, first_ms);
	text_add(&t, S(" leaves it out."));
	note(w, text_str(&t));
}

static void note_scheduler(struct noter *w)
{
	const struct ledger *l = w->in->l;
	const struct sums *s = &w->x->tally.sums;
	auto_text t = TEXT_NULL;
	if (!l->has_scheduler)
		note(w,
		     S("No scheduler facts: everything is one job whose worth nobody knows. sacct, "
		       "squeue or kubectl get pods would settle what was productive."));
	if (l->has_capacity && free_units(s)) {
		if (!l->has_samples)
			note_aside(w, S("No GPU readings of free time: it may contain use that the "
			                "scheduler does not manage."));
		if (!l->has_queue && l->has_scheduler)
			note(w, S("The queue was not seen: free time is booked as idle, though "
			          "jobs may "
			          "have been waiting for it."));
	}
	if (s->accounts[ACCOUNT_ACTIVE_UNJUDGED] && l->has_scheduler)
		note(w,
		     S("Interactive sessions, services without service facts, and ends without a "
		       "reason are unjudged: they may be productive."));
	if (l->attempts_missing) {
		text_printf(
		        &t,
		        "%u restart%s no row: sacct -D (--duplicates) gives the missing attempts.",
		        l->attempts_missing, l->attempts_missing == 1 ? " has" : "s have");
		note(w, text_str(&t));
	}
	if (l->jobs_split) {
		t.n = 0;
		text_printf(
		        &t,
		        "%u row%s an id with another that overlaps it or has another user: taken "
		        "as different jobs.",
		        l->jobs_split, l->jobs_split == 1 ? " shares" : "s share");
		note(w, text_str(&t));
	}
}

static void note_apart(struct noter *w)
{
	const struct facts *f = w->in->f;
	const struct met met = met_look(f);
	auto_text t = TEXT_NULL;
	if (!met.held)
		return;
	text_add(&t, S("No reading met a job"));
	if (met.same)
		text_add(&t, S(", though they name the same machines: are the times of one zone? "
		               "--tz ZONE, or FILE@tz=ZONE, says which."));
	else if (met.read)
		text_printf(&t,
		            ": readings are of %.*s, jobs ran on %.*s. A machine needs one name "
		            "in all inputs.",
		            STR_FMT(names_word(&f->names, met.read)),
		            STR_FMT(names_word(&f->names, met.held)));
	else
		text_add(&t, S(": the readings do not say of which machine they are. "
		               "FILE@node=NAME says it."));
	note(w, text_str(&t));
}

static void note_readings(struct noter *w)
{
	const struct ledger *l = w->in->l;
	i128 by[EVIDENCE_COUNT] = { 0 }, estimated = 0, allocated = 0;
	auto_text t = TEXT_NULL;
	bool any = false;
	static const char *const words[EVIDENCE_COUNT] = {
		[EVIDENCE_PROFILE] = "profiling counters",
		[EVIDENCE_WEAK] = "GPU-Util only (activity, not use)",
		[EVIDENCE_INFERRED] = "power or clocks (inferred)",
		[EVIDENCE_NONE] = "nothing",
	};
	for (size_t i = 0; i < l->cells.n; i++) {
		const struct cell *c = &l->cells.v[i];
		if (c->state < STATE_SETUP || c->state == STATE_UNKNOWN)
			continue;
		allocated += c->units;
		by[c->state == STATE_UNOBSERVED ? EVIDENCE_NONE : c->evidence] += c->units;
		estimated += c->estimated ? c->units : 0;
	}
	if (!allocated || !l->has_samples)
		return;
	text_add(&t, S("Allocated time was judged from"));
	for (int i = 0; i < EVIDENCE_COUNT; i++) {
		if (!words[i] || !by[i])
			continue;
		text_printf(&t, "%s %s ", any ? "," : "", words[i]);
		number_write_percent(&t, measure_ratio(by[i], allocated));
		any = true;
	}
	if (estimated) {
		text_add(&t, S("; estimated in part (shared devices, points, pools): "));
		number_write_percent(&t, measure_ratio(estimated, allocated));
	}
	text_byte(&t, '.');
	if (any)
		note(w, text_str(&t));
	if (by[EVIDENCE_NONE] == allocated)
		note_apart(w);
}

/* A reading that was refused or made no sense is unknown, never 0; what was not asked for is not
 * listed. */
static void note_unknowns(struct noter *w)
{
	static const char *const words[WHY_COUNT] = {
		[WHY_UNSUPPORTED] = "not supported", [WHY_NO_PERMISSION] = "refused",
		[WHY_LOST] = "device lost",          [WHY_STALE] = "stale",
		[WHY_OUT_OF_RANGE] = "out of range", [WHY_NOT_READY] = "not ready",
	};
	const struct ledger *l = w->in->l;
	auto_text t = TEXT_NULL;
	bool refused = false;
	for (int m = 0; m <= METRIC_COUNT; m++) {
		const char *of = m < METRIC_COUNT ? metrics[m].name : "process lists";
		for (int y = 0; y < WHY_COUNT; y++) {
			uint64_t n = !l->readings       ? 0
			             : m < METRIC_COUNT ? l->readings[m].unknown[y]
			                                : l->lists_unknown[y];
			if (!words[y] || !n)
				continue;
			text_add(&t, !t.n ? S("Readings that are unknown, not 0: ")
			             : of ? S("; ")
			                  : S(", "));
			if (of)
				text_printf(&t, "%s ", of);
			number_write(&t, n, 0);
			text_printf(&t, " %s", words[y]);
			of = NULL;
			refused |= y == WHY_NO_PERMISSION;
		}
	}
	if (!t.n)
		return;
	text_byte(&t, '.');
	if (refused)
		text_add(&t, S(" For what was refused, read as root or let the driver show its "
		               "counters to all (NVreg_RestrictProfilingToAdminUsers=0)."));
	note_aside(w, text_str(&t));
}

static void note_doubles(struct noter *w)
{
	uint64_t n = w->in->l->doubles;
	auto_text t = TEXT_NULL;
	if (!n)
		return;
	number_write(&t, n, 0);
	text_add(&t, n == 1 ? S(" time a GPU has a metric twice: the later input counts.")
	                    : S(" times a GPU has a metric twice: the later input counts."));
	note(w, text_str(&t));
}

static void note_ignored(struct noter *w)
{
	const struct ledger *l = w->in->l;
	auto_text t = TEXT_NULL;
	if (!w->in->f->ignores.n)
		return;
	text_add(&t, S("The policy leaves out "));
	waterfall_write_hours(&t, l, l->ignored_units, waterfall_decimals(l, l->ignored_units));
	text_printf(&t, " %s: they are not in what was paid for, nor in any share.",
	            waterfall_hours(l));
	note(w, text_str(&t));
}

static void note_marks(struct noter *w)
{
	static const char *const says[MARK_COUNT] = {
		"setup and restore of attempts that follow a failed one",
		"GPUs beyond what jobs asked for",
		"between a failure and the end of the attempt",
		"allocations that never started to work",
	};
	const struct sums *s = &w->x->tally.sums;
	const struct ledger *l = w->in->l;
	auto_text t = TEXT_NULL;
	for (int i = 0; i < MARK_COUNT; i++) {
		if (!s->marks[i])
			continue;
		text_add(&t, t.n ? S("; ") : S("Of that time "));
		waterfall_write_hours(&t, l, s->marks[i], waterfall_decimals(l, s->paid));
		text_printf(&t, " %s are %s", waterfall_hours(l), says[i]);
	}
	if (!t.n)
		return;
	text_byte(&t, '.');
	note_aside(w, text_str(&t));
}

static void note_unmet(struct noter *w)
{
	const struct ledger *l = w->in->l;
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < l->unmets.n; i++) {
		const struct unmet *u = &l->unmets.v[i];
		struct str model =
		        u->model ? names_word(&w->in->f->names, u->model) : S("any kind");
		if (!u->units)
			continue;
		bool first = !t.n;
		text_add(&t, first ? S("Unmet demand: ") : S(", "));
		waterfall_write_hours(&t, l, u->units, waterfall_decimals(l, u->units));
		text_printf(&t, " %s%sof %.*s", first ? waterfall_hours(l) : "", first ? " " : "",
		            STR_FMT(model));
	}
	if (!t.n)
		return;
	text_add(&t, S(" were waited for while none was free."));
	note(w, text_str(&t));
}

static void note_money(struct noter *w)
{
	const struct cost *c = w->in->c;
	const struct money *m = &w->x->tally.total;
	struct str currency = names_word(&w->in->f->names, c->currency);
	auto_text t = TEXT_NULL;
	if (c->has_price && m->priced != m->units) {
		number_write_percent(&t, 1 - measure_ratio(m->priced, m->units));
		text_add(
		        &t,
		        S(" of the time has no price; its cost is not known and not in the sums."));
		note(w, text_str(&t));
	}
	if (c->credit_num) {
		t.n = 0;
		text_add(&t, S("Credits, in none of the sums: "));
		number_write(&t, figures_minor(c, c->credit_num), c->decimals);
		text_printf(&t, " %.*s.", STR_FMT(currency));
		note(w, text_str(&t));
	}
}

void waterfall_add_notes(struct arena *a, const struct report_input *in, struct waterfall *x)
{
	struct noter w = { a, in, x };
	auto_text t = TEXT_NULL;
	note_capacity(&w);
	note_scheduler(&w);
	note_ignored(&w);
	note_beginning(&w);
	note_readings(&w);
	note_doubles(&w);
	note_unknowns(&w);
	if (waterfall_depth_differs(x, &t))
		note(&w, text_str(&t));
	t.n = 0;
	if (waterfall_energy_differs(in->l, &t))
		note(&w, text_str(&t));
	note_unmet(&w);
	note_money(&w);
	note_marks(&w);
	for (size_t i = 0; i < in->f->notes.n; i++) {
		const struct note *n = &in->f->notes.v[i];
		t.n = 0;
		text_add(&t, names_word(&in->f->names, n->text));
		if (n->count > 1) {
			text_add(&t, S(" ("));
			number_write(&t, (i128)n->count, 0);
			text_add(&t, S(" times)"));
		}
		note(&w, text_str(&t));
	}
}
