/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/mapped.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"

static struct str example(struct arena *a, const char *name)
{
	char path[4096], rel[200];
	snprintf(rel, sizeof rel, "examples/maps/%s.yaml", name);
	return run_file(a, run_source(path, sizeof path, rel));
}

/* A file of others, unpacked. */
static struct str shared(struct arena *a, const char *rel)
{
	char path[4096];
	gzFile in = gzopen(run_shared(path, sizeof path, rel), "rb");
	assert_non_null(in);
	struct text t = { 0 };
	char part[65536];
	for (int n; (n = gzread(in, part, sizeof part)) > 0;)
		text_add(&t, (struct str){ part, (size_t)n });
	gzclose(in);
	struct str s = str_dup(a, text_str(&t));
	text_deinit(&t);
	return s;
}

/* The same rows in another order under other column names, and the map that says so. */
static void disguise(struct arena *a, struct str *yaml, struct str *csv, bool has_header)
{
	struct str rest = *csv, header = STR_NULL, line;
	struct text out = { 0 }, map = { 0 };
	if (has_header) {
		str_cut_line(&rest, &header);
		struct str cols = header, col;
		for (int i = 0; str_cut(&cols, ',', &col); i++)
			text_printf(&out, "%sx_%.*s_y", i ? "," : "", STR_FMT(col));
		text_byte(&out, '\n');
	}
	size_t n = 0, cap = 0;
	struct str *lines = NULL;
	while (str_cut_line(&rest, &line)) {
		if (n == cap)
			lines = mem_resize(lines, (cap = cap ? cap * 2 : 1024) * sizeof *lines);
		lines[n++] = line;
	}
	size_t step = 7919; /* a prime that divides no row count here: visits every row once */
	for (size_t i = 0, at = 0; i < n; i++, at = (at + step) % n) {
		text_add(&out, lines[at]);
		text_byte(&out, '\n');
	}
	mem_free(lines);
	/* in the map, every name that is a word of the header becomes the new one */
	for (struct str y = *yaml; y.n;) {
		size_t w = 0;
		while (w < y.n && (y.p[w] == '_' || isalnum((unsigned char)y.p[w])))
			w++;
		struct str word = str_sub(y, 0, w ? w : 1);
		y = str_sub(y, word.n, y.n);
		bool is_column = false, is_key = y.n && y.p[0] == ':';
		struct str cols = header, col;
		while (str_cut(&cols, ',', &col))
			is_column |= str_eq(col, word);
		if (is_column && !is_key)
			text_printf(&map, "x_%.*s_y", STR_FMT(word));
		else
			text_add(&map, word);
	}
	*csv = str_dup(a, text_str(&out));
	*yaml = str_dup(a, text_str(&map));
	text_deinit(&out);
	text_deinit(&map);
}

/* Reads REL through the example MAP four ways (whole, in chunks, disguised) and lets CHECK judge.
 */
static void each_way(const char *map, const char *rel, bool has_header, size_t skip_bytes,
                     void (*check)(const struct facts *f))
{
	auto_arena a = ARENA_NULL;
	struct str csv = shared(&a, rel), yaml = example(&a, map);
	csv = str_sub(csv, skip_bytes, csv.n);
	csv.n = strnlen(csv.p, csv.n);
	for (int way = 0; way < 3; way++) {
		if (way == 2)
			disguise(&a, &yaml, &csv, has_header);
		struct mapped g;
		enum err_code rc = mapped_read(&g, yaml, csv, way == 1 ? 10000 : 0);
		assert_string_equal(g.err.text, "");
		assert_int_equal(rc, ERR_OK);
		for (size_t i = 0; i < g.f.rejects.n && i < 3; i++)
			print_error("way %d, line %llu: %s\n", way,
			            (unsigned long long)g.f.rejects.v[i].line,
			            names_word(&g.f.names, g.f.rejects.v[i].reason).p);
		check(&g.f);
		mapped_drop(&g);
	}
}

/* Hours to four decimals, rounded, as the publishers print them. */
static int64_t hours4(int64_t ms)
{
	return (ms * 10000 + 1800000) / 3600000;
}

static int64_t gpu_ms(const struct facts *f, int outcome)
{
	double sum = 0;
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation_entry al = allocation_entry_of(f, &f->allocations.v[i]);
		const struct job *j = &f->jobs.v[al.job];
		if (outcome >= 0 && j->outcome != outcome)
			continue;
		sum += (double)(j->end_ms - j->start_ms) * al.count * (double)al.share_num /
		       (double)al.share_den;
	}
	return (int64_t)(sum + 0.5);
}

