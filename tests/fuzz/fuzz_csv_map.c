/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a CSV through fixed maps, and as a map: no crash; read whole or in pieces, the same
   facts come out. */
#include <assert.h>

#include "read/csv_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const struct reader reader_csv_map;

static const char *const maps[] = {
	"map: jobs\nrecognise: {header: [id]}\njobs:\n  id: id\n  start: {column: s, optional: "
	"true}\n"
	"  end: {column: e, optional: true, time: epoch}\n  gpus: {column: g, optional: true}\n"
	"  share: {column: m, unit: milli, optional: true}\n"
	"  models: {column: k, split: '|', optional: true}\n"
	"  outcome: {column: o, optional: true, values: {R: running, C: completed}, else: "
	"unknown}\n"
	"  elapsed: {column: l, optional: true, unit: min}\n",
	"map: rows\ncsv: {header: false, delimiter: ';'}\nrecognise: {fields: 4, match: {1: "
	"'^j'}}\n"
	"time: {pattern: '%d/%b/%y %I:%M%p %z'}\njobs:\n  id: 1\n  submit: 2\n"
	"  gpus: {column: 3, parse: tres}\n  elapsed: {column: 4, parse: slurm}\n",
	"map: nodes\ncsv: {comment: '#'}\nnodes:\n  id: node\n  gpus: gpus\n"
	"skip-if: {column: node, equals: [x, y]}\n",
	"map: totals\ntime: {since: 2020-01-01, unit: h}\ntotals:\n  time: t\n  every: 1m\n"
	"  gpus: n\n  running: r\n",
	"map: wide\ntime: epoch\ncsv: {wide: {fixed: w, name: k, value: v}}\nnodes: {pool: k, "
	"gpus: v, from: w, "
	"every: 1s}\n",
	"map: samples\ntime: {since: epoch, unit: ms}\nsamples:\n  time: t\n  device: d\n"
	"  node: {column: n, optional: true}\n  job: {column: j, optional: true}\n"
	"  process: {column: p, optional: true, split: ' '}\n"
	"  period: {column: l, optional: true, unit: ms}\n"
	"  gpu_util: {column: u, optional: true, unit: ratio}\n"
	"  power: {column: w, optional: true, unit: mW}\n"
	"  mem_used: {column: m, optional: true, unit: bytes}\n"
	"  temperature: {column: c, optional: true}\n"
	"  throttle: {column: x, optional: true}\n",
	"map: long\ntime: epoch\nsamples:\n  time: t\n  device: {columns: [d, k]}\n"
	"  metric: {column: k, values: {u: gpu_util, e: energy mJ, l: pcie KiB/s}, else: "
	"unknown}\n"
	"  value: v\n",
};
enum { MAPS = sizeof maps / sizeof *maps };

static void read_pieces(const struct read_run *run, struct str body, size_t piece, struct facts *f)
{
	struct err err = { 0 };
	uint64_t line = run->body_line;
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("in")) };
	while (body.n) {
		size_t n = piece && piece < body.n ? piece : body.n, start = 0;
		while (!start) {
			while (n < body.n && body.p[n - 1] != '\n')
				n++;
			start = n < body.n ? reader_csv_map.record_start(run, body, n) : n;
			n++;
		}
		struct str part = str_sub(body, 0, start);
		assert(reader_csv_map.feed(run, part, line, f, &err) == ERR_OK);
		for (size_t i = 0; i < part.n; i++)
			line += part.p[i] == '\n';
		body = str_sub(body, start, body.n);
	}
	assert(reader_csv_map.end(run, f, &err) == ERR_OK);
}

static void check(const struct facts *f)
{
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		assert(job_id(f, j).n && j->outcome < OUTCOME_COUNT);
		assert(j->start_ms == TIME_UNKNOWN || j->end_ms == TIME_UNKNOWN ||
		       j->start_ms <= j->end_ms);
	}
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *a = &f->allocations.v[i];
		assert(a->job < f->jobs.n && a->count && a->count <= GPUS_MAX);
		const struct portion *p = allocation_portion(f, a);
		assert(p->share_num > 0 && p->share_den > 0 && p->share_num <= p->share_den);
	}
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[i];
		assert(s->device && s->t_ms != TIME_UNKNOWN && s->period_ms >= 0);
		assert(s->procs_at + s->procs_n <= f->syms.n);
		for (int m = 0; m < METRIC_COUNT; m++)
			assert((s->known >> m & 1) == (s->why[m] == WHY_KNOWN));
	}
	for (size_t i = 0; i < f->totals.n; i++)
		assert(f->totals.v[i].from_ms < f->totals.v[i].to_ms);
}

static void through(const struct csv_map *m, struct str csv)
{
	auto_arena a = ARENA_NULL;
	const struct csv_map *one[] = { m };
	struct read_options o = { .maps = one, .maps_n = 1, .input_name = S("in") };
	struct read_run run = { .options = &o, .a = &a };
	struct err err = { 0 };
	struct str head = str_sub(csv, 0, 65536);
	if (!reader_csv_map.recognise(head, &o) || reader_csv_map.open(&run, head, &err))
		return;
	assert(run.body_at <= csv.n);
	struct str body = str_sub(csv, run.body_at, csv.n);
	struct facts whole, pieces;
	read_pieces(&run, body, 0, &whole);
	read_pieces(&run, body, 7, &pieces);
	check(&whole);
	assert(whole.jobs.n == pieces.jobs.n && whole.totals.n == pieces.totals.n);
	assert(whole.nodes.n == pieces.nodes.n && whole.capacity.n == pieces.capacity.n);
	assert(whole.samples.n == pieces.samples.n && whole.devices.n == pieces.devices.n);
	assert(whole.allocations.n == pieces.allocations.n);
	for (size_t i = 0; i < whole.samples.n; i++) {
		const struct sample *x = &whole.samples.v[i], *y = &pieces.samples.v[i];
		assert(x->t_ms == y->t_ms && x->known == y->known && x->procs_n == y->procs_n);
		assert(!memcmp(x->v, y->v, sizeof x->v) && !memcmp(x->why, y->why, sizeof x->why));
	}
	assert(whole.inputs.v[0].records == pieces.inputs.v[0].records);
	assert(whole.inputs.v[0].rejected == pieces.inputs.v[0].rejected);
	assert(whole.inputs.v[0].rejected <= whole.inputs.v[0].records);
	facts_deinit(&whole);
	facts_deinit(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena a = ARENA_NULL;
	struct str s = { (const char *)data, size };
	struct err err = { 0 };
	struct csv_map m;
	for (int i = 0; i < MAPS; i++) {
		assert(csv_map_parse(&a, str_of(maps[i]), S("fixed"), &m, &err) == ERR_OK);
		through(&m, s);
	}
	/* a map, then what it is for */
	size_t at = str_find(s, S("\n===\n"));
	if (csv_map_parse(&a, str_sub(s, 0, at), S("fuzzed"), &m, &err) == ERR_OK)
		through(&m, str_sub(s, at + 5, s.n));
	return 0;
}
