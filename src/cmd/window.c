/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/usage.h"
#include "version.h"

enum { WIDTH_MIN = 40, WIDTH_MAX = 120 }; /* longer lines are hard to read */

const char *const window_kept_words[] = { "restored", "saved", NULL };
const char *const window_against_words[] = { "previous", NULL };

static enum err_code unknown_fate(struct str word, struct err *err)
{
	auto_text t = TEXT_NULL;
	for (int i = FATE_NONE + 1; i < FATE_COUNT; i++)
		text_printf(&t, "%s%s", i > FATE_NONE + 1 ? " " : "", fates[i].name);
	return err_set(err, ERR_USAGE, "--count: there is no fate '%.*s'\nhint: fates are %.*s",
	               STR_FMT(word), STR_FMT(text_str(&t)));
}

static enum err_code set_counts(const struct words *counts, struct ledger_options *l,
                                struct err *err)
{
	for (size_t i = 0; i < counts->n; i++) {
		struct str to = counts->v[i], from;
		str_cut(&to, '=', &from);
		int a = fate_find(from), b = fate_find(to);
		if (str_find_byte(counts->v[i], '=') == counts->v[i].n)
			return err_set(err, ERR_USAGE,
			               "--count takes FATE=FATE (timeout=lost), not '%.*s'",
			               STR_FMT(counts->v[i]));
		if (a <= FATE_NONE || b <= FATE_NONE)
			return unknown_fate(a <= FATE_NONE ? from : to, err);
		l->count[a] = (int8_t)b;
	}
	return ERR_OK;
}

static enum err_code set_times(const struct window_options *o, const struct zone *zone,
                               struct ledger_options *l, struct err *err)
{
	enum err_code code;
	if ((code = inputs_time("since", o->since, zone, &l->window.from_ms, err)) ||
	    (code = inputs_time("until", o->until, zone, &l->window.to_ms, err)) ||
	    (code = inputs_time("as-of", o->as_of, zone, &l->as_of_ms, err)))
		return code;
	if (l->window.from_ms != TIME_UNKNOWN && l->window.to_ms != TIME_UNKNOWN &&
	    l->window.from_ms >= l->window.to_ms)
		return err_set(err, ERR_USAGE, "--since is not before --until");
	return ERR_OK;
}

static enum err_code set_rules(const struct window_options *o, const struct zone *zone,
                               struct ledger_options *l, struct err *err)
{
	l->setup_max_ms = o->setup_max_ms;
	l->skew_ms = o->skew_ms;
	l->kept_saved = o->kept;
	enum err_code code = set_counts(&o->counts, l, err);
	return code ? code : set_times(o, zone, l, err);
}

static enum err_code check_identity(const struct ledger *l, const struct facts *f, struct err *err)
{
	struct sums s = { 0 };
	i128 sum = 0;
	sums_of_ledger(&s, l, f);
	for (int i = 0; i < ACCOUNT_COUNT; i++)
		sum += s.accounts[i];
	if (sum != s.paid || s.paid != l->paid_units)
		return err_set(err, ERR_IDENTITY, "the accounts do not add up to what was paid");
	return ERR_OK;
}

static bool locale_is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *z = getenv(names[i]);
		if (!z || !*z)
			continue;
		struct str s = str_of(z);
		for (size_t k = 0; k < s.n; k++)
			if (str_starts_nocase(str_sub(s, k, s.n), S("utf-8")) ||
			    str_starts_nocase(str_sub(s, k, s.n), S("utf8")))
				return true;
		return false; /* the first that is set decides */
	}
	return false;
}

/* By what stands behind stdout. */
static struct format_options screen_options(bool ascii)
{
	struct format_options f = { .width = 100, .ascii = ascii || !locale_is_utf8() };
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size;
	if (isatty(STDOUT_FILENO) != 1)
		return f;
	f.colour = !(no_color && *no_color) && !(term && str_eq(str_of(term), S("dumb")));
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		f.width = size.ws_col < WIDTH_MIN   ? WIDTH_MIN
		          : size.ws_col > WIDTH_MAX ? WIDTH_MAX
		                                    : size.ws_col;
	return f;
}

/* What cannot be written is said once, at the end (usage_print). */
static void flush_text(void *arg, struct text *t)
{
	(void)arg;
	if (!ferror(stdout))
		fwrite(t->p, 1, t->n, stdout);
	t->n = 0;
}

