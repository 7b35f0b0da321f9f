/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/intake.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/limits.h"
#include "base/text.h"
#include "lib/dump.h"
#include "lib/rows.h"
#include "lib/run.h"

/* A folder for one test; the files in it are made by put(). */
struct place {
	char folder[64];
};

static int place_make(void **state)
{
	struct place *p = mem_alloc(sizeof *p);
	snprintf(p->folder, sizeof p->folder, "/tmp/tare-intake-XXXXXX");
	*state = p;
	return mkdtemp(p->folder) ? 0 : -1;
}

static int place_drop(void **state)
{
	struct place *p = *state;
	char command[192];
	snprintf(command, sizeof command, "chmod -R u+rwx %s && rm -r %s", p->folder, p->folder);
	int rc = system(command);
	mem_free(p);
	return rc;
}

static const char *path_of(struct arena *a, const struct place *p, const char *name)
{
	return arena_printf(a, "%s/%s", p->folder, name);
}

static const char *put(struct arena *a, const struct place *p, const char *name, struct str bytes)
{
	const char *path = path_of(a, p, name);
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
	return path;
}

static struct str gzip(struct arena *a, struct str s)
{
	z_stream z = { 0 };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	size_t cap = deflateBound(&z, s.n) + 64;
	char *out = arena_bytes(a, cap);
	z.next_in = (unsigned char *)(uintptr_t)s.p;
	z.avail_in = (unsigned)s.n;
	z.next_out = (unsigned char *)out;
	z.avail_out = (unsigned)cap;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (struct str){ out, cap - z.avail_out };
}

static struct str zstd(struct arena *a, struct str s)
{
	size_t cap = ZSTD_compressBound(s.n);
	char *out = arena_bytes(a, cap);
	size_t n = ZSTD_compress(out, cap, s.p, s.n, 3);
	assert_false(ZSTD_isError(n));
	return (struct str){ out, n };
}

/* The dump of what one input gives. Fails the test on an error. */
static struct str read_one(struct arena *a, const struct intake_options *o, const char *path)
{
	struct facts f;
	struct err err = { 0 };
	struct intake_options with = *o;
	with.readers = rows_readers;
	if (intake_read(&with, &path, 1, &f, &err))
		fail_msg("%s", err.text);
	auto_text t = TEXT_NULL;
	dump_facts(&t, &f);
	facts_deinit(&f);
	return str_dup(a, text_str(&t));
}

static void assert_error(const struct intake_options *o, const char *path, enum err_code code,
                         const char *text)
{
	struct facts f;
	struct err err = { 0 };
	struct intake_options with = *o;
	with.readers = with.readers ? with.readers : rows_readers;
	assert_int_equal(intake_read(&with, &path, 1, &f, &err), code);
	assert_int_equal(err.code, code);
	if (text)
		assert_str(str_of(err.text), text);
}

static bool contains(struct str s, const char *what)
{
	return str_find(s, str_of(what)) < s.n;
}

static const struct intake_options one_thread = { .threads = 1 };

#define ROWS                                                              \
	"#rows\na,ann\nb,bob\n!\nc,\"two\nlines\"\nd,ann\n\"x\n\ny\",e\n" \
	"!\nf,bob\nlast,ann\n"

static void gives_equal_facts_wherever_it_is_cut(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *path = put(&a, *state, "in", S(ROWS));
	struct str want = read_one(&a, &one_thread, path);
	assert_true(contains(want, "reject \"")); /* it is not empty */
	assert_true(contains(want, "\"bad row\" 4 1\n"));
	assert_true(contains(want, "\"bad row\" 11 1\n"));
	assert_true(contains(want, "\"rows\" 9 2 0\n"));
	for (size_t chunk = 1; chunk <= sizeof ROWS; chunk++)
		for (unsigned threads = 1; threads <= 4; threads++) {
			struct intake_options o = { .threads = threads, .chunk_bytes = chunk };
			assert_str(read_one(&a, &o, path), want.p);
		}
}

static struct str crlf_of(struct arena *a, struct str s)
{
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n')
			text_byte(&t, '\r');
		text_byte(&t, s.p[i]);
	}
	return str_dup(a, text_str(&t));
}

