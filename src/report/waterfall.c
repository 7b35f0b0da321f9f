/* SPDX-License-Identifier: Apache-2.0 */
/* The main report for people: one screen, largest first, with what it rests on. */
#include "report/waterfall.h"

#include <stdlib.h>

#include "account/demand.h"
#include "account/round.h"
#include "parse/when.h"
#include "report/number.h"
#include "report/waterfall_tables.h"

enum { NOTES_SHOWN_MAX = 4, INPUTS_NAMED_MAX = 4 };
enum { REJECTS_IN_TEXT_MAX = 3, REJECTS_ON_PAGE_MAX = 20 };

const char *const waterfall_evidence_names[EVIDENCE_COUNT] = { "scheduler", "profile", "weak",
	                                                       "inferred", "none" };

void waterfall_build(struct arena *a, const struct report_input *in, struct waterfall *ret)
{
	struct waterfall *x = ret;
	*x = (struct waterfall){ 0 };
	tally_build(in->l, in->f, in->c, NULL, 0, &x->tally);
	figures_build(&x->tally, in->c, -1, -1, &x->figures);
	x->demand = demand_events(a, in->l, in->f, NULL, 0);
	struct measure_input m = {
		.a = a, .l = in->l, .f = in->f, .c = in->c, .t = &x->tally, .demand = x->demand
	};
	measures_compute(&m, x->measures);
	waterfall_add_notes(a, in, x);
	if (in->before) {
		x->before = ARENA_NEW(a, struct waterfall);
		waterfall_build(a, in->before, x->before); /* which has none before it */
	}
}

void waterfall_deinit(struct waterfall *x)
{
	if (x->before)
		vec_deinit(&x->before->notes);
	vec_deinit(&x->notes);
}

struct str waterfall_key_name(struct arena *a, const struct group_by *by, size_t key)
{
	const char *name = group_keys[by->keys[key]].name;
	if (by->keys[key] != GROUP_LABEL)
		return str_of(name);
	return str_of(arena_printf(a, "label:%.*s", STR_FMT(by->labels[key])));
}

/* The groups' millijoules, which add up to the TOTAL. */
static i128 *round_joules(struct arena *a, const struct ledger *l, const struct groups *g,
                          i128 total)
{
	auto_arena scratch = ARENA_NULL;
	i128 *parts = ARENA_ARRAY(&scratch, i128, g->v.n + 1);
	i128 *ret = ARENA_ARRAY(a, i128, g->v.n + 1);
	for (size_t i = 0; l->drawn.n && i < g->v.n; i++)
		for (size_t k = 0; k < g->v.v[i].cells_n; k++)
			parts[i] += l->drawn.v[g->cells[g->v.v[i].cells_at + k]].energy;
	round_parts(&scratch, parts, g->v.n, GRID, total, ret);
	return ret;
}

void waterfall_round_groups(struct arena *a, const struct report_input *in, const struct groups *g,
                            const struct figures *total, struct waterfall_parts *ret_parts)
{
	auto_arena scratch = ARENA_NULL;
	i128 *units = ARENA_ARRAY(&scratch, i128, g->v.n + 1);
	i128 *nums = ARENA_ARRAY(&scratch, i128, g->v.n + 1);
	for (size_t i = 0; i < g->v.n; i++) {
		units[i] = g->v.v[i].units;
		for (size_t k = 0; in->c->has_price && k < g->v.v[i].cells_n; k++)
			nums[i] += in->c->nums[g->cells[g->v.v[i].cells_at + k]];
	}
	figures_round_rows(a, in->c, units, nums, g->v.n, total->paid_ms, total->cost,
	                   &ret_parts->ms, &ret_parts->costs);
	ret_parts->joules_milli = round_joules(a, in->l, g, total->millijoules);
}

void waterfall_build_group(struct arena *a, const struct report_input *in, const struct groups *g,
                           const struct waterfall_parts *parts, size_t i, struct tally *ret_tally,
                           struct figures *ret_figures, struct measure ret_measures[MEASURE_COUNT])
{
	const struct group *x = &g->v.v[i];
	size_t n;
	tally_build(in->l, in->f, in->c, g->cells + x->cells_at, x->cells_n, ret_tally);
	figures_build(ret_tally, in->c, parts->ms[i], parts->costs ? parts->costs[i] : -1,
	              ret_figures);
	figures_set_energy(ret_figures, ret_tally, parts->joules_milli[i]);
	const uint32_t *jobs = tally_jobs(a, ret_tally, in->l, &n);
	struct measure_input mi = { .a = a,
		                    .l = in->l,
		                    .f = in->f,
		                    .c = in->c,
		                    .t = ret_tally,
		                    .jobs = jobs,
		                    .jobs_n = n };
	measures_compute(&mi, ret_measures);
}