static void check_phillips(const struct facts *f)
{
	assert_int_equal(f->jobs.n, 4285);
	assert_int_equal(f->inputs.v[0].records, 4285);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal(f->allocations.n, 2);
	assert_int_equal(hours4(gpu_ms(f, -1)), 5069128);
	int64_t wall = 0, cpu = 0, wait = 0;
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		assert_int_not_equal(j->outcome, OUTCOME_WAITING);
		wall += j->end_ms - j->start_ms;
		cpu += (j->end_ms - j->start_ms) * job_traits(f, j).cpus;
		if (j->end_ms > j->start_ms)
			wait += j->start_ms - j->submit_ms;
	}
	assert_int_equal(hours4(wall), 4388203);
	assert_int_equal(hours4(cpu), 117679883);
	assert_int_equal(hours4(wait), 188299236);
}

static void phillips(void **state)
{
	(void)state;
	each_way("slurm-rows-26", "data/slurm-xdmod/phillips.log", false, 0, check_phillips);
}

static void check_openb_nodes(const struct facts *f)
{
	uint64_t gpus = 0;
	size_t with_gpus = 0;
	for (size_t i = 0; i < f->capacity.n; i++)
		gpus += f->capacity.v[i].count;
	for (size_t i = 0; i < f->nodes.n; i++)
		with_gpus += f->nodes.v[i].gpus > 0;
	assert_int_equal(with_gpus, 1213);
	assert_int_equal(f->nodes.n, 1523);
	assert_int_equal(f->capacity.n, 1); /* one pool */
	assert_int_equal(gpus, 6212);
}

static void openb_nodes(void **state)
{
	(void)state;
	each_way("openb-nodes", "data/k8s-openb-alibaba-2023/openb_node_list_all_node.csv", true, 0,
	         check_openb_nodes);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void check_openb_pods(const struct facts *f)
{
	assert_int_equal(f->jobs.n, 8152);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal((gpu_ms(f, -1) + 1800000) / 3600000, 51471);
	assert_int_equal((gpu_ms(f, OUTCOME_ENDED) + 1800000) / 3600000, 46440);
	assert_int_equal((gpu_ms(f, OUTCOME_COMPLETED) + 1800000) / 3600000, 4095);
	assert_int_equal((gpu_ms(f, OUTCOME_FAILED) + 1800000) / 3600000, 936);
	size_t waiting = 0, n = 0;
	int64_t *waits = mem_alloc(f->jobs.n * sizeof *waits);
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		waiting += j->outcome == OUTCOME_WAITING;
		if (j->start_ms != TIME_UNKNOWN)
			waits[n++] = (j->start_ms - j->submit_ms) / 1000;
	}
	qsort(waits, n, sizeof *waits, by_number);
	assert_int_equal(waiting, 897);
	assert_int_equal(waits[n / 2], 2);
	assert_int_equal(waits[n * 99 / 100], 908);
	mem_free(waits);
}

static void openb_pods(void **state)
{
	(void)state;
	each_way("openb-pods", "data/k8s-openb-alibaba-2023/openb_pod_list_default.csv", true, 0,
	         check_openb_pods);
}

static void check_models(const struct facts *f)
{
	size_t either = 0;
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		const struct word_list l = job_traits(f, j).models;
		const sym *models = job_words(f, l);
		either += l.n == 2 && str_eq(names_word(&f->names, models[0]), S("V100M16")) &&
		          str_eq(names_word(&f->names, models[1]), S("V100M32"));
	}
	assert_int_equal(f->jobs.n, 8152);
	assert_int_equal(either, 141);
}

static void openb_models(void **state)
{
	(void)state;
	each_way("openb-pods", "data/k8s-openb-alibaba-2023/openb_pod_list_gpuspec33.csv", true, 0,
	         check_models);
}

static void check_helios(const struct facts *f)
{
	uint64_t gpus = 0, running = 0, both = 0, blocked = 0;
	assert_int_equal(f->totals.n, 44640);
	for (size_t i = 0; i < f->totals.n; i++) {
		const struct total *t = &f->totals.v[i];
		assert_int_equal(t->to_ms - t->from_ms, 60000);
		gpus += t->gpus;
		running += t->running;
		both += t->idle > 0 && t->gpu_jobs_pending > 0;
		blocked += t->idle < t->pending ? t->idle : t->pending;
	}
	assert_int_equal((running * 1000 + gpus / 2) / gpus, 903);
	assert_int_equal((both * 1000 + 22320) / 44640, 457);
	assert_int_equal((blocked + 30) / 60, 3402);
}

static void helios(void **state)
{
	(void)state;
	each_way("helios-minutes", "data/helios-2020/vc6YE_cluster_sequence_vc.csv.gz", true, 0,
	         check_helios);
}

static void check_philly(const struct facts *f)
{
	uint64_t nodes = 0, active = 0;
	for (size_t i = 0; i < f->totals.n; i++) {
		nodes += f->totals.v[i].gpus;
		active += f->totals.v[i].running;
	}
	assert_int_equal(f->totals.n, 105644);
	assert_int_equal((active * 1000 + nodes / 2) / nodes, 739);
}

