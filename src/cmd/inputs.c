/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/inputs.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd/usage.h"
#include "intake/intake.h"
#include "intake/pseudonyms.h"
#include "parse/duration.h"
#include "parse/when.h"

enum { REJECTS_PRINTED_MAX = 3, PROGRESS_COLUMNS = 78, KEY_BYTES_MAX = 4096 };

/* tidy: global, because a signal handler reaches nothing else */
static atomic_int interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	atomic_store(&interrupted, 1);
}

void inputs_options_deinit(struct inputs_options *o)
{
	words_deinit(&o->maps);
	words_deinit(&o->prices);
	words_deinit(&o->policies);
}

enum err_code inputs_zone(struct arena *a, const struct inputs_options *o,
                          const struct zone **ret_zone, struct err *err)
{
	*ret_zone = NULL;
	if (o->tz && intake_zone(a, str_of(o->tz), ret_zone, err))
		return err_wrap(err, "--tz: ");
	return ERR_OK;
}

static void show_progress(void *arg, double share, const char *input)
{
	auto_text t = TEXT_NULL;
	bool *shown = arg;
	*shown = true;
	if (share >= 0)
		text_printf(&t, "\rreading %3.0f %%  ", share * 100);
	else
		text_add(&t, S("\rreading  "));
	text_plain(&t, str_sub(str_of(input), 0, PROGRESS_COLUMNS - 20));
	text_add(&t, S("\033[K"));
	fwrite(t.p, 1, t.n, stderr);
}

static const char **paths_of(struct arena *a, const struct words *w)
{
	const char **v = ARENA_ARRAY(a, const char *, w->n + 1);
	for (size_t i = 0; i < w->n; i++)
		v[i] = str_z(a, w->v[i]);
	return v;
}

/* A key is the file's text without the white space around it. */
static enum err_code key_read(struct arena *a, const char *path, struct str *ret_key,
                              struct err *err)
{
	if (intake_slurp(a, path, KEY_BYTES_MAX, ret_key, err))
		return err_wrap(err, "--pseudonyms: ");
	*ret_key = str_trim(*ret_key);
	if (ret_key->n < PSEUDONYM_KEY_MIN)
		return err_set(err, ERR_USAGE,
		               "--pseudonyms: the key in %s has %zu bytes; at least %d are needed\n"
		               "hint: head -c 32 /dev/urandom | base64 > %s",
		               path, ret_key->n, PSEUDONYM_KEY_MIN, path);
	return ERR_OK;
}

enum err_code inputs_hide(const struct inputs_options *o, struct facts *f, struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct str key;
	if (!o->pseudonyms)
		return ERR_OK;
	enum err_code code = key_read(&a, o->pseudonyms, &key, err);
	if (!code)
		pseudonyms_apply(f, key);
	return code;
}

/* An option for one format takes no other: a dump named there would be counted twice. */
static enum err_code check_formats(const struct facts *f, const char *option, const char *format,
                                   struct err *err)
{
	for (size_t i = 0; i < f->inputs.n; i++) {
		struct str got = names_word(&f->names, f->inputs.v[i].format);
		if (f->inputs.v[i].format && !str_eq(got, str_of(format)))
			return err_set(err, ERR_USAGE, "--%s: %.*s holds %.*s, not %s", option,
			               STR_FMT(names_word(&f->names, f->inputs.v[i].name)),
			               STR_FMT(got), format);
	}
	return ERR_OK;
}

/* Price lists and policies are inputs whose format nobody has to name. */
static enum err_code read_more(const struct intake_options *in, const struct words *w,
                               const char *option, const char *format, struct facts *f,
                               struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct intake_options more = *in;
	struct facts from;
	more.as = NULL;
	if (!w->n)
		return ERR_OK;
	if (intake_read(&more, paths_of(&a, w), w->n, &from, err))
		return err_wrap(err, "--%s: ", option);
	enum err_code code = check_formats(&from, option, format, err);
	if (!code)
		facts_append(f, &from);
	facts_deinit(&from);
	return code;
}

