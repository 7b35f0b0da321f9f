/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes through every reader of Slurm's texts: no crash; whole or in pieces, the same jobs come
   out; no job ends before it starts. The first byte chooses the reader and the pieces. */
#include <assert.h>

#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_sacct, reader_sacct_table, reader_slurmdbd, reader_scontrol_node,
        reader_sinfo, reader_squeue_table, reader_scontrol_job;

static void feed(const struct reader *r, const struct read_run *run, struct str body, size_t piece,
                 struct facts *f)
{
	struct err err = { 0 };
	uint64_t line = run->body_line;
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("in")) };
	while (body.n) {
		size_t n = 0, want = piece && r->cut == CUT_LINES ? piece : body.n;
		while (!n) {
			size_t at = want < body.n ? want : body.n;
			while (at < body.n && body.p[at - 1] != '\n')
				at++;
			n = at == body.n      ? at
			    : r->record_start ? r->record_start(run, body, at)
			                      : at;
			want = at + 1;
		}
		assert(r->feed(run, str_sub(body, 0, n), line, f, &err) == ERR_OK);
		for (size_t i = 0; i < n; i++)
			line += body.p[i] == '\n';
		body = str_sub(body, n, body.n);
	}
	if (r->end)
		assert(r->end(run, f, &err) == ERR_OK);
}

static void check(const struct facts *a, const struct facts *b)
{
	assert(a->jobs.n == b->jobs.n && a->allocations.n == b->allocations.n);
	assert(a->inputs.v[0].records == b->inputs.v[0].records);
	assert(a->inputs.v[0].rejected == b->inputs.v[0].rejected);
	for (size_t i = 0; i < a->jobs.n; i++) {
		const struct job *j = &a->jobs.v[i], *k = &b->jobs.v[i];
		assert(str_eq(job_id(a, j), job_id(b, k)) && j->start_ms == k->start_ms);
		assert(j->end_ms == k->end_ms && j->gpus == k->gpus && j->outcome == k->outcome);
		assert(j->outcome < OUTCOME_COUNT && j->kind < KIND_COUNT);
		assert(j->start_ms == TIME_UNKNOWN || j->end_ms == TIME_UNKNOWN ||
		       j->start_ms <= j->end_ms);
	}
	for (size_t i = 0; i < a->allocations.n; i++) {
		const struct allocation *l = &a->allocations.v[i];
		const struct portion *p = allocation_portion(a, l);
		assert(l->job < a->jobs.n && l->count && p->share_den > 0 && p->share_num > 0);
	}
	for (size_t i = 0; i < a->capacity.n; i++)
		assert(a->capacity.v[i].count && a->capacity.v[i].count <= GPUS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader *const all[] = { &reader_sacct,    &reader_sacct_table,
		                                    &reader_slurmdbd, &reader_scontrol_node,
		                                    &reader_sinfo,    &reader_squeue_table };
	if (!size || size > 1 << 16)
		return 0;
	const struct reader *r = data[0] == UINT8_MAX ? &reader_scontrol_job : all[data[0] % 6];
	struct str text = { (const char *)data + 1, size - 1 };
	auto_arena a = ARENA_NULL;
	struct read_options o = { .input_name = S("in"), .run_key = S("Comment") };
	struct read_run run = { .options = &o, .a = &a, .body_line = 1 };
	struct err err = { 0 };
	struct facts whole, pieces;
	int score = r->recognise(text, &o);
	assert(score >= 0 && score <= 100);
	if (r->open(&run, text, &err)) {
		assert(err.code != ERR_OK && err.text[0]);
		return 0;
	}
	assert(run.body_at <= text.n);
	struct str body = str_sub(text, run.body_at, text.n);
	feed(r, &run, body, 0, &whole);
	feed(r, &run, body, 1u + data[0] / 5, &pieces);
	check(&whole, &pieces);
	facts_deinit(&whole);
	facts_deinit(&pieces);
	return 0;
}