/* In the zone that was asked for. */
void waterfall_write_time(struct text *t, const struct report_input *in, int64_t ms)
{
	auto_text z = TEXT_NULL;
	if (ms == TIME_UNKNOWN) {
		text_add(t, S("?"));
		return;
	}
	if (in->zone) /* UTC is as good as any to lay out a local time in */
		ms += (int64_t)zone_offset(in->zone, (ms - (ms % 1000 + 1000) % 1000) / 1000) *
		      1000;
	when_print(&z, ms);
	struct str s = text_str(&z);
	for (size_t i = 0; i < s.n; i++) /* 2026-11-30T12:00:00Z reads better in two words */
		text_byte(t, s.p[i] == 'T' ? ' ' : s.p[i] == 'Z' ? ' ' : s.p[i]);
	if (t->n && t->p[t->n - 1] == ' ')
		t->n--;
}

/* The last part of a path: the whole of it stands in --explain's table. */
static struct str base_name(struct str path)
{
	struct str rest = path, part = path;
	while (str_cut(&rest, '/', &part))
		;
	return part.n ? part : path;
}

static void write_inputs(struct text *t, const struct facts *f)
{
	uint64_t records = 0, rejected = 0;
	for (size_t i = 0; i < f->inputs.n; i++) {
		const struct input_info *x = &f->inputs.v[i];
		records += x->records, rejected += x->rejected;
		if (i >= INPUTS_NAMED_MAX && !x->partial)
			continue;
		text_printf(t, "%s%.*s (%.*s%s)", i ? ", " : "From ",
		            STR_FMT(base_name(names_word(&f->names, x->name))),
		            STR_FMT(x->format ? names_word(&f->names, x->format) : S("left out")),
		            x->partial ? ", not read to its end" : "");
	}
	if (f->inputs.n > INPUTS_NAMED_MAX)
		text_printf(t, " and %zu more", f->inputs.n - INPUTS_NAMED_MAX);
	text_add(t, f->inputs.n ? S(": ") : S("No input: "));
	number_write(t, records, 0);
	text_add(t, records == 1 ? S(" record") : S(" records"));
	if (rejected) {
		text_add(t, S(", "));
		number_write(t, rejected, 0);
		text_add(t, S(" rejected"));
	}
	text_byte(t, '.');
}

void waterfall_add_title(const struct report_input *in, struct doc *d)
{
	const struct ledger *l = in->l;
	auto_text t = TEXT_NULL;
	if (l->as_of_ms == TIME_UNKNOWN) {
		text_add(&t, S("GPU time: no input says when anything began or ended"));
	} else {
		text_add(&t, S("GPU time from "));
		waterfall_write_time(&t, in, l->window.from_ms);
		text_add(&t, S(" to "));
		waterfall_write_time(&t, in, l->window.to_ms);
		text_printf(&t, " %s, as known ", in->zone ? in->zone_name : "UTC");
		if (l->as_of_ms == l->window.to_ms) {
			text_add(&t, S("then"));
		} else {
			text_add(&t, S("at "));
			waterfall_write_time(&t, in, l->as_of_ms);
		}
	}
	doc_add_str(d, DOC_TITLE, str_dup(d->a, text_str(&t)));
	t.n = 0;
	waterfall_census(in, &t);
	write_inputs(&t, in->f);
	doc_add_str(d, DOC_TEXT, str_dup(d->a, text_str(&t)));
}

static void write_money(struct text *t, const struct report_input *in, i128 minor)
{
	number_write(t, minor, in->c->decimals);
	if (in->c->currency)
		text_printf(t, " %.*s", STR_FMT(names_word(&in->f->names, in->c->currency)));
}

static void write_band(struct text *t, double low, double high)
{
	if (low == high) {
		number_write_percent(t, low);
		return;
	}
	text_add(t, S("between "));
	number_write_double(t, low * 100, 1);
	text_add(t, S(" and "));
	number_write_percent(t, high);
}