static void reads_either_line_end_and_a_missing_last_one(void **state)
{
	auto_arena a = ARENA_NULL;
	static const char rows[] = "#rows\na,ann\n!\nb,bob\n";
	struct str want = read_one(&a, &one_thread, put(&a, *state, "in", str_of(rows)));
	for (size_t chunk = 1; chunk < 32; chunk++) {
		struct intake_options o = { .threads = 2, .chunk_bytes = chunk };
		struct str crlf = crlf_of(&a, str_of(rows));
		assert_str(read_one(&a, &o, put(&a, *state, "in", crlf)), want.p);
		struct str cut = str_sub(str_of(rows), 0, sizeof rows - 2);
		assert_str(read_one(&a, &o, put(&a, *state, "in", cut)), want.p);
		crlf.n -= 2;
		assert_str(read_one(&a, &o, put(&a, *state, "in", crlf)), want.p);
	}
}

/* N rows, every 1000th bad. */
static struct str many_rows(struct arena *a, unsigned n)
{
	auto_text t = TEXT_NULL;
	text_add(&t, S("#rows\n"));
	for (unsigned i = 0; i < n; i++)
		if (i % 1000 == 999)
			text_add(&t, S("!\n"));
		else
			text_printf(&t, "job%u,user%u\n", i, i % 97);
	return str_dup(a, text_str(&t));
}

static void gives_equal_facts_with_any_number_of_threads(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *path = put(&a, *state, "in", many_rows(&a, 60000));
	struct str want = read_one(&a, &one_thread, path);
	assert_true(contains(want, "\"rows\" 60000 60 0\n"));
	assert_true(contains(want, "\"bad row\" 60001 1\n"));
	for (unsigned threads = 1; threads <= 8; threads *= 2)
		for (size_t chunk = 4096; chunk <= 262144; chunk *= 8) {
			struct intake_options o = { .threads = threads, .chunk_bytes = chunk };
			assert_str(read_one(&a, &o, path), want.p);
		}
}

static void unpacks_gzip_members_and_zstd_frames(void **state)
{
	auto_arena a = ARENA_NULL;
	struct str rows = many_rows(&a, 30000);
	struct str want = read_one(&a, &one_thread, put(&a, *state, "in", rows));
	struct str (*const packers[])(struct arena *, struct str) = { gzip, zstd };
	for (size_t i = 0; i < 2; i++) {
		struct intake_options o = { .threads = 2, .chunk_bytes = 10000 };
		struct str one = packers[i](&a, rows);
		assert_str(read_one(&a, &o, put(&a, *state, "in", one)), want.p);
		struct str front = packers[i](&a, str_sub(rows, 0, 70000));
		struct str back = packers[i](&a, str_sub(rows, 70000, rows.n));
		auto_text both = TEXT_NULL;
		text_add(&both, front), text_add(&both, back);
		assert_str(read_one(&a, &o, put(&a, *state, "in", text_str(&both))), want.p);
		text_repeat(&both, '\0', 512); /* as padded to a block */
		assert_str(read_one(&a, &o, put(&a, *state, "in", text_str(&both))), want.p);
	}
}

static void keeps_what_came_before_the_end_of_a_cut_stream(void **state)
{
	auto_arena a = ARENA_NULL;
	struct str rows = many_rows(&a, 30000);
	struct str (*const packers[])(struct arena *, struct str) = { gzip, zstd };
	const char *const said[] = { "gzip stream ends too early; what came before it was read",
		                     "zstd stream ends too early; what came before it was read" };
	for (size_t i = 0; i < 2; i++) {
		struct str packed = packers[i](&a, rows);
		packed.n = packed.n * 3 / 4;
		const char *path = put(&a, *state, "in", packed);
		struct str got = read_one(&a, &one_thread, path);
		assert_true(contains(got, said[i]));
		assert_true(contains(got, "job0\""));
		assert_true(contains(got, " 1\nnote")); /* partial */
		struct facts f;
		struct err err = { 0 };
		struct intake_options o = { .threads = 2, .readers = rows_readers };
		assert_int_equal(intake_read(&o, &path, 1, &f, &err), ERR_OK);
		assert_true(f.jobs.n > 10000 && f.jobs.n < 29970);
		for (size_t k = 0; k < f.jobs.n; k++) { /* no half row */
			uint64_t number, user;
			assert_true(str_to_u64(str_sub(job_id(&f, &f.jobs.v[k]), 3, 9), &number));
			struct str word = names_word(&f.names, job_traits(&f, &f.jobs.v[k]).user);
			assert_true(str_to_u64(str_sub(word, 4, 9), &user));
			assert_int_equal(user, number % 97);
		}
		assert_true(f.inputs.v[0].partial);
		assert_int_equal(f.inputs.v[0].bytes, packed.n);
		assert_int_equal(intake_status(&f, false, &err), ERR_REJECTS);
		assert_int_equal(intake_status(&f, true, &err), ERR_INPUT);
		facts_deinit(&f);
	}
}

