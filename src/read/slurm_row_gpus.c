/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hostlist.h"
#include "base/text.h"
#include "read/slurm_cell.h"

static const struct slurm_tres *tres_of(struct slurm_feed *s, enum slurm_column c)
{
	struct str w = s->value[c];
	struct slurm_tres *k = &s->tres[w.n ? slurm_mix(w) >> 56 : 0];
	if (w.n && k->is_filled && str_same(k->text, w))
		return k;
	*k = (struct slurm_tres){ .text = w, .is_filled = true };
	k->answer = tres_parse(w, NULL, 0, &k->counts);
	if (k->answer == TRES_OK) {
		k->model = facts_word(s->f, k->counts.model);
		k->models = traits_list(&s->f->traits, &k->model, k->model != 0);
	}
	return k;
}

static const char no_tres_note[] =
        "There is no AllocTRES column: how many GPUs the jobs held is unknown. Ask sacct for "
        "--format=ALL, or at least "
        "JobID,State,Submit,Eligible,Start,End,AllocTRES,ReqTRES,NodeList.";

static bool tres_is_cut(struct slurm_feed *s, enum slurm_column c)
{
	if (!s->has_cuts || !s->is_cut[c])
		return false;
	facts_note(s->f, "A resource string is cut off, so its GPUs are unknown: ask sacct for "
	                 "--parsable2, or a wider column (AllocTRES%200).");
	return true;
}

/* What the job held. Requested is never taken for allocated. */
static void row_held(struct slurm_feed *s, struct slurm_row *r)
{
	enum slurm_column c = s->value[SLURM_ALLOC_TRES].n ? SLURM_ALLOC_TRES : SLURM_ALLOC_GRES;
	if (!s->value[SLURM_ALLOC_TRES].p && !s->value[SLURM_ALLOC_GRES].p)
		facts_note(s->f, no_tres_note);
	if (!s->value[c].n || tres_is_cut(s, c))
		return;
	const struct slurm_tres *t = tres_of(s, c);
	if (t->answer != TRES_OK) {
		facts_note(s->f,
		           "A job's allocated resources could not be read: its GPUs are unknown.");
		return;
	}
	if (t->counts.is_assumed)
		facts_note(s->f,
		           "Resources come by number: 1001 and 1002, which a site defines, were "
		           "taken for GPUs.");
	r->held = &t->counts;
	r->model = t->model;
}

static uint32_t row_requested(struct slurm_feed *s, struct job_traits *ret)
{
	const uint32_t nodes = ret->node_count;
	enum slurm_column c = s->value[SLURM_REQ_TRES].n ? SLURM_REQ_TRES : SLURM_REQ_GRES;
	if (!s->value[c].n || tres_is_cut(s, c))
		return COUNT_UNKNOWN;
	const struct slurm_tres *t = tres_of(s, c);
	if (t->answer != TRES_OK)
		return COUNT_UNKNOWN;
	uint32_t gpus = t->counts.gpus + t->counts.instances;
	ret->models = t->models;   /* also of one that started: it waited for this kind */
	if (c == SLURM_REQ_GRES) { /* --gres counts for each node */
		ret->per_node = gpus;
		if (nodes == COUNT_UNKNOWN || (uint64_t)gpus * nodes > GPUS_MAX)
			return COUNT_UNKNOWN;
		return gpus * nodes;
	}
	if (nodes != COUNT_UNKNOWN && nodes && gpus % nodes == 0)
		ret->per_node = gpus / nodes;
	return gpus;
}

/* A job's GPUs on each of some nodes, by number. */
struct numbered {
	struct facts *f;
	struct allocation_entry a;
	uint64_t numbers;
};

static void numbered_host(void *context, struct str name)
{
	struct numbered *n = context;
	for (unsigned i = 0; i < 64; i++)
		if (n->numbers >> i & 1) {
			auto_text t = TEXT_NULL;
			text_printf(&t, "%.*s/%u", STR_FMT(name), i);
			n->a.place = facts_word(n->f, text_str(&t));
			facts_add_allocation(n->f, &n->a);
		}
}

