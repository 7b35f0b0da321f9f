/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scontrol show job: a block a job, or one line each with -o; with -d also which GPUs of which node
 * it holds. The values go through the same function as a row of sacct (slurm_feed_row).
 */
#include "base/text.h"
#include "read/reader.h"
#include "read/slurm.h"

static const char job_head[] = "JobId=";

/* The keys that are read, and where they go. Of two the first that has a value counts. */
static const struct {
	const char *key;
	enum slurm_column column;
} keys[] = { { "UserId=", SLURM_USER },
	     { "Account=", SLURM_ACCOUNT },
	     { "QOS=", SLURM_QOS },
	     { "JobState=", SLURM_STATE },
	     { "Reason=", SLURM_REASON },
	     { "Restarts=", SLURM_RESTARTS },
	     { "ExitCode=", SLURM_EXIT_CODE },
	     { "SubmitTime=", SLURM_SUBMIT },
	     { "StartTime=", SLURM_START },
	     { "EligibleTime=", SLURM_ELIGIBLE },
	     { "EndTime=", SLURM_END },
	     { "Partition=", SLURM_PARTITION },
	     { "NodeList=", SLURM_NODE_LIST },
	     { "NumNodes=", SLURM_NODES },
	     { "NumCPUs=", SLURM_CPUS },
	     { "Priority=", SLURM_PRIORITY },
	     { "AllocTRES=", SLURM_ALLOC_TRES },
	     { "TRES=", SLURM_ALLOC_TRES },
	     { "ReqTRES=", SLURM_REQ_TRES },
	     { "TresPerNode=", SLURM_REQ_GRES },
	     { "TresPerJob=", SLURM_REQ_TRES } };

/* A block while it is read. */
struct block {
	struct slurm_feed *s;
	struct arena a; /* of the job at hand */
	struct text gpus;
	struct str id, array, task, het, offset, node;
};

static struct str skip_blank(struct str s)
{
	if (str_starts(s, S("\xef\xbb\xbf")))
		s = str_sub(s, 3, s.n);
	while (s.n && (unsigned char)s.p[0] <= ' ')
		s = str_sub(s, 1, s.n);
	return s;
}

static int scontrol_job_recognise(struct str head, const struct read_options *options)
{
	(void)options;
	head = skip_blank(head);
	return str_starts(head, str_of(job_head)) && str_find(head, S("JobState=")) < head.n ? 95
	                                                                                     : 0;
}

/* Where the next job begins behind the start of S, at a line's start; S.n: none. */
static size_t next_job(struct str s)
{
	for (size_t at = 1; at < s.n;) {
		at += str_find_byte(str_sub(s, at, s.n), '\n') + 1;
		if (at < s.n && str_starts(str_sub(s, at, s.n), str_of(job_head)))
			return at;
	}
	return s.n;
}

static bool take(struct str word, struct str key, struct str *ret)
{
	if (!str_starts(word, key))
		return false;
	struct str v = str_sub(word, key.n, word.n);
	if (!ret->n && !str_eq(v, S("(null)")))
		*ret = v;
	return true;
}

static void word_read(struct block *b, struct str word)
{
	struct str gres = STR_NULL, nodes = STR_NULL;
	if (take(word, str_of(job_head), &b->id) || take(word, S("ArrayJobId="), &b->array) ||
	    take(word, S("ArrayTaskId="), &b->task) || take(word, S("HetJobId="), &b->het) ||
	    take(word, S("HetJobOffset="), &b->offset))
		return;
	if (take(word, S("Nodes="), &nodes)) {
		b->node = nodes;
		return;
	}
	if (take(word, S("GRES="), &gres) || take(word, S("GRES_IDX="), &gres)) {
		if (gres.n && b->node.n)
			text_printf(&b->gpus, "%.*s %.*s\n", STR_FMT(b->node), STR_FMT(gres));
		return;
	}
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (take(word, str_of(keys[i].key), &b->s->value[keys[i].column]))
			return;
}

/* The name may hold blanks: to the end of its line, or to what comes behind it in one line. */
static struct str name_cut(struct str *block)
{
	static const char key[] = "JobName=";
	size_t at = str_find(*block, str_of(key)), end;
	if (at == block->n)
		return S("");
	struct str rest = str_sub(*block, at + sizeof key - 1, block->n);
	end = str_find_byte(rest, '\n');
	size_t user = str_find(rest, S(" UserId="));
	end = user < end ? user : end;
	struct str name = str_trim(str_sub(rest, 0, end));
	*block = str_sub(rest, end, rest.n);
	return name;
}