static void says_that_a_stream_is_damaged(void **state)
{
	auto_arena a = ARENA_NULL;
	struct str packed = gzip(&a, many_rows(&a, 30000));
	char *bytes = str_z(&a, packed);
	memset(bytes + packed.n / 2, 0xff, 64);
	struct str got =
	        read_one(&a, &one_thread, put(&a, *state, "in", (struct str){ bytes, packed.n }));
	assert_true(contains(got, "gzip stream is damaged"));
	/* right at its start nothing came out */
	struct str stub = str_sub(packed, 0, 12);
	const char *path = put(&a, *state, "stub", stub);
	assert_error(&one_thread, path, ERR_INPUT,
	             arena_printf(&a, "%s: gzip stream ends too early", path));
}

static void reads_a_folder_in_name_order_one_level_down(void **state)
{
	auto_arena a = ARENA_NULL;
	const struct place *p = *state;
	mkdir(path_of(&a, p, "b"), 0755);
	mkdir(path_of(&a, p, "b/deep"), 0755);
	put(&a, p, "c10", S("#rows\nfifth,u\n"));
	put(&a, p, "c9", S("#rows\nfourth,u\n"));
	put(&a, p, "a", S("#rows\nfirst,u\n"));
	put(&a, p, "b/1", S("#rows\nsecond,u\n"));
	put(&a, p, "b/2", gzip(&a, S("#whole\nthird,u\n")));
	put(&a, p, "b/deep/x", S("#rows\nnever,u\n"));
	put(&a, p, ".hidden", S("#rows\nnever,u\n"));
	put(&a, p, "README", S("words\n"));
	put(&a, p, "empty", S(""));
	const char *folder = p->folder;
	struct facts f;
	struct err err = { 0 };
	struct intake_options o = { .readers = rows_readers };
	assert_int_equal(intake_read(&o, &folder, 1, &f, &err), ERR_OK);
	static const char *const want[] = { "first", "second", "third", "fourth", "fifth" };
	assert_int_equal(f.jobs.n, 5);
	for (size_t i = 0; i < 5; i++)
		assert_str(job_id(&f, &f.jobs.v[i]), want[i]);
	assert_int_equal(f.inputs.n, 7);
	assert_int_equal(f.rejects.n, 2);
	auto_text t = TEXT_NULL;
	dump_facts(&t, &f);
	struct str got = text_str(&t);
	assert_true(contains(
	        got, "\"left out: its format is not known (it begins with \\\"words\\\")\""));
	assert_true(contains(got, "\"left out: it is empty\""));
	assert_true(contains(got, "note \"Hidden files in folders were left out.\" 1\n"));
	assert_true(contains(got, "not looked into.\" 1\n"));
	/* what is no input of ours does not make the others bad, except for who wants to be strict
	 */
	assert_int_equal(intake_status(&f, false, &err), ERR_OK);
	assert_int_equal(intake_status(&f, true, &err), ERR_INPUT);
	facts_deinit(&f);
}

static void refuses_a_folder_without_anything_to_read(void **state)
{
	auto_arena a = ARENA_NULL;
	const struct place *p = *state;
	assert_error(&one_thread, p->folder, ERR_INPUT,
	             arena_printf(&a, "%s: no files are in it", p->folder));
	put(&a, p, "README", S("words\n"));
	assert_error(&one_thread, p->folder, ERR_INPUT,
	             arena_printf(&a, "%s: no file in it is of a known format", p->folder));
}

