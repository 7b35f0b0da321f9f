/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_MIN = 40, WIDTH_MAX = 120 }; /* longer lines are hard to read */

const char *const window_kept_words[] = { "restored", "saved", NULL };

enum err_code window_take_format(void *field, struct str value, struct err *err)
{
	const char *near = NULL;
	const struct format *f = format_find(value);
	if (f) {
		*(const struct format **)field = f;
		return ERR_OK;
	}
	for (size_t i = 0; formats[i]; i++)
		option_nearest(value, formats[i]->name, &near);
	return err_set(err, ERR_USAGE, "there is no format '%.*s'%s%s%s", STR_FMT(value),
	               near ? "\nhint: did you mean '" : "\nhint: 'tare formats' lists them",
	               near ? near : "", near ? "'?" : "");
}

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

enum err_code window_set(const struct window_options *o, const struct zone *zone,
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

enum err_code window_ledger(struct arena *a, const struct facts *f, const struct ledger_options *l,
                            struct ledger *ret_ledger, struct cost *ret_cost, struct err *err)
{
	*ret_ledger = (struct ledger){ 0 };
	enum err_code code = ledger_build(a, f, l, ret_ledger, err);
	if (code)
		return code;
	if ((code = check_identity(ret_ledger, f, err)) ||
	    (code = cost_build(a, ret_ledger, f, ret_cost, err)))
		ledger_deinit(ret_ledger);
	return code;
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

struct format_options window_screen(bool ascii)
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

void window_flush(void *arg, struct text *t)
{
	(void)arg;
	if (!ferror(stdout))
		fwrite(t->p, 1, t->n, stdout);
	t->n = 0;
}
