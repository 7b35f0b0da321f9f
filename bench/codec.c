/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec: blocks of readings in both directions: bytes a sample and values a second, on one core.
 *
 *     bench_codec FILE    lines "DEVICE TIME_MS VALUE", those of a device together, in order of
 * time bench_codec         columns that are made here, as real ones look
 *
 * Prints "NAME<tab>FIGURE" lines. Every block is decoded and compared; exit 1 if one differs. Of
 * FILE VALUE is taken as a per cent with six decimals, as metric gpu_util.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/vec.h"
#include "codec/block.h"

#define HOUR_MS INT64_C(3600000)
#define EVER_MS (INT64_MAX / 2)
enum { ROUNDS = 15 };

struct series {
	VEC(int64_t) t;
	struct {
		VEC(int64_t) v;
	} columns[METRIC_COUNT];
	VEC(size_t) starts; /* of each device, and the end */
	VEC(enum metric_id) metrics;
	double error;
};

/* CPU time: it holds on a busy machine too. */
static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what, const struct err *err)
{
	fprintf(stderr, "codec: %s: %s\n", what, err ? err->text : "");
	exit(1);
}

static struct str read_all(struct text *t, const char *path)
{
	FILE *f = fopen(path, "rb");
	char part[65536];
	if (!f)
		fail(path, NULL);
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		text_add(t, (struct str){ part, n });
	fclose(f);
	return text_str(t);
}

/* Blocks of S: SPAN_MS long at most, or as long as they may be; those of a device apart. */
struct blocks {
	VEC(struct block) v;
};

static void cut(struct blocks *out, struct series *s, size_t from, size_t to, int64_t span_ms)
{
	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1;
		     end < to && end - i < BLOCK_ROWS_MAX && s->t.v[end] < s->t.v[i] + span_ms;)
			end++;
		struct block *b = vec_push(&out->v);
		*b = (struct block){ .rows = (uint32_t)(end - i), .t_ms = s->t.v + i };
		for (size_t m = 0; m < s->metrics.n; m++)
			b->v[s->metrics.v[m]] = s->columns[s->metrics.v[m]].v.v + i;
	}
}

static void load_value(struct series *s, enum metric_id m, struct str text)
{
	int64_t v;
	double x, scale = pow(10, metrics[m].decimals);
	if (!str_to_fixed(text, metrics[m].decimals, &v) || !str_to_double(text, &x))
		fail("a value is no number", NULL);
	*vec_push(&s->columns[m].v) = v;
	s->error = fmax(s->error, fabs(x * scale - (double)v));
}

static void load(struct series *s, struct str in)
{
	struct str line, word, last = STR_NULL;
	str_cut_line(&in, &line);
	while (str_cut(&line, ' ', &word)) {
		int m = metric_find(word);
		if (m < 0)
			fail("a metric is none", NULL);
		*vec_push(&s->metrics) = (enum metric_id)m;
	}
	while (str_cut_line(&in, &line)) {
		int64_t t;
		str_cut(&line, ' ', &word);
		if (!str_eq(word, last))
			*vec_push(&s->starts) = s->t.n;
		last = word;
		if (!str_cut(&line, ' ', &word) || !str_to_i64(word, &t))
			fail("a line is not DEVICE TIME_MS VALUE ...", NULL);
		*vec_push(&s->t) = t;
		for (size_t m = 0; m < s->metrics.n; m++)
			load_value(s, s->metrics.v[m],
			           str_cut(&line, ' ', &word) ? word : STR_NULL);
	}
	*vec_push(&s->starts) = s->t.n;
}

/* Values that one pass over B codes: times are one of them. */
static uint64_t values_of(const struct blocks *b)
{
	uint64_t n = 0;
	for (size_t i = 0; i < b->v.n; i++)
		for (unsigned m = 0; m < METRIC_COUNT; m++)
			n += b->v.v[i].v[m] ? b->v.v[i].rows : 0;
	return n;
}

static void encode(const struct blocks *b, struct text *out, struct block_coder *c)
{
	struct err err;
	out->n = 0;
	for (size_t i = 0; i < b->v.n; i++)
		if (block_put(out, &b->v.v[i], c, &err))
			fail("encode", &err);
}

static void decode(struct str in, struct block *to, const struct blocks *b, bool check,
                   struct block_coder *c)
{
	struct err err;
	struct block_info info;
	for (size_t i = 0; i < b->v.n; i++) {
		if (block_get(in, to, NULL, c, &err) || block_peek(in, &info, &err))
			fail("decode", &err);
		in = str_sub(in, info.bytes, in.n);
		const struct block *from = &b->v.v[i];
		for (unsigned m = 0; check && m < METRIC_COUNT; m++)
			if (from->v[m] &&
			    memcmp(from->v[m], to->v[m], from->rows * sizeof *to->v[m]))
				fail("a value is another", NULL);
		if (check && memcmp(from->t_ms, to->t_ms, from->rows * sizeof *to->t_ms))
			fail("a time is another", NULL);
	}
}

/* Codes B in both directions and prints what that takes. */
static void measure(const char *name, const struct blocks *b, int level)
{
	auto_arena a = ARENA_NULL;
	auto_text out = TEXT_NULL;
	struct block_coder c = { .level = level };
	struct block to = { .t_ms = ARENA_ARRAY(&a, int64_t, BLOCK_ROWS_MAX) };
	for (unsigned m = 0; m < METRIC_COUNT; m++)
		if (b->v.v[0].v[m]) {
			to.v[m] = ARENA_ARRAY(&a, int64_t, BLOCK_ROWS_MAX);
			to.why[m] = ARENA_ARRAY(&a, uint8_t, BLOCK_ROWS_MAX);
		}
	encode(b, &out, &c);
	decode(text_str(&out), &to, b, true, &c);
	double in_s = INFINITY, out_s = INFINITY;
	for (int r = 0; r < ROUNDS; r++) {
		double begin = now_s();
		encode(b, &out, &c);
		double middle = now_s();
		decode(text_str(&out), &to, b, false, &c);
		double end = now_s();
		in_s = fmin(in_s, middle - begin);
		out_s = fmin(out_s, end - middle);
	}
	double values = (double)values_of(b);
	printf("%s blocks\t%zu\n%s bytes\t%zu\n%s values\t%.0f\n", name, b->v.n, name, out.n, name,
	       values);
	printf("%s encode\t%.0f\n%s decode\t%.0f\n", name, values / in_s, name, values / out_s);
	block_coder_deinit(&c);
}