static void says_what_it_cannot_read(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *path = put(&a, *state, "in", S("JobID User\n1 ann\n"));
	assert_error(&one_thread, path, ERR_INPUT,
	             arena_printf(&a,
	                          "%s: its format is not known (it begins with \"JobID User\")\n"
	                          "hint: formats: rows, rows_whole; --as NAME forces one, "
	                          "--map FILE teaches a table",
	                          path));
	path = put(&a, *state, "in", (struct str){ "\177ELF\0\0", 6 });
	assert_error(&one_thread, path, ERR_INPUT,
	             arena_printf(&a,
	                          "%s: its format is not known (it is binary)\n"
	                          "hint: formats: rows, rows_whole; --as NAME forces one, "
	                          "--map FILE teaches a table",
	                          path));
	path = put(&a, *state, "in", S(""));
	assert_error(&one_thread, path, ERR_INPUT, arena_printf(&a, "%s: it is empty", path));
	path = put(&a, *state, "in", gzip(&a, S("")));
	assert_error(&one_thread, path, ERR_INPUT, arena_printf(&a, "%s: it is empty", path));
	path = path_of(&a, *state, "none");
	assert_error(&one_thread, path, ERR_INPUT,
	             arena_printf(&a, "cannot open '%s': No such file or directory", path));
}

static void says_when_two_formats_take_it(void **state)
{
	auto_arena a = ARENA_NULL;
	const struct reader twin = { .name = "twin", .recognise = rows_reader.recognise };
	const struct reader *const list[] = { &rows_reader, &rows_whole_reader, &twin, NULL };
	struct intake_options o = { .readers = list };
	const char *path = put(&a, *state, "in", S("#rows\na,b\n"));
	assert_error(&o, path, ERR_INPUT,
	             arena_printf(&a,
	                          "%s: its format is not clear: rows, twin all take it\n"
	                          "hint: --as NAME says which",
	                          path));
}

static void takes_the_format_that_it_is_told(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *path = put(&a, *state, "in", S("anything\na,ann\n"));
	struct intake_options o = { .threads = 2, .as = "rows_whole" };
	assert_true(contains(read_one(&a, &o, path), "\"rows_whole\" 1 0 0\n"));
	o.as = "csv";
	assert_error(&o, path, ERR_USAGE,
	             arena_printf(&a,
	                          "%s: no format is called 'csv'\nhint: formats: rows, rows_whole",
	                          path));
}

static void stops_at_an_error_and_gives_the_first_one(void **state)
{
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	text_add(&t, many_rows(&a, 1000));
	text_add(&t, S("fail\n"));
	for (int i = 0; i < 2000; i++)
		text_add(&t, S("more,ann\nfail\n"));
	const char *path = put(&a, *state, "in", text_str(&t));
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct intake_options o = { .threads = threads, .chunk_bytes = 64 };
		assert_error(&o, path, ERR_INPUT, arena_printf(&a, "%s: line 1002 fails", path));
	}
}

/* A row of N bytes between two others. */
static const char *put_long_row(struct arena *a, const struct place *p, size_t n)
{
	auto_text t = TEXT_NULL;
	text_add(&t, S("#rows\na,ann\n"));
	text_repeat(&t, 'x', n);
	text_add(&t, S("\n!\nb,bob\n"));
	return put(a, p, "in", text_str(&t));
}

