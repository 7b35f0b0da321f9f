/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm_json: `sacct --json`, `squeue --json`, `scontrol show job --json`, `scontrol show node
 * --json`, `sinfo --json` and the answers of slurmrestd and slurmdbd's REST, v0.0.36 to v0.0.44.
 *
 * A job's values are brought into the form in which sacct prints them, and go through the same
 * function as a row of sacct (slurm_feed_row): the same job gives the same facts.
 */
#include "read/slurm_json.h"

#include "base/hostlist.h"
#include "base/text.h"
#include "parse/when.h"
#include "read/json_ending.h"
#include "read/slurm.h"

/* A document while it is read. */
struct document {
	struct slurm_feed *s;
	struct arena a;
	struct json_members job;
	struct slurm_nodes nodes;
	int64_t made_ms;         /* last_update */
	bool has_jobs, is_queue; /* is_queue: the controller's list, without the jobs of the past */
	struct str tres_raw[2], tres_text[2]; /* of the job before: most are alike */
};

static struct str member(const struct document *d, const char *key)
{
	return json_member(&d->job, str_of(key));
}

/* Number or text under a key of the job. */
static struct str text_at(struct document *d, const char *key)
{
	return slurm_json_text(&d->a, member(d, key));
}

static struct str number_at(const struct document *d, const char *key)
{
	return slurm_json_number(member(d, key));
}

/* Is this a number other than 0? Slurm's "none" for ids. */
static bool is_id(struct str number)
{
	return number.n && !str_eq(number, S("0"));
}

static struct str print_id(struct document *d, struct str a, char between, struct str b)
{
	return str_of(arena_printf(&d->a, "%.*s%c%.*s", STR_FMT(a), between, STR_FMT(b)));
}

/* As sacct's JobID: "123", "123_4", "123_[5-8%2]", "123+1". */
static struct str number_of_job(struct document *d)
{
	struct str array = member(d, "array"), het = member(d, "het"), id = number_at(d, "job_id");
	bool is_db = json_type(array) == JSON_OBJECT; /* slurmdbd nests them */
	struct str of = is_db ? slurm_json_number(json_get(array, S("job_id")))
	                      : number_at(d, "array_job_id");
	struct str task = is_db ? slurm_json_number(json_get(array, S("task_id")))
	                        : number_at(d, "array_task_id");
	struct str tasks =
	        is_db ? slurm_json_get(&d->a, array, "task") : text_at(d, "array_task_string");
	if (is_id(of) && task.n)
		return print_id(d, of, '_', task);
	if (is_id(of) && tasks.n && tasks.p[0] == '[')
		return print_id(d, of, '_', tasks);
	if (is_id(of) && tasks.n)
		return print_id(d, of, '_', str_of(arena_printf(&d->a, "[%.*s]", STR_FMT(tasks))));
	bool is_het = json_type(het) == JSON_OBJECT;
	of = is_het ? slurm_json_number(json_get(het, S("job_id"))) : number_at(d, "het_job_id");
	task = is_het ? slurm_json_number(json_get(het, S("job_offset")))
	              : number_at(d, "het_job_offset");
	if (is_id(of) && task.n)
		return print_id(d, of, '+', task);
	return id;
}

static struct str upper(struct arena *a, struct str s)
{
	char *p = arena_dup(a, s.p, s.n);
	for (size_t i = 0; i < s.n; i++)
		if (p[i] >= 'a' && p[i] <= 'z')
			p[i] = (char)(p[i] - 32);
	return (struct str){ p, s.n };
}

/* "RUNNING"; ["RUNNING", "COMPLETING"]: the state, then flags; {"current": either}. */
static struct str job_state(struct document *d)
{
	struct str raw = member(d, "job_state"), key, value, text = STR_NULL;
	size_t at = 0;
	if (json_type(raw) == JSON_ABSENT)
		raw = json_get(member(d, "state"), S("current"));
	if (json_type(raw) == JSON_ABSENT)
		raw = member(d, "state");
	if (json_type(raw) != JSON_LIST)
		return upper(&d->a, slurm_json_text(&d->a, raw));
	while (json_next(raw, &at, &key, &value)) {
		struct str one = upper(&d->a, slurm_json_text(&d->a, value));
		if (!text.n || (!slurm_state_find(text) && slurm_state_find(one)))
			text = one;
	}
	return text;
}