static void write_headline_paid(struct text *t, const struct report_input *in,
                                const struct waterfall *x)
{
	const struct sums *s = &x->tally.sums;
	text_add(t, S("Of "));
	waterfall_write_hours(t, in->l, s->paid, waterfall_decimals(in->l, s->paid));
	text_printf(t, " %s %s", waterfall_hours(in->l),
	            s->free_is_null || !in->l->has_capacity ? "allocated" : "paid for");
	if (in->c->has_price) {
		text_add(t, x->figures.cost_known ? S(" (") : S(" (what has a price: "));
		write_money(t, in, x->figures.cost);
		text_add(t, S(")"));
	}
}

/* A list of GPUs alone is an instant: it says how many there are, not for how long. */
static void add_nothing(const struct report_input *in, struct doc *d)
{
	const struct facts *f = in->f;
	bool listed = false;
	for (size_t i = 0; i < f->capacity.n && !listed; i++)
		listed = f->capacity.v[i].is_snapshot && f->capacity.v[i].count;
	const struct ledger *l = in->l;
	auto_text t = TEXT_NULL;
	if (l->window.from_ms == l->as_of_ms && waterfall_instant(in, &t)) {
		doc_add_str(d, DOC_HEADLINE, str_dup(d->a, text_str(&t)));
		return;
	}
	if (l->window.from_ms >= l->window.to_ms && l->as_of_ms != TIME_UNKNOWN) {
		text_add(&t, S("Nothing lies in this window: the newest fact is of "));
		waterfall_write_time(&t, in, l->as_of_ms);
		text_add(&t, S(". A time like -7d counts back from now."));
		doc_add_str(d, DOC_HEADLINE, str_dup(d->a, text_str(&t)));
		return;
	}
	if (f->node_power.n && !in->l->has_scheduler && !listed) {
		doc_add(d, DOC_HEADLINE,
		        "Only the power of whole machines is known here: no GPU-time can be told "
		        "from it.");
		return;
	}
	doc_add(d, DOC_HEADLINE,
	        listed && !in->l->has_scheduler
	                ? "A list of one instant. Where the time of these GPUs went needs history: "
	                  "give the scheduler's accounting too (sacct)."
	                : "Nothing was paid for in this window.");
}

void waterfall_add_foot(const struct report_input *in, struct doc *d)
{
	auto_text t = TEXT_NULL;
	if (!d->draws)
		return;
	text_printf(&t, "Made by tare %s", in->version);
	if (in->l->as_of_ms != TIME_UNKNOWN) {
		text_add(&t, S(" of the time from "));
		when_print(&t, in->l->window.from_ms);
		text_add(&t, S(" to "));
		when_print(&t, in->l->window.to_ms);
		text_add(&t, S(", as known at "));
		when_print(&t, in->l->as_of_ms);
	}
	text_byte(&t, '.');
	doc_add_str(d, DOC_FOOT, str_dup(d->a, text_str(&t)));
}

static void add_headline(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	const struct sums *s = &x->tally.sums;
	auto_text t = TEXT_NULL;
	double low = measure_ratio(s->low[LAYER_PRODUCTIVE], s->paid);
	double high = measure_ratio(s->high[LAYER_PRODUCTIVE], s->paid);
	if (!s->paid) {
		add_nothing(in, d);
		return;
	}
	write_headline_paid(&t, in, x);
	text_add(&t, S(", "));
	if (in->l->has_samples || !in->l->has_scheduler) {
		write_band(&t, low, high);
		text_add(&t, S(" became productive work."));
	} else {
		number_write_percent(&t, measure_ratio(s->successful, s->paid));
		text_add(&t, S(" went to work that was successful (completed or kept). Productive: "
		               "at most "));
		number_write_percent(&t, high);
		text_add(&t, S(", since no reading shows whether the GPUs worked."));
	}
	doc_add_str(d, DOC_HEADLINE, str_dup(d->a, text_str(&t)));
}

/* Notes that change what a number means are always here; others where there is room. Who reads a
   page cannot ask for more. */