/* A command on its way. */
struct run {
	const struct window_command *c;
	struct window_options *o; /* the command's options begin with them */
	struct arena a;
	const struct zone *zone;
	struct text t;
};

/* A ledger, what it costs, and what a report is told of both. */
struct built {
	struct ledger l;
	struct cost cost;
	struct report_input in;
};

static enum err_code build_one(struct run *r, const struct facts *f, const struct ledger_options *o,
                               struct built *b, struct err *err)
{
	static const struct group_by none = { 0 };
	enum err_code code = ledger_build(&r->a, f, o, &b->l, err);
	if (!code)
		code = check_identity(&b->l, f, err);
	if (!code)
		code = cost_build(&r->a, &b->l, f, &b->cost, err);
	b->in = (struct report_input){ .f = f,
		                       .l = &b->l,
		                       .c = &b->cost,
		                       .by = &none,
		                       .top = (size_t)r->o->top,
		                       .zone = r->o->in.tz ? r->zone : NULL,
		                       .zone_name = r->o->in.tz,
		                       .version = TARE_VERSION,
		                       .flush = flush_text };
	return code;
}

/* The window of the same length before that of NOW, as known at the same time. */
static enum err_code build_before(struct run *r, const struct facts *f,
                                  const struct ledger_options *o, struct built *now,
                                  struct built *before, struct err *err)
{
	struct ledger_options lo = *o;
	const struct span w = now->l.window;
	if (r->o->against < 0 || w.from_ms == TIME_UNKNOWN)
		return ERR_OK;
	lo.window = (struct span){ w.from_ms - (w.to_ms - w.from_ms), w.from_ms };
	lo.as_of_ms = now->l.as_of_ms;
	lo.edges_n = 0;
	now->in.before = &before->in;
	return build_one(r, f, &lo, before, err);
}

static enum err_code build(struct run *r, struct facts *f, struct err *err)
{
	struct ledger_options lo = LEDGER_OPTIONS_DEFAULT;
	struct built now = { 0 }, before = { 0 };
	enum err_code code = set_rules(r->o, r->zone, &lo, err);
	if (!code && r->c->edges)
		code = r->c->edges(&r->a, r->o, r->zone, f, &lo, err);
	if (!code)
		code = build_one(r, f, &lo, &now, err);
	if (!code)
		code = build_before(r, f, &lo, &now, &before, err);
	if (!code) {
		struct format_options screen = screen_options(r->o->ascii);
		const struct format *format =
		        r->o->format >= 0 ? formats[r->o->format] : format_find(S("text"));
		r->c->fill(&r->a, r->o, r->zone, &now.in);
		code = inputs_hide(&r->o->in, f, err);
		if (!code)
			report_write(report_find(str_of(r->c->report)), format, &now.in, &screen,
			             &r->t);
	}
	ledger_deinit(&now.l);
	ledger_deinit(&before.l);
	return code;
}

static enum err_code make(struct run *r, const struct words *inputs, int *ret_status,
                          struct err *err)
{
	struct ledger_options unused = LEDGER_OPTIONS_DEFAULT;
	struct facts f;
	enum err_code code;
	if ((code = r->c->check(r->o, err)) ||
	    (code = inputs_zone(&r->a, &r->o->in, &r->zone, err)) ||
	    (code = set_rules(r->o, r->zone, &unused, err)) ||
	    (code = inputs_read(&r->o->in, r->zone, inputs, &f, err)))
		return code;
	code = build(r, &f, err);
	if (!code)
		*ret_status = inputs_status(r->c->name, &r->o->in, &f);
	facts_deinit(&f);
	return code;
}

int window_run(const struct window_command *c, int argc, char **argv, void *o)
{
	struct run r = { .c = c, .o = o };
	auto_words inputs = { 0 };
	struct err err = { 0 };
	int status = 0;
	enum err_code code = option_parse(c->options, argc, argv, o, &inputs, &err);
	if (!code)
		code = make(&r, &inputs, &status, &err);
	c->deinit(o);
	words_deinit(&r.o->counts);
	inputs_options_deinit(&r.o->in);
	if (code) {
		usage_complain(c->name, &err);
		status = err_exit_status(code);
	} else {
		int printed = usage_print(&r.t);
		status = printed ? printed : status;
	}
	text_deinit(&r.t);
	arena_deinit(&r.a);
	return status;
}