/* "status:signal"; v0.0.38 has the wait status as one number. */
static struct str exit_code(struct document *d)
{
	struct str raw = member(d, "exit_code"), number = slurm_json_number(raw), id;
	int64_t v;
	if (json_to_i64(number, &v) && v >= 0)
		return str_of(arena_printf(&d->a, "%d:%d", (int)(v >> 8 & 0xff), (int)(v & 0x7f)));
	number = slurm_json_number(json_get(raw, S("return_code")));
	id = slurm_json_number(json_get(json_get(raw, S("signal")), S("id")));
	if (!id.n)
		id = slurm_json_number(json_get(json_get(raw, S("signal")), S("signal_id")));
	if (!number.n && !id.n)
		return S("");
	return str_of(arena_printf(&d->a, "%.*s:%.*s", STR_FMT(number.n ? number : S("0")),
	                           STR_FMT(id.n ? id : S("0"))));
}

/* RAW's TRES as text; WHICH: 0 allocated, 1 requested. */
static struct str tres_text(struct document *d, struct str raw, int which)
{
	if (!d->tres_raw[which].p || !str_eq(d->tres_raw[which], raw)) {
		d->tres_raw[which] = raw;
		d->tres_text[which] = slurm_json_tres(&d->a, raw);
	}
	return d->tres_text[which];
}

/* Which GPUs of each node: gres_detail has an entry a node, in the order of their list. */
struct details {
	struct document *d;
	struct str list;
	size_t at;
	struct text text;
};

static void detail_host(void *context, struct str name)
{
	struct details *x = context;
	struct str key, value;
	if (!json_next(x->list, &x->at, &key, &value))
		return;
	struct str gres = slurm_json_text(&x->d->a, value);
	if (gres.n)
		text_printf(&x->text, "%.*s %.*s\n", STR_FMT(name), STR_FMT(gres));
}

static struct str details_text(struct document *d)
{
	struct details x = { .d = d, .list = member(d, "gres_detail") };
	struct str nodes = text_at(d, "nodes"), key, value;
	uint32_t n, details = 0;
	if (json_type(x.list) != JSON_LIST || hostlist_count(nodes, &n) != HOSTLIST_OK)
		return S("");
	for (size_t at = 0; json_next(x.list, &at, &key, &value);)
		details++;
	if (details == n)
		(void)hostlist_each(nodes, detail_host, &x);
	struct str ret = str_dup(&d->a, text_str(&x.text));
	text_deinit(&x.text);
	return ret;
}

static bool names_gpus(struct str tres)
{
	return str_find(tres, S("gpu")) < tres.n;
}

static void job_held(struct document *d)
{
	struct str *v = d->s->value, tres = member(d, "tres");
	bool is_db = json_type(tres) == JSON_OBJECT;
	v[SLURM_ALLOC_TRES] = tres_text(
	        d, is_db ? json_get(tres, S("allocated")) : member(d, "tres_alloc_str"), 0);
	/* sites that do not account GPUs as TRES still list them node by node */
	struct str detail = text_at(d, "gres_detail");
	v[SLURM_GPUS_OF_NODES] = details_text(d);
	if (!names_gpus(v[SLURM_ALLOC_TRES]) && names_gpus(detail)) {
		v[SLURM_ALLOC_TRES] = S("");
		v[SLURM_ALLOC_GRES] = detail;
	}
	v[SLURM_REQ_TRES] =
	        tres_text(d, is_db ? json_get(tres, S("requested")) : member(d, "tres_req_str"), 1);
	if (names_gpus(v[SLURM_REQ_TRES]))
		return;
	struct str per_job = text_at(d, "tres_per_job"), per_node = text_at(d, "tres_per_node");
	if (names_gpus(per_job)) {
		v[SLURM_REQ_TRES] = per_job;
	} else if (names_gpus(per_node)) {
		v[SLURM_REQ_TRES] = STR_NULL;
		v[SLURM_REQ_GRES] = per_node;
	}
}