static void drops_a_line_over_the_limit_and_nothing_else(void **state)
{
	auto_arena a = ARENA_NULL;
	static const size_t chunks[] = { 1000, 65536, LINE_BYTES_MAX, 3 * LINE_BYTES_MAX };
	for (size_t i = 0; i < 4; i++) {
		struct intake_options o = { .threads = 2, .chunk_bytes = chunks[i] };
		struct str got = read_one(&a, &o, put_long_row(&a, *state, LINE_BYTES_MAX));
		assert_true(contains(got, "\"rows\" 4 1 0\n"));
		got = read_one(&a, &o, put_long_row(&a, *state, LINE_BYTES_MAX + 1));
		assert_true(contains(got, "\"rows\" 4 2 0\n"));
		assert_true(contains(got, "\"line is longer than 1048576 bytes\" 3 1\n"));
		assert_true(contains(got, "\"bad row\" 4 1\n"));
		got = read_one(&a, &o, put_long_row(&a, *state, 5 * LINE_BYTES_MAX));
		assert_true(contains(got, "\"rows\" 4 2 0\n"));
		assert_true(contains(got, "\"line is longer than 1048576 bytes\" 3 1\n"));
		assert_true(contains(got, "\"bad row\" 4 1\n"));
	}
}

static void refuses_a_whole_input_over_the_limit(void **state)
{
	auto_arena a = ARENA_NULL;
	static const char rows[] = "#whole\na,ann\nb,bob\n"; /* 12 bytes after the header */
	const char *path = put(&a, *state, "in", str_of(rows));
	struct intake_options o = { .whole_bytes_max = sizeof rows - 1 - 7 };
	assert_true(contains(read_one(&a, &o, path), "\"rows_whole\" 2 0 0\n"));
	o.whole_bytes_max--;
	assert_error(&o, path, ERR_LIMIT, arena_printf(&a, "%s: it is larger than 11 bytes", path));
}

static void shows_a_limited_number_of_rejects_and_counts_all(void **state)
{
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	text_add(&t, S("#rows\n"));
	for (unsigned i = 0; i < REJECTS_SHOWN_MAX + 50; i++)
		text_add(&t, S("!\n"));
	const char *path = put(&a, *state, "in", text_str(&t));
	const char *both[] = { path, path };
	for (size_t chunk = 1; chunk < 400; chunk += 100) {
		struct facts f;
		struct err err;
		struct intake_options o = { .chunk_bytes = chunk, .readers = rows_readers };
		assert_int_equal(intake_read(&o, both, 2, &f, &err), ERR_OK);
		assert_int_equal(f.rejects.n, 2 * REJECTS_SHOWN_MAX);
		assert_int_equal(f.rejects.v[REJECTS_SHOWN_MAX - 1].line, REJECTS_SHOWN_MAX + 1);
		assert_int_equal(f.inputs.v[1].rejected, REJECTS_SHOWN_MAX + 50);
		facts_deinit(&f);
	}
}

static void joins_inputs_in_the_order_given(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *inputs[] = { put(&a, *state, "b", S("#rows\n1,ann\n2,bob\n")),
		                 put(&a, *state, "a", S("#whole\n3,ann\n")),
		                 put(&a, *state, "c", S("#rows\n4,eve\n")) };
	struct facts f;
	struct err err;
	struct intake_options o = { .readers = rows_readers };
	assert_int_equal(intake_read(&o, inputs, 3, &f, &err), ERR_OK);
	static const char *const users[] = { "ann", "bob", "ann", "eve" };
	assert_int_equal(f.jobs.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct job_traits t = job_traits(&f, &f.jobs.v[i]);
		assert_str(names_word(&f.names, t.user), users[i]);
		assert_str(names_word(&f.names, job_words(&f, t.labels)[1]), users[i]);
		assert_int_equal(f.allocations.v[i].job, i);
		assert_str(names_word(&f.names, f.allocations.v[i].place),
		           job_id(&f, &f.jobs.v[i]).p);
	}
	/* end() saw its own input alone */
	static const int64_t seen[] = { 2, 1, 1 };
	assert_int_equal(f.scheduler.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f.scheduler.v[i].to_ms, seen[i]);
	facts_deinit(&f);
}

static void reads_standard_input(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *path = put(&a, *state, "in", gzip(&a, S("#rows\na,ann\nb,bob\n")));
	int before = dup(STDIN_FILENO), fd = open(path, O_RDONLY);
	assert_true(dup2(fd, STDIN_FILENO) >= 0);
	struct str got = read_one(&a, &one_thread, "-");
	dup2(before, STDIN_FILENO);
	close(before), close(fd);
	assert_true(contains(got, "input \"-\" \"rows\" 2 0 0\n"));
}