static void words_read(struct block *b, struct str text)
{
	for (size_t at = 0, from; at < text.n;) {
		while (at < text.n && (unsigned char)text.p[at] <= ' ')
			at++;
		for (from = at; at < text.n && (unsigned char)text.p[at] > ' ';)
			at++;
		if (at > from)
			word_read(b, str_sub(text, from, at - from));
	}
}

static struct str print_id(struct block *b, struct str a, const char *between, struct str c)
{
	return str_of(arena_printf(&b->a, "%.*s%s%.*s", STR_FMT(a), between, STR_FMT(c)));
}

static struct str id_of(struct block *b)
{
	bool is_list = str_find_byte(b->task, ',') < b->task.n ||
	               str_find_byte(b->task, '-') < b->task.n ||
	               str_find_byte(b->task, '%') < b->task.n;
	if (b->array.n && b->task.n && b->task.p[0] != '[' && is_list) /* tasks that wait */
		b->task = str_of(arena_printf(&b->a, "[%.*s]", STR_FMT(b->task)));
	if (b->array.n && b->task.n && !str_eq(b->task, S("N/A")))
		return print_id(b, b->array, "_", b->task);
	if (b->het.n && b->offset.n && !str_eq(b->het, S("0")))
		return print_id(b, b->het, "+", b->offset);
	return b->id;
}

static void job_read(struct block *b, struct str text, uint64_t line)
{
	struct slurm_feed *s = b->s;
	struct str *v = s->value, rest = text;
	for (int i = 0; i < SLURM_COLUMNS; i++)
		v[i] = S("");
	b->gpus.n = 0;
	b->id = b->array = b->task = b->het = b->offset = b->node = STR_NULL;
	v[SLURM_NAME] = name_cut(&rest);
	words_read(b, str_sub(text, 0, str_find(text, S("JobName="))));
	words_read(b, rest.n == text.n ? STR_NULL : rest);
	v[SLURM_USER] = str_sub(v[SLURM_USER], 0, str_find_byte(v[SLURM_USER], '('));
	v[SLURM_NODES] = str_sub(v[SLURM_NODES], 0, str_find_byte(v[SLURM_NODES], '-'));
	v[SLURM_ID] = id_of(b);
	v[SLURM_GPUS_OF_NODES] = text_str(&b->gpus);
	const struct slurm_state *state = slurm_state_find(v[SLURM_STATE]);
	if (!state || state->phase != SLURM_ENDED) /* when it must end */
		v[SLURM_END] = STR_NULL;
	if (state && state->phase == SLURM_WAITS) /* when it may begin; what it would get */
		v[SLURM_START] = v[SLURM_ALLOC_TRES] = S("");
	slurm_feed_row(s, line);
	arena_reset(&b->a);
}

static enum err_code scontrol_job_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                       struct facts *f, struct err *err)
{
	struct slurm_layout layout = { 0 };
	struct block b = { .node = STR_NULL };
	auto_arena a = ARENA_NULL;
	(void)err;
	for (int i = 0; i < SLURM_COLUMNS; i++)
		layout.field[i] = -1;
	b.s = slurm_feed_begin(&a, &layout, run->options, f);
	while (bytes.n) {
		size_t n = next_job(bytes);
		struct str block = skip_blank(str_sub(bytes, 0, n));
		if (str_starts(block, str_of(job_head))) {
			job_read(&b, block, line);
		} else if (block.n) {
			b.s->records++;
			facts_reject(f, line, "text before the first JobId=");
		}
		for (size_t i = 0; i < n; i++)
			line += bytes.p[i] == '\n';
		bytes = str_sub(bytes, n, bytes.n);
	}
	if (run->options->has_at && b.s->seen.to_ms < run->options->at_ms)
		b.s->seen.to_ms = run->options->at_ms;
	slurm_feed_end(b.s);
	text_deinit(&b.gpus);
	arena_deinit(&b.a);
	return ERR_OK;
}

static enum err_code scontrol_job_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	slurm_join_coverage(f);
	slurm_note_zone(run->options, f);
	facts_note(f, "scontrol lists no jobs that ended a while ago, so the time before the list "
	              "was made looks freer than it was: sacct has the past.");
	return ERR_OK;
}

const struct reader reader_scontrol_job = {
	.name = "scontrol_job",
	.help = "Jobs now, and which GPUs of which node they hold: scontrol show job -d (also with "
	        "-o); FILE@at=TIME says when it was made.",
	.cut = CUT_WHOLE,
	.recognise = scontrol_job_recognise,
	.open = reader_open_plain,
	.feed = scontrol_job_feed,
	.end = scontrol_job_end,
};