static void job_times(struct document *d)
{
	struct str *v = d->s->value, time = member(d, "time");
	bool is_db = json_type(time) == JSON_OBJECT;
	const struct slurm_state *state = slurm_state_find(v[SLURM_STATE]);
	struct {
		enum slurm_column column;
		const char *db, *ctld;
	} times[] = { { SLURM_SUBMIT, "submission", "submit_time" },
		      { SLURM_ELIGIBLE, "eligible", "eligible_time" },
		      { SLURM_START, "start", "start_time" },
		      { SLURM_END, "end", "end_time" },
		      { SLURM_ELAPSED_RAW, "elapsed", "" } };
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		struct str t = is_db ? slurm_json_number(json_get(time, str_of(times[i].db)))
		                     : number_at(d, times[i].ctld);
		v[times[i].column] = t.n ? t : S("");
	}
	if (!state || state->phase != SLURM_ENDED) /* when it must end */
		v[SLURM_END] = STR_NULL;
}

static void job_read(struct document *d, struct str raw, uint64_t line)
{
	static const struct {
		enum slurm_column column;
		const char *key, *other;
	} texts[] = { { SLURM_NAME, "name", "" },
		      { SLURM_USER, "user_name", "user" },
		      { SLURM_ACCOUNT, "account", "" },
		      { SLURM_PARTITION, "partition", "" },
		      { SLURM_QOS, "qos", "" },
		      { SLURM_CLUSTER, "cluster", "" },
		      { SLURM_NODES, "node_count", "allocation_nodes" },
		      { SLURM_CPUS, "cpus", "" },
		      { SLURM_NODE_LIST, "nodes", "" },
		      { SLURM_PRIORITY, "priority", "" },
		      { SLURM_REASON, "state_reason", "" },
		      { SLURM_RESTARTS, "restart_cnt", "" },
		      { SLURM_SUBMIT_LINE, "submit_line", "" } };
	struct str *v = d->s->value;
	json_members_read(&d->job, raw);
	for (int i = 0; i < SLURM_COLUMNS; i++)
		v[i] = S("");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct str t = text_at(d, texts[i].key);
		if (!t.n && *texts[i].other)
			t = text_at(d, texts[i].other);
		v[texts[i].column] = t.n ? t : S("");
	}
	if (!v[SLURM_USER].n && number_at(d, "user_id").n)
		v[SLURM_USER] = number_at(d, "user_id");
	if (!v[SLURM_REASON].n)
		v[SLURM_REASON] = slurm_json_get(&d->a, member(d, "state"), "reason");
	if (!v[SLURM_CPUS].n)
		v[SLURM_CPUS] = slurm_json_get(&d->a, member(d, "required"), "CPUs");
	if (d->s->options->run_key.n)
		v[SLURM_RUN_KEY] =
		        slurm_json_text(&d->a, json_member(&d->job, d->s->options->run_key));
	d->is_queue |= json_type(member(d, "job_state")) != JSON_ABSENT;
	v[SLURM_ID] = number_of_job(d);
	v[SLURM_STATE] = job_state(d);
	v[SLURM_EXIT_CODE] = exit_code(d);
	job_held(d);
	job_times(d);
	slurm_feed_row(d->s, line);
}

static void item_read(struct document *d, const struct json_item *item)
{
	struct facts *f = d->s->f;
	bool is_job = json_key_is(item->key, S("jobs"));
	bool is_node = json_key_is(item->key, S("nodes")) || json_key_is(item->key, S("sinfo"));
	int64_t ms;
	d->has_jobs |= is_job;
	if (json_key_is(item->key, S("errors")) && item->in_list)
		facts_note(f, "Slurm wrote errors into a JSON document: it may be incomplete.");
	if (json_key_is(item->key, S("last_update")) &&
	    when_parse(slurm_json_number(item->value), NULL, &ms) == WHEN_OK)
		d->made_ms = ms;
	if (!item->in_list || (!is_job && !is_node))
		return;
	if (is_job && json_type(item->value) == JSON_OBJECT && !item->is_too_long) {
		job_read(d, item->value, item->line);
		return;
	}
	d->s->records++;
	if (item->is_too_long)
		facts_reject(f, item->line, "longer than 64 MiB");
	else if (json_type(item->value) != JSON_OBJECT)
		facts_reject(f, item->line, "expected an object");
	else
		slurm_nodes_read(&d->nodes, item->value, item->line);
}

static void document_end(struct document *d, struct facts *f)
{
	slurm_nodes_end(&d->nodes, d->made_ms);
	if (d->has_jobs) {
		struct span *seen = &d->s->seen;
		if (d->made_ms != TIME_UNKNOWN && seen->to_ms < d->made_ms)
			seen->to_ms = d->made_ms;
		if (d->is_queue)
			facts_note(
			        f,
			        "squeue, scontrol and slurmrestd list no jobs that ended a while "
			        "ago, so the time before the list was made looks freer than it "
			        "was: sacct --json has the past.");
		slurm_feed_end(d->s);
	} else if (f->inputs.n) {
		f->inputs.v[f->inputs.n - 1].records += d->s->records;
	}
}

