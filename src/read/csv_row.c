/* SPDX-License-Identifier: Apache-2.0 */
#include "read/csv_map.h"

static struct str row_field(const struct csv_row *row, uint32_t at)
{
	if (at == CSV_NO_FIELD)
		return STR_NULL;
	return csv_field(row->scratch, &row->plan->map->dialect, row->record, at);
}

/* A property's text; of several columns, joined, unless all are empty. */
static struct str value_field(const struct csv_row *row, int p)
{
	const struct csv_plan *plan = row->plan;
	const struct csv_value *v = &plan->map->values[p];
	struct str first = row_field(row, plan->values[p]);
	if (!v->more_n)
		return first;
	auto_text t = TEXT_NULL;
	bool any = str_trim(first).n;
	text_add(&t, str_trim(first));
	for (size_t i = 0; i < v->more_n; i++) {
		struct str next = str_trim(row_field(row, plan->more[p][i]));
		any |= next.n;
		text_add(&t, v->join);
		text_add(&t, next);
	}
	return any ? str_dup(row->scratch, text_str(&t)) : STR_NULL;
}

/* False: the row was rejected. */
static bool row_cells(const struct csv_row *row, struct facts *f)
{
	const struct csv_plan *plan = row->plan;
	for (uint32_t i = 0; i < plan->used_n; i++) {
		int p = plan->used[i];
		char why[128];
		if (!csv_value_read(&plan->map->values[p], value_field(row, p), row->zone,
		                    &row->cells[p], why)) {
			facts_reject(f, row->line, "%s: %s", csv_props[p].name, why);
			return false;
		}
	}
	return true;
}

/* The word of a property; often that of the row before. */
sym csv_row_word(const struct csv_row *row, struct facts *f, enum csv_prop p)
{
	struct str text = row->cells[p].text;
	if (!text.n)
		return 0;
	if (!row->last[p] || !str_eq(names_word(&f->names, row->last[p]), text))
		row->last[p] = facts_word(f, text);
	return row->last[p];
}

static int64_t time_of(const struct csv_cell *c)
{
	return c->den ? c->num : TIME_UNKNOWN;
}

static uint32_t count_of(const struct csv_cell *c)
{
	return c->den ? (uint32_t)(c->num / c->den) : COUNT_UNKNOWN;
}

static int64_t amount_of(const struct csv_cell *c)
{
	return c->den ? c->num / c->den : -1;
}

/* GPUs of a cell: a share of one counts as one. */
static uint32_t gpus_of(const struct csv_cell *c)
{
	if (!c->den)
		return COUNT_UNKNOWN;
	return (uint32_t)(c->num / c->den + (c->num % c->den != 0));
}

static enum outcome job_outcome(const struct csv_cell *said, int64_t start_ms, int64_t end_ms)
{
	bool has_start = start_ms != TIME_UNKNOWN, has_end = end_ms != TIME_UNKNOWN;
	enum outcome o = said->den   ? (enum outcome)said->num
	                 : has_end   ? OUTCOME_ENDED
	                 : has_start ? OUTCOME_RUNNING
	                             : OUTCOME_WAITING;
	if (o == OUTCOME_WAITING && has_start)
		o = OUTCOME_RUNNING;
	if (o == OUTCOME_RUNNING && has_end)
		o = OUTCOME_ENDED; /* it did end; why is not known (ledger.md 9, case 9) */
	return o;
}

static bool job_times(const struct csv_row *row, struct facts *f, struct job_entry *ret)
{
	ret->submit_ms = time_of(&row->cells[CSV_JOB_SUBMIT]);
	ret->eligible_ms = time_of(&row->cells[CSV_JOB_ELIGIBLE]);
	ret->start_ms = time_of(&row->cells[CSV_JOB_START]);
	ret->end_ms = time_of(&row->cells[CSV_JOB_END]);
	const struct csv_cell *elapsed = &row->cells[CSV_JOB_ELAPSED],
	                      *said = &row->cells[CSV_JOB_OUTCOME];
	bool is_running = said->den && said->num == OUTCOME_RUNNING;
	if (ret->end_ms == TIME_UNKNOWN && ret->start_ms != TIME_UNKNOWN && elapsed->den &&
	    !is_running)
		ret->end_ms = ret->start_ms + elapsed->num;
	if (ret->start_ms != TIME_UNKNOWN && ret->end_ms != TIME_UNKNOWN &&
	    ret->end_ms < ret->start_ms) {
		facts_reject(f, row->line, "ends before it starts");
		return false;
	}
	ret->outcome = (uint8_t)job_outcome(said, ret->start_ms, ret->end_ms);
	return true;
}