static void reads_a_pipe_that_writes_bit_by_bit(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *path = path_of(&a, *state, "pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	struct str rows = many_rows(&a, 3000);
	pid_t child = fork();
	if (child == 0) {
		int fd = open(path, O_WRONLY);
		for (size_t at = 0; at < rows.n; at += 997) {
			struct str s = str_sub(rows, at, 997);
			if (write(fd, s.p, s.n) < 0)
				_exit(1);
		}
		_exit(0);
	}
	struct intake_options o = { .threads = 2, .chunk_bytes = 5000 };
	struct str got = read_one(&a, &o, path);
	assert_true(contains(got, "\"rows\" 3000 3 0\n"));
}

/* A reader that gives the zone that it was handed away. */
static enum err_code open_zone(struct read_run *run, struct str head, struct err *err)
{
	(void)err;
	run->body_at = head.n;
	run->state = (void *)(uintptr_t)(run->options->zone ? 1 : 0);
	return ERR_OK;
}

static enum err_code feed_none(const struct read_run *run, struct str bytes, uint64_t line,
                               struct facts *f, struct err *err)
{
	(void)run, (void)bytes, (void)line, (void)f, (void)err;
	return ERR_OK;
}

static enum err_code end_zone(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	facts_note(f, run->options->zone ? "zone" : "no zone");
	return ERR_OK;
}

/* Says with which time the input came. */
static enum err_code feed_at(const struct read_run *run, struct str bytes, uint64_t line,
                             struct facts *f, struct err *err)
{
	char text[64];
	(void)bytes, (void)line, (void)err;
	snprintf(text, sizeof text, "%d %lld", run->options->has_at,
	         (long long)run->options->at_ms);
	facts_note(f, text);
	return ERR_OK;
}

static enum err_code feed_node(const struct read_run *run, struct str bytes, uint64_t line,
                               struct facts *f, struct err *err)
{
	auto_arena a = ARENA_NULL;
	(void)bytes, (void)line, (void)err;
	facts_note(f, arena_printf(&a, "node '%.*s' %d", STR_FMT(run->options->node),
	                           run->options->has_at));
	return ERR_OK;
}

static void takes_a_node_with_the_name(void **state)
{
	auto_arena a = ARENA_NULL;
	const struct reader noded = {
		.name = "noded",
		.cut = CUT_WHOLE,
		.recognise = rows_reader.recognise,
		.open = rows_reader.open,
		.feed = feed_node,
	};
	const struct reader *const list[] = { &noded, NULL };
	const char *path = put(&a, *state, "in", S("#rows\n"));
	put(&a, *state, "odd@node=n1", S("#rows\n"));
	const struct {
		const char *input, *note;
	} cases[] = {
		{ path, "node '' 0" },
		{ arena_printf(&a, "%s@node=n1", path), "node 'n1' 0" },
		{ arena_printf(&a, "%s@node=n1@at=2026-11-30@tz=UTC", path), "node 'n1' 1" },
		{ arena_printf(&a, "%s@at=2026-11-30@node=gpu@1", path), "node 'gpu@1' 1" },
		{ path_of(&a, *state, "odd@node=n1"), "node '' 0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		struct err err = { 0 };
		struct intake_options o = { .readers = list };
		if (intake_read(&o, &cases[i].input, 1, &f, &err))
			fail_msg("%s", err.text);
		assert_str(names_word(&f.names, f.notes.v[0].text), cases[i].note);
		facts_deinit(&f);
	}
	struct facts f;
	struct err err = { 0 };
	struct intake_options o = { .readers = list };
	const char *wrong = arena_printf(&a, "%s@node=", path);
	assert_int_equal(intake_read(&o, &wrong, 1, &f, &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "@node= names no node"));
}

static void takes_a_time_with_the_name(void **state)
{
	auto_arena a = ARENA_NULL;
	const struct reader timed = {
		.name = "timed",
		.cut = CUT_WHOLE,
		.recognise = rows_reader.recognise,
		.open = rows_reader.open,
		.feed = feed_at,
	};
	const struct reader *const list[] = { &timed, NULL };
	const char *path = put(&a, *state, "in", S("#rows\n"));
	put(&a, *state, "odd@at=1", S("#rows\n"));
	const struct {
		const char *input, *note;
	} cases[] = {
		{ path, "0 0" },
		{ arena_printf(&a, "%s@at=2026-11-30T12:00:00Z", path), "1 1796040000000" },
		{ arena_printf(&a, "%s@tz=UTC@at=2026-11-30T12:00:00", path), "1 1796040000000" },
		{ arena_printf(&a, "%s@at=2026-11-30T12:00:00@tz=UTC", path), "1 1796040000000" },
		{ path_of(&a, *state, "odd@at=1"), "0 0" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		struct err err = { 0 };
		struct intake_options o = { .readers = list };
		if (intake_read(&o, &cases[i].input, 1, &f, &err))
			fail_msg("%s", err.text);
		assert_str(names_word(&f.names, f.notes.v[0].text), cases[i].note);
		facts_deinit(&f);
	}
	struct facts f;
	struct err err = { 0 };
	struct intake_options o = { .readers = list };
	const char *wrong = arena_printf(&a, "%s@at=noon", path);
	assert_int_equal(intake_read(&o, &wrong, 1, &f, &err), ERR_USAGE);
	assert_non_null(strstr(err.text, "@at=noon is not a time"));
}

static void takes_a_zone_with_the_name(void **state)
{
	auto_arena a = ARENA_NULL;
	const struct reader zoned = {
		.name = "zoned",
		.cut = CUT_WHOLE,
		.recognise = rows_reader.recognise,
		.open = open_zone,
		.feed = feed_none,
		.end = end_zone,
	};
	const struct reader *const list[] = { &zoned, NULL };
	const char *path = put(&a, *state, "in", S("#rows\n"));
	put(&a, *state, "odd@tz=name", S("#rows\n"));
	const struct {
		const char *input, *note;
	} cases[] = {
		{ path, "no zone" },
		{ arena_printf(&a, "%s@tz=UTC", path), "no zone" },
		{ arena_printf(&a, "%s@tz=Europe/Berlin", path), "zone" },
		{ path_of(&a, *state, "odd@tz=name"), "no zone" },
		{ arena_printf(&a, "%s@tz=Europe/Berlin", path_of(&a, *state, "odd@tz=name")),
		  "zone" },
	};
	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) < 0)
		skip_for("no zone files");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		struct err err = { 0 };
		struct intake_options o = { .readers = list };
		if (intake_read(&o, &cases[i].input, 1, &f, &err))
			fail_msg("%s", err.text);
		assert_str(names_word(&f.names, f.notes.v[0].text), cases[i].note);
		facts_deinit(&f);
	}
	const char *bad = arena_printf(&a, "%s@tz=../../../etc/passwd", path);
	assert_error(&one_thread, bad, ERR_USAGE,
	             arena_printf(&a, "%s: '../../../etc/passwd' is no time zone", bad));
	bad = arena_printf(&a, "%s@tz=Europe/Nowhere", path);
	assert_error(&one_thread, bad, ERR_USAGE, NULL);
	bad = arena_printf(&a, "%s@tz=zone.tab", path); /* a file there that is no zone */
	assert_error(&one_thread, bad, ERR_USAGE, NULL);
}