static enum err_code slurm_json_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                     struct facts *f, struct err *err)
{
	struct slurm_layout layout = { 0 };
	struct json_scan scan = json_scan_of(bytes, line);
	struct json_item item;
	struct document d = { .made_ms = TIME_UNKNOWN };
	bool is_any = false;
	for (int i = 0; i < SLURM_COLUMNS; i++)
		layout.field[i] = -1;
	d.nodes = (struct slurm_nodes){ .f = f, .a = &d.a, .capacity_at = f->capacity.n };
	d.s = slurm_feed_begin(&d.a, &layout, run->options, f);
	for (; json_scan_next(&scan, &item); is_any = true)
		item_read(&d, &item);
	document_end(&d, f);
	json_members_deinit(&d.job);
	arena_deinit(&d.a);
	return json_ending(&scan, is_any, f, err);
}

static enum err_code slurm_json_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)run;
	(void)err;
	if (f->has_scheduler)
		slurm_join_coverage(f);
	return ERR_OK;
}

/* What the head of a document (which may be cut off) is about. */
enum about { ABOUT_NOTHING, ABOUT_JOBS, ABOUT_NODES, ABOUT_OTHER };

static bool has_key(struct str list, const char *const *keys)
{
	struct str key, value, entry;
	size_t at = 0;
	if (!json_next(list, &at, &key, &entry))
		return false;
	for (at = 0; json_next(entry, &at, &key, &value);)
		for (size_t i = 0; keys[i]; i++)
			if (json_key_is(key, str_of(keys[i])))
				return true;
	return false;
}

static enum about about(struct str head, bool *ret_sure)
{
	static const char *const job_keys[] = { "job_id", "job_state", "allocation_nodes", NULL };
	static const char *const node_keys[] = {
		"architecture", "boards", "gres", "state_flags", "slurmd_start_time", NULL
	};
	struct str key, value;
	size_t at = 0;
	enum about found = ABOUT_NOTHING;
	*ret_sure = false;
	if (str_starts(head, S("\xef\xbb\xbf")))
		head = str_sub(head, 3, head.n);
	while (json_next(str_trim(head), &at, &key, &value)) {
		if (json_key_is(key, S("jobs"))) {
			found = ABOUT_JOBS;
			*ret_sure |= has_key(value, job_keys);
		} else if (json_key_is(key, S("nodes")) || json_key_is(key, S("sinfo"))) {
			found = found == ABOUT_JOBS ? found : ABOUT_NODES;
			*ret_sure |= json_key_is(key, S("sinfo")) || has_key(value, node_keys);
		} else if ((json_key_is(key, S("partitions")) ||
		            json_key_is(key, S("statistics"))) &&
		           !found) {
			found = ABOUT_OTHER;
		} else if (json_key_is(key, S("meta"))) {
			*ret_sure |= json_get(value, S("Slurm")).n ||
			             json_get(value, S("slurm")).n ||
			             json_get(value, S("plugin")).n;
		}
	}
	return found;
}

static int slurm_json_recognise(struct str head, const struct read_options *options)
{
	bool is_sure;
	(void)options;
	return about(head, &is_sure) == ABOUT_NOTHING || !is_sure ? 0 : 95;
}

static enum err_code slurm_json_open(struct read_run *run, struct str head, struct err *err)
{
	bool is_sure;
	run->body_at = 0;
	run->body_line = 1;
	if (about(head, &is_sure) == ABOUT_OTHER)
		return err_set(
		        err, ERR_INPUT,
		        "Slurm's partitions or statistics say nothing of GPU time\nhint: sacct "
		        "--json for jobs, scontrol show node --json for nodes");
	return ERR_OK;
}

const struct reader reader_slurm_json = {
	.name = "slurm_json",
	.help = "Slurm's JSON: `sacct --json`, `squeue --json`, `scontrol show node --json`, or an "
	        "answer of slurmrestd.",
	.cut = CUT_WHOLE,
	.recognise = slurm_json_recognise,
	.open = slurm_json_open,
	.feed = slurm_json_feed,
	.end = slurm_json_end,
};