static void row_words(const struct csv_row *row, struct facts *f, struct job_entry *j)
{
	const struct csv_map *m = row->plan->map;
	j->run = csv_row_word(row, f, CSV_JOB_RUN);
	j->user = csv_row_word(row, f, CSV_JOB_USER);
	j->team = csv_row_word(row, f, CSV_JOB_TEAM);
	j->queue = csv_row_word(row, f, CSV_JOB_QUEUE);
	j->cluster = csv_row_word(row, f, CSV_JOB_CLUSTER);
	j->name = csv_row_word(row, f, CSV_JOB_NAME);
	j->reason = csv_row_word(row, f, CSV_JOB_REASON);
	j->node_names = csv_row_word(row, f, CSV_JOB_NODE_LIST);
	j->kind_known = row->cells[CSV_JOB_KIND].den != 0;
	j->kind = (uint8_t)(j->kind_known ? row->cells[CSV_JOB_KIND].num : KIND_BATCH);
	j->is_slurm = m->is_slurm;
	j->labels_at = (uint32_t)f->syms.n;
	for (size_t i = 0; i < m->labels_n; i++) {
		struct str text = str_trim(row_field(row, row->plan->labels[i]));
		if (!text.n)
			continue;
		*vec_push(&f->syms) = facts_word(f, m->labels[i].name);
		*vec_push(&f->syms) = facts_word(f, text);
		j->labels_n++;
	}
	struct str models = row->cells[CSV_JOB_MODELS].text, one;
	const struct csv_value *v = &m->values[CSV_JOB_MODELS];
	j->models_at = (uint32_t)f->syms.n;
	while (models.n) {
		size_t at = v->split.n ? str_find(models, v->split) : models.n;
		one = str_trim(str_sub(models, 0, at));
		models = str_sub(models, at + v->split.n, models.n);
		if (!one.n)
			continue;
		*vec_push(&f->syms) = facts_word(f, one);
		j->models_n++;
	}
	sym pool = csv_row_word(row, f, CSV_JOB_POOL);
	j->pools_at = (uint32_t)f->syms.n;
	if (pool) {
		*vec_push(&f->syms) = pool;
		j->pools_n = 1;
	}
}

/* Of each GPU: "0.25" of one, or a column of its own. */
static void job_share(const struct csv_row *row, struct job_entry *j)
{
	const struct csv_cell *gpus = &row->cells[CSV_JOB_GPUS],
	                      *share = &row->cells[CSV_JOB_SHARE];
	if (gpus->den && gpus->num % gpus->den != 0) {
		j->share_num = gpus->num;
		j->share_den = gpus->den;
	} else if (share->den) {
		j->share_num = share->num;
		j->share_den = share->den;
	}
}

static void job_allocation(const struct csv_row *row, struct facts *f, uint32_t job,
                           const struct job_entry *j)
{
	if (j->start_ms == TIME_UNKNOWN || j->gpus == COUNT_UNKNOWN || j->gpus == 0)
		return;
	struct allocation_entry a = { .job = job,
		                      .count = j->gpus,
		                      .share_num = j->share_num,
		                      .share_den = j->share_den,
		                      .from_ms = TIME_UNKNOWN,
		                      .to_ms = TIME_UNKNOWN,
		                      .model = csv_row_word(row, f, CSV_JOB_MODEL) };
	sym node = csv_row_word(row, f, CSV_JOB_NODE), pool = csv_row_word(row, f, CSV_JOB_POOL);
	a.on = j->node_names ? CLAIM_NODES : node ? CLAIM_NODE : CLAIM_POOL;
	a.place = j->node_names ? j->node_names
	          : node        ? node
	          : pool        ? pool
	          : j->queue    ? j->queue
	          : a.model     ? a.model
	                        : j->cluster;
	if (a.share_num > 0)
		facts_add_allocation(f, &a);
}

