/* SPDX-License-Identifier: Apache-2.0 */
/* Policies in YAML (docs/reference/policy.md): what is meant to be held ready, and how fates count.
 */
#include "base/hostlist.h"
#include "read/reader.h"
#include "read/yaml_field.h"

static const char *const marks[] = { "reserve", "headroom", "count", "kept", "ignore", NULL };
static const char *const root_keys[] = { "reserve", "headroom",  "count",  "kept",
	                                 "skew",    "setup_max", "ignore", NULL };

static int recognise(struct str head, const struct read_options *options)
{
	(void)options;
	return yaml_head_score(head, marks, root_keys);
}

static enum err_code take_word(struct facts *f, const struct yaml *entry, const char *key, sym *ret,
                               struct err *err)
{
	const struct yaml *y = yaml_get(entry, key);
	struct str text;
	enum err_code rc = y ? yaml_field_word(y, key, &text, err) : ERR_OK;
	if (!rc && y)
		*ret = facts_word(f, text);
	return rc;
}

static enum err_code take_jobs(struct facts *f, const struct yaml *y, struct reserve *r,
                               struct err *err)
{
	auto_arena a = ARENA_NULL;
	const struct str *ids;
	size_t n = 0;
	enum err_code rc = yaml_field_words(&a, y, "jobs", &ids, &n, err);
	if (rc)
		return rc;
	r->jobs_at = (uint32_t)f->syms.n;
	r->jobs_n = (uint32_t)n;
	for (size_t i = 0; i < n; i++)
		*vec_push(&f->syms) = facts_word(f, ids[i]);
	return ERR_OK;
}

/* `spares: N`, `warm: N`, or `reservation: NAME` with gpus. */
static enum err_code take_reserve(struct facts *f, const struct zone *zone,
                                  const struct yaml *entry, struct err *err)
{
	static const char *const keys[] = { "spares", "warm",    "reservation", "gpus",
		                            "jobs",   "pool",    "accelerator", "from",
		                            "to",     "comment", NULL };
	struct reserve r = { .from_ms = TIME_UNKNOWN, .to_ms = TIME_UNKNOWN };
	enum err_code rc = yaml_check_keys(entry, "a reserve", keys, err);
	if (rc)
		return rc;
	const struct yaml *spares = yaml_get(entry, "spares"), *warm = yaml_get(entry, "warm"),
	                  *name = yaml_get(entry, "reservation"), *gpus = yaml_get(entry, "gpus"),
	                  *jobs = yaml_get(entry, "jobs"), *from = yaml_get(entry, "from"),
	                  *to = yaml_get(entry, "to");
	if (!!spares + !!warm + !!name != 1)
		return yaml_fail(entry, err, "a reserve needs one of spares, warm, reservation");
	if (name && !gpus)
		return yaml_fail(entry, err, "a reservation without 'gpus'");
	if (!name && (gpus || jobs))
		return yaml_fail(gpus ? gpus : jobs, err,
		                 "gpus and jobs go with a reservation; spares and warm are counts");
	r.is_reservation = name != NULL;
	rc = yaml_field_count(name     ? gpus
	                      : spares ? spares
	                               : warm,
	                      name     ? "gpus"
	                      : spares ? "spares"
	                               : "warm",
	                      1, &r.gpus, err);
	if (!rc)
		rc = take_word(f, entry, "reservation", &r.name, err);
	if (!rc)
		rc = take_word(f, entry, "pool", &r.pool, err);
	if (!rc)
		rc = take_word(f, entry, "accelerator", &r.model, err);
	if (!rc && jobs)
		rc = take_jobs(f, jobs, &r, err);
	if (!rc && from)
		rc = yaml_field_time(from, "from", zone, &r.from_ms, err);
	if (!rc && to)
		rc = yaml_field_time(to, "to", zone, &r.to_ms, err);
	if (!rc && from && to && r.to_ms <= r.from_ms)
		rc = yaml_fail(to, err, "to is not after from");
	if (!rc)
		*vec_push(&f->reserves) = r;
	return rc;
}

static enum err_code take_reserves(struct facts *f, const struct zone *zone, const struct yaml *y,
                                   struct err *err)
{
	if (!y)
		return ERR_OK;
	if (y->kind != YAML_LIST)
		return yaml_fail(y, err, "reserve is %s; expected a list", yaml_kind_name(y));
	enum err_code rc = ERR_OK;
	for (const struct yaml *e = y->first; e && !rc; e = e->next)
		rc = take_reserve(f, zone, e, err);
	return rc;
}

static enum err_code take_headrooms(struct facts *f, const struct yaml *y, struct err *err)
{
	if (!y)
		return ERR_OK;
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "headroom is %s; expected a map of services to GPUs",
		                 yaml_kind_name(y));
	enum err_code rc = ERR_OK;
	for (const struct yaml *e = y->first; e && !rc; e = e->next) {
		struct headroom h = { .job = facts_word(f, e->key) };
		rc = yaml_field_count(e, "headroom", 0, &h.gpus, err);
		if (!rc)
			*vec_push(&f->headrooms) = h;
	}
	return rc;
}