static uint64_t count_ones(uint64_t bits)
{
	uint64_t n = 0;
	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

/* One line of SLURM_GPUS_OF_NODES; false: it does not say which. */
static bool numbered_line(struct str line, struct str *ret_nodes, uint64_t *ret_numbers,
                          uint64_t *ret_gpus)
{
	struct tres_counts c;
	struct str gres = line;
	uint32_t nodes;
	str_cut(&gres, ' ', ret_nodes);
	if (tres_parse(gres, NULL, 0, &c) != TRES_OK || c.instances || c.shards || c.mps ||
	    hostlist_count(*ret_nodes, &nodes) != HOSTLIST_OK)
		return false;
	*ret_numbers = c.has_indexes ? c.indexes : 0;
	*ret_gpus = nodes * count_ones(*ret_numbers);
	return !c.gpus || c.has_indexes;
}

/* The GPUs by number, where as many are named as the job has; false: they are not. */
static bool row_numbers(struct slurm_feed *s, const struct slurm_row *r, uint32_t job)
{
	struct str line, nodes, rest = s->value[SLURM_GPUS_OF_NODES];
	struct numbered n = { .f = s->f,
		              .a = { .job = job,
		                     .on = CLAIM_GPU,
		                     .model = r->model,
		                     .count = 1,
		                     .share_num = 1,
		                     .share_den = 1,
		                     .from_ms = TIME_UNKNOWN,
		                     .to_ms = TIME_UNKNOWN } };
	uint64_t sum = 0, gpus;
	for (; str_cut_line(&rest, &line); sum += gpus)
		if (!numbered_line(line, &nodes, &n.numbers, &gpus))
			return false;
	if (!sum || sum != r->held->gpus || r->held->instances)
		return false;
	for (rest = s->value[SLURM_GPUS_OF_NODES]; str_cut_line(&rest, &line);) {
		(void)numbered_line(line, &nodes, &n.numbers, &gpus);
		(void)hostlist_each(nodes, numbered_host, &n); /* it was counted */
	}
	return true;
}

static void row_allocate(struct slurm_feed *s, const struct slurm_row *r, uint32_t job)
{
	struct facts *f = s->f;
	const struct tres_counts *c = r->held;
	sym queue = r->nodes ? 0 : slurm_word_of(s, SLURM_PARTITION);
	struct allocation_entry a = { .job = job,
		                      .on = r->nodes ? CLAIM_NODES : CLAIM_POOL,
		                      .place = r->nodes ? r->nodes : queue,
		                      .model = r->model,
		                      .count = c->gpus,
		                      .share_num = 1,
		                      .share_den = 1,
		                      .from_ms = TIME_UNKNOWN,
		                      .to_ms = TIME_UNKNOWN };
	if (c->gpus && !row_numbers(s, r, job))
		facts_add_allocation(f, &a);
	if (!c->instances)
		return;
	/* instances of one size are what a job gets; of several sizes the mean is exact in sum */
	a.count = c->instances;
	a.share_num = c->slices;
	a.share_den = (int64_t)c->slices_per_gpu * c->instances;
	facts_add_allocation(f, &a);
}

/* CPUs and memory: what it held, of one that waits what it asked for. */
static void row_room(struct slurm_feed *s, struct job_traits *t, bool has_started)
{
	enum slurm_column from =
	        has_started && s->value[SLURM_ALLOC_TRES].n ? SLURM_ALLOC_TRES : SLURM_REQ_TRES;
	if (!s->value[from].n || (s->has_cuts && s->is_cut[from]))
		return;
	const struct slurm_tres *k = tres_of(s, from);
	if (k->answer != TRES_OK)
		return;
	const uint32_t cpus = k->counts.cpus;
	if (cpus != TRES_COUNT_UNKNOWN && cpus != t->cpus)
		t->cpu_milli = (int64_t)cpus * 1000;
	t->memory_mib = k->counts.memory_mib;
}

void slurm_row_gpus(struct slurm_feed *s, struct slurm_row *r, struct job *j, uint32_t at)
{
	j->requested = row_requested(s, &r->traits);
	row_room(s, &r->traits, r->start_ms != TIME_UNKNOWN);
	if (r->start_ms == TIME_UNKNOWN)
		return;
	row_held(s, r);
	const struct tres_counts *c = r->held;
	if (!c)
		return;
	if (c->shards || c->mps) {
		facts_note(s->f,
		           "Some jobs held shards or MPS percentages: their share of a GPU is not "
		           "in the accounting, so it is unknown.");
		if (!c->gpus && !c->instances)
			return;
	}
	j->gpus = c->gpus + c->instances;
	if (j->gpus)
		row_allocate(s, r, at);
}