/* A job that ran, since nobody knows when: it must not look as if it had held nothing. */
static void note_lost_start(struct facts *f, const struct job_entry *j)
{
	bool may_not_have_run = j->outcome == OUTCOME_WAITING || j->outcome == OUTCOME_CANCELLED ||
	                        j->outcome == OUTCOME_PREEMPTED;
	bool has_gpus = j->gpus != COUNT_UNKNOWN && j->gpus > 0;
	if (j->start_ms == TIME_UNKNOWN && !may_not_have_run && has_gpus)
		facts_note(f, "Jobs that ran have no known start: the GPU-time that they held is "
		              "not in the figures.");
}

static void row_job(const struct csv_row *row, struct facts *f)
{
	struct job_entry e = job_entry_unknown(), *j = &e;
	size_t syms_n = f->syms.n;
	if (!row->cells[CSV_JOB_ID].text.n) {
		facts_reject(f, row->line, "no job id");
		return;
	}
	if (!job_times(row, f, j))
		return;
	j->id = row->cells[CSV_JOB_ID].text;
	row_words(row, f, j);
	j->gpus = gpus_of(&row->cells[CSV_JOB_GPUS]);
	job_share(row, j);
	j->requested = gpus_of(&row->cells[CSV_JOB_REQUESTED]);
	if (j->requested == COUNT_UNKNOWN || (j->requested == 0 && j->gpus > 0))
		j->requested = j->gpus; /* a request that does not speak of GPUs */
	j->cpus = count_of(&row->cells[CSV_JOB_CPUS]);
	j->cpu_milli = amount_of(&row->cells[CSV_JOB_CPU_MILLI]);
	j->memory_mib = amount_of(&row->cells[CSV_JOB_MEMORY]);
	j->node_count = count_of(&row->cells[CSV_JOB_NODES]);
	/* as Slurm spreads them: so many on each node, where that comes out even */
	uint32_t gpus = j->requested != COUNT_UNKNOWN ? j->requested : j->gpus;
	if (gpus != COUNT_UNKNOWN && gpus && j->node_count != COUNT_UNKNOWN && j->node_count &&
	    gpus % j->node_count == 0)
		j->per_node = gpus / j->node_count;
	if (row->cells[CSV_JOB_RESTARTS].den)
		j->restarts = count_of(&row->cells[CSV_JOB_RESTARTS]);
	j->priority = row->cells[CSV_JOB_PRIORITY].den ? row->cells[CSV_JOB_PRIORITY].num : 0;
	note_lost_start(f, j);
	job_allocation(row, f, facts_add_job(f, j), j);
	f->syms.n = syms_n; /* its lists are in its traits now */
}