static void measure_file(const char *path)
{
	auto_text bytes = TEXT_NULL;
	struct series s = { 0 };
	load(&s, read_all(&bytes, path));
	printf("devices\t%zu\nrows\t%zu\nlargest error\t%.3f\n", s.starts.n - 1, s.t.n, s.error);
	const struct {
		const char *name;
		int64_t span_ms;
		int level;
	} ways[] = { { "long", EVER_MS, 0 },          { "long, level 1", EVER_MS, 1 },
		     { "long, level 9", EVER_MS, 9 }, { "long, level 19", EVER_MS, 19 },
		     { "6 h", 6 * HOUR_MS, 0 },       { "1 h", HOUR_MS, 0 } };
	for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
		struct blocks b = { 0 };
		for (size_t d = 0; d + 1 < s.starts.n; d++)
			cut(&b, &s, s.starts.v[d], s.starts.v[d + 1], ways[w].span_ms);
		measure(ways[w].name, &b, ways[w].level);
		vec_deinit(&b.v);
	}
	vec_deinit(&s.t);
	for (size_t m = 0; m < s.metrics.n; m++)
		vec_deinit(&s.columns[s.metrics.v[m]].v);
	vec_deinit(&s.metrics);
	vec_deinit(&s.starts);
}

static uint64_t rng_next(uint64_t *s)
{
	uint64_t z = *s += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static int64_t below(uint64_t *s, int64_t n)
{
	return (int64_t)(rng_next(s) % (uint64_t)n);
}

enum made { BUSY, SHARE, POWER, MEMORY, CLOCK, HEAT, ENERGY, NOISE };

/* Row I of a column as a driver gives it at 1 s; X: the one before. BURST: the job computes. */
static int64_t make(enum made kind, int64_t x, bool burst, uint64_t *rng)
{
	switch (kind) {
	case BUSY: /* whole per cents */
		return burst ? (90 + below(rng, 11)) * 1000000 : 0;
	case SHARE: /* a profiling counter with six digits */
		return burst ? 40000000 + below(rng, 20000000) : 0;
	case POWER: /* 0.01 W */
		return ((burst ? 60000 : 7000) + below(rng, burst ? 8000 : 40)) * 10;
	case MEMORY: /* MiB, changes seldom */
		return below(rng, 200) ? x : (1000 + below(rng, 79000)) * 1000;
	case CLOCK:
		return (burst ? 1980 - 15 * below(rng, 3) : 345) * 1000;
	case HEAT:
		return below(rng, 4) ? x : (30 + below(rng, 50)) * 1000;
	case ENERGY: /* mJ */
		return x + (burst ? 600000 + below(rng, 80000) : 70000 + below(rng, 400));
	case NOISE:
		break;
	}
	return (int64_t)rng_next(rng);
}

static void measure_made(void)
{
	static const struct {
		const char *name;
		enum metric_id metric;
		enum made kind;
	} columns[] = { { "whole per cents", METRIC_gpu_util, BUSY },
		        { "profiling counter, 6 digits", METRIC_sm, SHARE },
		        { "power, 0.01 W", METRIC_power, POWER },
		        { "memory", METRIC_mem_used, MEMORY },
		        { "clock", METRIC_sm_clock, CLOCK },
		        { "temperature", METRIC_temperature, HEAT },
		        { "energy counter", METRIC_energy, ENERGY },
		        { "random 64 bits", METRIC_throttle, NOISE } };
	enum { KINDS = sizeof columns / sizeof *columns, BLOCKS = 8 };
	auto_arena a = ARENA_NULL;
	struct blocks all = { 0 }, one[KINDS] = { 0 };
	uint64_t rng = 1;
	for (int i = 0; i < BLOCKS; i++) {
		struct block b = { .rows = BLOCK_ROWS_MAX,
			           .t_ms = ARENA_ARRAY(&a, int64_t, BLOCK_ROWS_MAX) };
		for (int64_t j = 0; j < BLOCK_ROWS_MAX; j++)
			b.t_ms[j] = INT64_C(1767225600000) + j * 1000;
		for (int k = 0; k < KINDS; k++) {
			int64_t x = 0, *v = ARENA_ARRAY(&a, int64_t, BLOCK_ROWS_MAX);
			for (uint32_t j = 0; j < BLOCK_ROWS_MAX; j++)
				v[j] = x = make(columns[k].kind, x, j / 300 % 3 != 0, &rng);
			struct block single = { .rows = b.rows, .t_ms = b.t_ms };
			single.v[columns[k].metric] = v;
			*vec_push(&one[k].v) = single;
			if (columns[k].kind != NOISE)
				b.v[columns[k].metric] = v;
		}
		*vec_push(&all.v) = b;
	}
	measure("seven together", &all, 0);
	for (int k = 0; k < KINDS; k++) {
		measure(columns[k].name, &one[k], 0);
		vec_deinit(&one[k].v);
	}
	vec_deinit(&all.v);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		measure_file(argv[1]);
	else
		measure_made();
	return 0;
}