static void philly(void **state)
{
	(void)state;
	each_way("nodes-minutes", "data/helios-2020/philly_node_sequence.csv.gz", true, 0,
	         check_philly);
}

static void check_dlrm(const struct facts *f)
{
	size_t hn = 0, gpus = 0, cn = 0, services = 0;
	auto_arena a = ARENA_NULL;
	bool *seen = arena_alloc(&a, f->names.words.n);
	for (size_t i = 0; i < f->jobs.n; i++) {
		const struct job *j = &f->jobs.v[i];
		assert_int_equal(j->kind, KIND_SERVICE);
		bool is_hn = str_eq(names_word(&f->names, job_traits(f, j).queue), S("HN"));
		hn += is_hn;
		cn += !is_hn;
		gpus += j->requested;
		services += !seen[j->name];
		seen[j->name] = true;
	}
	assert_int_equal(f->jobs.n, 23871);
	assert_int_equal(services, 156);
	assert_int_equal(hn, 7386);
	assert_int_equal(gpus, 7386);
	assert_int_equal(cn, 16485);
}

static void dlrm(void **state)
{
	(void)state;
	each_way("dlrm-instances", "data/alibaba-dlrm-2025/disaggregated_DLRM_trace.csv", true, 0,
	         check_dlrm);
}

static void check_spot(const struct facts *f)
{
	uint64_t gpus = 0;
	size_t models = 0;
	auto_arena a = ARENA_NULL;
	bool *seen = arena_alloc(&a, f->names.words.n);
	for (size_t i = 0; i < f->capacity.n; i++) {
		gpus += f->capacity.v[i].count;
		models += !seen[f->capacity.v[i].model];
		seen[f->capacity.v[i].model] = true;
	}
	assert_int_equal(f->nodes.n, 4278);
	assert_int_equal(models, 6);
	assert_int_equal(gpus, 10412);
}

static void spot(void **state)
{
	(void)state;
	each_way("spot-nodes", "data/alibaba-spot-2026/node_info_df.csv", true, 0, check_spot);
}

static void check_pai(const struct facts *f)
{
	uint64_t gpus = 0;
	for (size_t i = 0; i < f->capacity.n; i++)
		gpus += f->capacity.v[i].count;
	assert_int_equal(f->nodes.n, 1897);
	assert_int_equal(gpus, 6742);
}

static void pai(void **state)
{
	(void)state;
	each_way("pai-machines", "data/alibaba-pai-2020/pai_machine_spec.tar.gz", false, 512,
	         check_pai);
}

static void check_mit(const struct facts *f)
{
	static const struct {
		enum outcome outcome;
		int64_t permyriad;
	} shares[] = { { OUTCOME_COMPLETED, 3970 },
		       { OUTCOME_CANCELLED, 3260 },
		       { OUTCOME_TIMEOUT, 1450 },
		       { OUTCOME_FAILED, 1320 },
		       { OUTCOME_OOM, 6 } };
	int64_t all = gpu_ms(f, -1);
	assert_int_equal(f->jobs.n, 9628);
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal(f->allocations.n, 2401);
	assert_int_equal((all + 1800000) / 3600000, 43847);
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		int64_t off = gpu_ms(f, (int)shares[i].outcome) * 10000 / all - shares[i].permyriad;
		assert_true(off > -6 && off < 6);
	}
}

static void mit(void **state)
{
	(void)state;
	each_way("slurmdb-rows", "data/slurm-mit-supercloud/slurm-log-queueing-clean.csv", true, 0,
	         check_mit);
}

/* The virtual clusters' GPUs of a day add up to the table's own total. */
static void check_earth(const struct facts *f)
{
	int64_t gpu_days = 0, pools = 0;
	auto_arena a = ARENA_NULL;
	bool *seen = arena_alloc(&a, f->names.words.n);
	for (size_t i = 0; i < f->capacity.n; i++) {
		const struct capacity *c = &f->capacity.v[i];
		gpu_days += (c->to_ms - c->from_ms) / 86400000 * c->count;
		pools += !seen[c->pool];
		seen[c->pool] = true;
	}
	assert_int_equal(f->inputs.v[0].rejected, 0);
	assert_int_equal(gpu_days, 180576);
	assert_int_equal(pools, 25);
}

static void earth(void **state)
{
	(void)state;
	each_way("gpus-by-day", "data/helios-2020/Earth_gpu_number.csv", true, 0, check_earth);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phillips),   cmocka_unit_test(openb_nodes),
		cmocka_unit_test(openb_pods), cmocka_unit_test(openb_models),
		cmocka_unit_test(helios),     cmocka_unit_test(philly),
		cmocka_unit_test(dlrm),       cmocka_unit_test(spot),
		cmocka_unit_test(earth),      cmocka_unit_test(pai),
		cmocka_unit_test(mit),
	};
	return RUN_TESTS(tests);
}