static void row_node(const struct csv_row *row, struct facts *f)
{
	bool has_id = row->plan->map->values[CSV_NODE_ID].is_set;
	if (!row->cells[has_id ? CSV_NODE_ID : CSV_NODE_POOL].text.n) {
		facts_reject(f, row->line, "no name of a %s", has_id ? "node" : "pool");
		return;
	}
	int64_t from_ms = time_of(&row->cells[CSV_NODE_FROM]),
	        to_ms = time_of(&row->cells[CSV_NODE_TO]);
	if (from_ms != TIME_UNKNOWN && to_ms != TIME_UNKNOWN && to_ms < from_ms) {
		facts_reject(f, row->line, "ends before it starts");
		return;
	}
	if (from_ms != TIME_UNKNOWN && to_ms == TIME_UNKNOWN && row->plan->map->every_ms)
		to_ms = from_ms + row->plan->map->every_ms;
	sym pool = csv_row_word(row, f, CSV_NODE_POOL);
	struct node n = { .id = csv_row_word(row, f, CSV_NODE_ID),
		          .model = csv_row_word(row, f, CSV_NODE_MODEL),
		          .partition = pool,
		          .gpus = count_of(&row->cells[CSV_NODE_GPUS]),
		          .cpus = count_of(&row->cells[CSV_NODE_CPUS]),
		          .cpu_milli = amount_of(&row->cells[CSV_NODE_CPU_MILLI]),
		          .memory_mib = amount_of(&row->cells[CSV_NODE_MEMORY]) };
	if (has_id)
		*vec_push(&f->nodes) = n;
	if (n.gpus == COUNT_UNKNOWN || n.gpus == 0)
		return;
	const struct csv_cell *state = &row->cells[CSV_NODE_STATE];
	*vec_push(&f->capacity) = (struct capacity){
		.pool = pool ? pool : n.id,
		.node = n.id,
		.model = n.model,
		.source = row->source,
		.count = n.gpus,
		.from_ms = from_ms,
		.to_ms = to_ms,
		.at_ms = row->cells[CSV_NODE_AT].den ? time_of(&row->cells[CSV_NODE_AT]) : from_ms,
		.state = state->den ? (enum capacity_state)state->num : CAPACITY_UP,
		.is_snapshot = from_ms == TIME_UNKNOWN,
	};
}

static void row_total(const struct csv_row *row, struct facts *f)
{
	struct total t = { .from_ms = time_of(&row->cells[CSV_TOTAL_TIME]),
		           .to_ms = time_of(&row->cells[CSV_TOTAL_TO]),
		           .source = row->source };
	if (t.from_ms == TIME_UNKNOWN) {
		facts_reject(f, row->line, "no time");
		return;
	}
	if (t.to_ms == TIME_UNKNOWN && row->plan->map->every_ms)
		t.to_ms = t.from_ms + row->plan->map->every_ms;
	if (t.to_ms == TIME_UNKNOWN || t.to_ms <= t.from_ms) {
		facts_reject(f, row->line, "an interval without a length");
		return;
	}
	t.pool = csv_row_word(row, f, CSV_TOTAL_POOL);
	t.cluster = csv_row_word(row, f, CSV_TOTAL_CLUSTER);
	t.gpus = count_of(&row->cells[CSV_TOTAL_GPUS]);
	t.running = count_of(&row->cells[CSV_TOTAL_RUNNING]);
	t.pending = count_of(&row->cells[CSV_TOTAL_PENDING]);
	t.idle = count_of(&row->cells[CSV_TOTAL_IDLE]);
	t.gpu_jobs_pending = count_of(&row->cells[CSV_TOTAL_JOBS_PENDING]);
	if (t.gpus != COUNT_UNKNOWN && t.running != COUNT_UNKNOWN && t.running > t.gpus) {
		facts_reject(f, row->line, "more GPUs run (%u) than there are (%u)", t.running,
		             t.gpus);
		return;
	}
	*vec_push(&f->totals) = t;
}

static bool row_is_skipped(const struct csv_row *row)
{
	const struct csv_map *m = row->plan->map;
	for (size_t i = 0; i < m->skips_n; i++) {
		const struct csv_skip *s = &m->skips[i];
		struct str text = str_trim(row_field(row, row->plan->skips[i]));
		bool holds = s->is_empty && text.n == 0;
		for (size_t k = 0; k < s->words_n && !holds; k++)
			holds = str_eq(text, s->words[k]);
		if (holds != s->is_not)
			return true;
	}
	return false;
}

void csv_row_facts(const struct csv_row *row, struct facts *f)
{
	if (row_is_skipped(row)) {
		facts_note(f, "Rows were left out as the map says (skip-if).");
		return;
	}
	if (!row_cells(row, f))
		return;
	switch (row->plan->map->fact) {
	case CSV_JOBS:
		row_job(row, f);
		break;
	case CSV_NODES:
		row_node(row, f);
		break;
	case CSV_SAMPLES:
		csv_sample_facts(row, f);
		break;
	default:
		row_total(row, f);
		break;
	}
}
