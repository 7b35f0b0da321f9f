/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read: how fast readers turn bytes into facts, on one core, without any file.
 *
 *     bench_read FILE [READER]      reads FILE five times in pieces of 1 MiB, prints the best MB/s
 *
 * bench/gen_sacct writes such a file.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "read/reader.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define ROUNDS 5

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const struct reader *find_reader(struct str head, const struct read_options *o,
                                        const char *name)
{
	const struct reader *best = NULL;
	int best_score = 0;
	for (size_t i = 0; readers[i]; i++) {
		int score = readers[i]->recognise(head, o);
		if (name ? strcmp(readers[i]->name, name) == 0 : score > best_score) {
			best = readers[i];
			best_score = score;
		}
	}
	return best;
}

/* The facts are forgotten after each piece, as a crew's slots are: their arrays stay. */
static uint64_t read_once(const struct reader *r, struct read_run *run, struct str body,
                          struct facts *f)
{
	uint64_t jobs = 0;
	struct err err = { 0 };
	facts_init(f);
	while (body.n) {
		struct str piece = str_sub(body, 0, r->cut == CUT_LINES ? PIECE_BYTES : body.n);
		const char *newline = memrchr(piece.p, '\n', piece.n);
		if (r->cut == CUT_LINES && newline && piece.n < body.n)
			piece.n = (size_t)(newline - piece.p) + 1;
		f->inputs.n = 0;
		*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("bench")) };
		if (r->feed(run, piece, 1, f, &err))
			fprintf(stderr, "%s\n", err.text);
		jobs += f->jobs.n;
		f->jobs.n = f->allocations.n = f->syms.n = f->scheduler.n = 0;
		f->ids.n = f->portions.n = 0;
		body = str_sub(body, piece.n, body.n);
	}
	return jobs;
}

static int measure(const char *path, const char *name)
{
	FILE *file = fopen(path, "rb");
	auto_text t = TEXT_NULL;
	auto_arena a = ARENA_NULL;
	if (!file) {
		fprintf(stderr, "cannot open '%s'\n", path);
		return 3;
	}
	char *part = mem_alloc(PIECE_BYTES);
	for (size_t n; (n = fread(part, 1, PIECE_BYTES, file)) > 0;)
		text_add(&t, (struct str){ part, n });
	mem_free(part);
	fclose(file);
	struct read_options o = { .input_name = str_of(path) };
	struct read_run run = { .options = &o, .a = &a };
	struct str head = str_sub(text_str(&t), 0, 65536);
	struct err err = { 0 };
	const struct reader *r = find_reader(head, &o, name);
	if (!r || r->open(&run, head, &err)) {
		fprintf(stderr, "%s: %s\n", path, r ? err.text : "no reader");
		return 3;
	}
	double best = 0;
	uint64_t jobs = 0;
	for (int i = 0; i < ROUNDS; i++) {
		struct facts f;
		double from = now_s();
		jobs = read_once(r, &run, str_sub(text_str(&t), run.body_at, t.n), &f);
		double took = now_s() - from;
		facts_deinit(&f);
		if ((double)t.n / took > best)
			best = (double)t.n / took;
	}
	printf("%s: %zu bytes, %llu jobs, %.0f MB/s, %.0f ns a job\n", r->name, t.n,
	       (unsigned long long)jobs, best / 1e6,
	       jobs ? (double)t.n / best * 1e9 / (double)jobs : 0);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 || argc == 3)
		return measure(argv[1], argc == 3 ? argv[2] : NULL);
	fputs("usage: bench_read FILE [READER]\n", stderr);
	return 2;
}