static void add_notes(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	size_t room = NOTES_SHOWN_MAX, left_out = 0;
	for (size_t i = 0; i < x->notes.n; i++)
		room -= x->notes.v[i].weighs && room;
	doc_add(d, DOC_HEADING, "What this rests on");
	for (size_t i = 0; i < x->notes.n; i++) {
		const struct waterfall_note *n = &x->notes.v[i];
		if (in->explain || d->draws || n->weighs || room)
			doc_add_str(d, DOC_NOTE, n->text);
		else
			left_out++;
		room -= !n->weighs && room;
	}
	if (in->explain)
		return;
	waterfall_add_unknown_measures(in, x, d);
	if (d->draws)
		return;
	if (left_out)
		doc_add(d, DOC_NOTE,
		        "--explain: %zu more remark%s, every account, measure and input.", left_out,
		        left_out == 1 ? "" : "s");
	else
		doc_add(d, DOC_NOTE, "--explain: every account, measure and input.");
}

static void add_rejects(const struct report_input *in, struct doc *d)
{
	const struct facts *f = in->f;
	uint64_t rejected = 0;
	size_t n = f->rejects.n;
	for (size_t i = 0; i < f->inputs.n; i++)
		rejected += f->inputs.v[i].rejected;
	if (!rejected)
		return;
	size_t most = d->draws ? REJECTS_ON_PAGE_MAX : REJECTS_IN_TEXT_MAX;
	if (!in->explain && n > most)
		n = most;
	doc_add(d, DOC_HEADING, "%llu record%s could not be used", (unsigned long long)rejected,
	        rejected == 1 ? "" : "s");
	for (size_t i = 0; i < n; i++) {
		const struct reject *r = &f->rejects.v[i];
		struct str input = names_word(&f->names, r->input);
		struct str reason = names_word(&f->names, r->reason);
		if (r->line)
			doc_add(d, DOC_NOTE, "%.*s:%llu: %.*s", STR_FMT(input),
			        (unsigned long long)r->line, STR_FMT(reason));
		else
			doc_add(d, DOC_NOTE, "%.*s: %.*s", STR_FMT(input), STR_FMT(reason));
	}
	if (n < rejected)
		doc_add(d, DOC_NOTE, "and %llu more", (unsigned long long)(rejected - n));
}

/* What the readers had to say where there is nothing else to print. */
static void add_said(const struct report_input *in, struct doc *d)
{
	for (size_t i = 0; i < in->f->notes.n; i++) {
		struct str text = names_word(&in->f->names, in->f->notes.v[i].text);
		if (!i)
			doc_add(d, DOC_HEADING, "What this rests on");
		doc_add(d, DOC_NOTE, "%.*s", STR_FMT(text));
	}
}

static void add_sections(const struct report_input *in, const struct waterfall *x, struct doc *d)
{
	waterfall_add_layers(in, x, d);
	if (d->draws)
		waterfall_add_stacks(in, x, d);
	waterfall_add_losses(in, x, d);
	waterfall_add_free_line(in, x, d);
	if (in->l->has_scheduler)
		waterfall_add_outcomes(in, x, d);
	waterfall_add_against(in, x, d);
	waterfall_add_measures(in, x, d);
	waterfall_add_depth_line(x, d);
	waterfall_add_node_power(in, d);
	if (in->by->n)
		waterfall_add_groups(in, x, d);
	if (in->matrix)
		waterfall_add_matrix(in, x, d);
	if (in->explain) {
		waterfall_add_placement(in, x, d);
		waterfall_add_accounts(in, x, d);
		waterfall_add_depth(in, x, d);
	}
	if (in->explain || d->draws)
		waterfall_add_inputs(in, d);
	add_notes(in, x, d);
}

static void waterfall_document(const struct report_input *in, struct doc *d)
{
	struct waterfall *x = ARENA_NEW(d->a, struct waterfall);
	waterfall_build(d->a, in, x);
	waterfall_add_title(in, d);
	add_headline(in, x, d);
	if (x->tally.sums.paid) {
		add_sections(in, x, d);
	} else {
		waterfall_add_node_power(in, d);
		if (d->draws)
			waterfall_add_inputs(in, d);
		add_said(in, d);
	}
	add_rejects(in, d);
	waterfall_add_foot(in, d);
	waterfall_deinit(x);
}

const struct report report_waterfall = {
	.name = "waterfall",
	.help = "Where every paid GPU-second went, from paid down to productive.",
	.document = waterfall_document,
	.json = waterfall_write_json,
	.csv = waterfall_write_csv,
};