static void stop_at_once(void *arg, double share, const char *input)
{
	(void)share, (void)input;
	atomic_store((atomic_int *)arg, 1);
}

static void keeps_what_was_read_when_interrupted(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *inputs[] = { put(&a, *state, "in", many_rows(&a, 50000)),
		                 put(&a, *state, "more", S("#rows\na,ann\n")) };
	atomic_int stop = 0;
	struct facts f;
	struct err err;
	struct intake_options o = { .threads = 2,
		                    .chunk_bytes = 4096,
		                    .interrupted = &stop,
		                    .on_progress = stop_at_once,
		                    .arg = &stop,
		                    .readers = rows_readers };
	assert_int_equal(intake_read(&o, inputs, 2, &f, &err), ERR_OK);
	assert_true(f.jobs.n > 0 && f.jobs.n < 49950);
	assert_int_equal(f.inputs.n, 2);
	assert_true(f.inputs.v[0].partial && f.inputs.v[1].partial);
	assert_int_equal(f.inputs.v[1].records, 0);
	assert_int_equal(intake_status(&f, false, &err), ERR_REJECTS);
	facts_deinit(&f);
}

struct shares {
	double last;
	unsigned n;
};

static void watch_share(void *arg, double share, const char *input)
{
	struct shares *s = arg;
	assert_non_null(input);
	assert_true(share >= s->last && share <= 1);
	s->last = share;
	s->n++;
}