enum err_code inputs_read(const struct inputs_options *o, const struct zone *zone,
                          const struct words *inputs, struct facts *ret_facts, struct err *err)
{
	auto_arena a = ARENA_NULL;
	bool shown = false, terminal = isatty(STDERR_FILENO) == 1;
	struct sigaction act = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND }, old;
	struct intake_options in = { .zone = zone,
		                     .maps = paths_of(&a, &o->maps),
		                     .maps_n = o->maps.n,
		                     .as = o->as,
		                     .run_key = str_of(o->run_key),
		                     .interrupted = &interrupted,
		                     .on_progress = terminal ? show_progress : NULL,
		                     .arg = &shown };
	struct facts f;
	struct str key;
	if (!inputs->n)
		return err_set(err, ERR_USAGE,
		               "no input\nhint: give files, folders, or - for standard input");
	if (o->pseudonyms && key_read(&a, o->pseudonyms, &key, err)) /* said before the reading */
		return err->code;
	bool handled = sigaction(SIGINT, &act, &old) == 0;
	enum err_code code = intake_read(&in, paths_of(&a, inputs), inputs->n, &f, err);
	if (!code) {
		code = read_more(&in, &o->prices, "price", "prices", &f, err);
		if (!code)
			code = read_more(&in, &o->policies, "policy", "policy", &f, err);
		if (code)
			facts_deinit(&f);
	}
	if (handled)
		sigaction(SIGINT, &old, NULL);
	if (shown)
		fputs("\r\033[K", stderr);
	if (!code)
		*ret_facts = f;
	return code;
}

int inputs_status(const char *command, const struct inputs_options *o, const struct facts *f)
{
	struct err err = { 0 };
	auto_text t = TEXT_NULL;
	uint64_t rejected = 0, records = 0;
	for (size_t i = 0; i < f->inputs.n; i++) {
		rejected += f->inputs.v[i].rejected;
		records += f->inputs.v[i].records;
	}
	enum err_code code = intake_status(f, o->strict, &err);
	if (rejected) {
		text_printf(&t, "tare %s: %" PRIu64 " of %" PRIu64 " records could not be used\n",
		            command, rejected, records);
		for (size_t i = 0; i < f->rejects.n && i < REJECTS_PRINTED_MAX; i++) {
			const struct reject *r = &f->rejects.v[i];
			text_add(&t, S("  "));
			text_plain(&t, names_word(&f->names, r->input));
			if (r->line)
				text_printf(&t, ":%" PRIu64, r->line);
			text_add(&t, S(": "));
			text_plain(&t, names_word(&f->names, r->reason));
			text_byte(&t, '\n');
		}
		fwrite(t.p, 1, t.n, stderr);
	}
	if (code)
		usage_complain(command, &err);
	return err_exit_status(code);
}

enum err_code inputs_take_duration(void *field, struct str value, struct err *err)
{
	if (duration_parse(value, field) != DURATION_OK)
		return err_set(err, ERR_USAGE, "'%.*s' is no length of time: 5s, 10m, 1h30m, 7d",
		               STR_FMT(value));
	return ERR_OK;
}

enum err_code inputs_time(const char *name, const char *s, const struct zone *zone, int64_t *ret_ms,
                          struct err *err)
{
	struct timespec now;
	*ret_ms = TIME_UNKNOWN;
	if (!s)
		return ERR_OK;
	if (clock_gettime(CLOCK_REALTIME, &now))
		return err_set(err, ERR_SYSTEM, "cannot read the clock");
	int64_t now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	enum when w = when_parse_argument(str_of(s), zone, now_ms, ret_ms);
	if (w != WHEN_OK && w != WHEN_GAP)
		return err_set(err, ERR_USAGE,
		               "--%s: '%s' is no time: 2026-11-01, 2026-11-01T12:00:00Z, -7d", name,
		               s);
	return ERR_OK;
}
