/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of readings that others measured: the GPU duty cycle of 143 serving pods over a day. */
#include "codec/block.h"

#include <zlib.h>

#include "base/vec.h"
#include "lib/run.h"

/* The one file in a .tar.gz. */
static struct str read_tar(struct arena *a, const char *rel)
{
	char path[1024], head[512];
	gzFile in = gzopen(run_shared(path, sizeof path, rel), "rb");
	assert_non_null(in);
	assert_int_equal(gzread(in, head, sizeof head), sizeof head);
	size_t n = 0;
	for (int i = 124; i < 135; i++) /* its size, octal */
		n = n * 8 + (size_t)(head[i] - '0');
	char *p = arena_bytes(a, n);
	assert_int_equal(gzread(in, p, (unsigned)n), n);
	gzclose(in);
	return (struct str){ p, n };
}

struct pod {
	struct str id;
	VEC(int64_t) t, v;
	VEC(struct str) source;
};

struct pods {
	VEC(struct pod) pods;
	size_t samples;
};

static struct pod *find(struct pods *all, struct str id)
{
	for (size_t i = 0; i < all->pods.n; i++)
		if (str_eq(all->pods.v[i].id, id))
			return &all->pods.v[i];
	struct pod *p = vec_push(&all->pods);
	p->id = id;
	return p;
}

static void read_pods(struct pods *all, struct str csv)
{
	struct str line, value, time;
	assert_true(str_cut_line(&csv, &line));
	assert_str(line, "value,timestamp_anon,container_ip");
	while (str_cut_line(&csv, &line)) {
		assert_true(str_cut(&line, ',', &value) && str_cut(&line, ',', &time));
		struct pod *p = find(all, line);
		*vec_push(&p->source) = value;
		assert_true(str_to_fixed(time, 3, vec_push(&p->t)));
		assert_true(
		        str_to_fixed(value, metrics[METRIC_gpu_util].decimals, vec_push(&p->v)));
		all->samples++;
	}
}

static void drop(struct pods *all)
{
	for (size_t i = 0; i < all->pods.n; i++) {
		vec_deinit(&all->pods.v[i].t);
		vec_deinit(&all->pods.v[i].v);
		vec_deinit(&all->pods.v[i].source);
	}
	vec_deinit(&all->pods);
}

/* Decodes the block that P's rows from FROM on went into. */
static void same(const struct pod *p, size_t from, struct str in, struct block_coder *c)
{
	auto_arena a = ARENA_NULL;
	struct block_info info;
	struct block got;
	struct err err;
	assert_int_equal(block_peek(in, &info, &err), ERR_OK);
	block_alloc(&a, &info, &got);
	assert_int_equal(block_get(in, &got, &a, c, &err), ERR_OK);
	for (uint32_t i = 0; i < got.rows; i++) {
		int64_t v; /* from the text again, not from what was encoded */
		assert_true(str_to_fixed(p->source.v[from + i], 6, &v));
		assert_int_equal(got.v[METRIC_gpu_util][i], v);
		assert_int_equal(got.why[METRIC_gpu_util][i], WHY_KNOWN);
		assert_int_equal(got.t_ms[i], p->t.v[from + i]);
	}
}

/* Bytes a sample, with its time, in blocks of up to SPAN_MS. */
static double bytes_each(const struct pods *all, int64_t span_ms)
{
	struct block_coder c = { 0 };
	size_t bytes = 0;
	for (size_t i = 0; i < all->pods.n; i++) {
		const struct pod *p = &all->pods.v[i];
		for (size_t from = 0, end; from < p->t.n; from = end) {
			for (end = from; end < p->t.n && end - from < BLOCK_ROWS_MAX &&
			                 p->t.v[end] < p->t.v[from] + span_ms;)
				end++;
			auto_text t = TEXT_NULL;
			struct block b = { .rows = (uint32_t)(end - from),
				           .t_ms = p->t.v + from,
				           .v[METRIC_gpu_util] = p->v.v + from };
			assert_int_equal(block_put(&t, &b, &c, NULL), ERR_OK);
			same(p, from, text_str(&t), &c);
			bytes += t.n;
		}
	}
	block_coder_deinit(&c);
	return (double)bytes / (double)all->samples;
}

static void duty_cycles_take_less_than_a_byte(void **state)
{
	(void)state;
	auto_arena a = ARENA_NULL;
	struct pods all = { 0 };
	read_pods(&all, read_tar(&a, "data/alibaba-genai-2026/pod_gpu_duty_cycle_anon.tar.gz"));
	assert_int_equal(all.pods.n, 143);
	assert_int_equal(all.samples, 157417);
	assert_true(bytes_each(&all, INT64_C(86400000) * 7) < 0.70);
	assert_true(bytes_each(&all, INT64_C(3600000)) < 1.25); /* 63 samples a block */
	drop(&all);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(duty_cycles_take_less_than_a_byte),
	};
	return RUN_TESTS(tests);
}