static void tells_how_far_it_is(void **state)
{
	auto_arena a = ARENA_NULL;
	const char *inputs[] = { put(&a, *state, "in", many_rows(&a, 20000)),
		                 put(&a, *state, "gz", gzip(&a, many_rows(&a, 20000))) };
	struct shares shares = { 0 };
	struct facts f;
	struct err err;
	struct intake_options o = { .threads = 2,
		                    .chunk_bytes = 4096,
		                    .on_progress = watch_share,
		                    .arg = &shares,
		                    .readers = rows_readers };
	assert_int_equal(intake_read(&o, inputs, 2, &f, &err), ERR_OK);
	facts_deinit(&f);
	assert_true(shares.n > 20);
	assert_true(shares.last > 0.999);
}

static void calls_one_in_a_hundred_too_many(void **state)
{
	(void)state;
	static const struct {
		uint64_t records, rejected;
		enum err_code loose, strict;
	} cases[] = {
		{ 0, 0, ERR_OK, ERR_OK },         { 100, 0, ERR_OK, ERR_OK },
		{ 101, 1, ERR_OK, ERR_INPUT },    { 100, 1, ERR_REJECTS, ERR_INPUT },
		{ 10000, 99, ERR_OK, ERR_INPUT }, { 10000, 100, ERR_REJECTS, ERR_INPUT },
		{ 0, 1, ERR_REJECTS, ERR_INPUT }, /* no record could even be told from the next */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		struct err err;
		facts_init(&f);
		*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("x")),
			                                    .format = facts_word(&f, S("y")),
			                                    .records = cases[i].records,
			                                    .rejected = cases[i].rejected };
		assert_int_equal(intake_status(&f, false, &err), cases[i].loose);
		assert_int_equal(intake_status(&f, true, &err), cases[i].strict);
		facts_deinit(&f);
	}
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, place_make, place_drop)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		IN_PLACE(gives_equal_facts_wherever_it_is_cut),
		IN_PLACE(reads_either_line_end_and_a_missing_last_one),
		IN_PLACE(gives_equal_facts_with_any_number_of_threads),
		IN_PLACE(unpacks_gzip_members_and_zstd_frames),
		IN_PLACE(keeps_what_came_before_the_end_of_a_cut_stream),
		IN_PLACE(says_that_a_stream_is_damaged),
		IN_PLACE(reads_a_folder_in_name_order_one_level_down),
		IN_PLACE(refuses_a_folder_without_anything_to_read),
		IN_PLACE(says_what_it_cannot_read),
		IN_PLACE(says_when_two_formats_take_it),
		IN_PLACE(takes_the_format_that_it_is_told),
		IN_PLACE(stops_at_an_error_and_gives_the_first_one),
		IN_PLACE(drops_a_line_over_the_limit_and_nothing_else),
		IN_PLACE(refuses_a_whole_input_over_the_limit),
		IN_PLACE(shows_a_limited_number_of_rejects_and_counts_all),
		IN_PLACE(joins_inputs_in_the_order_given),
		IN_PLACE(reads_standard_input),
		IN_PLACE(reads_a_pipe_that_writes_bit_by_bit),
		IN_PLACE(takes_a_time_with_the_name),
		IN_PLACE(takes_a_node_with_the_name),
		IN_PLACE(takes_a_zone_with_the_name),
		IN_PLACE(keeps_what_was_read_when_interrupted),
		IN_PLACE(tells_how_far_it_is),
		cmocka_unit_test(calls_one_in_a_hundred_too_many),
	};
	return RUN_TESTS(tests);
}