static void ignore_add(void *context, struct str name)
{
	struct facts *f = context;
	*vec_push(&f->ignores) = (struct ignore){ facts_word(f, name), IGNORE_NODES };
}

/* Names of nodes may be Slurm's lists of them: gpu[01-04]. */
static enum err_code take_ignored(struct facts *f, const struct yaml *e, int what, struct err *err)
{
	auto_arena a = ARENA_NULL;
	const struct str *words;
	size_t n = 0;
	enum err_code rc = yaml_field_words(&a, e, ignore_names[what], &words, &n, err);
	for (size_t i = 0; i < n && !rc; i++) {
		uint32_t hosts;
		if (what != IGNORE_NODES)
			*vec_push(&f->ignores) =
			        (struct ignore){ facts_word(f, words[i]), (uint8_t)what };
		else if (hostlist_count(words[i], &hosts) != HOSTLIST_OK ||
		         hostlist_each(words[i], ignore_add, f) != HOSTLIST_OK)
			rc = yaml_fail(e, err, "'%.*s' is no list of nodes", STR_FMT(words[i]));
	}
	return rc;
}

static enum err_code take_ignores(struct facts *f, const struct yaml *y, struct err *err)
{
	if (!y)
		return ERR_OK;
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "ignore is %s; expected a map like {users: [probe]}",
		                 yaml_kind_name(y));
	enum err_code rc = yaml_check_keys(y, "ignore", ignore_names, err);
	for (int i = 0; i < IGNORE_COUNT && !rc; i++) {
		const struct yaml *e = yaml_get(y, ignore_names[i]);
		rc = e ? take_ignored(f, e, i, err) : ERR_OK;
	}
	return rc;
}

/* `count: {timeout: lost}`: what a fate counts as. */
static enum err_code take_counts(struct facts *f, const struct yaml *y, struct err *err)
{
	if (!y)
		return ERR_OK;
	if (y->kind != YAML_MAP)
		return yaml_fail(y, err, "count is %s; expected a map like {timeout: lost}",
		                 yaml_kind_name(y));
	for (const struct yaml *e = y->first; e; e = e->next) {
		struct str to;
		int fate = fate_find(e->key), as;
		if (fate <= FATE_NONE)
			return yaml_fail(e, err, "'%.*s' is no fate; expected one like timeout",
			                 STR_FMT(e->key));
		enum err_code rc = yaml_field_text(e, "count", &to, err);
		if (rc)
			return rc;
		as = fate_find(to);
		if (as <= FATE_NONE)
			return yaml_fail(e, err, "'%.*s' is no fate; expected one like lost",
			                 STR_FMT(to));
		f->options.count[fate] = (int8_t)as;
	}
	return ERR_OK;
}

static enum err_code take_options(struct facts *f, const struct yaml *root, struct err *err)
{
	const struct yaml *kept = yaml_get(root, "kept"), *skew = yaml_get(root, "skew"),
	                  *setup = yaml_get(root, "setup_max");
	enum err_code rc = ERR_OK;
	if (kept) {
		struct str text;
		rc = yaml_field_text(kept, "kept", &text, err);
		f->options.kept_saved = str_eq(text, S("saved"));
		if (!rc && !f->options.kept_saved && !str_eq(text, S("restored")))
			rc = yaml_fail(kept, err, "kept is '%.*s'; expected restored or saved",
			               STR_FMT(text));
	}
	if (!rc && skew)
		rc = yaml_field_duration(skew, "skew", &f->options.skew_ms, err);
	if (!rc && setup)
		rc = yaml_field_duration(setup, "setup_max", &f->options.setup_max_ms, err);
	return rc;
}

static enum err_code feed(const struct read_run *run, struct str bytes, uint64_t line,
                          struct facts *f, struct err *err)
{
	(void)line;
	auto_arena a = ARENA_NULL;
	const struct yaml *root = NULL;
	const struct zone *zone = run->options ? run->options->zone : NULL;
	enum err_code rc = yaml_parse(&a, bytes, &root, err);
	if (!rc)
		rc = yaml_check_keys(root, "a policy", root_keys, err);
	if (!rc)
		rc = take_reserves(f, zone, yaml_get(root, "reserve"), err);
	if (!rc)
		rc = take_headrooms(f, yaml_get(root, "headroom"), err);
	if (!rc)
		rc = take_ignores(f, yaml_get(root, "ignore"), err);
	if (!rc)
		rc = take_counts(f, yaml_get(root, "count"), err);
	if (!rc)
		rc = take_options(f, root, err);
	if (rc)
		return rc;
	f->has_policy = true;
	if (f->inputs.n)
		f->inputs.v[f->inputs.n - 1].records += root->n;
	return ERR_OK;
}

const struct reader reader_policy = {
	.name = "policy",
	.help = "A policy in YAML: what is meant to be held ready (reserve, headroom), what is "
	        "left out (ignore) and how fates count; see docs/reference/policy.md.",
	.cut = CUT_WHOLE,
	.recognise = recognise,
	.open = reader_open_plain,
	.feed = feed,
};
